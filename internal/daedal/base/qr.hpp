// Orthogonal factorisations of dense matrices by reflections [GolubVanLoan1996, chapter 5].
//
// The reflections are our own (reflections.hpp): fast with the same bits on every machine. What is left to Eigen is compiled
// once, here: its templates take seconds of every source that uses them.
#pragma once

#include <Eigen/QR>

namespace daedal {

/// m = Q R with square Q.
class Qr {
 public:
  explicit Qr(const Eigen::MatrixXd& m);

  Eigen::MatrixXd q() const;
  Eigen::MatrixXd q(Eigen::Index columns) const;  // the first ones
  Eigen::MatrixXd r() const;                      // as many rows as m has columns
  int sign_of_q() const;                          // its determinant
  void multiply_by_q_transposed(Eigen::Ref<Eigen::MatrixXd> m) const;  // Q^T m in the place of m
  void multiply_into_q(Eigen::Ref<Eigen::MatrixXd> m) const;           // m Q in the place of m
  Eigen::VectorXd least_squares(const Eigen::VectorXd& b) const;

 private:
  Eigen::MatrixXd packed_;  // R, and below the diagonal the reflections
  Eigen::VectorXd tau_;
};

/// m P = Q R with square Q; P takes the column with most left to it first.
class PivotedQr {
 public:
  /// Pivots below `threshold` times the largest one count as 0; without it, those that may be rounding.
  explicit PivotedQr(const Eigen::MatrixXd& m);
  PivotedQr(const Eigen::MatrixXd& m, double threshold);

  Eigen::Index rank() const { return rank_; }
  Eigen::MatrixXd q() const;
  const Eigen::MatrixXd& r() const { return packed_; }  // its upper triangle
  const auto& permutation() const { return permutation_; }

 private:
  Eigen::MatrixXd packed_;  // R, and below the diagonal the reflections
  Eigen::VectorXd tau_;
  Eigen::PermutationMatrix<Eigen::Dynamic> permutation_;
  Eigen::Index rank_ = 0;
};

/// Orthonormal columns that span the x with m x = 0.
Eigen::MatrixXd null_space_of(const Eigen::MatrixXd& m, double threshold);

/// m = Q [T 0; 0 0] Z: the smallest among the best x of m x = b, whatever the rank.
class LeastNorm {
 public:
  explicit LeastNorm(const Eigen::MatrixXd& m);
  LeastNorm(const Eigen::MatrixXd& m, double threshold);

  Eigen::Index rank() const;
  Eigen::MatrixXd solve(const Eigen::MatrixXd& b) const;
  Eigen::VectorXd solve(const Eigen::VectorXd& b) const;

 private:
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> factors_;
};

Eigen::MatrixXd pseudo_inverse(const Eigen::MatrixXd& m);

}  // namespace daedal
