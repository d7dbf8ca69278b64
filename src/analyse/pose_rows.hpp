// Constraints and named quantities of a mechanism as functions of its coordinates.
#pragma once

#include "daedal/analyse/kinematics.hpp"

#include <map>

namespace daedal::analysis {

struct Kinematics::Rows {
  Rows(std::shared_ptr<const derive::Dae> dae, double t);

  std::shared_ptr<const derive::Dae> dae;
  double t = 0;
  expr::Graph graph;
  std::vector<expr::SymbolId> coordinates;
  std::vector<double> scale;                  // of the coordinates
  std::vector<std::string> names;             // of constraints, then of quantities
  std::size_t constraints = 0;                // the first rows
  std::map<std::string, std::size_t> row_of;  // quantities
  std::vector<expr::Expr> values;             // of the rows
  std::vector<expr::JacobianEntry> entries;
  std::vector<expr::Expr> entry_values;

  /// Rows by their numbers.
  Eigen::VectorXd evaluate(const std::vector<std::size_t>& rows,
                           const std::vector<double>& symbols) const;
  Eigen::MatrixXd jacobian(const std::vector<std::size_t>& rows,
                           const std::vector<double>& symbols) const;
  /// By coordinate: whether a whole turn, 2 pi, changes neither these rows nor their derivatives there.
  std::vector<bool> turn_to_themselves(const std::vector<std::size_t>& rows,
                                       const std::vector<double>& symbols) const;
  std::vector<std::size_t> constraint_rows() const;
  std::vector<std::size_t> rows_of(const std::vector<std::string>& quantities) const;
  std::vector<std::size_t> with_constraints(const std::vector<std::string>& quantities) const;
};

}  // namespace daedal::analysis
