// The rest-to-rest polynomial of smoothness m and its derivatives, without cancellation: written in
// monomials, its coefficients alternate and grow like 8^m, and no digit is left at m = 20. With
// b = 4 s (1 - s) and y = 2 s - 1:
//   value: s_m = s^(m+1) sum_{k=0}^{m} binom(m+k, k) (1-s)^k, all terms positive, and
//     s_m(s) = 1 - s_m(1-s) above 1/2;
//   derivative n+1: c_m 2^n d^n/dy^n (1-y^2)^m with c_m = (2m+1) binom(2m, m) / 4^m, where
//     n <= m:  d^n/dy^n b^m = b^(m-n) r_n,
//              r_0 = 1,  r_{n+1} = 2 (n-m) y r_n + n (n-1-2m) b r_{n-1};
//     n >  m:  d^n/dy^n b^m = (-2)^m m! (2j-1)!! C_{m-j}^{(j+1/2)}(y),  j = n - m,
// the latter by Rodrigues' formula, derivatives of Legendre's polynomials being Gegenbauer's
// [AbramowitzStegun1964, sections 22.5 and 22.11]. The first recurrence loses all digits for n > m.
#include "daedal/expr/rest_to_rest.hpp"

#include "daedal/expr/graph.hpp"

#include <array>
#include <cassert>
#include <cmath>

namespace daedal::expr {
namespace {

// c_m = (2m+1) prod_{j=1}^{m} (2j-1)/(2j), in extended precision so that the table is right to the
// last bit or so.
constexpr std::array<double, max_smoothness + 1> make_peak_table() {
  std::array<double, max_smoothness + 1> table{};
  long double product = 1;
  for (int m = 0; m <= max_smoothness; ++m) {
    if (m > 0) product *= (2.0L * m - 1) / (2.0L * m);
    table[static_cast<std::size_t>(m)] = static_cast<double>((2 * m + 1) * product);
  }
  return table;
}
constexpr auto peak = make_peak_table();

// s_m(s) for 0 <= s <= 1/2.
double lower_half(double s, int m) {
  double term = 1, sum = 1;
  for (int k = 1; k <= m; ++k) {
    term *= (1 - s) * (m + k) / k;
    sum += term;
  }
  return integer_power(s, m + 1) * sum;
}

// A number mantissa * 2^exponent: factorials of 400 and powers of small numbers meet here, and only
// their product need be representable.
struct Scaled {
  double mantissa = 1;
  int exponent = 0;

  void operator*=(double factor) {
    int shift = 0;
    mantissa = std::frexp(mantissa * factor, &shift);
    exponent += shift;
  }
  void operator*=(const Scaled& other) {
    *this *= other.mantissa;
    exponent += other.exponent;
  }
  double value() const { return std::ldexp(mantissa, exponent); }
};

Scaled power(double base, int exponent) {
  int shift = 0;
  const double mantissa = std::frexp(base, &shift);  // in [1/2, 1): its power does not underflow
  return {integer_power(mantissa, exponent), shift * exponent};
}

constexpr double large = 0x1p400;

// 2^n d^n/dy^n (1-y^2)^m for n <= m.
Scaled differentiated_power(double s, int m, int n) {
  const double y = 2 * s - 1, b = 4 * s * (1 - s);
  double previous = 0, current = 1;  // 2^k r_k / 2^exponent
  int exponent = 0;
  for (int k = 0; k < n; ++k) {
    const double next = 4.0 * (k - m) * y * current + 4.0 * k * (k - 1 - 2 * m) * b * previous;
    previous = current;
    current = next;
    if (std::fabs(current) > large || std::fabs(previous) > large) {
      current /= large;
      previous /= large;
      exponent += 400;
    }
  }
  Scaled result{current, exponent};
  result *= power(b, m - n);
  return result;
}

// Gegenbauer's polynomial C_degree^(alpha)(y).
double gegenbauer(int degree, double alpha, double y) {
  double previous = 0, current = 1;
  for (int k = 1; k <= degree; ++k) {
    const double next = (2 * y * (k + alpha - 1) * current - (k + 2 * alpha - 2) * previous) / k;
    previous = current;
    current = next;
  }
  return current;
}

// 2^n d^n/dy^n (1-y^2)^m for m < n <= 2m.
Scaled differentiated_legendre(double s, int m, int n) {
  const int j = n - m;
  Scaled result{gegenbauer(m - j, j + 0.5, 2 * s - 1), 0};
  for (int k = 1; k <= m; ++k) result *= -4.0 * k;           // (-4)^m m!
  for (int k = 1; k <= j; ++k) result *= 2.0 * (2 * k - 1);  // 2^j (2j-1)!!
  return result;
}

double value_itself(double s, int smoothness) {
  if (s <= 0) return 0;
  if (s >= 1) return 1;
  return s <= 0.5 ? lower_half(s, smoothness) : 1 - lower_half(1 - s, smoothness);
}

// Derivative 1, 2, ...
Scaled differentiated(double s, int smoothness, int derivative) {
  const int n = derivative - 1;
  if (s < 0 || s > 1 || n > 2 * smoothness) return {0, 0};
  Scaled result = n <= smoothness ? differentiated_power(s, smoothness, n)
                                  : differentiated_legendre(s, smoothness, n);
  result *= peak[static_cast<std::size_t>(smoothness)];
  return result;
}

}  // namespace

double rest_to_rest_value(double s, int smoothness, int derivative) {
  assert(smoothness >= 0 && smoothness <= max_smoothness && derivative >= 0);
  return derivative == 0 ? value_itself(s, smoothness)
                         : differentiated(s, smoothness, derivative).value();
}

void rest_to_rest_coefficients(double s, int smoothness, int derivative, int count, double* out) {
  Scaled factorial;
  for (int n = 0; n < count; ++n) {
    if (n > 1) factorial *= n;
    if (derivative + n == 0) {
      out[n] = value_itself(s, smoothness);
      continue;
    }
    const Scaled wanted = differentiated(s, smoothness, derivative + n);
    out[n] =
        Scaled{wanted.mantissa / factorial.mantissa, wanted.exponent - factorial.exponent}.value();
  }
}

}  // namespace daedal::expr
