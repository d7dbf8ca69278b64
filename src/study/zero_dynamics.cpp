// What moves while the outputs are held at their values at rest.
#include "daedal/analyse/normal_form.hpp"
#include "daedal/study/motions.hpp"
#include "daedal/task/asked.hpp"
#include "daedal/task/json.hpp"
#include "disturbance.hpp"

#include <fmt/format.h>

#include <utility>

namespace daedal {
inline namespace task {

struct ZeroDynamics::Details {
  std::shared_ptr<const derive::Dae> dae;  // with its outputs held
};

ZeroDynamics zero_dynamics(const Model& model, const ZeroDynamicsOptions& asked_for) {
  const StopScope stoppable(asked_for.watch.stop);
  ZeroDynamics answer(model);
  const Asked asked = asked_of(model, asked_for.redundant_constraints, asked_for.outputs);
  answer.warnings = asked.warnings;
  const analysis::Equilibrium rest = rest_of(asked, asked_for.free);
  const auto zero = std::make_shared<const derive::Dae>(
      analysis::zero_dynamics(*asked.dae, asked_for.outputs, rest, by_name(asked_for.disturb)));
  const solve::Prepared prepared = solve::prepare(zero, {});
  solve::SimulateOptions options;
  options.until = asked_for.until;
  options.watch = asked_for.watch;
  if (std::vector<Diagnostic> faults = solve::check(options); !faults.empty())
    throw ModelError(std::move(faults));
  answer.trajectory = solve::simulate(prepared.problem, prepared.start, options);
  const solve::Trajectory& run = answer.trajectory;
  for (const expr::SymbolId s : zero->unknowns) {
    const model::Symbol& symbol = zero->model->symbols[s];
    if (run.table.find(symbol.name) && symbol.kind != model::SymbolKind::multiplier)
      answer.rest.push_back({symbol.name, rest.values[s]});
  }
  answer.holds = run.status == solve::Status::completed;
  answer.reason = run.reason;
  answer.interrupted = run.status == solve::Status::interrupted;
  answer.verdict = answer.holds ? fmt::format(
                                      "Zero dynamics over {:g} s: what moves while the outputs are "
                                      "held at their values at rest.",
                                      run.table.at(run.table.rows() - 1, 0))
                                : run.reason;
  answer.tone = answer.holds ? emit::Tone::good : emit::Tone::bad;
  answer.details_ = std::make_shared<const ZeroDynamics::Details>(ZeroDynamics::Details{zero});
  return answer;
}

std::string ZeroDynamics::summary() const {
  const Table& table = trajectory.table;
  std::string text =
      fmt::format("{}: zero dynamics, outputs held at their values at rest\n", title) +
      fmt::format("  {:<24} {:>16} {:>16} {:>16}\n", "", "at rest", "start", "end");
  for (const NamedNumber& one : rest) {
    const std::size_t c = *table.find(one.name);
    text += fmt::format("  {:<24} {:>16.8g} {:>16.8g} {:>16.8g}\n", one.name, one.value,
                        table.at(0, c), table.at(table.rows() - 1, c));
  }
  if (!reason.empty()) text += fmt::format("  {}\n", reason);
  return text;
}

Json ZeroDynamics::json() const {
  const Table& table = trajectory.table;
  nlohmann::ordered_json json{{"model", model.name()}, {"completed", holds}, {"reason", reason}};
  for (std::size_t c = 0; c < table.width(); ++c)
    json["end"][table.columns()[c].name] = table.at(table.rows() - 1, c);
  return {std::move(json)};
}

void ZeroDynamics::illustrate(emit::Report& page) const {
  emit::add_trajectory(page, *details_->dae->model, trajectory);
}

}  // namespace task
}  // namespace daedal
