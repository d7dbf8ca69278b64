// The small linear algebra of the module against its definition: residuals of solved systems, known
// ranks.

#include "daedal/base/dense_lu.hpp"
#include "daedal/start/rank.hpp"
#include "daedal/system/klu.hpp"
#include "integrate/hermite.hpp"
#include "integrate/reduced_newton.hpp"
#include "support/bounds.hpp"
#include "support/systems.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace daedal::solve::testing {
namespace {

using base::Complex;
using base::DenseLu;
using base::Planar;
using base::size_of;

constexpr unsigned seed = 20240611;

template <class Scalar>
Scalar random_scalar(std::mt19937& generator) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  if constexpr (std::is_same_v<Scalar, double>)
    return uniform(generator);
  else
    return {uniform(generator), uniform(generator)};
}

template <class Scalar>
class ScalarKinds : public ::testing::Test {};
using Scalars = ::testing::Types<double, Complex>;
TYPED_TEST_SUITE(ScalarKinds, Scalars);

/// A random matrix by columns with half its entries zero, zero diagonal included: pivoting is
/// needed.
template <class Scalar>
Planar<Scalar> random_matrix(std::size_t n, std::mt19937& generator) {
  Planar<Scalar> a(n * n);
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t i = 0; i < n; ++i)
      if ((i + j) % n == 1 % n || (i != j && generator() % 2 == 0))
        a[j * n + i] = random_scalar<Scalar>(generator);
  return a;
}

template <class Scalar>
double largest_residual(const Planar<Scalar>& a, const Planar<Scalar>& x, const Planar<Scalar>& b) {
  const std::size_t n = b.size();
  double worst = 0;
  for (std::size_t i = 0; i < n; ++i) {
    Scalar sum = -b[i];
    for (std::size_t j = 0; j < n; ++j) sum = sum + a[j * n + i] * x[j];
    worst = std::max(worst, size_of(sum));
  }
  return worst;
}

TYPED_TEST(ScalarKinds, dense_and_sparse_elimination_solve_random_systems) {
  std::mt19937 generator(seed);
  for (const std::size_t n : {1u, 2u, 5u, 18u, 40u}) {
    const Planar<TypeParam> a = random_matrix<TypeParam>(n, generator);
    Planar<TypeParam> b(n);
    for (std::size_t i = 0; i < n; ++i) b[i] = random_scalar<TypeParam>(generator);

    DenseLu<TypeParam> dense(n);
    for (std::size_t k = 0; k < a.size(); ++k) dense.data()[k] = a[k];
    Planar<TypeParam> x = b;
    ASSERT_TRUE(dense.factor());
    dense.solve(x.data());
    double size = 0;
    for (std::size_t i = 0; i < n; ++i) size = std::max(size, size_of(std::as_const(x)[i]));
    EXPECT_LT(largest_residual(a, x, b), 1e-14 * static_cast<double>(n) * (1 + size))
        << n << ", seed " << seed;

    std::vector<int> column_start = {0}, row;
    std::vector<TypeParam> entries;
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t i = 0; i < n; ++i)
        if (a[j * n + i] != TypeParam{}) {
          row.push_back(static_cast<int>(i));
          entries.push_back(a[j * n + i]);
        }
      column_start.push_back(static_cast<int>(row.size()));
    }
    Planar<TypeParam> values(entries.size());
    for (std::size_t k = 0; k < entries.size(); ++k) values[k] = entries[k];
    Klu<TypeParam> sparse({column_start, row});
    for (int again = 0; again < 2; ++again) {  // the second time with kept pivots
      Planar<TypeParam> y = b;
      ASSERT_TRUE(sparse.factor(values.data()));
      sparse.solve(y.data());
      EXPECT_LT(largest_residual(a, y, b), 1e-14 * static_cast<double>(n) * (1 + size));
    }
  }
}

TYPED_TEST(ScalarKinds, singular_matrices_are_told) {
  DenseLu<TypeParam> dense(2);
  for (std::size_t i = 0; i < 4; ++i) dense.data()[i] = 1;
  EXPECT_FALSE(dense.factor());
  Klu<TypeParam> sparse({{0, 2, 4}, {0, 1, 0, 1}});
  Planar<TypeParam> ones(4);
  for (std::size_t i = 0; i < 4; ++i) ones[i] = 1;
  EXPECT_FALSE(sparse.factor(ones.data()));
}

// ds/c - next(ds, dz) = p and r_s ds + r_z dz = q hold for what the reduced system gives.
/// The pendulum's matrices at one point, factored with `factored_c`, solved with `c`.
struct PendulumNewton {
  static constexpr double factored_c = 0.37;
  Pendulum system;
  Chains chains{system};
  ReducedNewton<double> newton{chains, system.state_pattern(), system.top_pattern()};
  std::vector<double> jacobians = std::vector<double>(21);
  std::vector<double> p = {0.1, -0.2, 0.3, 0.7}, q = {1, -1, 0.5}, ds = p, dz = q;

  explicit PendulumNewton(double c) {
    const double s[] = {0.6, -0.8, 1.2, 0.9}, z[] = {0.3, -2, 1.7};
    system.jacobians(0, s, z, jacobians.data());
    EXPECT_TRUE(newton.factor(factored_c, jacobians.data()));
    newton.solve(c, ds.data(), dz.data());
  }
  void expect_states_follow_tops(double c) const {
    for (std::size_t i = 0; i < 4; ++i) {
      const std::uint32_t next = system.next()[i];
      EXPECT_NEAR(ds[i] / c - (next < 4 ? ds[next] : dz[next - 4]), p[i], test::rounding(16, 4));
    }
  }
};

TEST(ReducedNewton, solves_the_full_system) {
  const PendulumNewton solved(PendulumNewton::factored_c);
  solved.expect_states_follow_tops(PendulumNewton::factored_c);
  for (std::size_t r = 0; r < 3; ++r) {
    double sum = -solved.q[r];
    for (std::size_t k = 0; k < 4; ++k) sum += solved.jacobians[4 * r + k] * solved.ds[k];
    for (std::size_t k = 0; k < 3; ++k) sum += solved.jacobians[12 + 3 * r + k] * solved.dz[k];
    EXPECT_NEAR(sum, 0, test::rounding(100, 4));
  }
}

TEST(ReducedNewton, states_follow_their_tops_with_a_matrix_of_another_c) {
  PendulumNewton(0.2).expect_states_follow_tops(0.2);
}

TEST(Hermite, is_exact_on_polynomials_of_degree_5) {
  const auto value = [](double t) { return ((((t - 2) * t + 3) * t - 1) * t + 0.5) * t - 7; };
  const auto slope = [](double t) { return (((5 * t - 8) * t + 9) * t - 2) * t + 0.5; };
  Hermite hermite(1);
  for (const double t : {0.5, 0.7, 1.3}) {
    const double v = value(t), d = slope(t);
    if (t == 0.5)
      hermite.restart(t, &v, &d);
    else
      hermite.push(t, &v, &d);
  }
  ASSERT_TRUE(hermite.complete());
  for (const double t : {0.5, 0.61, 0.7, 0.9, 1.2, 1.3})
    EXPECT_NEAR(hermite.value(t, 0), value(t), test::rounding(100, 7));
}

/// n rows of a random matrix and one more: the sum of rows 1 and 3.
RowMatrix with_dependent_row(std::uint32_t rows, std::uint32_t columns) {
  std::mt19937 generator(seed);
  RowMatrix m{rows + 1, columns, {0}, {}, {}};
  std::vector<std::vector<double>> dense(rows + 1, std::vector<double>(columns, 0.0));
  for (std::uint32_t r = 0; r < rows; ++r)
    for (std::uint32_t k = 0; k < 4; ++k)
      dense[r][(r + k) % columns] = random_scalar<double>(generator);
  for (std::uint32_t c = 0; c < columns; ++c) dense[rows][c] = dense[1][c] + dense[3][c];
  for (const auto& row : dense) {
    for (std::uint32_t c = 0; c < columns; ++c)
      if (row[c] != 0) {
        m.column.push_back(c);
        m.values.push_back(row[c]);
      }
    m.row_start.push_back(static_cast<std::uint32_t>(m.column.size()));
  }
  return m;
}

TEST(Rank, names_the_rows_a_dependent_row_follows_from) {
  const RowMatrix m = with_dependent_row(6, 9);
  const RankReport report = rank_of_rows(m, 1e-10);
  EXPECT_EQ(report.rank, 6u);
  ASSERT_EQ(report.dependent.size(), 1u);
  EXPECT_EQ(report.dependent[0].row, 6u);
  EXPECT_THAT(report.dependent[0].follows_from, ::testing::ElementsAre(1, 3));
  EXPECT_LT(report.smallest_singular_value, 1e-15);
}

TEST(Rank, large_matrices_find_a_dependent_row_too) {
  const RowMatrix m = with_dependent_row(500, 900);
  const RankReport report = rank_of_rows(m, 1e-10);
  EXPECT_EQ(report.rank, 500u);
  ASSERT_EQ(report.dependent.size(), 1u);
  std::vector<std::uint32_t> involved =
      report.dependent[0].follows_from;  // any of the three may be the dependent one
  involved.push_back(report.dependent[0].row);
  EXPECT_THAT(involved, ::testing::UnorderedElementsAre(1, 3, 500));
}

TEST(Rank, a_row_of_zeros_follows_from_nothing) {
  const RowMatrix m{2, 2, {0, 1, 1}, {0}, {1.0}};
  const RankReport report = rank_of_rows(m, 1e-10);
  EXPECT_EQ(report.rank, 1u);
  ASSERT_EQ(report.dependent.size(), 1u);
  EXPECT_TRUE(report.dependent[0].follows_from.empty());
}

}  // namespace
}  // namespace daedal::solve::testing
