// Stable inversion of mechanisms that are not minimum phase, proved by references and forward runs.
#include "daedal/invert/stable_inversion.hpp"

#include "daedal/invert/verify.hpp"
#include "invert/stepped.hpp"
#include "support/csv.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace daedal::test {
namespace {

using namespace daedal::invert;
using ::testing::HasSubstr;

InverseModel inverse_of(const std::string& folder,
                        const std::map<std::string, std::string>& parameters = {},
                        const std::string& model = "") {
  return inverse_model(
      *forward_of_file(folder, {.parameters = parameters, .inputs = {}, .model = model}));
}

// models/manipulator_2link/reference.csv: SciPy solve_bvp, see the model's README.
TEST(StableInversion, of_the_two_link_manipulator_is_the_reference_within_1e_8) {
  const auto reference = read_csv(DAEDAL_SOURCE_DIR "/models/manipulator_2link/reference.csv");
  StableInversionOptions options;
  options.every = 0.005;
  const StableInversion result = stable_inversion(inverse_of("manipulator_2link"), options);
  ASSERT_EQ(result.trajectory.status, solve::Status::completed) << result.trajectory.reason;
  EXPECT_NEAR(result.slowest_growth, 21.920905586542, 1e-5);
  EXPECT_NEAR(result.slowest_decay, 21.896905586542, 1e-5);
  const daedal::Table& table = result.trajectory.table;
  std::size_t found = 0;
  for (std::size_t r = 0; r < table.rows(); ++r) {
    const std::vector<double>& times = reference.at("t");
    const auto at = std::find_if(times.begin(), times.end(),
                                 [&](double t) { return std::abs(t - table.at(r, 0)) < 1e-9; });
    if (at == times.end()) continue;
    ++found;
    const auto k = static_cast<std::size_t>(at - times.begin());
    for (const auto& [ours, theirs] : {std::pair{"alpha", "alpha"},
                                       {"beta", "beta"},
                                       {"alpha'", "alphadot"},
                                       {"beta'", "betadot"},
                                       {"u", "u"}})
      EXPECT_NEAR(table.at(r, *table.find(ours)), reference.at(theirs)[k], 1e-8)
          << ours << " at t = " << *at;
  }
  EXPECT_EQ(found, reference.at("t").size());
}

TEST(StableInversion, moves_the_printed_manipulator_on_its_circle) {
  const auto inverse = inverse_of("manipulator_3d", {}, "manipulator_3d_printed");
  const StableInversion result = stable_inversion(inverse, {});
  ASSERT_EQ(result.trajectory.status, solve::Status::completed) << result.trajectory.reason;
  const ForwardRun forward = verify(inverse, result.trajectory).forward;
  EXPECT_EQ(forward.status, solve::Status::completed) << forward.reason;
  EXPECT_LE(forward.largest()->largest, 1e-7);  // of 2 m
}

// An internal oscillation of 65.5 rad/s that takes 5 s to decay: the first mesh behind the motion has intervals of 0.17 s, on which
// cubic Hermite splines see a growing mode where none is. It was refused for that ("the modes at the two ends differ").
TEST(StableInversion, of_a_minimum_phase_model_is_what_forward_integration_finds) {
  const auto reference = read_csv(DAEDAL_SOURCE_DIR "/models/manipulator_3d/reference.csv");
  StableInversionOptions options;
  options.tolerance = 1e-5;
  options.every = 0.01;
  const StableInversion result = stable_inversion(inverse_of("manipulator_3d"), options);
  ASSERT_EQ(result.trajectory.status, solve::Status::completed) << result.trajectory.reason;
  EXPECT_EQ(result.solution.left.stable, 2);
  EXPECT_EQ(result.solution.right.stable, 2);
  EXPECT_EQ(result.solution.right.unstable, 0);
  const daedal::Table& table = result.trajectory.table;
  std::size_t found = 0;
  for (std::size_t r = 0; r < table.rows(); ++r)
    for (std::size_t k = 0; k < reference.at("t").size(); ++k) {
      if (std::abs(reference.at("t")[k] - table.at(r, 0)) > 1e-9) continue;
      ++found;
      EXPECT_NEAR(table.at(r, *table.find("gamma")), reference.at("gamma")[k], 1e-5)  // of 1 rad
          << "t = " << table.at(r, 0);
    }
  EXPECT_GT(found, 100u);
}

TEST(StableInversion, is_found_by_continuation_in_the_amplitude_where_newton_fails) {
  const auto inverse =
      inverse_model(*forward_of(model::load_text(two_link_text("1.2", "0.5"), "swing.daedal")));
  StableInversionOptions options;
  const StableInversion at_once = stable_inversion(inverse, options);
  ASSERT_EQ(at_once.trajectory.status, solve::Status::completed) << at_once.trajectory.reason;
  options.boundary_value.newton_iterations = 4;  // too few for the full amplitude from rest
  const StableInversion continued = stable_inversion(inverse, options);
  ASSERT_EQ(continued.trajectory.status, solve::Status::completed) << continued.trajectory.reason;
  EXPECT_EQ(at_once.solution.continuation_steps, 0);
  EXPECT_GT(continued.solution.continuation_steps, 0);
  const std::size_t u = *at_once.trajectory.table.find("u");
  for (std::size_t r = 0; r < at_once.trajectory.table.rows(); ++r)
    EXPECT_NEAR(continued.trajectory.table.at(r, u), at_once.trajectory.table.at(r, u), 1e-7);
}

// The acceleration of the passive joint counts with (a2 + I2 - a3 cos(beta))/2, which is 0 at cos(beta) = 2/3: no torque
// moves the end-effector on when the joint is bent by 48 degrees.
TEST(StableInversion, of_a_motion_faster_than_the_mechanism_can_follow_says_where_it_fails) {
  const auto inverse =
      inverse_model(*forward_of(model::load_text(two_link_text("pi", "0.5"), "whip.daedal")));
  const StableInversion result = stable_inversion(inverse, {});
  ASSERT_EQ(result.trajectory.status, solve::Status::stopped);
  EXPECT_GT(result.solution.amplitude, 0.1);
  EXPECT_LT(result.solution.amplitude, 1);
  EXPECT_THAT(result.trajectory.reason,
              HasSubstr("Newton's method fails, also from smaller motions"));
  EXPECT_THAT(result.trajectory.reason, HasSubstr("its corrections are largest in 'beta"));
}

// States that stay 0, as the height of the cart, have no size of their own: rounding in them is not an error of 0.6.
TEST(StableInversion, of_bodies_and_joints_is_that_of_the_energies) {
  const std::string bodies = R"(model cart
part cart = planar_body(mass = 2, inertia = 0.1, position = [0, 0])
part pole = planar_body(mass = 0.5, inertia = 0.02, position = [0, 0.4], angle = pi/2)
part rail = prismatic(b = cart)
part pin = revolute(a = cart, b = pole, point_b = [-0.4, 0])
input F
force F at rail.displacement
servo rail.displacement = rest_to_rest(t/2, smoothness = 4)
)";
  const std::string energies = R"(model cart
coordinate x, phi = pi/2
let pole = [x + 0.4*cos(phi), 0.4*sin(phi)]
kinetic x'^2 + 0.25*dot(pole', pole') + 0.01*phi'^2
potential 0.5*9.81*pole[2]
input F
force F on x
servo x = rest_to_rest(t/2, smoothness = 4)
)";
  const auto inverted = [](const std::string& text) {
    StableInversionOptions options;
    options.before = options.after = 4;
    options.every = 0.05;
    return stable_inversion(inverse_model(*forward_of(model::load_text(text, "cart.daedal"))),
                            options);
  };
  const StableInversion one = inverted(bodies), other = inverted(energies);
  EXPECT_TRUE(one.trajectory.warnings.empty());
  EXPECT_LT(one.solution.error, 1e-8);
  const auto &a = one.trajectory.table, &b = other.trajectory.table;
  ASSERT_EQ(a.rows(), b.rows());
  for (std::size_t r = 0; r < a.rows(); ++r)
    EXPECT_NEAR(a.at(r, *a.find("F")), b.at(r, *b.find("F")), 1e-6) << "at " << a.at(r, 0);
}

TEST(StableInversion, tells_what_a_window_too_short_would_need) {
  StableInversionOptions options;
  options.before = options.after = 0.05;
  const StableInversion result = stable_inversion(inverse_of("manipulator_2link"), options);
  ASSERT_EQ(result.trajectory.warnings.size(), 2u);
  EXPECT_THAT(result.trajectory.warnings[0].message,
              HasSubstr("the window is too short: at t = -0.05 s"));
  // ln(share/1e-8)/21.92 more; the deviation is 3e-3 exp(-21.92 0.05) of 0.09
  EXPECT_THAT(result.trajectory.warnings[0].help, HasSubstr("before = 0.7"));
}

TEST(StableInversion, of_a_motion_that_does_not_come_to_rest_is_refused) {
  const std::string text = R"(model m
coordinate x, a
let P = [x + sin(a), cos(a)]
kinetic x'^2/2 + dot(P', P')/2
potential 4*P[2]
input u
force u on x
)";
  const auto endless =
      inverse_model(*forward_of(model::load_text(text + "servo x = sin(t)\n", "m.daedal")));
  EXPECT_THROW(stable_inversion(endless, {}), ModelError);
  const auto moving = inverse_model(*forward_of(model::load_text(
      text + "servo x = rest_to_rest(t, smoothness = 4) + 0.1*t^2\n", "m.daedal")));
  const StableInversion result = stable_inversion(moving, {});
  EXPECT_EQ(result.trajectory.status, solve::Status::stopped);
  EXPECT_THAT(result.trajectory.reason, HasSubstr("no state of rest at the"));
}

}  // namespace
}  // namespace daedal::test
