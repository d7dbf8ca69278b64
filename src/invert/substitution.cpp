// Direct substitution: the desired motion in place of coordinates [Druecker2022, (3.76)-(3.81)].
//
// A servo-constraint that contains a coordinate x_j linearly is solved for it, x_j = X(z_d, other coordinates): an output
// that is a coordinate gives x_j = z_d itself, any other takes the place of x_j among the coordinates. X, X' and X'' are put in
// everywhere; servo-constraint and coordinate are eliminated, and the index is lower by 2.
#include "servo_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace daedal::inversion {

using expr::Expr;
using expr::Leaf;

namespace {

struct Choice {
  Leaf coordinate;
  Expr factor;
  double size = -1;    // |factor| at the start
  bool alone = false;  // the servo-constraint contains no other coordinate
};

/// A servo-constraint of positions alone, as far as substitutions before it have left it.
bool of_positions(ServoRows& rows, Expr servo, const std::vector<expr::SymbolId>& unknowns) {
  const Expr roots[] = {servo};
  for (const Leaf leaf : expr::leaves(rows.graph(), roots)) {
    const bool unknown = std::find(unknowns.begin(), unknowns.end(), leaf.symbol) != unknowns.end();
    if (unknown && (leaf.order > 0 || rows.highest(leaf.symbol) == 0)) return false;
  }
  return true;
}

/// The coordinate to eliminate: one that occurs alone, else the one with the largest factor, constant ones first.
Choice choose(ServoRows& rows, Expr servo, const std::vector<expr::SymbolId>& unknowns) {
  const std::vector<Expr> roots{servo};
  std::vector<Leaf> coordinates;
  for (const Leaf leaf : expr::leaves(rows.graph(), roots))
    if (std::find(unknowns.begin(), unknowns.end(), leaf.symbol) != unknowns.end())
      coordinates.push_back(leaf);
  Choice best;
  bool best_constant = false;
  for (const expr::JacobianEntry& e : expr::jacobian(rows.graph(), roots, coordinates)) {
    const Expr factor[] = {e.value};
    const Leaf leaf = coordinates[e.column];
    const std::vector<Leaf> in_factor = expr::leaves(rows.graph(), factor);
    const double size = std::abs(rows.value(e.value));
    if (std::find(in_factor.begin(), in_factor.end(), leaf) != in_factor.end() || !(size > 0))
      continue;
    const bool constant = rows.graph().is_constant(e.value);
    if (best.size > 0 &&
        (best_constant ? !constant || size <= best.size : !constant && size <= best.size))
      continue;
    best = {leaf, e.value, size, coordinates.size() == 1};
    best_constant = constant;
  }
  return best;
}

}  // namespace

ReducedModel substituted(ServoRows& rows) {
  const derive::Dae& dae = rows.dae();
  const model::Model& m = *dae.model;
  expr::Graph& graph = rows.graph();
  std::vector<Expr> all = rows.rows();
  std::vector<expr::SymbolId> unknowns = dae.unknowns;
  std::vector<bool> gone(all.size());
  ReducedModel result;
  std::string obstacle;
  for (std::uint32_t i = rows.first_servo(); i < all.size(); ++i) {
    const std::string& name = dae.equations[i].name;
    if (!of_positions(rows, all[i], unknowns)) {
      obstacle = fmt::format("'{}' contains more than positions", name);
      continue;
    }
    const Choice choice = choose(rows, all[i], unknowns);
    if (choice.size < 0) {
      obstacle = fmt::format("'{}' contains no coordinate linearly", name);
      continue;
    }
    const expr::SymbolId symbol = choice.coordinate.symbol;
    const Expr rest = rows.with({all[i]}, {{choice.coordinate, graph.constant(0)}})[0];
    std::map<Leaf, Expr> places;
    Expr value = graph.neg(graph.div(rest, choice.factor));
    for (int order = 0; order <= rows.highest(symbol); ++order) {
      if (order > 0) value = rows.derivative(value, 1);
      const Leaf leaf{symbol, static_cast<std::uint16_t>(order)};
      places[leaf] = value;
      for (auto& [other, in_terms] : result.replaced)
        in_terms = rows.with({in_terms}, {{leaf, value}})[0];
      result.replaced.emplace_back(leaf, value);
    }
    all = rows.with(all, places);
    gone[i] = true;
    unknowns.erase(std::find(unknowns.begin(), unknowns.end(), symbol));
    const std::string& coordinate = m.symbols[symbol].name;
    result.words.push_back(
        choice.alone ? fmt::format("the motion of '{}' is put in for {}", name, coordinate)
                     : fmt::format("'{}' takes the place of the coordinate {}", name, coordinate));
  }
  if (result.replaced.empty())
    refuse_reduction(m, fmt::format("substitution is not possible: {}", obstacle),
                     "write the outputs as coordinates, or take formulation = projection");
  if (!obstacle.empty()) result.words.push_back(obstacle + " and stays as it is");
  std::vector<Expr> equations;
  std::vector<derive::Equation> names;
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    if (gone[i]) continue;
    equations.push_back(all[i]);
    names.push_back(dae.equations[i]);
  }
  derive::Dae reduced = rows.make(equations, std::move(names), std::move(unknowns));
  std::map<Leaf, Expr> places(result.replaced.begin(), result.replaced.end());
  std::vector<expr::Term> outputs;
  for (const Expr output : rows.with(expr::expand(dae.outputs, graph), places))
    outputs.push_back({output, static_cast<std::uint32_t>(outputs.size())});
  reduced.outputs.families.clear();
  if (!outputs.empty())
    reduced.outputs.families.push_back(expr::identity_family(rows.shared_graph(), outputs));
  result.dae = std::make_shared<const derive::Dae>(std::move(reduced));
  result.graph = rows.shared_graph();
  return result;
}

}  // namespace daedal::inversion
