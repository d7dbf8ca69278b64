// Built-in functions and the user's own.
#include "elaborated.hpp"
#include "support/bounds.hpp"

#include <cmath>
#include <numbers>

namespace daedal::model {
namespace {

double at(const std::string& expression, double x) {
  return Elaborated("model m\nvariable x\noutput e = " + expression + "\n")("e", {{"x", x}});
}

TEST(Functions, are_those_of_the_textbook) {
  const double x = 0.37;
  const double ulp = 4e-16;  // the functions are right within about one unit in the last place
  EXPECT_NEAR(at("sin(x) + 2*cos(x) + 3*tan(x)", x),
              std::sin(x) + 2 * std::cos(x) + 3 * std::tan(x), 8 * ulp);
  EXPECT_NEAR(at("asin(x) + 2*acos(x) + 3*atan(x)", x),
              std::asin(x) + 2 * std::acos(x) + 3 * std::atan(x), 8 * ulp);
  EXPECT_NEAR(at("sinh(x) + 2*cosh(x) + 3*tanh(x)", x),
              std::sinh(x) + 2 * std::cosh(x) + 3 * std::tanh(x), 8 * ulp);
  EXPECT_NEAR(at("exp(x) + 2*log(x) + 3*sqrt(x)", x),
              std::exp(x) + 2 * std::log(x) + 3 * std::sqrt(x), 8 * ulp);
  EXPECT_NEAR(at("atan2(x, -1)", x), std::atan2(x, -1), 2 * ulp);
  EXPECT_EQ(at("abs(-x) + sign(-x) + floor(x)", x), x - 1);
  EXPECT_EQ(at("mod(-x, 1)", x), 1 - x);
  EXPECT_EQ(at("min(x, 2, -3) + max(x, 2, -3) + min(x)", x), -3 + 2 + x);
  EXPECT_EQ(at("2*pi", x), 2 * std::numbers::pi);
  EXPECT_NEAR(at("x^2.5 + x^-2 + 2^x + x^0", x),
              std::pow(x, 2.5) + 1 / (x * x) + std::pow(2, x) + 1, 16 * ulp);
}

TEST(Functions, of_the_user_are_written_out_where_they_are_used) {
  const Elaborated m(
      "model m\nparameter k = 3\nvariable x\nlet sq(a) = a^2\nlet f(a, b) = k*sq(a) + sum(i in "
      "1..2: i*b)\n"
      "let speed(p) = norm(der(p))\nlet seven() = 7\n"
      "output e = f(x, sq(x + 1)), v = speed([x, 2*x]), c = seven()\n");
  EXPECT_DOUBLE_EQ(m("e", {{"x", 2}}), 3 * 4 + 3 * 9);
  EXPECT_DOUBLE_EQ(m("v", {{"x", 2}, {"x'", 3}}), 3 * std::sqrt(5));
  EXPECT_EQ(m("c"), 7);
}

TEST(Functions, take_parts_as_arguments) {
  const Elaborated m(
      "model point\nvariable x, y\nlet P = [x, y]\n"
      "model m\npart a = point(), b = point()\nlet distance(p, q) = norm(p.P - q.P)\n"
      "output d = distance(a, b)\n");
  EXPECT_EQ(m("d", {{"a.x", 1}, {"a.y", 2}, {"b.x", 4}, {"b.y", 6}}), 5);
}

TEST(Functions, hide_names_of_the_model_by_their_arguments_only) {
  const Elaborated m("model m\nparameter a = 5, b = 7\nlet f(a) = 10*a + b\noutput e = f(2) + a\n");
  EXPECT_EQ(m("e"), 32);
}

// m continuous derivatives at both ends, 0 before and 1 after, and der(...) is its derivative.
TEST(RestToRest, starts_and_ends_smoothly) {
  const Elaborated m(
      "model m\nsize k = 4\nlet s = rest_to_rest(t/2, smoothness = k)\n"
      "output z = s, v = s', d = rest_to_rest(t/2, smoothness = k, derivative = 1)/2\n");
  EXPECT_EQ(m("z", {{"t", -1}}), 0);
  EXPECT_EQ(m("z", {{"t", 3}}), 1);
  EXPECT_DOUBLE_EQ(m("z", {{"t", 1}}), 0.5);
  const double u = 0.3;  // the polynomial of degree 9 [Druecker2022, eq. 4.10]
  const double expected =
      std::pow(u, 5) * (126 - 420 * u + 540 * u * u - 315 * u * u * u + 70 * u * u * u * u);
  EXPECT_NEAR(m("z", {{"t", 2 * u}}), expected, test::rounding(12));
  EXPECT_NEAR(m("v", {{"t", 0.6}}), 630 * std::pow(u * (1 - u), 4) / 2, test::rounding(12));
  EXPECT_EQ(m("d", {{"t", 0.6}}), m("v", {{"t", 0.6}}));
}

TEST(Trajectories, line_goes_from_start_to_end) {
  const Elaborated m("model m\noutput p = line([1, 2], [5, 0], t), n = line(3, 7, t)\n");
  EXPECT_EQ(m("p[1]", {{"t", 0.25}}), 2);
  EXPECT_EQ(m("p[2]", {{"t", 0.25}}), 1.5);
  EXPECT_EQ(m("n", {{"t", 0.5}}), 5);
}

// A quarter turn about the normal, right-handed, keeps distance to the centre and height.
TEST(Trajectories, circle_turns_about_its_normal) {
  const Elaborated m(
      "model m\noutput p = circle([1, 1, 5], [3, 1, 5], [0, 0, 2], t), q = circle([1, 1], [3, 1], "
      "-1, t)\n");
  EXPECT_NEAR(m("p[1]", {{"t", 0.25}}), 1, test::rounding(4, 3));
  EXPECT_NEAR(m("p[2]", {{"t", 0.25}}), 3, test::rounding(4, 3));
  EXPECT_EQ(m("p[3]", {{"t", 0.25}}), 5);
  EXPECT_NEAR(m("p[1]", {{"t", 1}}), 3, test::rounding(8, 3));
  EXPECT_NEAR(m("q[2]", {{"t", 0.25}}), -1, test::rounding(4, 3));
}

}  // namespace
}  // namespace daedal::model
