// Implicit methods on formulations that know rates only: null_space, minimal, hamilton, nonlinear_stabiliser.

#include "support/against_reference.hpp"

#include <gtest/gtest.h>

namespace daedal::solve::testing {
namespace {

using formulate::Formulation;
using formulate::Kind;

class RateForms : public ::testing::TestWithParam<Kind> {
 protected:
  static Formulation formulation() {
    Formulation made;
    made.kind = GetParam();
    made.stabiliser.rate = 5;
    return made;
  }
};

// The states of all four are those of ordinary differential equations: no order is lost to constraints.
TEST_P(RateForms, implicit_methods_keep_their_order) {
  const auto fourbar = AgainstReference::of_file("fourbar", {0.25, 0.5});
  const auto orders = [&](const std::vector<double>& steps, auto method) {
    std::array<std::vector<double>, 3> found;
    for (const double step : steps) {
      const Errors e = fourbar.errors(fourbar.simulate_until(formulation(), method(step), 0.5));
      for (std::size_t k = 0; k < 3; ++k) found[k].push_back(e[k]);
    }
    std::array<support::ObservedOrder, 3> fitted;
    for (std::size_t k = 0; k < 3; ++k) fitted[k] = support::fitted_order(steps, found[k]);
    return fitted;
  };
  const std::vector<double> fine = {1 / 128.0, 1 / 256.0, 1 / 512.0, 1 / 1024.0};
  expect_orders(orders(fine, [](double h) { return BdfOptions{.order = 2, .step = h}; }), {2, 2, 2},
                0.2);
  const std::vector<double> coarse = {1 / 96.0, 1 / 128.0, 1 / 192.0, 1 / 256.0};
  expect_orders(orders(coarse,
                       [](double h) {
                         return Radau5Options{.tolerance = 1e-13, .step = h, .adaptive = false};
                       }),
                {5, 5, 5}, 0.3);
}

TEST_P(RateForms, controlled_methods_reach_their_tolerance_and_keep_the_constraints) {
  const auto robot = AgainstReference::of_file("delta_robot", {0.25, 0.5});
  for (const Method& method :
       {Method(Radau5Options{.tolerance = 1e-9}), Method(IdaOptions{.tolerance = 1e-10})}) {
    const Trajectory t = robot.simulate_until(formulation(), method, 0.5);
    const Errors errors = robot.errors(t);
    EXPECT_LT(errors[0], 1e-6) << name(method);
    EXPECT_LT(errors[1], 1e-5) << name(method);
    EXPECT_LT(t.drift[0].largest, 1e-12) << name(method);
  }
}

INSTANTIATE_TEST_SUITE_P(All, RateForms,
                         ::testing::Values(Kind::null_space, Kind::minimal, Kind::hamilton,
                                           Kind::nonlinear_stabiliser),
                         [](const auto& of) { return std::string(formulate::name(of.param)); });

}  // namespace
}  // namespace daedal::solve::testing
