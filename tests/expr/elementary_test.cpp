// One value per argument: scalar and array versions agree to the last bit, and both are within an ulp of the truth.
#include "daedal/expr/elementary.hpp"

#include "expr/elementary_lanes.hpp"
#include "support/special_doubles.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#define DAEDAL_DECLARE_SCALAR(name) double Sleef_cinz_##name##d1_u10purec(double);
extern "C" {
DAEDAL_UNARY(DAEDAL_DECLARE_SCALAR)
daedal::expr::elementary::SinCos Sleef_cinz_sincosd1_u10purec(double);
}

namespace daedal::expr::elementary {
namespace {

const std::vector<Op> unary_ops{Op::sin,  Op::cos,  Op::tan,  Op::asin, Op::acos, Op::atan,
                                Op::sinh, Op::cosh, Op::tanh, Op::exp,  Op::log};
const std::vector<Op> binary_ops{Op::pow, Op::atan2};

// Special values, every magnitude by random bits, and the range where mechanisms live.
std::vector<double> inputs(std::uint64_t seed, std::size_t count) {
  std::vector<double> x = test::special_doubles(
      {1e22, -1e22, 1e300, 1.7976931348623157e308, 14, 15, 1e14, 709.78, 710, -745.1, -746, M_PI,
       M_PI_2, 2, 3, -3, 1023, std::nextafter(1, 0), std::nextafter(1, 2)});
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> usual(-8, 8), unit(-1, 1);
  while (x.size() < count) {
    x.push_back(std::bit_cast<double>(random()));
    x.push_back(usual(random));
    x.push_back(unit(random));
  }
  return x;
}

// All NaNs are one value: its payload is not part of the promise.
std::uint64_t bits(double v) {
  return std::isnan(v) ? 0x7ff8000000000000u : std::bit_cast<std::uint64_t>(v);
}

TEST(Elementary, array_functions_give_the_bits_of_the_scalar_functions) {
  const std::vector<double> x = inputs(1, 30000);
  for (Op op : unary_ops) {
    std::vector<double> y(x.size());
    unary_array(op)(x.data(), y.data(), x.size());
    for (std::size_t i = 0; i < x.size(); ++i)
      ASSERT_EQ(bits(y[i]), bits(unary(op)(x[i]))) << "op " << int(op) << " x " << x[i];
  }
}

TEST(Elementary, two_operand_array_functions_give_the_bits_of_the_scalar_functions) {
  std::vector<double> x = inputs(2, 30000), y = inputs(3, 30000), z(x.size());
  for (std::size_t shift : {0, 1, 5, 7, 11}) {  // every pair of special values meets some other
    std::rotate(y.begin(), y.begin() + static_cast<std::ptrdiff_t>(shift), y.end());
    for (Op op : binary_ops) {
      binary_array(op)(x.data(), y.data(), z.data(), z.size());
      for (std::size_t i = 0; i < x.size(); ++i)
        ASSERT_EQ(bits(z[i]), bits(binary(op)(x[i], y[i])))
            << "op " << int(op) << " x " << x[i] << " y " << y[i];
    }
  }
}

TEST(Elementary, every_length_and_place_in_the_array_gives_the_same_bits) {
  const std::vector<double> x = inputs(4, 200);
  for (Op op : unary_ops)
    for (std::size_t n = 0; n <= 19; ++n)
      for (std::size_t start = 0; start < 60; start += 3) {
        std::vector<double> y(x.begin() + static_cast<std::ptrdiff_t>(start),
                              x.begin() + static_cast<std::ptrdiff_t>(start + n));
        unary_array(op)(y.data(), y.data(), n);  // in place
        for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(bits(y[i]), bits(unary(op)(x[start + i])));
      }
}

TEST(Elementary, a_pair_is_its_two_halves) {
  const std::vector<double> x = inputs(6, 3000);
  std::vector<double> s(x.size()), c(x.size());
  elementary::sincos(x.data(), s.data(), c.data(), x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const SinCos pair = elementary::sincos(x[i]);
    ASSERT_EQ(bits(s[i]), bits(pair.sin)) << x[i];
    ASSERT_EQ(bits(c[i]), bits(pair.cos)) << x[i];
    ASSERT_EQ(bits(s[i]), bits(elementary::sin(x[i]))) << x[i];
    ASSERT_EQ(bits(c[i]), bits(elementary::cos(x[i]))) << x[i];
  }
}

#if defined(__x86_64__)
// The two fused widths must agree wherever both run; a machine with eight lanes would otherwise differ from one with four.
TEST(Elementary, four_lanes_give_the_bits_of_eight) {
  if (!__builtin_cpu_supports("fma") || !__builtin_cpu_supports("avx2"))
    GTEST_SKIP() << "no AVX2 here";
  const std::vector<double> x = inputs(7, 30000);
  std::vector<double> y(x.size()), z(x.size());
  const auto same = [&](auto four, Op op) {
    four(x.data(), y.data(), x.size());
    unary_array(op)(x.data(), z.data(), x.size());
    for (std::size_t i = 0; i < x.size(); ++i)
      ASSERT_EQ(bits(y[i]), bits(z[i])) << int(op) << " " << x[i];
  };
  same(avx2::sin, Op::sin);
  same(avx2::cos, Op::cos);
#define DAEDAL_SAME(name) same(avx2::name, Op::name);
  DAEDAL_UNARY(DAEDAL_SAME)
}

// Without fused multiply-add another family answers, and its two lanes agree with its scalars just the same.
TEST(Elementary, two_lanes_without_fused_multiply_add_give_the_bits_of_their_scalars) {
  const std::vector<double> x = inputs(8, 30000);
  std::vector<double> y(x.size());
  const auto same = [&](auto two, auto scalar) {
    two(x.data(), y.data(), x.size());
    for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(bits(y[i]), bits(scalar(x[i]))) << x[i];
  };
  same(sse2::sin, [](double v) { return Sleef_cinz_sincosd1_u10purec(v).sin; });
  same(sse2::cos, [](double v) { return Sleef_cinz_sincosd1_u10purec(v).cos; });
#define DAEDAL_SAME_TWO(name) same(sse2::name, Sleef_cinz_##name##d1_u10purec);
  DAEDAL_UNARY(DAEDAL_SAME_TWO)
}
#endif

TEST(Elementary, named_functions_are_the_tabulated_ones) {
  const double x = 0.7321;
  EXPECT_EQ(elementary::sin(x), unary(Op::sin)(x));
  EXPECT_EQ(elementary::log(x), unary(Op::log)(x));
  EXPECT_EQ(elementary::pow(x, 1.3), binary(Op::pow)(x, 1.3));
  EXPECT_EQ(elementary::atan2(x, -1.3), binary(Op::atan2)(x, -1.3));
  EXPECT_EQ(unary(Op::sqrt), nullptr);
  EXPECT_EQ(binary(Op::add), nullptr);
}

// 1.0 ulp is the promise of the u10 functions; long double libm has 11 more bits, which is truth enough here.
TEST(Elementary, values_are_within_one_ulp) {
  using Long = long double;
  struct Case {
    Op op;
    Long (*truth)(Long);
    double low, high;
  };
  const std::vector<Case> cases{{Op::sin, std::sin, -50, 50},   {Op::cos, std::cos, -50, 50},
                                {Op::tan, std::tan, -50, 50},   {Op::asin, std::asin, -1, 1},
                                {Op::acos, std::acos, -1, 1},   {Op::atan, std::atan, -20, 20},
                                {Op::sinh, std::sinh, -20, 20}, {Op::cosh, std::cosh, -20, 20},
                                {Op::tanh, std::tanh, -20, 20}, {Op::exp, std::exp, -50, 50},
                                {Op::log, std::log, 1e-9, 50}};
  std::mt19937_64 random(5);
  for (const Case& c : cases) {
    std::uniform_real_distribution<double> uniform(c.low, c.high);
    for (int i = 0; i < 5000; ++i) {
      const double x = uniform(random), y = unary(c.op)(x);
      const double ulp = std::nextafter(std::abs(y), INFINITY) - std::abs(y);
      ASSERT_LE(std::abs(static_cast<double>(Long{y} - c.truth(Long{x}))), 1.001 * ulp)
          << int(c.op) << " " << x;
    }
  }
}

TEST(Elementary, special_values_are_those_of_the_c_standard) {
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(std::signbit(elementary::sin(-0.0)));
  EXPECT_EQ(elementary::cos(0.0), 1);
  EXPECT_TRUE(std::isnan(elementary::sin(inf)));
  EXPECT_EQ(elementary::exp(-inf), 0);
  EXPECT_EQ(elementary::exp(inf), inf);
  EXPECT_EQ(elementary::log(0.0), -inf);
  EXPECT_TRUE(std::isnan(elementary::log(-1.0)));
  EXPECT_EQ(elementary::atan2(0.0, -1.0), M_PI);
  EXPECT_EQ(elementary::atan2(-0.0, -1.0), -M_PI);
  EXPECT_EQ(elementary::pow(0.0, 0.0), 1);
  EXPECT_EQ(elementary::pow(-8.0, 3.0), -512);
  EXPECT_TRUE(std::isnan(elementary::pow(-8.0, 0.5)));
  EXPECT_EQ(elementary::tanh(inf), 1);
  EXPECT_TRUE(std::isnan(elementary::asin(1.5)));
}

}  // namespace
}  // namespace daedal::expr::elementary
