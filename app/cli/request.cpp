#include "request.hpp"

#include "daedal/base/diagnostic.hpp"
#include "daedal/solve/break_points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

namespace daedal::cli {

void fault(const Place& place, std::string message, std::string help) {
  throw ModelError(Diagnostic{Severity::error, place, std::move(message), {}, std::move(help)});
}

namespace {

constexpr double default_until =
    10;  // [s], when neither the command line, an experiment nor a trajectory tells

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

}  // namespace

namespace {

bool is_parameter(const model::Model& model, const std::string& name) {
  const auto named = [&](const model::Symbol& symbol) {
    return symbol.kind == model::SymbolKind::parameter &&
           (symbol.name == name || symbol.name.starts_with(name + "["));
  };
  return model.sizes.contains(name) ||
         std::any_of(model.symbols.begin(), model.symbols.end(), named);
}

/// Numbers as they are written: 0.1, or [1, 2].
std::string text_of(const std::vector<double>& numbers) {
  return numbers.size() == 1 ? fmt::format("{}", numbers[0])
                             : fmt::format("[{}]", fmt::join(numbers, ", "));
}

/// One of several words; the first when nothing is given.
std::size_t read_word(const model::Option& option, const std::string& name,
                      const std::vector<std::string>& words, const std::string& meaning) {
  if (option.text.empty()) return 0;
  const auto found = std::find(words.begin(), words.end(), option.text);
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  const std::string near = nearest_name(option.text, words);
  fault(option.place,
        fmt::format("{} can be {}, not '{}'", name, fmt::join(words, " or "), option.text),
        near.empty() ? meaning : fmt::format("did you mean '{}'?", near));
}

}  // namespace

Request read_experiment(const model::Experiment& experiment, const model::Model& model) {
  Request request;
  for (const model::Option& option : experiment.options) {
    if (option.name == "until")
      request.until = number_of(option);
    else if (option.name == "step")
      request.step = number_of(option);
    else if (option.name == "every")
      request.every = number_of(option);
    else if (option.name == "tolerance")
      request.tolerance = number_of(option);
    else if (option.name == "method")
      request.method = option;
    else if (option.name == "formulation")
      request.formulation = option;
    else if (option.name == "redundant_constraints")
      request.redundant_constraints = option;
    else if (option.name == "global_error")
      request.global_error = is_on(option);
    else if (option.name == "start")
      request.start = option;
    else if (is_parameter(model, option.name) && option.word.empty())
      request.parameters[option.name] = text_of(option.numbers);
    else if (option.name == "verify" && experiment.command == "invert")
      request.verify = option;
    else if (option.name == "ends" && experiment.command == "invert")
      request.ends = option;
    else if (option.name == "before" && experiment.command == "invert")
      request.before = number_of(option);
    else if (option.name == "after" && experiment.command == "invert")
      request.after = number_of(option);
    else {
      const std::string near =
          nearest_name(option.name, {"until", "step", "every", "tolerance", "method", "formulation",
                                     "redundant_constraints", "start", "global_error"});
      fault(option.name_place,
            fmt::format("experiment '{}': {} has no option and the model no input or "
                        "parameter '{}'",
                        experiment.name, experiment.command, option.name),
            near.empty() ? "options: until, every, method, formulation, tolerance, step, "
                           "redundant_constraints, start, global_error, and the inputs, "
                           "parameters and sizes"
                         : fmt::format("did you mean '{}'?", near));
    }
  }
  return request;
}

void apply_command_line(Request& request, const Arguments& a) {
  if (!a.method.empty()) request.method = model::parse_option(a.method, "--method");
  if (!a.formulation.empty())
    request.formulation = model::parse_option(a.formulation, "--formulation");
  if (!a.redundant.empty())
    request.redundant_constraints = model::parse_option(a.redundant, "--redundant");
  if (!a.global_error.empty()) request.global_error = a.global_error == "on";
  if (!a.start.empty()) request.start = model::parse_option(a.start, "--start");
  if (!a.verify.empty()) request.verify = model::parse_option(a.verify, "--verify");
  if (!a.ends.empty()) request.ends = model::parse_option(a.ends, "--ends");
  request.receding = request.receding || a.receding;
  if (a.period) request.period = a.period;
  if (a.preview) request.preview = a.preview;
  if (a.before) request.before = a.before;
  if (a.after) request.after = a.after;
  if (a.until) request.until = a.until;
  if (a.step) request.step = a.step;
  if (a.every) request.every = a.every;
  if (request.every && !(*request.every > 0))
    fault({}, fmt::format("every = {} s: rows need time between them", *request.every),
          "leave it out for 1000 rows");
  if (a.tolerance) request.tolerance = a.tolerance;
}

solve::Method read_method(const Request& request) {
  std::map<std::string, solve::OptionValue> options;
  for (const model::Option& option : request.method.options)
    options.insert_or_assign(option.name, option.word.empty()
                                              ? solve::OptionValue(number_of(option))
                                              : solve::OptionValue(option.word));
  if (request.tolerance) options.insert_or_assign("tolerance", *request.tolerance);
  if (request.step) options.insert_or_assign("step", *request.step);
  const std::string name = request.method.text.empty()   ? "rk45"
                           : request.method.word.empty() ? request.method.text
                                                         : request.method.word;
  return solve::make_method(name, options, request.method.place);
}

solve::RedundantConstraints read_redundant_constraints(const Request& request) {
  return static_cast<solve::RedundantConstraints>(read_word(
      request.redundant_constraints, "redundant_constraints", solve::redundant_constraints_names(),
      "error names them and stops, least_norm leaves them out and shares reactions"));
}

solve::StartValues read_start_values(const Request& request) {
  return static_cast<solve::StartValues>(
      read_word(request.start, "start", solve::start_values_names(),
                "consistent moves the start values onto the constraints, as_given keeps them"));
}

daedal::invert::EndConditions read_ends(const Request& request) {
  return static_cast<daedal::invert::EndConditions>(
      read_word(request.ends, "ends", daedal::invert::end_conditions_names(),
                "automatic counts the modes, eigenspace needs hyperbolic ones, positions holds "
                "them at rest"));
}

bool read_verify(const Request& request) {
  const model::Option& option = request.verify;
  if (option.text.empty() || option.text == "on") return true;
  if (option.text == "off") return false;
  fault(option.place, fmt::format("verify can be on or off, not '{}'", option.text));
}

compile::Backend read_backend(const Arguments& a) {
  return a.backend == "tape"     ? compile::Backend::tape
         : a.backend == "native" ? compile::Backend::native
                                 : compile::Backend::automatic;
}

namespace {

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

double end_time(const Request& request, const formulate::Problem& problem) {
  if (request.until) return *request.until;
  if (const auto end = end_of_experiment(*problem.dae->model)) return *end;
  return end_of_servos(problem).value_or(default_until);
}

double end_of_motion(const Request& request, const formulate::Problem& problem) {
  if (request.until) return *request.until;
  if (const auto end = end_of_servos(problem)) return *end;
  return end_of_experiment(*problem.dae->model).value_or(default_until);
}

}  // namespace daedal::cli
