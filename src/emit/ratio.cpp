#include "ratio.hpp"

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <numeric>

namespace daedal::emit {

namespace {

constexpr double largest = 1e15;  // whole numbers below are exact, their sums too

bool whole(double x) { return x == std::floor(x) && std::abs(x) < largest; }

double divisor(double a, double b) {
  return static_cast<double>(std::gcd(static_cast<std::int64_t>(a), static_cast<std::int64_t>(b)));
}

/// 0.30000000000000004 is 0.3: fifteen digits, where that is the number up to its rounding.
double short_number(double x) {
  const double scale = std::pow(10.0, 14 - std::floor(std::log10(std::abs(x))));
  const double rounded = std::round(x * scale) / scale;
  return std::abs(rounded - x) <= 4e-16 * std::abs(x) ? rounded : x;
}

Ratio reduced(double numerator, double denominator) {
  if (numerator == 0) return {0, 1};
  if (denominator < 0) return reduced(-numerator, -denominator);
  if (denominator > largest || !whole(denominator))
    return {short_number(numerator / denominator), 1};
  if (!whole(numerator)) return {short_number(numerator), denominator};
  const double factor = divisor(numerator, denominator);
  return {numerator / factor, denominator / factor};
}

}  // namespace

Ratio Ratio::of(double value) {
  for (double scale = 1; scale <= 1024; scale *= 2)
    if (whole(value * scale)) return {value * scale, scale};
  constexpr double rounding = 1e-15;  // 4 units in the last place, as 2*cos(4*pi/3) has
  for (const double scale : {1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0}) {
    const double nearest = std::round(value * scale);
    if (nearest != 0 && std::abs(value * scale - nearest) <= rounding * std::abs(nearest))
      return reduced(nearest, scale);
  }
  return {value, 1};
}

bool Ratio::is_whole() const { return whole(numerator); }

Ratio operator*(Ratio a, Ratio b) {
  return reduced(a.numerator * b.numerator, a.denominator * b.denominator);
}

Ratio operator+(Ratio a, Ratio b) {
  if (a.denominator == b.denominator) return reduced(a.numerator + b.numerator, a.denominator);
  return reduced(a.numerator * b.denominator + b.numerator * a.denominator,
                 a.denominator * b.denominator);
}

Ratio inverse(Ratio a) { return reduced(a.denominator, a.numerator); }

Ratio common(Ratio a, Ratio b) {
  if (!a.is_whole() || !b.is_whole() || a.denominator != b.denominator) return {};
  return reduced(divisor(a.numerator, b.numerator), a.denominator);
}

}  // namespace daedal::emit
