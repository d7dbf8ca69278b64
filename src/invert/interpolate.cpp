#include "interpolate.hpp"

#include "daedal/invert/desired_motion.hpp"
#include "daedal/system/break_points.hpp"

#include <algorithm>
#include <array>

namespace daedal::inversion {

namespace {

/// Value and three derivatives at both ends of a piece of length h, as a polynomial of degree 7 in the time since its
/// beginning. In s = time/h it is a(s) + s^4 q(s), where a knows the beginning and q the end.
std::array<double, 8> hermite(const std::array<double, 4>& begin, const std::array<double, 4>& end,
                              double h) {
  constexpr double binomial[4][4] = {{1, 1, 1, 1}, {0, 1, 2, 3}, {0, 0, 1, 3}, {0, 0, 0, 1}};
  constexpr double inverse_fourth_power[4] = {1, -4, 10, -20};  // of 1 + e
  std::array<double, 8> c{};
  std::array<double, 4> rest{}, q{};  // in powers of e = s - 1
  double scale = 1;
  for (std::size_t k = 0; k < 4; ++k) {
    if (k > 0) scale *= h / static_cast<double>(k);
    c[k] = scale * begin[k];
    rest[k] = scale * end[k];
  }
  for (std::size_t k = 0; k < 4; ++k)
    for (std::size_t n = k; n < 4; ++n) rest[k] -= binomial[k][n] * c[n];
  for (std::size_t k = 0; k < 4; ++k)
    for (std::size_t j = 0; j <= k; ++j) q[k] += inverse_fourth_power[k - j] * rest[j];
  for (std::size_t j = 0; j < 4; ++j)
    for (std::size_t k = j; k < 4; ++k)
      c[4 + j] += ((k - j) % 2 == 0 ? 1 : -1) * binomial[j][k] * q[k];
  double power = 1;
  for (double& coefficient : c) {
    coefficient /= power;
    power *= h;
  }
  return c;
}

}  // namespace

expr::PiecewisePolynomial interpolated(const Sampled& rows, std::size_t column) {
  expr::PiecewisePolynomial result;
  result.degree = 7;
  result.smoothness = 3;
  result.breaks = rows.pieces();
  for (std::size_t k = 0; k + 1 < result.breaks.size(); ++k) {
    const double begin = result.breaks[k], end = result.breaks[k + 1];
    const auto derivatives = [&](double at) {
      const Sampled::Stencil stencil = rows.stencil(0.5 * (begin + end), at, 3);
      std::array<double, 4> values{};
      for (int n = 0; n < 4 && stencil; ++n)
        values[static_cast<std::size_t>(n)] = rows.value(column, stencil, n);
      return values;
    };
    const std::array<double, 8> piece = hermite(derivatives(begin), derivatives(end), end - begin);
    result.coefficients.insert(result.coefficients.end(), piece.begin(), piece.end());
  }
  return result;
}

expr::PiecewisePolynomial motion_of(const InverseModel& inverse, const Table& rows,
                                    std::size_t column) {
  constexpr double ahead = 1e-3;  // [s], so that a joint at the start is seen
  const double first = rows.at(0, 0), last = rows.at(rows.rows() - 1, 0);
  return interpolated({rows, solve::break_points(inverse.problem, first - ahead, last)}, column);
}

}  // namespace daedal::inversion
