// Physical dimensions, and the texts of units.
//
// A dimension is a list of exponents of kg, m, s, A, K, mol and cd. Angles are none: rad, deg and rev are numbers, which
// differ in their size. A unit is a dimension with a factor to the SI unit.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace daedal::model {

/// An exponent, in lowest terms.
class Rational {
 public:
  constexpr Rational() = default;
  constexpr Rational(std::int64_t whole) : numerator_(whole) {}
  Rational(std::int64_t numerator, std::int64_t denominator);

  std::int64_t numerator() const { return numerator_; }
  std::int64_t denominator() const { return denominator_; }
  bool is_zero() const { return numerator_ == 0; }
  bool is_whole() const { return denominator_ == 1; }
  double value() const;
  /// "2", "-1", "(1/2)"
  std::string text() const;
  /// Exponents that no formula has: calculation with them stops before it overflows.
  bool is_absurd() const;

  friend Rational operator+(Rational a, Rational b);
  friend Rational operator-(Rational a, Rational b) { return a + Rational(-1) * b; }
  friend Rational operator*(Rational a, Rational b);
  friend Rational operator/(Rational a, Rational b);
  friend bool operator==(const Rational&, const Rational&) = default;

 private:
  std::int64_t numerator_ = 0, denominator_ = 1;
};

/// A number as an exponent when it is a simple fraction: 2, -0.5, 1/3.
std::optional<Rational> simple_fraction(double value);

struct Dimension {
  std::array<Rational, 7> exponents;  // of kg, m, s, A, K, mol, cd

  bool is_none() const { return *this == Dimension(); }
  Dimension to_the(Rational exponent) const;
  friend Dimension operator*(const Dimension& a, const Dimension& b);
  friend Dimension operator/(const Dimension& a, const Dimension& b);
  friend bool operator==(const Dimension&, const Dimension&) = default;
};

namespace dimensions {
inline constexpr Dimension none{};
inline constexpr Dimension length{{0, 1, 0, 0, 0, 0, 0}};
inline constexpr Dimension time{{0, 0, 1, 0, 0, 0, 0}};
inline constexpr Dimension energy{{1, 2, -2, 0, 0, 0, 0}};
inline constexpr Dimension power{{1, 2, -3, 0, 0, 0, 0}};
}  // namespace dimensions

/// The SI unit of a dimension: "1", "J", "N*s/m", "kg*m^3".
std::string unit_text(const Dimension& dimension);
/// The same where forces are meant: "N*m" rather than "J".
std::string force_unit_text(const Dimension& dimension);

struct Unit {
  Dimension dimension;
  double numerator = 1, denominator = 1;  // of the factor to SI: a millimetre has 1 and 1000
  std::string si;                         // "m" of "mm", "rad/s" of "rpm"

  bool is_si() const { return numerator == denominator; }
  /// Rounded once for decimal units: 35 mm is the double nearest to 0.035.
  double to_si(double value) const { return is_si() ? value : value * numerator / denominator; }
};

struct UnitFault {
  std::size_t at = 0, length = 0;  // in the text
  std::string message, help;
};

/// Reads "kg*m^2/s", "1/(mol*K)", "kN", "Hz^(1/2)". Without a unit `fault` says why.
std::optional<Unit> parse_unit(std::string_view text, UnitFault* fault = nullptr);

/// The unit of a derivative in time: "m/s^2" of "m" and 2, "rad/s" of "rad" and 1; "" of "", and of what is no unit.
std::string derivative_unit(const std::string& unit, int order);
/// The SI unit of a quantity that gives J when it is multiplied by one in `unit`, a force; "" of "".
std::string conjugate_unit(const std::string& unit);

}  // namespace daedal::model
