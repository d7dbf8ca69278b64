// daedal export: the real-time stepper of a model, or its receding horizon, as C.
#include "commands.hpp"
#include "daedal/base/utf8.hpp"
#include "daedal/emit/c_accelerations.hpp"
#include "daedal/emit/c_code.hpp"
#include "daedal/emit/c_horizon.hpp"
#include "daedal/emit/csv.hpp"
#include "daedal/expr/print.hpp"
#include "daedal/formulate/descriptor_form.hpp"
#include "daedal/invert/classical.hpp"
#include "daedal/invert/internal_dynamics.hpp"
#include "daedal/invert/receding_run.hpp"
#include "daedal/invert/stable_inversion.hpp"
#include "daedal/solve/prepare.hpp"
#include "file_roles.hpp"
#include "inverse_form.hpp"
#include "json_answer.hpp"
#include "pipeline.hpp"
#include "request.hpp"
#include "stable_inversion.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace daedal::cli {

namespace {

constexpr double before_motion = -1;  // [s]: motions begin at 0 or later

struct Exported {
  std::shared_ptr<const solve::StepProgram> program;
  emit::CResults results;
};

Exported inverse_stepper(const Loaded& loaded, const Arguments& a, const solve::Method& method,
                         const daedal::invert::ClassicalForm& form) {
  const daedal::invert::InverseModel inverse = daedal::invert::inverse_model(*loaded.dae);
  if (!inverse.structure.solvable())
    fault(loaded.model->place,
          fmt::format("the inverse model cannot be solved: {}", inverse.structure.remark));
  print_warnings(a, inverse.warnings);
  const solve::ConsistentPoint start = solve::consistent_point(inverse.problem);
  if (!inverse.algebraic()) {
    const auto dynamics = daedal::invert::internal_dynamics(inverse, start);
    if (dynamics.margin.side == analyse::Side::right)
      fault(
          loaded.model->place,
          fmt::format("the inverse model has {}, and would run away", describe(dynamics)),
          "add  --receding  for the receding horizon of stable inversion; or another output may be "
          "minimum phase, daedal analyse tells what would change the verdict");
  }
  const daedal::invert::Steppable made = step_program(inverse, start, method, form);
  return {made.program, emit::c_results(*made.reduced.dae)};
}

Exported forward_stepper(const Loaded& loaded, const solve::Method& method) {
  const solve::Prepared prepared = solve::prepare(loaded.dae, {});
  return {std::make_shared<const solve::StepProgram>(solve::make_step_program(
              *loaded.dae, solve::step_formula(method), solve::step_length(method),
              solve::point_of(prepared.problem, prepared.start))),
          emit::c_results(*loaded.dae)};
}

/// Writes path.h and path.c.
void write_code(const Loaded& loaded, const Arguments& a, const std::string& path,
                const emit::CCode& code) {
  const Written header{"--to", path + ".h"}, source{"--to", path + ".c"};
  refuse_overwriting({header, source}, loaded.library, a.overrides);
  emit::write_text(code.header, header.path);
  emit::write_text(code.source, source.path);
}

/// The inverse of a model that is not minimum phase, sample by sample from a window ahead.
int export_horizon(const Loaded& loaded, const Request& request, const Arguments& a) {
  const daedal::invert::InverseModel inverse = daedal::invert::inverse_model(*loaded.dae);
  print_warnings(a, inverse.warnings);
  if (inverse.algebraic())
    fault({},
          fmt::format("model '{}': the inputs follow from the desired motion alone: no preview is "
                      "needed",
                      loaded.model->name),
          "leave --receding out and add  --step");
  const auto problem = daedal::invert::tracking_problem(inverse);
  if (formulate::is_descriptor_form(*problem))
    fault(
        loaded.model->place,
        fmt::format("model '{}': its inputs reach the outputs in more than two derivatives, and C "
                    "code of a receding horizon is there for two",
                    loaded.model->name),
        "daedal invert without --receding inverts the whole motion at once");
  const solve::ConsistentPoint start = solve::consistent_point(*problem);
  daedal::invert::InverseSystem system(*problem, {.backend = compile::Backend::tape});
  const daedal::invert::RecedingHorizonOptions options =
      completed(system, read_receding(request).horizon);
  const daedal::invert::RecedingHorizon plan(
      system,
      {before_motion, [&](double t, double* w) { system.desired(t, w); }, start.states, start.tops},
      options);
  const std::string name = emit::c_identifier(loaded.model->name + "_horizon");
  const emit::CCode code = emit::c_horizon(*problem, plan, options, name);
  const std::string path = a.directory + "/" + name;
  write_code(loaded, a, path, code);
  const double truncation = std::exp(-plan.slowest_growth() * plan.preview());
  if (a.json) {
    const nlohmann::ordered_json json = {
        {"header", path + ".h"},    {"source", path + ".c"},
        {"period", options.period}, {"preview", plan.preview()},
        {"step", plan.step()},      {"slowest_growth", plan.slowest_growth()},
        {"truncation", truncation}, {"signals", system.signals() - 1},
        {"states", system.states()}};
    print_json(a, json);
    return 0;
  }
  fmt::print("{}: receding horizon, a sample every {:g} s\n", name, options.period);
  fmt::print("  preview  {:.4g} s in steps of {:.4g} s; what lies behind it counts {:.1e}\n",
             plan.preview(), plan.step(), truncation);
  fmt::print("  modes    {}; the slowest grows with {:.6g} 1/s\n", describe(plan.modes()),
             plan.slowest_growth());
  fmt::print("  wrote    {0}.c, {0}.h\n", visible(path));
  return 0;
}

/// A stepper takes equal steps with one set of equations: it neither looks for events nor changes what is attached.
void refuse_events(const model::Model& m) {
  if (m.events.empty()) return;
  const model::Event& first = m.events.front();
  const std::size_t others = m.events.size() - 1;
  fault(first.place,
        fmt::format(
            "model '{}': event '{}'{} cannot be exported: a stepper of equal steps has no "
            "events",
            m.name, first.name,
            others == 0 ? "" : fmt::format(" and {} other{}", others, others == 1 ? "" : "s")),
        "export a model without events, one for each mode, and change between them outside; daedal "
        "simulate has events");
}

bool jumps(expr::Op op) {
  using expr::Op;
  return op == Op::less || op == Op::less_equal || op == Op::sign || op == Op::floor ||
         op == Op::mod;
}

/// A step takes the branch at its end for all of its length.
std::vector<Diagnostic> warnings_of_switches(const Loaded& loaded) {
  const model::Model& m = *loaded.model;
  std::vector<std::string> switches;
  for (const expr::Family& family : loaded.dae->residual.families) {
    const expr::Graph& graph = *family.graph;
    for (const expr::Expr e : expr::reachable(graph, family.outputs)) {
      if (!jumps(graph.node(e).op)) continue;
      const expr::Expr root[] = {e};
      const std::vector<expr::Leaf> leaves = expr::leaves(graph, root);
      const bool of_time = std::any_of(leaves.begin(), leaves.end(), [&](expr::Leaf leaf) {
        return family.symbol(0, leaf.symbol) == expr::time_symbol;
      });
      if (!of_time) continue;
      const std::string text = expr::to_text(
          graph, e,
          [&](expr::Leaf leaf) {
            return model::name_of(m.symbols[family.symbol(0, leaf.symbol)], leaf.order);
          },
          100);
      if (std::find(switches.begin(), switches.end(), text) == switches.end())
        switches.push_back(text);
    }
  }
  if (switches.empty()) return {};
  return {
      {Severity::warning,
       m.place,
       fmt::format("model '{}': the stepper passes '{}'{} with equal steps: a step in which it "
                   "switches takes the branch at its end, an error of first order in the step",
                   m.name, switches.front(),
                   switches.size() == 1 ? "" : fmt::format(" and {} more", switches.size() - 1)),
       {},
       "take a short step; or make what switches an input, which jumps between two steps"}};
}

std::string names_of(const emit::CResults& results) {
  std::string text;
  for (const emit::CResult& result : results.values)
    text += (text.empty() ? "" : ", ") + result.name;
  return text;
}

/// Accelerations and multipliers at a state.
int export_accelerations(const Arguments& a) {
  for (const auto& [option, given] : {std::pair<const char*, bool>{"--step", a.step.has_value()},
                                      {"--method", !a.method.empty()},
                                      {"--formulation", !a.formulation.empty()},
                                      {"--receding", a.receding},
                                      {"--period", a.period.has_value()},
                                      {"--preview", a.preview.has_value()}})
    if (given)
      fault({}, fmt::format("{} does not belong to --accelerations, which makes no steps", option),
            "leave it out, or take  --forward  for a stepper");
  const Loaded loaded = load_model(a);
  formulate::Formulation formulation;
  formulation.kind = formulate::Kind::index1;
  const solve::Prepared prepared = solve::prepare(loaded.dae, formulation);
  print_warnings(a, prepared.start.warnings);
  const std::string name = emit::c_identifier(loaded.model->name + "_accelerations");
  const emit::CAccelerations made = emit::c_accelerations(prepared.problem, prepared.start, name);
  const std::string path = a.directory + "/" + name;
  write_code(loaded, a, path, made.code);
  if (!loaded.model->events.empty())
    print_warnings(a, {{Severity::warning,
                        loaded.model->events.front().place,
                        fmt::format("model '{}': the function knows nothing of its {} event{}",
                                    loaded.model->name, loaded.model->events.size(),
                                    loaded.model->events.size() == 1 ? "" : "s"),
                        {},
                        "whoever integrates the accelerations has to look for them"}});
  if (a.json) {
    print_json(a, {{"header", path + ".h"},
                   {"source", path + ".c"},
                   {"function", name},
                   {"positions", made.positions},
                   {"velocities", made.velocities},
                   {"parameters", made.parameters},
                   {"inputs", made.inputs},
                   {"accelerations", made.accelerations},
                   {"multipliers", made.multipliers}});
    return 0;
  }
  const auto print_names = [](const char* word, const std::vector<std::string>& names) {
    constexpr std::size_t shown = 12;
    const std::vector<std::string> first(
        names.begin(), names.begin() + static_cast<std::ptrdiff_t>(std::min(shown, names.size())));
    fmt::print("  {:<8} {}{}\n", word,
               names.empty() ? "none" : fmt::format("{}", fmt::join(first, ", ")),
               names.size() > shown ? ", ..." : "");
  };
  fmt::print("{}(t, q, v, p, u, a, lambda): the equations of motion, constraints differentiated\n",
             name);
  print_names("q", made.positions);
  print_names("v", made.velocities);
  print_names("p", made.parameters);
  print_names("u", made.inputs);
  print_names("a", made.accelerations);
  print_names("lambda", made.multipliers);
  fmt::print("  wrote    {0}.c, {0}.h\n", visible(path));
  return 0;
}

}  // namespace

int export_code(const Arguments& a) {
  if (a.accelerations) return export_accelerations(a);
  if (!a.inverse && !a.forward)
    fault({}, "which model is to be exported?",
          "add  --inverse  (desired outputs in, inputs out) or  --forward  (inputs in, outputs "
          "out), or  --accelerations  for the equations of motion themselves");
  const Loaded loaded = load_model(a);
  refuse_events(*loaded.model);
  Request request;
  apply_command_line(request, a);
  if (a.receding && !a.inverse)
    fault({}, "--receding: a receding horizon inverts a model", "take  --inverse --receding");
  if (a.receding) return export_horizon(loaded, request, a);
  if (!a.step) fault({}, "how long is a step?", "add  --step 0.001  [s]");
  if (request.method.text.empty()) request.method = model::parse_option("bdf", "--method");
  const solve::Method method = read_method(request);
  if (a.forward && !request.formulation.text.empty())
    fault(request.formulation.place, "formulations are for the stepper of an inverse model",
          "leave --formulation out: a forward model is stepped as it was derived");
  const daedal::invert::ClassicalForm form = read_classical_form(request.formulation);
  print_warnings(a, warnings_of_switches(loaded));
  const Exported made =
      a.inverse ? inverse_stepper(loaded, a, method, form) : forward_stepper(loaded, method);
  const std::string name = emit::c_identifier(loaded.model->name + (a.inverse ? "_inverse" : ""));
  const emit::CCode code = emit::c_stepper(
      *made.program, daedal::invert::stepper_options(method, form), name, made.results);
  const std::string path = a.directory + "/" + name;
  write_code(loaded, a, path, code);
  const solve::StepProgram& p = *made.program;
  if (a.json) {
    const nlohmann::ordered_json json = {
        {"header", path + ".h"},          {"source", path + ".c"},
        {"method", p.formula.name},       {"step", p.step},
        {"signals", p.signals.size()},    {"results", made.results.values.size()},
        {"unknowns", p.correction.size()}};
    print_json(a, json);
    return 0;
  }
  std::string signals;
  for (const expr::Leaf leaf : p.signals)
    signals += (signals.empty() ? "" : ", ") + name_of(p.model->symbols[leaf.symbol], leaf.order);
  fmt::print("{}: {} with a step of {:g} s\n", name, p.formula.name, p.step);
  fmt::print("  signals  {}\n", signals.empty() ? "none" : signals);
  fmt::print("  results  {}\n", names_of(made.results));
  fmt::print("  wrote    {0}.c, {0}.h: {1} unknowns a step\n", visible(path), p.correction.size());
  return 0;
}

}  // namespace daedal::cli
