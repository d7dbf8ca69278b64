// The expression graph: scalar, hash-consed, append-only.
//
// A node's children have smaller ids than the node, so every walk is a loop over ids and no walk recurses (chains of
// 10^5 nodes occur). A graph may have a frozen parent: ids below the parent's size are the parent's nodes, so a later
// step (derivation, formulation) adds its own nodes without touching what others share.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace daedal::expr {

/// Identifies a symbol (time, parameter, coordinate, input, ...) of the table the graph belongs to.
using SymbolId = std::uint32_t;
inline constexpr SymbolId time_symbol = 0;

/// A node of some graph. Plain value; meaningless without its graph.
struct Expr {
  std::uint32_t id = 0;
  friend auto operator<=>(const Expr&, const Expr&) = default;
};

/// The `order`-th time derivative of a symbol: what an expression's leaves are.
struct Leaf {
  SymbolId symbol = 0;
  std::uint16_t order = 0;
  friend auto operator<=>(const Leaf&, const Leaf&) = default;
};

enum class Op : std::uint8_t {
  constant,  // a and b are the low and high halves of the value's bits, so equal bits are one node
  leaf,      // a = symbol, aux = order
  // one operand
  neg,
  sqrt,
  exp,
  log,
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  sinh,
  cosh,
  tanh,
  abs,
  sign,
  floor,
  logical_not,
  powi,  // operand^aux, aux a signed 16-bit integer
  rest_to_rest,  // b-th derivative (with respect to its argument) of the rest-to-rest polynomial of smoothness aux
  spline,  // b-th derivative of the piecewise polynomial number aux of the graph's table
  // two operands
  add,
  sub,
  mul,
  div,
  pow,
  atan2,
  min,
  max,
  mod,
  less,
  less_equal,
  logical_and,
  logical_or,  // 1 or 0
  // three operands: a ? b : c
  select,
};

struct Node {
  Op op = Op::constant;
  std::uint16_t aux = 0;
  std::uint32_t a = 0, b = 0, c = 0;
  friend bool operator==(const Node&, const Node&) = default;
};

/// How many of a, b, c are child nodes.
int arity(Op op);

/// A piecewise polynomial in one variable, constant beyond its ends: x_k <= x < x_{k+1} uses
/// coefficients[k*(degree+1) ...] of powers of (x - x_k).
struct PiecewisePolynomial {
  std::vector<double> breaks;
  std::vector<double> coefficients;
  int degree = 0;
  int smoothness = 0;  // continuous derivatives at the breaks
  double value(double x, int derivative) const;
  friend bool operator==(const PiecewisePolynomial&, const PiecewisePolynomial&) = default;
};

class Graph {
 public:
  Graph();
  explicit Graph(std::shared_ptr<const Graph> parent);

  // --- reading
  std::uint32_t size() const { return base_ + static_cast<std::uint32_t>(nodes_.size()); }
  const Node& node(Expr e) const { return e.id < base_ ? parent_->node(e) : nodes_[e.id - base_]; }
  double constant_value(Expr e) const;  // node must be a constant
  bool is_constant(Expr e) const { return node(e).op == Op::constant; }
  bool is_constant(Expr e, double value) const;
  Leaf leaf_of(Expr e) const;  // node must be a leaf
  const PiecewisePolynomial& spline(std::uint16_t index) const;
  std::uint16_t spline_count() const;
  /// Whether every node of `other` is a node of this graph under the same id: itself or a forebear.
  bool extends(const Graph& other) const;

  // --- building; each returns an existing node when there is one. Simplification on the way never changes a value
  // beyond rounding: constants fold, x+0, x*1, x*0 (the graph's values are finite where they are used), --x, x-x, ...
  Expr constant(double value);
  Expr leaf(Leaf leaf);
  Expr neg(Expr a);
  Expr add(Expr a, Expr b);
  Expr sub(Expr a, Expr b);
  Expr mul(Expr a, Expr b);
  Expr div(Expr a, Expr b);
  Expr powi(Expr a, int exponent);
  Expr pow(Expr a, Expr b);  // an integer constant exponent becomes powi, 0.5 becomes sqrt
  Expr unary(Op op, Expr a);
  Expr binary(Op op, Expr a, Expr b);
  Expr select(Expr condition, Expr when_true, Expr when_false);
  Expr rest_to_rest(Expr s, int smoothness, int derivative = 0);
  Expr spline(std::uint16_t index, Expr x, int derivative = 0);
  std::uint16_t add_spline(PiecewisePolynomial polynomial);
  /// The node `prototype` with its children replaced (used by substitution and copying between graphs).
  Expr rebuild(const Node& prototype, Expr a, Expr b, Expr c);

 private:
  static constexpr std::uint32_t nowhere = 0xffffffff;

  Expr intern(const Node& node);
  Expr intern_commutative(Node node);
  std::uint32_t find(const Node& node) const;  // an id, or nowhere
  std::uint32_t find_here(const Node& node, std::size_t hash) const;
  void enter(std::uint32_t id);
  void grow();

  Expr fold(const Node& node);
  bool is_scaled(Expr e) const;
  bool absorbs(Expr e, double factor) const;
  Expr scale(double factor, Expr e);
  Expr merge_coefficients(Expr a, Expr b);
  Expr divide_by_constant(Expr a, double divisor);
  Expr logical(const Node& node);

  std::shared_ptr<const Graph> parent_;
  std::uint32_t base_ = 0;
  std::uint16_t spline_base_ = 0;
  std::vector<Node> nodes_;
  std::vector<PiecewisePolynomial> splines_;  // numbering continues the parent's
  std::vector<std::uint32_t>
      table_;  // open addressing: ids of nodes_, or nowhere; a power of two long
};

/// The value of one node, given those of its operands: the definition of every operation. Back ends agree with it bit
/// for bit: min(a, b) = b < a ? b : a, max(a, b) = a < b ? b : a, mod(a, b) = a - b*floor(a/b), sign(a) = (0 < a) - (a < 0),
/// truth is "not 0"; `graph` holds the splines. Leaves and constants are not operations and must not be asked for.
double apply(const Graph& graph, const Node& node, double a, double b, double c);

/// base^exponent by binary powering from the lowest bit, 1/(base^-exponent) for a negative exponent; base^0 = 1.
double integer_power(double base, int exponent);

/// Smoothness up to which rest_to_rest is offered; far beyond, even binom(2m, m) leaves the range of a double.
inline constexpr int max_smoothness = 400;
/// Value of the rest-to-rest polynomial s_m (smoothness m) or of its derivative: 0 before s = 0, 1 after s = 1, and in
/// between (2m+1) binom(2m, m) times the integral of (x (1 - x))^m from 0 to s. Derivatives are 0 outside [0, 1] and
/// one-sided at its ends.
double rest_to_rest_value(double s, int smoothness, int derivative);

}  // namespace daedal::expr
