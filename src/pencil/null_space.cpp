#include "null_space.hpp"

#include "daedal/base/product.hpp"
#include "daedal/base/progress.hpp"

#include <algorithm>
#include <cmath>

namespace daedal::analysis {

using Eigen::Index;
using Eigen::MatrixXd;

void NullSpace::turn_columns(Eigen::Ref<MatrixXd> m) const {
  if (reflections)
    reflections->multiply_into_q(m);
  else
    m = product(m, v);
}

namespace {

/// Frobenius' norm of the inverse of the leading upper triangle, column by column.
double norm_of_inverse(const MatrixXd& r, Index size) {
  double sum = 0;
  Eigen::VectorXd column(size);
  for (Index j = 0; j < size; ++j) {
    stop_point();
    column.head(j).setZero();
    column[j] = 1;
    for (Index k = j + 1; k-- > 0;) {
      column[k] /= r(k, k);
      column.head(k) -= column[k] * r.col(k).head(k);
    }
    sum += column.head(j + 1).squaredNorm();
  }
  return std::sqrt(sum);
}

}  // namespace

std::optional<NullSpace> clear_null_space(const MatrixXd& m, double certain, double noise) {
  const double doubt = std::max(certain, noise);
  const Index n = m.rows();
  const PivotedQr qr(m);
  const Index rank = (qr.r().diagonal().array().abs() > doubt).count(), nullity = n - rank;
  if (rank == 0) return std::nullopt;
  const double kept = 1 / norm_of_inverse(qr.r(), rank);
  if (!(kept > doubt)) return std::nullopt;
  NullSpace found;
  found.decision = {static_cast<int>(n), static_cast<int>(rank), kept, 0, certain, false};
  if (nullity == 0) return found;

  MatrixXd basis(n, nullity);
  const auto r11 = qr.r().topLeftCorner(rank, rank).triangularView<Eigen::Upper>();
  basis << -r11.solve(MatrixXd(qr.r().topRightCorner(rank, nullity))),
      MatrixXd::Identity(nullity, nullity);
  found.reflections.emplace(qr.permutation() * basis);
  found.sign = found.reflections->sign_of_q();
  const MatrixXd v1 = found.reflections->q(nullity);
  found.decision.largest_dropped = product(m, v1).norm();
  if (!(found.decision.largest_dropped <= certain)) return std::nullopt;
  return found;
}

}  // namespace daedal::analysis
