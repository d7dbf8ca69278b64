// Turns of the flexible arm that are too fast for Newton's method from rest or from quasi-static poses: up to 180 degrees in
// 0.3 s, ten times the time constant of the slowest unstable zero. Continuation in the amplitude finds them; a forward run of
// the arm proves them.
#include "daedal/elaborate/elaborate.hpp"
#include "daedal/invert/stable_inversion.hpp"
#include "daedal/invert/verify.hpp"
#include "support/model_point.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <numbers>
#include <string>

namespace daedal::test {
namespace {

using namespace daedal::boundary;
using namespace daedal::inversion;
using ::testing::HasSubstr;

InverseModel turn(double degrees, double seconds, int elements, const std::string& damping) {
  const model::Overrides overrides{.parameters = {{"N", std::to_string(elements)},
                                                  {"angle", fmt::format("{}*pi/180", degrees)},
                                                  {"tf", fmt::to_string(seconds)},
                                                  {"damping", damping}}};
  return inverse_model(derive::derive(std::make_shared<const model::Model>(
      model::elaborate(model::load(model_path("flexible_link")), overrides))));
}

/// On steps of one length, by the scheme that fits them: central differences where they do not resolve the axial
/// oscillations of 180 rad/s (step * frequency > 2), else collocation.
StableInversion on_steps(const InverseModel& inverse, double step, double seconds) {
  StableInversionOptions options;
  options.before = options.after = std::ceil(0.36 / step - 1e-9) * step;
  if (step * 180 > 2) {
    options.scheme = Scheme::central_differences;
    options.step = step;
  } else {
    options.scheme = Scheme::collocation;
    options.boundary_value.intervals =
        static_cast<std::size_t>(std::lround((2 * *options.before + seconds) / step));
  }
  return stable_inversion(inverse, options);
}

/// The input found moves the tip along its motion, within the reported relative error of the mesh. How far it
/// misses [rad].
double proved(const InverseModel& inverse, const StableInversion& found, double degrees) {
  EXPECT_EQ(found.trajectory.status, solve::Status::completed) << found.trajectory.reason;
  if (found.trajectory.status != solve::Status::completed) return 0;
  const ForwardRun forward = verify(inverse, found.trajectory).forward;
  EXPECT_EQ(forward.status, solve::Status::completed) << forward.reason;
  const double missed = forward.largest()->largest;
  EXPECT_LE(missed, found.solution.error * degrees * std::numbers::pi / 180);
  return missed;
}

TEST(FlexibleTurn, of_180_degrees_in_0_3_s_is_found_by_continuation_in_the_amplitude) {
  const InverseModel inverse = turn(180, 0.3, 4, "0");
  const StableInversion found = on_steps(inverse, 0.02, 0.3);
  proved(inverse, found, 180);
  EXPECT_GT(found.solution.continuation_steps, 1);
  EXPECT_LE(found.solution.newton_iterations, 300);
  EXPECT_LE(found.solution.error, 0.1);
}

// The rows of the growing modes turn with the beam: with those of another pose the problem is singular at 90 degrees.
TEST(FlexibleTurn, by_collocation_misses_the_less_the_finer_its_mesh) {
  const InverseModel inverse = turn(90, 0.3, 1, "1e-3");
  double before = 1;
  for (const double step : {0.03, 0.015, 0.0075}) {
    StableInversionOptions options;
    options.scheme = Scheme::collocation;
    options.before = options.after = 0.36;
    options.boundary_value.intervals = static_cast<std::size_t>(std::lround(1.02 / step));
    const StableInversion found = stable_inversion(inverse, options);
    const double missed = proved(inverse, found, 90);
    if (step > 0.01) {
      EXPECT_GT(found.solution.continuation_steps, 0);
    }
    EXPECT_LT(missed, before / 4) << step;  // of order 4 in the end
    before = missed;
  }
}

TEST(SlowFlexibleTurn, of_one_element_is_found_to_the_tolerance) {
  const InverseModel inverse = turn(180, 0.3, 1, "0");
  const StableInversion found = stable_inversion(inverse, {});
  EXPECT_EQ(found.solution.status, BoundaryValueStatus::solved);
  EXPECT_LE(proved(inverse, found, 180), 1e-5 * std::numbers::pi);
}

// Without damping, oscillations of the elements that neither grow nor decay at rest do so in motion: meshes that resolve them
// are ill-conditioned, and the requested accuracy cannot be reached.
TEST(SlowFlexibleTurn, that_no_finer_mesh_improves_is_told_with_its_error) {
  const InverseModel inverse = turn(90, 0.3, 2, "0");
  const StableInversion found = stable_inversion(inverse, {});
  proved(inverse, found, 90);
  EXPECT_EQ(found.solution.status, BoundaryValueStatus::inaccurate);
  ASSERT_FALSE(found.trajectory.warnings.empty());
  EXPECT_THAT(found.trajectory.warnings.back().message, HasSubstr("is above the tolerance 1e-05"));
}

TEST(FlexibleTurn, faster_than_the_beam_can_follow_is_told_soon_with_time_and_place) {
  const StableInversion found = on_steps(turn(250, 0.1, 4, "0"), 0.1 / 6, 0.1);
  ASSERT_EQ(found.trajectory.status, solve::Status::stopped);
  EXPECT_GT(found.solution.amplitude, 0.1);
  EXPECT_LT(found.solution.amplitude, 1);
  EXPECT_LE(found.solution.newton_iterations, 400);
  EXPECT_THAT(found.trajectory.reason, HasSubstr("the largest amplitude reached is 0."));
  EXPECT_THAT(found.trajectory.reason, HasSubstr("its corrections are largest in 'beam.node["));
  EXPECT_THAT(found.trajectory.reason, HasSubstr(" at t = "));
}

class DampedFlexibleTurn : public ::testing::TestWithParam<const char*> {};

TEST_P(DampedFlexibleTurn, is_found_at_all_angles_and_steps) {
  for (const double degrees : {45.0, 90.0, 135.0, 180.0}) {
    const InverseModel inverse = turn(degrees, 0.3, 4, GetParam());
    for (const double step : {0.01, 0.02, 0.05}) {
      SCOPED_TRACE(fmt::format("{} degrees, step {} s", degrees, step));
      proved(inverse, on_steps(inverse, step, 0.3), degrees);
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Slow, DampedFlexibleTurn, ::testing::Values("0", "1e-4", "1e-3"));

}  // namespace
}  // namespace daedal::test
