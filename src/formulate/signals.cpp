#include "formulate/signals.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace daedal::formulate {

using expr::Expr;
using expr::Leaf;
using expr::Op;

namespace {

/// How often a signal may be differentiated until it contains impulses: one more than its continuous derivatives.
int differentiable(const expr::Graph& graph, Expr signal) {
  int allowed = 1000;
  const Expr roots[] = {signal};
  for (const Expr e : expr::reachable(graph, roots)) {
    const expr::Node& node = graph.node(e);
    int smoothness = 1000;
    if (node.op == Op::rest_to_rest) smoothness = node.aux;
    if (node.op == Op::spline) smoothness = graph.spline(node.aux).smoothness;
    if (node.op == Op::abs || node.op == Op::min || node.op == Op::max) smoothness = 0;
    if (node.op == Op::sign || node.op == Op::floor || node.op == Op::mod || node.op == Op::select)
      smoothness = -1;
    allowed = std::min(allowed, smoothness + 1);
  }
  return allowed;
}

}  // namespace

expr::Function input_signals(const model::Model& model, const std::vector<Leaf>& needed) {
  auto graph = std::make_shared<expr::Graph>(model.graph);
  const expr::VariesInTime varies = [&](expr::SymbolId s) { return model.varies(s); };
  std::vector<expr::Term> terms;
  Diagnostics diagnostics;
  for (std::size_t i = 0; i < needed.size(); ++i) {
    const auto input =
        std::find_if(model.inputs.begin(), model.inputs.end(),
                     [&](const model::InputDefault& d) { return d.input == needed[i].symbol; });
    std::vector<Expr> value{input->value};
    const model::Symbol& symbol = model.symbols[needed[i].symbol];
    if (const int allowed = differentiable(*graph, value[0]); needed[i].order > allowed)
      diagnostics.error(
          symbol.place,
          fmt::format("the signal of input '{}' is not smooth enough: the equations contain {}, "
                      "and its derivative {} is an impulse",
                      symbol.name, model::name_of(symbol, needed[i].order), allowed + 1),
          fmt::format("give a signal with at least {} continuous derivatives",
                      needed[i].order - 1));
    for (int k = 0; k < needed[i].order; ++k) value = expr::time_derivative(*graph, value, varies);
    terms.push_back({value[0], static_cast<std::uint32_t>(i)});
  }
  diagnostics.throw_if_errors();
  expr::Function result;
  result.rows = static_cast<std::uint32_t>(needed.size());
  if (!terms.empty()) result.families.push_back(expr::identity_family(graph, terms));
  return result;
}

}  // namespace daedal::formulate
