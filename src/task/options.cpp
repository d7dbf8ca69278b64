#include "daedal/task/options.hpp"

#include "daedal/formulate/make_formulation.hpp"
#include "daedal/system/break_points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace daedal {
inline namespace task {

void fault(const Place& place, std::string message, std::string help) {
  throw ModelError(Diagnostic{Severity::error, place, std::move(message), {}, std::move(help)});
}

double number_of(const model::Option& option) {
  if (option.numbers.size() != 1)
    fault(option.place, fmt::format("'{}' must be one number, not '{}'", option.name, option.text),
          fmt::format("write  {} = 0.1", option.name));
  return option.numbers[0];
}

bool is_on(const model::Option& option) {
  if (option.text != "on" && option.text != "off")
    fault(option.place, fmt::format("'{}' is on or off, not '{}'", option.name, option.text),
          fmt::format("write  {} = off", option.name));
  return option.text == "on";
}

std::size_t which_word(const model::Option& option, const std::vector<std::string>& words,
                       const std::string& meaning) {
  const auto found = std::find(words.begin(), words.end(), option.text);
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  const std::string near = nearest_name(option.text, words);
  fault(option.place,
        fmt::format("{} can be {}, not '{}'", option.name, fmt::join(words, " or "), option.text),
        near.empty() ? meaning : fmt::format("did you mean '{}'?", near));
}

namespace {

[[noreturn]] void no_such_option(const solve::Method& method, const char* option) {
  fault({}, fmt::format("the method '{}' has no option '{}'", solve::name(method), option));
}

solve::Method with(solve::Method method, std::optional<double> tolerance,
                   std::optional<double> step) {
  std::visit(
      [&](auto& options) {
        if (tolerance) {
          if constexpr (requires { options.tolerance; })
            options.tolerance = *tolerance;
          else
            no_such_option(method, "tolerance");
        }
        if (step) {
          if constexpr (requires { options.step; })
            options.step = *step;
          else
            no_such_option(method, "step");
        }
      },
      method);
  if (std::vector<Diagnostic> faults = solve::check(method); !faults.empty())
    throw ModelError(std::move(faults));
  return method;
}

}  // namespace

solve::Method method_of(const Choice<solve::Method>& choice, std::optional<double> tolerance,
                        std::optional<double> step) {
  if (const solve::Method* made = choice.plain()) return with(*made, tolerance, step);
  const model::Option words = choice.words("method").value_or(model::Option{});
  std::map<std::string, solve::OptionValue> options;
  for (const model::Option& option : words.options)
    options.insert_or_assign(option.name, option.word.empty()
                                              ? solve::OptionValue(number_of(option))
                                              : solve::OptionValue(option.word));
  if (tolerance) options.insert_or_assign("tolerance", *tolerance);
  if (step) options.insert_or_assign("step", *step);
  const std::string name = words.text.empty()   ? "rk45"
                           : words.word.empty() ? words.text
                                                : words.word;
  return solve::make_method(name, options, words.place);
}

formulate::Formulation formulation_of(const Choice<formulate::Formulation>& choice,
                                      const derive::Dae& dae) {
  if (const formulate::Formulation* made = choice.plain()) return *made;
  const auto words = choice.words("formulation");
  return words ? formulate::make_formulation(*words, dae) : formulate::Formulation{};
}

double every_of(std::optional<double> every) {
  if (every && !(*every > 0))
    fault({}, fmt::format("every = {} s: rows need time between them", *every),
          "leave it out for 1000 rows");
  return every.value_or(0);
}

namespace {

constexpr double default_until = 10;  // [s], when nothing else says it

std::optional<double> end_of_experiment(const model::Model& m) {
  if (!m.experiments.empty())
    for (const model::Option& option : m.experiments[0].options)
      if (option.name == "until") return number_of(option);
  return std::nullopt;
}

std::optional<double> end_of_servos(const formulate::Problem& problem) {
  std::vector<expr::Expr> servos;
  for (const model::Relation& servo : problem.dae->model->servos) servos.push_back(servo.residual);
  const std::vector<double> joints = solve::break_points(problem, servos, 0, 1e4);
  constexpr double for_ever = 9e3;  // [s]: a motion that still switches then has no end
  if (joints.empty() || joints.size() >= 10000 || joints.back() > for_ever) return std::nullopt;
  return joints.back();
}

}  // namespace

double end_time(std::optional<double> until, const formulate::Problem& problem) {
  if (until) return *until;
  if (const auto end = end_of_experiment(*problem.dae->model)) return *end;
  return end_of_servos(problem).value_or(default_until);
}

double end_of_motion(std::optional<double> until, const formulate::Problem& problem) {
  if (until) return *until;
  if (const auto end = end_of_servos(problem)) return *end;
  return end_of_experiment(*problem.dae->model).value_or(default_until);
}

}  // namespace task
}  // namespace daedal
