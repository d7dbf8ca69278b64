// The highest derivatives z of a filter's mechanism, A z = b, written out: what a simulated filter evaluates and what its C code does.
//
// The elimination has the pivots of the start (daedal/compile/elimination.hpp). Where its monitor shows that these lose digits,
// Gaussian elimination with row exchanges takes its place (solve_scaled in daedal/base/lu.hpp). Equations that are not linear in z
// are solved by Newton's method from the z before, each step in the same two ways.
#pragma once

#include "daedal/expr/graph.hpp"
#include "daedal/formulate/problem.hpp"
#include "daedal/system/system.hpp"

#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace daedal::feedback {

struct FilterMotion {
  static constexpr double growth_limit = 1e5;  // eleven of sixteen digits remain
  static constexpr int most_iterations = 25;   // of Newton's method, of which the
  static constexpr double settled = 1e-9;      // next correction is about the square of this one

  std::shared_ptr<const expr::Graph> graph;
  /// Without the integral of the power, which is no part of the motion: its row and column are the last.
  std::uint32_t size = 0;
  std::vector<expr::Expr> matrix;           // entries of Problem::top_matrix
  std::vector<expr::Expr> right_hand_side;  // b, or the residual where it is not linear
  std::vector<expr::Expr> solution;         // empty: the start is singular and shows no pivots
  expr::Expr monitor;                       // below growth_limit^2: nothing is lost
};

/// `point` is that of a consistent start. Nothing where they are too large to be written out.
std::optional<FilterMotion> filter_motion(const formulate::Problem& problem,
                                          std::span<const double> point);

/// Finds z at a point whose time, states and inputs are in place, in its place in the point.
class MotionSolver {
 public:
  /// The problem must outlive it.
  MotionSolver(const formulate::Problem& problem, const FilterMotion& motion, const double* point);
  ~MotionSolver();
  solve::Failure operator()(double* point);

 private:
  struct Kernels;
  bool solve(const double* point, double* z);
  bool solve_with_exchanges(const double* point, double* z);

  const formulate::Problem& problem_;
  std::uint32_t size_;
  std::unique_ptr<Kernels> kernels_;
  std::vector<double> z_;
};

}  // namespace daedal::feedback
