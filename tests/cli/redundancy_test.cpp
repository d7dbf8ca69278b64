// Redundant constraints of closed loops, as check, explain, analyse and simulate name them.
#include "program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace daedal::test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string loop = R"(model loop
part b1 = spatial_body(mass = 1, inertia = [0.1, 0.1, 0.1], position = [0, 0.5, 0], gravity = [0, -9.81, 0])
part b2 = spatial_body(mass = 1, inertia = [0.1, 0.1, 0.1], position = [0.6, 1, 0], gravity = [0, -9.81, 0])
part b3 = spatial_body(mass = 1, inertia = [0.1, 0.1, 0.1], position = [1.2, 0.5, 0], gravity = [0, -9.81, 0])
part j1 = revolute(b = b1, point_b = [0, -0.5, 0])
part j2 = revolute(a = b1, b = b2, point_a = [0, 0.5, 0], point_b = [-0.6, 0, 0])
part j3 = revolute(a = b2, b = b3, point_a = [0.6, 0, 0], point_b = [0, 0.5, 0])
part j4 = revolute(b = b3, point_a = [1.2, 0, 0], point_b = [0, -0.5, 0])
output angle = j1.angle [rad]
)";

// Bricard's mechanism, six hinges in a ring: 35 coordinates less 35 constraints leave nothing, and yet it moves.
const std::string bricard = R"(model bricard
part b1 = spatial_body(mass = 1, inertia = [1, 2, 2], position = [0.5, 0, 0])
part b2 = spatial_body(mass = 1, inertia = [2, 1, 2], position = [1, -0.5, 0])
part b3 = spatial_body(mass = 1, inertia = [2, 2, 1], position = [1, -1, 0.5])
part b4 = spatial_body(mass = 1, inertia = [1, 2, 2], position = [0.5, -1, 1])
part b5 = spatial_body(mass = 1, inertia = [2, 1, 2], position = [0, -0.5, 1])
part j1 = revolute(b = b1, axis_a = [0, 1, 0], point_b = [-0.5, 0, 0])
part j2 = revolute(a = b1, b = b2, axis_a = [0, 0, 1], point_a = [0.5, 0, 0], point_b = [0, 0.5, 0])
part j3 = revolute(a = b2, b = b3, axis_a = [1, 0, 0], point_a = [0, -0.5, 0], point_b = [0, 0, -0.5])
part j4 = revolute(a = b3, b = b4, axis_a = [0, 1, 0], point_a = [0, 0, 0.5], point_b = [0.5, 0, 0])
part j5 = revolute(a = b4, b = b5, axis_a = [0, 0, 1], point_a = [-0.5, 0, 0], point_b = [0, -0.5, 0])
part j6 = revolute(b = b5, axis_a = [1, 0, 0], point_a = [0, 0, 1], point_b = [0, 0.5, 0])
)";

const std::string named =
    "m.daedal:8:11: error: model 'loop': 3 constraints of 'j4' are redundant: point[3], axis[1..2]";
const std::string to_paste =
    "  help: write instead of line 8, with 3 equations less and the same motion:\n"
    "      part j4 = revolute(b = b3, point_a = [1.2, 0, 0], point_b = [0, -0.5, 0], planar = 1)\n"
    "    or keep them with  redundant_constraints = least_norm\n";

TEST(RedundantLoops, are_named_by_every_command_with_a_joint_to_paste) {
  const Folder folder;
  folder.write("m.daedal", loop);
  for (const char* command : {"check m.daedal", "explain m.daedal", "analyse m.daedal",
                              "simulate m.daedal --until 0.1"}) {
    SCOPED_TRACE(command);
    const Answer answer = folder.run(command);
    EXPECT_EQ(answer.code, 2);
    EXPECT_THAT(answer.err, HasSubstr(named));
    EXPECT_THAT(answer.err, HasSubstr("  they follow from 'j1.point[3]', 'j1.axis[1..2]' (line 5), "
                                      "'j2.point[3]', 'j2.axis[1..2]' (line 6), 'j3.point[3]' and "
                                      "'j3.axis[1..2]' (line 7)\n"));
    EXPECT_THAT(answer.err, HasSubstr(to_paste));
  }
}

TEST(RedundantLoops, are_counted_without_what_is_left_out) {
  const Folder folder;
  folder.write("m.daedal", loop);
  folder.write("bricard.daedal", bricard);
  const Answer four_bar = folder.run("check m.daedal --redundant least_norm");
  EXPECT_EQ(four_bar.code, 0) << four_bar.err;
  EXPECT_THAT(four_bar.err, HasSubstr("warning: model 'loop': 3 constraints of 'j4'"));
  EXPECT_THAT(four_bar.out, HasSubstr("21 coordinates, 23 constraints (3 redundant), 1 output; "
                                      "index 3, 2 free initial values\n"));
  for (const char* command : {"check", "explain"}) {
    const Answer answer =
        folder.run(std::string(command) + " bricard.daedal --redundant least_norm --json");
    EXPECT_EQ(answer.code, 0) << answer.err;
    const json counts = json::parse(answer.out);
    EXPECT_EQ(counts["free_initial_values"], 2);
    EXPECT_EQ(counts["redundant_constraints"].size(), 1u);
  }
  const Answer refused = folder.run("check bricard.daedal");
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, HasSubstr("it follows from 34 others:\n    b1 (line 2): unit\n"));
  EXPECT_THAT(refused.err, HasSubstr("    j1 (line 7): point[1..3], axis[1..2]\n"));
}

// The parallelogram is upright: one degree of freedom, two poles, and the same ones with the joint that is proposed.
TEST(RedundantLoops, are_analysed_as_the_loop_with_the_joint_that_is_proposed) {
  const Folder folder;
  folder.write("m.daedal", loop);
  const std::size_t end = loop.find(")\noutput");
  folder.write("cut.daedal", loop.substr(0, end) + ", planar = 1" + loop.substr(end));
  const Answer shared = folder.run("analyse m.daedal --redundant least_norm --json"),
               cut = folder.run("analyse cut.daedal --json");
  ASSERT_EQ(shared.code, 0) << shared.err;
  ASSERT_EQ(cut.code, 0) << cut.err;
  const json a = json::parse(shared.out)["poles"]["clusters"],
             b = json::parse(cut.out)["poles"]["clusters"];
  ASSERT_EQ(a.size(), 2u) << shared.out;
  ASSERT_EQ(b.size(), 2u);
  for (std::size_t k = 0; k < 2; ++k)
    for (const char* part : {"real", "imaginary"})
      EXPECT_NEAR(a[k][part].get<double>(), b[k][part].get<double>(), 1e-9);  // 1e-16 times cond(E)
}

TEST(RedundantLoops, an_output_of_a_shared_reaction_is_not_analysed) {
  const Folder folder;
  folder.write("m.daedal",
               loop + "input u\ntorque u about j1.angle\noutput f = j4.axis[1].force\n");
  const Answer answer = folder.run("analyse m.daedal --redundant least_norm --output f");
  EXPECT_EQ(answer.code, 2);
  EXPECT_THAT(answer.err, HasSubstr("output 'f' contains the multiplier of 'j4.axis[1]', which the "
                                    "equations do not determine"));
  EXPECT_EQ(folder.run("analyse m.daedal --redundant least_norm --output angle").code, 0);
}

TEST(RedundantLoops, without_a_start_the_count_says_so) {
  const Folder folder;
  folder.write("m.daedal",
               "model m\ncoordinate x = 1, y = 1\nkinetic (x'^2 + y'^2)/2\n"
               "constraint rod: x^2 + y^2 = -1\n");
  const Answer answer = folder.run("check m.daedal");
  EXPECT_EQ(answer.code, 0);
  EXPECT_THAT(answer.err,
              HasSubstr("warning: model 'm': whether constraints are redundant was not examined, "
                        "since no start was found\n"));
  EXPECT_THAT(answer.err, HasSubstr("constraint 'rod' cannot be met at the start"));
  EXPECT_THAT(answer.out, HasSubstr("2 free initial values"));
}

}  // namespace
}  // namespace daedal::test
