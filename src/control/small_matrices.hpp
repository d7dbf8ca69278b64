// Dense matrices of a few rows for filters, row by row in plain arrays: each entry is one sum in a fixed order.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace daedal::feedback {

class SmallMatrix {
 public:
  SmallMatrix() = default;
  SmallMatrix(std::size_t rows, std::size_t columns)
      : rows_(rows), columns_(columns), entries_(rows * columns) {}
  /// A diagonal matrix with the squares of these numbers.
  static SmallMatrix squares(std::span<const double> diagonal);
  static SmallMatrix identity(std::size_t size);

  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return columns_; }
  double& operator()(std::size_t i, std::size_t j) { return entries_[i * columns_ + j]; }
  double operator()(std::size_t i, std::size_t j) const { return entries_[i * columns_ + j]; }
  double* row(std::size_t i) { return entries_.data() + i * columns_; }
  const double* row(std::size_t i) const { return entries_.data() + i * columns_; }
  SmallMatrix transposed() const;

 private:
  std::size_t rows_ = 0, columns_ = 0;
  std::vector<double> entries_;
};

SmallMatrix operator*(const SmallMatrix& a, const SmallMatrix& b);
SmallMatrix operator+(const SmallMatrix& a, const SmallMatrix& b);

/// a += factor * x y^T
void add_product(SmallMatrix& a, double factor, std::span<const double> x,
                 std::span<const double> y);

/// The lower triangular L with L L^T = a. False where a is not positive definite.
bool factor(SmallMatrix& a);
/// Solves L L^T x = b in the place of b.
void solve(const SmallMatrix& factor, std::span<double> b);

/// Orthonormal columns that span the null space of `a`, whose rows are independent, by Householder's reflections of its rows.
SmallMatrix null_space(const SmallMatrix& a);

/// Orthonormal columns that span what those of `basis` span, of which each begins at a later entry than the one before it, with
/// a positive one there. There is one such basis: what is made with it, such as the factor T chol(T^T P T) of a covariance, does
/// not depend on how the space was found.
SmallMatrix trapezoidal(const SmallMatrix& basis);

}  // namespace daedal::feedback
