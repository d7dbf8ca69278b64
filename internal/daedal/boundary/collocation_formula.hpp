// Collocation within one interval: the top of a chain x, x', ..., x^(e) = z is the polynomial through its values z_j at the
// nodes c_j, everything below is its integral,
//
//     x^(e-k)(t_n + c h) = sum_(l<k) (c h)^l / l! x^(e-k+l)(t_n) + h^k sum_j w_kj(c) z_j,     w_kj = k-fold integral of l_j.
//
// With Gauss nodes, two of them are cubic Hermite splines for second-order equations; the order at the ends of intervals is
// twice their number [DeBoorSwartz1973].
#pragma once

#include <cstddef>
#include <vector>

namespace daedal::boundary {

class CollocationFormula {
 public:
  static CollocationFormula gauss(int stages, int depth);  // 1 <= stages <= 4

  std::size_t stages() const { return nodes_.size(); }
  int order() const { return order_; }  // at the ends of intervals
  double node(std::size_t i) const { return nodes_[i]; }
  /// w_kj at node i, and at the end of the interval for i = stages().
  double weight(int k, std::size_t i, std::size_t j) const {
    return weights_[(static_cast<std::size_t>(k - 1) * (stages() + 1) + i) * stages() + j];
  }
  /// The j-th Lagrange polynomial at c.
  double lagrange(std::size_t j, double c) const;

 private:
  CollocationFormula(std::vector<double> nodes, int depth, int order);
  std::vector<double> nodes_, weights_;
  int order_;
};

}  // namespace daedal::boundary
