// Links of trees of joints: against reference numbers, and against the same mechanisms in absolute coordinates.
#include "daedal/elaborate/elaborate.hpp"
#include "daedal/model/model.hpp"
#include "daedal/run/simulate.hpp"
#include "daedal/start/prepare.hpp"
#include "robots/reference.hpp"
#include "support/bounds.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <memory>

namespace daedal::test {
namespace {

model::Model links(const std::string& text) {
  return model::elaborate(model::load_text(text, "m.daedal"));
}

constexpr double relative =
    1e-12;  // what the reference demands; rounding stays below a tenth of it

// planar3r.urdf by hand, in the words of the language.
TEST(Links, accelerations_of_a_planar_arm_are_those_of_the_reference) {
  ModelPoint point(links(R"(model planar3r
part base = fixed_link()
part l1 = revolute_link(parent = base, position = [0, 0, 0.1], orientation = rpy(pi/2, 0, 0), axis = [0, 0, 1],
  mass = 1.5, centre = [0.25, 0.02, 0], inertia = [0.011, 0.031, 0.035])
part l2 = revolute_link(parent = l1, position = [0.5, 0, 0],
  mass = 1.1, centre = [0.2, -0.01, 0], inertia = [0.006, 0.018, 0.02])
part l3 = revolute_link(parent = l2, position = [0.4, 0, 0],
  mass = 0.6, centre = [0.12, 0, 0], inertia = [0.002, 0.004, 0.005])
input tau[1..3] [N*m]
torque tau[1] about l1.angle, tau[2] about l2.angle, tau[3] about l3.angle
)"));
  for (const RobotState& state : reference_states("planar3r")) {
    const auto expected = state.vector("acceleration");
    for (int k = 0; k < 3; ++k) {
      const std::string n = std::to_string(k + 1);
      point.set({{"l" + n + ".angle", state.at("q")[k]},
                 {"l" + n + ".angle'", state.at("v")[k]},
                 {"tau[" + n + "]", state.at("tau")[k]}});
    }
    const auto found = point.solve();
    for (int k = 0; k < 3; ++k)
      EXPECT_NEAR(found.at("l" + std::to_string(k + 1) + ".angle''"), expected[k],
                  relative * expected.cwiseAbs().maxCoeff());
  }
}

std::string fault_of(const std::string& text) {
  try {
    links(text);
  } catch (const ModelError& error) {
    return error.what();
  }
  return "";
}

/// Accelerations of the coordinates at a state that is the same for all models with these names.
ModelPoint::Values accelerated(ModelPoint point, const std::vector<std::string>& names) {
  double value = 0.3;
  for (const std::string& name : names) {
    point.set({{name, value}, {name + "'", 1 - 2 * value}});
    value += 0.37;
  }
  return point.solve();
}

void expect_same_accelerations(const std::string& a, const std::string& b,
                               const std::vector<std::string>& names) {
  const auto left = accelerated(ModelPoint(links(a)), names),
             right = accelerated(ModelPoint(links(b)), names);
  double largest = 1;
  for (const std::string& name : names) largest = std::max(largest, std::abs(left.at(name + "''")));
  for (const std::string& name : names)
    EXPECT_NEAR(left.at(name + "''"), right.at(name + "''"), rounding(100, 10 * largest)) << name;
}

// A tool on a bracket on a link, turned and offset, against one link with the inertia of all three: masses on three points each,
// so that the sum is a list of points, whose inertia is written down here.
TEST(Links, a_fixed_link_adds_its_inertia_to_its_parents) {
  const std::string arm =
      "model m\npart a = revolute_link(axis = [0, 1, 0], mass = 1, centre = [0.2, 0, 0.1], inertia "
      "= [0.1, 0.2, 0.15])\n"
      "part b = revolute_link(parent = a, position = [0.4, 0, 0], orientation = rpy(pi/2, 0, 0.3), "
      "axis = [1, 2, 2], ";
  // in the axes of b: at p1 = (0.3, 0, 0) + rotz(0.5)*(0.1, 0, 0) a point mass of 0.7, and at p2 beyond it one of 0.4
  const std::string carried =
      arm + R"(mass = 2, centre = [0.1, 0, 0], inertia = [0.01, 0.02, 0.025])
part bracket = fixed_link(parent = b, position = [0.3, 0, 0], orientation = rotz(0.5), mass = 0.7, centre = [0.1, 0, 0])
part tool = fixed_link(parent = bracket, position = [0.2, 0, 0], orientation = rotx(0.4), mass = 0.4, centre = [0, 0, 0.1])
)";
  const std::string one = arm + R"(mass = M, centre = C, inertia = J)
let p1 = [0.3, 0, 0] + rotz(0.5)*[0.1, 0, 0]
let p2 = [0.3, 0, 0] + rotz(0.5)*([0.2, 0, 0] + rotx(0.4)*[0, 0, 0.1])
let p0 = [0.1, 0, 0]
let M = 2 + 0.7 + 0.4
let C = (2*p0 + 0.7*p1 + 0.4*p2)/M
let about(s) = [s[2]^2 + s[3]^2, -s[1]*s[2], -s[1]*s[3]; -s[1]*s[2], s[1]^2 + s[3]^2, -s[2]*s[3]; -s[1]*s[3], -s[2]*s[3], s[1]^2 + s[2]^2]
let J = diagonal([0.01, 0.02, 0.025]) + 2*about(p0 - C) + 0.7*about(p1 - C) + 0.4*about(p2 - C)
)";
  expect_same_accelerations(carried, one, {"a.angle", "b.angle"});
  // ... and costs nothing: the energies are as many as those of two links.
  EXPECT_EQ(links(carried).kinetic.size(), links(one).kinetic.size());
}

// The same weld by constraints: a link that moves freely, held by `fixed`.
TEST(Links, a_fixed_link_is_a_weld_without_equations) {
  const std::string arm =
      "model m\npart a = revolute_link(axis = [0, 1, 0], mass = 1, inertia = [0.1, 0.2, 0.15])\n";
  ModelPoint merged(
      links(arm + "part tool = fixed_link(parent = a, position = [0.3, 0, 0.1], orientation = "
                  "rotz(pi/2), mass = 0.7, inertia = [0.01, 0.02, 0.03])\n"));
  ModelPoint welded(links(
      arm +
      "part tool = spatial_body(mass = 0.7, inertia = [0.01, 0.02, 0.03])\n"
      "part weld = fixed(a = a, b = tool, point_a = [0.3, 0, 0.1], orientation = [1, 0, 0, 1])\n"));
  // at angle 0, where the pose of the tool is known in closed form: p = (1, 0, 0, 1)/sqrt(2), w = (0, 2, 0)
  const double s = std::sqrt(0.5);
  merged.set({{"a.angle", 0}, {"a.angle'", 2}});
  welded.set({{"a.angle", 0},
              {"a.angle'", 2},
              {"tool.r[1]", 0.3},
              {"tool.r[3]", 0.1},
              {"tool.r[1]'", 0.2},
              {"tool.r[3]'", -0.6},
              {"tool.p[1]", s},
              {"tool.p[4]", s},
              {"tool.p[2]'", s},
              {"tool.p[3]'", s}});
  const double expected = welded.solve().at("a.angle''");
  EXPECT_NEAR(merged.solve().at("a.angle''"), expected,
              rounding(100, 10 * std::max(1.0, std::abs(expected))));
}

TEST(Links, a_free_link_held_by_fixed_is_a_fixed_one) {
  const std::string arm =
      "part a = revolute_link(parent = base, position = [0.1, 0, 0.2], axis = [0, 1, 0], mass = 1, "
      "centre = [0.3, 0, 0], inertia = [0.1, 0.2, 0.15])\n";
  expect_same_accelerations(
      "model m\npart base = free_link(mass = 2, inertia = [0.1, 0.1, 0.1])\n" + arm +
          "part hold = fixed(b = base)\n",
      "model m\npart base = fixed_link(mass = 2, inertia = [0.1, 0.1, 0.1])\n" + arm, {"a.angle"});
}

// cos(pi/2) = 6e-17 would be an entry of the rotation: what is exactly 0, 1 or -1 in the equations has no such term.
TEST(Links, right_angles_are_exact) {
  const auto nodes = [](const std::string& orientation) {
    const model::Model m = links(
        "model m\npart a = revolute_link(mass = 1, inertia = [1, 2, 3])\n"
        "part b = revolute_link(parent = a, position = [1, 0, 0], orientation = " +
        orientation + ", mass = 1, centre = [0.1, 0.2, 0.3], inertia = [1, 2, 3])\n");
    std::vector<expr::Expr> roots;
    for (const model::EnergyTerm& term : m.kinetic) roots.push_back(term.value);
    return expr::reachable(*m.graph, roots).size();
  };
  const std::size_t exact = nodes("[1, 0, 0; 0, 0, -1; 0, 1, 0]");
  EXPECT_EQ(nodes("rpy(1.5707963267948966, 0, 0)"), exact);
  EXPECT_EQ(nodes("rpy(pi/2, 2*pi, 0)"), exact);
  EXPECT_EQ(nodes("[1, 1, 0, 0]"), exact);  // a quaternion
  EXPECT_GT(nodes("rpy(1.5, 0, 0)"), exact);
}

// An angle that a parameter gives stays one: -p tilt=0.3 turns the axis.
TEST(Links, orientations_may_contain_parameters) {
  const auto text = [](const std::string& angle) {
    return "model m\nparameter tilt = 0.3\npart a = revolute_link(mass = 1, inertia = [1, 2, "
           "2.5])\npart b = revolute_link(parent = a, position = "
           "[1, 0, 0], orientation = rpy(" +
           angle +
           ", 0.2, 0), axis = [0, 3, 4], mass = 1, centre = [0.1, 0.2, 0.3], inertia = [1, 2, "
           "2.5])\n"
           "part tool = fixed_link(parent = b, position = [0.1, 0, 0], orientation = rotx(" +
           angle + "), mass = 0.3, centre = [0, 0.1, 0.2])\n";
  };
  expect_same_accelerations(text("tilt"), text("0.3"), {"a.angle", "b.angle"});
}

TEST(Links, gravity_is_that_of_the_base) {
  ModelPoint point(
      links("model m\npart base = fixed_link(gravity = [0, 0, -2])\npart a = revolute_link(parent "
            "= base, axis = [0, 1, 0], mass = 3, centre = "
            "[0.5, 0, 0], inertia = [0, 0, 0])\n"));
  point.set({{"a.angle", 0}});
  EXPECT_NEAR(point.solve().at("a.angle''"), 2 / 0.5,
              rounding(10, 4));  // m g l/(m l^2); z up, positive about y is down
  EXPECT_THAT(
      fault_of("model m\npart base = fixed_link()\npart a = revolute_link(parent = base, mass = 1, "
               "gravity = [0, 0, -1])\n"),
      testing::HasSubstr("m.daedal:3:59: error: the gravity of 'a' is that of its parent 'base'"));
}

// A link hangs on a body in absolute coordinates, which another link carries by a joint.
TEST(Links, may_be_attached_to_bodies) {
  const std::string pendulum =
      "part b = revolute_link(parent = a, position = [0.5, 0, 0], axis = [0, 1, 0], mass = 1, "
      "centre = [0.2, 0, 0], inertia = [0, 0.01, 0.01])\n";
  const std::string a = "axis = [0, 1, 0], mass = 2, inertia = [0.1, 0.2, 0.15]";
  ModelPoint link(links("model m\npart a = revolute_link(" + a + ")\n" + pendulum));
  ModelPoint body(
      links("model m\npart a = spatial_body(mass = 2, inertia = [0.1, 0.2, 0.15])\npart hinge = "
            "revolute(b = a, axis_a = [0, 1, 0])\n" +
            pendulum));
  link.set({{"b.angle", 0.4}, {"a.angle'", 1}, {"b.angle'", -2}});
  body.set({{"b.angle", 0.4}, {"a.p[1]", 1}, {"a.p[3]'", 0.5}, {"b.angle'", -2}});
  const double expected = link.solve().at("b.angle''");
  EXPECT_NEAR(body.solve().at("b.angle''"), expected, rounding(100, 10 * std::abs(expected)));
}

// M grows by J on the diagonal, and nothing else changes.
TEST(Links, armature_adds_to_the_diagonal) {
  const auto text = [](const std::string& armature) {
    return "model m\npart a = revolute_link(mass = 1, inertia = [1, 2, 2.5]" + armature +
           ")\npart b = prismatic_link(parent = a, axis = [1, 0, 0], mass = 1, centre = [1, 0, 0]" +
           armature + ")\n";
  };
  Eigen::MatrixXd expected = ModelPoint(links(text(""))).mass_matrix();
  expected.diagonal().array() += 0.25;
  EXPECT_LE(
      (ModelPoint(links(text(", armature = 0.25"))).mass_matrix() - expected).cwiseAbs().maxCoeff(),
      rounding(10, 5));
}

// A screw: what turns and slides as given, here as one coordinate says.
TEST(Links, a_coupled_link_follows_what_it_is_given) {
  ModelPoint point(
      links("model m\ncoordinate q [rad]\npart a = coupled_link(angle = q, displacement = 0.1*q, "
            "mass = 2, inertia = [1, 1, 0.3])\n"));
  point.set({{"q", 0.2}});
  EXPECT_NEAR(point.solve().at("q''"), -2 * 9.81 * 0.1 / (0.3 + 2 * 0.01), rounding(20, 10));
}

/// Energy is constant over a fall of 2 s, up to what the tolerance lets through.
TEST(Links, energy_is_kept_over_a_fall) {
  const model::Model m = links(R"(model m
part base = free_link(mass = 3, centre = [0.1, 0, 0.05], inertia = [0.1, 0.12, 0.09], angular_velocity = [1, 2, 0.5])
part a = revolute_link(parent = base, position = [0.2, 0.1, 0], orientation = rpy(0.3, 0.2, 0.1), axis = [0, 0.6, 0.8], mass = 1, centre = [0.2, 0, 0], inertia = [0.02, 0.02, 0.03])
part b = prismatic_link(parent = a, position = [0.4, 0, 0], axis = [1, 0, 0], mass = 0.5, inertia = [0.01, 0.01, 0.01])
part c = ball_link(parent = b, position = [0.2, 0, 0], mass = 0.4, centre = [0, 0.1, 0.2], inertia = [0.01, 0.01, 0.002])
part d = fixed_link(parent = c, position = [0, 0, 0.3], mass = 0.2)
potential 20*b.displacement^2
initial a.angle' = 3, b.displacement' = -1
)");
  const auto dae =
      std::make_shared<const derive::Dae>(derive::derive(std::make_shared<const model::Model>(m)));
  const solve::Prepared prepared = solve::prepare(dae, {});
  constexpr double tolerance = 1e-13;
  const solve::Trajectory run = solve::simulate(
      prepared.problem, prepared.start,
      {.until = 2, .every = 0.5, .method = solve::TaylorOptions{.tolerance = tolerance}});
  ASSERT_EQ(run.status, solve::Status::completed) << run.reason;
  ModelPoint point(m);
  const auto energy_at = [&](std::size_t row) {
    for (const model::Symbol& symbol : m.symbols)
      if (symbol.kind == model::SymbolKind::coordinate)
        for (const std::string& name : {symbol.name, symbol.name + "'"})
          point.set({{name, run.table.at(row, run.table.find(name).value())}});
    return point.energy();
  };
  const double first = energy_at(0);
  for (std::size_t row = 1; row < run.table.rows(); ++row)
    EXPECT_NEAR(energy_at(row), first,
                accumulated(tolerance, 200, 1000));  // some 1000 J fall in 2 s
}

TEST(Links, faults_name_the_link) {
  const std::string a = "model m\npart a = revolute_link(mass = 1, inertia = [1, 1, 1]";
  for (const auto& [text, expected] : std::vector<std::pair<std::string, std::string>>{
           {a + ", orientation = [1, 0, 0; 0, 1, 0; 0, 0, -1])\n",
            "the orientation of 'a' is no rotation"},
           {a + ", orientation = [1, 0, 0])\n",
            "the orientation of 'a' must be a rotation matrix or a quaternion, not a vector of 3"},
           {a + ", axis = [0, 0, 0])\n", "'axis' is zero and points nowhere"},
           {a + ", axis = 1)\n", "the axis of 'a' is a vector of 3 numbers"},
           {a + ", parent = 3)\n", "the parent of 'a' is not a body in space"},
           {a + ")\npart b = fixed_link(parent = a, position = [a.angle, 0, 0])\n",
            "'position' of 'b' contains the coordinate 'a.angle', and does not change with time"},
           {a + ")\npart b = fixed_link(parent = a, orientation = rotz(a.angle))\n",
            "the orientation of 'b' must be made of numbers, sizes and parameters"},
           {"model m\npart a = revolute_link(mass = -1)\n",
            "the mass of 'a' must not be negative, as -1 is"},
           {"model m\npart c = planar_body(mass = 1, inertia = 1)\npart a = revolute_link(parent = "
            "c)\n",
            "the parent of 'a' is not a body in space"}})
    EXPECT_THAT(fault_of(text), testing::HasSubstr(expected)) << text;
}

}  // namespace
}  // namespace daedal::test
