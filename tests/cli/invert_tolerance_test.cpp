// daedal invert says in words, in JSON and in its exit code when the result misses the desired motion.
#include "program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace daedal::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

const std::string balance = R"(model balance "a pole on a car"
coordinate x, a "angle of the pole"
let P = [x + sin(a), cos(a)]
kinetic   x'^2/2 + dot(P', P')/2
potential 4*P[2]
input u
force u on x
servo x = )";

TEST(InvertTolerance, that_is_missed_is_a_warning_a_status_and_exit_code_1) {
  const Folder folder;
  folder.write("balance.daedal", balance + "rest_to_rest(t, smoothness = 4)\n");
  const std::string coarse =
      "invert balance.daedal --verify off --method 'collocation(intervals = 60)'";
  const Answer words = folder.run(coarse), json = folder.run(coarse + " --json");
  EXPECT_EQ(words.code, 1);
  EXPECT_EQ(json.code, 1);
  EXPECT_THAT(words.err, HasSubstr("is above the tolerance 1e-08 on "));
  EXPECT_THAT(words.out, HasSubstr("estimated, relative; tolerance 1e-08"));
  EXPECT_THAT(json.out, AllOf(HasSubstr("\"solved\": false"), HasSubstr("\"tolerance\": 1e-08"),
                              HasSubstr("is above the tolerance")));
}

TEST(InvertTolerance, that_is_reached_is_exit_code_0) {
  const Folder folder;
  folder.write("balance.daedal", balance + "rest_to_rest(t, smoothness = 4)\n");
  const Answer json = folder.run("invert balance.daedal --json");
  EXPECT_EQ(json.code, 0) << json.err;
  EXPECT_THAT(json.out, HasSubstr("\"solved\": true"));
}

TEST(InvertTolerance, of_rows_too_far_apart_for_their_inputs_is_missed) {
  // between rows 0.2 s apart the inputs are interpolated, and the plant grows with 2.8 1/s
  const Folder folder;
  folder.write("balance.daedal", balance + "rest_to_rest(t, smoothness = 4)\n");
  const Answer answer = folder.run("invert balance.daedal --every 0.2");
  EXPECT_EQ(answer.code, 1);
  EXPECT_THAT(answer.err, AllOf(HasSubstr("the forward run leaves the motion by"),
                                HasSubstr("a smaller --every makes more of them")));
}

TEST(InvertTolerance, sparse_rows_of_a_flat_inverse_are_right_and_the_forward_run_says_how_sparse) {
  // the rows are exact; between them inputs are interpolated, which a thousandth and a tenth of the turn distinguish
  const Folder folder;
  const std::string disks =
      "invert " DAEDAL_SOURCE_DIR "/models/torsional_oscillator -p N=4 --every ";
  const Answer sparse = folder.run(disks + "0.25"), far_apart = folder.run(disks + "2");
  EXPECT_EQ(sparse.code, 0);
  EXPECT_EQ(far_apart.code, 1);
  for (const Answer* answer : {&sparse, &far_apart})
    EXPECT_THAT(answer->err, HasSubstr("the forward run leaves the motion by"));
  EXPECT_EQ(folder.run(disks + "0.01").err, "");
}

TEST(InvertPeriodic, motions_have_inputs_that_repeat) {
  const Folder folder;
  folder.write("balance.daedal", balance + "sin(2*t)/2\n");
  const Answer one = folder.run("invert balance.daedal");
  EXPECT_EQ(one.code, 0) << one.err;
  EXPECT_THAT(one.out,
              HasSubstr("  period   3.141592654 s: the motion repeats, and so do the inputs\n"));
  const Answer three = folder.run("invert balance.daedal --until 10 --every 0.01 --json");
  EXPECT_EQ(three.code, 0) << three.err;
  EXPECT_THAT(three.out, HasSubstr("\"period\": 3.14159265358979"));
}

}  // namespace
}  // namespace daedal::test
