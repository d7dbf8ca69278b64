// How far constraints are from depending on each other: the smallest singular value of their Jacobian on the highest level
// below the tops, where every constraint has its row, in the metric of the projection.
#pragma once

#include "daedal/formulate/problem.hpp"
#include "daedal/system/evaluation.hpp"
#include "daedal/system/level_projection.hpp"
#include "daedal/system/problem_system.hpp"

#include <vector>

namespace daedal::solve {

class Independence {
 public:
  /// At (t, s) of a problem with constraints; both must outlive this.
  Independence(const formulate::Problem& problem, ProblemSystem& system, double t, const double* s)
      : system_(system),
        tops_(system.tops(), 0.0),
        level_(problem, problem.levels.back(),
               {system.point_at(t, s, tops_.data()), problem.layout.size()}, tape_only(),
               shared_jet(problem)) {}

  /// 0 where they depend on each other.
  double operator()(double t, const double* s) {
    return level_.independence(system_.point_at(t, s, tops_.data()));
  }

 private:
  ProblemSystem& system_;
  std::vector<double> tops_;  // no constraint below them contains any
  LevelProjection level_;
};

}  // namespace daedal::solve
