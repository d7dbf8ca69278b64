#include "daedal/pencil/balance.hpp"

#include <cmath>
#include <numeric>
#include <utility>

namespace daedal::analysis {

namespace {

/// k with 2^k nearest to 1/norm.
int exponent_against(double norm) { return -static_cast<int>(std::lround(std::log2(norm))); }

template <class Line>
void scale(Line&& line, int exponent) {
  line *= std::ldexp(1.0, exponent);
}

}  // namespace

long BalancedPencil::rows_and_columns() const {
  return std::accumulate(row.begin(), row.end(), 0L) +
         std::accumulate(column.begin(), column.end(), 0L);
}

BalancedPencil balanced(Eigen::MatrixXd e, Eigen::MatrixXd a) {
  constexpr int sweeps = 12;  // converges in a few; beyond, powers of two may alternate
  BalancedPencil p;
  p.e = std::move(e);
  p.a = std::move(a);
  p.row.assign(static_cast<std::size_t>(p.a.rows()), 0);
  p.column.assign(static_cast<std::size_t>(p.a.cols()), 0);
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    bool changed = false;
    const auto apply = [&](int& sum, auto e_line, auto a_line) {
      const int exponent = exponent_against(std::hypot(e_line.norm(), a_line.norm()));
      if (exponent == 0) return;
      scale(e_line, exponent);
      scale(a_line, exponent);
      sum += exponent;
      changed = true;
    };
    const double e_norm = p.e.norm(), a_norm = p.a.norm();
    if (e_norm > 0 && a_norm > 0) {
      const int shift = exponent_against(e_norm / a_norm);
      p.e *= std::ldexp(1.0, shift);
      p.frequency += shift;
    }
    for (Eigen::Index i = 0; i < p.a.rows(); ++i)
      apply(p.row[static_cast<std::size_t>(i)], p.e.row(i), p.a.row(i));
    for (Eigen::Index j = 0; j < p.a.cols(); ++j)
      apply(p.column[static_cast<std::size_t>(j)], p.e.col(j), p.a.col(j));
    if (!changed) break;
  }
  return p;
}

}  // namespace daedal::analysis
