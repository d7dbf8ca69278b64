// Families: one small expression, instantiated many times.
//
// A mechanism repeats itself: 10 000 disks have 10 000 kinetic energies of one shape. A Family keeps the shape once (a
// graph over *slots*) together with, for every instance, which symbol each slot stands for and to which row each output
// is added. A Function is a sum of families; energies, residuals, Jacobians and constraints are all Functions, and every
// symbolic operation works on the shape, once. A term that occurs once lives in the family whose shape is written in the
// global symbols themselves ("rest"), where shared subexpressions stay shared.
#pragma once

#include "daedal/expr/calculus.hpp"
#include "daedal/expr/graph.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace daedal::expr {

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

/// Sparse Jacobian d f / d columns, as a Function whose rows are the nonzeros of the pattern.
struct SparseFunction {
  std::uint32_t rows = 0, columns = 0;
  // compressed rows: entries of row i are pattern positions row_start[i] .. row_start[i+1]
  std::vector<std::uint32_t> row_start;
  std::vector<std::uint32_t> column;  // sorted within a row
  Function values;                    // values.rows == column.size()
};
/// `column_of` tells the column of a leaf, or no_row when the leaf is not a variable.
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
