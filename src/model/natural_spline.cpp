// Of all functions through the points, the natural spline of degree 2k - 1 has the least integral
// of f^(k) squared [deBoor1978]. It has 2k - 2 continuous derivatives, and its derivatives
// k .. 2k - 2 vanish at both ends. The unknowns are the coefficients of every piece in its own
// variable (x - x_i)/h_i, which keeps the system well scaled whatever the unit of x.
#include "daedal/model/natural_spline.hpp"

#include <Eigen/SparseLU>

#include <algorithm>
#include <cmath>
#include <vector>

namespace daedal::model {

namespace {

/// Half the order of the smallest odd degree 2k - 1 with 2k - 2 >= smoothness.
int half_order(int smoothness) { return (smoothness + 3) / 2; }

double binomial(int n, int k) {
  double value = 1;
  for (int i = 1; i <= k; ++i) value = value * (n - k + i) / i;
  return value;
}

/// Conditions on the scaled coefficients, row by row.
class Conditions {
 public:
  Conditions(std::span<const double> x, std::span<const double> y, int k)
      : x_(x), k_(k), terms_(2 * k), pieces_(static_cast<int>(x.size()) - 1) {
    right_side_ = Eigen::VectorXd::Zero(pieces_ * terms_);
    for (int i = k_; i <= 2 * k_ - 2; ++i) {  // natural at the left end
      entries_.emplace_back(row_, i, 1.0);
      close_row(0);
    }
    for (int piece = 0; piece < pieces_; ++piece) {
      entries_.emplace_back(row_, piece * terms_, 1.0);
      close_row(y[static_cast<std::size_t>(piece)]);
      if (piece + 1 < pieces_)
        join(piece);
      else
        end(piece, y.back());
    }
  }

  Eigen::VectorXd solve() const {
    Eigen::SparseMatrix<double> matrix(row_, row_);
    matrix.setFromTriplets(entries_.begin(), entries_.end());
    const Eigen::SparseLU<Eigen::SparseMatrix<double>> lu(matrix);
    return lu.solve(right_side_);
  }

 private:
  double width(int piece) const {
    return x_[static_cast<std::size_t>(piece) + 1] - x_[static_cast<std::size_t>(piece)];
  }
  void close_row(double value) { right_side_(row_++) = value; }

  /// Derivative i (over i!) at the right end of a piece.
  void add_right_end(int piece, int i) {
    for (int j = i; j < terms_; ++j)
      entries_.emplace_back(row_, piece * terms_ + j, binomial(j, i));
  }
  void join(int piece) {
    for (int i = 0; i <= 2 * k_ - 2; ++i) {
      add_right_end(piece, i);
      const double ratio = std::pow(width(piece) / width(piece + 1), i);
      entries_.emplace_back(row_, (piece + 1) * terms_ + i, -ratio);
      close_row(0);
    }
  }
  void end(int piece, double value) {
    add_right_end(piece, 0);
    close_row(value);
    for (int i = k_; i <= 2 * k_ - 2; ++i) {
      add_right_end(piece, i);
      close_row(0);
    }
  }

  std::span<const double> x_;
  int k_, terms_, pieces_;
  int row_ = 0;
  std::vector<Eigen::Triplet<double>> entries_;
  Eigen::VectorXd right_side_;
};

}  // namespace

std::size_t natural_spline_rows(int smoothness) {
  return static_cast<std::size_t>(std::max(2, half_order(smoothness)));
}

expr::PiecewisePolynomial natural_spline(std::span<const double> x, std::span<const double> y,
                                         int smoothness) {
  const int k = half_order(smoothness);
  const auto terms = 2 * static_cast<std::size_t>(k);
  const Eigen::VectorXd scaled = Conditions(x, y, k).solve();
  expr::PiecewisePolynomial result;
  result.breaks.assign(x.begin(), x.end());
  result.degree = 2 * k - 1;
  result.smoothness = 2 * k - 2;
  result.coefficients.resize(static_cast<std::size_t>(scaled.size()));
  for (std::size_t i = 0; i < result.coefficients.size(); ++i) {
    const std::size_t piece = i / terms;
    const double h = x[piece + 1] - x[piece];
    result.coefficients[i] =
        scaled(static_cast<Eigen::Index>(i)) / std::pow(h, static_cast<double>(i % terms));
  }
  return result;
}

}  // namespace daedal::model
