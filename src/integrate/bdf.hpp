// Backward differentiation formulas of order k = 1 .. 6 with equal steps [HairerWanner1996, V.1, VII.3]:
//
//     s_(n+1) = sum_j alpha_j s_(n+1-j) + beta h next(s_(n+1), z_(n+1)),    0 = r(t_(n+1), s_(n+1), z_(n+1)),
//
// of order k in positions, velocities and multipliers for index 1, 2 and 3. Order 1 is implicit Euler.
//
// The first k - 1 steps are made by an explicit method of order 8 on the differentiated equations, with step control far
// below the errors to come. Where that takes too many steps (stiff problems), orders 1, 2, ... lead to k.
#pragma once

#include "daedal/integrate/integrator.hpp"
#include "equal_steps.hpp"
#include "explicit_runge_kutta.hpp"
#include "top_newton.hpp"

#include <vector>

namespace daedal::solve {

struct BdfControl {
  int order = 1;
  double step = 0;  // [s], the longest
  NewtonOptions newton;
  bool linear = false;  // one step of Newton's method
  std::uint64_t max_steps = 0;
};

class Bdf final : public Integrator {
 public:
  Bdf(System& system, const BdfControl& control);

  StepOutcome start(double t, const double* s, const double* z, double end) override;
  StepOutcome step(double limit) override;

  double previous_time() const override;
  double time() const override { return node(current_).t; }
  std::span<const double> state() const override { return node(current_).s; }
  std::span<const double> tops() const override { return node(current_).z; }
  void interpolate(double t, double* s) const override;
  void interpolate_tops(double t, double* z) const override;
  const StepStatistics& statistics() const override { return statistics_; }

 private:
  struct Node {
    double t = 0;
    std::vector<double> s, z;
  };
  /// The k-th newest.
  const Node& node(std::size_t k) const { return nodes_[k]; }
  Node& push();
  Failure begin(double limit);
  bool start_explicitly();
  Failure advance(int order);
  void interpolate(double t, std::vector<double> Node::*values, double* result) const;

  System& system_;
  BdfControl control_;
  TopNewton newton_;
  ExplicitRungeKutta starter_;
  EqualSteps steps_;
  std::vector<Node> nodes_;  // newest first; [known_] and beyond are scratch
  Node origin_;              // where the steps begin
  std::size_t known_ = 0;    // nodes since the start
  std::size_t current_ = 0;  // the node returned last: those before wait
  std::vector<double> known_part_, weights_, rates_;
  StepStatistics statistics_;
};

}  // namespace daedal::solve
