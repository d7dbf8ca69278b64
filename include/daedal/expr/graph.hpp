// The expression graph: scalar, hash-consed, append-only.
//
// A node's children have smaller ids than the node, so every walk is a loop over ids and no walk recurses (chains of
// 10^5 nodes occur). A graph may have a frozen parent: ids below the parent's size are the parent's nodes, so a later
// step (derivation, formulation) adds its own nodes without touching what others share.
#pragma once

#include "daedal/expr/operation.hpp"

#include <compare>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
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

struct Node {
  Op op = Op::constant;
  std::uint16_t aux = 0;
  std::uint32_t a = 0, b = 0, c = 0;
  friend bool operator==(const Node&, const Node&) = default;
};

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
  /// Whether every node of `other` is a node of this graph under the same id: itself or an ancestor.
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
/// truth is "not 0"; `graph` holds the splines. Leaves and constants are not operations and must not be passed.
double apply(const Graph& graph, const Node& node, double a, double b, double c);

/// base^exponent by binary powering from the lowest bit, 1/(base^-exponent) for a negative exponent; base^0 = 1.
double integer_power(double base, int exponent);

/// Smoothness up to which rest_to_rest is offered; far beyond, even binom(2m, m) leaves the range of a double.
inline constexpr int max_smoothness = 400;
/// Value of the rest-to-rest polynomial s_m (smoothness m) or of its derivative: 0 before s = 0, 1 after s = 1, and in
/// between (2m+1) binom(2m, m) times the integral of (x (1 - x))^m from 0 to s. Derivatives are 0 outside [0, 1] and
/// one-sided at its ends.
double rest_to_rest_value(double s, int smoothness, int derivative);

// Exact derivatives, substitution, evaluation: functions on graphs.

/// Nodes reachable from `roots`, in increasing (topological) order.
std::vector<Expr> reachable(const Graph& graph, std::span<const Expr> roots);
/// Leaves occurring in `roots`, sorted.
std::vector<Leaf> leaves(const Graph& graph, std::span<const Expr> roots);

/// Whether a symbol changes with time: parameters do not, everything else does.
using VariesInTime = std::function<bool(SymbolId)>;

/// Total time derivatives d/dt of `roots`: leaf (s, k) becomes (s, k+1), time becomes 1, constants and parameters 0.
std::vector<Expr> time_derivative(Graph& graph, std::span<const Expr> roots,
                                  const VariesInTime& varies);

/// Gradient of a scalar by reverse mode: d root / d leaf for each leaf of `with_respect_to`.
std::vector<Expr> gradient(Graph& graph, Expr root, std::span<const Leaf> with_respect_to);

/// One structurally nonzero entry of a Jacobian.
struct JacobianEntry {
  std::uint32_t row = 0;     // index into the functions
  std::uint32_t column = 0;  // index into the leaves
  Expr value;
};
/// Sparse Jacobian by forward mode, entries sorted by row, then column; entries that are identically zero are left out.
std::vector<JacobianEntry> jacobian(Graph& graph, std::span<const Expr> functions,
                                    std::span<const Leaf> with_respect_to);

/// Copies `roots` of `from` into `to`, with leaves mapped. When `from` is `to` (or its parent) it is a substitution.
using LeafMap = std::function<std::optional<Expr>(Leaf)>;  // nullopt: the same leaf in `to`
std::vector<Expr> copy(const Graph& from, std::span<const Expr> roots, Graph& to,
                       const LeafMap& map);

/// Values by plain double evaluation with the same elementary functions as the kernels (slow; for set-up and tests).
std::vector<double> evaluate(const Graph& graph, std::span<const Expr> roots,
                             const std::function<double(Leaf)>& value);

// Expressions as text (parsable by the model language) and as LaTeX.

/// The name of a leaf as the user would write it: "x", and "x'" for order 1. LaTeX asks for order 0 only and sets the dots.
using LeafName = std::function<std::string(Leaf)>;

/// Text in the model language, fewest brackets: it parses back to the same value, up to rounding. Shared nodes are written out each time they occur; above `limit`
/// characters the rest is replaced by "...", so that printing a large graph stays cheap.
std::string to_text(const Graph& graph, Expr e, const LeafName& name, std::size_t limit = 20000);
std::string to_latex(const Graph& graph, Expr e, const LeafName& name, std::size_t limit = 20000);
/// "phi[2]" with order 1 -> "\dot{\varphi}_{2}", "x_T" -> "x_{T}".
std::string latex_name(const std::string& name, int order);

// Families: one small expression, instantiated many times.
//
// A mechanism repeats itself: 10 000 disks have 10 000 kinetic energies of one shape. A Family keeps the shape once (a
// graph over *slots*) together with, for every instance, which symbol each slot denotes and to which row each output
// is added. A Function is a sum of families; energies, residuals, Jacobians and constraints are all Functions, and every
// symbolic operation works on the shape, once. A term that occurs once lives in the family whose shape is written in the
// global symbols themselves ("rest"), where shared subexpressions stay shared.

struct Family {
  std::shared_ptr<const Graph> graph;  // leaves are (slot, order)
  std::vector<Expr> outputs;
  std::uint32_t slots = 0;  // slot 0 is always time; 0 for an identity family
  std::uint32_t instances = 1;
  std::vector<SymbolId>
      symbols;  // [instance * slots + slot]; empty: the slots are the global symbols
  std::vector<std::uint32_t> rows;  // [instance * outputs.size() + output]; no_row drops the output

  static constexpr std::uint32_t no_row = 0xffffffff;

  bool identity() const { return symbols.empty(); }
  SymbolId symbol(std::uint32_t instance, SymbolId slot) const {
    return identity() ? slot : symbols[std::size_t{instance} * slots + slot];
  }
  std::uint32_t row(std::uint32_t instance, std::size_t output) const {
    return rows[std::size_t{instance} * outputs.size() + output];
  }
};

/// y = sum over families and instances, in this order: y[row] += output.
struct Function {
  std::uint32_t rows = 0;
  std::vector<Family> families;
};

/// A scalar term and the row it is added to.
struct Term {
  Expr value;
  std::uint32_t row = 0;
};
/// Groups terms of equal shape into families, in the order in which shapes first occur; terms of a shape that occurs
/// fewer than `min_instances` times go together into one identity family, the last. Whether a symbol varies in time is
/// part of the shape. Same terms, same families, whatever the machine.
Function gather(const std::shared_ptr<const Graph>& graph, std::span<const Term> terms,
                std::uint32_t rows, std::uint32_t symbol_count, const VariesInTime& varies,
                std::uint32_t min_instances = 8);

/// Terms that would share a shape but for their numbers, as in the sum of k*x[k]: where at least `min_instances` do, the
/// numbers that differ between them become symbols, which `symbol_of` makes from their values; numbers that are equal in
/// all of them, and terms that share their shape with enough others as they are, stay.
std::vector<Expr> lift_numbers(Graph& graph, std::span<const Expr> terms,
                               std::uint32_t symbol_count, const VariesInTime& varies,
                               const std::function<SymbolId(double)>& symbol_of,
                               std::uint32_t min_instances = 8);

/// One family of `terms` in the global symbols (nothing grouped).
Family identity_family(std::shared_ptr<const Graph> graph, std::span<const Term> terms);

/// d/dt of every row.
Function time_derivative(const Function& f, const VariesInTime& varies);

/// Leaves (global symbols) that occur in each row: the signature of a set of equations, as (row, leaf) sorted and unique.
struct Occurrence {
  std::uint32_t row = 0;
  Leaf leaf;
  friend auto operator<=>(const Occurrence&, const Occurrence&) = default;
};
std::vector<Occurrence> occurrences(const Function& f);

/// Where a sparse matrix has entries.
struct SparsePattern {
  std::uint32_t rows = 0, columns = 0;
  // compressed rows: entries of row i are pattern positions row_start[i] .. row_start[i+1]
  std::vector<std::uint32_t> row_start;
  std::vector<std::uint32_t> column;  // sorted within a row
  std::size_t entries() const { return column.size(); }
};
/// Sparse Jacobian d f / d columns, as a Function whose rows are the nonzeros of the pattern.
struct SparseFunction : SparsePattern {
  Function values;  // values.rows == entries()
};
/// `column_of` returns the column of a leaf, or no_row when the leaf is not a variable.
SparseFunction jacobian(const Function& f, std::uint32_t columns,
                        const std::function<std::uint32_t(Leaf)>& column_of);

/// f's rows written out as scalar expressions in one graph over global symbols (f's identity graphs are read, not
/// changed); `map` replaces leaves on the way.
std::vector<Expr> expand(const Function& f, Graph& to, const LeafMap& map = {});

/// Number of operations in one evaluation of all instances (for the choice between expanded and mapped kernels).
std::uint64_t operation_count(const Function& f);

/// f with row i moved to new_row[i] (no_row drops it); what no row needs any more is left out.
Function select_rows(const Function& f, std::span<const std::uint32_t> new_row, std::uint32_t rows);
/// a + b, families of a first; both have the same number of rows.
Function sum(const Function& a, const Function& b);

}  // namespace daedal::expr
