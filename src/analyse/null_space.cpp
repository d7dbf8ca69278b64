#include "null_space.hpp"

#include <algorithm>
#include <cmath>

namespace daedal::analyse {

using Eigen::Index;
using Eigen::MatrixXd;

void NullSpace::turn_columns(Eigen::Ref<MatrixXd> m) const {
  if (reflections)
    reflections->multiply_into_q(m);
  else
    m = (m * v).eval();
}

std::optional<NullSpace> clear_null_space(const MatrixXd& m, double certain, double noise) {
  const double doubt = std::max(certain, noise);
  const Index n = m.rows();
  const PivotedQr qr(m);
  const Index rank = (qr.r().diagonal().array().abs() > doubt).count(), nullity = n - rank;
  if (rank == 0) return std::nullopt;
  const auto r11 = qr.r().topLeftCorner(rank, rank).triangularView<Eigen::Upper>();
  const double kept = 1 / r11.solve(MatrixXd::Identity(rank, rank)).norm();
  if (!(kept > doubt)) return std::nullopt;
  NullSpace found;
  found.decision = {static_cast<int>(n), static_cast<int>(rank), kept, 0, certain};
  if (nullity == 0) return found;

  MatrixXd basis(n, nullity);
  basis << -r11.solve(MatrixXd(qr.r().topRightCorner(rank, nullity))),
      MatrixXd::Identity(nullity, nullity);
  found.reflections.emplace(qr.permutation() * basis);
  found.sign = found.reflections->sign_of_q();
  const MatrixXd v1 = found.reflections->q(nullity);
  found.decision.largest_dropped = (m * v1).norm();
  if (!(found.decision.largest_dropped <= certain)) return std::nullopt;
  return found;
}

}  // namespace daedal::analyse
