// --report and --plot, as a user meets them.
#include "program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace daedal::test {
namespace {

using testing::HasSubstr;
using testing::Not;

/// Pages are too large to be shown when they fail.
bool contains(const std::string& page, const std::string& text) {
  return page.find(text) != std::string::npos;
}

const std::string models = DAEDAL_SOURCE_DIR "/models/";

TEST(ReportOption, every_command_that_answers_writes_a_page) {
  const Folder folder;
  for (const char* command :
       {"simulate", "analyse", "invert", "run",
        "compare --methods rk45 --formulations projection --tolerances 1e-6 --until 1"}) {
    std::filesystem::remove(folder.path("out.html"));
    const Answer answer =
        folder.run(std::string(command) + " '" + models + "cable_robot' --report out.html");
    EXPECT_EQ(answer.code, 0) << command << answer.err;
    EXPECT_THAT(answer.out, HasSubstr("report   out.html: ")) << command;
    const std::string page = folder.read("out.html");
    EXPECT_TRUE(contains(page, "<h1>cable_robot")) << command;
    EXPECT_TRUE(contains(page, "class=\"verdict")) << command;
    EXPECT_TRUE(contains(page, "drive     x_T by u_T velocity(lag = tau_T)")) << command;
    EXPECT_TRUE(contains(page, "/cable_robot --report out.html</pre>")) << command;
    EXPECT_LT(page.size(), 1'500'000U);
  }
}

TEST(ReportOption, the_cable_robot_is_flat_of_index_5_and_followed_to_rounding) {
  const Folder folder;
  ASSERT_EQ(folder.run("invert '" + models + "cable_robot' --report out.html").code, 0);
  const std::string page = folder.read("out.html");
  EXPECT_TRUE(contains(page, "Differentially flat, index 5: the inputs follow"));
  const std::size_t begin = page.find("class=\"verdict");
  EXPECT_THAT(page.substr(begin, page.find("</p>", begin) - begin),
              testing::ContainsRegex("follows the desired motion to [0-9.]+e-1[2-6]\\."));
}

TEST(ReportOption, several_experiments_have_a_page_each) {
  const Folder folder;
  const std::string file = folder.write(
      "m.daedal",
      "model m\ncoordinate x = 1\nkinetic x'^2/2\npotential x^2/2\nexperiment one: simulate(until "
      "= 1)\nexperiment two: simulate(until = 2)\n");
  ASSERT_EQ(folder.run("run m.daedal --report out.html").code, 0);
  EXPECT_TRUE(contains(folder.read("out-one.html"), "<h1>m.one</h1>"));
  EXPECT_TRUE(contains(folder.read("out-two.html"), "<h1>m.two</h1>"));
}

TEST(ReportOption, a_page_that_cannot_be_written_is_told_before_the_run) {
  const Folder folder;
  const Answer answer =
      folder.run("simulate '" + models + "fourbar' --until 1e7 --report nowhere/out.html");
  EXPECT_EQ(answer.code, 1);
  EXPECT_THAT(answer.err, HasSubstr("cannot write 'nowhere/out.html'"));
}

TEST(ReportOption, a_run_that_stops_early_has_a_page_that_says_why) {
  const Folder folder;
  folder.write("m.daedal", "model blow_up\nvariable x = 1\nequation growth: x' = x^2\n");
  const Answer answer = folder.run("simulate m.daedal --until 2 --report out.html");
  EXPECT_EQ(answer.code, 1);
  EXPECT_TRUE(contains(folder.read("out.html"), "<p class=\"verdict bad\">stopped at t = 1"));
}

TEST(ReportOption, standard_output_stays_what_was_asked_for) {
  const Folder folder;
  const Answer answer =
      folder.run("simulate '" + models + "pendulum' --until 1 --csv - --report out.html");
  EXPECT_THAT(answer.out, testing::StartsWith("t,"));
  EXPECT_THAT(answer.out, Not(HasSubstr("report")));
  EXPECT_THAT(
      folder.run("simulate '" + models + "pendulum' --until 1 --json --report out.html").out,
      testing::EndsWith("}\n"));
}

TEST(PlotOption, a_column_becomes_a_line_between_its_extremes) {
  const Folder folder;
  folder.write(
      "m.daedal",
      "model m\ncoordinate x = 1 [m]\nkinetic x'^2/2\npotential x^2/2\noutput z = [x, 2*x]\n");
  const Answer answer = folder.run("simulate m.daedal --until 3.141592653589793 --plot x --plot z");
  ASSERT_EQ(answer.code, 0) << answer.err;
  // half a period: from the top to the bottom
  EXPECT_THAT(answer.out, testing::ContainsRegex("  plot     x     █[^\n]*▄[^\n]*▁  -1 to 1 m\n"));
  EXPECT_THAT(answer.out, testing::ContainsRegex("           z.2.  █[^\n]*▁  -2 to 2\n"));
}

TEST(PlotOption, an_unknown_name_is_bad_input_before_the_run) {
  const Folder folder;
  const Answer answer = folder.run("simulate '" + models + "cable_robot' --until 1e7 --plot x_TT");
  EXPECT_EQ(answer.code, 2);
  EXPECT_THAT(answer.err, HasSubstr("--plot x_TT: model 'cable_robot' has nothing of that name"));
  EXPECT_THAT(answer.err, HasSubstr("help: did you mean 'x_T'?"));
}

}  // namespace
}  // namespace daedal::test
