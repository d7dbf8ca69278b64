// Minimal extension [AltmannBetschYang2016]: a servo-constraint and its derivatives s, s', ..., s^(r) together.
//
// They are r equations too many, so r derivatives of a coordinate x_d that depends on the output become unknowns of their own,
//     x_d^(m-r+1), ..., x_d^(m)  ->  p_1, ..., p_r:
// algebraic ones, which nothing says are derivatives, except that all equations together leave them no other choice.
#include "servo_rows.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace daedal::inversion {

using expr::Expr;
using expr::Leaf;

ReducedModel extended(ServoRows& rows) {
  const derive::Dae& dae = rows.dae();
  std::vector<Expr> highest;
  std::vector<std::uint32_t> servos;
  for (std::uint32_t i = rows.first_servo(); i < rows.rows().size(); ++i)
    if (const int k = rows.missing(i); k > 0) {
      highest.push_back(rows.derivative(rows.rows()[i], k));
      servos.push_back(i);
    }
  if (servos.empty())
    refuse_reduction(*dae.model,
                     "there is nothing to extend: no servo-constraint can be differentiated",
                     "formulation = original");
  const Pivots pivots = largest_pivots(rows.by_tops(highest));
  if (pivots.rows.size() < servos.size())
    refuse_reduction(*dae.model, "at the start the outputs do not move independently",
                     "start from another pose, or formulation = original");

  auto model = std::make_shared<model::Model>(*dae.model);
  ReducedModel result;
  std::vector<expr::SymbolId> unknowns = dae.unknowns;
  std::map<Leaf, Expr> places;
  for (std::size_t n = 0; n < pivots.rows.size(); ++n) {
    const Leaf top = rows.tops()[pivots.columns[n]];
    const int r = rows.missing(servos[pivots.rows[n]]);
    for (int order = top.order - r + 1; order <= top.order; ++order) {
      const Leaf leaf{top.symbol, static_cast<std::uint16_t>(order)};
      const auto symbol = static_cast<expr::SymbolId>(model->symbols.size());
      model::Symbol stand_in = model->symbols[top.symbol];
      stand_in.name = "free " + model::name_of(stand_in, order);
      stand_in.kind = model::SymbolKind::variable;
      model->symbols.push_back(stand_in);
      unknowns.push_back(symbol);
      result.stand_ins.emplace_back(symbol, leaf);
      places[leaf] = rows.graph().leaf({symbol, 0});
      result.words.push_back(fmt::format("{} is an unknown of its own",
                                         model::name_of(model->symbols[top.symbol], order)));
    }
  }
  std::vector<Expr> equations = rows.rows();
  std::vector<derive::Equation> names = dae.equations;
  for (const std::uint32_t i : servos)
    for (int k = 1; k <= rows.missing(i); ++k) {
      equations.push_back(rows.derivative(rows.rows()[i], k));
      names.push_back(dae.equations[i]);
      names.back().name += std::string(static_cast<std::size_t>(k), '\'');
    }
  result.dae = std::make_shared<const derive::Dae>(
      rows.make(rows.with(equations, places), std::move(names), std::move(unknowns), model));
  return result;
}

}  // namespace daedal::inversion
