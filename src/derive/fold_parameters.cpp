#include "derive/fold_parameters.hpp"

#include "daedal/expr/graph.hpp"

#include <algorithm>

namespace daedal::derive {

namespace {

/// Every expression the model holds, in one order, so that they can be rewritten together.
template <class Visit>
void for_each_expression(model::Model& m, Visit visit) {
  for (auto* list : {&m.kinetic, &m.potential, &m.dissipation})
    for (model::EnergyTerm& term : *list) visit(term.value);
  for (model::VirtualWork& load : m.loads) {
    visit(load.force);
    visit(load.displacement);
  }
  for (model::LiftedLet& let : m.lifted) visit(let.value);
  for (auto* list : {&m.constraints, &m.equations, &m.servos})
    for (model::Relation& relation : *list) {
      visit(relation.residual);
      if (relation.output) visit(*relation.output);
      if (relation.desired) visit(*relation.desired);
    }
  for (model::Drive& drive : m.drives) visit(drive.residual);
  for (model::NamedValue& output : m.outputs) visit(output.value);
  for (model::InputDefault& input : m.inputs) visit(input.value);
  for (model::LimitRange& limit : m.limits) {
    visit(limit.value);
    visit(limit.low);
    visit(limit.high);
  }
  for (model::Event& event : m.events) {
    visit(event.condition);
    for (model::EventAction& action : event.actions)
      for (expr::Expr& value : action.values) visit(value);
  }
  for (model::Controller& controller : m.controllers) {
    for (auto* updates : {&controller.measured, &controller.states})
      for (model::Update& update : *updates) visit(update.value);
    for (model::Solved& solved : controller.solved)
      for (expr::Expr& residual : solved.residuals) visit(residual);
    for (model::Command& command : controller.commands) visit(command.value);
  }
  for (model::DrawItem& item : m.drawing) {
    for (auto& point : item.points)
      for (expr::Expr& e : point) visit(e);
    for (auto& [name, e] : item.options) visit(e);
  }
}

bool folds(const model::Symbol& symbol) {
  return symbol.kind == model::SymbolKind::parameter && symbol.value == 0 && !symbol.held;
}

}  // namespace

model::Model fold_zero_parameters(const model::Model& model, std::vector<expr::SymbolId>& folded) {
  model::Model result = model;
  std::vector<expr::Expr> roots;
  for_each_expression(result, [&](expr::Expr& e) { roots.push_back(e); });
  for (const expr::Leaf& leaf : expr::leaves(*model.graph, roots)) {
    const model::Symbol& symbol = model.symbols[leaf.symbol];
    if (folds(symbol)) folded.push_back(leaf.symbol);
  }
  if (folded.empty()) return result;
  std::sort(folded.begin(), folded.end());
  auto graph = std::make_shared<expr::Graph>(model.graph);
  const expr::Expr zero = graph->constant(0);
  const std::vector<expr::Expr> rewritten =
      expr::copy(*model.graph, roots, *graph, [&](expr::Leaf leaf) -> std::optional<expr::Expr> {
        const model::Symbol& symbol = model.symbols[leaf.symbol];
        if (folds(symbol)) return zero;
        return std::nullopt;
      });
  std::size_t next = 0;
  for_each_expression(result, [&](expr::Expr& e) { e = rewritten[next++]; });
  result.graph = graph;
  return result;
}

}  // namespace daedal::derive
