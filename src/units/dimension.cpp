#include "daedal/units/dimension.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numeric>

namespace daedal::model {

// ---- exponents

Rational::Rational(std::int64_t numerator, std::int64_t denominator) {
  const std::int64_t divisor = std::gcd(numerator, denominator) * (denominator < 0 ? -1 : 1);
  numerator_ = numerator / divisor;
  denominator_ = denominator / divisor;
}

double Rational::value() const {
  return static_cast<double>(numerator_) / static_cast<double>(denominator_);
}

std::string Rational::text() const {
  return is_whole() ? fmt::format("{}", numerator_)
                    : fmt::format("({}/{})", numerator_, denominator_);
}

bool Rational::is_absurd() const {
  constexpr std::int64_t bound = 1'000'000;  // products of two stay far from overflow
  return numerator_ > bound || numerator_ < -bound || denominator_ > bound;
}

Rational operator+(Rational a, Rational b) {
  if (a.denominator_ == 1 && b.denominator_ == 1) return Rational(a.numerator_ + b.numerator_);
  return {a.numerator_ * b.denominator_ + b.numerator_ * a.denominator_,
          a.denominator_ * b.denominator_};
}

Rational operator*(Rational a, Rational b) {
  if (a.denominator_ == 1 && b.denominator_ == 1) return Rational(a.numerator_ * b.numerator_);
  return {a.numerator_ * b.numerator_, a.denominator_ * b.denominator_};
}

Rational operator/(Rational a, Rational b) {
  return {a.numerator_ * b.denominator_, a.denominator_ * b.numerator_};
}

std::optional<Rational> simple_fraction(double value) {
  constexpr double largest = 1000, rounding = 1e-12;
  for (const int denominator : {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12}) {
    const double numerator = value * denominator;
    if (std::abs(numerator) > largest) continue;
    if (std::abs(numerator - std::round(numerator)) > rounding * std::abs(numerator)) continue;
    return Rational(std::llround(numerator), denominator);
  }
  return std::nullopt;
}

// ---- dimensions

Dimension Dimension::to_the(Rational exponent) const {
  Dimension result;
  for (std::size_t i = 0; i < exponents.size(); ++i) result.exponents[i] = exponents[i] * exponent;
  return result;
}

Dimension operator*(const Dimension& a, const Dimension& b) {
  Dimension result;
  for (std::size_t i = 0; i < a.exponents.size(); ++i)
    result.exponents[i] = a.exponents[i] + b.exponents[i];
  return result;
}

Dimension operator/(const Dimension& a, const Dimension& b) { return a * b.to_the(-1); }

}  // namespace daedal::model
