// The arena and its hash table. Equal nodes are one node, so subexpressions are shared as they are
// built; what the builders simplify on the way is in simplify.cpp.
#include "daedal/expr/graph.hpp"

#include "daedal/base/progress.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <stdexcept>
#include <utility>

namespace daedal::expr {
namespace {

constexpr std::size_t initial_table = 64;
constexpr std::size_t nodes_between_stops = 1024;  // about 0.1 ms
// Above this filling, runs of occupied places get long.
constexpr std::size_t fill_numerator = 5, fill_denominator = 8;

// Finaliser of MurmurHash3: every input bit reaches every output bit.
std::uint64_t scramble(std::uint64_t x) {
  x = (x ^ (x >> 33)) * 0xff51afd7ed558ccdULL;
  x = (x ^ (x >> 33)) * 0xc4ceb9fe1a85ec53ULL;
  return x ^ (x >> 33);
}

std::size_t hash_of(const Node& node) {
  const std::uint64_t head = (std::uint64_t{node.a} << 32) | (std::uint64_t{node.aux} << 8) |
                             static_cast<std::uint64_t>(node.op);
  const std::uint64_t tail = (std::uint64_t{node.b} << 32) | node.c;
  return static_cast<std::size_t>(scramble(head + 0x9e3779b97f4a7c15ULL * scramble(tail)));
}

}  // namespace

Graph::Graph() : table_(initial_table, nowhere) {}

Graph::Graph(std::shared_ptr<const Graph> parent)
    : parent_(std::move(parent)),
      base_(parent_->size()),
      spline_base_(parent_->spline_count()),
      table_(initial_table, nowhere) {}

double Graph::constant_value(Expr e) const {
  const Node& n = node(e);
  assert(n.op == Op::constant);
  return std::bit_cast<double>((std::uint64_t{n.b} << 32) | n.a);
}

bool Graph::is_constant(Expr e, double value) const {
  return is_constant(e) && constant_value(e) == value;
}

Leaf Graph::leaf_of(Expr e) const {
  const Node& n = node(e);
  assert(n.op == Op::leaf);
  return {n.a, n.aux};
}

bool Graph::extends(const Graph& other) const {
  const Graph* graph = this;
  while (graph != &other) {
    if (graph->parent_ == nullptr || graph->parent_->size() != graph->base_) return false;
    graph = graph->parent_.get();
  }
  return true;
}

// ---- splines

const PiecewisePolynomial& Graph::spline(std::uint16_t index) const {
  return index < spline_base_ ? parent_->spline(index) : splines_[index - spline_base_];
}

std::uint16_t Graph::spline_count() const {
  return static_cast<std::uint16_t>(spline_base_ + splines_.size());
}

std::uint16_t Graph::add_spline(PiecewisePolynomial polynomial) {
  for (std::uint16_t i = 0; i < spline_count(); ++i) {
    if (spline(i) == polynomial) return i;
  }
  if (spline_count() == 0xffff) throw std::invalid_argument("a graph holds at most 65535 splines");
  splines_.push_back(std::move(polynomial));
  return static_cast<std::uint16_t>(spline_count() - 1);
}

// ---- hash-consing

Expr Graph::intern(const Node& node) {
  const std::uint32_t known = find(node);
  if (known != nowhere) return {known};
  if (size() == nowhere)
    throw std::length_error("an expression graph holds at most 2^32 - 1 nodes");
  if (nodes_.size() % nodes_between_stops == 0) stop_point();
  const std::uint32_t id = size();
  nodes_.push_back(node);
  if (nodes_.size() * fill_denominator > table_.size() * fill_numerator) {
    grow();
  } else {
    enter(id);
  }
  return {id};
}

// a + b and b + a are one node, whichever came first. The operands are not sorted: their order
// would then follow the symbols' numbers, and instances of one shape would come out in different
// shapes.
Expr Graph::intern_commutative(Node node) {
  std::swap(node.a, node.b);
  const std::uint32_t swapped = find(node);
  if (swapped != nowhere) return {swapped};
  std::swap(node.a, node.b);
  return intern(node);
}

std::uint32_t Graph::find(const Node& node) const {
  const std::size_t hash = hash_of(node);
  const int operands = arity(node.op);
  std::uint32_t newest = operands > 0 ? node.a : 0;
  if (operands > 1) newest = std::max(newest, node.b);
  if (operands > 2) newest = std::max(newest, node.c);
  std::uint32_t visible =
      nowhere;  // what a parent gained after its child was made is not the child's
  for (const Graph* graph = this; graph != nullptr; graph = graph->parent_.get()) {
    const std::uint32_t id = graph->find_here(node, hash);
    if (id < visible) return id;
    if (newest >= graph->base_) break;  // a node is younger than its operands
    visible = graph->base_;
  }
  return nowhere;
}

std::uint32_t Graph::find_here(const Node& node, std::size_t hash) const {
  const std::size_t mask = table_.size() - 1;
  for (std::size_t place = hash & mask; table_[place] != nowhere; place = (place + 1) & mask) {
    if (nodes_[table_[place] - base_] == node) return table_[place];
  }
  return nowhere;
}

void Graph::enter(std::uint32_t id) {
  const std::size_t mask = table_.size() - 1;
  std::size_t place = hash_of(nodes_[id - base_]) & mask;
  while (table_[place] != nowhere) place = (place + 1) & mask;
  table_[place] = id;
}

void Graph::grow() {
  table_.assign(2 * table_.size(), nowhere);
  for (std::uint32_t id = base_; id < size(); ++id) enter(id);
}

}  // namespace daedal::expr
