// Gaussian elimination written out as expressions: A x = b for a fixed order of pivots.
//
//     r = 1/p,   l_i = a_i r,   a_ij <- a_ij - l_i a_pj,   b_i <- b_i - l_i b_p,   x from the bottom up.
// Structural zeros and constants fold in the graph, so a sparse system costs only its fill. The pivot order is chosen
// with numbers at a sample point: smallest Markowitz cost among the entries that pass threshold partial pivoting
// [DuffErismanReid2017], constants first, because a constant pivot cannot vanish at another point.
//
// Pivots frozen at one point can be bad at another. The elimination therefore carries a monitor,
//     sum of (l_i w_i)^2 over the multipliers + sum of (p_sample / p)^2 over the pivots,
// with weights w that undo the scale of the rows: about the number of pivots at the sample, large or not a number where
// the frozen order loses digits. A sum of squares, unlike a maximum, cannot lose a NaN on the way.
#pragma once

#include "daedal/expr/graph.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace daedal::compile {

/// A square sparse system of expressions, and the matrix as numbers at the sample point.
struct SymbolicSystem {
  std::uint32_t size = 0;
  std::span<const std::uint32_t> row_start, column;  // compressed rows
  std::span<const expr::Expr> matrix;                // by pattern position
  std::span<const expr::Expr> right_hand_side;
  std::span<const double> sample;  // matrix values, by pattern position
};

struct Elimination {
  std::vector<expr::Expr> solution;
  expr::Expr monitor;
  /// The factors, for further right-hand sides, in the order resolve_solution reads them; constants among them too.
  std::vector<expr::Expr> factors;
  struct Update {
    std::uint32_t row = 0, factor = 0;
  };
  struct Pivot {
    std::uint32_t row = 0, column = 0, reciprocal = 0;  // reciprocal: index of the factor 1/p
    std::vector<Update> below;                          // rows that got -l times the pivot row
    std::vector<Update> right;                          // columns of the pivot row, factor u
  };
  std::vector<Pivot> pivots;
};

/// Nothing when the matrix is singular at the sample or when more than `limit` nodes would be added to the graph.
/// `fixed` returns whether an expression keeps its value while the system is solved again and again.
std::optional<Elimination> eliminate(expr::Graph& graph, const SymbolicSystem& system,
                                     const std::function<bool(expr::Expr)>& fixed,
                                     std::uint32_t limit);

/// x as expressions in the factors (leaf of symbol k: factors[k]) and b (leaf of symbol factors.size() + i); factors
/// that are constants of `from` are constants.
std::vector<expr::Expr> resolve_solution(const Elimination& elimination, const expr::Graph& from,
                                         expr::Graph& graph);

}  // namespace daedal::compile
