// Comparisons: errors fall with tolerances, refusals are reported, results do not depend on the number of threads.

#include "daedal/elaborate/elaborate.hpp"
#include "daedal/run/simulate.hpp"
#include "support/problems.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace daedal::solve::testing {
namespace {

std::shared_ptr<const derive::Dae> pendulum() {
  return std::make_shared<const derive::Dae>(derive::derive(std::make_shared<const model::Model>(
      model::elaborate(model::load_text(pendulum_text, "m.daedal")))));
}

TEST(Compare, errors_fall_with_the_tolerance_and_projection_has_no_drift) {
  const std::vector<CompareCase> cases{
      {{}, Rk45Options{.tolerance = 1e-6}},
      {{}, Rk45Options{.tolerance = 1e-10}},
      {{.kind = formulate::Kind::index1}, Rk45Options{.tolerance = 1e-6}}};
  CompareOptions options;
  options.until = 5;
  const Comparison c = compare(pendulum(), cases, options);
  ASSERT_EQ(c.reference_status, Status::completed);
  EXPECT_LT(c.results[1].position_error, 1e-2 * c.results[0].position_error);
  EXPECT_LT(c.results[1].multiplier_error, 1e-2 * c.results[0].multiplier_error);
  EXPECT_LT(c.results[0].drift, 1e-14);
  EXPECT_GT(c.results[2].drift, 1e-9);
}

TEST(Compare, tells_which_combinations_make_no_sense) {
  const Comparison c =
      compare(pendulum(), {{{.kind = formulate::Kind::index3}, Rk45Options{}}}, {.until = 1});
  EXPECT_FALSE(c.results[0].refused.empty());
}

TEST(Compare, does_not_depend_on_the_number_of_threads) {
  std::vector<CompareCase> cases;
  for (const double tolerance : {1e-5, 1e-6, 1e-7, 1e-8})
    cases.push_back({{}, Radau5Options{.tolerance = tolerance}});
  CompareOptions one{.until = 2, .threads = 1}, four{.until = 2, .threads = 4};
  const Comparison a = compare(pendulum(), cases, one), b = compare(pendulum(), cases, four);
  for (std::size_t k = 0; k < cases.size(); ++k) {
    EXPECT_EQ(a.results[k].position_error, b.results[k].position_error);
    EXPECT_EQ(a.results[k].statistics.evaluations, b.results[k].statistics.evaluations);
  }
}

}  // namespace
}  // namespace daedal::solve::testing
