// Poles of mechanisms in the coordinates of the user, and regulators with integrals.
#include "daedal/control/pole_placement.hpp"

#include "analyse/models.hpp"
#include "daedal/analyse/equilibrium.hpp"
#include "daedal/analyse/state_space.hpp"
#include "daedal/control/regulator.hpp"
#include "daedal/control/sampled.hpp"
#include "daedal/pencil/riccati.hpp"
#include "support/bounds.hpp"

#include <Eigen/Dense>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace daedal::feedback {
namespace {

using analysis::test::SharedDae;
using Complex = std::complex<double>;
using Eigen::MatrixXd;
using test::rounding;
using testing::AllOf;
using testing::HasSubstr;

analysis::LinearModel at_rest(const SharedDae& dae) {
  const analysis::Equilibrium rest = analysis::equilibrium(*dae);
  EXPECT_TRUE(rest.found);
  return analysis::linearise(*dae, analysis::point_of(rest));
}

std::string fault_of(const SharedDae& dae, const PlacementOptions& options) {
  try {
    place_poles(*dae, at_rest(dae), options);
  } catch (const ModelError& error) {
    return error.what();
  }
  return "";
}

std::string cart(const std::string& more = "") {
  return "model cart\nparameter m = 1, M = 2, l = 0.5, g = 9.81\ncoordinate x, theta\n"
         "let bob = [x + l*sin(theta), l*cos(theta)]\n"
         "kinetic M/2*x'^2 + m/2*dot(bob', bob')\npotential m*g*bob[2]\ninput u\nforce u on x\n" +
         more;
}

// M x'' = u - m g theta, M l theta'' = (M + m) g theta - u: the characteristic polynomial by hand.
TEST(PlacePoles, cart_and_pole_have_the_gains_of_the_closed_form) {
  const Placed found =
      place_poles(*analysis::test::text_model(cart()), at_rest(analysis::test::text_model(cart())),
                  {.poles = {-1, -2, {-3, 2}, {-3, -2}}});
  // (s + 1)(s + 2)((s + 3)^2 + 4) = s^4 + 9 s^3 + 33 s^2 + 51 s + 26
  const double M = 2, m = 1, l = 0.5, g = 9.81;
  const double p3 = 9, p2 = 33, p1 = 51, p0 = 26;
  const double fx = -p0 * M * l / g, fv = -p1 * M * l / g;
  const double gains[] = {fx, l * fx - M * l * p2 - (M + m) * g, fv, l * fv - M * l * p3};
  ASSERT_EQ(found.gain.cols(), 4);
  for (int k = 0; k < 4; ++k) EXPECT_NEAR(found.gain(0, k), gains[k], rounding(1e4, gains[k]));
  EXPECT_LE(found.error, rounding(1e4, 10));
}

// The same mechanism in one coordinate and in two with a constraint.
TEST(PlacePoles, redundant_coordinates_give_the_same_loop) {
  const PlacementOptions options{.poles = {{-2, 1}, {-2, -1}}};
  const SharedDae one = analysis::test::text_model(
                      "model p\ncoordinate a\nkinetic a'^2/2\npotential cos(a)\ninput u\n"
                      "force u on a\n"),
                  two = analysis::test::text_model(
                      "model p\ncoordinate x = 0, y = 1\nkinetic (x'^2 + y'^2)/2\npotential y\n"
                      "constraint rod: x^2 + y^2 = 1\ninput u\ntorque u about x\n");
  const Placed minimal = place_poles(*one, at_rest(one), options),
               redundant = place_poles(*two, at_rest(two), options);
  ASSERT_EQ(redundant.states, (std::vector<std::string>{"x", "y", "x'", "y'"}));
  EXPECT_NEAR(minimal.gain(0, 0), 6, rounding(1e3, 6));  // s^2 - 1 + F: (s + 2)^2 + 1
  EXPECT_NEAR(minimal.gain(0, 1), 4, rounding(1e3, 4));
  EXPECT_NEAR(redundant.gain(0, 0), minimal.gain(0, 0), rounding(1e4, 6));
  EXPECT_NEAR(redundant.gain(0, 2), minimal.gain(0, 1), rounding(1e4, 4));
  EXPECT_NEAR(redundant.gain(0, 1), 0, rounding(1e4, 6));
}

// Two inputs, six states, a double integrator of zero: poles of the linear model under the feedback.
TEST(PlacePoles, with_two_inputs_and_constraints) {
  const SharedDae dae = analysis::test::library_model("cable_robot", "cable_robot");
  const std::vector<Complex> poles{{-1, 1}, {-1, -1}, -2, -3, -4, -40};
  const analysis::LinearModel linear = at_rest(dae);
  const Placed found = place_poles(*dae, linear, {.poles = poles});
  EXPECT_EQ(found.inputs.size(), 2u);
  EXPECT_EQ(found.states.size(), 8u);
  // through the state space of the analysis, whose basis need not be ours
  const analysis::StateSpace system = analysis::state_space(linear);
  MatrixXd rows(8, system.size());
  for (std::size_t k = 0; k < found.states.size(); ++k)
    for (std::size_t j = 0; j < linear.variables.size(); ++j)
      if (linear.variables[j] == found.states[k])
        rows.row(static_cast<Eigen::Index>(k)) = system.basis.row(static_cast<Eigen::Index>(j));
  const MatrixXd closed = system.f - system.g * found.gain * rows;
  const Eigen::VectorXcd values = closed.eigenvalues();
  // simple poles at distances of 1 and more; the drives have rates of 33 and 50 1/s
  const double bound = rounding(1e4, 50 * found.gain.norm());
  for (const Complex pole : poles)
    EXPECT_LE((values.array() - pole).abs().minCoeff(), bound) << pole;
}

TEST(PlacePoles, with_a_clock_are_those_of_the_sampled_loop) {
  const SharedDae dae = analysis::test::text_model(
      "model mass\ncoordinate x\nkinetic x'^2/2\ninput u\nforce u on x\n");
  const double period = 0.1;
  const Placed found = place_poles(*dae, at_rest(dae), {.poles = {-1, -2}, .period = period});
  // z^2 + (f1 T^2/2 + f2 T - 2) z + 1 + f1 T^2/2 - f2 T, for a force that is held
  const double p = std::exp(-period), q = std::exp(-2 * period);
  const double f1 = (1 - p) * (1 - q) / (period * period), f2 = (3 - p - q - p * q) / (2 * period);
  EXPECT_NEAR(found.gain(0, 0), f1, rounding(1e3, 1 / (period * period)));
  EXPECT_NEAR(found.gain(0, 1), f2, rounding(1e3, 1 / period));
}

TEST(PlacePoles, modes_that_no_input_affects_stay_if_they_decay) {
  const std::string text =
      "model two\ncoordinate x, y\nkinetic (x'^2 + y'^2)/2\npotential 2*y^2\n"
      "dissipation DAMPING*y'^2/2\ninput u\nforce u on x\n";
  const auto damped = [&](const std::string& damping) {
    std::string own = text;
    own.replace(own.find("DAMPING"), 7, damping);
    return analysis::test::text_model(own);
  };
  const SharedDae dae = damped("5");
  const Placed found = place_poles(*dae, at_rest(dae), {.poles = {-1, -2}});
  EXPECT_NEAR(found.gain(0, 0), 2, rounding(1e3, 2));
  EXPECT_NEAR(found.gain(0, 2), 3, rounding(1e3, 3));
  EXPECT_THAT(fault_of(dae, {.poles = {-1, -2, -3, -4}}),
              HasSubstr("4 poles for 2 modes that u affects: 0 (2 times) 1/s; not affected: -1, -4 "
                        "1/s"));
  EXPECT_THAT(fault_of(damped("0"), {.poles = {-1, -2}}),
              HasSubstr("u does not affect the mode 0 +- 2i 1/s, in which y moves: no feedback "
                        "stabilises it"));
}

// ---- integrals of errors

// The same gains as those of a model in which the integral is written down as a variable.
TEST(Integrals, are_states_of_a_model_that_has_them) {
  const SharedDae by_hand = analysis::test::text_model(cart("variable q\nequation q' = x\n")),
                  plain = analysis::test::text_model(cart());
  const Regulator wanted =
      regulator(*by_hand, at_rest(by_hand),
                {.states = {{"x", 2}, {"theta", 3}, {"q", 5}}, .other_commands = 0.5});
  Integrals integrals;
  integrals.of = MatrixXd::Zero(1, 4);
  integrals.of(0, 0) = 1;
  integrals.weight = MatrixXd::Constant(1, 1, 5);
  integrals.names = {"x"};
  const Regulator found = regulator(
      *plain, at_rest(plain),
      {.states = {{"x", 2}, {"theta", 3}}, .other_commands = 0.5, .integrals = integrals});
  for (std::size_t j = 0; j < wanted.states.size(); ++j) {
    const double gain = wanted.gain(0, static_cast<Eigen::Index>(j));
    const double bound = rounding(1e6, wanted.gain.norm());  // Riccati's equation of five states
    bool seen = false;
    for (std::size_t k = 0; k < found.states.size(); ++k) {
      if (found.states[k] != wanted.states[j]) continue;
      EXPECT_NEAR(found.gain(0, static_cast<Eigen::Index>(k)), gain, bound);
      seen = true;
    }
    if (!seen) {
      EXPECT_EQ(wanted.states[j], "q");
      EXPECT_NEAR(found.integral_gain(0, 0), gain, bound);
    }
  }
  EXPECT_EQ(found.closed.size(), 5u);
}

// A mass with a clock: the sum q_(k+1) = q_k + T x_k, the cost of x and u exact over a period, that of q once in a period.
TEST(Integrals, with_a_clock_are_sums) {
  const SharedDae dae = analysis::test::text_model(
      "model mass\ncoordinate x\nkinetic x'^2/2\ninput u\nforce u on x\n");
  const double t = 0.1, weight = 4;
  MatrixXd a(3, 3), b(3, 1), q = MatrixXd::Zero(3, 3), s = MatrixXd::Zero(3, 1);
  a << 1, t, 0, 0, 1, 0, t, 0, 1;
  b << t * t / 2, t, 0;
  // the integral over a period of (x + v s + u s^2/2)^2
  q(0, 0) = t;
  q(0, 1) = q(1, 0) = t * t / 2;
  q(1, 1) = t * t * t / 3;
  q(2, 2) = t * weight;
  s << std::pow(t, 3) / 6, std::pow(t, 4) / 8, 0;
  const MatrixXd r = MatrixXd::Constant(1, 1, t + std::pow(t, 5) / 20);
  const analysis::RiccatiSolution wanted = analysis::discrete_riccati({a, b, q, r, s});
  ASSERT_TRUE(wanted.solved());
  Integrals integrals;
  integrals.of = MatrixXd::Zero(1, 2);
  integrals.of(0, 0) = 1;
  integrals.weight = MatrixXd::Constant(1, 1, weight);
  integrals.names = {"x"};
  const Regulator found =
      regulator(*dae, at_rest(dae), {.states = {{"x", 1}}, .period = t, .integrals = integrals});
  const double bound = rounding(1e6, wanted.gain.norm());
  EXPECT_NEAR(found.gain(0, 0), wanted.gain(0, 0), bound);
  EXPECT_NEAR(found.gain(0, 1), wanted.gain(0, 1), bound);
  EXPECT_NEAR(found.integral_gain(0, 0), wanted.gain(0, 2), bound);
}

// What an input cannot hold away from zero has no integral that it could move.
TEST(Integrals, of_what_returns_by_itself_are_refused) {
  const SharedDae dae = analysis::test::text_model(
      "model mass\ncoordinate x\nkinetic x'^2/2\npotential x^2\ninput u\nforce u on x\n");
  Integrals integrals;
  integrals.of = MatrixXd::Zero(1, 2);
  integrals.of(0, 1) = 1;
  integrals.weight = MatrixXd::Constant(1, 1, 1);
  integrals.names = {"x'"};
  try {
    regulator(*dae, at_rest(dae), {.integrals = integrals});
    FAIL();
  } catch (const ModelError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("does not affect the mode 0 1/s"),
                                    HasSubstr("the integral of x' moves")));
  }
}

}  // namespace
}  // namespace daedal::feedback
