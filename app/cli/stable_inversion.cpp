#include "stable_inversion.hpp"

#include <fmt/format.h>

#include <cmath>

namespace daedal::cli {

namespace {

/// A whole number among the options of 'collocation(...)'.
int whole(const model::Option& option) {
  if (option.numbers.size() != 1 || option.numbers[0] != std::round(option.numbers[0]) ||
      !(std::abs(option.numbers[0]) <= 1e6))
    fault(option.place,
          fmt::format("'{}' must be a whole number, not '{}'", option.name, option.text));
  return static_cast<int>(option.numbers[0]);
}

}  // namespace

daedal::invert::StableInversionOptions read_stable_inversion(const Request& request) {
  daedal::invert::StableInversionOptions options;
  daedal::invert::BoundaryValueOptions& solver = options.boundary_value;
  solver.ends = read_ends(request);
  options.tolerance = request.tolerance;
  options.before = request.before;
  options.after = request.after;
  options.until = request.until;
  options.every = request.every.value_or(0);
  const bool differences = request.method.word == "central_differences";
  if (differences) options.scheme = daedal::invert::Scheme::central_differences;
  if (request.method.word == "collocation") options.scheme = daedal::invert::Scheme::collocation;
  for (const model::Option& option : request.method.options) {
    if (differences && option.name == "step" && option.numbers.size() == 1)
      options.step = option.numbers[0];
    else if (differences)
      fault(option.name_place,
            fmt::format("method central_differences has no option '{} = {}'", option.name,
                        option.text),
            "options: step [s]");
    else if (option.name == "order")
      solver.order = whole(option);
    else if (option.name == "intervals" && whole(option) > 0)
      solver.intervals = static_cast<std::size_t>(whole(option));
    else
      fault(option.name_place,
            fmt::format("method collocation has no option '{} = {}'", option.name, option.text),
            "options: order (4, 6), intervals (a fixed mesh of so many)");
  }
  if (const std::vector<Diagnostic> faults = check(options); !faults.empty())
    throw ModelError(faults);
  return options;
}

void add_stable_inversion(std::string& text, const daedal::invert::StableInversion& inversion) {
  const daedal::invert::BoundaryValueSolution& s = inversion.solution;
  text += fmt::format(
      "  method   stable inversion, {}: {} intervals, {} Newton iterations on {} mesh{}, {:.3g} "
      "ms after {:.3g} ms of preparation\n",
      inversion.trajectory.method, s.times.empty() ? 0 : s.times.size() - 1, s.newton_iterations,
      s.meshes, s.meshes == 1 ? "" : "es", 1e3 * inversion.solving, 1e3 * inversion.preparation);
  if (s.continuation_steps > 0)
    text += fmt::format("           continuation in the amplitude of the motion, {} steps\n",
                        s.continuation_steps);
  text += fmt::format("  modes    {} at the beginning, {} at the end\n", describe(s.left),
                      describe(s.right));
  if (s.times.empty()) return;
  if (inversion.period > 0)
    text += fmt::format("  period   {:.10g} s: the motion repeats, and so do the inputs\n",
                        inversion.period);
  else
    text += fmt::format(
        "  window   {:.4g} s to {:.4g} s: the inputs act {:.4g} s before the motion and {:.4g} s "
        "after it\n",
        s.times.front(), s.times.back(), inversion.first_joint - s.times.front(),
        s.times.back() - inversion.last_joint);
  text += fmt::format(
      "  error    {:.1e} of the states at the nodes, estimated, relative; tolerance {:g}\n",
      s.error, inversion.tolerance);
}

nlohmann::ordered_json stable_inversion_json(const daedal::invert::StableInversion& inversion) {
  const daedal::invert::BoundaryValueSolution& s = inversion.solution;
  const auto modes = [](const daedal::invert::Dichotomy& d) {
    return nlohmann::ordered_json{
        {"stable", d.stable}, {"centre", d.centre}, {"unstable", d.unstable}};
  };
  nlohmann::ordered_json json = {{"modes", {{"left", modes(s.left)}, {"right", modes(s.right)}}},
                                 {"slowest_growth", inversion.slowest_growth},
                                 {"slowest_decay", inversion.slowest_decay},
                                 {"preparation", inversion.preparation},
                                 {"solving", inversion.solving},
                                 {"meshes", s.meshes},
                                 {"newton_iterations", s.newton_iterations},
                                 {"continuation_steps", s.continuation_steps}};
  json["tolerance"] = inversion.tolerance;
  json["solved"] = s.status == daedal::invert::BoundaryValueStatus::solved;
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

daedal::invert::RecedingRunOptions read_receding(const Request& request) {
  daedal::invert::RecedingRunOptions options;
  if (request.period) options.horizon.period = *request.period;
  options.horizon.preview = request.preview;
  options.horizon.step = request.step;
  options.after = request.after;
  options.every = request.every.value_or(0);
  if (const std::vector<Diagnostic> faults = check(options.horizon); !faults.empty())
    throw ModelError(faults);
  return options;
}

void add_receding(std::string& text, const daedal::invert::RecedingRun& run) {
  text += fmt::format(
      "  method   receding horizon: preview {:.4g} s in steps of {:.4g} s; what lies behind it "
      "counts {:.1e}\n",
      run.preview, run.step, run.truncation);
  text += fmt::format("  modes    {}; the slowest grows with {:.6g} 1/s\n", describe(run.modes),
                      run.slowest_growth);
  text += fmt::format("  updates  {}, {} with new matrices; largest step of the plan {:.1e}\n",
                      run.times.steps, run.factored, run.largest_step);
  text += fmt::format("  times    median {:.3g} us, 99.9 % below {:.3g} us, worst {:.3g} us\n",
                      1e6 * run.times.median, 1e6 * run.times.most, 1e6 * run.times.worst);
}

nlohmann::ordered_json receding_json(const daedal::invert::RecedingRun& run) {
  return {{"preview", run.preview},           {"step", run.step},
          {"truncation", run.truncation},     {"slowest_growth", run.slowest_growth},
          {"updates", run.times.steps},       {"factored", run.factored},
          {"largest_step", run.largest_step}, {"median", run.times.median},
          {"most", run.times.most},           {"worst", run.times.worst}};
}

}  // namespace daedal::cli
