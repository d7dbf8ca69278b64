// Output redefinition [Druecker2022, section 6.5] and maps of zeros: critical weights and residual oscillations against
// reference values (independent recomputation, SciPy), critical masses against the closed form.
#include "daedal/analyse/redefine.hpp"
#include "daedal/analyse/zero_map.hpp"
#include "support/model_point.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace daedal::test {
namespace {

model::Model arm(int N) {
  return model::elaborate(model::load(model_path("flexible_link")),
                          {.parameters = {{"N", std::to_string(N)}}, .inputs = {}, .model = ""});
}
derive::Dae redefined_arm(int N, double weight) {
  return derive::derive(std::make_shared<const model::Model>(
      analyse::redefined(arm(N), {"tip", "rigid"}, weight)));
}
analyse::ZeroMap map_of_arm(int N, const analyse::ZeroMapOptions& options = {}) {
  const derive::Dae dae = redefined_arm(N, 0.5);
  return analyse::zero_map(dae, {{dae.model->find("Gamma(tip)"), 0, 1}}, options);
}

class CriticalWeight : public ::testing::TestWithParam<std::pair<int, double>> {};

TEST_P(CriticalWeight, is_that_of_the_reference) {
  const auto [N, critical] = GetParam();
  const analyse::ZeroMap map = map_of_arm(N, {.samples = 11, .sharpness = 1e-7});
  ASSERT_FALSE(map.crossings.empty());
  EXPECT_NEAR(map.crossings[0].s, critical, 1e-6);
  EXPECT_TRUE(map.crossings[0].acceptable_before);
  EXPECT_GT(std::abs(map.crossings[0].zero.mean.imag()), 1) << "imaginary zeros collide";
  EXPECT_EQ(map.points.front().margin.side, analyse::Side::axis);
  EXPECT_EQ(map.points.back().margin.side, analyse::Side::right);
}

INSTANTIATE_TEST_SUITE_P(arms, CriticalWeight,
                         ::testing::Values(std::pair{1, 0.769898}, std::pair{2, 0.781082},
                                           std::pair{3, 0.764375}, std::pair{4, 0.760735},
                                           std::pair{6, 0.758643}, std::pair{8, 0.758001},
                                           std::pair{10, 0.757719}),
                         [](const auto& tested) { return "N" + std::to_string(tested.param.first); });

}  // namespace
}  // namespace daedal::test
