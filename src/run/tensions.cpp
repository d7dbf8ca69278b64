#include "run/tensions.hpp"

#include "daedal/units/dimension.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace daedal::solve {

namespace {

using expr::Expr;
using expr::Op;

struct SignedTerm {
  Expr value;
  bool negative = false;
};

/// The terms of a sum of sums.
std::vector<SignedTerm> terms_of(const expr::Graph& graph, Expr sum) {
  std::vector<SignedTerm> terms, open{{sum, false}};
  while (!open.empty()) {
    const SignedTerm term = open.back();
    open.pop_back();
    const expr::Node& node = graph.node(term.value);
    switch (node.op) {
      case Op::neg:
        open.push_back({Expr{node.a}, !term.negative});
        break;
      case Op::add:
        open.push_back({Expr{node.a}, term.negative});
        open.push_back({Expr{node.b}, term.negative});
        break;
      case Op::sub:
        open.push_back({Expr{node.a}, term.negative});
        open.push_back({Expr{node.b}, !term.negative});
        break;
      default:
        if (graph.is_constant(term.value) && graph.constant_value(term.value) < 0)
          terms.push_back({term.value, !term.negative});  // x^2 - 4 is x^2 + (-4)
        else
          terms.push_back(term);
    }
  }
  return terms;
}

/// r of r^2; of a 4 that is a square length 2.
std::optional<Expr> root_of(expr::Graph& graph, Expr square) {
  const expr::Node node = graph.node(square);
  if (node.op == Op::powi && static_cast<std::int16_t>(node.aux) == 2) return Expr{node.a};
  if (node.op == Op::mul && node.a == node.b) return Expr{node.a};
  if (node.op == Op::constant)
    return graph.unary(Op::sqrt, graph.constant(std::abs(graph.constant_value(square))));
  return std::nullopt;
}

bool moves(const model::Model& model, const expr::Graph& graph, Expr e) {
  const std::vector<expr::Leaf> leaves = expr::leaves(graph, std::span(&e, 1));
  return std::any_of(leaves.begin(), leaves.end(),
                     [&](expr::Leaf leaf) { return model.symbols[leaf.symbol].is_position(); });
}

struct Length {
  Expr value;
  bool subtracted = false;  // |r|^2 - l^2
};

/// The one root on a side, where the squares on the other side move. Of two squares the length is the one that does not move.
std::optional<Length> length_in(const model::Model& model, expr::Graph& graph, Expr residual) {
  std::vector<Expr> sides[2];  // added, subtracted
  for (const SignedTerm& term : terms_of(graph, residual)) {
    const std::optional<Expr> root = root_of(graph, term.value);
    if (!root) return std::nullopt;
    sides[term.negative ? 1 : 0].push_back(*root);
  }
  std::optional<Length> found;
  for (const int side : {0, 1}) {
    const std::vector<Expr>&length = sides[side], &others = sides[1 - side];
    const bool of_positions =
        std::any_of(others.begin(), others.end(), [&](Expr e) { return moves(model, graph, e); });
    if (length.size() != 1 || !of_positions) continue;
    if (others.size() == 1 && moves(model, graph, length.front())) continue;
    if (found) return std::nullopt;
    found = Length{length.front(), side == 1};
  }
  return found;
}

bool acts_per_length(const std::string& unit) {
  constexpr model::Rational squared = 2;
  const std::optional<model::Unit> read = model::parse_unit(unit);
  return read &&
         read->dimension == model::dimensions::energy / model::dimensions::length.to_the(squared);
}

/// The equations of a mode in which the constraint does not act may not contain its length.
Expr with_known_parameters(const model::Model& model, const compile::Layout& layout,
                           expr::Graph& graph, Expr e) {
  const expr::LeafMap known = [&](expr::Leaf leaf) -> std::optional<Expr> {
    const model::Symbol& symbol = model.symbols[leaf.symbol];
    if (symbol.kind != model::SymbolKind::parameter || layout.find(leaf) != compile::absent)
      return std::nullopt;
    return graph.constant(symbol.value);
  };
  return expr::copy(graph, std::span(&e, 1), graph, known).front();
}

bool is_in(const compile::Layout& layout, const expr::Graph& graph, Expr e) {
  const std::vector<expr::Leaf> leaves = expr::leaves(graph, std::span(&e, 1));
  return std::ranges::all_of(leaves,
                             [&](expr::Leaf leaf) { return layout.find(leaf) != compile::absent; });
}

}  // namespace

Tensions tensions_of(const model::Model& model, const compile::Layout& layout) {
  auto graph = std::make_shared<expr::Graph>(model.graph);
  Tensions tensions;
  std::vector<expr::Term> terms;
  for (const model::Relation& constraint : model.constraints) {
    const std::optional<Length> length = length_in(model, *graph, constraint.residual);
    const model::Symbol& multiplier = model.symbols[constraint.multiplier];
    if (!length || !acts_per_length(multiplier.unit)) continue;
    const Expr size =
        graph->mul(graph->unary(Op::abs, length->value), graph->leaf({constraint.multiplier, 0}));
    const Expr tension = with_known_parameters(
        model, layout, *graph, graph->mul(graph->constant(length->subtracted ? -2 : 2), size));
    if (!is_in(layout, *graph, tension)) continue;
    terms.push_back({tension, static_cast<std::uint32_t>(terms.size())});
    tensions.columns.push_back({multiplier.name + ".tension", "N", ColumnKind::tension});
  }
  tensions.values.rows = static_cast<std::uint32_t>(terms.size());
  if (!terms.empty()) tensions.values.families.push_back(expr::identity_family(graph, terms));
  return tensions;
}

}  // namespace daedal::solve
