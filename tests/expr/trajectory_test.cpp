// Rest-to-rest polynomials and piecewise polynomials against exact arithmetic.
#include "daedal/expr/graph.hpp"
#include "daedal/expr/rest_to_rest.hpp"
#include "support/bounds.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace daedal::expr {
namespace {

// Exact whole numbers of any size and sign: enough to evaluate s_m^(n) at s = p/2^k without
// rounding.
class Whole {
 public:
  Whole(long value = 0) : negative_(value < 0) {
    for (unsigned long rest = negative_ ? 0UL - static_cast<unsigned long>(value)
                                        : static_cast<unsigned long>(value);
         rest != 0; rest >>= 32) {
      digits_.push_back(static_cast<std::uint32_t>(rest));
    }
  }
  Whole operator*(std::uint32_t factor) const {
    Whole result = *this;
    std::uint64_t carry = 0;
    for (std::uint32_t& digit : result.digits_) {
      carry += std::uint64_t{digit} * factor;
      digit = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
    if (carry != 0) result.digits_.push_back(static_cast<std::uint32_t>(carry));
    result.trim();
    return result;
  }
  Whole operator/(std::uint32_t divisor) const {  // exact division only
    Whole result = *this;
    std::uint64_t rest = 0;
    for (auto digit = result.digits_.rbegin(); digit != result.digits_.rend(); ++digit) {
      rest = (rest << 32) | *digit;
      *digit = static_cast<std::uint32_t>(rest / divisor);
      rest %= divisor;
    }
    EXPECT_EQ(rest, 0u);
    result.trim();
    return result;
  }
  Whole operator-() const {
    Whole result = *this;
    result.negative_ = !negative_;
    return result;
  }
  Whole operator+(const Whole& other) const {
    if (negative_ != other.negative_) {
      return smaller(digits_, other.digits_) ? other.minus(*this) : minus(other);
    }
    Whole result = *this;
    result.digits_.resize(std::max(digits_.size(), other.digits_.size()) + 1);
    std::uint64_t carry = 0;
    for (std::size_t i = 0; i < result.digits_.size(); ++i) {
      carry += std::uint64_t{result.digits_[i]} + (i < other.digits_.size() ? other.digits_[i] : 0);
      result.digits_[i] = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
    result.trim();
    return result;
  }
  /// this / 2^shift, correctly rounded but for the last bit.
  long double scaled(int shift) const {
    long double value = 0;
    for (std::size_t i = digits_.size(); i-- > 0;) value = value * 4294967296.0L + digits_[i];
    return std::ldexp(negative_ ? -value : value, -shift);
  }

 private:
  using Digits = std::vector<std::uint32_t>;
  static bool smaller(const Digits& a, const Digits& b) {
    if (a.size() != b.size()) return a.size() < b.size();
    return std::lexicographical_compare(a.rbegin(), a.rend(), b.rbegin(), b.rend());
  }
  Whole minus(const Whole& other) const {  // magnitudes; |other| <= |this|
    Whole result = *this;
    std::int64_t borrow = 0;
    for (std::size_t i = 0; i < result.digits_.size(); ++i) {
      std::int64_t digit = std::int64_t{result.digits_[i]} - borrow -
                           (i < other.digits_.size() ? other.digits_[i] : 0);
      borrow = digit < 0;
      result.digits_[i] = static_cast<std::uint32_t>(digit + (borrow << 32));
    }
    result.trim();
    return result;
  }
  void trim() {
    while (!digits_.empty() && digits_.back() == 0) digits_.pop_back();
  }

  bool negative_ = false;
  Digits digits_;
};

// Monomial coefficients of s_m: C int (x - x^2)^m = sum_j (-1)^j C binom(m, j) x^(m+j+1)/(m+j+1),
// which are whole numbers.
std::vector<Whole> coefficients(int m) {
  const auto u = [](int i) { return static_cast<std::uint32_t>(i); };
  Whole c(2 * m + 1);  // (2m+1) binom(2m, m)
  for (int j = 1; j <= m; ++j) c = c * u(m + j) / u(j);
  std::vector<Whole> result(static_cast<std::size_t>(2 * m + 2));
  Whole binomial = c;  // C binom(m, j)
  for (int j = 0; j <= m; ++j) {
    const Whole term = binomial / u(m + j + 1);
    result[static_cast<std::size_t>(m + j + 1)] = j % 2 == 0 ? term : -term;
    binomial = binomial * u(m - j) / u(j + 1);
  }
  return result;
}

// s_m^(n)(p / 2^k), exact until the final conversion: 2^(k d) times the sum over powers up to d =
// 2m+1.
long double exact_value(int m, int n, int p, int k) {
  const std::vector<Whole> coefficient = coefficients(m);
  const int degree = 2 * m + 1;
  Whole sum;
  for (int j = degree; j >= n; --j) {
    Whole term = coefficient[static_cast<std::size_t>(j)];
    for (int i = 0; i < n; ++i) term = term * static_cast<std::uint32_t>(j - i);
    for (int i = 0; i < j - n; ++i) term = term * static_cast<std::uint32_t>(p);
    for (int i = 0; i < k * (degree - j); ++i) term = term * 2u;
    sum = sum + term;
  }
  return sum.scaled(k * (degree - n));
}

TEST(RestToRest, exact_coefficients_are_those_of_the_literature) {
  // s_4 and s_7: [Druecker2022], eqs. (4.10) and (4.5).
  const std::vector<long> s4 = {0, 0, 0, 0, 0, 126, -420, 540, -315, 70};
  const std::vector<long> s7 = {0,    0,      0,      0,       0,      0,      0,     0,
                                6435, -40040, 108108, -163800, 150150, -83160, 25740, -3432};
  const auto expect_equal = [](const std::vector<Whole>& found, const std::vector<long>& expected) {
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i)
      EXPECT_EQ(found[i].scaled(0), static_cast<long double>(expected[i]));
  };
  expect_equal(coefficients(4), s4);
  expect_equal(coefficients(7), s7);
}

// Errors relative to the largest value of the same derivative over the interval: a derivative has
// zeros, near which only the absolute error means anything.
double worst_error(int m, int n) {
  constexpr int k = 6;
  long double error = 0, largest = 0;
  for (int p = 0; p <= 1 << k; ++p) {
    const long double exact = exact_value(m, n, p, k);
    error = std::max(error, std::fabs(exact - rest_to_rest_value(std::ldexp(p, -k), m, n)));
    largest = std::max(largest, std::fabs(exact));
  }
  return static_cast<double>(error / largest);
}

TEST(RestToRest, all_derivatives_are_exact_to_rounding) {
  for (const int m : {0, 1, 2, 4, 7, 10, 20}) {
    for (int n = 0; n <= 2 * m + 1; ++n) {
      // every step of a recurrence of length n or 2m - n rounds a few times
      EXPECT_LT(worst_error(m, n), 1e-15 * (4 + m)) << "m = " << m << ", derivative " << n;
    }
  }
}

TEST(RestToRest, high_smoothness_keeps_its_digits) {
  for (const int n : {0, 1, 2, 20, 40, 41, 42, 60, 81}) {
    EXPECT_LT(worst_error(40, n), 1e-15 * 44) << "derivative " << n;
  }
}

TEST(RestToRest, values_are_accurate_relative_to_themselves_near_the_start) {
  for (const int m : {4, 20}) {
    for (int p = 1; p <= 32; ++p) {
      const auto exact = static_cast<double>(exact_value(m, 0, p, 10));
      EXPECT_NEAR(rest_to_rest_value(p / 1024.0, m, 0), exact, test::rounding(9 * (4 + m), exact));
    }
  }
}

TEST(RestToRest, is_at_rest_outside_and_one_sided_at_the_ends) {
  for (const int m : {0, 3, 8}) {
    EXPECT_EQ(rest_to_rest_value(-0.5, m, 0), 0);
    EXPECT_EQ(rest_to_rest_value(1.5, m, 0), 1);
    for (int n = 1; n <= m; ++n) {
      EXPECT_EQ(rest_to_rest_value(0, m, n), 0) << "smooth start";
      EXPECT_EQ(rest_to_rest_value(1, m, n), 0) << "smooth end";
    }
    for (int n = 1; n <= 2 * m + 2; ++n) {
      EXPECT_EQ(rest_to_rest_value(-1e-300, m, n), 0);
      EXPECT_EQ(rest_to_rest_value(std::nextafter(1.0, 2.0), m, n), 0);
    }
    // first derivative that jumps: (m+1)! times the coefficient of s^(m+1)
    const auto jump = static_cast<double>(exact_value(m, m + 1, 0, 0));
    EXPECT_NEAR(rest_to_rest_value(0, m, m + 1), jump, test::rounding(2 * m + 2, jump));
    EXPECT_EQ(rest_to_rest_value(0.3, m, 2 * m + 2), 0);
  }
}

TEST(RestToRest, largest_smoothness_is_finite_where_its_values_are) {
  EXPECT_NEAR(rest_to_rest_value(0.5, max_smoothness, 0), 0.5, test::rounding(max_smoothness, 0.5));
  for (const double s : {1e-9, 0.01, 0.3, 0.5, 0.8}) {
    for (const int n : {1, 2, 5, 20, 60})
      EXPECT_TRUE(std::isfinite(rest_to_rest_value(s, max_smoothness, n))) << s << " " << n;
  }
  EXPECT_EQ(rest_to_rest_value(0.5, max_smoothness, 600), 0)
      << "odd about the middle, although its factors overflow";
}

// ---- piecewise polynomials

const PiecewisePolynomial cubic_then_line{{0, 1, 3}, {1, 0, -2, 4, 3, 8, 0, 0}, 3, 1};

TEST(PiecewisePolynomial, uses_the_piece_that_starts_at_or_before_the_argument) {
  EXPECT_EQ(cubic_then_line.value(0, 0), 1);
  EXPECT_EQ(cubic_then_line.value(0.5, 0), 1 - 2 * 0.25 + 4 * 0.125);
  EXPECT_EQ(cubic_then_line.value(1, 0), 3);
  EXPECT_EQ(cubic_then_line.value(2, 0), 11);
}

TEST(PiecewisePolynomial, differentiates_exactly) {
  EXPECT_EQ(cubic_then_line.value(0.5, 1), -4 * 0.5 + 12 * 0.25);
  EXPECT_EQ(cubic_then_line.value(0.5, 2), -4 + 24 * 0.5);
  EXPECT_EQ(cubic_then_line.value(0.5, 3), 24);
  EXPECT_EQ(cubic_then_line.value(0.5, 4), 0);
  EXPECT_EQ(cubic_then_line.value(1, 1), 8);
}

TEST(PiecewisePolynomial, is_constant_beyond_its_ends) {
  EXPECT_EQ(cubic_then_line.value(-5, 0), 1);
  EXPECT_EQ(cubic_then_line.value(3, 0), 19);
  EXPECT_EQ(cubic_then_line.value(9, 0), 19);
  EXPECT_EQ(cubic_then_line.value(3, 1), 8);
  EXPECT_EQ(cubic_then_line.value(9, 1), 0);
  EXPECT_EQ(cubic_then_line.value(-1, 1), 0);
}

TEST(RestToRest, coefficients_are_derivatives_over_factorials_and_stay_finite_where_those_do_not) {
  double coefficients[30], factorial = 1;
  rest_to_rest_coefficients(0.3, 9, 1, 18, coefficients);
  for (int n = 0; n < 18; ++n) {
    if (n > 1) factorial *= n;
    const double wanted = rest_to_rest_value(0.3, 9, 1 + n) / factorial;
    EXPECT_NEAR(coefficients[n], wanted, test::rounding(4, wanted)) << n;
  }
  // At the beginning of smoothness m: coefficient m + 1 is binom(2m + 1, m), derivative m + 1 is (2m + 1)!/m!, 1e496 at m = 200.
  std::vector<double> many(202);
  rest_to_rest_coefficients(0, 200, 0, 202, many.data());
  long double binomial = 1;
  for (int k = 1; k <= 200; ++k) binomial = binomial * (201 + k) / k;
  EXPECT_EQ(many[200], 0);
  EXPECT_NEAR(many[201], static_cast<double>(binomial),
              test::rounding(2 * 201, static_cast<double>(binomial)));
}

}  // namespace
}  // namespace daedal::expr
