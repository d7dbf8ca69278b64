// What acts on an input from sample to sample, summed up: every value is included, however far apart the rows of the result are.
#pragma once

#include "daedal/run/simulate.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace daedal::solve {

class CommandTally {
 public:
  /// From the lower to the upper limit; infinite where there is none.
  explicit CommandTally(std::pair<double, double> limits) {
    sums_.low = limits.first;
    sums_.high = limits.second;
  }

  /// From `time` [s] on the input has this value.
  void act(double time, double value) {
    if (acts_) {
      sums_.variation += std::abs(value - value_);
      sums_.limited += limited_until(time);
    }
    if (!acts_ || std::abs(value) > sums_.peak) {
      sums_.peak = std::abs(value);
      sums_.peak_at = time;
    }
    acts_ = true;
    value_ = value;
    since_ = time;
  }
  /// The sums of what acted until `end` [s].
  CommandRecord until(double end) const {
    CommandRecord sums = sums_;
    if (acts_) sums.limited += limited_until(end);
    return sums;
  }

 private:
  double limited_until(double time) const {
    return value_ <= sums_.low || value_ >= sums_.high ? std::max(0.0, time - since_) : 0.0;
  }

  CommandRecord sums_;
  bool acts_ = false;
  double value_ = 0, since_ = 0;
};

}  // namespace daedal::solve
