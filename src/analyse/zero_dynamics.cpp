#include "asked.hpp"
#include "daedal/analyse/normal_form.hpp"
#include "daedal/start/prepare.hpp"
#include "disturbed_start.hpp"
#include "state_names.hpp"

namespace daedal::analysis {

derive::Dae zero_dynamics(const derive::Dae& forward, const std::vector<std::string>& outputs,
                          const Equilibrium& rest, const StateValues& disturbance) {
  derive::Dae asked = with_outputs(forward, outputs);
  auto m = std::make_shared<model::Model>(*asked.model);
  const auto graph = std::make_shared<expr::Graph>(m->graph);
  for (model::Relation& servo : m->servos) {
    const expr::Expr output = servo.output.value_or(servo.residual);
    const double held = expr::evaluate(*graph, std::vector{output}, point_of(rest))[0];
    servo.residual = graph->sub(output, graph->constant(held));
    servo.output = output;
    servo.desired = graph->constant(held);
  }
  m->graph = graph;
  asked.model = std::move(m);
  return derive::inverse(*starting_at(asked, rest, disturbance));
}

model::Model with_open_constraints(const model::Model& closed) {
  model::Model m = closed;
  const auto graph = std::make_shared<expr::Graph>(m.graph);
  m.servos.clear();
  for (const model::Relation& constraint : closed.constraints) {
    m.symbols[constraint.multiplier].kind = model::SymbolKind::input;
    m.inputs.push_back({constraint.multiplier, graph->constant(0)});
    m.loads.push_back(
        {graph->leaf({constraint.multiplier, 0}), constraint.residual, constraint.place});
    m.servos.push_back({constraint.name, constraint.residual, constraint.place});
  }
  m.constraints.clear();
  m.graph = graph;
  return m;
}

Eigen::VectorXd internal_rate(const derive::Dae& zero_dynamics,
                              const std::vector<std::string>& internal,
                              const Eigen::VectorXd& eta) {
  derive::Dae dae = zero_dynamics;
  auto m = std::make_shared<model::Model>(*dae.model);
  std::vector<expr::Leaf> leaves;
  for (std::size_t k = 0; k < internal.size(); ++k) {
    leaves.push_back(state_named(*m, internal[k]));
    set_start(*m, leaves.back(), eta[static_cast<Eigen::Index>(k)], true);
  }
  dae.model = std::move(m);
  const solve::Prepared prepared =
      solve::prepare(std::make_shared<const derive::Dae>(std::move(dae)), {});
  Eigen::VectorXd rate(eta.size());
  for (std::size_t k = 0; k < leaves.size(); ++k) {
    const formulate::Problem& p = prepared.problem;
    const std::uint32_t next = p.next[p.layout.find(leaves[k]) - p.state_position(0)];
    rate[static_cast<Eigen::Index>(k)] = next <= p.states
                                             ? prepared.start.states[next - 1]
                                             : prepared.start.tops[next - 1 - p.states];
  }
  return rate;
}

}  // namespace daedal::analysis
