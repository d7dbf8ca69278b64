// The linear-quadratic regulator against designs made elsewhere, and by what makes it one.
#include "daedal/control/regulator.hpp"

#include "analyse/models.hpp"
#include "daedal/analyse/equilibrium.hpp"
#include "daedal/control/sampled.hpp"
#include "support/bounds.hpp"

#include <Eigen/Dense>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

namespace daedal::feedback {
namespace {

using analysis::test::SharedDae;
using Eigen::Index;
using Eigen::MatrixXd;
using test::rounding;
using testing::HasSubstr;

Regulator designed(const SharedDae& dae, const RegulatorOptions& options) {
  const analysis::Equilibrium rest = analysis::equilibrium(*dae);
  EXPECT_TRUE(rest.found);
  return regulator(*dae, analysis::linearise(*dae, analysis::point_of(rest)), options);
}

std::string fault_of(const SharedDae& dae, const RegulatorOptions& options) {
  try {
    designed(dae, options);
  } catch (const ModelError& error) {
    return error.what();
  }
  return "";
}

double gain_of(const Regulator& r, const std::string& input, const std::string& state) {
  for (std::size_t i = 0; i < r.inputs.size(); ++i)
    for (std::size_t j = 0; j < r.states.size(); ++j)
      if (r.inputs[i] == input && r.states[j] == state)
        return r.gain(static_cast<Index>(i), static_cast<Index>(j));
  ADD_FAILURE() << "no gain of " << state << " on " << input;
  return 0;
}

std::string crane(double length) {
  return "model crane\nparameter m = 12.9, g = 9.81, tau_T = 0.03, tau_L = 0.02\n"
         "coordinate x_T = 11, L = " +
         std::to_string(length) +
         ", phi\n"
         "let load = [x_T + L*sin(phi), L*cos(phi)]\nkinetic m/2*dot(load', load')\n"
         "potential -m*g*load[2]\ninput u_T, u_L\ndrive x_T by u_T velocity(lag = tau_T)\n"
         "drive L by u_L velocity(lag = tau_L)\n";
}

struct CraneRow {
  double length, phi, x_rate, phi_rate;  // gains of u_T
};

// [Druecker2022, Table 4.4]: Q = 1000, R = 100. The dissertation prints the law; the gains were computed apart with SciPy's
// Riccati solver from the linear equations written down by hand, and are rounded to ten decimals.
TEST(Regulator, crane_with_the_weights_of_the_dissertation) {
  const double own = 1e-9;  // of that computation: its Riccati residual is 5e-11
  for (const CraneRow& row : {CraneRow{3.09, -6.1216468343, 2.8905516995, 1.1601438323},
                              CraneRow{4, -5.3743379713, 2.8281325502, 1.5166747481},
                              CraneRow{4.5, -5.0627213679, 2.8018019494, 1.6821857165},
                              CraneRow{6, -4.37421025, 2.7429682811, 2.1008640554},
                              CraneRow{7, -4.0446807891, 2.714480083, 2.3371288745}}) {
    SCOPED_TRACE(row.length);
    const Regulator r = designed(analysis::test::text_model(crane(row.length)),
                                 {.other_states = 1000, .other_commands = 100});
    EXPECT_NEAR(gain_of(r, "u_T", "x_T"), std::sqrt(10.0), own);
    EXPECT_NEAR(gain_of(r, "u_T", "phi"), row.phi, own * std::abs(row.phi));
    EXPECT_NEAR(gain_of(r, "u_T", "x_T'"), row.x_rate, own * row.x_rate);
    EXPECT_NEAR(gain_of(r, "u_T", "phi'"), row.phi_rate, own * row.phi_rate);
    EXPECT_NEAR(gain_of(r, "u_L", "L"), std::sqrt(10.0), own);
    EXPECT_NEAR(gain_of(r, "u_L", "L'"), 2.3356395348, own);
    EXPECT_NEAR(gain_of(r, "u_T", "L"), 0, own);  // trolley and winch do not know each other
    EXPECT_LE(r.residual, rounding(1e3));
  }
}

// [Druecker2022, (4.17)-(4.20)]: weights on the platform's redundant coordinates, the trolley held. Gains computed apart (SciPy,
// QR of the constraint Jacobians) to 15 digits.
TEST(Regulator, platform_in_redundant_coordinates) {
  const SharedDae dae =
      analysis::test::library_model("cable_robot_platform", "cable_robot_platform",
                                    {{"L_0", "5.35"}, {"L_Tx", "0.35 + 2*sqrt(5.5^2 - 5.495^2)"}});
  const Regulator r = designed(dae, {.inputs = {"u_L1", "u_L2"},
                                     .states = {{"L1", 1.87},
                                                {"L2", 7.95},
                                                {"x_P", 6.03},
                                                {"z_P", 2.58},
                                                {"delta", 2.03},
                                                {"L1'", 0.2},
                                                {"L2'", 1.59},
                                                {"x_P'", 6.15},
                                                {"z_P'", 2.68},
                                                {"delta'", 1.23}},
                                     .other_commands = 8000});
  EXPECT_THAT(r.held, testing::ElementsAre("x_T"));
  const std::vector<std::string> states{"L1",  "L2",  "x_P",  "z_P",  "delta",
                                        "L1'", "L2'", "x_P'", "z_P'", "delta'"};
  const double first[] = {1.1108381755567236e-2, 4.952849086782101e-3,  -2.8134885483357307e-2,
                          8.038338716957588e-3,  2.58558732369996e-2,   3.713091174626224e-4,
                          1.4158372130379607e-5, 1.4219474716362223e-3, 1.9291910290921658e-4,
                          6.97304886542928e-4};
  const double second[] = {7.0962608039009875e-3, 1.3647853657992912e-2,  2.78285596398203e-2,
                           1.0382032365064414e-2, -2.6963122541321317e-2, 7.878332700107412e-5,
                           4.578737963104613e-4,  -1.5446960281013055e-3, 2.685866216847922e-4,
                           -7.308352563298329e-4};
  const double own =
      1e-9 * 3e-2;  // of the largest gain; that computation's L_Tx has six decimals of its own
  for (std::size_t k = 0; k < states.size(); ++k) {
    EXPECT_NEAR(gain_of(r, "u_L1", states[k]), first[k], own) << states[k];
    EXPECT_NEAR(gain_of(r, "u_L2", states[k]), second[k], own) << states[k];
  }
  EXPECT_NEAR(gain_of(r, "u_L1", "x_T"), 0, own);
  EXPECT_NEAR(r.closed[0].real(), -0.0273828779, test::printed(10));
  EXPECT_NEAR(std::abs(r.closed[1].imag()), 1.466748506, test::printed(9));
}

// The acrobot of Drake, upright, Q = diag(10, 10, 1, 1), R = 1: gains computed apart.
TEST(Regulator, acrobot_upright) {
  const SharedDae dae = analysis::test::text_model(
      "model acrobot\nparameter m1 = 1, m2 = 1, l1 = 1, lc1 = 0.5, lc2 = 1, Ic1 = 0.083, Ic2 = "
      "0.33\n"
      "parameter b1 = 0.1, b2 = 0.1, g = 9.81\ncoordinate th1 = pi, th2\n"
      "let dir(a) = [sin(a), -cos(a)]\nlet C1 = lc1*dir(th1)\nlet C2 = l1*dir(th1) + lc2*dir(th1 + "
      "th2)\n"
      "kinetic m1/2*dot(C1', C1') + m2/2*dot(C2', C2') + Ic1/2*th1'^2 + Ic2/2*(th1' + th2')^2\n"
      "potential m1*g*C1[2] + m2*g*C2[2]\ndissipation b1/2*th1'^2 + b2/2*th2'^2\n"
      "input u\ntorque u about th2\n");
  const Regulator r =
      designed(dae, {.states = {{"th1", 10}, {"th2", 10}, {"th1'", 1}, {"th2'", 1}}});
  EXPECT_NEAR(gain_of(r, "u", "th1"), -278.44223126, test::printed(8));
  EXPECT_NEAR(gain_of(r, "u", "th2"), -112.29125985, test::printed(8));
  EXPECT_NEAR(gain_of(r, "u", "th1'"), -119.72457377, test::printed(8));
  EXPECT_NEAR(gain_of(r, "u", "th2'"), -56.82824017, test::printed(8));
  // |1 + L| >= 1 for every linear-quadratic regulator [Kalman1964]: at least half the gain, any more, and 60 deg
  ASSERT_EQ(r.margins.size(), 1u);
  EXPECT_LE(r.margins[0].sensitivity_peak, 1 + rounding(1e6));
  EXPECT_LE(r.margins[0].lowest_gain.value_or(0), 0.5);
  EXPECT_FALSE(r.margins[0].highest_gain);
  EXPECT_GE(r.margins[0].phase.value_or(180), 60 - 1e-6);  // located between frequencies of a grid
}

// One mechanism in one coordinate and in two with a constraint; the weights see the same.
TEST(Regulator, redundant_coordinates_cost_what_they_move) {
  const Regulator one = designed(
      analysis::test::text_model("model p\ncoordinate a\nkinetic a'^2/2\npotential cos(a)\n"
                                 "input u\nforce u on a\n"),
      {.states = {{"a", 3}, {"a'", 2}}});
  const Regulator two = designed(
      analysis::test::text_model("model p\ncoordinate x = 0, y = 1\nkinetic (x'^2 + y'^2)/2\n"
                                 "potential y\nconstraint rod: x^2 + y^2 = 1\ninput u\n"
                                 "torque u about x\n"),
      {.states = {{"x", 3}, {"x'", 2}}});
  EXPECT_NEAR(gain_of(one, "u", "a"), gain_of(two, "u", "x"), rounding(1e4));
  EXPECT_NEAR(gain_of(one, "u", "a'"), gain_of(two, "u", "x'"), rounding(1e4));
  EXPECT_NEAR(gain_of(two, "u", "y"), 0, rounding(1e4));
}

// As samples come faster the sampled regulator becomes the continuous one, with order 1: what is held for T is late by T/2.
TEST(Regulator, sampled_becomes_continuous_with_order_1) {
  const SharedDae dae = analysis::test::text_model(crane(7));
  const RegulatorOptions options{.other_states = 1000, .other_commands = 100};
  const Regulator limit = designed(dae, options);
  double before = 0;
  for (const double period : {4e-4, 2e-4, 1e-4}) {
    RegulatorOptions with_clock = options;
    with_clock.period = period;
    const Regulator r = designed(dae, with_clock);
    for (const std::complex<double> factor : r.closed) EXPECT_LT(std::abs(factor), 1);
    const double error = (r.gain - limit.gain).norm();
    if (before > 0) {
      EXPECT_NEAR(before / error, 2,
                  0.05);  // terms of order 2: 166 1/s times a tenth of a millisecond
    }
    before = error;
  }
}

TEST(Sampled, exponential_of_a_turn_and_of_a_chain) {
  MatrixXd turn(2, 2);
  for (const double angle : {0.1, 3.0, 200.0}) {
    turn << 0, -angle, angle, 0;
    const MatrixXd e = exponential(turn);
    EXPECT_NEAR(e(0, 0), std::cos(angle), rounding(100, angle));
    EXPECT_NEAR(e(1, 0), std::sin(angle), rounding(100, angle));
  }
  MatrixXd chain = MatrixXd::Zero(4, 4);  // integrators: powers of t over factorials
  for (Index k = 0; k + 1 < 4; ++k) chain(k, k + 1) = 2;
  EXPECT_NEAR(exponential(chain)(0, 3), 8.0 / 6, rounding(20, 2));
}

// The cost of a motion over a period, summed in small pieces, is that of the quadratic form.
TEST(Sampled, cost_over_a_period_is_its_integral) {
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  const auto drawn = [&](Index rows, Index columns) {
    return MatrixXd(MatrixXd::NullaryExpr(rows, columns, [&] { return normal(random); }));
  };
  const MatrixXd f = drawn(3, 3), g = drawn(3, 1), root = drawn(3, 3), q = root * root.transpose(),
                 r = MatrixXd::Identity(1, 1);
  const double period = 0.5;
  const Sampled s = sampled(f, g, {q, r, MatrixXd::Zero(f.rows(), g.cols())}, period);
  const Eigen::VectorXd x = drawn(3, 1), u = drawn(1, 1);
  const double form = x.dot(s.q * x) + 2 * x.dot(s.s * u) + u.dot(s.r * u);
  // Gauss' formula of three points on each of 200 pieces: exact to rounding
  double sum = 0;
  constexpr int pieces = 200;
  MatrixXd h = MatrixXd::Zero(4, 4);
  h.topLeftCorner(3, 3) = f;
  h.topRightCorner(3, 1) = g;
  Eigen::VectorXd z(4);
  z << x, u;
  for (int k = 0; k < pieces; ++k)
    for (const auto& [place, weight] :
         {std::pair{-std::sqrt(0.6), 5.0 / 18}, std::pair{0.0, 8.0 / 18},
          std::pair{std::sqrt(0.6), 5.0 / 18}}) {
      const double t = period * (k + 0.5 + 0.5 * place) / pieces;
      const Eigen::VectorXd there = exponential(t * h) * z;
      sum +=
          weight * period / pieces * (there.head(3).dot(q * there.head(3)) + there[3] * there[3]);
    }
  EXPECT_NEAR(form, sum, rounding(1e4, sum));
}

TEST(Regulator, says_which_mode_it_cannot_move) {
  EXPECT_THAT(
      fault_of(analysis::test::text_model("model two\ncoordinate x, y\nkinetic (x'^2 + y'^2)/2\n"
                                          "potential 2*y^2\ninput u\nforce u on x\n"),
               {}),
      HasSubstr("u does not affect the mode 0 +- 2i 1/s, in which y moves: no feedback "
                "stabilises it"));
}

TEST(Regulator, says_which_mode_no_weight_sees) {
  const std::string fault = fault_of(
      analysis::test::text_model("model two\ncoordinate x, y\nkinetic (x'^2 + y'^2)/2\n"
                                 "potential 2*y^2\ninput u, w\nforce u on x\nforce w on y\n"),
      {.states = {{"x", 1}}});
  EXPECT_THAT(fault, HasSubstr("no weight sees the mode 0 +- 2i 1/s, in which y moves"));
  EXPECT_THAT(fault, HasSubstr("state_weights = y=1"));
}

TEST(Regulator, refuses_weights_and_names_that_are_none) {
  const SharedDae dae = analysis::test::text_model(crane(4));
  EXPECT_THAT(fault_of(dae, {.states = {{"phj", 1}}}),
              testing::AllOf(HasSubstr("state_weights: model 'crane' has no state 'phj'"),
                             HasSubstr("did you mean 'phi'?")));
  EXPECT_THAT(fault_of(dae, {.states = {{"phi", -1}}}), HasSubstr("the weight of 'phi' is -1"));
  EXPECT_THAT(fault_of(dae, {.commands = {{"u_T", 0}}}), HasSubstr("the weight of 'u_T' is 0"));
  EXPECT_THAT(fault_of(dae, {.inputs = {"u"}}), HasSubstr("has no input 'u'"));
  EXPECT_THAT(fault_of(dae, {.period = -1}),
              HasSubstr("period = -1: the time between samples is above 0 s"));
}

}  // namespace
}  // namespace daedal::feedback
