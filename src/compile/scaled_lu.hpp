// Dense LU with scaling and a condition estimate: the last resort, and the test of whether a matrix is singular to rounding.
#pragma once

#include <Eigen/LU>

#include <cstdint>
#include <span>

namespace daedal::compile {

class ScaledLu {
 public:
  explicit ScaledLu(std::uint32_t size);
  /// Compressed rows. False when the matrix is not finite or singular to rounding.
  bool factor(std::span<const std::uint32_t> row_start, std::span<const std::uint32_t> column,
              const double* values);
  void solve(const double* b, double* x);
  double reciprocal_condition() const { return reciprocal_condition_; }

 private:
  void equilibrate();

  Eigen::MatrixXd matrix_;
  Eigen::VectorXd row_scale_, column_scale_, work_;
  Eigen::PartialPivLU<Eigen::MatrixXd> lu_;
  double reciprocal_condition_ = 0;
};

}  // namespace daedal::compile
