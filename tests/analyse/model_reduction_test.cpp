#include "daedal/analyse/model_reduction.hpp"

#include "daedal/analyse/frequency_response.hpp"
#include "daedal/analyse/reachability.hpp"
#include "daedal/base/lu.hpp"
#include "daedal/base/svd.hpp"
#include "daedal/formulate/problem.hpp"
#include "daedal/pencil/lyapunov.hpp"
#include "linear_systems.hpp"
#include "models.hpp"
#include "support/bounds.hpp"

#include <gtest/gtest.h>

namespace daedal::analysis::test {
namespace {

using Eigen::MatrixXd;

TEST(Lyapunov, satisfies_its_equation) {
  const MatrixXd f = random_stable(9, 3), r = random_matrix(9, 4, 4), q = r * r.transpose();
  const MatrixXd x = lyapunov(f, q);
  EXPECT_LT((f * x + x * f.transpose() + q).norm(), 1e-12 * q.norm());
  EXPECT_LT((x - x.transpose()).norm(), 1e-12 * x.norm());
  EXPECT_THROW(lyapunov((MatrixXd(2, 2) << 0, 1, -1, 0).finished(), MatrixXd::Identity(2, 2)),
               std::invalid_argument);
}

TEST(Lyapunov, functions_of_stable_systems_alone_are_positive) {
  const MatrixXd one = MatrixXd::Identity(5, 5), f = random_stable(5, 8);
  EXPECT_TRUE(quadratic_lyapunov_function(f, one).positive());
  EXPECT_FALSE(quadratic_lyapunov_function(f + 0.5 * one, one).positive());
}

StateSpace random_system(unsigned seed, Eigen::Index inputs = 2, Eigen::Index outputs = 2) {
  return state_space(explicit_model(random_stable(8, seed), random_matrix(8, inputs, seed + 1),
                                    random_matrix(outputs, 8, seed + 2),
                                    random_matrix(outputs, inputs, seed + 3)));
}

double largest_difference(const StateSpace& a, const StateSpace& b) {
  double largest = 0;
  for (const double w : logarithmic_grid(1e-3, 1e3, 400))
    largest = std::max(largest, singular_values_of(Eigen::MatrixXcd(transfer(a, {0, w}) -
                                                                    transfer(b, {0, w})))[0]);
  return largest;
}

StateSpace difference(const StateSpace& a, const StateSpace& b) {
  StateSpace d = a;
  const Eigen::Index n = a.size(), m = b.size();
  d.f = MatrixXd::Zero(n + m, n + m);
  d.f.topLeftCorner(n, n) = a.f;
  d.f.bottomRightCorner(m, m) = b.f;
  d.g.resize(n + m, a.g.cols());
  d.g << a.g, b.g;
  d.h.resize(a.h.rows(), n + m);
  d.h << a.h, -b.h;
  d.basis = MatrixXd::Zero(a.basis.rows(), n + m);
  return d;
}

TEST(ModelReduction, keeps_its_bounds) {
  for (const unsigned seed : {5u, 6u, 7u})
    for (const int order : {2, 4, 6}) {
      const StateSpace s = random_system(seed);
      const ReducedModel truncated = balanced_truncation(s, order),
                         best = hankel_approximation(s, order);
      EXPECT_EQ(truncated.system.size(), order);
      EXPECT_EQ(best.system.size(), order);
      EXPECT_LE(largest_difference(s, truncated.system), truncated.bound * (1 + 1e-9));
      EXPECT_LE(largest_difference(s, best.system), best.bound * (1 + 1e-9));
      EXPECT_GT(largest_difference(s, best.system), 0.99 * best.hankel[order]);
    }
}

// No system of k states is nearer than s_(k+1) in the Hankel norm; this one is just there.
TEST(ModelReduction, hankel_approximation_is_the_best_there_is) {
  for (const unsigned seed : {5u, 6u, 7u})
    for (const int order : {2, 5}) {
      const StateSpace s = random_system(seed);
      const ReducedModel best = hankel_approximation(s, order);
      const StateSpace error = difference(s, best.system);
      const double norm = balanced_truncation(error, static_cast<int>(error.size())).hankel[0];
      // squares of the Hankel values are computed, the smallest 1e-4 of the largest: eps over 1e-8
      EXPECT_NEAR(norm, best.hankel[order], 1e-8 * norm) << seed << ", order " << order;
    }
}

TEST(ModelReduction, hankel_approximation_takes_any_numbers_of_inputs_and_outputs) {
  const StateSpace s = random_system(9, 1, 3);
  const ReducedModel best = hankel_approximation(s, 3);
  EXPECT_EQ(best.system.g.cols(), 1);
  EXPECT_EQ(best.system.h.rows(), 3);
  EXPECT_LE(largest_difference(s, best.system), best.bound * (1 + 1e-9));
}

TEST(ModelReduction, an_unstable_part_is_kept) {
  MatrixXd a = MatrixXd::Zero(6, 6);
  a.topLeftCorner(4, 4) = random_stable(4, 21);
  a.bottomRightCorner(2, 2) << 0.3, 2, -2, 0.3;
  const StateSpace s = state_space(
      explicit_model(a, random_matrix(6, 1, 22), random_matrix(1, 6, 23), MatrixXd::Zero(1, 1)));
  const ReducedModel r = balanced_truncation(s, 4);
  EXPECT_EQ(r.unstable, 2);
  EXPECT_LE(largest_difference(s, r.system), r.bound * (1 + 1e-9));
  const Spectrum poles = finite_eigenvalues(MatrixXd::Identity(4, 4), r.system.f);
  EXPECT_NEAR(poles.values[0].value.real(), 0.3, daedal::test::rounding(100));
  EXPECT_NEAR(std::abs(poles.values[0].value.imag()), 2, daedal::test::rounding(100, 2));
  EXPECT_THROW(balanced_truncation(s, 1), std::invalid_argument);
}

// A free motion is a double pole at 0, a frictionless spring a pair on the axis: rounding puts them on either side.
TEST(ModelReduction, an_undamped_part_is_kept) {
  MatrixXd a = MatrixXd::Zero(8, 8);
  a.topLeftCorner(4, 4) = random_stable(4, 31);
  a(4, 5) = 1;
  a.bottomRightCorner(2, 2) << 0, 3, -3, 0;
  const MatrixXd turned = random_matrix(8, 8, 32) + 4 * MatrixXd::Identity(8, 8);
  const StateSpace s = state_space(
      explicit_model(turned * a * Lu(turned).inverse(), turned * random_matrix(8, 1, 33),
                     random_matrix(1, 8, 34) * Lu(turned).inverse(), MatrixXd::Zero(1, 1)));
  const ReducedModel r = balanced_truncation(s, 6);
  EXPECT_EQ(r.unstable, 4);
  EXPECT_GT(r.bound, 0);
  for (const double w : {0.05, 0.5, 2.0, 10.0, 100.0}) {  // where the undamped part is finite
    const Eigen::MatrixXcd whole = transfer(s, {0, w});
    EXPECT_LE((transfer(r.system, {0, w}) - whole).norm(), r.bound + 1e-9 * whole.norm()) << w;
  }
  EXPECT_THROW(balanced_truncation(s, 3), std::invalid_argument);
}

// The input pushes x, the output is y: the minimal part has no state. It used to end in an assertion.
TEST(ModelReduction, of_what_is_not_connected_is_refused) {
  const SharedDae dae = text_model(
      "model m\ncoordinate x = 0, y = 0\nkinetic (x'^2 + y'^2)/2\npotential (x^2 + 2*y^2)/2\n"
      "dissipation (x'^2 + y'^2)/2\ninput u\nforce u on x\noutput z = y\n");
  const StateSpace minimal =
      minimal_part(state_space(linearise(*dae, point_of(equilibrium(*dae)))));
  EXPECT_EQ(minimal.size(), 0);
  EXPECT_THROW(hankel_approximation(minimal, 2), std::invalid_argument);
  EXPECT_THROW(balanced_truncation(minimal, 0), std::invalid_argument);
}

// Parameter set A with Baumgarte's poles at -5: constraints are not reached by any drive, and six states say it all.
TEST(ModelReduction, of_the_delta_robot_leaves_six_states) {
  const SharedDae dae = library_model("delta_robot");
  EquilibriumOptions options;
  for (const model::InputDefault& input : dae->model->inputs)
    options.free_inputs.push_back(input.input);
  const Equilibrium rest = equilibrium(*dae, options);
  const formulate::Problem problem =
      formulate::formulate(structure::by_signature(dae),
                           {.kind = formulate::Kind::baumgarte, .all = {10, 25}, .each = {}});
  const StateSpace s = state_space(linearise(problem, layout_point(problem, rest)));
  ASSERT_EQ(s.size(), 18);
  const Reachability in = controllability(s), out = observability(s);
  EXPECT_EQ(in.rank, 6);
  ASSERT_EQ(in.hidden.finite(), 12);
  EXPECT_NEAR(in.hidden.clusters[0].mean.real(), -5, daedal::test::rounding(1e4, 5));
  EXPECT_LT(out.rank, 18);
  const StateSpace minimal = minimal_part(s);
  EXPECT_EQ(minimal.size(), 6);
  for (const double w : {0.1, 1.0, 3.0, 10.0, 100.0}) {
    const Eigen::MatrixXcd whole = transfer(s, {0, w});
    EXPECT_LT((transfer(minimal, {0, w}) - whole).norm(), 1e-9 * whole.norm()) << w;
  }
}

}  // namespace
}  // namespace daedal::analysis::test
