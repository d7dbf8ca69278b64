#include "daedal/analyse/system_zeros.hpp"

#include "linear_systems.hpp"
#include "models.hpp"
#include "support/bounds.hpp"

#include <gtest/gtest.h>

namespace daedal::analysis::test {
namespace {

using Eigen::MatrixXd;

// Poles -2, -3, -4 in companion form; the rows of C are numerators.
StateSpace with_numerators(const MatrixXd& c) {
  MatrixXd a(3, 3), b(3, 1);
  a << 0, 1, 0, 0, 0, 1, -24, -26, -9;
  b << 0, 0, 1;
  return state_space(explicit_model(a, b, c, MatrixXd::Zero(c.rows(), 1)));
}

TEST(SystemZeros, of_one_input_are_common_zeros_of_all_numerators) {
  MatrixXd c(2, 3);
  c << 5, 6, 1,  // (s+1)(s+5)
      -1, 0, 1;  // (s+1)(s-1)
  const SystemZeros both = system_zeros(with_numerators(c));
  EXPECT_EQ(both.normal_rank, 1);
  ASSERT_EQ(both.zeros.finite(), 1);
  EXPECT_NEAR(both.zeros.values[0].value.real(), -1, daedal::test::rounding(100, 6));
  c.row(1) << -2, 1, 1;  // (s+2)(s-1): nothing in common
  EXPECT_EQ(system_zeros(with_numerators(c)).zeros.finite(), 0);
}

TEST(SystemZeros, of_the_transposed_system_are_the_same) {
  MatrixXd c(2, 3);
  c << 5, 6, 1, -1, 0, 1;
  StateSpace s = with_numerators(c);
  s.f.transposeInPlace();
  std::swap(s.g, s.h);
  s.g.transposeInPlace();
  s.h.transposeInPlace();
  s.feedthrough[0].transposeInPlace();
  const SystemZeros z = system_zeros(s);
  ASSERT_EQ(z.zeros.finite(), 1);
  EXPECT_NEAR(z.zeros.values[0].value.real(), -1, daedal::test::rounding(100, 6));
}

TEST(SystemZeros, doubled_outputs_lower_the_rank_and_leave_the_zeros) {
  MatrixXd c(2, 3);
  c << 5, 6, 1, 10, 12, 2;
  const SystemZeros z = system_zeros(with_numerators(c));
  EXPECT_EQ(z.normal_rank, 1);
  ASSERT_EQ(z.zeros.finite(), 2);
  EXPECT_NEAR(z.zeros.values[0].value.real(), -1, daedal::test::rounding(100, 12));
  EXPECT_NEAR(z.zeros.values[1].value.real(), -5, daedal::test::rounding(100, 12));
}

TEST(SystemZeros, of_square_systems_agree_with_the_system_pencil) {
  for (const unsigned seed : {1u, 2u, 3u, 4u, 5u}) {
    const LinearModel m = explicit_model(random_matrix(7, 7, seed), random_matrix(7, 2, seed + 10),
                                         random_matrix(2, 7, seed + 20), MatrixXd::Zero(2, 2));
    const Spectrum pencil = invariant_zeros(m);
    const SystemZeros z = system_zeros(state_space(m));
    EXPECT_EQ(z.normal_rank, 2);
    ASSERT_EQ(z.zeros.finite(), pencil.finite());
    for (int k = 0; k < pencil.finite(); ++k)
      EXPECT_LT(std::abs(z.zeros.values[k].value - pencil.values[k].value), 1e-10) << seed;
  }
}

TEST(SystemZeros, of_a_mechanism_with_one_servo_left_out) {
  // Two masses on a spring, both positions shown, one force: the positions have no zero in common.
  const SharedDae dae = text_model(
      "model m\ncoordinate x = 0, y = 0\ninput u\nkinetic x'^2/2 + y'^2\npotential 3*(y - x)^2\n"
      "force u on x\noutput a = x, b = y\n");
  const LinearModel m = linearise(*dae, point_of(equilibrium(*dae)));
  EXPECT_EQ(system_zeros(state_space(m)).zeros.finite(), 0);
}

}  // namespace
}  // namespace daedal::analysis::test
