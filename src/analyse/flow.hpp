// The motion of a Dae from any state: accelerations and multipliers solved for, states drawn to the manifold.
#pragma once

#include "daedal/start/prepare.hpp"
#include "daedal/structure/regularity.hpp"
#include "daedal/system/problem_system.hpp"

#include <memory>
#include <vector>

namespace daedal::analysis {

class Flow {
 public:
  explicit Flow(std::shared_ptr<const derive::Dae> dae);

  const formulate::Problem& problem() const { return *problem_; }
  const solve::ConsistentPoint& start() const { return start_; }

  /// Position of a leaf among the states; -1 when it is none.
  int state_of(expr::Leaf leaf) const;
  /// The nearest states that satisfy the constraints; false when none is found.
  bool project(double t, std::vector<double>& states);
  /// Values of all leaves at (t, states); an empty function when the equations do not determine the motion there.
  structure::Point point(double t, const std::vector<double>& states);

 private:
  std::unique_ptr<const formulate::Problem> problem_;  // the system refers to it
  solve::ConsistentPoint start_;
  std::unique_ptr<solve::ProblemSystem> system_;
  std::vector<double> tops_, rates_;
};

}  // namespace daedal::analysis
