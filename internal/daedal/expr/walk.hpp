// Walking a part of a graph: the nodes under some roots, children first.
#pragma once

#include "daedal/expr/graph.hpp"
#include "daedal/expr/id_map.hpp"

#include <array>
#include <span>
#include <vector>

namespace daedal::expr {

/// The operands of a node, as a range.
struct Operands {
  std::array<Expr, 3> children;
  int count = 0;
  const Expr* begin() const { return children.data(); }
  const Expr* end() const { return children.data() + count; }
};
inline Operands operands(const Node& node) {
  return {{Expr{node.a}, Expr{node.b}, Expr{node.c}}, arity(node.op)};
}

/// Nodes reachable from the roots in increasing order, and the position of each in that order.
class Walk {
 public:
  Walk(const Graph& graph, std::span<const Expr> roots);

  const std::vector<Expr>& nodes() const { return nodes_; }
  std::size_t size() const { return nodes_.size(); }
  Expr operator[](std::size_t position) const { return nodes_[position]; }
  std::uint32_t position(Expr e) const { return positions_.find(e.id); }

 private:
  std::vector<Expr> nodes_;
  IdMap positions_;
};

}  // namespace daedal::expr
