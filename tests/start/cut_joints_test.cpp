// Proposals for joints of closed loops: what is proposed leaves nothing redundant and the same number of freedoms.

#include "daedal/start/cut_joints.hpp"

#include "daedal/elaborate/elaborate.hpp"
#include "daedal/start/prepare.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace daedal::solve::testing {
namespace {

using ::testing::HasSubstr;

std::vector<CutJoint> proposed(const std::string& text) {
  return cut_joints(model::load_text(text, "m.daedal"), {});
}

Prepared prepared(const std::string& text, const PrepareOptions& options = {}) {
  return prepare(
      std::make_shared<const derive::Dae>(derive::derive(std::make_shared<const model::Model>(
          model::elaborate(model::load_text(text, "m.daedal"))))),
      {}, options);
}

/// The text with the lines that are proposed.
std::string replaced(const std::string& text, const std::vector<CutJoint>& joints) {
  std::string result;
  std::size_t line = 1;
  for (std::size_t at = 0; at < text.size(); ++line) {
    const std::size_t end = text.find('\n', at);
    std::string own = text.substr(at, end - at);
    for (const CutJoint& joint : joints)
      if (joint.place.line == line) own = joint.text;
    result += own + "\n";
    at = end + 1;
  }
  return result;
}

int freedoms(const Prepared& p) { return p.problem.structure.degrees_of_freedom; }

/// Nothing is redundant any more, and as many initial values are free.
void expect_cured(const std::string& text, const std::vector<CutJoint>& joints) {
  const Prepared before =
      prepared(text, {.redundant_constraints = RedundantConstraints::least_norm});
  const Prepared after = prepared(replaced(text, joints));
  EXPECT_EQ(freedoms(after), freedoms(before));
  EXPECT_TRUE(after.dae->left_out.constraints.empty());
}

const std::string loop = R"(model loop
part b1 = spatial_body(mass = 1, inertia = [0.1, 0.1, 0.1], position = [0, 0.5, 0])
part b2 = spatial_body(mass = 1, inertia = [0.1, 0.1, 0.1], position = [0.6, 1, 0])
part b3 = spatial_body(mass = 1, inertia = [0.1, 0.1, 0.1], position = [1.2, 0.5, 0])
part j1 = revolute(b = b1, point_b = [0, -0.5, 0])
part j2 = revolute(a = b1, b = b2, point_a = [0, 0.5, 0], point_b = [-0.6, 0, 0])
part j3 = revolute(a = b2, b = b3, point_a = [0.6, 0, 0], point_b = [0, 0.5, 0])
part j4 = revolute(b = b3, point_a = [1.2, 0, 0], point_b = [0, -0.5, 0])
)";

TEST(CutJoints, a_planar_loop_in_space_is_closed_by_two_equations) {
  const std::vector<CutJoint> joints = proposed(loop);
  ASSERT_EQ(joints.size(), 1u);
  EXPECT_EQ(joints[0].part, "j4");
  EXPECT_EQ(joints[0].place.line, 8u);
  EXPECT_EQ(joints[0].equations_less, 3);
  EXPECT_EQ(
      joints[0].text,
      "part j4 = revolute(b = b3, point_a = [1.2, 0, 0], point_b = [0, -0.5, 0], planar = 1)");
  expect_cured(loop, joints);
}

TEST(CutJoints, two_planar_loops_are_closed_one_after_the_other) {
  const std::string two =
      loop + R"(part b4 = spatial_body(mass = 1, inertia = [0.1, 0.1, 0.1], position = [1.8, 1, 0])
part b5 = spatial_body(mass = 1, inertia = [0.1, 0.1, 0.1], position = [2.4, 0.5, 0])
part j5 = revolute(a = b3, b = b4, point_a = [0, 0.5, 0], point_b = [-0.6, 0, 0])
part j6 = revolute(a = b4, b = b5, point_a = [0.6, 0, 0], point_b = [0, 0.5, 0])
part j7 = revolute(b = b5, point_a = [2.4, 0, 0], point_b = [0, -0.5, 0])
)";
  const std::vector<CutJoint> joints = proposed(two);
  ASSERT_EQ(joints.size(), 2u);
  for (const CutJoint& joint : joints) {
    EXPECT_EQ(joint.equations_less, 3);
    EXPECT_THAT(joint.text, HasSubstr("planar = 1"));
  }
  expect_cured(two, joints);
}

// A door on two hinges: the second holds nothing that the first does not.
TEST(CutJoints, a_second_hinge_can_go) {
  const std::vector<CutJoint> joints = proposed(R"(model door
part leaf = spatial_body(mass = 20, inertia = [7, 8, 1.1], position = [0.4, 0, 0])
part lower = revolute(b = leaf, point_a = [0, 0, -0.5], point_b = [-0.4, 0, -0.5])
part upper = revolute(b = leaf, point_a = [0, 0, 0.5], point_b = [-0.4, 0, 0.5])
)");
  ASSERT_EQ(joints.size(), 1u);
  EXPECT_EQ(joints[0].part, "upper");
  EXPECT_EQ(joints[0].text, "");
  EXPECT_EQ(joints[0].equations_less, 5);
}

// Something hangs on the hinge: it stays, without the equations that the other has.
TEST(CutJoints, a_joint_that_is_used_stays) {
  const std::string door = R"(model door
part leaf = spatial_body(mass = 20, inertia = [7, 8, 1.1], position = [0.4, 0, 0])
part lower = revolute(b = leaf, point_a = [0, 0, -0.5], point_b = [-0.4, 0, -0.5])
part upper = revolute(b = leaf, point_a = [0, 0, 0.5], point_b = [-0.4, 0, 0.5])
potential upper.angle^2
)";
  const std::vector<CutJoint> joints = proposed(door);
  int less = 0;
  for (const CutJoint& joint : joints) {
    less += joint.equations_less;
    EXPECT_FALSE(joint.part == "upper" && joint.text.empty());
  }
  EXPECT_EQ(less, 5);
  expect_cured(door, joints);
}

// The bearing, which the message names, cannot give up all four; the screw can.
TEST(CutJoints, a_screw_between_guided_bodies_keeps_its_thread_alone) {
  const std::string screw = R"(model lead_screw
part table = spatial_body(mass = 20, inertia = [1, 1, 1])
part spindle = spatial_body(mass = 2, inertia = [0.05, 0.05, 1e-3])
part guide = prismatic(b = table)
part thread = screw(a = table, b = spindle, pitch = 0.01)
part bearing = revolute(b = spindle)
)";
  const std::vector<CutJoint> joints = proposed(screw);
  ASSERT_EQ(joints.size(), 1u);
  EXPECT_EQ(joints[0].equations_less, 4);
  EXPECT_EQ(joints[0].text,
            "part thread = screw(a = table, b = spindle, pitch = 0.01, guided = 1)");
  expect_cured(screw, joints);
}

// Three wheels in a ring whose ratios agree: the last follows from the others.
TEST(CutJoints, the_last_gear_of_a_ring_can_go) {
  const std::vector<CutJoint> joints = proposed(R"(model ring
part w[k in 1..3] = planar_body(mass = 1, inertia = 0.1)
part pin[k in 1..3] = revolute(b = w[k])
part first = gear(a = w[1].phi, b = w[2].phi, ratio = -2)
part second = gear(a = w[2].phi, b = w[3].phi, ratio = -1.5)
part third = gear(a = w[1].phi, b = w[3].phi, ratio = 3)
)");
  ASSERT_EQ(joints.size(), 1u);
  EXPECT_EQ(joints[0].part, "third");
  EXPECT_EQ(joints[0].text, "");
  EXPECT_EQ(joints[0].equations_less, 1);
}

TEST(CutJoints, nothing_is_proposed_where_nothing_is_redundant_or_no_joint_helps) {
  EXPECT_TRUE(proposed("model m\npart b = spatial_body(mass = 1, inertia = [1, 1, 1])\n"
                       "part j = revolute(b = b)\n")
                  .empty());
  EXPECT_TRUE(proposed("model pair\ncoordinate x = 1, y = 1\nkinetic (x'^2 + y'^2)/2\n"
                       "constraint first: x = 1\nconstraint second: x + x = 2\n")
                  .empty());
}

}  // namespace
}  // namespace daedal::solve::testing
