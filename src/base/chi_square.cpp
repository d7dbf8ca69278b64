#include "daedal/base/chi_square.hpp"

#include <cmath>
#include <limits>

namespace daedal::base {

namespace {

constexpr double smallest = std::numeric_limits<double>::min();
constexpr double rounding = std::numeric_limits<double>::epsilon();

/// P(a, x) = x^a e^-x/Gamma(a) sum x^n/(a (a + 1) ... (a + n)) [AbramowitzStegun1964, 6.5.29], for x below a + 1.
double by_series(double a, double x) {
  double term = 1 / a, sum = term;
  for (double n = 1; term > rounding * sum; ++n) sum += term *= x / (a + n);
  return sum * std::exp(a * std::log(x) - x - std::lgamma(a));
}

/// 1 - P(a, x) by the continued fraction [AbramowitzStegun1964, 6.5.31] in Lentz's form, for x above a + 1.
double beyond_by_fraction(double a, double x) {
  double b = x + 1 - a, c = 1 / smallest, d = 1 / b, product = d;
  for (double n = 1;; ++n) {
    const double numerator = n * (a - n);
    b += 2;
    d = 1 / (numerator * d + b);
    c = b + numerator / c;
    const double factor = c * d;
    product *= factor;
    if (std::abs(factor - 1) <= 4 * rounding) break;
  }
  return product * std::exp(a * std::log(x) - x - std::lgamma(a));
}

}  // namespace

double chi_square_below(double degrees, double x) {
  if (!(x > 0)) return 0;
  const double a = degrees / 2, y = x / 2;
  return y < a + 1 ? by_series(a, y) : 1 - beyond_by_fraction(a, y);
}

double chi_square_quantile(double degrees, double share) {
  double low = 0, high = degrees + 1;
  while (chi_square_below(degrees, high) < share) high *= 2;
  for (int k = 0; k < 200 && high - low > rounding * high; ++k) {
    const double middle = (low + high) / 2;
    (chi_square_below(degrees, middle) < share ? low : high) = middle;
  }
  return (low + high) / 2;
}

}  // namespace daedal::base
