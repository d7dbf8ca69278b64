// daedal analyse: words into options, and the question that is asked into one call.
#include "daedal/study/analyse.hpp"

#include "applicability.hpp"
#include "commands.hpp"
#include "daedal/emit/files.hpp"
#include "daedal/study/control.hpp"
#include "daedal/study/motions.hpp"
#include "pipeline.hpp"
#include "request.hpp"
#include "watched.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace daedal::cli {

namespace {

/// Loads the model, asks, shows the answer: the exit code.
template <class Options, class Call>
int asked(const Arguments& a, Options options, const Call& call) {
  options.redundant_constraints = redundant_constraints(a);
  return answered(a, load(a), options, call, {a.csv, a.report});
}

/// --mat: of what has a linear model. A controller with a clock has no equations.
template <class Answer>
void write_mat(const Arguments& a, const Answer* answer) {
  if (a.questions.mat.empty()) return;
  if (answer == nullptr)
    fault({}, "--mat: a loop with a clock has no equations to take it from",
          "leave the controller or the option out");
  if (answer->holds) emit::write_text(task::to_mat(answer->linear), a.questions.mat);
}

std::optional<task::Grid> frequencies(const Arguments& a) {
  if (a.response.empty()) return std::nullopt;
  return task::read_frequencies("--response", a.response);
}

int portrait(const Arguments& a) {
  const Questions& q = a.questions;
  task::AnalyseOptions options;
  options.free = a.free;
  options.outputs = a.outputs;
  options.response = frequencies(a);
  options.nyquist = q.nyquist;
  options.directions = q.directions;
  options.reduce = q.reduce;
  if (q.reduction == "hankel") options.reduction = task::ReductionMethod::hankel;
  return asked(a, options, [&](const task::Model& model, const task::AnalyseOptions& watched) {
    auto answer = task::portrait_of(model, watched);
    write_mat(a, dynamic_cast<const task::Analysis*>(answer.get()));
    return answer;
  });
}

// --- over parameters

int follow(const Arguments& a) {
  task::FollowOptions options;
  options.over = task::read_range("--continue", a.questions.follow, 2);
  options.free = a.free;
  return asked(a, options, task::follow);
}

/// What a locus and a map have in common.
template <class Options>
Options sweep(const Arguments& a) {
  Options options;
  options.at_start = a.questions.at == "start";
  options.free = a.free;
  options.outputs = a.outputs;
  return options;
}

int locus(const Arguments& a) {
  auto options = sweep<task::LocusOptions>(a);
  options.over = task::read_range("--locus", a.questions.locus, options.values);
  return asked(a, options, task::locus);
}

int map(const Arguments& a) {
  std::vector<task::Range> ranges =
      task::read_ranges("--map", a.questions.map, task::MapOptions::values);
  if (ranges.size() != 2)
    fault({}, fmt::format("--map {}: a map has two parameters", a.questions.map),
          "as in k=1:5:100,d=0:2:100");
  auto options = sweep<task::MapOptions>(a);
  options.x = std::move(ranges[0]);
  options.y = std::move(ranges[1]);
  options.threads = a.questions.threads.value_or(options.threads);
  return asked(a, options, task::map);
}

int sensitivity(const Arguments& a) {
  task::SensitivityOptions options;
  options.parameters = a.questions.sensitivity;
  options.free = a.free;
  options.outputs = a.outputs;
  return asked(a, options, task::sensitivity);
}

int vary(const Arguments& a) {
  task::VaryOptions options;
  for (const std::string& text : a.vary) options.vary.push_back(task::read_change("--vary", text));
  for (const std::string& text : a.against)
    options.against.push_back(task::read_change("--against", text));
  options.redefine = a.redefine;
  options.lines = a.lines.value_or(options.lines);
  options.samples = a.samples.value_or(options.samples);
  options.margin = a.margin.value_or(options.margin);
  options.outputs = a.outputs;
  return asked(a, options, task::study_zeros);
}

// --- poses

/// What all questions about poses have in common.
template <class Options>
Options poses(const Arguments& a) {
  Options options;
  options.motors = a.questions.motors;
  options.outputs = a.outputs;
  return options;
}

int pose(const Arguments& a) {
  auto options = poses<task::PoseOptions>(a);
  options.given = task::read_values("--pose", task::split_list(a.questions.pose));
  options.branches = a.questions.branches;
  return asked(a, options, task::pose);
}

int path(const Arguments& a) {
  auto options = poses<task::PathOptions>(a);
  options.line = task::read_ranges("--path", a.questions.path, 2);
  return asked(a, options, task::path);
}

int limits(const Arguments& a) {
  auto options = poses<task::LimitsOptions>(a);
  options.hold = a.questions.hold;
  return asked(a, options, task::limits);
}

int box(const Arguments& a) {
  auto options = poses<task::BoxOptions>(a);
  options.axes = task::read_ranges("--box", a.questions.box, options.values);
  return asked(a, options, task::box);
}

// --- motions

int at_start(const Arguments& a) {
  task::AtStartOptions options;
  options.outputs = a.outputs;
  options.response = frequencies(a);
  options.nyquist = a.questions.nyquist;
  options.directions = a.questions.directions;
  return asked(a, options, [&](const task::Model& model, const task::AtStartOptions& watched) {
    auto answer = task::at_start(model, watched);
    write_mat(a, &answer);
    return answer;
  });
}

int along(const Arguments& a) {
  task::AlongOptions options;
  options.times = task::read_times("--along", a.questions.along);
  options.outputs = a.outputs;
  return asked(a, options, task::along);
}

int normal_form(const Arguments& a) {
  task::NormalFormOptions options;
  if (a.questions.internal != std::vector<std::string>{"none"})
    options.internal = a.questions.internal;
  options.disturb = task::read_values("--disturb", a.questions.disturb);
  options.outputs = a.outputs;
  return asked(a, options, task::normal_form);
}

int zero_dynamics(const Arguments& a) {
  task::ZeroDynamicsOptions options;
  options.until = *a.questions.zero_dynamics;
  options.disturb = task::read_values("--disturb", a.questions.disturb);
  options.free = a.free;
  options.outputs = a.outputs;
  return asked(a, options, task::zero_dynamics);
}

int linear_motion(const Arguments& a) {
  task::LinearMotionOptions options;
  options.until = *a.questions.linear_motion;
  options.disturb = task::read_values("--disturb", a.questions.disturb);
  options.free = a.free;
  return asked(a, options, task::linear_motion);
}

int lyapunov(const Arguments& a) {
  task::LyapunovOptions options;
  if (a.questions.lyapunov == "energy") options.function = task::LyapunovFunction::energy;
  options.epsilon = a.questions.epsilon;
  options.radius = a.questions.radius.value_or(options.radius);
  options.free = a.free;
  return asked(a, options, task::lyapunov);
}

/// All questions, the portrait last; which of them the command line asks, and the options that apply.
std::vector<Question> questions(const Arguments& a) {
  const Questions& q = a.questions;
  const bool sweep = !q.locus.empty() || !q.map.empty();  // these know moving starts
  const bool redefined = !a.redefine.empty();
  const bool varied = !redefined && (!a.vary.empty() || !a.against.empty());
  const char* const of_zeros =
      "--vary --against --lines --samples --margin --output --csv --report";
  return {
      {"--continue", follow, !q.follow.empty(), "--free --csv --report"},
      {"--locus", locus, !q.locus.empty(), "--at --free --output --csv --report"},
      {"--map", map, !q.map.empty(), "--at --free --output --threads --csv --report"},
      {"--sensitivity", sensitivity, !q.sensitivity.empty(), "--free --output --report"},
      {"--pose", pose, !q.pose.empty(), "--branches --motors --output --report"},
      {"--path", path, !q.path.empty(), "--motors --output --csv --report"},
      {"--limits", limits, q.limits, "--hold --motors --output --csv --report"},
      {"--box", box, !q.box.empty(), "--motors --output --csv --report"},
      {"--at start", at_start, q.at == "start" && !sweep,
       "--at --output --response --nyquist --csv --directions --mat --report"},
      {"--along", along, !q.along.empty(), "--output --csv --report"},
      {"--normal-form", normal_form, !q.internal.empty(), "--output --disturb --report"},
      {"--zero-dynamics", zero_dynamics, q.zero_dynamics.has_value(),
       "--free --output --disturb --csv --report"},
      {"--lyapunov", lyapunov, !q.lyapunov.empty(), "--free --epsilon --radius --csv --report"},
      {"--linear-motion", linear_motion, q.linear_motion.has_value(),
       "--free --disturb --csv --report"},
      {"--redefine", vary, redefined, of_zeros},
      {"--vary", vary, varied, of_zeros},
      {"", portrait, true,
       "--free --output --response --nyquist --csv --directions --reduce --reduction --mat "
       "--report"},
  };
}

}  // namespace

int analyse(const Arguments& a) {
  const Question question = asked_question(a, questions(a));
  for (const std::string& file : {a.csv, a.report, a.questions.mat}) emit::check_writable(file);
  return question.answer(a);
}

}  // namespace daedal::cli
