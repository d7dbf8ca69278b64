// Constraints left out because they follow from the others: their multipliers, and whether they still hold.
//
// The rows of G that are kept (r) are independent, those left out (d) follow from them: G_d = C G_r. The same reactions
//     G_r^T lambda_r + G_d^T lambda_d = G_r^T lambda
// come from all lambda_r = lambda - C^T lambda_d; the smallest in the Euclidean norm have
//     (I + C C^T) lambda_d = C lambda.
// Row i of C solves  min |g_i - G_r^T C_i^T|  by  [ I  G_r^T ; G_r  0 ] [ rest ; C_i^T ] = [ g_i ; 0 ], sparse and with unit
// rows. No rank is decided here, and I + C C^T is never near a singular matrix: a complete orthogonal decomposition of G
// would decide the rank again in every row of a table.
#pragma once

#include "daedal/formulate/problem.hpp"
#include "daedal/start/rank.hpp"
#include "daedal/system/evaluation.hpp"
#include "daedal/system/klu.hpp"

#include <Eigen/Cholesky>

#include <optional>
#include <string>
#include <vector>

namespace daedal::solve {

class LeftOutConstraints {
 public:
  /// The problem leaves out at least one constraint and must outlive this object.
  LeftOutConstraints(const formulate::Problem& problem, const double* point,
                     const compile::Options& options);

  /// To be called first at every point. False where the constraints that are kept depend on each other.
  bool look_at(const double* point);
  /// Replaces the multipliers in the point, all constraints together, by those of least norm.
  void share(double* point);

  /// One that no longer follows from the others: it is violated by more than they, who miss theirs by up to
  /// `largest_of_solved`, explain.
  struct Violation {
    std::uint32_t constraint = 0;  // of the model
    double residual = 0;
  };
  std::optional<Violation> violation(double largest_of_solved) const;

  /// Rank of the rows of G, columns in their scale: constraints that are kept first, then those left out.
  RankReport rank(double tolerance) const;
  /// Constraints of the model in the order of these rows.
  const std::vector<std::uint32_t>& order() const { return order_; }

 private:
  std::uint32_t kept() const { return static_cast<std::uint32_t>(order_.size()) - left_out(); }
  std::uint32_t left_out() const { return static_cast<std::uint32_t>(residual_.size()); }
  void select_rows(const double* point);
  void build_matrix();
  bool factor();
  void combine(std::uint32_t row);

  const formulate::Problem& problem_;
  Evaluation reactions_, residuals_;
  std::vector<std::uint32_t> order_;       // kept, then left out
  std::vector<std::uint32_t> multiplier_;  // point positions, in this order
  std::vector<double> values_;             // of G, as compiled
  std::vector<std::uint32_t> entry_;       // of values_, for each entry of rows_
  RowMatrix rows_;                         // G in this order, columns in their scale
  std::vector<double> length_;             // of its rows
  std::vector<double> residual_;           // of the constraints left out
  std::vector<std::uint32_t> diagonal_target_, target_, transposed_target_;
  std::vector<double> matrix_values_, solution_;
  std::optional<Klu<double>> matrix_;
  Eigen::MatrixXd combination_, square_;  // C, I + C C^T
  Eigen::LLT<Eigen::MatrixXd> factors_;   // of the latter
  Eigen::VectorXd solved_, others_;       // multipliers: of the equations, of what is left out
};

}  // namespace daedal::solve
