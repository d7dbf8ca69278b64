// Mass-on-car [Druecker2022, section 2.4.3]: mass matrix (2.85) and the explicit accelerations (5.3), all cases.
#include "support/bounds.hpp"
#include "support/model_point.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>

namespace daedal::test {
namespace {

struct Case {
  const char* model;
  const char* prefix;
  double alpha, damping;
};

class MassOnCar : public ::testing::TestWithParam<Case> {};

TEST_P(MassOnCar, accelerations_are_the_explicit_ones) {
  const auto& [model, prefix, alpha, d] = GetParam();
  const double m1 = 1, m2 = 1, m3 = 3, k1 = 3, k2 = 3, s1 = 0.2, s2 = -0.3, s1_dot = 0.5,
               s2_dot = 0.7, u = 1.1;
  const auto name = [&, p = std::string(prefix)](const char* n) { return p + n; };
  ModelPoint point("mass_on_car", {.model = model});
  const auto solution = point
                            .set({{name("x1"), 1.5},
                                  {name("s1"), s1},
                                  {name("s2"), s2},
                                  {name("x1'"), 0.1},
                                  {name("s1'"), s1_dot},
                                  {name("s2'"), s2_dot},
                                  {name("u"), u}})
                            .solve();
  const double c = std::cos(alpha), q = m2 + m3 * std::pow(std::sin(alpha), 2);
  const double F1 = d * s1_dot + k1 * s1, F2 = d * s2_dot + k2 * s2;
  const double z_ddot = -(m3 * F1 * std::pow(std::sin(alpha), 2) + m2 * F2 * c) / (m3 * q);
  const double s1_ddot = F2 * c / q - F1 * (m1 + q) / (m1 * q) - u / m1;
  const double s2_ddot = F1 * c / q - (m2 + m3) * F2 / (m3 * q);
  EXPECT_NEAR(solution.at(name("s1''")), s1_ddot, rounding(100, 10));
  EXPECT_NEAR(solution.at(name("s2''")), s2_ddot, rounding(100, 10));
  EXPECT_NEAR(solution.at(name("x1''")), z_ddot - s1_ddot - s2_ddot * c, rounding(100, 10));
}

INSTANTIATE_TEST_SUITE_P(
    cases, MassOnCar,
    ::testing::Values(Case{"mass_on_car_1_1", "car.", std::numbers::pi / 2, 1},
                      Case{"mass_on_car_1_2", "car.", std::numbers::pi / 2, 0},
                      Case{"mass_on_car_2_1", "car.", std::numbers::pi / 12, 1},
                      Case{"mass_on_car", "", std::numbers::pi / 12, 0},
                      Case{"mass_on_car_3_1", "car.", 0, 1}, Case{"mass_on_car_3_2", "car.", 0, 0}),
    [](const auto& tested) { return std::string(tested.param.model); });

TEST(MassOnCarVariants, mass_matrix_is_equation_2_85) {
  const double c = std::cos(std::numbers::pi / 12);
  Eigen::Matrix3d expected;
  expected << 5, 4, 3 * c, 4, 4, 3 * c, 3 * c, 3 * c, 3;
  EXPECT_LE((ModelPoint("mass_on_car").mass_matrix() - expected).cwiseAbs().maxCoeff(), 1e-15 * 5);
}

TEST(MassOnCarVariants, output_coordinates_describe_the_same_motion) {
  const double c = std::cos(std::numbers::pi / 12), s1 = 0.2, s2 = -0.3, v1 = 0.1, vs1 = 0.5,
               vs2 = 0.7;
  const auto original = ModelPoint("mass_on_car")
                            .set({{"x1", 1.5},
                                  {"s1", s1},
                                  {"s2", s2},
                                  {"x1'", v1},
                                  {"s1'", vs1},
                                  {"s2'", vs2},
                                  {"u", 1}})
                            .solve();
  const auto output = ModelPoint("mass_on_car", {.model = "mass_on_car_output"})
                          .set({{"x1", 1.5},
                                {"z", 1.5 + s1 + s2 * c},
                                {"s2", s2},
                                {"x1'", v1},
                                {"z'", v1 + vs1 + vs2 * c},
                                {"s2'", vs2},
                                {"u", 1}})
                          .solve();
  EXPECT_NEAR(output.at("x1''"), original.at("x1''"), rounding(100, 10));
  EXPECT_NEAR(output.at("s2''"), original.at("s2''"), rounding(100, 10));
  EXPECT_NEAR(output.at("z''"), original.at("x1''") + original.at("s1''") + original.at("s2''") * c,
              rounding(100, 10));
}

TEST(MassOnCarVariants, absolute_coordinates_agree_with_relative_ones_on_the_level) {
  const double s1 = 0.2, s2 = -0.3;
  const auto relative = ModelPoint("mass_on_car", {.model = "mass_on_car_3_2"})
                            .set({{"car.x1", 1.5}, {"car.s1", s1}, {"car.s2", s2}, {"car.u", 1}})
                            .solve();
  const auto absolute = ModelPoint("mass_on_car", {.model = "mass_on_car_absolute"})
                            .set({{"x1", 1.5}, {"x2", 1.5 + s1}, {"x3", 1.5 + s1 + s2}, {"u", 1}})
                            .solve();
  EXPECT_NEAR(absolute.at("x1''"), relative.at("car.x1''"), rounding(100));
  EXPECT_NEAR(absolute.at("x2''"), relative.at("car.x1''") + relative.at("car.s1''"),
              rounding(100));
}

}  // namespace
}  // namespace daedal::test
