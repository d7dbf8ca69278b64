// The questions of the module `study` and their options: names as in its headers.
#include "daedal/study/analyse.hpp"
#include "daedal/study/control.hpp"
#include "daedal/study/motions.hpp"
#include "questions.hpp"

namespace daedal::python {

namespace {

constexpr const char* of_free =
    "inputs that take the values that hold the pose, by name; \"all\" for all";
constexpr const char* of_outputs = "which ones; default: the servo lines, else all outputs";
constexpr const char* of_motors = "their coordinates; default: where inputs act";
constexpr const char* of_redundant =
    "constraints that follow from others: error, or least_norm: left out, their reactions shared";
constexpr const char* of_disturb = "states moved away from rest: {\"theta\": 0.1}";

template <class O>
void add_common(OptionTable<O>& table) {
  if constexpr (requires(O o) { o.free; }) table.add("free", &O::free, of_free);
  if constexpr (requires(O o) { o.motors; }) table.add("motors", &O::motors, of_motors);
  if constexpr (requires(O o) { o.outputs; }) table.add("outputs", &O::outputs, of_outputs);
  table.add("redundant_constraints", &O::redundant_constraints, of_redundant);
}

template <class O>
OptionTable<O> completed(OptionTable<O> table) {
  add_common(table);
  return table;
}

template <class O>
void add_response(OptionTable<O>& table) {
  table
      .add("response", &O::response,
           "frequency response: (first, last) or (first, last, count) [rad/s]")
      .add("nyquist", &O::nyquist, "with response: Nyquist's curve in summary and report")
      .add("directions", &O::directions, "inputs, motion and outputs at each zero");
}

OptionTable<task::AnalyseOptions> analyse_table() {
  using O = task::AnalyseOptions;
  OptionTable<O> table;
  add_response(table);
  table.add("reduce", &O::reduce, "states of a linear model with fewer of them")
      .add("reduction", &O::reduction, "balanced, hankel");
  return completed(std::move(table));
}

OptionTable<task::AtStartOptions> at_start_table() {
  OptionTable<task::AtStartOptions> table;
  add_response(table);
  return completed(std::move(table));
}

OptionTable<task::FollowOptions> follow_table() {
  using O = task::FollowOptions;
  OptionTable<O> table;
  table.add("over", &O::over, "a parameter: \"load=0:10\" or {\"load\": (0, 10)}", 2).required();
  return completed(std::move(table));
}

OptionTable<task::LocusOptions> locus_table() {
  using O = task::LocusOptions;
  OptionTable<O> table;
  table
      .add("over", &O::over, "a parameter: \"k=1:5:20\" or {\"k\": (1, 5, 20)}",
           task::LocusOptions::values)
      .required()
      .add("at_start", &O::at_start, "at the start values, in motion; else at rest");
  return completed(std::move(table));
}

OptionTable<task::MapOptions> map_table() {
  using O = task::MapOptions;
  OptionTable<O> table;
  table
      .add("x", &O::x, "a parameter: \"k=1:5:20\" or {\"k\": (1, 5, 20)}", task::MapOptions::values)
      .required()
      .add("y", &O::y, "another one", task::MapOptions::values)
      .required()
      .add("at_start", &O::at_start, "at the start values, in motion; else at rest")
      .add("threads", &O::threads, "0: as many as the machine has");
  return completed(std::move(table));
}

OptionTable<task::SensitivityOptions> sensitivity_table() {
  using O = task::SensitivityOptions;
  OptionTable<O> table;
  table.add("parameters", &O::parameters, "by which derivatives are taken; \"all\" for all");
  return completed(std::move(table));
}

OptionTable<task::VaryOptions> vary_table() {
  using O = task::VaryOptions;
  OptionTable<O> table;
  table.add("vary", &O::vary, "parameters that move together: {\"m\": (1, 2), \"J\": (0.1, 0.3)}")
      .add("redefine", &O::redefine,
           "\"tip:rigid\": the weight of  Gamma tip + (1 - Gamma) rigid  moves from 0 to 1")
      .add("against", &O::against, "other parameters, from one path to the next")
      .add("lines", &O::lines, "paths with against, 2 to 1000")
      .add("samples", &O::samples, "points of a path, 2 to 10000")
      .add("margin", &O::margin, "how far left of the axis zeros must lie [1/s]; 0: also on it");
  return completed(std::move(table));
}

OptionTable<task::ControlOptions> control_table() {
  using O = task::ControlOptions;
  OptionTable<O> table;
  table.add("inputs", &O::inputs, "that the feedback commands; default: all")
      .add("state_weights", &O::state_weights,
           "of squared departures from rest: {\"x\": 10, \"phi'\": 2}, or a number for all; "
           "default 1")
      .add("input_weights", &O::input_weights, "of squared commands, likewise; default 1")
      .add("period", &O::period, "of a controller with a clock [s]; default: continuous")
      .add("delay", &O::delay, "from a sample to its command's effect [s]; default: none")
      .add("reduce", &O::reduce, "states that the gains are designed on; default: all");
  return completed(std::move(table));
}

OptionTable<task::AlongOptions> along_table() {
  using O = task::AlongOptions;
  OptionTable<O> table;
  table.add("times", &O::times, "(first, last) or (first, last, count) [s]; default (0, 1, 11)");
  return completed(std::move(table));
}

OptionTable<task::NormalFormOptions> normal_form_table() {
  using O = task::NormalFormOptions;
  OptionTable<O> table;
  table.add("internal", &O::internal, "states that complete the outputs and their derivatives")
      .add("disturb", &O::disturb, "states with other values than those of the start");
  return completed(std::move(table));
}

template <class O>
OptionTable<O> motion_table() {
  OptionTable<O> table;
  table.add("until", &O::until, "[s], > 0").add("disturb", &O::disturb, of_disturb);
  return completed(std::move(table));
}

OptionTable<task::LyapunovOptions> lyapunov_table() {
  using O = task::LyapunovOptions;
  OptionTable<O> table;
  table.add("function", &O::function, "quadratic, energy")
      .add("epsilon", &O::epsilon, "of the energy's term [1/s]; default: half of its bound")
      .add("radius", &O::radius,
           "of the samples: largest change of a position over its nominal value");
  return completed(std::move(table));
}

OptionTable<task::PoseOptions> pose_table() {
  using O = task::PoseOptions;
  OptionTable<O> table;
  table.add("given", &O::given, "coordinates and outputs, and their values: {\"phi\": \"pi/4\"}")
      .add("branches", &O::branches, "all poses with these values that can be found");
  return completed(std::move(table));
}

OptionTable<task::PathOptions> path_table() {
  using O = task::PathOptions;
  OptionTable<O> table;
  table
      .add("line", &O::line,
           "coordinates and outputs from first to last: {\"a\": (0, 1), \"b\": (0.5, 0.2)}", 2)
      .required();
  return completed(std::move(table));
}

OptionTable<task::LimitsOptions> limits_table() {
  using O = task::LimitsOptions;
  OptionTable<O> table;
  table.add("hold", &O::hold, "coordinates and outputs that stay: all but one direction");
  return completed(std::move(table));
}

OptionTable<task::BoxOptions> box_table() {
  using O = task::BoxOptions;
  OptionTable<O> table;
  table
      .add("axes", &O::axes, "coordinates and outputs: {\"a\": (0, 1, 11), \"b\": (-1, 1, 11)}",
           task::BoxOptions::values)
      .required();
  return completed(std::move(table));
}

}  // namespace

std::vector<Question> study_questions() {
  std::vector<Question> all;
  all.push_back(question(
      "analyse", "Analysis", "AnalyseOptions",
      "What kind of system it is: equilibrium, poles, zeros, relative degree; of a loop with a "
      "clock, from one sample to the next.",
      analyse_table(), task::portrait_of));
  all.push_back(question("follow", "Branches", "FollowOptions",
                         "Equilibria over a parameter, round folds.", follow_table(),
                         task::follow));
  all.push_back(question("locus", "RootLocus", "LocusOptions", "Poles and zeros over a parameter.",
                         locus_table(), task::locus));
  all.push_back(question("map", "ClassMap", "MapOptions", "The verdict over two parameters.",
                         map_table(), task::map));
  all.push_back(question("sensitivity", "Sensitivity", "SensitivityOptions",
                         "Rates of change of equilibrium, poles and zeros with parameters.",
                         sensitivity_table(), task::sensitivity));
  all.push_back(question("vary", "ZeroPathMap", "VaryOptions",
                         "Zeros along a path of parameters, or of the weight of another output.",
                         vary_table(), task::study_zeros));
  all.push_back(
      question("control", "ControlDesign", "ControlOptions",
               "The linear-quadratic regulator at the equilibrium near the start values; of a "
               "model with controllers the gains of their laws.",
               control_table(), task::design_of));
  all.push_back(question("sampled_loop", "SampledLoop", "SampledLoopOptions",
                         "A loop with a clock from one sample to the next, about its rest.",
                         completed(OptionTable<task::SampledLoopOptions>()), task::sampled_loop));
  all.push_back(question("at_start", "StartLinearisation", "AtStartOptions",
                         "Linearised in motion, at the start values.", at_start_table(),
                         task::at_start));
  all.push_back(question("along", "MotionLinearisation", "AlongOptions",
                         "Linearised along the simulated motion.", along_table(), task::along));
  all.push_back(question("normal_form", "NormalForm", "NormalFormOptions",
                         "Lie derivatives and decoupling at the start values.", normal_form_table(),
                         task::normal_form));
  all.push_back(question("zero_dynamics", "ZeroDynamics", "ZeroDynamicsOptions",
                         "What moves while the outputs are held at their values at rest.",
                         motion_table<task::ZeroDynamicsOptions>(), task::zero_dynamics));
  all.push_back(question("linear_motion", "LinearMotion", "LinearMotionOptions",
                         "The motion from a disturbed rest, by the equations and linearised.",
                         motion_table<task::LinearMotionOptions>(), task::linear_motion));
  all.push_back(question("lyapunov", "LyapunovRegion", "LyapunovOptions",
                         "Where a Lyapunov function decreases near rest.", lyapunov_table(),
                         task::lyapunov));
  all.push_back(question("pose", "Pose", "PoseOptions",
                         "The pose with given coordinates or outputs, and what moves what there.",
                         pose_table(), task::pose));
  all.push_back(question("path", "PosePath", "PathOptions", "Singular poses on a straight line.",
                         path_table(), task::path));
  all.push_back(question("limits", "PosePath", "LimitsOptions",
                         "How far coordinates and outputs go, with one direction free.",
                         limits_table(), task::limits));
  all.push_back(question("box", "PoseBox", "BoxOptions", "Reach and singular poses over a box.",
                         box_table(), task::box));
  return all;
}

}  // namespace daedal::python
