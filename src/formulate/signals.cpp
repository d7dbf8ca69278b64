#include "daedal/formulate/signals.hpp"

#include "daedal/formulate/smoothness.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace daedal::formulate {

using expr::Expr;
using expr::Leaf;

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
    // one derivative more than the continuous ones jumps; the next contains impulses
    if (const int allowed = continuous_derivatives(model, value[0], needed[i].order) + 1;
        needed[i].order > allowed)
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
