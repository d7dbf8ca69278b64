// Methods whose step leads from one point to the next: the last two points, as an Integrator shows them.
#pragma once

#include "daedal/integrate/integrator.hpp"
#include "equal_steps.hpp"

#include <algorithm>
#include <vector>

namespace daedal::solve {

struct StepPoint {
  double t = 0;
  std::vector<double> s, z;
};

/// `Point` is a StepPoint, or more.
template <class Point>
class PointSteps : public Integrator {
 public:
  double previous_time() const override { return old_.t; }
  double time() const override { return now_.t; }
  std::span<const double> state() const override { return now_.s; }
  std::span<const double> tops() const override { return now_.z; }
  const StepStatistics& statistics() const override { return statistics_; }

 protected:
  explicit PointSteps(const System& system) {
    for (Point* point : {&old_, &now_, &made_}) {
      point->s.resize(system.states());
      point->z.resize(system.tops());
    }
  }
  void begin_at(double t, const double* s, const double* z) {
    now_.t = t;
    std::copy_n(s, now_.s.size(), now_.s.data());
    std::copy_n(z, now_.z.size(), now_.z.data());
    steps_ = {};
  }

  EqualSteps steps_;
  Point old_, now_, made_;
  StepStatistics statistics_;
};

}  // namespace daedal::solve
