// Redundant constraints: named, left out when the user allows it, their reactions shared with the least norm.

#include "daedal/start/prepare.hpp"

#include "daedal/base/qr.hpp"
#include "daedal/base/svd.hpp"
#include "daedal/elaborate/elaborate.hpp"
#include "daedal/run/simulate.hpp"
#include "support/bounds.hpp"
#include "support/problems.hpp"

#include <Eigen/Dense>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace daedal::solve::testing {
namespace {

using ::testing::HasSubstr;

PrepareOptions least_norm() { return {{}, RedundantConstraints::least_norm}; }

std::shared_ptr<const derive::Dae> dae_of(const std::string& text) {
  return std::make_shared<const derive::Dae>(derive::derive(
      std::make_shared<const model::Model>(model::elaborate(model::load_text(text, "m.daedal")))));
}

Prepared prepared(const std::string& text, const formulate::Formulation& formulation = {}) {
  return prepare(dae_of(text), formulation, least_norm());
}

std::string fault_of(const std::string& text, const PrepareOptions& options) {
  try {
    prepare(dae_of(text), {}, options);
  } catch (const ModelError& error) {
    return error.what();
  }
  return "";
}

Trajectory run(const Prepared& p, const Method& method, double until, double every) {
  SimulateOptions options;
  options.method = method;
  options.until = until;
  options.every = every;
  return simulate(p.problem, p.start, options);
}

Trajectory run(const std::string& text, const Method& method, double until, double every) {
  return run(prepared(text), method, until, every);
}

double at(const Trajectory& t, std::size_t row, const std::string& column) {
  for (std::size_t c = 0; c < t.table.width(); ++c)
    if (t.table.columns()[c].name == column) return t.table.at(row, c);
  ADD_FAILURE() << "no column " << column;
  return 0;
}

// The same motion by another elimination: roundings of the steps of two seconds, amplified where the swing turns.
const double same_arithmetic = test::rounding(1000, 10);

/// The columns named agree.
void expect_same_motion(const Trajectory& a, const Trajectory& b,
                        const std::vector<std::string>& names) {
  ASSERT_EQ(a.status, Status::completed) << a.reason;
  ASSERT_EQ(b.status, Status::completed) << b.reason;
  ASSERT_EQ(a.table.rows(), b.table.rows());
  for (std::size_t row = 0; row < a.table.rows(); ++row)
    for (const std::string& name : names)
      EXPECT_NEAR(at(a, row, name), at(b, row, name), same_arithmetic) << name << " in row " << row;
}

class Methods : public ::testing::TestWithParam<Method> {};
INSTANTIATE_TEST_SUITE_P(RedundantConstraints, Methods,
                         ::testing::Values(Rk45Options{}, Radau5Options{}, TaylorOptions{},
                                           IdaOptions{}),
                         [](const auto& method) { return std::string(name(method.param)); });

const std::string swing = R"(model swing
coordinate x = 0.6, y = -0.8
kinetic    (x'^2 + y'^2)/2
potential  9.81*y
constraint rod: x^2 + y^2 = 1
)";

TEST_P(Methods, the_same_constraint_twice_shares_the_reaction_equally) {
  const Trajectory one = run(swing, GetParam(), 2, 0.1);
  const Trajectory two = run(swing + "constraint again: x^2 + y^2 = 1\n", GetParam(), 2, 0.1);
  expect_same_motion(one, two, {"x", "y", "x'", "y'"});
  for (std::size_t row = 0; row < two.table.rows(); ++row) {
    EXPECT_NEAR(at(two, row, "rod.force"), at(one, row, "rod.force") / 2, same_arithmetic);
    EXPECT_NEAR(at(two, row, "again.force"), at(one, row, "rod.force") / 2, same_arithmetic);
  }
}

// lambda_1 + 2 lambda_2 = lambda with the least lambda_1^2 + lambda_2^2.
TEST(RedundantConstraints, a_multiple_takes_the_share_of_least_norm) {
  const Trajectory one = run(swing, TaylorOptions{}, 1, 0.25);
  const Trajectory two =
      run(swing + "constraint again: 2*x^2 + 2*y^2 = 2\n", TaylorOptions{}, 1, 0.25);
  for (std::size_t row = 0; row < two.table.rows(); ++row) {
    EXPECT_NEAR(at(two, row, "rod.force"), at(one, row, "rod.force") / 5, test::rounding(50, 15));
    EXPECT_NEAR(at(two, row, "again.force"), 2 * at(one, row, "rod.force") / 5,
                test::rounding(50, 15));
  }
}

// Two cranks of equal length, a coupler as long as their distance, and a third crank to its middle: redundant in every
// position, but not off the constraints.
const std::string parallelogram = R"(model parallelogram
parameter w = 2
coordinate x1 = 0.6, y1 = -0.8, x2 = 2.6, y2 = -0.8, x3 = 1.6, y3 = -0.8
kinetic    (x1'^2 + y1'^2)/2 + x2'^2 + y2'^2 + (x3'^2 + y3'^2)/4
potential  9.81*(y1 + 2*y2 + y3/2)
constraint left:     x1^2 + y1^2 = 1
constraint right:    (x2 - w)^2 + y2^2 = 1
constraint coupler:  (x2 - x1)^2 + (y2 - y1)^2 = w^2
constraint middle_x: x3 = (x1 + x2)/2
constraint middle_y: y3 = (y1 + y2)/2
)";
const std::string third_crank = "constraint third: (x3 - w/2)^2 + y3^2 = 1\n";

/// G of the parallelogram with the third crank, by hand.
Eigen::MatrixXd gradients(const Trajectory& t, std::size_t row) {
  const double x1 = at(t, row, "x1"), y1 = at(t, row, "y1"), x2 = at(t, row, "x2"),
               y2 = at(t, row, "y2"), x3 = at(t, row, "x3"), y3 = at(t, row, "y3");
  Eigen::MatrixXd g(6, 6);
  g << 2 * x1, 2 * y1, 0, 0, 0, 0,                                       //
      0, 0, 2 * (x2 - 2), 2 * y2, 0, 0,                                  //
      2 * (x1 - x2), 2 * (y1 - y2), 2 * (x2 - x1), 2 * (y2 - y1), 0, 0,  //
      -0.5, 0, -0.5, 0, 1, 0,                                            //
      0, -0.5, 0, -0.5, 0, 1,                                            //
      0, 0, 0, 0, 2 * (x3 - 1), 2 * y3;
  return g;
}

Eigen::VectorXd multipliers(const Trajectory& t, std::size_t row,
                            const std::vector<std::string>& names) {
  Eigen::VectorXd values = Eigen::VectorXd::Zero(6);
  for (std::size_t i = 0; i < names.size(); ++i)
    values[static_cast<Eigen::Index>(i)] = -at(t, row, names[i] + ".force");
  return values;
}

TEST_P(Methods, a_parallelogram_with_a_third_crank_moves_as_without_it) {
  const Trajectory without = run(parallelogram, GetParam(), 2, 0.1);
  const Trajectory with = run(parallelogram + third_crank, GetParam(), 2, 0.1);
  expect_same_motion(without, with, {"x1", "y1", "x2", "y2", "x3", "y3", "x1'", "y2'", "x3'"});
}

TEST_P(Methods, multipliers_give_the_same_reactions_and_are_normal_to_the_null_space) {
  const std::vector<std::string> names{"left", "right", "coupler", "middle_x", "middle_y"};
  std::vector<std::string> all = names;
  all.push_back("third");
  const Trajectory without = run(parallelogram, GetParam(), 2, 0.1);
  const Trajectory with = run(parallelogram + third_crank, GetParam(), 2, 0.1);
  for (std::size_t row = 0; row < with.table.rows(); ++row) {
    const Eigen::MatrixXd g = gradients(with, row);
    const Svd found = svd(g.transpose());
    ASSERT_LT(found.values[5], 1e-14) << "the third crank is redundant";
    const Eigen::VectorXd null = found.v.col(5);  // G^T null = 0
    const Eigen::VectorXd shared = multipliers(with, row, all);
    const Eigen::VectorXd solved = multipliers(without, row, names);
    EXPECT_NEAR(null.dot(shared), 0, test::rounding(64, shared.norm()));
    EXPECT_NEAR((g.transpose() * (shared - solved)).norm(), 0, test::rounding(1000, solved.norm()));
    EXPECT_GT(std::abs(at(with, row, "third.force")), 0.1) << "it carries its share";
  }
}

// A planar linkage in space: 7 constraints for 6 coordinates, so the equations have no transversal. Across the plane the rows
// of G are (1, 0), (-1, 1), (0, 1), (1, 1) in (z1, z2), and G^T G = 3 I: the load (0, 3) is shared as G (0, -1).
TEST_P(Methods, a_planar_four_bar_in_space_moves_in_its_plane_and_shares_a_load_across) {
  const std::string planar = R"(model planar
coordinate x1 = 0.3, y1 = 0.95, x2 = 2.5, y2 = 1.4
kinetic   (x1'^2 + y1'^2 + x2'^2 + y2'^2)/2
potential 9.81*(y1 + y2)
constraint crank:  x1^2 + y1^2 = 1
constraint rod:    (x2 - x1)^2 + (y2 - y1)^2 = 5
constraint rocker: (x2 - 2)^2 + y2^2 = 2.5
)";
  const std::string spatial = R"(model spatial
coordinate x1 = 0.3, y1 = 0.95, z1, x2 = 2.5, y2 = 1.4, z2
kinetic   (x1'^2 + y1'^2 + z1'^2 + x2'^2 + y2'^2 + z2'^2)/2
potential 9.81*(y1 + y2)
force 3 on z2
constraint crank:        x1^2 + y1^2 = 1
constraint crank_plane:  z1 = 0
constraint rod:          (x2 - x1)^2 + (y2 - y1)^2 = 5
constraint rod_plane:    z2 - z1 = 0
constraint rocker:       (x2 - 2)^2 + y2^2 = 2.5
constraint rocker_plane: z2 = 0
constraint mirror_plane: z1 + z2 = 0
)";
  const Trajectory flat = run(planar, GetParam(), 1, 0.1);
  const Trajectory space = run(spatial, GetParam(), 1, 0.1);
  if (std::holds_alternative<TaylorOptions>(GetParam()))  // same steps whatever else is solved
    expect_same_motion(flat, space,
                       {"x1", "y1", "x2", "y2", "x1'", "y2'", "crank.force", "rod.force"});
  ASSERT_EQ(space.status, Status::completed) << space.reason;
  for (std::size_t row = 0; row < space.table.rows(); ++row) {
    EXPECT_NEAR(at(space, row, "crank_plane.force"), 0, test::rounding(40, 3));
    EXPECT_NEAR(at(space, row, "rod_plane.force"), 1, test::rounding(40, 3));
    EXPECT_NEAR(at(space, row, "rocker_plane.force"), 1, test::rounding(40, 3));
    EXPECT_NEAR(at(space, row, "mirror_plane.force"), 1, test::rounding(40, 3));
  }
}

// A rigid table on four legs at x = -3, -1, 1, 3 with a load F at x = 2: the least-norm forces are linear in x, F/4 from the
// balance of forces and 2 F x/20 from that of moments.
TEST(RedundantConstraints, a_table_on_four_legs_stands_on_forces_linear_in_their_places) {
  const Trajectory t = run(R"(model table
coordinate slide = 0.2, lift, tilt
kinetic   (slide'^2 + lift'^2 + tilt'^2)/2
potential 50*slide^2
force -10 on lift
force -10*2 on tilt
constraint leg[i in 1..4]: lift + (2*i - 5)*tilt = 0
)",
                           Rk45Options{}, 1, 0.25);
  ASSERT_EQ(t.status, Status::completed) << t.reason;
  for (std::size_t row = 0; row < t.table.rows(); ++row) {
    EXPECT_NEAR(at(t, row, "slide"), 0.2 * std::cos(10 * at(t, row, "t")),
                test::accumulated(1e-9, 10));
    for (int i = 1; i <= 4; ++i)
      EXPECT_NEAR(at(t, row, fmt::format("leg[{}].force", i)),
                  -10 * (0.25 + 2 * (2 * i - 5) / 20.0), test::rounding(64, 10));
  }
}

TEST(RedundantConstraints, velocity_level_constraints_share_too) {
  const std::string skate = R"(model skate
coordinate x, y, phi = 0.3
kinetic    (x'^2 + y'^2 + phi'^2)/2
potential  2*x
initial    phi' = 1
constraint blade: x'*sin(phi) - y'*cos(phi) = 0
)";
  const Trajectory one = run(skate, TaylorOptions{}, 1, 0.25);
  const Trajectory two =
      run(skate + "constraint same: 3*x'*sin(phi) - 3*y'*cos(phi) = 0\n", TaylorOptions{}, 1, 0.25);
  expect_same_motion(one, two, {"x", "y", "phi", "x'", "y'", "phi'"});
  for (std::size_t row = 0; row < two.table.rows(); ++row) {
    EXPECT_NEAR(at(two, row, "blade.force"), at(one, row, "blade.force") / 10,
                test::rounding(50, 15));
    EXPECT_NEAR(at(two, row, "same.force"), 3 * at(one, row, "blade.force") / 10,
                test::rounding(50, 15));
  }
}

TEST(RedundantConstraints, of_a_position_and_its_velocity_the_velocity_is_redundant) {
  const std::string text = fault_of(
      "model m\ncoordinate x, y\nkinetic (x'^2 + y'^2)/2\n"
      "constraint together: x' = y'\nconstraint joined: x = y\n",
      {});
  EXPECT_THAT(text, HasSubstr("constraint 'together' is redundant"));
  EXPECT_THAT(text, HasSubstr("'together' follows from 'joined' (line 5)"));
}

// The second derivative of a signal that only the constraint left out would contain is available to monitor it.
TEST(RedundantConstraints, may_contain_inputs) {
  const Trajectory t = run(R"(model led
coordinate x = 0, y = 0
kinetic (x'^2 + y'^2)/2
input u = sin(t)
constraint lead: x = u
constraint also: 2*x = 2*u
)",
                           Rk45Options{}, 1, 0.5);
  ASSERT_EQ(t.status, Status::completed) << t.reason;
  EXPECT_NEAR(at(t, 2, "lead.force"), std::sin(1.0) / 5, test::rounding(16));
  EXPECT_NEAR(at(t, 2, "also.force"), 2 * std::sin(1.0) / 5, test::rounding(16));
}

TEST(RedundantConstraints, outputs_show_the_shared_multipliers) {
  const Trajectory t =
      run(swing + "constraint again: x^2 + y^2 = 1\noutput pull = -again\n", Rk45Options{}, 1, 0.5);
  for (std::size_t row = 0; row < t.table.rows(); ++row)
    EXPECT_EQ(at(t, row, "pull"), at(t, row, "again.force"));
}

// Any full set of multipliers of least norm is G (G^T G)^+ times the load: here with random G of low rank.
TEST(RedundantConstraints,
     random_linear_constraints_agree_with_a_complete_orthogonal_decomposition) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (int trial = 0; trial < 10; ++trial) {
    const int coordinates = 6, rank = 3, constraints = 5 + trial % 3;
    const auto matrix = [&](int r, int c) {
      return Eigen::MatrixXd::NullaryExpr(r, c, [&] { return uniform(random); }).eval();
    };
    const Eigen::MatrixXd g = matrix(constraints, rank) * matrix(rank, coordinates);
    const Eigen::VectorXd load = matrix(coordinates, 1);
    std::string text = "model random\ncoordinate q[1..6]\nkinetic sum(i in 1..6: q[i]'^2/2)\n";
    for (int c = 0; c < coordinates; ++c)
      text += fmt::format("force {:.17g} on q[{}]\n", load[c], c + 1);
    for (int r = 0; r < constraints; ++r) {
      text += fmt::format("constraint c{}: 0", r);
      for (int c = 0; c < coordinates; ++c)
        text += fmt::format(" + ({:.17g})*q[{}]", g(r, c), c + 1);
      text += " = 0\n";
    }
    const Trajectory t = run(text, Rk45Options{}, 0.1, 0.1);
    ASSERT_EQ(t.status, Status::completed) << t.reason;
    // unit masses at rest: the reaction takes the part of the load in the range of G^T
    const Eigen::VectorXd expected = LeastNorm(g.transpose(), 1e-10).solve(Eigen::VectorXd(-load));
    for (int r = 0; r < constraints; ++r)
      EXPECT_NEAR(at(t, 0, fmt::format("c{}.force", r)), -expected[r],
                  test::rounding(100, 1000 * expected.norm()))
          << "trial " << trial;
  }
}

TEST(RedundantConstraints, drift_tells_about_those_left_out) {
  formulate::Formulation index1;
  index1.kind = formulate::Kind::index1;
  Rk45Options coarse;
  coarse.tolerance = 1e-5;
  const Trajectory t =
      run(prepared(swing + "constraint again: 5*x^2 + 5*y^2 = 5\n", index1), coarse, 20, 0.1);
  ASSERT_EQ(t.status, Status::completed) << "drift of all is no violation of one: " << t.reason;
  ASSERT_EQ(t.drift.size(), 3u);
  EXPECT_EQ(t.drift[0].constraint, "again") << "five times the drift of 'rod'";
  EXPECT_EQ(t.constraints.constraint, "again");
  EXPECT_GT(t.drift[0].largest, 1e-5);
}

// ---- messages

TEST(RedundantConstraints, are_an_error_by_default_with_both_ways_out) {
  EXPECT_EQ(
      fault_of("model pair\ncoordinate x = 1, y = 1\nkinetic (x'^2 + y'^2)/2\n"
               "constraint first: x = 1\nconstraint second: x + x = 2\n",
               {}),
      "m.daedal:5:12: error: model 'pair': constraint 'second' is redundant\n"
      "    constraint second: x + x = 2\n"
      "               ^~~~~~\n"
      "  constraint_jacobian has rank 1 for 2 constraints at t = 0 s (smallest singular value "
      "0.0e+00, tolerance 1e-10);\n"
      "  'second' follows from 'first' (line 4)\n"
      "  help: remove 'second', or keep it with  redundant_constraints = least_norm");
}

TEST(RedundantConstraints, are_named_once_as_a_warning_when_allowed) {
  const Prepared p = prepared(
      "model pair\ncoordinate x = 1, y = 1\nkinetic (x'^2 + y'^2)/2\n"
      "constraint first: x = 1\nconstraint second: x + x = 2\n");
  ASSERT_EQ(p.start.warnings.size(), 1u);
  EXPECT_EQ(
      render(p.start.warnings[0]),
      "m.daedal:5:12: warning: model 'pair': constraint 'second' is redundant\n"
      "    constraint second: x + x = 2\n"
      "               ^~~~~~\n"
      "  constraint_jacobian has rank 1 for 2 constraints at t = 0 s (smallest singular value "
      "0.0e+00, tolerance 1e-10);\n"
      "  'second' follows from 'first' (line 4)\n"
      "  it is left out of the equations, and the multipliers are those of least norm");
}

TEST(RedundantConstraints, more_constraints_than_coordinates_are_told_alike) {
  const std::string text =
      "model fixed\ncoordinate x = 1, y = 1\nkinetic (x'^2 + y'^2)/2\n"
      "constraint a: x = 1\nconstraint b: y = 1\nconstraint c: x + y = 2\n";
  EXPECT_THAT(fault_of(text, {}), HasSubstr("constraint 'c' is redundant"));
  EXPECT_THAT(fault_of(text, {}), HasSubstr("'c' follows from 'a' (line 4) and 'b' (line 5)"));
  EXPECT_EQ(prepared(text).start.warnings.size(), 1u);
}

TEST(RedundantConstraints, a_contradiction_is_not_redundant) {
  const std::string start = "model fixed\ncoordinate x = 1, y = 1\nkinetic (x'^2 + y'^2)/2\n";
  for (const PrepareOptions& options : {PrepareOptions{}, least_norm()}) {
    EXPECT_THAT(fault_of(start + "constraint a: x + y = 2\nconstraint b: 2*x + 2*y = 5\n", options),
                HasSubstr("cannot be met at the start"));
    EXPECT_THAT(fault_of(start + "constraint a: x = 1\nconstraint b: y = 1\n"
                                 "constraint c: x + y = 3\n",
                         options),
                HasSubstr("3 equations ('a', 'b', 'c') contain 2 unknowns only ('x', 'y')"));
  }
}

TEST(RedundantConstraints, a_singular_position_stays_an_error) {
  EXPECT_EQ(
      fault_of("model cross\ncoordinate x = 0, y = 0\nkinetic (x'^2 + y'^2)/2\n"
               "constraint axes: x*y = 0\n",
               least_norm()),
      "m.daedal:4:12: error: model 'cross': the start is a singular position of constraint "
      "'axes'\n"
      "    constraint axes: x*y = 0\n"
      "               ^~~~\n"
      "  constraint_jacobian has rank 0 for 1 constraints at t = 0 s (smallest singular value "
      "0.0e+00, tolerance 1e-10),\n"
      "  but full rank in other positions nearby;\n"
      "  no coordinate can move to satisfy 'axes'\n"
      "  help: start a little away from this position");
}

TEST(RedundantConstraints, a_redundant_constraint_does_not_hide_a_singular_position) {
  const std::string text = fault_of(
      "model cross\ncoordinate x = 0, y = 0, z = 0\nkinetic (x'^2 + y'^2 + z'^2)/2\n"
      "constraint axes: x*y = 0\nconstraint floor: z = 0\nconstraint ground: x*y + 2*z = 0\n",
      least_norm());
  EXPECT_THAT(text, HasSubstr("the start is a singular position of constraint 'axes'"));
  EXPECT_THAT(text, HasSubstr("constraint 'ground' is redundant"));
}

TEST(RedundantConstraints, nothing_may_depend_on_a_multiplier_that_is_not_determined) {
  const std::string friction = swing + "constraint again: x^2 + y^2 = 1\nforce -0.1*again^2 on x\n";
  EXPECT_EQ(
      fault_of(friction, least_norm()),
      "m.daedal:7:1: error: model 'swing': a force depends on the multiplier of 'again', which "
      "the equations do not determine\n"
      "    force -0.1*again^2 on x\n"
      "    ^~~~~\n"
      "  'again' is one of the constraints that depend on each other\n"
      "  help: remove 'again'");
}

// Redundant above y = -0.5 only, which is passed at t = int_0^(pi/6) dphi/sqrt(2 g sin(phi)) = 0.3282 s; at t = 0.33 s
// y = -0.5048, and the sides differ by 1.1e-7.
TEST(RedundantConstraints, one_that_becomes_independent_stops_the_run_with_its_name) {
  const Trajectory t = run(R"(model groove
coordinate x = 1, y = 0
kinetic   (x'^2 + y'^2)/2
potential 9.81*y
constraint rod:    x^2 + y^2 = 1
constraint groove: x^2 + y^2 + max(0, -0.5 - y)^3 = 1
)",
                           Rk45Options{}, 1, 0.01);
  ASSERT_EQ(t.status, Status::stopped);
  EXPECT_EQ(t.reason.substr(0, t.reason.find(" differ by")),
            "stopped at t = 0.33 s: a constraint that was redundant at the start is violated\n"
            "  constraint 'groove' (line 6): its sides");
  EXPECT_THAT(t.reason, HasSubstr("\n  help: it followed from the others near the start only; the "
                                  "motion may pass a singular position, or other parameters make "
                                  "it independent"));
  EXPECT_LT(at(t, t.table.rows() - 1, "y"), -0.5);
  EXPECT_GT(at(t, t.table.rows() - 2, "y"), -0.51);
}

}  // namespace
}  // namespace daedal::solve::testing
