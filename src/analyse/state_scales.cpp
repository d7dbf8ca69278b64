#include "state_scales.hpp"

#include <cmath>

namespace daedal::analysis {

Eigen::VectorXd state_scales(const Eigen::MatrixXd& f) {
  constexpr int sweeps = 12;
  const Eigen::Index n = f.rows();
  Eigen::VectorXd scale = Eigen::VectorXd::Ones(n);
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    bool changed = false;
    for (Eigen::Index i = 0; i < n; ++i) {
      double row = 0, column = 0;
      for (Eigen::Index j = 0; j < n; ++j) {
        if (j == i) continue;
        row += std::abs(f(i, j)) * scale[j] / scale[i];
        column += std::abs(f(j, i)) * scale[i] / scale[j];
      }
      if (row == 0 || column == 0) continue;
      const long exponent = std::lround(0.5 * std::log2(row / column));
      if (exponent == 0) continue;
      scale[i] = std::ldexp(scale[i], static_cast<int>(exponent));
      changed = true;
    }
    if (!changed) break;
  }
  return scale;
}

}  // namespace daedal::analysis
