#include "compile/scaled_lu.hpp"

#include <cmath>
#include <limits>

namespace daedal::compile {
namespace {

double power_of_two_near_inverse(double x) { return x > 0 ? std::ldexp(1.0, -std::ilogb(x)) : 1.0; }

}  // namespace

ScaledLu::ScaledLu(std::uint32_t size)
    : matrix_(size, size),
      row_scale_(size),
      column_scale_(size),
      work_(size),
      lu_(static_cast<Eigen::Index>(size)) {}

bool ScaledLu::factor(std::span<const std::uint32_t> row_start,
                      std::span<const std::uint32_t> column, const double* values) {
  reciprocal_condition_ = 0;
  matrix_.setZero();
  for (std::uint32_t i = 0; i + 1 < row_start.size(); ++i) {
    for (std::uint32_t k = row_start[i]; k < row_start[i + 1]; ++k)
      matrix_(i, column[k]) = values[k];
  }
  if (!matrix_.allFinite()) return false;
  equilibrate();
  lu_.compute(matrix_);
  reciprocal_condition_ = lu_.rcond();
  const double size = static_cast<double>(matrix_.rows());
  return reciprocal_condition_ > size * std::numeric_limits<double>::epsilon();
}

// Rows, then columns, to magnitude 1 by powers of two. Equations of motion and constraints, accelerations and
// multipliers have units of their own; without this the condition number would speak of units.
void ScaledLu::equilibrate() {
  for (Eigen::Index i = 0; i < matrix_.rows(); ++i) {
    row_scale_[i] = power_of_two_near_inverse(matrix_.row(i).cwiseAbs().maxCoeff());
    matrix_.row(i) *= row_scale_[i];
  }
  for (Eigen::Index j = 0; j < matrix_.cols(); ++j) {
    column_scale_[j] = power_of_two_near_inverse(matrix_.col(j).cwiseAbs().maxCoeff());
    matrix_.col(j) *= column_scale_[j];
  }
}

void ScaledLu::solve(const double* b, double* x) {
  const Eigen::Map<const Eigen::VectorXd> right(b, matrix_.rows());
  work_ = row_scale_.cwiseProduct(right);
  Eigen::Map<Eigen::VectorXd> solution(x, matrix_.rows());
  solution = lu_.solve(work_);
  solution.array() *= column_scale_.array();
}

}  // namespace daedal::compile
