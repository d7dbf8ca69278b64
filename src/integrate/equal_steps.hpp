// Steps of one length from here to a limit: none is longer than requested, and none is cut, since
// multistep methods do not allow that.
#pragma once

#include <algorithm>
#include <cmath>

namespace daedal::solve {

class EqualSteps {
 public:
  /// At least `fewest` steps.
  void begin(double t, double limit, double longest, int fewest = 1) {
    t0_ = t;
    limit_ = limit;
    taken_ = 0;
    count_ = std::max<double>(std::ceil((limit - t) / longest * (1 - 1e-9)), fewest);
    h_ = (limit - t) / count_;
  }
  /// Whether it is the way to `limit` that has been divided.
  bool lead_to(double limit) const { return limit == limit_ && count_ > 0; }
  bool done() const { return taken_ == count_; }
  double length() const { return h_; }
  /// The end of step k from the beginning; multiples, not sums.
  double end_of(double k) const { return k >= count_ ? limit_ : t0_ + k * h_; }
  double next() { return end_of(++taken_); }

 private:
  double t0_ = 0, limit_ = 0, h_ = 0;
  double count_ = 0, taken_ = 0;  // whole numbers
};

}  // namespace daedal::solve
