// Hermite's interpolation through the last three points and slopes of a solution: degree 5, local
// error O(h^6).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>
#include <vector>

namespace daedal::solve {

class Hermite {
 public:
  explicit Hermite(std::size_t size) : size_(size) {
    for (Node& node : nodes_) {
      node.value.resize(size);
      node.slope.resize(size);
    }
    coefficients_.resize(6 * size);
  }

  void restart(double t, const double* value, const double* slope) {
    known_ = 0;
    push(t, value, slope);
  }

  /// The oldest point leaves, a new one (t later than all) comes.
  void push(double t, const double* value, const double* slope) {
    std::rotate(nodes_.begin(), nodes_.begin() + 1, nodes_.end());
    Node& last = nodes_.back();
    last.t = t;
    std::copy_n(value, size_, last.value.data());
    std::copy_n(slope, size_, last.slope.data());
    if (++known_ >= 3) update();
  }

  bool complete() const { return known_ >= 3; }

  /// Newton's form with the newest nodes first, so that values near the end of the last step carry
  /// the least rounding.
  double value(double t, std::size_t k) const {
    const double* c = coefficients_.data() + 6 * k;
    const double x2 = t - nodes_[2].t, x1 = t - nodes_[1].t, x0 = t - nodes_[0].t;
    return c[0] + x2 * (c[1] + x2 * (c[2] + x1 * (c[3] + x1 * (c[4] + x0 * c[5]))));
  }

  /// Its derivative, of local error O(h^5).
  double slope(double t, std::size_t k) const {
    const double* c = coefficients_.data() + 6 * k;
    const double x2 = t - nodes_[2].t, x1 = t - nodes_[1].t, x0 = t - nodes_[0].t;
    double p = c[4] + x0 * c[5], rate = c[5];
    const auto enclose = [&](double x, double coefficient) {
      rate = p + x * rate;
      p = coefficient + x * p;
    };
    enclose(x1, c[3]);
    enclose(x1, c[2]);
    enclose(x2, c[1]);
    enclose(x2, c[0]);
    return rate;
  }

 private:
  struct Node {
    double t = 0;
    std::vector<double> value, slope;
  };

  /// Divided differences over the nodes t2, t2, t1, t1, t0, t0.
  void update() {
    const double t[6] = {nodes_[2].t, nodes_[2].t, nodes_[1].t,
                         nodes_[1].t, nodes_[0].t, nodes_[0].t};
    for (std::size_t k = 0; k < size_; ++k) {
      double d[6];
      for (int i = 0; i < 6; ++i) d[i] = nodes_[2 - i / 2].value[k];
      double* c = coefficients_.data() + 6 * k;
      c[0] = d[0];
      for (int order = 1; order < 6; ++order) {
        for (int i = 0; i + order < 6; ++i)
          d[i] = order == 1 && i % 2 == 0 ? nodes_[2 - i / 2].slope[k]
                                          : (d[i + 1] - d[i]) / (t[i + order] - t[i]);
        c[order] = d[0];
      }
    }
  }

  std::size_t size_;
  std::array<Node, 3> nodes_;
  std::vector<double> coefficients_;
  int known_ = 0;
};

}  // namespace daedal::solve
