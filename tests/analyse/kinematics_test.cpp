// Poses, limits and singular poses against closed forms and the references of the models' READMEs.
#include "daedal/analyse/kinematics.hpp"

#include "models.hpp"
#include "support/bounds.hpp"

#include <Eigen/Dense>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace daedal::analysis::test {
namespace {

// Newton's method ends at rounding, times the condition of the jacobian, some 10.
const double posed = daedal::test::rounding(100, 10);

const std::vector<std::string> motors = {"arm[1].q[1]", "arm[2].q[1]", "arm[3].q[1]"};
const std::vector<std::string> platform = {"platform[1]", "platform[2]", "platform[3]"};

std::vector<Given> given(const std::vector<std::string>& names, const std::vector<double>& values) {
  std::vector<Given> result;
  for (std::size_t k = 0; k < names.size(); ++k) result.push_back({names[k], values[k]});
  return result;
}

TEST(Kinematics, of_the_delta_robot_takes_three_iterations_from_a_pose_nearby) {
  const Kinematics k(library_model("delta_robot"));
  Pose at = k.pose(given(motors, {0, 0, 0}), k.start());
  ASSERT_TRUE(at.found);
  int most = 0;
  for (int step = 1; step <= 100; ++step) {  // motors at 2 to 3 rad/s, a pose every 5 ms
    const double t = 0.005 * step;
    at = k.pose(
        given(motors, {0.3 * std::sin(10 * t), 0.25 * std::sin(9 * t), 0.2 * std::sin(12 * t)}),
        at.values);
    ASSERT_TRUE(at.found) << t << ", " << at.worst;
    most = std::max(most, at.iterations);
  }
  EXPECT_LE(most, 3);
}

TEST(Kinematics, inverse_undoes_forward) {
  const Kinematics k(library_model("delta_robot"));
  const Pose there = k.pose(given(motors, {0.2, -0.1, 0.15}), k.start());
  ASSERT_TRUE(there.found);
  std::vector<double> position;
  for (const std::string& name : platform) position.push_back(k.value(name, there.values));
  const Pose back = k.pose(given(platform, position), k.start());
  ASSERT_TRUE(back.found);
  EXPECT_NEAR(k.value(motors[0], back.values), 0.2, posed);
  EXPECT_NEAR(k.value(motors[1], back.values), -0.1, posed);
  EXPECT_NEAR(k.value(motors[2], back.values), 0.15, posed);
}

// The rod of arm 1 has length l2, whatever the pose: (p - elbow) . d elbow/dq1 = (p - elbow) . dp/dq1.
TEST(Kinematics, jacobian_of_the_delta_robot_is_that_of_its_rods) {
  const Kinematics k(library_model("delta_robot"));
  const Pose at = k.pose(given(motors, {0.2, -0.1, 0.15}), k.start());
  const Eigen::MatrixXd j = k.jacobian(platform, motors, at.values);
  Eigen::Matrix3d rods, elbows = Eigen::Matrix3d::Zero();
  const double angles[] = {0.2, -0.1, 0.15};
  Eigen::Vector3d p;
  for (int i = 0; i < 3; ++i) p[i] = k.value(platform[static_cast<std::size_t>(i)], at.values);
  for (int arm = 0; arm < 3;
       ++arm) {  // the base's radius less the platform's, 0.15, then the proximal link
    const double turn = (arm == 0   ? 0
                         : arm == 1 ? 1
                                    : -1) *
                        2 * std::numbers::pi / 3,
                 q = angles[arm];
    const Eigen::Matrix3d r = Eigen::AngleAxisd(turn, Eigen::Vector3d::UnitZ()).toRotationMatrix();
    const Eigen::Vector3d elbow =
        r * Eigen::Vector3d(0, 0.15 + 0.25 * std::cos(q), 0.25 * std::sin(q));
    const Eigen::Vector3d slope = r * Eigen::Vector3d(0, -0.25 * std::sin(q), 0.25 * std::cos(q));
    EXPECT_NEAR((p - elbow).norm(), 0.6, posed);
    rods.row(arm) = (p - elbow).transpose();
    elbows(arm, arm) = (p - elbow).dot(slope);
  }
  EXPECT_LT((rods * j - elbows).norm(), 1e-12);
  EXPECT_LT((k.jacobian(motors, platform, at.values) * j - Eigen::Matrix3d::Identity()).norm(),
            1e-11);
}

TEST(Kinematics, what_is_not_determined_has_no_derivative) {
  const Kinematics k(library_model("delta_robot"));
  const Eigen::MatrixXd j = k.jacobian({"platform[1]", "arm[1].q[1]"}, {"arm[1].q[1]"}, k.start());
  EXPECT_TRUE(std::isnan(j(0, 0)));  // the other motors may move too
  EXPECT_NEAR(j(1, 0), 1, daedal::test::rounding(100));
}

// Independent recomputation of parameter set A: level arms need -1.9293 N m each.
TEST(Kinematics, gravity_compensation_of_the_delta_robot) {
  const Kinematics k(library_model("delta_robot"));
  const Compensation c = k.gravity_compensation(k.start());
  EXPECT_TRUE(c.holds);
  ASSERT_EQ(c.inputs.size(), 3u);
  for (const auto& [name, value] : c.inputs)
    EXPECT_NEAR(value, -1.9293, daedal::test::rounding(1000, 1.9293)) << name;
}

TEST(Kinematics, a_pose_that_no_input_holds_is_told_with_its_equation) {
  const Kinematics k(text_model(
      "model m\ncoordinate x, y\nkinetic (x'^2 + y'^2)/2\npotential 3*y\ninput u\nforce u on x\n"));
  const Compensation c = k.gravity_compensation(k.start());
  EXPECT_FALSE(c.holds);
  EXPECT_EQ(c.worst, "motion of y");
  EXPECT_NEAR(c.residual, 3, daedal::test::rounding(8, 3));
}

// Two links of length 1: elbow up and elbow down.
const char* const two_links =
    "model arm\ncoordinate a = 0.3 [rad], b = 0.8 [rad]\nkinetic (a'^2 + b'^2)/2\ninput u, v\n"
    "force u on a\nforce v on b\n"
    "output p = [cos(a) + cos(a + b), sin(a) + sin(a + b)]\noutput rate = a'\n";

TEST(Kinematics, branches_are_elbow_up_and_elbow_down) {
  const Kinematics k(text_model(two_links));
  const auto poses = k.branches(given({"p[1]", "p[2]"}, {1.2, 0.9}), k.start());
  ASSERT_EQ(poses.size(), 2u);
  const double b = std::acos((1.2 * 1.2 + 0.9 * 0.9 - 2) / 2);
  EXPECT_NEAR(k.value("b", poses[0].values), b, posed);
  EXPECT_NEAR(std::remainder(k.value("b", poses[1].values) + b, 2 * std::numbers::pi), 0, posed);
  EXPECT_FALSE(k.pose(given({"p[1]", "p[2]"}, {2.5, 0}), k.start()).found);
}

// Angles without a unit were no angles: six poses instead of two. A thread that moves on with each turn has a pose for each.
TEST(Kinematics, branches_that_differ_by_whole_turns_are_one) {
  const Kinematics arm(
      text_model("model arm\ncoordinate a = 6.5, b = 0.8\nkinetic (a'^2 + b'^2)/2\n"
                 "output p = [cos(a) + cos(a + b), sin(a) + sin(a + b)]\n"));
  EXPECT_EQ(arm.branches(given({"p[1]", "p[2]"}, {1.2, 0.9}), arm.start()).size(), 2u);
  const Kinematics thread(
      text_model("model m\ncoordinate a = 0.3 [rad], x = 0\nkinetic (a'^2 + x'^2)/2\n"
                 "constraint nut: x = 0.1*a\noutput s = sin(a)\n"));
  const auto poses = thread.branches(given({"s"}, {0.5}), thread.start());
  EXPECT_GT(poses.size(), 2u);
  for (const Pose& pose : poses)
    EXPECT_NEAR(thread.value("x", pose.values), 0.1 * thread.value("a", pose.values), posed);
}

TEST(Kinematics, a_line_through_the_stretched_arm_meets_a_singular_pose_of_the_first_kind) {
  const Kinematics k(text_model(two_links));
  PathOptions options;
  options.from = given({"a", "b"}, {0.3, 0.8});
  options.to = given({"a", "b"}, {0.3, -0.8});
  options.sets = {{"outputs", {"p[1]", "p[2]"}}, {"motors", {"a", "b"}}};
  const PathOfPoses path = follow_poses(k, k.start(), options);
  ASSERT_EQ(path.events.size(), 1u);
  EXPECT_EQ(path.events[0].name, "outputs");
  EXPECT_NEAR(path.events[0].along, 0.5, posed);
  EXPECT_NEAR(k.value("b", path.events[0].values), 0, posed);
}

TEST(Kinematics, a_box_shows_where_the_arm_is_singular_and_what_it_reaches) {
  const Kinematics k(text_model(two_links));
  for (const double last :
       {1.5, 1.4}) {  // b = 0 is a node of the first grid, and none of the second
    const BoxOfPoses box = scan_box(k, k.start(), {{"a", 0, 1, 3}, {"b", -1, last, 6}},
                                    {{"outputs", {"p[1]", "p[2]"}}});
    EXPECT_EQ(box.singular.size(), 3u);
    for (const PathEvent& e : box.singular) EXPECT_NEAR(k.value("b", e.values), 0, posed);
  }
  const BoxOfPoses reach =
      scan_box(k, k.start(), {{"p[1]", 0.5, 2.5, 9}, {"p[2]", 0.5, 2.5, 9}}, {});
  for (const BoxOfPoses::Node& node : reach.nodes)
    EXPECT_EQ(node.reachable, std::hypot(node.given[0], node.given[1]) < 2)
        << node.given[0] << ", " << node.given[1];
}

TEST(Kinematics, names_that_are_none_are_refused) {
  const Kinematics k(text_model(two_links));
  const auto message = [&](const char* name) {
    try {
      k.pose({{name, 1}}, k.start());
    } catch (const ModelError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(message("p[3]"),
              ::testing::HasSubstr("model 'arm' has no coordinate or output 'p[3]'"));
  EXPECT_THAT(
      message("rate"),
      ::testing::HasSubstr("output 'rate' contains velocities: a pose does not determine it"));
}

// Independent recomputation (SciPy) of the looper [OlivaLooper]: limits of the arm where the links are aligned, and the two
// poses where the extension turns.
TEST(Kinematics, limits_and_singular_poses_of_the_looper) {
  const Kinematics k(library_model("looper"));
  const Pose start = k.pose({}, k.start());
  PathOptions options;
  options.turning = {"theta1", "s"};
  options.sets = {{"arm", {"theta1"}}, {"extension", {"s"}}};
  const PathOfPoses path = follow_poses(k, start.values, options);
  EXPECT_TRUE(path.closed);
  std::vector<std::vector<double>> arm, extension;
  int singular = 0;
  for (const PathEvent& e : path.events) {
    if (e.kind == PathEvent::Kind::singular)
      ++singular;
    else
      (e.name == "theta1" ? arm : extension).push_back(e.values);
  }
  ASSERT_EQ(arm.size(), 2u);
  ASSERT_EQ(extension.size(), 2u);
  EXPECT_EQ(singular, 4);  // a coordinate that turns does not determine the pose: the same four
  const auto by_angle = [&](const std::vector<double>& a, const std::vector<double>& b) {
    return k.value("theta1", a) < k.value("theta1", b);
  };
  const auto by_extension = [&](const std::vector<double>& a, const std::vector<double>& b) {
    return k.value("s", a) < k.value("s", b);
  };
  std::sort(arm.begin(), arm.end(), by_angle);
  std::sort(extension.begin(), extension.end(), by_extension);
  const auto expect = [&](const std::vector<double>& pose, double theta1, double s, double theta2,
                          double tolerance) {
    EXPECT_NEAR(k.value("theta1", pose), theta1, tolerance);
    EXPECT_NEAR(k.value("s", pose), s, tolerance);
    EXPECT_NEAR(std::remainder(k.value("theta2", pose) - theta2, 2 * std::numbers::pi), 0,
                tolerance);
  };
  expect(arm[0], 0.984859887, 0.5934120506, 0.984859887, 1e-8);
  expect(arm[1], 1.459190760, 0.5934120506, 1.459190760 - std::numbers::pi, 1e-8);
  expect(extension[0], 1.2220253232, 0.1089399821, -0.3487710036, 1e-8);
  expect(extension[1], 1.2220253232, 1.2089399821, 2.7928216500, 1e-8);
}

}  // namespace
}  // namespace daedal::analysis::test
