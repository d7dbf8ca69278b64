#include "balance.hpp"

#include <cmath>

namespace daedal::analyse {

namespace {

/// k with 2^k nearest to 1/norm.
int exponent_against(double norm) { return -static_cast<int>(std::lround(std::log2(norm))); }

template <class Line>
void scale(Line&& line, int exponent) {
  line *= std::ldexp(1.0, exponent);
}

}  // namespace

BalancedPencil balanced(Eigen::MatrixXd e, Eigen::MatrixXd a) {
  constexpr int sweeps = 12;  // converges in a few; beyond, powers of two may alternate
  BalancedPencil p{std::move(e), std::move(a)};
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    bool changed = false;
    const auto apply = [&](int exponent, auto e_line, auto a_line) {
      if (exponent == 0) return;
      scale(e_line, exponent);
      scale(a_line, exponent);
      p.rows_and_columns += exponent;
      changed = true;
    };
    const double e_norm = p.e.norm(), a_norm = p.a.norm();
    if (e_norm > 0 && a_norm > 0) {
      const int shift = exponent_against(e_norm / a_norm);
      p.e *= std::ldexp(1.0, shift);
      p.frequency += shift;
    }
    for (Eigen::Index i = 0; i < p.a.rows(); ++i)
      apply(exponent_against(std::hypot(p.e.row(i).norm(), p.a.row(i).norm())), p.e.row(i),
            p.a.row(i));
    for (Eigen::Index j = 0; j < p.a.cols(); ++j)
      apply(exponent_against(std::hypot(p.e.col(j).norm(), p.a.col(j).norm())), p.e.col(j),
            p.a.col(j));
    if (!changed) break;
  }
  return p;
}

}  // namespace daedal::analyse
