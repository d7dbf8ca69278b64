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
    fault(option.place, fmt::format("'{}' must be one number, not '{}'", option.name, option.text));
  return option.numbers[0];
}

}  // namespace

Request read_experiment(const model::Experiment& experiment) {
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
    else if (option.name == "verify" && experiment.command == "invert")
      request.verify = option;
    else {
      const std::string near =
          nearest_name(option.name, {"until", "step", "every", "tolerance", "method", "formulation",
                                     "redundant_constraints"});
      fault(option.place,
            fmt::format("experiment '{}': simulate has no option and the model no input '{}'",
                        experiment.name, option.name),
            near.empty() ? "options: until, every, method, formulation, tolerance, step, "
                           "redundant_constraints, and the inputs"
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
  if (!a.verify.empty()) request.verify = model::parse_option(a.verify, "--verify");
  if (a.until) request.until = a.until;
  if (a.step) request.step = a.step;
  if (a.every) request.every = a.every;
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
  if (name == "rattle")
    fault(request.method.place,
          fmt::format("the method '{}' is not solved yet by this version", name),
          fmt::format("see docs/status.md; now there are {}",
                      fmt::join(solve::method_names(), ", ")));
  return solve::make_method(name, options, request.method.place);
}

solve::RedundantConstraints read_redundant_constraints(const Request& request) {
  const model::Option& option = request.redundant_constraints;
  if (option.text.empty() || option.text == "error") return solve::RedundantConstraints::error;
  if (option.text == "least_norm") return solve::RedundantConstraints::least_norm;
  const std::string near = nearest_name(option.text, solve::redundant_constraints_names());
  fault(option.place,
        fmt::format("redundant_constraints can be error or least_norm, not '{}'", option.text),
        near.empty() ? "error names them and stops, least_norm leaves them out and shares reactions"
                     : fmt::format("did you mean '{}'?", near));
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
  return joints.empty() ? std::nullopt : std::optional(joints.back());
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
