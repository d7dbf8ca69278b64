#include "inverse_form.hpp"

#include "daedal/solve/simulate.hpp"
#include "daedal/structure/examine.hpp"
#include "json_answer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

namespace daedal::cli {

namespace {

using daedal::invert::reduction_names;

constexpr double steps[] = {1e-1, 1e-2, 1e-3, 1e-4};  // [s], of the condition numbers
constexpr std::uint64_t most_rows = 10'000;

double number_in(const model::Option& option, double low, double high, bool whole) {
  const double value = option.numbers.size() == 1 ? option.numbers[0] : NAN;
  if (!(value >= low && value <= high) || (whole && value != std::floor(value)))
    fault(option.place, fmt::format("'{}' is {}, it must be a {}number from {:g} to {:g}",
                                    option.name, option.text, whole ? "whole " : "", low, high));
  return value;
}

/// One line of the table.
struct Form {
  std::string name;
  std::string obstacle;  // why there is none
  int index = 0;
  std::size_t unknowns = 0;
  std::vector<double> condition;  // by `steps`
  std::vector<std::string> words;
  std::optional<daedal::invert::SteppedInversion> run;
  double error = 0;  // of the inputs, the largest
};

double largest_error(const model::Model& m, const Table& rows, const Table& exact) {
  double worst = 0;
  for (const model::Symbol& symbol : m.symbols) {
    if (symbol.kind != model::SymbolKind::input) continue;
    const auto ours = rows.find(symbol.name), right = exact.find(symbol.name);
    if (!ours || !right) continue;
    for (std::size_t r = 0; r < std::min(rows.rows(), exact.rows()); ++r)
      worst = std::max(worst, std::abs(rows.at(r, *ours) - exact.at(r, *right)));
  }
  return worst;
}

nlohmann::ordered_json to_json(const std::vector<Form>& forms) {
  auto list = nlohmann::ordered_json::array();
  for (const Form& form : forms) {
    nlohmann::ordered_json json{{"formulation", form.name}};
    if (!form.obstacle.empty()) {
      json["obstacle"] = form.obstacle;
    } else {
      json["index"] = form.index;
      json["unknowns"] = form.unknowns;
      json["condition"] = nlohmann::ordered_json::array();
      for (std::size_t k = 0; k < form.condition.size(); ++k)
        json["condition"].push_back({{"step", steps[k]}, {"condition", form.condition[k]}});
      json["words"] = form.words;
      if (form.run)
        json["run"] = {
            {"status",
             form.run->trajectory.status == solve::Status::completed ? "completed" : "stopped"},
            {"error", form.error},
            {"most_iterations", form.run->most_iterations},
            {"median_step_time", form.run->times.median}};
    }
    list.push_back(json);
  }
  return list;
}

void print(const std::vector<Form>& forms, const model::Model& m, bool with_runs) {
  fmt::print(
      "{}: the inverse model in every formulation; condition of Newton's matrix at the start "
      "by step\n",
      m.name);
  fmt::print("  {:18} {:>5} {:>8}", "", "index", "unknowns");
  for (const double step : steps) fmt::print(" {:>8}", fmt::format("{:g} s", step));
  if (with_runs) fmt::print(" {:>10} {:>10} {:>9}", "error of u", "iterations", "step [us]");
  fmt::print("\n");
  for (const Form& form : forms) {
    fmt::print("  {:18}", form.name);
    if (!form.obstacle.empty()) {
      fmt::print(" {}\n", form.obstacle);
      continue;
    }
    fmt::print(" {:>5} {:>8}", form.index, form.unknowns);
    for (const double condition : form.condition) fmt::print(" {:>8.1e}", condition);
    if (form.run && form.run->trajectory.status == solve::Status::completed)
      fmt::print(" {:>10.3e} {:>10} {:>9.3g}", form.error, form.run->most_iterations,
                 1e6 * form.run->times.median);
    else if (form.run)
      fmt::print(" {}",
                 form.run->trajectory.reason.substr(0, form.run->trajectory.reason.find('\n')));
    fmt::print("\n");
  }
  for (const Form& form : forms)
    if (!form.words.empty()) fmt::print("  {}: {}\n", form.name, fmt::join(form.words, "; "));
}

}  // namespace

daedal::invert::ClassicalForm read_classical_form(const model::Option& option) {
  daedal::invert::ClassicalForm form;
  if (option.text.empty()) return form;
  const std::string& word = option.word.empty() ? option.text : option.word;
  const auto& names = reduction_names();
  const auto found = std::find(names.begin(), names.end(), word);
  if (found == names.end()) {
    const std::string near = nearest_name(word, names);
    fault(option.place, fmt::format("unknown formulation '{}' of an inverse model", word),
          near.empty() ? fmt::format("there are {}", fmt::join(names, ", "))
                       : fmt::format("did you mean '{}'?", near));
  }
  form.reduction.reduction = static_cast<daedal::invert::Reduction>(found - names.begin());
  for (const model::Option& o : option.options) {
    if (o.name == "pole" && form.reduction.reduction == daedal::invert::Reduction::baumgarte)
      form.reduction.pole = number_in(o, 1e-6, 1e9, false);
    else if (o.name == "scaling")
      form.scaling = static_cast<int>(number_in(o, 0, 6, true));
    else if (o.name == "residual")
      form.residual = number_in(o, 1e-16, 1, false);
    else
      fault(o.name_place, fmt::format("the formulation '{}' has no option '{}'", word, o.name),
            fmt::format(
                "options: {}scaling, residual",
                form.reduction.reduction == daedal::invert::Reduction::baumgarte ? "pole, " : ""));
  }
  return form;
}

int compare_forms(const daedal::invert::InverseModel& inverse, const solve::ConsistentPoint& start,
                  const Request& request, const Arguments& a, double until) {
  const model::Model& m = *inverse.dae->model;
  const structure::Point point = solve::point_of(inverse.problem, start);
  const bool with_runs = !request.method.text.empty();
  std::optional<solve::Method> method;
  double every = 0;
  solve::Trajectory exact;
  if (with_runs) {
    method = read_method(request);
    const double step = solve::step_length(*method);
    every = step * std::max(1.0, std::ceil((until - start.t) / step / most_rows));
    solve::SimulateOptions options;
    options.method = solve::TaylorOptions{.tolerance = 1e-12};
    options.until = until;
    options.every = every;
    options.global_error = false;
    exact = solve::simulate(inverse.problem, start, options);
  }
  std::vector<Form> forms;
  for (std::size_t k = 0; k < reduction_names().size(); ++k) {
    Form form{reduction_names()[k]};
    daedal::invert::ClassicalForm written = read_classical_form(request.formulation);
    written.reduction.reduction = static_cast<daedal::invert::Reduction>(k);
    try {
      const auto reduced = daedal::invert::reduce(inverse, point, written.reduction);
      form.index = structure::examine(reduced.dae).index;
      form.unknowns = reduced.dae->unknowns.size();
      form.words = reduced.words;
      const structure::Point at = point_of(reduced, point);
      for (const double step : steps)
        form.condition.push_back(daedal::invert::newton_condition(*reduced.dae, at, step));
      if (method) {
        form.run = daedal::invert::step_through(
            inverse, start, *method, until, every,
            {.backend = a.backend == "tape" ? compile::Backend::tape : compile::Backend::native},
            written);
        form.error = largest_error(m, form.run->trajectory.table, exact.table);
      }
    } catch (const ModelError& error) {
      form.obstacle = error.diagnostics().front().message;
    }
    forms.push_back(std::move(form));
  }
  if (a.json)
    print_json(a, to_json(forms));
  else
    print(forms, m, with_runs);
  return 0;
}

}  // namespace daedal::cli
