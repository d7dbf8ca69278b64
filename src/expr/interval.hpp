// Interval arithmetic with outward rounding: a result contains every value that its operands can give.
//
// A sum, product or quotient is rounded to nearest and moved outward by one unit in the last place where it is not exact (what
// was lost is a double itself, from TwoSum or a fused multiply-add), so zeros and constants stay points. Elementary functions
// are within 1 ulp [Shibata2020] and moved by two.
#pragma once

#include "daedal/expr/enclosure.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace daedal::expr {

namespace interval {

inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr Interval everything{-infinity, infinity};
inline constexpr Interval nothing{infinity, -infinity};

inline bool is_bounded(Interval a) { return std::isfinite(a.low) && std::isfinite(a.high); }

inline Interval point(double x) { return std::isnan(x) ? nothing : Interval{x, x}; }
inline Interval hull(Interval a, Interval b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}
inline Interval intersection(Interval a, Interval b) {
  return {std::max(a.low, b.low), std::min(a.high, b.high)};
}

inline double below(double x) { return std::nextafter(x, -infinity); }
inline double above(double x) { return std::nextafter(x, infinity); }
inline Interval widened(double low, double high) { return {below(below(low)), above(above(high))}; }
/// Wider by a part of its size.
inline Interval widened(Interval a, double relative) {
  return {below(a.low - relative * std::abs(a.low)), above(a.high + relative * std::abs(a.high))};
}

/// `rounded` and what rounding took from the exact value, or an infinity.
struct Rounded {
  double value = 0, lost = 0;
  double low() const {
    if (value == infinity) return std::numeric_limits<double>::max();
    return lost < 0 || std::isnan(lost) ? below(value) : value;
  }
  double high() const {
    if (value == -infinity) return std::numeric_limits<double>::lowest();
    return lost > 0 || std::isnan(lost) ? above(value) : value;
  }
};

inline Rounded sum(double a, double b) {
  const double value = a + b, part = value - a;
  return {value, (a - (value - part)) + (b - part)};
}

/// 0 times anything is 0: an infinite bound means large numbers.
inline Rounded product(double a, double b) {
  if (a == 0 || b == 0) return {};
  const double value = a * b;
  constexpr double tiny = 1e-280;  // below, the lost part may underflow
  const double lost =
      std::abs(value) < tiny ? std::numeric_limits<double>::quiet_NaN() : std::fma(a, b, -value);
  return {value, lost};
}

inline Interval operator-(Interval a) { return {-a.high, -a.low}; }

inline Interval operator+(Interval a, Interval b) {
  const double low = a.low == -infinity || b.low == -infinity ? -infinity : sum(a.low, b.low).low();
  const double high =
      a.high == infinity || b.high == infinity ? infinity : sum(a.high, b.high).high();
  return {low, high};
}
inline Interval operator-(Interval a, Interval b) { return a + (-b); }

inline Interval operator*(Interval a, Interval b) {
  Interval result = nothing;
  for (const double x : {a.low, a.high})
    for (const double y : {b.low, b.high}) {
      const Rounded p = product(x, y);
      const bool infinite = std::isinf(x) || std::isinf(y);
      result = hull(result, infinite && p.value != 0 ? Interval{p.value, p.value}
                                                     : Interval{p.low(), p.high()});
    }
  return result;
}

/// 1/a; unbounded towards the side of a zero at an end of a, everything with a zero inside.
inline Interval inverse(Interval a) {
  if (a.low < 0 && a.high > 0) return everything;
  if (a.low == 0 && a.high == 0) return everything;
  const auto quotient = [](double x) -> Interval {
    if (std::isinf(x)) return {0, 0};
    const double value = 1 / x;
    if (std::isinf(value)) return {value, value};
    return std::fma(value, x, -1.0) == 0 ? Interval{value, value}
                                         : Interval{below(value), above(value)};
  };
  if (a.low == 0) return {quotient(a.high).low, infinity};
  if (a.high == 0) return {-infinity, quotient(a.low).high};
  return {quotient(a.high).low, quotient(a.low).high};
}

inline Interval operator/(Interval a, Interval b) {
  if (a.low == 0 && a.high == 0) return {};
  if (!a.is_point() || !b.is_point() || b.low == 0 || !is_bounded(a) || !is_bounded(b))
    return a * inverse(b);
  const double value = a.low / b.low;
  if (!std::isfinite(value) || std::abs(value) < 1e-280) return a * inverse(b);
  return std::fma(value, b.low, -a.low) == 0 ? Interval{value, value}
                                             : Interval{below(value), above(value)};
}

}  // namespace interval

}  // namespace daedal::expr
