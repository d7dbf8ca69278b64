// Balancing of a pencil: rows and columns of tau^2 |E|^2 + |A|^2 get sums near 1 [LemonnierVanDooren2006].
//
// Masses of grams beside stiffnesses of giganewtons would make every rank decision a question of units.
#pragma once

#include <Eigen/Core>

#include <vector>

namespace daedal::analysis {

/// a(i, j) is 2^(row[i] + column[j]) times the given one, e as well and times 2^frequency; no digit is lost.
struct BalancedPencil {
  Eigen::MatrixXd e, a;
  int frequency = 0;  // eigenvalues of the given pencil are 2^frequency times those of this one
  std::vector<int> row, column;
  /// Sum of all row and column exponents: the determinant's scale.
  long rows_and_columns() const;
};

/// No row and no column of |E| + |A| is zero.
BalancedPencil balanced(Eigen::MatrixXd e, Eigen::MatrixXd a);

}  // namespace daedal::analysis
