// Jacobi's elliptic functions and the pendulum they solve, by the arithmetic-geometric mean
// [AbramowitzStegun1964, 16.4 and 17.6].
#pragma once

#include <cmath>
#include <limits>
#include <numbers>

namespace daedal::support {

template <class T>
struct JacobiFunctions {
  T sn = 0, cn = 1, dn = 1;
};

template <class T>
JacobiFunctions<T> jacobi(T u, T k) {
  constexpr int most = 16;
  T a[most + 1] = {1}, c[most + 1] = {k};
  T b = std::sqrt(1 - k * k);
  int n = 0;
  while (n < most && std::abs(c[n]) > std::numeric_limits<T>::epsilon() / 16 * a[n]) {
    a[n + 1] = (a[n] + b) / 2;
    c[n + 1] = (a[n] - b) / 2;
    b = std::sqrt(a[n] * b);
    ++n;
  }
  T phi = std::ldexp(a[n] * u, n);
  for (int i = n; i > 0; --i) phi = (phi + std::asin(c[i] / a[i] * std::sin(phi))) / 2;
  const T sn = std::sin(phi), cn = std::cos(phi);
  const T dn = n == 0 ? T(1) : std::sqrt(1 - k * k * sn * sn);
  return {sn, cn, dn};
}

/// The complete integral K(k) = pi / (2 agm(1, sqrt(1 - k^2))).
template <class T>
T quarter_period(T k) {
  T a = 1, b = std::sqrt(1 - k * k);
  for (int i = 0; i < 12; ++i) {
    const T mean = (a + b) / 2;
    b = std::sqrt(a * b);
    a = mean;
  }
  return std::numbers::pi_v<T> / (2 * a);
}

/// A pendulum of length `length` released at rest from the horizontal (x = length, y = 0). The parameters are doubles as in
/// a model file; T is the precision of the solution.
template <class T = double>
struct HorizontalPendulum {
  double length = 1, gravity = 9.81;
  struct State {
    T x, y, vx, vy;
  };
  T frequency() const { return std::sqrt(T(gravity) / length); }
  T period() const { return 4 * quarter_period(std::sqrt(T(0.5))) / frequency(); }
  /// sin(theta/2) = k cd(omega t), theta from the lowest position, k = sin(pi/4).
  State at(double t) const {
    const T k = std::sqrt(T(0.5));
    // one period at a time: the phase of a large argument would lose digits
    const T reduced = std::fmod(T(t), period());
    const JacobiFunctions<T> j = jacobi(frequency() * reduced, k);
    const T half_sine = k * j.cn / j.dn;  // sin(theta/2)
    const T theta = 2 * std::asin(half_sine);
    // d/du cd(u) = -(1 - k^2) sn / dn^2
    const T rate = 2 / std::sqrt(1 - half_sine * half_sine) * k * frequency() * -(1 - k * k) *
                   j.sn / (j.dn * j.dn);
    return {length * std::sin(theta), -length * std::cos(theta), length * rate * std::cos(theta),
            length * rate * std::sin(theta)};
  }
};

}  // namespace daedal::support
