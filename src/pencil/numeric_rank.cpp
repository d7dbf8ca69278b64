#include "daedal/pencil/numeric_rank.hpp"

#include "daedal/base/svd.hpp"

#include <algorithm>

namespace daedal::analysis {

int numeric_rank(Eigen::MatrixXd m) {
  constexpr double zero = 1e-9;  // entries are quotients of determinants, good to some 1e-12
  if (m.size() == 0) return 0;
  for (int turn = 0; turn < 2; ++turn) {
    for (Eigen::Index i = 0; i < m.rows(); ++i) m.row(i).normalize();
    for (Eigen::Index j = 0; j < m.cols(); ++j) m.col(j).normalize();
  }
  const Eigen::VectorXd sigma = singular_values_of(m);
  return static_cast<int>(
      std::count_if(sigma.begin(), sigma.end(), [](double s) { return s > zero; }));
}

}  // namespace daedal::analysis
