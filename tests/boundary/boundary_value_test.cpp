// Boundary value problems of reduced systems: orders, boundary conditions and their rates, refusals.
#include "daedal/boundary/boundary_value.hpp"

#include "daedal/base/lu.hpp"
#include "daedal/boundary/almost_block_diagonal.hpp"
#include "daedal/boundary/collocation_formula.hpp"
#include "daedal/boundary/mesh.hpp"
#include "daedal/boundary/rest.hpp"
#include "daedal/boundary/simpson.hpp"
#include "daedal/invert/stable_inversion.hpp"
#include "support/bounds.hpp"
#include "support/observed_order.hpp"
#include "support/stepped.hpp"

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace daedal::test {
namespace {

using namespace daedal::boundary;
using namespace daedal::inversion;

/// The two-link manipulator, its servo-constraint on the level of accelerations, or lower.
struct TwoLink {
  explicit TwoLink(const std::string& damping = "2.5e-5",
                   formulate::Kind kind = formulate::Kind::index1)
      : problem(formulate::formulate(
            structure::by_signature(
                inverse_model(
                    *forward_of_file("manipulator_2link",
                                     {.parameters = {{"d", damping}}, .inputs = {}, .model = {}}))
                    .tracking),
            {.kind = kind})),
        system(problem, {.backend = compile::Backend::tape}),
        desired([this](double t, double* w) { system.desired(t, w); }),
        states(system.states(), 0.0),
        tops(system.tops(), 0.0) {}

  std::uint32_t find(const std::string& name, std::uint16_t order) const {
    return problem.layout.find({problem.dae->model->find(name), order}) - 1;
  }
  BoundaryValueSolution solve(std::vector<double> joints, const BoundaryValueOptions& options) {
    return solve_boundary_value(system, joints, desired, states, tops, options);
  }
  /// beta, beta', u at t.
  std::vector<double> at(const BoundaryValueSolution& solution, double t) {
    SolutionAt value(system, solution, desired);
    std::vector<double> w(system.signals()), s(system.states()), z(system.tops());
    EXPECT_TRUE(value(t, w.data(), s.data(), z.data()));
    return {s[find("beta", 0)], s[find("beta", 1)], z[find("u", 0) - system.states()]};
  }

  formulate::Problem problem;
  InverseSystem system;
  Desired desired;
  std::vector<double> states, tops;
};

BoundaryValueSolution exact_solution(TwoLink& two_link, double before = 0.9, double after = 0.9) {
  return two_link.solve({-before, 0, 1, 1 + after}, {.tolerance = 1e-12, .order = 6});
}

TEST(CollocationFormula, integrates_polynomials_of_its_degree_exactly) {
  for (int stages = 1; stages <= 4; ++stages) {
    const CollocationFormula formula = CollocationFormula::gauss(stages, 2);
    for (int degree = 0; degree < 2 * stages; ++degree) {
      double once = 0, twice = 0;
      for (std::size_t j = 0; j < formula.stages(); ++j) {
        once += formula.weight(1, formula.stages(), j) * std::pow(formula.node(j), degree);
        twice += formula.weight(2, formula.stages(), j) * std::pow(formula.node(j), degree);
      }
      EXPECT_NEAR(once, 1.0 / (degree + 1), daedal::test::rounding(40)) << stages << " " << degree;
      if (degree < 2 * stages - 1) {  // the second integral has the weight 1 - c
        EXPECT_NEAR(twice, 1.0 / ((degree + 1) * (degree + 2)), daedal::test::rounding(40))
            << stages << " " << degree;
      }
    }
  }
}

TEST(AlmostBlockDiagonal, solves_growing_and_decaying_modes_as_a_dense_matrix_does) {
  constexpr std::size_t n = 5, left = 3, intervals = 12;
  std::mt19937 random(7);
  std::uniform_real_distribution<double> number(-1, 1);
  AlmostBlockDiagonal system(n, left, intervals);
  constexpr Eigen::Index size = n * (intervals + 1);
  Eigen::MatrixXd dense = Eigen::MatrixXd::Zero(size, size);
  Eigen::VectorXd b(size);
  const auto fill = [&](double* row, Eigen::Index i, Eigen::Index j, double scale) {
    for (std::size_t k = 0; k < n; ++k)
      dense(i, j + static_cast<Eigen::Index>(k)) = row[k] = scale * number(random);
  };
  for (std::size_t i = 0; i < left; ++i)
    fill(system.left_row(i), static_cast<Eigen::Index>(i), 0, 1);
  for (std::size_t k = 0; k < intervals; ++k)
    for (std::size_t i = 0; i < n; ++i) {
      const auto row = static_cast<Eigen::Index>(left + k * n + i);
      fill(system.transition_row(k, i), row, static_cast<Eigen::Index>(k * n), i < 2 ? 20 : 0.1);
      dense(row, static_cast<Eigen::Index>((k + 1) * n + i)) = -1;
    }
  for (std::size_t i = 0; i < n - left; ++i)
    fill(system.right_row(i), size - static_cast<Eigen::Index>(n - left - i),
         size - Eigen::Index{n}, 1);
  for (Eigen::Index i = 0; i < size; ++i) b[i] = number(random);
  ASSERT_TRUE(system.factor());
  std::vector<double> x(static_cast<std::size_t>(size));
  system.solve(b.data(), x.data());
  Eigen::VectorXd signs = b;  // g is the right-hand side of x_(k+1) = T x_k + g
  signs.segment(left, n * intervals) *= -1;
  const Eigen::VectorXd expected = Lu(dense).solve(signs);
  for (Eigen::Index i = 0; i < size; ++i)
    EXPECT_NEAR(x[static_cast<std::size_t>(i)], expected[i],
                daedal::test::rounding(100, 100 * expected.cwiseAbs().maxCoeff()));
}

TEST(Mesh, keeps_joints_and_makes_equal_errors) {
  const std::vector<double> joints{-1, 0, 2};
  const std::vector<double> even = even_mesh(joints, 60, 2);
  // errors of length^5 exp(4 t): equal in all intervals of a mesh of density exp(4 t/5)
  const auto error = [](double a, double b) { return std::pow(b - a, 5) * std::exp(2 * (a + b)); };
  std::vector<double> mesh = even;
  for (int round = 0; round < 4; ++round) {
    std::vector<double> errors;
    for (std::size_t k = 0; k + 1 < mesh.size(); ++k) errors.push_back(error(mesh[k], mesh[k + 1]));
    mesh = equidistributed(mesh, errors, 5, joints, 60, 2);
  }
  EXPECT_TRUE(std::is_sorted(mesh.begin(), mesh.end()));
  for (const double joint : joints)
    EXPECT_TRUE(std::find(mesh.begin(), mesh.end(), joint) != mesh.end()) << joint;
  const auto last = mesh.size() - 2;
  const double ratio = error(mesh[last], mesh[last + 1]) / error(mesh[40], mesh[41]);
  EXPECT_LT(std::abs(std::log(ratio)), std::log(4));  // of exp(8) on an even mesh
}

TEST(BoundaryValue, states_and_inputs_converge_with_order_4_and_6) {
  TwoLink two_link;
  const BoundaryValueSolution exact = exact_solution(two_link, 0.3, 0.3);
  for (const int order : {4, 6}) {
    const std::vector<std::size_t> counts{40, 56, 80, 112, 160};
    std::vector<double> steps;
    std::vector<std::vector<double>> errors(3);
    for (const std::size_t count : counts) {
      const BoundaryValueSolution solution = two_link.solve(
          {-0.3, 0, 1, 1.3}, {.order = order, .intervals = count, .newton_tolerance = 1e-11});
      ASSERT_TRUE(solution.ok());
      steps.push_back(1.6 / static_cast<double>(solution.times.size() - 1));
      std::vector<double> worst(3, 0.0);
      for (double t = 0; t <= 1; t += 0.05) {
        const std::vector<double> here = two_link.at(solution, t), there = two_link.at(exact, t);
        for (std::size_t k = 0; k < 3; ++k)
          worst[k] = std::max(worst[k], std::abs(here[k] - there[k]));
      }
      for (std::size_t k = 0; k < 3; ++k) errors[k].push_back(worst[k]);
    }
    for (std::size_t k = 0; k < 3; ++k)  // beta' has a larger term of the next order here
      EXPECT_GE(support::fitted_order(steps, errors[k]).slope, order - 0.35)
          << "order " << order << ", quantity " << k << ", last error " << errors[k].back();
    EXPECT_LE(errors[2].back(), order == 4 ? 1e-7 : 1e-9);  // of a peak of 0.129
  }
}

TEST(BoundaryValue, the_estimated_error_is_the_error) {
  TwoLink two_link;
  const BoundaryValueSolution exact = exact_solution(two_link, 0.3, 0.3);
  const BoundaryValueSolution solution = two_link.solve({-0.3, 0, 1, 1.3}, {.intervals = 40});
  const std::uint32_t beta = two_link.find("beta", 0), n = two_link.system.states();
  double error = 0, size = 0;
  for (std::size_t k = 0; k < solution.times.size(); ++k) {
    const double value = solution.states[k * n + beta];
    error = std::max(error, std::abs(value - two_link.at(exact, solution.times[k])[0]));
    size = std::max(size, std::abs(value));
  }
  EXPECT_GT(solution.error, 0.5 * error / size);  // it is the largest over all states
  EXPECT_LT(solution.error, 5 * error / size);
}

/// Errors of (beta, beta', u) by Simpson's rule with the servo-constraint on some level.
std::vector<support::ObservedOrder> simpson_orders(formulate::Kind kind,
                                                   const std::vector<std::size_t>& counts) {
  TwoLink reduced, discretised("2.5e-5", kind);
  const BoundaryValueSolution exact = exact_solution(reduced);
  std::vector<double> w(reduced.system.signals());
  const auto rest = [&](double t) {
    reduced.desired(t, w.data());
    return rest_at(reduced.system, w.data(), reduced.states, reduced.tops);
  };
  const Rest left = rest(-0.3), right = rest(1.3);
  reduced.desired(-0.3, w.data());
  const Dichotomy modes = dichotomy(reduced.system, w.data(), left.states, left.tops, 0.01, 2);
  const SimpsonEnds ends{modes.decaying, modes.growing, left.states, right.states};
  std::vector<double> steps;
  std::vector<std::vector<double>> errors(3);
  for (const std::size_t count : counts) {
    const std::vector<double> times = even_mesh(std::vector<double>{-0.3, 0, 1, 1.3}, count, 1);
    SimpsonEquations equations(discretised.system, reduced.system, times, discretised.desired,
                               ends);
    const SimpsonSolution solution =
        solve_simpson(equations, equations.everywhere(left.states, left.tops));
    const std::uint32_t n = reduced.system.states(), nz = reduced.system.tops();
    std::vector<double> worst(3, 0.0);
    for (std::size_t k = 0; k < times.size(); ++k) {
      const std::vector<double> expected = reduced.at(exact, times[k]);
      const double values[] = {solution.states[k * n + reduced.find("beta", 0)],
                               solution.states[k * n + reduced.find("beta", 1)],
                               solution.tops[k * nz + reduced.find("u", 0) - n]};
      for (std::size_t q = 0; q < 3; ++q)
        worst[q] = std::max(worst[q], std::abs(values[q] - expected[q]));
    }
    steps.push_back(1.6 / static_cast<double>(count));
    for (std::size_t q = 0; q < 3; ++q) errors[q].push_back(worst[q]);
  }
  std::vector<support::ObservedOrder> orders;
  for (auto& e : errors) orders.push_back(support::fitted_order(steps, e));
  return orders;
}

// Why servo-constraints are never discretised on position level.
TEST(Simpson,
     order_of_the_input_is_4_2_and_0_for_servo_constraints_on_acceleration_velocity_position) {
  const std::vector<std::size_t> counts{32, 48, 64, 96, 128};
  const auto acceleration = simpson_orders(formulate::Kind::index1, counts);
  for (const support::ObservedOrder& order : acceleration)
    EXPECT_NEAR(order.slope, 4, support::slope_margin);
  const auto velocity = simpson_orders(formulate::Kind::index2, counts);
  EXPECT_NEAR(velocity[0].slope, 4, support::slope_margin);
  EXPECT_NEAR(velocity[2].slope, 2, support::slope_margin);
  const auto position = simpson_orders(formulate::Kind::index3, {16, 32, 48, 64});
  EXPECT_LT(position[2].slope, 0.5);
  EXPECT_GT(position[2].errors.back(), 1e-2);  // of a peak of 0.129
}

/// Errors at the ends of a window that holds positions at rest, by its margin: e^(-rate margin).
void check_rates(const std::string& damping, double growth, double decay,
                 const std::vector<double>& left_expected,
                 const std::vector<double>& right_expected, double relative) {
  TwoLink two_link(damping);
  const BoundaryValueSolution exact = exact_solution(two_link, 1.2, 3.2);
  ASSERT_TRUE(exact.ok());
  const std::vector<double> margins{0.1, 0.2, 0.3, 0.4};
  std::vector<double> left, right;
  for (const double margin : margins) {
    const BoundaryValueSolution solution =
        two_link.solve({-margin, 0, 1, 1 + margin},
                       {.tolerance = 1e-12, .order = 6, .ends = EndConditions::positions});
    ASSERT_TRUE(solution.ok());
    const auto error = [&](double t) {
      const auto here = two_link.at(solution, t), there = two_link.at(exact, t);
      return std::hypot(here[0] - there[0], here[1] - there[1]);
    };
    left.push_back(error(-margin));
    right.push_back(error(1 + margin));
  }
  for (std::size_t k = 0; k + 1 < margins.size(); ++k) {
    if (left[k + 1] > 1e-9) {
      // one mode of several: the next one is below 1e-3 of it
      EXPECT_NEAR(std::log(left[k] / left[k + 1]) / 0.1, growth, 1e-3 * growth) << k;
    }
    // likewise
    EXPECT_NEAR(std::log(right[k] / right[k + 1]) / 0.1, decay, 1e-3 * decay) << k;
  }
  // margins 0.1, 0.2, 0.4 s of an independent recomputation (SciPy solve_bvp), three digits
  const std::size_t shown[] = {0, 1, 3};
  for (std::size_t i = 0; i < left_expected.size(); ++i)
    EXPECT_NEAR(left[shown[i]], left_expected[i], relative * left_expected[i]);
  for (std::size_t i = 0; i < right_expected.size(); ++i)
    EXPECT_NEAR(right[shown[i]], right_expected[i], relative * right_expected[i]);
}

TEST(EndConditions, errors_of_positions_at_rest_fall_with_the_rates_of_the_zeros) {
  check_rates("2.5e-5", 21.920905586542, 21.896905586542, {7.451e-3, 8.32e-4, 1.04e-5},
              {7.502e-3, 8.40e-4, 1.05e-5}, 0.005);
  check_rates("0.05", 56.496153618544, 8.496153618544, {2.51e-6}, {0.512, 0.219, 4.0e-2}, 0.01);
}

TEST(EndConditions, automatic_ones_make_a_short_window_exact) {
  TwoLink two_link;
  const BoundaryValueSolution exact = exact_solution(two_link);
  const BoundaryValueSolution solution =
      two_link.solve({-0.1, 0, 1, 1.1}, {.tolerance = 1e-11, .order = 6});
  ASSERT_TRUE(solution.ok());
  EXPECT_EQ(solution.left.stable, 1);
  EXPECT_EQ(solution.left.centre, 0);
  EXPECT_EQ(solution.left.unstable, 1);
  // what is left is of third order in the deviation at the ends, 3e-4 rad
  EXPECT_NEAR(two_link.at(solution, -0.1)[0], two_link.at(exact, -0.1)[0], 1e-10);
  EXPECT_NEAR(two_link.at(solution, 1.1)[2], two_link.at(exact, 1.1)[2], 1e-9);
}

/// Two links with something else in the internal dynamics.
BoundaryValueSolution with_more(const std::string& more, EndConditions ends) {
  const auto inverse =
      inverse_model(*forward_of(model::load_text(two_link_text("0.5", "1") + more, "m.daedal")));
  StableInversionOptions options;
  options.boundary_value.ends = ends;
  options.boundary_value.tolerance = 1e-6;
  options.after = 1;
  options.compile.backend = compile::Backend::tape;
  const StableInversion result = stable_inversion(inverse, options);
  if (!result.solution.ok()) {
    EXPECT_FALSE(result.trajectory.reason.empty());
  }
  return result.solution;
}

TEST(EndConditions, are_refused_with_the_counts_when_they_do_not_fit) {
  const std::string filter = "variable y\nequation filter: y' = beta - 5*y\n";
  const BoundaryValueSolution positions = with_more(filter, EndConditions::positions);
  EXPECT_EQ(positions.status, BoundaryValueStatus::wrong_counts);
  EXPECT_FALSE(positions.at_left);  // beta and y at each end, but one mode grows
  EXPECT_EQ(positions.conditions, 2);
  EXPECT_EQ(positions.needed, 1);
  const std::string oscillator = "variable y\nequation oscillator: y'' = beta - 900*y\n";
  const BoundaryValueSolution eigenspace = with_more(oscillator, EndConditions::eigenspace);
  EXPECT_EQ(eigenspace.status, BoundaryValueStatus::wrong_counts);
  EXPECT_TRUE(eigenspace.at_left);
  EXPECT_EQ(eigenspace.left.centre, 2);
  EXPECT_EQ(eigenspace.conditions, 1);
  EXPECT_EQ(eigenspace.needed, 3);
}

TEST(EndConditions, automatic_ones_start_centre_modes_at_rest) {
  const BoundaryValueSolution solution =
      with_more("variable y\nequation oscillator: y'' = beta - 900*y\n", EndConditions::automatic);
  ASSERT_TRUE(solution.ok());
  EXPECT_EQ(solution.left.stable, 1);
  EXPECT_EQ(solution.left.centre, 2);
  EXPECT_EQ(solution.left.unstable, 1);
}

}  // namespace
}  // namespace daedal::test
