// Jets written out as code: the same inputs as the general method, and as the closed form.
#include "daedal/stepper/algebraic.hpp"
#include "support/stepped.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <string>
#include <vector>

namespace daedal::test {
namespace {

struct FlatCase {
  const char *folder, *model;
  std::map<std::string, std::string> parameters;
  double until;
};

std::vector<expr::Leaf> inputs_of(const model::Model& m) {
  std::vector<expr::Leaf> inputs;
  for (expr::SymbolId s = 0; s < m.symbols.size(); ++s)
    if (m.symbols[s].kind == model::SymbolKind::input) inputs.push_back({s, 0});
  return inputs;
}

class ClosedJets : public ::testing::TestWithParam<FlatCase> {};

TEST_P(ClosedJets, inputs_are_those_of_the_general_road) {
  const auto& [folder, model, parameters, until] = GetParam();
  const inversion::InverseModel inverse = inversion::inverse_model(
      *forward_of_file(folder, {.parameters = parameters, .model = model}));
  const solve::ConsistentPoint start = solve::consistent_point(inverse.problem);
  const std::vector<expr::Leaf> inputs = inputs_of(*inverse.dae->model);
  const solve::AlgebraicOptions options{.until = 2 * until,
                                        .compile = {.backend = compile::Backend::tape}};
  solve::AlgebraicSolution general(inverse.problem, start, options),
      closed(inverse.problem, start, options);
  ASSERT_TRUE(closed.watch(inputs));
  std::vector<double> u(inputs.size());
  double peak = 0, worst = 0;
  for (int n = 0; n <= 110; ++n) {  // 61 is prime to 111: in some other order than that of time
    const double t = until * (n * 61 % 111) / 100.0;
    const auto value = general.at(t);
    ASSERT_EQ(value.failure, solve::Failure::none) << t;
    ASSERT_TRUE(closed.watched(t, u.data())) << t;
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      const std::uint32_t position = inverse.problem.layout.find(inputs[k]) - 1;
      const double right = position < value.states.size()
                               ? value.states[position]
                               : value.tops[position - value.states.size()];
      peak = std::max(peak, std::abs(right));
      worst = std::max(worst, std::abs(u[k] - right));
    }
  }
  EXPECT_LE(worst, 1e-12 * peak);
}

INSTANTIATE_TEST_SUITE_P(
    models, ClosedJets,
    ::testing::Values(FlatCase{"cable_robot", "cable_robot", {}, 10},
                      FlatCase{"cable_robot", "cable_robot_generalised", {}, 10},
                      FlatCase{
                          "cable_robot_platform", "cable_robot_platform", {{"smooth", "6"}}, 10},
                      FlatCase{"torsional_oscillator", "torsional_oscillator", {{"N", "4"}}, 6},
                      FlatCase{"mass_on_car", "mass_on_car_absolute", {}, 8}),
    [](const auto& tested) { return std::string(tested.param.model); });

TEST(ClosedJet, of_disks_of_index_41_is_right_too) {
  const inversion::InverseModel inverse = inversion::inverse_model(
      *forward_of_file("torsional_oscillator", {.parameters = {{"N", "20"}, {"tf", "30"}}}));
  solve::AlgebraicSolution closed(inverse.problem, solve::consistent_point(inverse.problem),
                                  {.compile = {.backend = compile::Backend::tape}});
  ASSERT_TRUE(closed.watch(inputs_of(*inverse.dae->model)));
  // u = k sum_j binom(N+j-1, 2j-1) (I/k)^j z^(2j)
  for (const double t : {5.0, 12.0, 19.0}) {
    double u = 0, exact = 0, binomial = 20, ratio = 1;
    for (int j = 1; j <= 20; ++j) {
      ratio *= 0.12 / 2 / 900;
      exact +=
          2 * binomial * ratio * 2 * std::numbers::pi * expr::rest_to_rest_value(t / 30, 40, 2 * j);
      binomial = binomial * (20 + j) * (20 - j) / (2.0 * j * (2 * j + 1));
    }
    ASSERT_TRUE(closed.watched(t, &u));
    EXPECT_NEAR(u, exact, 1e-12 * 0.3704) << t;  // its peak
  }
}

}  // namespace
}  // namespace daedal::test
