// Problems without degrees of freedom: the solution at any time is one jet, no integration.
//
// A flat inverse model is of this kind, as is any DAE whose offsets sum to 0. Its nonlinear stages have several roots; the
// branch is the one of the start, followed by Taylor series from anchor to anchor. Anchors depend on the start alone and
// are made when a later time is requested: the result for a time does not depend on earlier requests.
#pragma once

#include "daedal/compile/kernel.hpp"
#include "daedal/formulate/problem.hpp"
#include "daedal/start/prepare.hpp"
#include "daedal/system/system.hpp"

#include <memory>
#include <span>

namespace daedal::solve {

struct AlgebraicOptions {
  double tolerance = 1e-9;  // in [1e-18, 0.1]: of the series between anchors, not of the result
  double until = 1e4;       // [s]: joints of the right-hand sides are searched up to here
  compile::Options compile;
};

class AlgebraicSolution {
 public:
  /// `start` is a consistent point of the problem, which must outlive the solution and have no degrees of freedom
  /// (std::invalid_argument otherwise).
  AlgebraicSolution(const formulate::Problem& problem, const ConsistentPoint& start,
                    const AlgebraicOptions& options = {});
  ~AlgebraicSolution();
  AlgebraicSolution(AlgebraicSolution&&) noexcept;

  /// States and tops at t >= start.t, to rounding; the spans are valid until the next call.
  struct Value {
    Failure failure = Failure::none;
    std::span<const double> states, tops;
  };
  Value at(double t);

  /// A few unknowns, or derivatives of theirs, are requested repeatedly: where the equations are small enough, code is
  /// compiled for these alone. Returns whether it was.
  bool watch(std::span<const expr::Leaf> wanted);
  /// These at t >= start.t, as at() to rounding; allocates nothing within the time reached so far. Returns whether
  /// they were found.
  bool watched(double t, double* values);

  std::size_t anchors() const;  // so far

 private:
  class Branch;
  std::unique_ptr<Branch> branch_;
};

}  // namespace daedal::solve
