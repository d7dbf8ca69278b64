// From a model to a trajectory: structure, start, method, run, verdict.
#include "daedal/task/simulate.hpp"

#include "daedal/integrate/stabilisation.hpp"
#include "daedal/task/options.hpp"
#include "figures_of_merit.hpp"
#include "lifting.hpp"
#include "redundancy.hpp"
#include "start_at.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace daedal {
inline namespace task {

namespace {

/// It came to its end, and nothing speaks against it.
bool succeeded(const solve::Trajectory& t) {
  return t.status == solve::Status::completed && !t.trust.in_doubt();
}

bool has_coordinates(const Simulation& s) {
  const model::Symbols& symbols = s.problem.dae->model->symbols;
  return std::any_of(symbols.begin(), symbols.end(), [](const model::Symbol& symbol) {
    return symbol.kind == model::SymbolKind::coordinate;
  });
}

/// Of positions; in a model that has none of variables.
double largest_position_error(const Simulation& s) {
  const ColumnKind wanted = has_coordinates(s) ? ColumnKind::coordinate : ColumnKind::variable;
  double largest = 0;
  for (const solve::GlobalError::Column& column : s.trajectory.global_error.columns)
    if (column.kind == wanted) largest = std::max(largest, column.largest);
  return largest;
}

/// "Completed: 5 s of motion in 583 steps; the constraints hold to 4.4e-16, ...", or why there is no more.
std::string verdict_of(const Simulation& s) {
  const solve::Trajectory& t = s.trajectory;
  if (t.status != solve::Status::completed) return t.reason;
  if (t.trust.in_doubt())
    return fmt::format("{} after t = {:.4g} s: {}.",
                       t.trust.level == solve::Trust::Level::none ? "Not to be trusted"
                                                                  : "No estimate of the error",
                       t.trust.until, t.trust.reason);
  std::string text = fmt::format("Completed: {:g} s of motion in {} steps of {}", s.options.until,
                                 t.statistics.accepted, t.method);
  std::string separator = "; ";
  const auto add = [&](const std::string& words) {
    text += separator + words;
    separator = ", ";
  };
  if (!t.constraints.constraint.empty())
    add(fmt::format("the constraints hold to {:.1e}", t.constraints.largest));
  if (t.energy.known) add(fmt::format("the energy balance to {:.1e} J", t.energy.largest_error));
  if (t.global_error.known())
    add(fmt::format("{} are off by about {:.1e}", has_coordinates(s) ? "positions" : "variables",
                    largest_position_error(s)));
  return text + ".";
}

void judge(Simulation& s) {
  const solve::Trajectory& t = s.trajectory;
  const bool quiet = t.warnings.empty() && s.start.warnings.empty();
  s.holds = succeeded(t);
  s.reason = t.reason;
  s.interrupted = t.status == solve::Status::interrupted;
  s.verdict = verdict_of(s);
  s.tone = !s.holds ? emit::Tone::bad : quiet ? emit::Tone::good : emit::Tone::doubtful;
  s.warnings.insert(s.warnings.end(), s.start.warnings.begin(), s.start.warnings.end());
  s.warnings.insert(s.warnings.end(), t.warnings.begin(), t.warnings.end());
}

}  // namespace

Simulation simulate(const Model& model, const SimulateOptions& asked) {
  const StopScope stoppable(asked.watch.stop);
  Simulation result(model);
  result.warnings = model.warnings();
  result.experiment = asked.experiment;
  result.title = title_of(model, asked.experiment);
  solve::SimulateOptions& options = result.options;
  options.method = method_of(asked.method, asked.tolerance, asked.step);
  formulate::Formulation formulation = formulation_of(asked.formulation, *model.lifted().dae);
  result.mechanism = form_for(model, formulation.kind, options.method, result.warnings);
  solve::PrepareOptions prepare;
  prepare.redundant_constraints = asked.redundant_constraints;
  result.start_values = prepare.start.values = asked.start;
  std::vector<solve::Move> to_equilibrium;
  if (asked.start == solve::StartValues::equilibrium) {
    result.mechanism =
        at_equilibrium(model, result.mechanism, asked.redundant_constraints, to_equilibrium);
    prepare.start.values = solve::StartValues::rest;
  }
  const Mechanism& form = result.mechanism;
  solve::Prepared prepared;
  with_cut_joints(model, [&] {
    formulation = solve::settled(form.dae, formulation, options.method, prepare);
    prepared = solve::prepare(form.dae, formulation, prepare);
  });
  result.problem = std::move(prepared.problem);
  result.start = std::move(prepared.start);
  if (asked.start == solve::StartValues::equilibrium)
    result.start.moves = std::move(to_equilibrium);  // from the model's own start values
  options.until = end_time(asked.until, result.problem);
  options.every = every_of(asked.every);
  options.global_error = asked.global_error;
  options.history = asked.history;
  options.seed = asked.seed;
  options.compile.backend = asked.backend;
  options.watch = asked.watch;
  if (std::vector<Diagnostic> faults = solve::check(options); !faults.empty())
    throw ModelError(std::move(faults));
  result.trajectory = solve::simulate(result.problem, result.start, options);
  if (const model::Model& own = *result.mechanism.model; !own.controllers.empty())
    result.figures = figures_of_merit(own, result.trajectory, asked.reference);
  judge(result);
  return result;
}

}  // namespace task
}  // namespace daedal
