#include "daedal/analyse/frequency_response.hpp"

#include "linear_systems.hpp"
#include "models.hpp"
#include "support/bounds.hpp"

#include <gtest/gtest.h>

#include <numbers>

namespace daedal::analysis::test {
namespace {

using Complex = std::complex<double>;
using Eigen::MatrixXd;

// Crossings are bisected to rounding, of responses whose terms are some 100 times the difference.
const double located = daedal::test::rounding(100, 100);

TEST(FrequencyResponse, of_an_oscillator_is_its_formula) {
  const double m = 2, d = 0.3, k = 50;
  MatrixXd a(2, 2), b(2, 1), c(1, 2);
  a << 0, 1, -k / m, -d / m;
  b << 0, 1 / m;
  c << 1, 0;
  const FrequencyResponse r = frequency_response(explicit_model(a, b, c, MatrixXd::Zero(1, 1)),
                                                 logarithmic_grid(0.1, 100, 61));
  ASSERT_EQ(r.frequencies.size(), 61u);
  EXPECT_EQ(r.frequencies.front(), 0.1);
  EXPECT_EQ(r.frequencies.back(), 100);
  for (std::size_t i = 0; i < r.frequencies.size(); ++i) {
    const double w = r.frequencies[i];
    const Complex exact = 1.0 / Complex(k - m * w * w, d * w);
    EXPECT_LT(std::abs(r.value[i](0, 0) - exact), 1e-13 * std::abs(exact)) << w;
    EXPECT_NEAR(r.singular_values(i)[0], std::abs(exact),
                daedal::test::rounding(100, std::abs(exact)));
  }
}

TEST(FrequencyResponse, of_a_mechanism_with_constraints_agrees_with_the_plain_inverse) {
  const SharedDae dae = library_model("delta_robot");
  EquilibriumOptions options;
  for (const model::InputDefault& input : dae->model->inputs)
    options.free_inputs.push_back(input.input);
  const LinearModel m = linearise(*dae, point_of(equilibrium(*dae, options)));
  const FrequencyResponse r = frequency_response(m, logarithmic_grid(0.5, 500, 7));
  for (std::size_t i = 0; i < r.frequencies.size(); ++i) {
    const Eigen::MatrixXcd exact = transfer_of(m, {0, r.frequencies[i]});
    EXPECT_LT((r.value[i] - exact).norm(), 1e-10 * exact.norm()) << r.frequencies[i];
  }
}

TEST(FrequencyResponse, has_no_value_on_a_pole) {
  const FrequencyResponse r =
      frequency_response(explicit_model((MatrixXd(2, 2) << 0, 1, -4, 0).finished(),
                                        (MatrixXd(2, 1) << 0, 1).finished(),
                                        (MatrixXd(1, 2) << 1, 0).finished(), MatrixXd::Zero(1, 1)),
                         {1, 2, 3});
  EXPECT_NEAR(r.value[0](0, 0).real(), 1.0 / 3, daedal::test::rounding(8));
  EXPECT_TRUE(std::isnan(r.value[1](0, 0).real()));
  EXPECT_NEAR(r.value[2](0, 0).real(), -0.2, daedal::test::rounding(8));
}

// G = K / (s (s+1) (s+2)): phase -180 deg at sqrt 2, where |G| = K/6.
TEST(Margins, of_three_lags_in_closed_form) {
  const double gain = 2;
  MatrixXd a(3, 3), b(3, 1), c(1, 3);
  a << 0, 1, 0, 0, 0, 1, 0, -2, -3;
  b << 0, 0, gain;
  c << 1, 0, 0;
  const LinearModel m = explicit_model(a, b, c, MatrixXd::Zero(1, 1));
  const Margins found = margins(m, frequency_response(m, logarithmic_grid(0.01, 100, 40)), 0, 0);
  ASSERT_TRUE(found.gain);
  EXPECT_NEAR(found.gain->frequency, std::numbers::sqrt2, located);
  EXPECT_NEAR(found.gain->value, 6 / gain, located);
  ASSERT_TRUE(found.phase);
  const double w = found.phase->frequency;
  EXPECT_NEAR(w * std::sqrt((1 + w * w) * (4 + w * w)), gain, located);
  const double exact = 90 - (std::atan(w) + std::atan(w / 2)) * 180 / std::numbers::pi;
  EXPECT_NEAR(found.phase->value, exact, located * 180 / std::numbers::pi);
}

TEST(Margins, are_absent_where_nothing_crosses) {
  const LinearModel m = explicit_model(-MatrixXd::Ones(1, 1), 0.5 * MatrixXd::Ones(1, 1),
                                       MatrixXd::Ones(1, 1), MatrixXd::Zero(1, 1));
  const Margins found = margins(m, frequency_response(m, logarithmic_grid(0.01, 100, 40)), 0, 0);
  EXPECT_FALSE(found.gain);
  EXPECT_FALSE(found.phase);
}

TEST(FrequencyResponse, refuses_grids_that_are_none) {
  EXPECT_THROW(logarithmic_grid(0, 1, 10), std::invalid_argument);
  EXPECT_THROW(logarithmic_grid(2, 1, 10), std::invalid_argument);
  EXPECT_THROW(logarithmic_grid(1, 2, 1), std::invalid_argument);
}

}  // namespace
}  // namespace daedal::analysis::test
