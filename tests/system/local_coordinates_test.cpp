// null_space and minimal: motion in as many coordinates as there are degrees of freedom.

#include "daedal/system/local_coordinates.hpp"

#include "daedal/integrate/combination.hpp"
#include "daedal/system/householder.hpp"
#include "daedal/system/point.hpp"
#include "support/against_reference.hpp"
#include "support/bounds.hpp"
#include "support/elliptic.hpp"

#include <gmock/gmock.h>

namespace daedal::solve::testing {
namespace {

using formulate::Kind;

TEST(Householder, least_squares_solutions_leave_residuals_orthogonal_to_the_columns) {
  const double a[4][2] = {{1, 2}, {3, -1}, {0, 5}, {-2, 4}}, b[4] = {1, -1, 2, 7};
  Householder qr(4, 2);
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 0; j < 2; ++j) qr.at(i, j) = a[i][j];
  qr.factor();
  EXPECT_EQ(qr.pivot(0), 1u);  // the longer one
  double x[4] = {b[0], b[1], b[2], b[3]}, y[2];
  qr.solve(x, y);
  for (std::size_t j = 0; j < 2; ++j) {
    double along = 0;
    for (std::size_t i = 0; i < 4; ++i) along += a[i][j] * (b[i] - a[i][0] * y[0] - a[i][1] * y[1]);
    EXPECT_NEAR(along, 0, test::rounding(32, 20));
  }
  double axis[4] = {0, 0, 1, 0};
  qr.apply(axis);  // the third column of Q is orthogonal to the columns of the matrix
  for (std::size_t j = 0; j < 2; ++j) {
    double along = 0;
    for (std::size_t i = 0; i < 4; ++i) along += a[i][j] * axis[i];
    EXPECT_NEAR(along, 0, test::rounding(16, 5));
  }
}

/// N windows of parallel four-bars: 2 N + 2 coordinates, one degree of freedom. Links lie in a line twice a turn.
std::string windows(int n) {
  return "model windows\nsize N = " + std::to_string(n) + R"(
coordinate x[1..N+1], y[1..N+1] = 1
let rod(u, v) = (dot(u, u) + dot(u, v) + dot(v, v))/6
for i in 1..N+1: initial x[i] = i - 1, x[i]' = 1
kinetic sum(i in 1..N+1: rod([0, 0], [x[i], y[i]]')) + sum(i in 1..N: rod([x[i], y[i]]', [x[i+1], y[i+1]]'))
potential sum(i in 1..N+1: 9.81*y[i]/2) + sum(i in 1..N: 9.81*(y[i] + y[i+1])/2)
constraint up[i in 1..N+1]: (x[i] - (i - 1))^2 + y[i]^2 = 1
constraint across[i in 1..N]: (x[i+1] - x[i])^2 + (y[i+1] - y[i])^2 = 1
)";
}
/// A chain of N points: as many degrees of freedom as constraints.
std::string chain(int n) {
  return "model chain\nsize N = " + std::to_string(n) + R"(
coordinate x[1..N], y[1..N]
let P[i in 1..N] = [x[i], y[i]]
for i in 1..N: initial x[i] = 0.6*i, y[i] = -0.8*i, x[i]' = 0.8*i, y[i]' = 0.6*i
kinetic sum(i in 1..N: dot(P[i]', P[i]')/2)
potential sum(i in 1..N: 9.81*y[i])
constraint first: x[1]^2 + y[1]^2 = 1
constraint link[i in 2..N]: (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = 1
)";
}

/// A problem, and its point at the start.
struct AtStart {
  formulate::Problem problem;
  ConsistentPoint start;
  std::vector<double> point;

  AtStart(const formulate::Problem& p) : problem(p), start(consistent_point(problem)) {
    ProblemSystem system(problem, 0, start.states, start.tops,
                         {.implicit = false, .compile = tape_only()});
    const double* const at = system.point_at(0, start.states.data(), start.tops.data());
    point.assign(at, at + problem.layout.size());
  }
};

constexpr std::size_t all_dense = 1000, all_sparse = 0;

class LocalFormulations : public ::testing::TestWithParam<Kind> {};

// Dense and sparse matrices: the same mechanisms, each moved off its constraints by 1e-3 of the size of
// its coordinates. Condition numbers of these constraints are below 100.
TEST_P(LocalFormulations, both_roads_lead_to_the_same_point_and_the_same_accelerations) {
  constexpr double condition = 100;
  formulate::Formulation formulation;
  formulation.kind = GetParam();
  for (const formulate::Problem& problem :
       {problem_of_file("fourbar", formulation), problem_of_file("delta_robot", formulation),
        problem_of(skate_text, formulation), problem_of(windows(3), formulation),
        problem_of(chain(5), formulation)}) {
    const AtStart at(problem);
    LocalCoordinates dense(at.problem, at.point, tape_only(), all_dense);
    LocalCoordinates sparse(at.problem, at.point, tape_only(), all_sparse);
    ASSERT_TRUE(dense.solves_tops());
    ASSERT_FALSE(sparse.solves_tops());
    std::vector<double> point = at.point;
    for (std::uint32_t i = 1; i <= at.problem.states; ++i)
      point[i] += 1e-3 * (1 + std::abs(point[i])) * std::sin(static_cast<double>(i));
    std::vector<double> settled = point, by_dense = point;
    ASSERT_EQ(sparse.settle(settled.data()), Failure::none);
    if (GetParam() == Kind::null_space) {
      ASSERT_EQ(dense.settle(by_dense.data()), Failure::none);
    } else {  // coordinates may be others, the constraints are the same
      by_dense = settled;
      ASSERT_EQ(dense.settle(by_dense.data()), Failure::none);
    }
    for (std::uint32_t i = 1; i <= at.problem.states; ++i)
      EXPECT_NEAR(settled[i], by_dense[i],
                  test::rounding(100, condition * (1 + std::abs(settled[i]))))
          << name_at(at.problem, i);

    // accelerations and reactions by N^T M N, and by the matrix of all equations
    std::vector<double> tops(at.problem.tops), rates(at.problem.states), reduced(at.problem.tops);
    ASSERT_EQ(dense.solve_tops(by_dense.data(), reduced.data()), Failure::none);
    formulate::Formulation projection;
    formulate::Problem whole = at.problem;
    whole.formulation = projection;
    ProblemSystem system(whole, 0, at.start.states, at.start.tops,
                         {.implicit = false, .compile = tape_only()});
    tops = at.start.tops;
    ASSERT_EQ(system.derivative(0, by_dense.data() + 1, tops.data(), rates.data()), Failure::none);
    double largest = 1;
    for (const double top : tops) largest = std::max(largest, std::abs(top));
    for (std::uint32_t j = 0; j < at.problem.tops; ++j)
      EXPECT_NEAR(tops[j], reduced[j], test::rounding(100, condition * condition * largest))
          << name_at(at.problem, at.problem.top_position(j));
  }
}

// V V^T, the projection onto the free directions, has no basis.
TEST(NullSpace, both_roads_span_the_same_free_directions) {
  formulate::Formulation formulation;
  formulation.kind = Kind::null_space;
  for (const std::string& text : {windows(3), chain(5), skate_text}) {
    const AtStart at(problem_of(text, formulation));
    const LocalCoordinates dense(at.problem, at.point, tape_only(), all_dense);
    const LocalCoordinates sparse(at.problem, at.point, tape_only(), all_sparse);
    const std::size_t n = at.problem.states, count = dense.directions();
    ASSERT_EQ(sparse.directions(), count);
    std::vector<double> by_dense(n * count), by_sparse(n * count);
    dense.directions(by_dense.data());
    sparse.directions(by_sparse.data());
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t k = 0; k < n; ++k) {
        double difference = 0;
        for (std::size_t j = 0; j < count; ++j)
          difference += by_dense[j * n + i] * by_dense[j * n + k] -
                        by_sparse[j * n + i] * by_sparse[j * n + k];
        EXPECT_NEAR(difference, 0, test::rounding(100, 100))
            << i << " " << k;  // condition below 100
      }
  }
}

// Rows of another scale, here 1e8, are no other constraints; without scaled rows they would cost eight digits.
TEST(NullSpace, the_scale_of_constraints_does_not_matter) {
  formulate::Formulation formulation;
  formulation.kind = Kind::null_space;
  const auto settled = [&](const std::string& scale) {
    std::string text = chain(12);
    const std::string from =
        "constraint link[i in 2..N]: (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = 1";
    text.replace(text.find(from), from.size(),
                 "constraint link[i in 2..N]: " + scale +
                     "^i*((x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 - 1) = 0");
    const AtStart at(problem_of(text, formulation));
    ProblemSystem system(at.problem, 0, at.start.states, at.start.tops,
                         {.implicit = false, .compile = tape_only()});
    EXPECT_FALSE(system.local_coordinates()->solves_tops());
    std::vector<double> states(at.point.begin() + 1, at.point.begin() + 1 + at.problem.states),
        z = at.start.tops, rates(at.problem.states);
    for (std::size_t i = 0; i < states.size(); ++i)
      states[i] += 1e-3 * std::sin(static_cast<double>(i));
    EXPECT_EQ(system.derivative(0, states.data(), z.data(), rates.data()), Failure::none);
    return rates;
  };
  const std::vector<double> plain = settled("1"), scaled = settled("5");  // 5^12 = 2.4e8
  for (std::size_t i = 0; i < plain.size(); ++i)
    EXPECT_NEAR(scaled[i], plain[i], test::rounding(1000, 100 * (1 + std::abs(plain[i]))));
}

// Exchanges end where none enlarges det G_d: no dependent coordinate moves faster than the free one it follows.
TEST(Minimal, dependent_coordinates_of_large_mechanisms_move_no_faster_than_free_ones) {
  formulate::Formulation formulation;
  formulation.kind = Kind::minimal;
  const AtStart at(problem_of(windows(8), formulation));
  ProblemSystem system(at.problem, 0, at.start.states, at.start.tops,
                       {.implicit = false, .compile = tape_only()});
  const LocalCoordinates& local = *system.local_coordinates();
  ASSERT_FALSE(local.solves_tops());
  ASSERT_EQ(local.switches().size(), 1u);
  ASSERT_EQ(local.switches()[0].to.size(), 1u);
  EXPECT_EQ(name_at(at.problem, local.switches()[0].to[0]).substr(0, 1),
            "x");  // y' = 0 at the start
}

TEST_P(LocalFormulations, follow_the_reference_with_constraints_at_rounding) {
  expect_reference_followed(GetParam());
}

TEST_P(LocalFormulations, keep_the_order_of_the_method_on_mechanisms) {
  for (const char* name : {"fourbar", "delta_robot"}) {
    const auto model = AgainstReference::of_file(name, {0.25, 0.5});
    std::vector<double> steps;
    for (const int n : {64, 96, 128, 192, 256}) steps.push_back(0.25 / n);
    expect_orders(
        model.orders(GetParam(), steps, [](double step) { return Rk4Options{.step = step}; }),
        {4, 4, 4}, 0.2);
  }
}

// A multistep method does not project its steps: free coordinates are still renewed, also without a row on
// the way. The pendulum swings through half a turn and back.
TEST_P(LocalFormulations, follow_large_motions_with_multistep_methods) {
  const auto model = AgainstReference::of_text(pendulum_text, {2});
  const Trajectory t = model.simulate(GetParam(), IdaOptions{.tolerance = 1e-10});
  ASSERT_EQ(t.status, Status::completed) << t.reason;
  EXPECT_LT(model.errors(t)[0], 1e-7);
}

TEST_P(LocalFormulations, refuse_methods_that_know_better) {
  formulate::Formulation formulation;
  formulation.kind = GetParam();
  const formulate::Problem problem = problem_of(pendulum_text, formulation);
  const auto refused = refusal(problem, GeneralizedAlphaOptions{});
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->message,
            "method generalized_alpha integrates accelerations twice, but steps are not made of "
            "accelerations in " +
                std::string(formulate::name(GetParam())));
  for (const char* method : {"rattle", "taylor"})
    EXPECT_TRUE(refusal(problem, make_method(method, {}))) << method;
  for (const char* method : {"rk45", "dop853", "rk23", "rk4", "euler", "radau5", "bdf", "ida"})
    EXPECT_FALSE(refusal(problem, make_method(method, {}))) << method;
}

// A slider-crank of equal links, x = 2 cos(w): with the crank upright the links fold, and the constraints lose rank. Steps
// pass over the pose, and the motion continues unchanged: the slider could rest after it, but moves.
TEST_P(LocalFormulations, steps_pass_over_a_singular_pose) {
  const auto model = AgainstReference::of_text(R"(model folding
coordinate a = 0.6 [m], b = 0.8 [m], x = 1.2 [m]
initial a' = -1.6, b' = 1.2, x' = -3.2
kinetic (a'^2 + b'^2)/2 + x'^2/4
constraint crank: a^2 + b^2 = 1
constraint rod: (x - a)^2 + b^2 = 1
)",
                                               {0.1});
  formulate::Formulation formulation;
  formulation.kind = GetParam();
  const Trajectory t = model.simulate_until(formulation, Rk4Options{.step = 1e-3}, 0.6);
  EXPECT_EQ(t.status, Status::completed) << t.reason;
  const std::size_t last = t.table.rows() - 1;
  EXPECT_LT(t.table.at(last, *t.table.find("a")), -0.2);
  EXPECT_NEAR(t.table.at(last, *t.table.find("x")), 2 * t.table.at(last, *t.table.find("a")),
              test::rounding(16));
  EXPECT_LT(t.energy.largest_error, 1e-6);
}

// Friction that grows with the reaction does work in motions that the constraint allows.
TEST_P(LocalFormulations, refuse_reactions_that_do_work) {
  formulate::Formulation formulation;
  formulation.kind = GetParam();
  const formulate::Problem problem = problem_of(R"(model m
coordinate x = 1 [m], y [m]
kinetic (x'^2 + y'^2)/2
constraint line: y = 0
force -0.3*line on x
)",
                                                formulation);
  const ConsistentPoint start = consistent_point(problem);
  try {
    ProblemSystem system(problem, 0, start.states, start.tops, {.implicit = false});
    FAIL() << "not refused";
  } catch (const ModelError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("needs reactions that do no work: line does"));
  }
}

// Large mechanisms use sparse matrices.
TEST_P(LocalFormulations, keep_the_order_and_the_constraints_of_many_coordinates) {
  const auto model = AgainstReference::of_text(chain(10), {0.25});
  std::vector<double> steps;
  for (const int n : {64, 96, 128, 192}) steps.push_back(0.25 / n);
  expect_orders(
      model.orders(GetParam(), steps, [](double step) { return Rk4Options{.step = step}; }),
      {4, 4, 4}, 0.2);
  const Trajectory t = model.simulate(GetParam(), Dop853Options{.tolerance = 1e-11});
  for (const LevelDrift& drift : t.drift)
    if (drift.level != "acceleration") {
      EXPECT_LT(drift.largest, test::rounding(20, 10)) << drift.level;  // velocities up to 10 m/s
    }
}

INSTANTIATE_TEST_SUITE_P(Both, LocalFormulations,
                         ::testing::Values(Kind::null_space, Kind::minimal),
                         [](const auto& each) { return std::string(formulate::name(each.param)); });

// Poses at which every window could turn over are crossed about 30 times in 20 s. Short steps do not come near them, so that a
// smaller tolerance costs what the order says: local errors of size h^k are the tolerance (radau5: its power 2/3), and 1e4 times
// less of them takes 1e4^(1/k) times as many steps. That is 6.3 for rk45 and 4.6 for radau5; dop853 and ida stay below 3.
TEST(SlowNullSpace, many_windows_pass_at_every_tolerance_with_every_method) {
  formulate::Formulation formulation;
  formulation.kind = Kind::null_space;
  const formulate::Problem problem = problem_of(windows(40), formulation);
  const ConsistentPoint start = consistent_point(problem);
  const auto run = [&](const char* method, double tolerance) {
    SimulateOptions options;
    options.method = make_method(method, {{"tolerance", tolerance}});
    options.until = 20;
    options.global_error = false;
    const Trajectory t = simulate(problem, start, options);
    EXPECT_EQ(t.status, Status::completed) << method << tolerance << t.reason;
    // the sum of about 1e4 steps, each of the size of the tolerance
    EXPECT_LT(t.energy.largest_error, test::accumulated(tolerance, 1e4) * t.energy.scale)
        << method << tolerance;
    return static_cast<double>(t.statistics.evaluations);
  };
  const std::pair<const char*, double> growth[] = {{"rk45", std::pow(1e4, 1 / 5.0)},
                                                   {"dop853", 3},
                                                   {"radau5", std::pow(1e4, 2 / 3.0 / 4)},
                                                   {"ida", 3}};
  for (const auto& [method, most] : growth)
    EXPECT_LE(run(method, 1e-10), most * run(method, 1e-6)) << method;
}

// Two causes stopped such runs. The bodies turn round several times while the pivots of the first pose are kept: without a
// refined solution Newton's method stayed 1e-8 away from the constraints, although their residual was that of rounding (seven
// windows, at 12.6 s). After a pose that was not crossed at the first attempt, directions chosen beyond it were taken for those
// of the step that followed (ten windows, at 4.5 s).
TEST(SlowNullSpace, bodies_that_turn_round_stay_on_their_constraints) {
  formulate::Formulation formulation;
  formulation.kind = Kind::null_space;
  for (const auto& [n, tolerance] : {std::pair{7, 3e-10}, std::pair{10, 1e-9}}) {
    SCOPED_TRACE(n);
    const formulate::Problem problem =
        problem_of("model windows\nsize N = " + std::to_string(n) + R"(
part up[i in 1..N+1] = planar_body(mass = 1, inertia = 1/12, position = [i - 1, 0.5], velocity = [0.5, 0], angular_velocity = -1)
part across[i in 1..N] = planar_body(mass = 1, inertia = 1/12, position = [i - 0.5, 1], velocity = [1, 0])
part foot[i in 1..N+1] = revolute(b = up[i], point_a = [i - 1, 0], point_b = [0, -0.5])
part left[i in 1..N] = revolute(a = up[i], b = across[i], point_a = [0, 0.5], point_b = [-0.5, 0])
part right[i in 1..N] = revolute(a = up[i+1], b = across[i], point_a = [0, 0.5], point_b = [0.5, 0])
)",
                   formulation);
    SimulateOptions options;
    options.method = Dop853Options{.tolerance = tolerance};
    options.until = 20;
    options.global_error = false;
    const Trajectory t = simulate(problem, consistent_point(problem), options);
    EXPECT_EQ(t.status, Status::completed) << t.reason;
    for (const LevelDrift& drift : t.drift)
      if (drift.level == "position") {
        EXPECT_LT(drift.largest, test::rounding(200, 10));  // of coordinates up to 10 m
      }
  }
}

// Evaluations do not depend on the number of windows, which move as one; what an evaluation costs is in proportion to it.
TEST(NullSpace, many_windows_take_as_many_evaluations_as_few) {
  formulate::Formulation formulation;
  formulation.kind = Kind::null_space;
  const auto evaluations = [&](int n) {
    const formulate::Problem problem = problem_of(windows(n), formulation);
    SimulateOptions options;
    options.method = Dop853Options{.tolerance = 1e-8};
    options.until = 2;
    options.global_error = false;
    options.compile = tape_only();
    const Trajectory t = simulate(problem, consistent_point(problem), options);
    EXPECT_EQ(t.status, Status::completed) << t.reason;
    return static_cast<double>(t.statistics.evaluations);
  };
  // which steps are rejected, and where bridges over poses begin, differs by rounding
  constexpr double some_rejected_steps = 0.25;
  const double few = evaluations(5);
  for (const int n : {10, 20, 40}) EXPECT_NEAR(evaluations(n) / few, 1, some_rejected_steps) << n;
}

// The rod x^2 + y^2 = 1 gives x from y as long as |x| > |y|/2, and y from x after that.
TEST(Minimal, reports_which_coordinates_are_integrated_from_when_on) {
  const auto model = AgainstReference::of_text(pendulum_text, {0.5, 1});
  const double step = 1e-3;
  const Trajectory t = model.simulate(Kind::minimal, Rk4Options{.step = step});
  ASSERT_EQ(t.switches.size(), 3u);
  EXPECT_EQ(t.switches[0].t, 0);
  EXPECT_THAT(t.switches[0].from, ::testing::IsEmpty());
  EXPECT_THAT(t.switches[0].to, ::testing::ElementsAre("y"));
  EXPECT_THAT(t.switches[1].from, ::testing::ElementsAre("y"));
  EXPECT_THAT(t.switches[1].to, ::testing::ElementsAre("x"));
  EXPECT_THAT(t.switches[2].to, ::testing::ElementsAre("y"));
  const support::HorizontalPendulum<> exact;
  const auto before = exact.at(t.switches[1].t - step), at = exact.at(t.switches[1].t);
  EXPECT_GT(std::abs(before.x), 0.5 * std::abs(before.y));
  EXPECT_LT(std::abs(at.x), 0.5 * std::abs(at.y));
}

// Coordinates that are not free are Newton's guesses and nothing else.
TEST(Minimal, the_free_coordinates_alone_decide) {
  formulate::Formulation formulation;
  formulation.kind = Kind::minimal;
  const formulate::Problem problem = problem_of(pendulum_text, formulation);
  const ConsistentPoint start = consistent_point(problem);
  ProblemSystem system(problem, 0, start.states, start.tops, {.implicit = false});
  std::vector<double> z(problem.tops), ds(4), other(4);
  const double right[] = {std::sqrt(1 - 0.09), 0.3, -0.3 * 2 / std::sqrt(1 - 0.09), 2};
  ASSERT_EQ(system.derivative(0, right, z.data(), ds.data()), Failure::none);
  const double wrong[] = {0.8, 0.3, 17, 2};  // y and y' are free
  ASSERT_EQ(system.derivative(0, wrong, z.data(), other.data()), Failure::none);
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_NEAR(other[i], ds[i], test::rounding(40, 1 + std::abs(ds[i])));
}

}  // namespace
}  // namespace daedal::solve::testing
