// Tops at a point: r(w, s, z) = 0 for z, by Newton's method with dense elimination. Nothing allocates after the constructor.
#pragma once

#include "daedal/invert/reduced_system.hpp"
#include "row_elimination.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace daedal::invert {

class TopValues {
 public:
  explicit TopValues(ReducedSystem& system)
      : system_(system),
        values_(system.tops() + system.state_pattern().entries() + system.top_pattern().entries()),
        matrix_(std::size_t{system.tops()} * system.tops()),
        exchange_(system.tops()) {}

  /// z is a guess on entry and stays as it is where dr/dz is singular. False when it is not finite.
  bool solve(const double* w, const double* s, double* z) {
    const std::size_t n = system_.tops();
    const solve::SparsePattern& pattern = system_.top_pattern();
    for (int iteration = 0; iteration < most_iterations; ++iteration) {
      system_.linearise(w, s, z, values_.data());
      std::fill(matrix_.begin(), matrix_.end(), 0.0);
      const double* entry = values_.data() + n + system_.state_pattern().entries();
      for (std::size_t i = 0; i < n; ++i)
        for (std::uint32_t e = pattern.row_start[i]; e < pattern.row_start[i + 1]; ++e)
          matrix_[i * n + pattern.column[e]] = *entry++;
      if (!eliminate_rows(matrix_.data(), n, n, n, exchange_.data())) return true;
      double largest = 0, smallest = std::abs(matrix_[0]);
      for (std::size_t i = 0; i < n; ++i) {
        largest = std::max(largest, std::abs(matrix_[i * n + i]));
        smallest = std::min(smallest, std::abs(matrix_[i * n + i]));
      }
      if (smallest < singular * largest) return true;
      reduce_right_hand_side(matrix_.data(), n, n, n, exchange_.data(), values_.data());
      substitute_back(matrix_.data(), n, n, values_.data(), values_.data());
      double change = 0, size = 0;
      for (std::size_t i = 0; i < n; ++i) {
        z[i] -= values_[i];
        change = std::max(change, std::abs(values_[i]));
        size = std::max(size, std::abs(z[i]));
      }
      if (!std::isfinite(size)) return false;
      if (change <= settled * size) break;
    }
    return true;
  }

 private:
  static constexpr int most_iterations = 3;  // mechanisms are linear in them
  static constexpr double singular = 1e-11, settled = 1e-12;
  ReducedSystem& system_;
  std::vector<double> values_, matrix_;
  std::vector<std::size_t> exchange_;
};

}  // namespace daedal::invert
