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

const char* const arm = R"(model arm
coordinate a = 0.3 [rad], b = 0.8 [rad]
let tip = [cos(a) + cos(a + b), sin(a) + sin(a + b)]
kinetic m*dot(tip', tip')/2 + a'^2/2
potential tip[2] + k*a^2/2 + k*b^2/2
dissipation (a'^2 + b'^2)/2
parameter k = 5, m = 1
input u, w
force u on a; force w on b
output p = tip
)";

TEST(ReportOption, every_question_of_analyse_has_a_page) {
  const Folder folder;
  folder.write("arm.daedal", arm);
  const std::pair<const char*, const char*> questions[] = {
      {"--continue k=5:3", "Equilibria over k from 5 to 3"},
      {"--locus k=3:5:3", "over k from 3 to 5"},
      {"--map k=3:5:2,m=1:2:2", "m over k: "},
      {"--sensitivity k", "change with 1 parameter"},
      {"--pose p[1]=1.2,p[2]=0.9 --branches", "2 different poses have these values"},
      {"--path a=0.3:0.5,b=0.8:-0.8", "something turns or is singular at 1 of them"},
      {"--box p[1]=-2:2:9,p[2]=-2:2:9", "poses are within reach"},
      {"--at start", "Linearised at the start values"},
      {"--along 0:1:3", "Linearised at 3 times of the motion"},
      {"--normal-form none", "relative degree 2 of p[1], 2 of p[2]"},
      {"--zero-dynamics 1", "what moves while the outputs are held"},
      {"--lyapunov quadratic", "The quadratic Lyapunov function decreases"},
      {"--linear-motion 1 --disturb a=0.01", "differ most in"},
      {"--reduce 2", "4 states to 2 by balanced truncation"},
      {"--response 1:10:3", "frequency [rad/s]"},
      {"--vary k=3:5", "from k = 3 to k = 5"},
  };
  for (const auto& [question, says] : questions) {
    std::filesystem::remove(folder.path("out.html"));
    const Answer answer =
        folder.run(std::string("analyse arm.daedal --report out.html ") + question);
    EXPECT_EQ(answer.code, 0) << question << answer.err;
    EXPECT_THAT(answer.out, HasSubstr("report   out.html: ")) << question;
    const std::string page = folder.read("out.html");
    EXPECT_TRUE(contains(page, "<h1>arm</h1>")) << question;
    EXPECT_TRUE(contains(page, says)) << question;
  }
}

TEST(ReportOption, an_inversion_that_is_refused_has_a_page_with_zeros_and_ways_out) {
  // x is held: y'' = 4 y, zeros +-2
  const Folder folder;
  folder.write("m.daedal",
               "model forever\ncoordinate x, y\nkinetic x'^2/2 + y'^2/2\npotential -2*y^2 + "
               "x*y\ninput u\nforce u on x\nservo x = sin(t) + sin(sqrt(2)*t)\n");
  const Answer answer = folder.run("invert m.daedal --report out.html");
  EXPECT_EQ(answer.code, 2);
  EXPECT_THAT(answer.err, HasSubstr("neither begins and ends nor repeats"));
  const std::string page = folder.read("out.html");
  EXPECT_TRUE(contains(page, "<p class=\"verdict bad\">Model &#39;forever&#39;: its desired"));
  EXPECT_TRUE(contains(page, "unstable zero 2 1/s, other zero -2 1/s"));
  EXPECT_TRUE(contains(page, "<dt>ways out</dt>"));
  EXPECT_TRUE(contains(page, "<caption>Zeros</caption>"));
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

TEST(PlotOption, the_name_of_a_constraint_shows_its_force) {
  const Folder folder;
  folder.write("m.daedal",
               "model m\ncoordinate x = 1 [m], y = 0 [m]\nkinetic (x'^2 + y'^2)/2\n"
               "potential 9.81*y\nconstraint pin: [x, y] = [1, 0]\n");
  for (const char* name : {"pin", "pin.force"}) {
    const Answer answer = folder.run(std::string("simulate m.daedal --until 1 --plot ") + name);
    ASSERT_EQ(answer.code, 0) << answer.err;
    EXPECT_THAT(answer.out, testing::ContainsRegex("  plot     pin.1..force  .*  0 to 0 N\n"));
    EXPECT_THAT(answer.out, testing::ContainsRegex("  pin.2..force  .*  -9.81 to -9.81 N\n"));
  }
  const Answer wrong = folder.run("simulate m.daedal --until 1 --plot pinn");
  EXPECT_THAT(wrong.err, HasSubstr("help: did you mean 'pin"));
}

TEST(PlotOption, an_unknown_name_is_bad_input_before_the_run) {
  const Folder folder;
  const Answer answer = folder.run("simulate '" + models + "cable_robot' --until 1e7 --plot x_TT");
  EXPECT_EQ(answer.code, 2);
  EXPECT_THAT(answer.err,
              HasSubstr("--plot x_TT: model 'cable_robot' has no quantity of that name"));
  EXPECT_THAT(answer.err, HasSubstr("help: did you mean 'x_T'?"));
}

}  // namespace
}  // namespace daedal::test
