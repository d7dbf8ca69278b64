// The jet of a problem without degrees of freedom as straight-line code, for low orders: a flat inverse in nanoseconds.
//
// The levels k = -max d_j, ..., 0 of the Sigma-method, f_i^(c_i + k) = 0 for x_j^(d_j + k), are walked once, with expressions:
// differentiated equations with what is solved already put in, block by block in the order of solution. Linear blocks are
// eliminated; a nonlinear one becomes a single step of Newton's method from a guess that is given with the time. From a series
// that is right to nine digits, one step leaves less than rounding; its size shows whether that was so. Rest-to-rest
// polynomials are written out too, all derivatives from one recurrence.
//
// Without degrees of freedom matched pairs have c_i = d_j, so blocks stay square on every level [Pryce2001].
#pragma once

#include "daedal/compile/kernel.hpp"
#include "daedal/formulate/problem.hpp"
#include "daedal/start/prepare.hpp"

#include <memory>
#include <span>
#include <vector>

namespace daedal::solve {

class ClosedJet {
 public:
  /// The values of `wanted`, unknowns of the problem with derivatives up to d_j. nullptr when a matrix is singular at the
  /// start or the code would be too long.
  static std::unique_ptr<ClosedJet> make(const formulate::Problem& problem,
                                         const ConsistentPoint& start,
                                         std::span<const expr::Leaf> wanted,
                                         const compile::Options& options);

  /// What must be guessed: positions among states and tops.
  std::span<const std::uint32_t> guessed() const { return guessed_; }
  double* guess() { return point_.data() + 1; }
  /// False when a guess was too far away for one step. `values` as `wanted`.
  bool evaluate(double t, double* values) noexcept;

 private:
  friend class ClosedJetWriter;
  std::shared_ptr<const compile::Kernel> kernel_;
  compile::Workspace work_;
  std::vector<std::uint32_t> guessed_;
  std::size_t wanted_ = 0;
  std::vector<double> point_, rows_;
};

}  // namespace daedal::solve
