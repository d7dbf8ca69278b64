// Infinite eigenvalues split off by orthogonal transformations [VanDooren1979].
//
// With E V = [0 E2], the columns A1 of A V = [A1 A2] must be independent (a common null vector of E and A makes the pencil
// singular), and a rotation of the rows gives
//   U^T (A - s E) V = [ R   A12 - s E12 ]
//                     [ 0   A22 - s E22 ]     R regular: as many infinite eigenvalues as E has nullity.
// The same again for (E22, A22), until E22 is regular.
//
// A singular value beyond rounding of the data but within what earlier steps may have made of it is decided by measurement: the
// same steps for two pencils whose entries differ in the last bits. It is significant when it is ten times that change.
#pragma once

#include "daedal/pencil/pencil.hpp"

#include <optional>
#include <vector>

namespace daedal::analysis {

struct Staircase {
  bool regular = true;
  /// U^T E V and U^T A V. Leading `infinite` rows and columns: a upper triangular and regular, e strictly upper; below them 0.
  Eigen::MatrixXd e, a;
  Eigen::MatrixXd u, v;
  Eigen::Index infinite = 0;
  int sign = 1;  // det U * det V
  std::vector<RankDecision> decisions;
  std::optional<OtherReading> other;  // its `finite` is the number of those of this pencil
};

/// The pencil is balanced.
Staircase staircase(const Eigen::MatrixXd& e, const Eigen::MatrixXd& a);

/// Rank from singular values in descending order: those up to `certain` are zero, those beyond `noise` are not, and in
/// between the largest gap decides, and the decision is marked near_singular.
RankDecision decide_rank(const Eigen::VectorXd& singular_values, double certain, double noise);

}  // namespace daedal::analysis
