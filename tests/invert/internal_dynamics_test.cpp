// Inverse models with internal dynamics by Taylor series: inputs against an independent recomputation (Python, SciPy) of
// [Druecker2022, chapter 5], and every case of mass_on_car through its forward model.
#include "daedal/invert/internal_dynamics.hpp"

#include "daedal/invert/verify.hpp"
#include "daedal/run/simulate.hpp"
#include "support/bounds.hpp"
#include "support/csv.hpp"
#include "support/stepped.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

namespace daedal::test {
namespace {

struct Taylor {
  inversion::InverseModel inverse;
  solve::ConsistentPoint start;
  solve::Trajectory trajectory;
};

Taylor inverted(const std::string& folder, const std::string& model, double until, double every) {
  Taylor result{inversion::inverse_model(*forward_of_file(folder, {.model = model})), {}, {}};
  result.start = solve::consistent_point(result.inverse.problem);
  solve::SimulateOptions options;
  options.until = until;
  options.every = every;
  options.method = solve::make_method("taylor", {{"tolerance", 1e-12}});
  options.global_error = false;
  result.trajectory = solve::simulate(result.inverse.problem, result.start, options);
  EXPECT_EQ(result.trajectory.status, solve::Status::completed) << result.trajectory.reason;
  return result;
}

struct ReferenceCase {
  const char* folder;
  double until;
  std::vector<std::pair<std::string, std::string>> inputs;  // in the model, in the reference
};

class TaylorInverse : public ::testing::TestWithParam<ReferenceCase> {};

TEST_P(TaylorInverse, inputs_are_those_of_the_reference) {
  const auto& [folder, until, inputs] = GetParam();
  const Taylor run = inverted(folder, folder, until, 0.01);
  const Table r = read_csv(std::string(DAEDAL_SOURCE_DIR "/models/") + folder + "/reference.csv");
  double peak = 0, worst = 0;
  for (const auto& [name, in_reference] : inputs) {
    const auto u = run.trajectory.table.column(*run.trajectory.table.find(name));
    const std::vector<double>& exact = r.at(in_reference);
    ASSERT_EQ(u.size(), exact.size());
    for (std::size_t i = 0; i < u.size(); ++i) {
      peak = std::max(peak, std::abs(exact[i]));
      worst = std::max(worst, std::abs(u[i] - exact[i]));
    }
  }
  EXPECT_LE(worst, 1e-9 * peak);
}

INSTANTIATE_TEST_SUITE_P(
    models, TaylorInverse,
    ::testing::Values(ReferenceCase{"mass_on_car", 15, {{"u", "u"}}},
                      ReferenceCase{
                          "manipulator_3d", 3, {{"u1", "u1"}, {"u2", "u2"}, {"u3", "u3"}}}),
    [](const auto& tested) { return std::string(tested.param.folder); });

class MassOnCarInverse : public ::testing::TestWithParam<const char*> {};

TEST_P(MassOnCarInverse, forward_model_follows) {
  const Taylor run = inverted("mass_on_car", GetParam(), 8, 0.008);
  const inversion::Verification proof = inversion::verify(run.inverse, run.trajectory);
  EXPECT_EQ(proof.forward.status, solve::Status::completed) << proof.forward.reason;
  EXPECT_LE(proof.forward.largest()->largest, 1e-9);
}

INSTANTIATE_TEST_SUITE_P(cases, MassOnCarInverse,
                         ::testing::Values("mass_on_car_1_1", "mass_on_car_1_2", "mass_on_car_2_1",
                                           "mass_on_car", "mass_on_car_3_1", "mass_on_car_3_2",
                                           "mass_on_car_two"),
                         [](const auto& tested) { return std::string(tested.param); });

TEST(PrintedManipulator, has_the_zeros_for_which_it_is_refused) {
  const inversion::InverseModel inverse = inversion::inverse_model(
      *forward_of_file("manipulator_3d", {.model = "manipulator_3d_printed"}));
  const inversion::InternalDynamics dynamics =
      inversion::internal_dynamics(inverse, solve::consistent_point(inverse.problem));
  ASSERT_EQ(dynamics.zeros.finite(), 2);
  EXPECT_EQ(dynamics.margin.side, analysis::Side::right);
  EXPECT_NEAR(dynamics.zeros.values[0].value.real(), 194.333, daedal::test::printed(3));
  EXPECT_NEAR(dynamics.zeros.values[1].value.real(), -162.713, daedal::test::printed(3));
}

TEST(PositionDrive, input_is_the_closed_form_in_both_ways_of_writing_it) {
  // I phi3'' + k (phi3 - phi2) = 0 and phi3' = z: u = phi2 = phi3 + (I/k) z'
  for (const char* model : {"torsional_position_drive", "torsional_position_drive_drive"}) {
    const Taylor run = inverted("torsional_position_drive", model, 6, 0.1);
    const auto column = [&](const char* name) {
      return run.trajectory.table.column(*run.trajectory.table.find(name));
    };
    const std::vector<double> t = column("t"), u = column("u"), phi = column("phi[3]");
    for (std::size_t i = 0; i < t.size(); ++i)
      EXPECT_NEAR(u[i], phi[i] + 0.06 * expr::rest_to_rest_value(t[i] / 6, 4, 1) / 6,
                  daedal::test::rounding(16))
          << model << " at " << t[i];
    EXPECT_NEAR(phi.back(), 3, 1e-10);  // the integral of s_4(t/6) over 6 s
  }
}

TEST(PlatformRobot, tilts_at_most_as_its_largest_acceleration_says) {
  // s_4'' = 2520 p^3 sqrt(1 - 4p), p = x (1 - x), is largest at p = 3/14: 2.7347953 degrees
  const Taylor run = inverted("cable_robot_platform", "cable_robot_platform", 10, 0.005);
  double largest = 0;
  for (const double delta : run.trajectory.table.column(*run.trajectory.table.find("delta")))
    largest = std::max(largest, std::abs(delta));
  const double acceleration = 0.05 * 2520 * std::pow(3.0 / 14, 3) / std::sqrt(7);
  EXPECT_NEAR(largest, std::atan(acceleration / 9.81), 1e-9);  // rows are 5 ms apart
}

TEST(PlatformRobot, tilts_at_most_by_the_printed_angle_on_the_grid_it_was_read_from) {
  // an independent recomputation of [Druecker2022, section 4.2.8] gives the largest of rows 20 ms apart, at t = 3.12 s
  const Taylor run = inverted("cable_robot_platform", "cable_robot_platform", 10, 0.02);
  double largest = 0;
  for (const double delta : run.trajectory.table.column(*run.trajectory.table.find("delta")))
    largest = std::max(largest, std::abs(delta));
  EXPECT_NEAR(largest * 180 / std::numbers::pi, 2.7347092, daedal::test::printed(7));
}

}  // namespace
}  // namespace daedal::test
