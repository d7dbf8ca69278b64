#include "daedal/expr/walk.hpp"

#include "daedal/base/progress.hpp"
#include "daedal/expr/graph.hpp"

#include <algorithm>

namespace daedal::expr {
namespace {

// A dense set of ids is sorted in linear time by marking them on a strip; a sparse one by
// comparison.
void sort_ids(std::vector<Expr>& nodes) {
  if (nodes.empty()) return;
  const auto [lowest, highest] = std::minmax_element(nodes.begin(), nodes.end());
  const std::uint32_t first = lowest->id;
  const std::size_t range = std::size_t{highest->id} - first + 1;
  if (range > 16 * nodes.size()) {
    std::sort(nodes.begin(), nodes.end());
    return;
  }
  std::vector<char> present(range, 0);
  for (const Expr e : nodes) present[e.id - first] = 1;
  std::size_t next = 0;
  for (std::size_t i = 0; i < range; ++i) {
    if (present[i]) nodes[next++].id = first + static_cast<std::uint32_t>(i);
  }
}

}  // namespace

Walk::Walk(const Graph& graph, std::span<const Expr> roots) {
  stop_point();
  const auto meet = [&](Expr e) {
    if (positions_.insert(e.id, 0)) nodes_.push_back(e);
  };
  for (const Expr root : roots) meet(root);
  for (std::size_t i = 0; i < nodes_.size(); ++i) {  // nodes_ is the queue
    for (const Expr child : operands(graph.node(nodes_[i]))) meet(child);
  }
  sort_ids(nodes_);
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    positions_.set(nodes_[i].id, static_cast<std::uint32_t>(i));
  }
}

std::vector<Expr> reachable(const Graph& graph, std::span<const Expr> roots) {
  return Walk(graph, roots).nodes();
}

std::vector<Leaf> leaves(const Graph& graph, std::span<const Expr> roots) {
  std::vector<Leaf> found;
  for (const Expr e : reachable(graph, roots)) {
    if (graph.node(e).op == Op::leaf) found.push_back(graph.leaf_of(e));
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace daedal::expr
