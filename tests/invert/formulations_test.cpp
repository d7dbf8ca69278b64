// The six formulations of stable inversion: they agree with each other and with an independent solution.
#include "daedal/invert/formulations.hpp"

#include "daedal/boundary/direct_optimisation.hpp"
#include "support/csv.hpp"
#include "support/observed_order.hpp"
#include "support/stepped.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace daedal::test {
namespace {

using namespace daedal::boundary;
using namespace daedal::inversion;
using ::testing::HasSubstr;

Formulations of_the_two_links(double step, double margin) {
  FormulationsOptions options;
  options.step = step;
  options.before = options.after = margin;
  options.repetitions = 1;
  options.compile.backend = compile::Backend::tape;
  return compare_formulations(inverse_model(*forward_of_file("manipulator_2link")), options);
}

// models/manipulator_2link/reference.csv: SciPy solve_bvp, see the model's README. Simpson's rule errs by 4e-8 with 10 ms (of a
// peak of 0.13 N m; the same independent recomputation), the window of 0.8 s by 9e-3 exp(-21.9 0.8) = 2e-10.
TEST(Formulations, all_six_agree_with_the_reference_within_the_error_of_simpsons_rule) {
  const auto reference = read_csv(DAEDAL_SOURCE_DIR "/models/manipulator_2link/reference.csv");
  const Formulations result = of_the_two_links(0.01, 0.8);
  ASSERT_EQ(result.all.size(), 6u);
  for (const Formulation& formulation : result.all) {
    if (formulation.name.starts_with("opt") && !direct_optimisation_available()) {
      EXPECT_THAT(formulation.obstacle, HasSubstr("without Ipopt"));
      continue;
    }
    ASSERT_EQ(formulation.obstacle, "") << formulation.name;
    std::size_t found = 0;
    for (std::size_t k = 0; k < result.times.size(); ++k) {
      const std::vector<double>& times = reference.at("t");
      const auto at = std::find_if(times.begin(), times.end(),
                                   [&](double t) { return std::abs(t - result.times[k]) < 1e-9; });
      if (at == times.end()) continue;
      ++found;
      // Simpson's rule, 4e-8, and the rest
      EXPECT_NEAR(formulation.inputs[k],
                  reference.at("u")[static_cast<std::size_t>(at - times.begin())], 5e-8)
          << formulation.name << " at t = " << *at;
    }
    EXPECT_EQ(found, 201u) << formulation.name;
    EXPECT_LT(formulation.error, 5e-8) << formulation.name;
  }
}

TEST(Formulations, all_six_converge_with_order_4) {
  const std::vector<double> steps{0.05, 0.04, 0.025, 0.02};
  std::vector<std::vector<double>> errors(6);
  for (const double step : steps) {
    const Formulations result = of_the_two_links(step, 0.8);
    for (std::size_t k = 0; k < 6; ++k) errors[k].push_back(result.all[k].error);
  }
  for (std::size_t k = 0; k < 6; ++k) {
    if (errors[k].back() == 0 && !direct_optimisation_available()) continue;
    EXPECT_NEAR(support::fitted_order(steps, errors[k]).slope, 4, support::slope_margin) << k;
  }
}

// Optimisations have no conditions at the ends. The cost of a mode that grows towards the right end, exp(g (t - Tf)), meets a
// motion that decays there like exp(-d (t - tf)); with g = d their product is the same all along the margin, so the errors fall
// like (a + margin) exp(-g margin).
TEST(Formulations, errors_of_optimisations_fall_with_the_length_of_the_window) {
  constexpr double rate = 21.909;  // both zeros, +-0.012
  const std::vector<double> margins{0.2, 0.3, 0.4};
  std::vector<Formulations> found;
  for (const double margin : margins) found.push_back(of_the_two_links(0.01, margin));
  std::size_t compared = 0;
  for (std::size_t k = 0; k < 6; ++k) {
    if (found[0].all[k].name.starts_with("bvp") || !found[0].all[k].obstacle.empty()) continue;
    ++compared;
    std::vector<double> factor;
    for (std::size_t i = 0; i < 3; ++i)
      factor.push_back(found[i].all[k].error * std::exp(rate * margins[i]));
    EXPECT_GT(factor[2], 1.3 * factor[0]) << found[0].all[k].name;
    // both zeros are off the rate by 0.012, over 0.1 s
    EXPECT_NEAR(factor[1], 0.5 * (factor[0] + factor[2]), 1e-3 * factor[1]) << found[0].all[k].name;
  }
  EXPECT_TRUE(compared > 0 || !direct_optimisation_available());
}

// Three inputs, outputs that contain no coordinate linearly: no internal dynamics in closed form, but the whole inverse model.
TEST(Formulations, of_a_manipulator_in_space_are_those_of_the_inverse_model) {
  FormulationsOptions options;
  options.step = 0.02;
  options.repetitions = 1;
  options.compile.backend = compile::Backend::tape;
  const Formulations result = compare_formulations(
      inverse_model(*forward_of_file(
          "manipulator_3d",
          {.parameters = {}, .inputs = {}, .model = "manipulator_3d_homogeneous"})),
      options);
  const double simpson = result.all[1].error;  // bvp-dae
  EXPECT_LT(simpson, 1e-4 * result.largest);
  for (const Formulation& formulation : result.all) {
    if (formulation.name.ends_with("ode")) {
      EXPECT_THAT(formulation.obstacle,
                  HasSubstr(formulation.name == "opt-ode" && !direct_optimisation_available()
                                ? "without Ipopt"
                                : "contains no coordinate linearly"));
    } else if (formulation.name != "opt-dae" || direct_optimisation_available()) {
      EXPECT_EQ(formulation.obstacle, "") << formulation.name;
      // two solvers of the same discrete equations: their stop
      EXPECT_NEAR(formulation.error, simpson, 1e-6 * simpson) << formulation.name;
    }
  }
}

TEST(Formulations, of_beams_and_bad_options_are_refused_in_words) {
  FormulationsOptions options;
  const auto message = [&](const std::string& folder) -> std::string {
    try {
      compare_formulations(inverse_model(*forward_of_file(folder)), options);
    } catch (const ModelError& error) {
      return error.diagnostics().front().message;
    }
    return "";
  };
  EXPECT_THAT(message("flexible_link"), HasSubstr("formulations cannot be compared"));
  options.step = 0;
  EXPECT_THAT(message("manipulator_2link"), HasSubstr("step = 0 s is no step"));
  options.step = 1e-6;
  EXPECT_THAT(message("manipulator_2link"), HasSubstr("intervals"));
}

}  // namespace
}  // namespace daedal::test
