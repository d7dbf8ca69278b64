// Formulations of an inverse model compared.
#include "daedal/invert/formulations.hpp"
#include "daedal/stepper/step_program.hpp"
#include "daedal/structure/examine.hpp"
#include "daedal/task/compare.hpp"
#include "daedal/task/options.hpp"
#include "inverse_form.hpp"
#include "inverter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace daedal {
inline namespace task {

namespace {

using nlohmann::ordered_json;

constexpr std::uint64_t most_rows = 10'000;

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

/// A method of fixed step in every form, against Taylor series.
class Trial {
 public:
  Trial(const Inversion::Details& d, const InvertOptions& asked)
      : d_(d),
        method_(method_of(asked.method, asked.tolerance, asked.step)),
        backend_(asked.backend == compile::Backend::tape ? asked.backend
                                                         : compile::Backend::native) {
    solve::step_formula(method_);  // throws for methods without an implicit step of fixed length
    const double step = solve::step_length(method_);
    every_ = step * std::max(1.0, std::ceil((d.options.until - d.start.t) / step / most_rows));
    solve::SimulateOptions options;
    options.method = solve::TaylorOptions{.tolerance = 1e-12};
    options.until = d.options.until;
    options.every = every_;
    options.global_error = false;
    exact_ = solve::simulate(d.inverse.problem, d.start, options);
  }

  InverseForm::Run run(const inversion::ClassicalForm& form) const {
    const inversion::SteppedInversion stepped = inversion::step_through(
        d_.inverse, d_.start, method_, d_.options.until, every_, {.backend = backend_}, form);
    return {stepped.trajectory.status == solve::Status::completed, stepped.trajectory.reason,
            largest_error(*d_.inverse.dae->model, stepped.trajectory.table, exact_.table),
            stepped.most_iterations, stepped.times.median};
  }

 private:
  const Inversion::Details& d_;
  solve::Method method_;
  compile::Backend backend_;
  double every_ = 0;
  solve::Trajectory exact_;
};

InverseForm form_of(const Inversion::Details& d, const structure::Point& point, std::string name,
                    const inversion::ClassicalForm& written, const std::optional<Trial>& trial) {
  InverseForm form;
  form.name = std::move(name);
  try {
    const auto reduced = inversion::reduce(d.inverse, point, written.reduction);
    form.index = structure::examine(reduced.dae).index;
    form.unknowns = reduced.dae->unknowns.size();
    form.words = reduced.words;
    const structure::Point at = point_of(reduced, point);
    for (const double step : InverseForms::steps)
      form.condition.push_back(inversion::newton_condition(*reduced.dae, at, step));
    if (trial) form.run = trial->run(written);
  } catch (const ModelError& error) {
    form.obstacle = error.diagnostics().front().message;
  }
  return form;
}

/// The same beginning as an inversion, and its warnings.
Inverter examined(const Model& model, const InvertOptions& options) {
  Inverter inverter(model, options);
  inverter.redefine();
  inverter.find_class();
  return inverter;
}

}  // namespace

InverseForms compare_inverse_forms(const Model& model, const InvertOptions& options) {
  const StopScope stoppable(options.watch.stop);
  Inverter inverter = examined(model, options);
  const Inversion::Details& d = inverter.details();
  InverseForms result(model);
  result.warnings = inverter.answer().warnings;
  const structure::Point point = solve::point_of(d.inverse.problem, d.start);
  inversion::ClassicalForm written = classical_form_of(options.formulation);
  std::optional<Trial> trial;
  if (options.method.made()) trial.emplace(d, options);
  const std::vector<std::string>& names = inversion::reduction_names();
  for (std::size_t k = 0; k < names.size(); ++k) {
    options.watch.tell(static_cast<double>(k) / static_cast<double>(names.size()), names[k]);
    written.reduction.reduction = static_cast<inversion::Reduction>(k);
    result.forms.push_back(form_of(d, point, names[k], written, trial));
  }
  return result;
}

std::string InverseForms::summary() const {
  const bool with_runs = std::any_of(forms.begin(), forms.end(),
                                     [](const InverseForm& form) { return form.run.has_value(); });
  std::string text = fmt::format(
      "{}: the inverse model in every formulation; condition of Newton's matrix at the start by "
      "step\n  {:18} {:>5} {:>8}",
      title, "", "index", "unknowns");
  for (const double step : steps) text += fmt::format(" {:>8}", fmt::format("{:g} s", step));
  if (with_runs)
    text += fmt::format(" {:>10} {:>10} {:>9}", "error of u", "iterations", "step [us]");
  text += "\n";
  for (const InverseForm& form : forms) {
    text += fmt::format("  {:18}", form.name);
    if (!form.obstacle.empty()) {
      text += fmt::format(" {}\n", form.obstacle);
      continue;
    }
    text += fmt::format(" {:>5} {:>8}", form.index, form.unknowns);
    for (const double condition : form.condition) text += fmt::format(" {:>8.1e}", condition);
    if (form.run && form.run->completed)
      text += fmt::format(" {:>10.3e} {:>10} {:>9.3g}", form.run->error, form.run->most_iterations,
                          1e6 * form.run->median_step_time);
    else if (form.run)
      text += " " + form.run->reason.substr(0, form.run->reason.find('\n'));
    text += "\n";
  }
  for (const InverseForm& form : forms)
    if (!form.words.empty())
      text += fmt::format("  {}: {}\n", form.name, fmt::join(form.words, "; "));
  return text;
}

Json InverseForms::json() const {
  ordered_json json{{"model", model.name()}, {"forms", ordered_json::array()}};
  for (const InverseForm& form : forms) {
    ordered_json row{{"formulation", form.name}};
    if (!form.obstacle.empty()) {
      row["obstacle"] = form.obstacle;
    } else {
      row["index"] = form.index;
      row["unknowns"] = form.unknowns;
      row["condition"] = ordered_json::array();
      for (std::size_t k = 0; k < form.condition.size(); ++k)
        row["condition"].push_back({{"step", steps[k]}, {"condition", form.condition[k]}});
      row["words"] = form.words;
      if (form.run)
        row["run"] = {{"status", form.run->completed ? "completed" : "stopped"},
                      {"error", form.run->error},
                      {"most_iterations", form.run->most_iterations},
                      {"median_step_time", form.run->median_step_time}};
    }
    json["forms"].push_back(std::move(row));
  }
  return {std::move(json)};
}

StableFormulations compare_stable_formulations(const Model& model, const InvertOptions& asked) {
  const StopScope stoppable(asked.watch.stop);
  Inverter inverter = examined(model, asked);
  const Inversion::Details& d = inverter.details();
  if (inverter.answer().phase != Phase::non_minimum)
    fault({},
          fmt::format("model '{}': {}: stable inversion is not needed", model.name(), d.dynamics),
          "leave `formulations` out; `variants` compares what a method with fixed step solves");
  inversion::FormulationsOptions options;
  options.step = asked.step;
  options.before = asked.before;
  options.after = asked.after;
  options.compile.backend = asked.backend;
  options.watch = asked.watch;
  const inversion::Formulations found = compare_formulations(d.inverse, options);
  StableFormulations result(model);
  result.warnings = inverter.answer().warnings;
  result.begin = found.times.front();
  result.end = found.times.back();
  result.step = found.step;
  result.largest_input = found.largest;
  for (const inversion::Formulation& one : found.all)
    result.formulations.push_back(
        {one.name, one.obstacle, one.unknowns, one.iterations, one.seconds, one.error});
  return result;
}

std::string StableFormulations::summary() const {
  std::string text = fmt::format(
      "{}: stable inversion in six formulations, {:.4g} s to {:.4g} s, Simpson's rule with {:.4g} "
      "s; inputs up to {:.6g}\n",
      title, begin, end, step, largest_input);
  double fastest = 0;
  for (const StableFormulation& one : formulations)
    if (one.obstacle.empty() && (fastest == 0 || one.seconds < fastest)) fastest = one.seconds;
  text += fmt::format("  {:11} {:>8} {:>10} {:>10} {:>9} {:>6}\n", "", "unknowns", "iterations",
                      "error of u", "time [ms]", "ratio");
  for (const StableFormulation& one : formulations)
    if (one.obstacle.empty())
      text +=
          fmt::format("  {:11} {:>8} {:>10} {:>10.1e} {:>9.3g} {:>6.1f}\n", one.name, one.unknowns,
                      one.iterations, one.error, 1e3 * one.seconds, one.seconds / fastest);
    else
      text += fmt::format("  {:11} {}\n", one.name, one.obstacle);
  return text +
         "  bvp: conditions at the ends from the modes; opt: the motion nearest to rest, by Ipopt; "
         "idopt: the same by its necessary conditions\n"
         "  ode: internal dynamics alone; dae: the inverse model, servo-constraints on the level "
         "of accelerations\n";
}

Json StableFormulations::json() const {
  ordered_json json{{"model", model.name()},
                    {"begin", begin},
                    {"end", end},
                    {"step", step},
                    {"largest_input", largest_input},
                    {"formulations", ordered_json::array()}};
  for (const StableFormulation& one : formulations) {
    ordered_json row{{"formulation", one.name}};
    if (!one.obstacle.empty())
      row["obstacle"] = one.obstacle;
    else
      row.update({{"unknowns", one.unknowns},
                  {"iterations", one.iterations},
                  {"time", one.seconds},
                  {"error", one.error}});
    json["formulations"].push_back(std::move(row));
  }
  return {std::move(json)};
}

}  // namespace task
}  // namespace daedal
