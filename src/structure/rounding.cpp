#include "daedal/structure/rounding.hpp"

#include "daedal/expr/walk.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace daedal::structure {

using expr::Expr;
using expr::Node;
using expr::Op;

namespace {

/// |d node / d operand| by a difference: good enough for a bound.
double slope(const expr::Graph& graph, const Node& node, const double operand[3], int which) {
  double left[3] = {operand[0], operand[1], operand[2]}, right[3] = {left[0], left[1], left[2]};
  const double h = 1e-6 * std::max(1.0, std::abs(operand[which]));
  left[which] -= h;
  right[which] += h;
  const double difference = expr::apply(graph, node, right[0], right[1], right[2]) -
                            expr::apply(graph, node, left[0], left[1], left[2]);
  return std::isfinite(difference) ? std::abs(difference) / (2 * h) : 0;
}

Rounded rounded(const expr::Graph& graph, const Node& node, const Rounded operand[3]) {
  const double x[3] = {operand[0].value, operand[1].value, operand[2].value};
  Rounded result{expr::apply(graph, node, x[0], x[1], x[2]), 0};
  switch (node.op) {
    case Op::neg:
      return {result.value, operand[0].bound};
    case Op::add:
    case Op::sub:
      result.bound = operand[0].bound + operand[1].bound;
      break;
    case Op::mul:
      result.bound = std::abs(x[0]) * operand[1].bound + std::abs(x[1]) * operand[0].bound;
      break;
    case Op::div:
      result.bound =
          (operand[0].bound + std::abs(result.value) * operand[1].bound) / std::abs(x[1]);
      break;
    case Op::powi:
      if (x[0] != 0)
        result.bound =
            std::abs(static_cast<std::int16_t>(node.aux) * result.value / x[0]) * operand[0].bound;
      break;
    case Op::select:
      result.bound = operand[x[0] != 0 ? 1 : 2].bound;
      break;
    default:
      for (int k = 0; k < expr::arity(node.op); ++k)
        result.bound += slope(graph, node, x, k) * operand[k].bound;
  }
  result.bound += std::abs(result.value);
  return result;
}

}  // namespace

bool Rounded::vanishes() const {
  constexpr double caution = 16;
  return std::abs(value) <= caution * std::numeric_limits<double>::epsilon() * bound;
}

RoundedRows::RoundedRows(const expr::Graph& graph, std::span<const Expr> roots) : graph_(&graph) {
  const expr::Walk walk(graph, roots);
  nodes_ = walk.nodes();
  operands_.resize(nodes_.size());
  for (std::size_t n = 0; n < nodes_.size(); ++n) {
    std::size_t k = 0;
    for (const Expr operand : expr::operands(graph.node(nodes_[n])))
      operands_[n][k++] = walk.position(operand);
  }
  for (const Expr root : roots) roots_.push_back(walk.position(root));
}

std::vector<Rounded> RoundedRows::at(const Point& point) const {
  std::vector<Rounded> value(nodes_.size());
  for (std::size_t n = 0; n < nodes_.size(); ++n) {
    const Node& node = graph_->node(nodes_[n]);
    if (node.op == Op::constant) {
      const double v = graph_->constant_value(nodes_[n]);
      value[n] = {v, std::abs(v)};
    } else if (node.op == Op::leaf) {
      const double v = point(graph_->leaf_of(nodes_[n]));
      value[n] = {v, std::abs(v)};
    } else {
      Rounded operand[3];
      for (int k = 0; k < expr::arity(node.op); ++k) operand[k] = value[operands_[n][k]];
      value[n] = rounded(*graph_, node, operand);
    }
  }
  std::vector<Rounded> result;
  result.reserve(roots_.size());
  for (const std::uint32_t root : roots_) result.push_back(value[root]);
  return result;
}

std::vector<Rounded> evaluate_rounded(const expr::Graph& graph, std::span<const Expr> roots,
                                      const Point& point) {
  return RoundedRows(graph, roots).at(point);
}

std::vector<Rounded> evaluate_rounded(const derive::Dae& dae, const expr::Function& f,
                                      const Point& point) {
  expr::Graph graph(dae.model->graph);
  const std::vector<Expr> rows = expr::expand(f, graph);
  return evaluate_rounded(graph, rows, point);
}

}  // namespace daedal::structure
