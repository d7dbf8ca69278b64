// Start values that moved are reported: in words, in JSON, and by what an inversion does from the model's own start.
#include "program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>

namespace daedal::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::string elastic_joint = R"(model flex
coordinate q = 1, m = 0
input u
kinetic q'^2/2 + m'^2/2
potential 50*(q - m)^2
torque u about m
output z = q
servo z = 1 + rest_to_rest(t/2, smoothness = 6)
)";

// Relative to the desired motion, e = q - q_d and d = (q - m) - (q - m)_d obey d'' = -200 d and (2 e - d)'' = 0; from m = 0
// instead of 1, e = (cos(sqrt(200) t) - 1)/2 reaches -1.
TEST(StartValues, an_inversion_shows_what_its_inputs_do_from_the_models_own_start) {
  const Folder folder;
  folder.write("flex.daedal", elastic_joint);
  const Answer words = folder.run("invert flex.daedal");
  EXPECT_EQ(words.code, 0) << words.err;
  EXPECT_THAT(words.err, HasSubstr("flex.daedal:2:19: warning: model 'flex': m starts at 1 instead "
                                   "of 0, which 'motion of q' (line 2) forbids"));
  EXPECT_THAT(words.out,
              HasSubstr("  start    1 value moved to satisfy the constraints, 1 of them stated:\n"
                        "             m 0 -> 1\n"));
  EXPECT_THAT(words.out, HasSubstr("\n           1.0e+00 from the model's own start values, "
                                   "radau5  (servo1 at t = 0.222 s)\n"));
  const nlohmann::json json = nlohmann::json::parse(folder.run("invert flex.daedal --json").out);
  const auto largest = [&](const char* run) {
    return json[run]["forward"]["tracking"]["servo1"]["largest"].get<double>();
  };
  EXPECT_LE(largest("verification"), 1e-9);             // the tolerance of its run times a hundred
  const double between_rows = 200 * 0.001 * 0.001 / 4;  // 1 - cos of half a row
  // and the tolerance of the run, added up
  EXPECT_NEAR(largest("verification_from_own_start"), 1, between_rows + 1e-6);
}

TEST(StartValues, an_inversion_that_begins_where_the_model_does_says_nothing_of_it) {
  const Folder folder;
  std::string text = elastic_joint;
  text.replace(text.find("m = 0"), 5, "m = 1");
  folder.write("flex.daedal", text);
  const Answer answer = folder.run("invert flex.daedal");
  EXPECT_THAT(answer.out, Not(HasSubstr("  start ")));
  EXPECT_THAT(answer.out, Not(HasSubstr("own start")));
  EXPECT_EQ(answer.err, "");
}

TEST(StartValues, json_says_what_moved_what_of_it_is_stated_and_why) {
  const Folder folder;
  folder.write("rope.daedal", R"(model rope
coordinate x1, x2, x3
kinetic 3/2*x1'^2 + x2'^2/2 + x3'^2/2
constraint tie: x1 = x2
constraint weld: x2 = x3
initial x1' = 2, x2' = -1
)");
  const nlohmann::json json =
      nlohmann::json::parse(folder.run("simulate rope.daedal --until 0.1 --json").out);
  std::string moves;
  for (const nlohmann::json& move : json["start_moves"])
    moves += move["name"].get<std::string>() + (move["stated"].get<bool>() ? " stated, " : ", ");
  EXPECT_EQ(moves, "x1' stated, x2' stated, x3', ");
  ASSERT_EQ(json["warnings"].size(), 1u);
  EXPECT_EQ(json["warnings"][0], "model 'rope': 'tie' (line 4) forbids 2 stated start values");
}

TEST(StartValues, the_page_of_a_run_whose_start_moved_is_not_green) {
  const Folder folder;
  folder.write("rope.daedal", R"(model rope
coordinate x1, x2
kinetic x1'^2/2 + x2'^2/2
constraint tie: x1 = x2
initial x1' = 2, x2' = -1
)");
  EXPECT_EQ(folder.run("simulate rope.daedal --until 0.1 --report page.html --quiet").code, 0);
  const std::string page = folder.read("page.html");
  EXPECT_THAT(page, HasSubstr("<p class=\"verdict doubtful\">"));
  EXPECT_THAT(page, HasSubstr("forbids 2 stated start values"));
}

TEST(StartValues, an_element_argument_from_the_command_line_is_stated) {
  const Folder folder;
  folder.write("crank.daedal", R"(model crank_on_axle
part crank = planar_body(mass = 1, inertia = 0.01, position = [0.1, 0])
part axle  = revolute(b = crank, point_b = [-0.1, 0])
)");
  const Answer answer =
      folder.run("simulate crank.daedal -p crank.angular_velocity=10 --until 0.1");
  EXPECT_EQ(answer.code, 0) << answer.err;
  EXPECT_THAT(answer.out, HasSubstr("  start    1 value moved to satisfy the constraints:\n"
                                    "             crank.r[2]' 0 -> 1\n"));
}

}  // namespace
}  // namespace daedal::test
