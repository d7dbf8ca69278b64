#include "daedal/model/command_limits.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <span>

namespace daedal::model {

namespace {

using expr::Expr;
using expr::Op;

using Range = std::pair<double, double>;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr Range unlimited{-infinity, infinity};

/// A number that stays as it is during a run.
std::optional<double> fixed_number(const Model& model, Expr e) {
  for (const expr::Leaf& leaf : expr::leaves(*model.graph, std::span(&e, 1)))
    if (model.varies(leaf.symbol) || model.symbols[leaf.symbol].held) return std::nullopt;
  const double value = expr::evaluate(*model.graph, std::span(&e, 1), [&](expr::Leaf leaf) {
    return model.symbols[leaf.symbol].value;
  })[0];
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

/// What a delay of whole samples passes on: the next value of the memory that the command is.
std::optional<Expr> before_delay(const Model& model, const Controller& controller, Expr e) {
  if (model.graph->node(e).op != Op::leaf) return std::nullopt;
  const expr::Leaf leaf = model.graph->leaf_of(e);
  for (const Update& state : controller.states)
    if (leaf.order == 0 && state.symbol == leaf.symbol) return state.value;
  return std::nullopt;
}

Range intersection(const Range& a, const Range& b) {
  return {std::max(a.first, b.first), std::min(a.second, b.second)};
}

/// max(low, min(x, high)), as saturate and pid write it, the operands in either order.
Range range_of(const Model& model, const Controller& controller, Expr e, std::size_t depth) {
  if (const std::optional<double> number = fixed_number(model, e)) return unlimited;
  const expr::Node& node = model.graph->node(e);
  if (node.op == Op::neg) {
    const Range range = range_of(model, controller, Expr{node.a}, depth);
    return {-range.second, -range.first};
  }
  if (depth > 0)
    if (const std::optional<Expr> earlier = before_delay(model, controller, e))
      return range_of(model, controller, *earlier, depth - 1);
  if (node.op != Op::max && node.op != Op::min) return unlimited;
  for (const auto& [bound, rest] : {std::pair(node.a, node.b), std::pair(node.b, node.a)})
    if (const std::optional<double> value = fixed_number(model, Expr{bound}))
      return intersection(node.op == Op::max ? Range{*value, infinity} : Range{-infinity, *value},
                          range_of(model, controller, Expr{rest}, depth));
  return unlimited;
}

bool is_input(const Model& model, Expr e, expr::SymbolId input) {
  return model.graph->node(e).op == Op::leaf && model.graph->leaf_of(e) == expr::Leaf{input, 0};
}

}  // namespace

std::pair<double, double> command_limits(const Model& model, const Controller& controller,
                                         const Command& command) {
  Range range = range_of(model, controller, command.value, controller.states.size());
  for (const LimitRange& limit : model.limits) {
    if (!is_input(model, limit.value, command.input)) continue;
    range = intersection(range, {fixed_number(model, limit.low).value_or(-infinity),
                                 fixed_number(model, limit.high).value_or(infinity)});
  }
  return range;
}

}  // namespace daedal::model
