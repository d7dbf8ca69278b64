// From a model to its portrait, and what is asked for beside it.
#include "daedal/study/analyse.hpp"

#include "analysis_details.hpp"
#include "daedal/control/loop_margins.hpp"
#include "daedal/run/columns.hpp"
#include "daedal/task/asked.hpp"
#include "daedal/task/spectrum.hpp"
#include "margins.hpp"
#include "matrices.hpp"

#include <utility>

namespace daedal {
inline namespace task {

namespace {

std::vector<NamedNumber> values_at(const analysis::Equilibrium& e, const derive::Dae& dae) {
  const model::Model& m = *dae.model;
  std::vector<NamedNumber> values;
  for (const expr::SymbolId s : dae.unknowns) {
    const Column column = solve::column_of(m, {s, 0});
    values.push_back({column.name, column.turned(e.values[s])});
  }
  for (const model::InputDefault& input : m.inputs)
    values.push_back({m.symbols[input.input].name, e.values[input.input]});
  return values;
}

void state(Analysis& a, const analysis::Portrait& p, const derive::Dae& dae) {
  a.found = true;
  a.equilibrium = values_at(p.equilibrium, dae);
  a.linear = plain(p.linear);
  a.poles = values_of(p.poles);
  a.stability = analysis::stability_word(p.stability.side);
  if (p.controllability) a.controllable = p.controllability->rank;
  if (p.observability) a.observable = p.observability->rank;
  if (p.system_zeros) a.zeros = values_of(p.system_zeros->zeros);
  if (p.input_output) {
    const analysis::InputOutput& io = *p.input_output;
    a.zeros = values_of(io.zeros);
    a.phase = io.defined_here() ? analysis::phase_word(io.margin.side) : "not defined here";
    a.relative_degree = io.degree.outputs;
  }
  a.verdict = p.verdict;
  a.change = p.change;
  a.doubts = p.disagreements;
  const bool unstable = p.input_output && p.input_output->margin.side == analysis::Side::right;
  a.tone = a.doubts.empty() && !unstable ? emit::Tone::good : emit::Tone::doubtful;
}

/// The loops of continuous controllers, opened; none where they are unstable when closed.
std::vector<feedback::OpenedLoop> loops_of(const analysis::Portrait& p, const model::Model& m) {
  std::vector<std::string> controllers;
  for (const model::Controller& controller : m.controllers)
    if (controller.period == 0) controllers.push_back(controller.name);
  if (controllers.empty() || p.stability.side == analysis::Side::right) return {};
  return feedback::opened_loops(controllers, p.linear);
}

void refuse(Analysis& a, const analysis::Portrait& p, const derive::Dae& dae) {
  a.faults = {analysis::no_equilibrium(dae, p.equilibrium)};
  a.holds = false;
  a.reason = a.verdict = a.faults[0].message;
  a.tone = emit::Tone::bad;
}

}  // namespace

Analysis analyse(const Model& model, const AnalyseOptions& options) {
  const StopScope stoppable(options.watch.stop);
  Analysis a(model);
  const Asked asked = asked_of(model, options.redundant_constraints, options.outputs);
  a.warnings = asked.warnings;
  const auto details = std::make_shared<Analysis::Details>();
  details->dae = asked.dae;
  analysis::PortraitOptions portrait;
  portrait.equilibrium.free_inputs = inputs_named(*asked.dae->model, options.free);
  portrait.outputs = options.outputs;
  options.watch.check();
  details->portrait = analysis::portrait(asked.dae, portrait);
  const analysis::Portrait& p = details->portrait;
  a.details_ = details;
  if (!p.equilibrium.found) {
    refuse(a, p, *asked.dae);
    return a;
  }
  state(a, p, *asked.dae);
  options.watch.check();
  details->loops = loops_of(p, *asked.dae->model);
  for (const feedback::OpenedLoop& loop : details->loops)
    a.margins.push_back(plain(loop.input, feedback::loop_margins(loop.loop)));
  details->statics = analysis::static_stability(*asked.dae, p.equilibrium);
  options.watch.check();
  if (options.reduce) {
    details->reduction = reduction_of(p.linear, *options.reduce, options.reduction);
    a.reduced = plain(details->reduction->reduced);
  }
  options.watch.check();
  if (options.directions) details->directions = directions_of(p);
  options.watch.check();
  if (options.response) {
    details->response = response_of(p.linear, *options.response, options.nyquist);
    a.response = response_table(p.linear, details->response->values);
  }
  return a;
}

}  // namespace task
}  // namespace daedal
