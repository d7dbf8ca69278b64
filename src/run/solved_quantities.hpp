// Quantities of a controller that are the solution of equations, at a sample: Newton's method from the solution before.
#pragma once

#include "daedal/formulate/problem.hpp"
#include "daedal/system/evaluation.hpp"

#include <Eigen/Core>

#include <string>
#include <vector>

namespace daedal::solve {

class SolvedQuantities {
 public:
  /// In the layout of `problem`.
  SolvedQuantities(const model::Model& model, const model::Solved& solved,
                   const formulate::Problem& problem, const double* point,
                   const compile::Options& options);

  /// Positions of the unknowns in a point.
  const std::vector<std::uint32_t>& positions() const { return positions_; }
  /// Changes the unknowns in `point`. Returns why there is no solution, or "".
  std::string solve(double* point);

 private:
  struct Entry {
    Eigen::Index row = 0, column = 0;
  };

  std::vector<std::uint32_t> positions_;
  std::vector<Entry> entries_;  // of the Jacobian
  std::vector<double> rows_;    // residuals, then those entries
  Evaluation evaluation_;
  Eigen::MatrixXd jacobian_;
  Eigen::VectorXd residual_;
};

}  // namespace daedal::solve
