// Tops at a point: r(w, s, z) = 0 for z, by Newton's method with dense elimination. Nothing allocates after the constructor.
//
// Where dr/dz is singular (descriptor forms: the multiplier of a drive whose torque reaches no output within two
// derivatives), complete pivoting shows what the states determine: that is solved for, the rest of z stays as guessed.
#pragma once

#include "daedal/boundary/reduced_system.hpp"
#include "daedal/boundary/row_elimination.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace daedal::boundary {

class TopValues {
 public:
  explicit TopValues(ReducedSystem& system)
      : system_(system),
        values_(system.tops() + system.state_pattern().entries() + system.top_pattern().entries()),
        matrix_(std::size_t{system.tops()} * system.tops()),
        change_(system.tops()),
        scale_(system.tops()),
        exchange_(system.tops()),
        column_(system.tops()) {}

  /// Whether r = 0 determines all tops.
  bool determined(const double* w, const double* s, const double* z) {
    system_.linearise(w, s, z, values_.data());
    fill_matrix();
    return solve_determined() == system_.tops();
  }

  /// z is a guess on entry. False when it is not finite.
  bool solve(const double* w, const double* s, double* z) {
    const std::size_t n = system_.tops();
    for (int iteration = 0; iteration < most_iterations; ++iteration) {
      system_.linearise(w, s, z, values_.data());
      fill_matrix();
      std::size_t rank = n;
      if (!eliminate_rows(matrix_.data(), n, n, n, exchange_.data()) || nearly_singular()) {
        fill_matrix();
        rank = solve_determined();
        side_ = 0;
      } else {
        find_side();
        reduce_right_hand_side(matrix_.data(), n, n, n, exchange_.data(), values_.data());
        substitute_back(matrix_.data(), n, n, values_.data(), change_.data());
      }
      double change = 0, size = 0;
      for (std::size_t i = 0; i < n; ++i) {
        z[i] -= change_[i];
        change = std::max(change, std::abs(change_[i]));
        size = std::max(size, std::abs(z[i]));
      }
      if (!std::isfinite(size)) return false;
      if (change <= settled * size || rank < n) break;
    }
    return true;
  }

  /// Sign of the determinant of dr/dz at the last step of `solve`; 0 where it is singular.
  double side() const { return side_; }

 private:
  void find_side() {
    const std::size_t n = system_.tops();
    side_ = 1;
    for (std::size_t i = 0; i < n; ++i)
      if ((matrix_[i * n + i] < 0) != (exchange_[i] != i)) side_ = -side_;
  }

  void fill_matrix() {
    const std::size_t n = system_.tops();
    const solve::SparsePattern& pattern = system_.top_pattern();
    std::fill(matrix_.begin(), matrix_.end(), 0.0);
    const double* entry = values_.data() + n + system_.state_pattern().entries();
    for (std::size_t i = 0; i < n; ++i)
      for (std::uint32_t e = pattern.row_start[i]; e < pattern.row_start[i + 1]; ++e)
        matrix_[i * n + pattern.column[e]] = *entry++;
  }

  bool nearly_singular() const {
    const std::size_t n = system_.tops();
    double largest = 0, smallest = std::abs(matrix_[0]);
    for (std::size_t i = 0; i < n; ++i) {
      largest = std::max(largest, std::abs(matrix_[i * n + i]));
      smallest = std::min(smallest, std::abs(matrix_[i * n + i]));
    }
    return smallest < singular * largest;
  }

  /// Complete pivoting on the matrix with rows and columns scaled; returns its rank.
  std::size_t solve_determined() {
    const std::size_t n = system_.tops();
    double* const a = matrix_.data();
    double* const r = values_.data();
    for (std::size_t i = 0; i < n; ++i) {
      double largest = 0;
      for (std::size_t j = 0; j < n; ++j) largest = std::max(largest, std::abs(a[i * n + j]));
      if (largest == 0) continue;
      for (std::size_t j = 0; j < n; ++j) a[i * n + j] /= largest;
      r[i] /= largest;
    }
    for (std::size_t j = 0; j < n; ++j) {
      scale_[j] = 0;
      for (std::size_t i = 0; i < n; ++i) scale_[j] = std::max(scale_[j], std::abs(a[i * n + j]));
      if (scale_[j] == 0) scale_[j] = 1;
      for (std::size_t i = 0; i < n; ++i) a[i * n + j] /= scale_[j];
      column_[j] = j;
    }
    std::size_t rank = 0;
    for (; rank < n; ++rank) {
      std::size_t row = rank, column = rank;
      for (std::size_t i = rank; i < n; ++i)
        for (std::size_t j = rank; j < n; ++j)
          if (std::abs(a[i * n + j]) > std::abs(a[row * n + column])) row = i, column = j;
      if (!(std::abs(a[row * n + column]) > dependent)) break;
      for (std::size_t j = 0; j < n; ++j) std::swap(a[rank * n + j], a[row * n + j]);
      for (std::size_t i = 0; i < n; ++i) std::swap(a[i * n + rank], a[i * n + column]);
      std::swap(r[rank], r[row]);
      std::swap(column_[rank], column_[column]);
      for (std::size_t i = rank + 1; i < n; ++i) {
        const double factor = a[i * n + rank] / a[rank * n + rank];
        subtract_row(factor, a + rank * n, rank, n, a + i * n);
        r[i] -= factor * r[rank];
      }
    }
    substitute_back(a, rank, n, r, r);
    std::fill(change_.begin(), change_.end(), 0.0);
    for (std::size_t k = 0; k < rank; ++k) change_[column_[k]] = r[k] / scale_[column_[k]];
    return rank;
  }

  static constexpr int most_iterations = 3;  // mechanisms are linear in them
  static constexpr double singular = 1e-11, settled = 1e-12;
  static constexpr double dependent = 1e-10;  // a pivot of rounding errors, entries being 1 at most
  ReducedSystem& system_;
  std::vector<double> values_, matrix_, change_, scale_;
  std::vector<std::size_t> exchange_, column_;
  double side_ = 0;
};

}  // namespace daedal::boundary
