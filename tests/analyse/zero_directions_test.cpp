#include "daedal/analyse/zero_directions.hpp"

#include "daedal/analyse/poles_zeros.hpp"
#include "daedal/analyse/system_zeros.hpp"
#include "linear_systems.hpp"
#include "models.hpp"
#include "support/bounds.hpp"

#include <gtest/gtest.h>

#include <string>

namespace daedal::analysis::test {
namespace {

using Complex = std::complex<double>;
using Eigen::MatrixXcd;
using Eigen::MatrixXd;

/// The equations of both directions, and that G(z) takes u to nothing and y from nothing where z is no pole.
void expect_directions(const LinearModel& m, const ZeroDirection& d, double tolerance) {
  const MatrixXcd shifted = m.a.cast<Complex>() - d.zero.mean * m.e.cast<Complex>();
  const double size = shifted.norm() * d.state.norm();
  EXPECT_LT((shifted * d.state + m.b.cast<Complex>() * d.input).norm(), tolerance * size);
  EXPECT_LT((m.c.cast<Complex>() * d.state + m.d.cast<Complex>() * d.input).norm(),
            tolerance * m.c.norm() * d.state.norm());
  const MatrixXcd g = transfer_of(m, d.zero.mean);
  EXPECT_LE((g * d.input).norm(), tolerance * g.norm() * d.input.norm()) << d.zero.mean;
  EXPECT_LE((d.output.transpose() * g).norm(), tolerance * g.norm() * d.output.norm());
}

TEST(ZeroDirections, block_the_transfer_function_of_random_square_systems) {
  for (const unsigned seed : {1u, 2u, 3u, 4u, 5u}) {
    const LinearModel m = explicit_model(random_matrix(8, 8, seed), random_matrix(8, 3, seed + 10),
                                         random_matrix(3, 8, seed + 20), MatrixXd::Zero(3, 3));
    const Spectrum zeros = invariant_zeros(m);
    ASSERT_GT(zeros.finite(), 0);
    for (const ZeroDirection& d : zero_directions(m, zeros, 3)) {
      ASSERT_EQ(d.input.cols(), 1);
      ASSERT_EQ(d.output.cols(), 1);
      EXPECT_EQ(d.input.cwiseAbs().maxCoeff(), 1);
      EXPECT_LT(d.residual, 1e-12);
      expect_directions(m, d, 1e-10);
    }
  }
}

// Mass 1 pushed and watched, a second one hanging on it by a spring: the zero is the second one's own oscillation with the first
// held. x1 = 0, and the input carries the spring's force, -k x2.
TEST(ZeroDirections, of_a_pushed_mass_are_the_oscillation_of_what_hangs_on_it) {
  const SharedDae dae = text_model(
      "model pair\nparameter k = 12\ncoordinate a = 0, b = 0\nkinetic a'^2 + 3*b'^2/2\n"
      "potential k*(a - b)^2/2\ninput u\nforce u on a\noutput y = a\n");
  const LinearModel m = linearise(*dae, point_of(equilibrium(*dae)));
  const auto found = zero_directions(m, invariant_zeros(m), 1);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(found[0].zero.mean.imag(), 2, daedal::test::rounding(100, 12));
  for (std::size_t k = 0; k < m.variables.size(); ++k) {
    const Complex value = found[0].state(static_cast<Eigen::Index>(k), 0);
    const Complex expected = m.variables[k] == "b"    ? Complex(-1.0 / 12)
                             : m.variables[k] == "b'" ? Complex(0, -2.0 / 12)
                                                      : 0;
    EXPECT_LT(std::abs(value - expected), 1e-12) << m.variables[k];
  }
  EXPECT_FALSE(found[0].unobservable());
  EXPECT_FALSE(found[0].uncontrollable());
}

// Three modes: no input reaches the second, no output shows the third.
TEST(ZeroDirections, tell_modes_that_are_not_reached_and_not_shown) {
  const LinearModel m =
      explicit_model((MatrixXd(3, 3) << -1, 0, 0, 0, -2, 0, 0, 0, -3).finished(),
                     (MatrixXd(3, 1) << 1, 0, 1).finished(), (MatrixXd(1, 3) << 1, 1, 0).finished(),
                     MatrixXd::Zero(1, 1));
  const auto found = zero_directions(m, invariant_zeros(m), 1);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_NEAR(found[0].zero.mean.real(), -2, daedal::test::rounding(100, 3));
  EXPECT_TRUE(found[0].uncontrollable());
  EXPECT_FALSE(found[0].unobservable());
  EXPECT_NEAR(found[1].zero.mean.real(), -3, daedal::test::rounding(100, 3));
  EXPECT_TRUE(found[1].unobservable());
  EXPECT_FALSE(found[1].uncontrollable());
}

// Numerators (s+1)(s+5) and (s+1)(s-1): at -1 the one input moves neither output; outputs have no direction of their own.
TEST(ZeroDirections, of_more_outputs_than_inputs_belong_to_the_inputs) {
  MatrixXd a(3, 3), b(3, 1), c(2, 3);
  a << 0, 1, 0, 0, 0, 1, -24, -26, -9;
  b << 0, 0, 1;
  c << 5, 6, 1, -1, 0, 1;
  const LinearModel tall = explicit_model(a, b, c, MatrixXd::Zero(2, 1));
  const SystemZeros zeros = system_zeros(state_space(tall));
  const auto found = zero_directions(tall, zeros.zeros, zeros.normal_rank);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].output.cols(), 0);
  ASSERT_EQ(found[0].state.cols(), 1);
  // companion form: the state is (1, s, s^2) / det(s - A) times the input
  const double denominator = (-1 + 2) * (-1 + 3) * (-1 + 4);
  EXPECT_LT((found[0].state.col(0).real() - Eigen::Vector3d(1, -1, 1) / denominator).norm(), 1e-12);

  const LinearModel wide =
      explicit_model(a.transpose(), c.transpose(), b.transpose(), MatrixXd::Zero(1, 2));
  const auto mirrored = zero_directions(wide, zeros.zeros, zeros.normal_rank);
  ASSERT_EQ(mirrored.size(), 1u);
  EXPECT_EQ(mirrored[0].state.cols(), 0);
  EXPECT_EQ(mirrored[0].output.cols(), 1);
}

TEST(ZeroDirections, of_a_repeated_zero_are_as_many_as_there_are) {
  // two channels alike and apart, (s+1)/((s+2)(s+3)) each: -1 twice, two directions
  MatrixXd a = MatrixXd::Zero(4, 4), b = MatrixXd::Zero(4, 2), c = MatrixXd::Zero(2, 4);
  for (const int k : {0, 1}) {
    a.block(2 * k, 2 * k, 2, 2) << 0, 1, -6, -5;
    b(2 * k + 1, k) = 1;
    c.block(k, 2 * k, 1, 2) << 1, 1;
  }
  const LinearModel m = explicit_model(a, b, c, MatrixXd::Zero(2, 2));
  const auto found = zero_directions(m, invariant_zeros(m), 2);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].input.cols(), 2);
  expect_directions(m, found[0], 1e-12);
  // (s+1)^2 in one channel: one direction
  MatrixXd chain(3, 3), push(3, 1), row(1, 3);
  chain << 0, 1, 0, 0, 0, 1, -24, -26, -9;
  push << 0, 0, 1;
  row << 1, 2, 1;
  const LinearModel single = explicit_model(chain, push, row, MatrixXd::Zero(1, 1));
  const auto alone = zero_directions(single, invariant_zeros(single), 1);
  ASSERT_EQ(alone.size(), 1u);
  EXPECT_EQ(alone[0].zero.multiplicity, 2);
  EXPECT_EQ(alone[0].input.cols(), 1);
}

}  // namespace
}  // namespace daedal::analysis::test
