// Modes near rest: what grows, what decays, and what does neither within rounding error.
#include "daedal/boundary/dichotomy.hpp"

#include "daedal/boundary/rest_zeros.hpp"
#include "daedal/invert/inverse_model.hpp"
#include "daedal/invert/stable_inversion.hpp"
#include "support/bounds.hpp"
#include "support/stepped.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

namespace daedal::test {
namespace {

using namespace daedal::boundary;
using namespace daedal::inversion;

/// An inverse model at rest at some time.
struct AtRest {
  AtRest(const std::shared_ptr<const derive::Dae>& forward, double t)
      : problem(tracking_problem(inverse_model(*forward))),
        system(*problem, compile::Options{}),
        w(system.signals()) {
    const StartGuess start = start_guess(*problem);
    system.desired(t, w.data());
    rest = rest_at(system, w.data(), start.states, start.tops);
    EXPECT_TRUE(rest.found);
  }
  Dichotomy modes(double step) {
    return dichotomy(system, w.data(), rest.states, rest.tops, step, 2);
  }
  RestZeros zeros() { return zeros_at_rest(system, w.data(), rest); }

  std::shared_ptr<const formulate::Problem> problem;
  InverseSystem system;
  std::vector<double> w;
  Rest rest;
};

/// A car that is moved, with two poles upright on it and a mass on a spring: zeros +-slow, +-20, +-3i.
AtRest car_with_poles(double slow) {
  return {forward_of(model::load_text(R"(model car
parameter slow
coordinate x, a, b, y
let P = [x + sin(a), cos(a)]
let Q = [x + sin(b), cos(b)]
kinetic   x'^2/2 + dot(P', P')/2 + dot(Q', Q')/2 + (x' + y')^2/2
potential slow^2*P[2] + 400*Q[2] + 4.5*y^2
input u
force u on x
servo x = rest_to_rest(t, smoothness = 4)
)",
                                      "car.daedal"),
                     {.parameters = {{"slow", std::to_string(slow)}}, .inputs = {}, .model = {}}),
          -1};
}

TEST(Dichotomy, tells_a_slow_mode_from_one_on_the_circle) {
  // below 1e-5 or so the pair exp(+-slow step) would be nearer to 1 than sqrt(eps), what rounding makes of a double eigenvalue
  for (const double slow : {0.2, 1e-3}) {
    AtRest car = car_with_poles(slow);
    const RestZeros zeros = car.zeros();
    ASSERT_EQ(zeros.growth.size(), 2u) << slow;
    ASSERT_EQ(zeros.decay.size(), 2u) << slow;
    EXPECT_EQ(zeros.centre, 2) << slow;
    // the zeros are roots of a quadratic: those of slow^2 with an error of eps 400 are eps 400/slow away
    const double rounding = 1e-13 * 400 / slow;
    EXPECT_NEAR(zeros.slowest_growth(), slow, rounding);
    EXPECT_NEAR(zeros.slowest_decay(), slow, rounding);
    EXPECT_NEAR(zeros.slowest_decay(10), 20, daedal::test::rounding(1000, 400));
    for (const double step : {1e-3, 1e-2}) {
      const Dichotomy modes = car.modes(step);
      EXPECT_EQ(describe(modes), "2 stable, 2 centre, 2 unstable") << slow << " " << step;
    }
  }
}

// The equations of an undamped beam do not know in which direction time goes: modes come in pairs mu, 1/mu, wherever the beam
// points. (The propagator of ten elements has entries of 1e12; eigenvalues found from it left the circle by 1e-4, others at
// either end of a motion, and the window became 70 s.)
TEST(Dichotomy, of_an_undamped_beam_is_the_same_in_both_directions_of_time_and_of_the_beam) {
  constexpr double of_large_entries = 1e-6;  // eps times the spread of the entries, 1e9 and more
  for (const char* const elements : {"1", "4", "10"}) {
    const auto forward = forward_of_file(
        "flexible_link", {.parameters = {{"N", elements}}, .inputs = {}, .model = {}});
    AtRest before(forward, -1), behind(forward, 2);
    const RestZeros left = before.zeros(), right = behind.zeros();
    ASSERT_EQ(left.growth.size(), left.decay.size()) << elements;
    ASSERT_EQ(left.growth.size(), right.growth.size()) << elements;
    for (std::size_t k = 0; k < left.growth.size(); ++k) {
      EXPECT_NEAR(left.growth[k], left.decay[k], of_large_entries * left.growth[k]);
      EXPECT_NEAR(left.growth[k], right.growth[k], of_large_entries * left.growth[k]);
    }
    for (const double step : {0.001, 0.02}) {
      const Dichotomy modes = before.modes(step);
      EXPECT_EQ(modes.stable, modes.unstable) << elements << " " << step;
      EXPECT_EQ(describe(modes), describe(behind.modes(step))) << elements << " " << step;
    }
  }
}

}  // namespace
}  // namespace daedal::test
