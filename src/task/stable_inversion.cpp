#include "stable_inversion.hpp"

#include "daedal/task/counts.hpp"
#include "daedal/task/options.hpp"

#include <fmt/format.h>

#include <cmath>

namespace daedal {
inline namespace task {

namespace {

/// A whole number among the options of 'collocation(...)'.
int whole(const model::Option& option) {
  if (option.numbers.size() != 1 || option.numbers[0] != std::round(option.numbers[0]) ||
      !(std::abs(option.numbers[0]) <= 1e6))
    fault(option.place,
          fmt::format("'{}' must be a whole number, not '{}'", option.name, option.text));
  return static_cast<int>(option.numbers[0]);
}

boundary::EndConditions end_conditions_of(const Choice<WordsOnly>& ends) {
  auto words = ends.words("ends");
  if (!words) return {};
  words->name = "ends";
  return static_cast<boundary::EndConditions>(
      which_word(*words, boundary::end_conditions_names(),
                 "automatic counts the modes, eigenspace needs hyperbolic ones, positions holds "
                 "them at rest"));
}

void set_differences(inversion::StableInversionOptions& options, const model::Option& method) {
  options.scheme = inversion::Scheme::central_differences;
  for (const model::Option& option : method.options) {
    if (option.name != "step" || option.numbers.size() != 1)
      fault(option.name_place,
            fmt::format("method central_differences has no option '{} = {}'", option.name,
                        option.text),
            "options: step [s]");
    options.step = option.numbers[0];
  }
}

void set_collocation(inversion::StableInversionOptions& options, const model::Option& method) {
  if (method.word == "collocation") options.scheme = inversion::Scheme::collocation;
  for (const model::Option& option : method.options) {
    if (option.name == "order")
      options.boundary_value.order = whole(option);
    else if (option.name == "intervals" && whole(option) > 0)
      options.boundary_value.intervals = static_cast<std::size_t>(whole(option));
    else
      fault(option.name_place,
            fmt::format("method collocation has no option '{} = {}'", option.name, option.text),
            "options: order (4, 6), intervals (a fixed mesh of so many)");
  }
}

nlohmann::ordered_json to_json(const boundary::Dichotomy& d) {
  return {{"stable", d.stable}, {"centre", d.centre}, {"unstable", d.unstable}};
}

}  // namespace

inversion::StableInversionOptions stable_inversion_options(const InvertOptions& asked) {
  inversion::StableInversionOptions options;
  options.boundary_value.ends = end_conditions_of(asked.ends);
  options.tolerance = asked.tolerance;
  options.before = asked.before;
  options.after = asked.after;
  options.until = asked.until;
  options.every = every_of(asked.every);
  const model::Option method = asked.method.words("method").value_or(model::Option{});
  if (method.word == "central_differences")
    set_differences(options, method);
  else
    set_collocation(options, method);
  if (const std::vector<Diagnostic> faults = check(options); !faults.empty())
    throw ModelError(faults);
  return options;
}

void add_stable_inversion(std::vector<Fact>& facts, const inversion::StableInversion& inversion) {
  const boundary::BoundaryValueSolution& s = inversion.solution;
  std::string method = fmt::format(
      "stable inversion, {}: {} intervals, {} Newton iterations on {} mesh{}, {:.3g} ms after "
      "{:.3g} ms of preparation",
      inversion.trajectory.method, s.times.empty() ? 0 : s.times.size() - 1, s.newton_iterations,
      s.meshes, s.meshes == 1 ? "" : "es", 1e3 * inversion.solving, 1e3 * inversion.preparation);
  if (s.continuation_steps > 0)
    method += fmt::format("\ncontinuation in the amplitude of the motion, {} steps",
                          s.continuation_steps);
  facts.push_back({"method", std::move(method), inversion.solving, "s", ""});
  facts.push_back(
      {"modes",
       fmt::format("{} at the beginning, {} at the end", describe(s.left), describe(s.right)),
       {},
       "",
       ""});
  if (s.times.empty()) return;
  if (inversion.period > 0)
    facts.push_back(
        {"period",
         fmt::format("{:.10g} s: the motion repeats, and so do the inputs", inversion.period),
         inversion.period, "s", ""});
  else
    facts.push_back(
        {"window",
         fmt::format("{:.4g} s to {:.4g} s: the inputs act {:.4g} s before the motion and {:.4g} "
                     "s after it",
                     s.times.front(), s.times.back(), inversion.first_joint - s.times.front(),
                     s.times.back() - inversion.last_joint),
         s.times.back() - s.times.front(), "s", ""});
  facts.push_back(
      {"error",
       fmt::format("{:.1e} of the states at the nodes, estimated, relative; tolerance {:g}",
                   s.error, inversion.tolerance),
       s.error, "", ""});
}

nlohmann::ordered_json to_json(const inversion::StableInversion& inversion) {
  const boundary::BoundaryValueSolution& s = inversion.solution;
  nlohmann::ordered_json json = {
      {"modes", {{"left", to_json(s.left)}, {"right", to_json(s.right)}}},
      {"slowest_growth", inversion.slowest_growth},
      {"slowest_decay", inversion.slowest_decay},
      {"preparation", inversion.preparation},
      {"solving", inversion.solving},
      {"meshes", s.meshes},
      {"newton_iterations", s.newton_iterations},
      {"continuation_steps", s.continuation_steps}};
  json["tolerance"] = inversion.tolerance;
  json["solved"] = s.status == boundary::BoundaryValueStatus::solved;
  if (inversion.period > 0) json["period"] = inversion.period;
  if (s.times.empty()) return json;
  json["intervals"] = s.times.size() - 1;
  json["begin"] = inversion.period > 0 ? 0 : s.times.front();
  json["end"] = inversion.period > 0 ? inversion.period : s.times.back();
  json["first_joint"] = inversion.first_joint;
  json["last_joint"] = inversion.last_joint;
  json["error"] = s.error;
  return json;
}

inversion::RecedingRunOptions receding_options(const InvertOptions& asked) {
  inversion::RecedingRunOptions options;
  if (asked.period) options.horizon.period = *asked.period;
  options.horizon.preview = asked.preview;
  options.horizon.step = asked.step;
  options.after = asked.after;
  options.every = every_of(asked.every);
  if (const std::vector<Diagnostic> faults = check(options.horizon); !faults.empty())
    throw ModelError(faults);
  return options;
}

Fact preview_fact(const char* name, const char* before, double preview, double step,
                  double truncation) {
  return {name,
          fmt::format("{}{:.4g} s in steps of {:.4g} s; the motion after it contributes {:.1e}",
                      before, preview, step, truncation),
          preview, "s", ""};
}

void add_receding(std::vector<Fact>& facts, const inversion::RecedingRun& run) {
  facts.push_back(
      preview_fact("method", "receding horizon: preview ", run.preview, run.step, run.truncation));
  facts.push_back({"modes",
                   fmt::format("{}; the slowest grows with {:.6g} 1/s", describe(run.modes),
                               run.slowest_growth),
                   run.slowest_growth, "1/s", ""});
  facts.push_back({"updates",
                   fmt::format("{}, {} with new matrices; largest step of the plan {:.1e}",
                               run.times.steps, run.factored, run.largest_step),
                   static_cast<double>(run.times.steps), "", ""});
  facts.push_back({"times",
                   fmt::format("median {:.3g} us, 99.9 % below {:.3g} us, worst {:.3g} us",
                               1e6 * run.times.median, 1e6 * run.times.most, 1e6 * run.times.worst),
                   run.times.worst, "s", ""});
}

nlohmann::ordered_json to_json(const inversion::RecedingRun& run) {
  return {{"preview", run.preview},           {"step", run.step},
          {"truncation", run.truncation},     {"slowest_growth", run.slowest_growth},
          {"updates", run.times.steps},       {"factored", run.factored},
          {"largest_step", run.largest_step}, {"median", run.times.median},
          {"most", run.times.most},           {"worst", run.times.worst}};
}

}  // namespace task
}  // namespace daedal
