// Motions that cannot be made: what stops them, when and where, in the user's names.
#include "program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace daedal::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

Answer invert(const std::string& text, const std::string& options = "") {
  const Folder folder;
  folder.write("m.daedal", text);
  return folder.run("invert m.daedal " + options);
}

const char* const two_links = R"(model arm
coordinate a = 0.6, b = 1.2
let tip = [cos(a) + cos(b), sin(a) + sin(b)]
kinetic a'^2/2 + b'^2/2
input u, w
force u on a; force w on b
servo reach: tip = [cos(0.6) + cos(1.2) + 1.2*rest_to_rest(t, smoothness = 4), sin(0.6) + sin(1.2)]
)";

const char* const rod_too_short = R"(model rail
coordinate x = 1, y = 0
kinetic x'^2/2 + y'^2/2
constraint rod: x^2 + y^2 = 1
input u
force u on y
servo climb: y = 2*rest_to_rest(t/2, smoothness = 4)
)";

TEST(InvertBadInput, fewer_servos_than_inputs) {
  const Answer answer = invert(
      "model m\ncoordinate x, y\nkinetic x'^2 + y'^2\ninput u, w\nforce u on x; force w on y\n"
      "servo x = sin(t)\n");
  EXPECT_EQ(answer.code, 2);
  EXPECT_THAT(answer.err, AllOf(HasSubstr("m.daedal:4:10: error: model 'm' has 1 servo-constraint "
                                          "for 2 inputs, so it cannot be inverted"),
                                HasSubstr("prescribe one more motion")));
}

TEST(InvertBadInput, motion_that_a_constraint_forbids_everywhere) {
  const Answer answer = invert(
      "model m\ncoordinate x, y\nkinetic x'^2 + y'^2\nconstraint rail: x = 0\ninput u\nforce u on "
      "y\n"
      "servo x = rest_to_rest(t, smoothness = 4)\n");
  EXPECT_EQ(answer.code, 2);
  EXPECT_THAT(answer.err, HasSubstr("2 equations ('rail', 'servo1') contain 1 unknown only ('x')"));
}

TEST(InvertBadInput, servos_that_contradict_each_other) {
  const Answer answer = invert(
      "model m\ncoordinate x, y\nkinetic x'^2 + y'^2\ninput u, w\nforce u on x; force w on y\n"
      "servo x = sin(t)\nservo 2*x = cos(t)\n");
  EXPECT_EQ(answer.code, 2);
  EXPECT_THAT(answer.err,
              HasSubstr("2 equations ('servo1', 'servo2') contain 1 unknown only ('x')"));
}

TEST(InvertBadInput, motion_out_of_reach_is_told_with_its_time_and_what_stops_it) {
  // the tip is 2 from the base when cos(0.6) + cos(1.2) + 1.2 s = sqrt(4 - (sin(0.6) + sin(1.2))^2): t = 0.3132 s
  const Answer answer = invert(two_links);
  EXPECT_EQ(answer.code, 1);
  EXPECT_THAT(answer.err, AllOf(HasSubstr("arm: stopped at t = 0.313"),
                                HasSubstr("constraint 'reach[2]' depends on 'reach[1]' (line 7)"),
                                HasSubstr("choose a motion that avoids it")));
}

TEST(InvertBadInput, motion_that_a_constraint_stops_on_the_way) {
  const Answer answer = invert(rod_too_short);  // y = 1 is half of the way, at t = 1
  EXPECT_EQ(answer.code, 1);
  EXPECT_THAT(answer.err, AllOf(HasSubstr("rail: stopped at t = 1 s"),
                                HasSubstr("constraint 'climb' depends on 'rod' (line 4)")));
}

TEST(InvertBadInput, steppers_tell_it_too) {
  const Answer reach = invert(two_links, "--method 'bdf(order = 2)' --step 0.01");
  EXPECT_EQ(reach.code, 1);
  EXPECT_THAT(reach.err, AllOf(HasSubstr("arm: stopped at t = 0.31 s"), HasSubstr("of 'reach[")));
  const Answer rod = invert(rod_too_short, "--method radau5 --step 0.01");
  EXPECT_EQ(rod.code, 1);
  EXPECT_THAT(rod.err, AllOf(HasSubstr("rail: stopped at t = "), HasSubstr("singular pose")));
}

TEST(InvertBadInput, a_cable_that_goes_slack_is_told_with_its_time) {
  // m z'' = m g - tension: slack where 6 s''(t) > 9.81, from t = 0.1045 s on
  const std::string winch = R"(model winch
parameter m = 1, g = 9.81
coordinate L = 1, z = 1
kinetic m/2*z'^2
potential -m*g*z
input u
drive L by u velocity(lag = 0.02)
constraint cable: z = L
servo z = 1 + 6*rest_to_rest(t, smoothness = 4)
)";
  const Answer answer = invert(winch);
  EXPECT_EQ(answer.code, 0);
  EXPECT_THAT(answer.out, HasSubstr("changes its sign at t = 0.1045 s"));
  const Answer limited = invert(winch + "limit cable.force in [-1000, 0]\n");
  EXPECT_THAT(limited.err, AllOf(HasSubstr("cable"), HasSubstr("is violated first at t = ")));
}

TEST(InvertBadInput, wrong_formulations_are_refused_by_name) {
  const std::string cart =
      "model m\ncoordinate x\nkinetic x'^2\ninput u\nforce u on x\n"
      "servo x = rest_to_rest(t, smoothness = 4)\n";
  const Answer word = invert(cart, "--method bdf --step 0.01 --formulation projektion");
  EXPECT_EQ(word.code, 2);
  EXPECT_THAT(word.err, HasSubstr("did you mean 'projection'?"));
  const Answer scale =
      invert(cart, "--method bdf --step 0.01 --formulation 'original(scaling = 1.5)'");
  EXPECT_EQ(scale.code, 2);
  EXPECT_THAT(scale.err, HasSubstr("'scaling' is 1.5, it must be a whole number from 0 to 6"));
  const Answer jets = invert(cart, "--formulation projection");
  EXPECT_EQ(jets.code, 2);
  EXPECT_THAT(jets.err, HasSubstr("formulations of inverse models are for methods of fixed step"));
}

TEST(InvertBadInput, formulations_of_stable_inversion_are_for_models_that_need_it) {
  const Answer answer = invert(two_links, "--formulations");
  EXPECT_EQ(answer.code, 2);
  EXPECT_THAT(answer.err, AllOf(HasSubstr("stable inversion is not needed"),
                                HasSubstr("help: leave --formulations out")));
}

// A plant driven by those rows falls: the solution is right at each of them, and says nothing in between.
TEST(InvertBadInput, rows_too_far_apart_to_follow_the_motion_are_told) {
  const Folder folder;
  const std::string model =
      "invert " DAEDAL_SOURCE_DIR "/models/manipulator_2link/manipulator_2link.daedal --every ";
  const Answer near = folder.run(model + "0.02"), far = folder.run(model + "0.2");
  EXPECT_EQ(near.code, 0) << near.err;
  EXPECT_EQ(far.code, 1);
  EXPECT_THAT(far.err, AllOf(HasSubstr("the forward run leaves the motion by "),
                             HasSubstr("a smaller --every")));
}

}  // namespace
}  // namespace daedal::test
