// Jacobi's elliptic functions and the pendulum they solve, by the arithmetic-geometric mean
// [AbramowitzStegun1964, 16.4].
#pragma once

#include <cmath>

namespace daedal::support {

struct JacobiFunctions {
  double sn = 0, cn = 1, dn = 1;
};

inline JacobiFunctions jacobi(double u, double k) {
  constexpr int most = 16;
  double a[most + 1] = {1}, c[most + 1] = {k};
  double b = std::sqrt(1 - k * k);
  int n = 0;
  while (n < most && std::abs(c[n]) > 1e-17 * a[n]) {
    a[n + 1] = (a[n] + b) / 2;
    c[n + 1] = (a[n] - b) / 2;
    b = std::sqrt(a[n] * b);
    ++n;
  }
  double phi = std::ldexp(a[n] * u, n);
  for (int i = n; i > 0; --i) phi = (phi + std::asin(c[i] / a[i] * std::sin(phi))) / 2;
  const double sn = std::sin(phi), cn = std::cos(phi);
  const double dn = n == 0 ? 1.0 : std::sqrt(1 - k * k * sn * sn);
  return {sn, cn, dn};
}

/// A pendulum of length `length` released at rest from the horizontal (x = length, y = 0).
struct HorizontalPendulum {
  double length = 1, gravity = 9.81;
  struct State {
    double x, y, vx, vy;
  };
  double frequency() const { return std::sqrt(gravity / length); }
  double period() const { return 4 * std::comp_ellint_1(std::sqrt(0.5)) / frequency(); }
  /// sin(theta/2) = k cd(omega t), theta from the lowest position, k = sin(pi/4).
  State at(double t) const {
    const double k = std::sqrt(0.5);
    // one period at a time: the phase of a large argument would lose digits
    const double reduced = std::fmod(t, period());
    const JacobiFunctions j = jacobi(frequency() * reduced, k);
    const double half_sine = k * j.cn / j.dn;  // sin(theta/2)
    const double theta = 2 * std::asin(half_sine);
    // d/du cd(u) = -(1 - k^2) sn / dn^2
    const double rate = 2 / std::sqrt(1 - half_sine * half_sine) * k * frequency() * -(1 - k * k) *
                        j.sn / (j.dn * j.dn);
    return {length * std::sin(theta), -length * std::cos(theta), length * rate * std::cos(theta),
            length * rate * std::sin(theta)};
  }
};

}  // namespace daedal::support
