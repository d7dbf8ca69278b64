// Lifted positions: two forms of one motion. Every model is elaborated twice, with its recursive lets written out and
// lifted, and both must give the same accelerations, multipliers, starts and trajectories.

#include "daedal/derive/dae.hpp"
#include "daedal/elaborate/elaborate.hpp"
#include "daedal/formulate/problem.hpp"
#include "daedal/integrate/combination.hpp"
#include "daedal/model/model.hpp"
#include "daedal/run/reference.hpp"
#include "daedal/run/simulate.hpp"
#include "daedal/system/noise.hpp"
#include "daedal/system/problem_system.hpp"
#include "support/bounds.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace daedal::solve {
namespace {

using model::Lifting;

/// Rods from a moving support to a fixed point, in absolute angles: the elevator cable, shorter.
const std::string cable = R"(model cable
size N = 5
parameter length = 3 [m], mass = 3 [kg], g = 9.81, anchor = [0.6, 0.2], d = 0.1, sway = 0.1
let l = length/N;  let m = mass/N
signal car = [sway*sin(3*t), 0]
coordinate q[1..N]
for k in 1..N: initial q[k] = atan2(0.84, (length + anchor[2])/2 - (k - 1/2)*l), q[k]' = 0.2*k/N
let P[0] = car
let P[k in 1..N] = P[k-1] + l*[sin(q[k]), cos(q[k])]
let C[k in 1..N] = (P[k-1] + P[k])/2
kinetic     sum(k in 1..N: m/2*dot(C[k]', C[k]') + m*l^2/24*q[k]'^2)
potential   sum(k in 1..N: -m*g*C[k][2])
dissipation sum(k in 2..N: d/2*(q[k]' - q[k-1]')^2)
constraint wall: P[N] = anchor
output lowest = P[floor(N/2)]
)";

/// Point masses in relative angles: two recursions, one on the other, and coordinates without inertia of their own. A
/// driven joint, a load and a damper at points of the chain, a constraint between velocities.
const std::string arm = R"(model arm
size N = 6
parameter l = 0.3, m = 0.2, g = 9.81, tau = 0.05
coordinate q[1..N] = 0.2
coordinate cart = 0
initial q[2]' = 0.7, q[4]' = -0.3
let phi[1] = q[1]
let phi[k in 2..N] = phi[k-1] + q[k]
let P[0] = [cart, 0]
let P[k in 1..N] = P[k-1] + l*[sin(phi[k]), -cos(phi[k])]
kinetic     sum(k in 1..N: m/2*dot(P[k]', P[k]')) + 1/2*cart'^2
potential   sum(k in 1..N: m*g*P[k][2]) + 20*(P[3][1] - 0.2)^2
dissipation 0.05*dot(P[4]', P[4]')
input u = 0.3*sin(2*t)
drive q[3] by u velocity(lag = tau)
force [0.2, 0.1*cos(t)] at P[5]
constraint skate: sin(phi[N])*P[N][1]' - cos(phi[N])*P[N][2]' = 0
)";

formulate::Problem problem_of(const std::string& text, Lifting lifting, int n = 0,
                              const formulate::Formulation& formulation = {}) {
  model::Overrides overrides;
  overrides.lifting = lifting;
  if (n > 0) overrides.parameters["N"] = std::to_string(n);
  const auto model = std::make_shared<const model::Model>(
      model::elaborate(model::load_text(text, "test.daedal"), overrides));
  return formulate::formulate(
      structure::by_signature(std::make_shared<const derive::Dae>(derive::derive(model))),
      formulation);
}

std::string name_at(const formulate::Problem& p, std::uint32_t position) {
  const expr::Leaf leaf = p.layout.leaf(position);
  if (leaf.symbol >= p.dae->model->symbols.size()) return "work";
  return model::name_of(p.dae->model->symbols[leaf.symbol], leaf.order);
}

/// The tops by name, at states that are the same for both forms.
std::map<std::string, double> tops_at(const formulate::Problem& p, double t,
                                      const std::vector<double>& states) {
  std::vector<double> z(p.algebraic(), 0.0), rate(p.states);
  ProblemSystem system(p, t, states, z, {.implicit = false, .compile = {compile::Backend::tape}});
  EXPECT_EQ(system.derivative(t, states.data(), z.data(), rate.data()), Failure::none);
  std::map<std::string, double> tops;
  for (std::uint32_t i = 0; i < p.tops; ++i)
    if (const std::string name = name_at(p, p.top_position(i)); name != "work") tops[name] = z[i];
  return tops;
}

void expect_same_accelerations(const std::string& text, int n) {
  const formulate::Problem dense = problem_of(text, Lifting::never, n),
                           lifted = problem_of(text, Lifting::always, n);
  ASSERT_EQ(dense.states, lifted.states);
  ASSERT_EQ(dense.lifted, 0u);
  ASSERT_GT(lifted.lifted, 0u);
  for (std::uint64_t point = 1; point <= 3; ++point) {
    std::vector<double> states;
    for (std::uint32_t i = 0; i < dense.states; ++i) {
      ASSERT_EQ(name_at(dense, 1 + i), name_at(lifted, 1 + i));
      states.push_back(1.5 * noise(1000 * point + i));
    }
    const auto expected = tops_at(dense, 0.7, states), found = tops_at(lifted, 0.7, states);
    double largest = 0;
    for (const auto& [name, value] : expected) largest = std::max(largest, std::abs(value));
    for (const auto& [name, value] : expected)
      // elimination in another order, of a matrix whose condition grows with N
      EXPECT_NEAR(found.at(name), value, test::rounding(100 * n, largest * 100))
          << name << " N " << n;
  }
}

TEST(Lifting, accelerations_and_multipliers_of_a_cable_are_those_of_the_dense_form) {
  for (const int n : {5, 20, 100}) expect_same_accelerations(cable, n);
}

TEST(Lifting, accelerations_of_an_arm_with_loads_and_drives_are_those_of_the_dense_form) {
  for (const int n : {6, 20}) expect_same_accelerations(arm, n);
}

Trajectory run(const formulate::Problem& p, const Method& method, double until) {
  SimulateOptions options;
  options.until = until;
  options.every = until / 20;
  options.method = method;
  options.compile.backend = compile::Backend::tape;
  return simulate(p, consistent_point(p), options);
}

struct MethodCase {
  const char* name;
  std::map<std::string, OptionValue> options;
  formulate::Kind kind;
  double tolerance;  // of the difference: what Newton's iteration and error control leave
};

class LiftingWithMethod : public ::testing::TestWithParam<MethodCase> {};

TEST_P(LiftingWithMethod, moves_as_the_dense_form_does) {
  const MethodCase& c = GetParam();
  formulate::Formulation formulation;
  formulation.kind = c.kind;
  formulation.all = {20, 100};
  const Method method = make_method(c.name, c.options);
  const Trajectory dense = run(problem_of(cable, Lifting::never, 8, formulation), method, 0.5),
                   lifted = run(problem_of(cable, Lifting::always, 8, formulation), method, 0.5);
  ASSERT_EQ(dense.status, Status::completed) << dense.reason;
  ASSERT_EQ(lifted.status, Status::completed) << lifted.reason;
  ASSERT_EQ(lifted.table.width(), dense.table.width());
  ASSERT_EQ(lifted.table.rows(), dense.table.rows());
  for (std::size_t column = 0; column < dense.table.width(); ++column) {
    ASSERT_EQ(lifted.table.columns()[column].name, dense.table.columns()[column].name);
    double largest = 1;
    for (std::size_t r = 0; r < dense.table.rows(); ++r)
      largest = std::max(largest, std::abs(dense.table.at(r, column)));
    for (std::size_t r = 0; r < dense.table.rows(); ++r)
      ASSERT_NEAR(lifted.table.at(r, column), dense.table.at(r, column), c.tolerance * largest)
          << dense.table.columns()[column].name << " row " << r;
  }
  ASSERT_EQ(lifted.drift.size(), dense.drift.size());
  for (std::size_t k = 0; k < dense.drift.size(); ++k)
    EXPECT_TRUE(lifted.drift[k].constraint.starts_with("wall")) << lifted.drift[k].constraint;
}

INSTANTIATE_TEST_SUITE_P(
    Methods, LiftingWithMethod,
    ::testing::Values(
        MethodCase{"rk45", {{"tolerance", 1e-9}}, formulate::Kind::projection, 1e-8},
        MethodCase{"rk45", {{"tolerance", 1e-9}}, formulate::Kind::baumgarte, 1e-8},
        MethodCase{"rk4", {{"step", 1e-3}}, formulate::Kind::index1, 1e-9},
        MethodCase{"taylor", {{"tolerance", 1e-12}}, formulate::Kind::projection, 1e-10},
        MethodCase{"radau5", {{"tolerance", 1e-8}}, formulate::Kind::index1, 1e-6},
        MethodCase{"radau5",
                   {{"step", 1e-3}, {"adaptive", 0}, {"tolerance", 1e-10}},
                   formulate::Kind::index3,
                   1e-6},
        MethodCase{"bdf", {{"step", 1e-3}, {"order", 2}}, formulate::Kind::index3, 1e-6},
        MethodCase{"generalized_alpha", {{"step", 1e-3}}, formulate::Kind::index3, 1e-6},
        MethodCase{"ida", {{"tolerance", 1e-9}}, formulate::Kind::index1, 1e-6}),
    [](const auto& test) {
      return fmt::format("{}_{}", test.param.name, formulate::name(test.param.kind));
    });

// Nearest points are found to the root of the rounding of their distance.
const double settled = std::sqrt(test::rounding(1));

TEST(Lifting, the_nearest_consistent_start_is_that_of_the_dense_form) {
  for (const int n : {5, 20}) {
    const formulate::Problem dense = problem_of(cable, Lifting::never, n),
                             lifted = problem_of(cable, Lifting::always, n);
    const ConsistentPoint a = consistent_point(dense), b = consistent_point(lifted);
    ASSERT_EQ(a.states.size(), b.states.size());
    for (std::uint32_t i = 0; i < dense.states; ++i)
      EXPECT_NEAR(a.states[i], b.states[i], settled) << name_at(dense, 1 + i);
    EXPECT_EQ(a.moves.size(), b.moves.size());
  }
}

TEST(Lifting, energy_and_work_balance) {
  // The support moves and joints rub: kinetic and potential energy change by the work that is counted.
  const Trajectory lifted =
      run(problem_of(cable, Lifting::always, 8), make_method("rk45", {{"tolerance", 1e-10}}), 1);
  ASSERT_TRUE(lifted.energy.known);
  EXPECT_GT(std::abs(lifted.energy.work), 1e-3);
  EXPECT_LT(lifted.energy.largest_error, 1e-7 * lifted.energy.scale);
}

TEST(Lifting, work_grows_with_the_number_of_links) {
  // One evaluation: the scan, the right-hand side, the matrix and its fill. Written out, all of it grows like N^2.
  const auto operations = [](int n) {
    const formulate::Problem p = problem_of(cable, Lifting::always, n);
    return static_cast<double>(
        expr::operation_count(p.scan) + expr::operation_count(p.right_hand_side) +
        expr::operation_count(p.top_matrix.values) + p.top_matrix.column.size());
  };
  const double small = operations(100), large = operations(1000);
  EXPECT_NEAR(std::log10(large / small), 1,
              0.02);  // linear but for a constant part: 2 % of a decade
}

TEST(Lifting, index_and_degrees_of_freedom_are_told_as_of_the_equations_written_out) {
  const std::string free = cable.substr(0, cable.find("constraint"));
  for (const std::string& text : {cable, arm, free}) {
    const formulate::Problem dense = problem_of(text, Lifting::never),
                             lifted = problem_of(text, Lifting::always);
    EXPECT_EQ(lifted.structure.index, dense.structure.index);
    EXPECT_EQ(lifted.structure.degrees_of_freedom, dense.structure.degrees_of_freedom);
  }
}

TEST(Lifting, a_lifted_position_has_no_start_value) {
  try {
    problem_of(cable + "initial P[3] = [1, 1]\n", Lifting::always);
    FAIL() << "accepted";
  } catch (const ModelError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("what has a start value must be a coordinate, a "
                                                   "variable or a derivative of one"));
  }
}

TEST(Lifting, a_redundant_constraint_is_named_through_the_definitions) {
  // The same closure in the coordinates themselves: it follows from the wall and all definitions, which were not written as
  // constraints.
  const std::string closed =
      cable + "constraint again: car[1] + sum(k in 1..N: l*sin(q[k])) = anchor[1]\n";
  try {
    consistent_point(problem_of(closed, Lifting::always));
    FAIL() << "accepted";
  } catch (const ModelError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("constraint 'again' is redundant"));
    EXPECT_THAT(error.what(), ::testing::HasSubstr("rank 2 for 3 constraints"));
    EXPECT_THAT(error.what(), ::testing::HasSubstr("'again' follows from 'wall[1]'"));
    EXPECT_THAT(error.what(), ::testing::Not(::testing::HasSubstr("definition")));
  }
}

TEST(Lifting, what_does_not_know_it_says_so) {
  using formulate::Kind;
  for (const Kind kind : {Kind::ggl, Kind::null_space, Kind::minimal, Kind::hamilton,
                          Kind::augmented_lagrangian, Kind::nonlinear_stabiliser}) {
    formulate::Formulation formulation;
    formulation.kind = kind;
    try {
      problem_of(cable, Lifting::always, 0, formulation);
      FAIL() << "accepted " << formulate::name(kind);
    } catch (const ModelError& error) {
      EXPECT_THAT(error.what(), ::testing::HasSubstr("does not support lifted positions"));
    }
  }
  const formulate::Problem lifted = problem_of(cable, Lifting::always);
  const auto refused = refusal(lifted, make_method("rattle", {{"step", 1e-3}}));
  ASSERT_TRUE(refused);
  EXPECT_THAT(refused->message, ::testing::HasSubstr("does not support lifted positions"));
}

TEST(Lifting, events_see_lifted_positions) {
  // A chain falls from rest; the moment its tip passes a height is that of the dense form.
  const std::string falling =
      arm.substr(0, arm.find("constraint")) + "event low: when P[N][2] < -1.6 then set cart' = 0\n";
  double at[2] = {0, 0};
  for (const Lifting lifting : {Lifting::never, Lifting::always}) {
    const Trajectory t =
        run(problem_of(falling, lifting), make_method("rk45", {{"tolerance", 1e-10}}), 1.5);
    ASSERT_EQ(t.status, Status::completed) << t.reason;
    ASSERT_FALSE(t.events.empty());
    at[lifting == Lifting::always] = t.events.front().t;
  }
  EXPECT_NEAR(at[0], at[1], test::accumulated(1e-10, 10));
}

}  // namespace
}  // namespace daedal::solve
