// Three robots read from URDF, against reference numbers from two independent methods in 60 digits
// (tests/robots/data/README.md): mass matrix, forces, accelerations, energies, frames, multipliers of a loop.
#include "daedal/elaborate/elaborate.hpp"
#include "daedal/model/model.hpp"
#include "robots/reference.hpp"
#include "support/bounds.hpp"

#include <Eigen/Geometry>

#include <algorithm>
#include <iterator>

namespace daedal::test {
namespace {

constexpr double relative = 1e-12;  // of the largest entry: what the reference demands of a robot

struct Joint {
  std::string coordinate, input;  // "a1.angle", "u_j1"
};

/// The URDF file as a part of a model with `lines` around it.
model::Model around(const std::string& robot, const std::string& options,
                    const std::string& lines) {
  return model::elaborate(model::load_text("import \"" + robot_file(robot + ".urdf") + "\" (" +
                                               options + ")\nmodel m\npart robot = " + robot +
                                               "()\n" + lines,
                                           "m.daedal"));
}

/// The joints of a robot in the order of their inputs, which is that of the file.
std::vector<Joint> joints_of(const model::Model& model, const std::string& prefix = "robot.") {
  std::vector<Joint> joints;
  for (const model::Symbol& symbol : model.symbols) {
    if (symbol.kind == model::SymbolKind::input) joints.push_back({"", symbol.name});
  }
  std::size_t next = 0;
  for (const model::Symbol& symbol : model.symbols)
    if (symbol.kind == model::SymbolKind::coordinate && symbol.name.starts_with(prefix) &&
        (symbol.name.ends_with(".angle") || symbol.name.ends_with(".displacement")))
      joints.at(next++).coordinate = symbol.name;
  EXPECT_EQ(next, joints.size());
  return joints;
}

/// World positions and rotations of all links, as outputs.
std::string frames(const RobotState& state) {
  std::string text;
  for (const auto& [name, numbers] : state.numbers) {
    if (name.starts_with("link_position "))
      text += "output r_" + name.substr(14) + " = robot." + name.substr(14) + ".r\n";
    if (!name.starts_with("link_rotation ")) continue;
    const std::string link = name.substr(14);
    for (int i = 1; i <= 3; ++i)
      text += "output R_" + link + "_" + std::to_string(i) + " = [robot." + link + ".R[" +
              std::to_string(i) + ",1], robot." + link + ".R[" + std::to_string(i) + ",2], robot." +
              link + ".R[" + std::to_string(i) + ",3]]\n";
  }
  return text;
}

void expect_frames(const ModelPoint& point, const RobotState& state) {
  for (const auto& [name, numbers] : state.numbers) {
    if (!name.starts_with("link_")) continue;
    const std::string link = name.substr(14);
    for (std::size_t k = 0; k < numbers.size(); ++k) {
      const std::string output = name.starts_with("link_position")
                                     ? "r_" + link + "[" + std::to_string(k + 1) + "]"
                                     : "R_" + link + "_" + std::to_string(k / 3 + 1) + "[" +
                                           std::to_string(k % 3 + 1) + "]";
      EXPECT_NEAR(point.output(output), numbers[k], relative) << name << " " << output;
    }
  }
}

void expect_close(const Eigen::VectorXd& found, const Eigen::VectorXd& expected, const char* what) {
  ASSERT_EQ(found.size(), expected.size()) << what;
  EXPECT_LE((found - expected).cwiseAbs().maxCoeff(), relative * expected.cwiseAbs().maxCoeff())
      << what;
}

class FixedBase : public ::testing::TestWithParam<std::string> {};

TEST_P(FixedBase, agrees_with_the_reference_to_twelve_digits) {
  const std::vector<RobotState> states = reference_states(GetParam());
  ModelPoint point(around(GetParam(), "base = fixed", frames(states[0])));
  const std::vector<Joint> joints = joints_of(point.model());
  const auto n = static_cast<Eigen::Index>(joints.size());
  for (const RobotState& state : states) {
    ASSERT_EQ(state.at("q").size(), joints.size());
    for (std::size_t k = 0; k < joints.size(); ++k)
      point.set({{joints[k].coordinate, state.at("q")[k]},
                 {joints[k].coordinate + "'", state.at("v")[k]},
                 {joints[k].input, state.at("tau")[k]}});
    const auto accelerations = [&] {
      const auto solution = point.solve();
      Eigen::VectorXd a(n);
      for (Eigen::Index k = 0; k < n; ++k)
        a[k] = solution.at(joints[static_cast<std::size_t>(k)].coordinate + "''");
      return a;
    };
    const Eigen::MatrixXd M = state.matrix("M", n);
    expect_close(accelerations(), state.vector("acceleration"), "accelerations");
    EXPECT_LE((point.mass_matrix() - M).cwiseAbs().maxCoeff(), relative * M.cwiseAbs().maxCoeff());
    const double kinetic = state.at("kinetic_energy")[0],
                 potential = state.at("potential_energy")[0];
    EXPECT_NEAR(point.kinetic(), kinetic, relative * kinetic);
    EXPECT_NEAR(point.energy() - point.kinetic(), potential,
                relative * (std::abs(potential) + kinetic));
    expect_frames(point, state);
    // With tau = 0 the residual of M a + h = tau at a = 0 is h: a = -M^-1 h.
    for (const Joint& joint : joints) point.set({{joint.input, 0}});
    expect_close(-(M * accelerations()), state.vector("h"), "h");
  }
}

INSTANTIATE_TEST_SUITE_P(robots, FixedBase, ::testing::Values("planar3r", "arm7"),
                         [](const auto& robot) { return robot.param; });

// Its coordinates are in the world, those of the reference in axes of the trunk: v = R a, so a = R^T (v' - w x v).
struct Walker {
  ModelPoint point;
  std::vector<Joint> joints;
  Eigen::Matrix3d R;  // from the trunk's axes to the world's
  Eigen::Vector3d w;  // angular velocity in axes of the trunk

  explicit Walker(const std::string& lines)
      : point(around("walker12", "base = free", lines)), joints(joints_of(point.model())) {}

  void set(const RobotState& state) {
    const std::vector<double>&r = state.at("base_position"), &p = state.at("base_quaternion_wxyz"),
          &v = state.at("v");
    const Eigen::Quaterniond turn(p[0], p[1], p[2], p[3]);
    R = turn.toRotationMatrix();
    w = Eigen::Vector3d(v[3], v[4], v[5]);
    const Eigen::Vector3d velocity = R * Eigen::Vector3d(v[0], v[1], v[2]);
    const Eigen::Quaterniond half(0, w[0] / 2, w[1] / 2, w[2] / 2);
    const Eigen::Quaterniond rate = turn * half;  // p' = p w/2
    const double rates[] = {rate.w(), rate.x(), rate.y(), rate.z()};
    for (int k = 0; k < 3; ++k)
      point.set({{index("robot.trunk.r", k), r[static_cast<std::size_t>(k)]},
                 {index("robot.trunk.r", k) + "'", velocity[k]}});
    for (int k = 0; k < 4; ++k)
      point.set({{index("robot.trunk.p", k), p[static_cast<std::size_t>(k)]},
                 {index("robot.trunk.p", k) + "'", rates[k]}});
    for (std::size_t k = 0; k < joints.size(); ++k)
      point.set({{joints[k].coordinate, state.at("q")[k]},
                 {joints[k].coordinate + "'", v[k + 6]},
                 {joints[k].input, state.at("tau")[k + 6]}});
  }

  static std::string index(const std::string& name, int k) {
    return name + "[" + std::to_string(k + 1) + "]";
  }

  /// Derivatives of the reference's velocities.
  Eigen::VectorXd accelerations(const ModelPoint::Values& solution) const {
    Eigen::Vector3d linear;
    Eigen::Vector4d p, pdd;
    for (int k = 0; k < 3; ++k) linear[k] = solution.at(index("robot.trunk.r", k) + "''");
    for (int k = 0; k < 4; ++k) {
      p[k] = point.value(index("robot.trunk.p", k));
      pdd[k] = solution.at(index("robot.trunk.p", k) + "''");
    }
    Eigen::Matrix<double, 3, 4> L;  // w = 2 L p', w' = 2 L p''
    L << -p[1], p[0], p[3], -p[2], -p[2], -p[3], p[0], p[1], -p[3], p[2], -p[1], p[0];
    Eigen::Vector3d v;
    for (int k = 0; k < 3; ++k) v[k] = point.value(index("robot.trunk.r", k) + "'");
    Eigen::VectorXd a(6 + static_cast<Eigen::Index>(joints.size()));
    a.head<3>() = R.transpose() * linear - w.cross(R.transpose() * v);
    a.segment<3>(3) = 2 * L * pdd;
    for (std::size_t k = 0; k < joints.size(); ++k)
      a[6 + static_cast<Eigen::Index>(k)] = solution.at(joints[k].coordinate + "''");
    return a;
  }
};

TEST(FreeBase, agrees_with_the_reference_to_twelve_digits) {
  const std::vector<RobotState> states = reference_states("walker12");
  Walker walker(frames(states[0]));
  ASSERT_EQ(walker.joints.size(), 12u);
  EXPECT_EQ(walker.joints[0].input,
            "robot.u_lhx");  // in the order of the file, not of the alphabet
  EXPECT_EQ(walker.joints[3].input, "robot.u_rhx");
  EXPECT_EQ(walker.joints[11].input, "robot.u_tc");
  for (const RobotState& state : states) {
    walker.set(state);
    expect_close(walker.accelerations(walker.point.solve()), state.vector("acceleration"),
                 "accelerations");
    const double kinetic = state.at("kinetic_energy")[0],
                 potential = state.at("potential_energy")[0];
    EXPECT_NEAR(walker.point.kinetic(), kinetic, relative * kinetic);
    EXPECT_NEAR(walker.point.energy() - walker.point.kinetic(), potential,
                relative * (std::abs(potential) + kinetic));
    expect_frames(walker.point, state);
    // M a + h = 0 without motors, with the reference's M and h
    for (const Joint& joint : walker.joints) walker.point.set({{joint.input, 0}});
    const Eigen::VectorXd a = walker.accelerations(walker.point.solve());
    expect_close(-(state.matrix("M", 18) * a), state.vector("h"), "h");
    // M, by columns: forces on the joints change the accelerations by the columns of M^-1
    for (std::size_t k = 0; k < walker.joints.size(); ++k) {
      walker.point.set({{walker.joints[k].input, 1}});
      const Eigen::VectorXd change = walker.accelerations(walker.point.solve()) - a;
      const Eigen::VectorXd unit = Eigen::VectorXd::Unit(18, 6 + static_cast<Eigen::Index>(k));
      EXPECT_LE((state.matrix("M", 18) * change - unit).cwiseAbs().maxCoeff(),
                relative * state.matrix("M", 18).cwiseAbs().maxCoeff() *
                    std::max(1.0, a.cwiseAbs().maxCoeff()));
      walker.point.set({{walker.joints[k].input, 0}});
    }
  }
}

// J v of the reference is that of the ball's point on rs less that on ls; the multiplier is the force on rs.
TEST(FreeBase, multipliers_of_a_loop_are_those_of_the_reference) {
  Walker walker(
      "part ball = spherical(a = robot.ls, b = robot.rs, point_a = [0, -0.16, -0.25], point_b = "
      "[0, 0.14, -0.25])\n");
  for (const RobotState& state : reference_states("walker12")) {
    walker.set(state);
    const auto solution = walker.point.solve();
    expect_close(walker.accelerations(solution), state.vector("loop_acceleration"),
                 "accelerations");
    Eigen::Vector3d multipliers;
    for (int k = 0; k < 3; ++k) multipliers[k] = solution.at(Walker::index("ball.point", k));
    expect_close(multipliers, state.vector("loop_lambda_"), "multipliers");
  }
}

}  // namespace
}  // namespace daedal::test
