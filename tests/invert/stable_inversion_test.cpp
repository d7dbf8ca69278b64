// Stable inversion of mechanisms that are not minimum phase, proved by references and forward runs.
#include "daedal/invert/stable_inversion.hpp"

#include "daedal/invert/verify.hpp"
#include "support/bounds.hpp"
#include "support/csv.hpp"
#include "support/stepped.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace daedal::test {
namespace {

using namespace daedal::boundary;
using namespace daedal::inversion;
using ::testing::HasSubstr;

InverseModel inverse_of(const std::string& folder,
                        const std::map<std::string, std::string>& parameters = {},
                        const std::string& model = "") {
  return inverse_model(
      *forward_of_file(folder, {.parameters = parameters, .inputs = {}, .model = model}));
}

// By default; inputs contain accelerations, which are some times as large.
constexpr double tolerance_of_states = 1e-8;

// models/manipulator_2link/reference.csv: SciPy solve_bvp, see the model's README.
TEST(StableInversion, of_the_two_link_manipulator_is_the_reference_within_1e_8) {
  const auto reference = read_csv(DAEDAL_SOURCE_DIR "/models/manipulator_2link/reference.csv");
  StableInversionOptions options;
  options.every = 0.005;
  const StableInversion result = stable_inversion(inverse_of("manipulator_2link"), options);
  ASSERT_EQ(result.trajectory.status, solve::Status::completed) << result.trajectory.reason;
  const double of_zeros = daedal::test::printed(12) + daedal::test::rounding(100, 22);
  EXPECT_NEAR(result.slowest_growth, 21.920905586542, of_zeros);
  EXPECT_NEAR(result.slowest_decay, 21.896905586542, of_zeros);
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
      // both solutions have a tolerance of some 1e-9; the reference is printed with more digits
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

// An internal oscillation of 65.5 rad/s that takes 5 s to decay: the first mesh after the motion has intervals of
// 0.17 s, on which cubic Hermite splines see a growing mode where none is. It was refused for that ("the modes at the
// two ends differ").
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
    EXPECT_NEAR(continued.trajectory.table.at(r, u), at_once.trajectory.table.at(r, u),
                daedal::test::rounding(1000));
}

// The acceleration of the passive joint has the factor (a2 + I2 - a3 cos(beta))/2, which is 0 at cos(beta) = 2/3: no torque
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
    // the tolerance of the states is 1e-8; the input contains accelerations, some 10 times as large
    EXPECT_NEAR(a.at(r, *a.find("F")), b.at(r, *b.find("F")), 1e-7) << "at " << a.at(r, 0);
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
  for (const char* motion : {"t^2/9", "sin(t^2)", "sin(t) + sin(sqrt(2)*t)"}) {
    const auto endless = inverse_model(
        *forward_of(model::load_text(text + "servo x = " + motion + "\n", "m.daedal")));
    try {
      stable_inversion(endless, {});
      FAIL() << motion << " has neither an end nor a period";
    } catch (const ModelError& e) {
      EXPECT_THAT(e.what(), HasSubstr("its desired motion neither begins and ends nor repeats"));
    }
  }
  const auto moving = inverse_model(*forward_of(model::load_text(
      text + "servo x = rest_to_rest(t, smoothness = 4) + 0.1*t^2\n", "m.daedal")));
  const StableInversion result = stable_inversion(moving, {});
  EXPECT_EQ(result.trajectory.status, solve::Status::stopped);
  EXPECT_THAT(result.trajectory.reason, HasSubstr("no state of rest at the"));
}

// A cart under two masses: one that falls away from it (a'' = 4 a - x'') and one on a spring (b'' = -spring b - x''). Driven
// by x = sin(2 t), what is bounded is a = -sin(2 t)/2, b = 4/(spring - 4) sin(2 t), and the force on the cart
// u = x'' + (x'' + a'') + (x'' + b'') follows; at spring = 4 the second mass is in resonance.
InverseModel cart_under_two_masses(const std::string& spring, const std::string& motion) {
  const std::string text = R"(model carried
coordinate x, a, b
kinetic x'^2/2 + (x' + a')^2/2 + (x' + b')^2/2
potential -2*a^2 + )" + spring +
                           R"(/2*b^2
input u
force u on x
servo x = )" + motion + "\n";
  return inverse_model(*forward_of(model::load_text(text, "carried.daedal")));
}

TEST(PeriodicInversion, of_a_linear_model_is_its_harmonic_response) {
  const StableInversion found = stable_inversion(cart_under_two_masses("9", "sin(2*t)"));
  ASSERT_EQ(found.solution.status, BoundaryValueStatus::solved) << found.trajectory.reason;
  EXPECT_DOUBLE_EQ(found.period, std::numbers::pi);
  EXPECT_EQ(found.solution.left.centre, 2);
  const daedal::Table& table = found.trajectory.table;
  EXPECT_EQ(table.at(0, 0), 0);
  EXPECT_DOUBLE_EQ(table.at(table.rows() - 1, 0), std::numbers::pi);
  for (std::size_t r = 0; r < table.rows(); ++r) {
    const double wave = std::sin(2 * table.at(r, 0));
    EXPECT_NEAR(table.at(r, *table.find("a")), -0.5 * wave, tolerance_of_states);
    EXPECT_NEAR(table.at(r, *table.find("b")), 0.8 * wave, tolerance_of_states);
    EXPECT_NEAR(table.at(r, *table.find("u")), -13.2 * wave, 2e-7);  // b'' = -9 b - x''
  }
}

TEST(PeriodicInversion, goes_on_as_long_as_asked_for) {
  StableInversionOptions options;
  options.until = 10;
  options.every = 0.1;
  const StableInversion found = stable_inversion(cart_under_two_masses("9", "sin(2*t)"), options);
  const daedal::Table& table = found.trajectory.table;
  ASSERT_EQ(table.rows(), 101u);
  for (std::size_t r = 0; r < table.rows(); ++r) {
    EXPECT_NEAR(table.at(r, 0), 0.1 * static_cast<double>(r), daedal::test::rounding(16, 10));
    EXPECT_NEAR(table.at(r, *table.find("a")), -0.5 * std::sin(2 * table.at(r, 0)),
                tolerance_of_states);
  }
}

TEST(PeriodicInversion, at_the_resonance_of_an_undamped_mode_says_so) {
  const StableInversion found = stable_inversion(cart_under_two_masses("4", "sin(2*t)"));
  ASSERT_EQ(found.trajectory.status, solve::Status::stopped);
  EXPECT_THAT(
      found.trajectory.reason,
      HasSubstr("an undamped internal mode does so too, a whole number of times in 3.14159 s"));
}

TEST(PeriodicInversion, knows_the_common_period_of_several_sines) {
  const auto period = [](const char* motion) {
    return stable_inversion(cart_under_two_masses("7", motion)).period;
  };
  EXPECT_NEAR(period("sin(2*t) + 0.1*cos(5*t)"), 2 * std::numbers::pi,
              daedal::test::rounding(16, 2 * std::numbers::pi));
  EXPECT_NEAR(period("sin(2*t) + 0.1*cos(5*t)^2"), std::numbers::pi, 1e-12);  // cos(10*t), that is
  EXPECT_NEAR(period("sin(0.3*t)*cos(0.2*t)"), 20 * std::numbers::pi,
              daedal::test::rounding(16, 20 * std::numbers::pi));
}

// Started on the orbit found, the pole is taken around by the force alone; the linear estimate would be off by the square
// of its lean, a tenth.
TEST(PeriodicInversion, of_a_pole_on_a_car_takes_it_along_its_orbit) {
  const std::string text = R"(model balance
coordinate x, a
let P = [x + sin(a), cos(a)]
kinetic   x'^2/2 + dot(P', P')/2
potential 4*P[2]
input u
force u on x
servo x = sin(2*t)/2
)";
  const auto inverse = inverse_model(*forward_of(model::load_text(text, "balance.daedal")));
  const StableInversion found = stable_inversion(inverse);
  ASSERT_EQ(found.solution.status, BoundaryValueStatus::solved) << found.trajectory.reason;
  const daedal::Table& table = found.trajectory.table;
  const std::size_t last = table.rows() - 1;
  for (const char* column : {"a", "a'", "u"})
    EXPECT_NEAR(table.at(0, *table.find(column)), table.at(last, *table.find(column)),
                daedal::test::rounding(100));
  EXPECT_LE(verify(inverse, found.trajectory).forward.largest()->largest, 1e-6);
}

TEST(PeriodicInversion, has_no_time_before_and_behind_it) {
  StableInversionOptions options;
  options.before = 1;
  try {
    stable_inversion(cart_under_two_masses("9", "sin(2*t)"), options);
    FAIL() << "there is no time before a motion that repeats";
  } catch (const ModelError& e) {
    EXPECT_THAT(e.what(),
                HasSubstr("its desired motion repeats: there is no time before or after it"));
  }
}

TEST(StableInversion, on_a_mesh_too_coarse_for_the_tolerance_is_inaccurate) {
  StableInversionOptions options;
  options.boundary_value.intervals = 40;
  const StableInversion found = stable_inversion(inverse_of("manipulator_2link"), options);
  EXPECT_GT(found.solution.error, found.tolerance);
  EXPECT_EQ(found.solution.status, BoundaryValueStatus::inaccurate);
  EXPECT_THAT(found.trajectory.warnings.back().message, HasSubstr("is above the tolerance 1e-08"));
}

}  // namespace
}  // namespace daedal::test
