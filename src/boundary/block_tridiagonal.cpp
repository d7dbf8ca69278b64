#include "daedal/boundary/block_tridiagonal.hpp"

#include "daedal/base/lanes.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace daedal::boundary {

namespace {

constexpr std::size_t lanes = 8;  // rows are filled up to a multiple of them
constexpr std::size_t panel = 4;  // pivots that act on the rest of the matrix at once

/// to[l] -= sum of factor[p] * from[p * width + l] over p < count, l < many. Left to itself the compiler vectorises across rows.
template <std::size_t count, std::size_t many>
inline void subtract_chunk(const double* factor, const double* from, std::size_t width,
                           double* to) {
  using Lanes = daedal::Lanes<many>;
  Lanes sum;
  for (std::size_t k = 0; k < Lanes::registers; ++k) {
    sum.part[k] = Lanes::load(to, k);
    for (std::size_t p = 0; p < count; ++p)
      sum.part[k] -= factor[p] * Lanes::load(from + p * width, k);
  }
  sum.store(to);
}

/// The same for columns [first, last), multiples of a panel and of the lanes.
template <std::size_t count>
void subtract_rows(const double* factor, const double* from, std::size_t width, std::size_t first,
                   std::size_t last, double* row) {
  std::size_t j = first;
  if (j % lanes != 0) {
    subtract_chunk<count, panel>(factor, from + j, width, row + j);
    j += panel;
  }
  for (; j < last; j += lanes) subtract_chunk<count, lanes>(factor, from + j, width, row + j);
}

void subtract_rows(std::size_t count, const double* factor, const double* from, std::size_t width,
                   std::size_t first, std::size_t last, double* row) {
  std::size_t p = 0;
  for (; p + panel <= count; p += panel)
    subtract_rows<panel>(factor + p, from + p * width, width, first, last, row);
  for (; p < count; ++p) subtract_rows<1>(factor + p, from + p * width, width, first, last, row);
}

/// Pivots first .. first+panel-1 (or n-1) within their own columns, held side by side in `columns`; rows of `a` are
/// exchanged whole.
bool factor_panel(double* a, std::size_t n, std::size_t width, std::size_t first,
                  std::uint32_t* exchange, double* columns) {
  for (std::size_t i = first; i < n; ++i)
    std::copy_n(a + i * width + first, panel, columns + i * panel);
  for (std::size_t c = 0; c < panel && first + c < n; ++c) {
    const std::size_t k = first + c;
    std::size_t best = k;
    double largest = std::abs(columns[k * panel + c]);
    for (std::size_t i = k + 1; i < n; ++i)
      if (const double size = std::abs(columns[i * panel + c]); size > largest)
        largest = size, best = i;
    exchange[k] = static_cast<std::uint32_t>(best);
    if (best != k) {
      std::swap_ranges(a + k * width, a + (k + 1) * width, a + best * width);
      std::swap_ranges(columns + k * panel, columns + (k + 1) * panel, columns + best * panel);
    }
    if (!(largest > 0) || !std::isfinite(largest)) return false;
    const double inverse = 1 / columns[k * panel + c];
    double behind[panel] = {};  // of the pivot's row
    std::copy(columns + k * panel + c + 1, columns + (k + 1) * panel, behind + c + 1);
    for (std::size_t i = k + 1; i < n; ++i) {
      double* const row = columns + i * panel;
      const double factor = row[c] * inverse;
      subtract_chunk<1, panel>(&factor, behind, 0, row);
      row[c] = factor;
    }
  }
  for (std::size_t i = first; i < n; ++i)
    std::copy_n(columns + i * panel, panel, a + i * width + first);
  return true;
}

/// sum of a[j] * b[j] over j < count: lane by lane, then the lanes, then what is left over.
double product(const double* a, const double* b, std::size_t count) {
  using Lanes = daedal::Lanes<lanes>;
  Lanes sums;
  std::size_t j = 0;
  for (; j + lanes <= count; j += lanes)
    for (std::size_t k = 0; k < Lanes::registers; ++k)
      sums.part[k] += Lanes::load(a + j, k) * Lanes::load(b + j, k);
  double s[lanes];
  sums.store(s);
  double sum = ((s[0] + s[4]) + (s[1] + s[5])) + ((s[2] + s[6]) + (s[3] + s[7]));
  for (; j < count; ++j) sum += a[j] * b[j];
  return sum;
}

}  // namespace

BlockTridiagonal::BlockTridiagonal(std::size_t blocks, solve::SparsePattern pattern)
    : blocks_(blocks),
      n_(pattern.rows),
      stride_((n_ + lanes - 1) / lanes * lanes),
      pattern_(std::move(pattern)),
      rows_(blocks * n_ * 2 * stride_),
      lower_(blocks * pattern_.entries()),
      upper_(blocks * pattern_.entries()),
      exchange_(blocks * n_),
      columns_((n_ + panel) * panel) {}

bool BlockTridiagonal::eliminate(std::size_t i) {
  const std::size_t n = n_, width = 2 * stride_;
  const std::size_t used = i + 1 < blocks_ ? width : stride_;  // the last block has no W
  double* const a = diagonal(i);
  const double *lower_entry = lower(i), *upper_entry = upper(i);
  for (std::size_t r = 0; r < n; ++r) {
    double* const row = a + r * width;
    std::fill(row + stride_, row + width, 0.0);
    for (std::uint32_t e = pattern_.row_start[r]; e < pattern_.row_start[r + 1]; ++e) {
      row[stride_ + pattern_.column[e]] = *upper_entry++;
      if (i > 0) subtract_rows<1>(lower_entry, step(i - 1, pattern_.column[e]), 0, 0, stride_, row);
      ++lower_entry;
    }
  }
  std::uint32_t* const exchange = exchange_.data() + i * n;
  for (std::size_t k = 0; k < n; k += panel) {
    if (!factor_panel(a, n, width, k, exchange, columns_.data())) return false;
    const std::size_t end = k + panel;
    for (std::size_t r = k + 1; r < std::min(end, n); ++r)
      subtract_rows(r - k, a + r * width + k, a + k * width, width, end, used, a + r * width);
    for (std::size_t r = end; r < n; ++r)
      subtract_rows<panel>(a + r * width + k, a + k * width, width, end, used, a + r * width);
  }
  for (std::size_t r = n; r-- > 0;) {  // W, row by row from the last
    double* const row = a + r * width;
    subtract_rows(n - r - 1, row + r + 1, a + (r + 1) * width, width, stride_, used, row);
    const double inverse = 1 / row[r];
    for (std::size_t j = stride_; j < used; ++j) row[j] *= inverse;
  }
  return true;
}

/// b becomes E_i^-1 b.
void BlockTridiagonal::solve_block(std::size_t i, double* b) const {
  const std::size_t n = n_, width = 2 * stride_;
  const double* const a = rows_.data() + i * n * width;
  for (std::size_t k = 0; k < n; ++k) std::swap(b[k], b[exchange_[i * n + k]]);
  for (std::size_t r = 1; r < n; ++r) b[r] -= product(a + r * width, b, r);
  for (std::size_t r = n; r-- > 0;)
    b[r] = (b[r] - product(a + r * width + r + 1, b + r + 1, n - r - 1)) / a[r * width + r];
}

void BlockTridiagonal::solve(double* b) const {
  const std::size_t n = n_;
  for (std::size_t i = 0; i < blocks_; ++i) {
    double* const here = b + i * n;
    if (i > 0) {
      const double* entry = lower_.data() + i * pattern_.entries();
      for (std::size_t r = 0; r < n; ++r)
        for (std::uint32_t e = pattern_.row_start[r]; e < pattern_.row_start[r + 1]; ++e)
          here[r] -= *entry++ * here[static_cast<std::ptrdiff_t>(pattern_.column[e]) -
                                     static_cast<std::ptrdiff_t>(n)];
    }
    solve_block(i, here);
  }
  for (std::size_t i = blocks_ - 1; i-- > 0;) {
    double* const here = b + i * n;
    for (std::size_t r = 0; r < n; ++r) here[r] -= product(step(i, r), here + n, n);
  }
}

}  // namespace daedal::boundary
