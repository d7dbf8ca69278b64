// daedal analyse: what it answers to machines, and to questions that have no answer.
#include "program.hpp"
#include "support/bounds.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <complex>
#include <cstdio>
#include <sstream>
#include <string>

namespace daedal::test {
namespace {

using testing::HasSubstr;

const std::string oscillator =
    "model oscillator\nparameter m = 2 [kg], k = 8 [N/m], d = 0.4 [N*s/m]\ncoordinate x = 1 [m]\n"
    "kinetic m/2*x'^2\npotential k/2*x^2\ndissipation d/2*x'^2\ninput u = 4 [N], v = 0 [N]\n"
    "force u on x\nforce v on x\noutput z = x\n";

nlohmann::json analysed(const std::string& text, const std::string& options) {
  const Folder folder;
  folder.write("m.daedal", text);
  const Answer answer = folder.run("analyse m.daedal --json " + options);
  EXPECT_EQ(answer.code, 0) << answer.err;
  return nlohmann::json::parse(answer.out);
}

TEST(Analyse, json_holds_equilibrium_poles_and_matrices) {
  const nlohmann::json json = analysed(oscillator, "");
  EXPECT_EQ(json["model"], "oscillator");
  EXPECT_NEAR(json["equilibrium"]["values"]["x"], 0.5, daedal::test::rounding(32, 0.5));
  EXPECT_EQ(json["equilibrium"]["inputs"]["u"], 4);
  EXPECT_EQ(json["equilibrium"]["moved"][0]["name"], "x");
  EXPECT_EQ(json["poles"]["finite"], 2);
  EXPECT_NEAR(json["poles"]["clusters"][0]["real"], -0.1, daedal::test::rounding(100, 8));
  EXPECT_NEAR(json["poles"]["clusters"][0]["imaginary"], std::sqrt(4 - 0.01),
              daedal::test::rounding(100, 8));
  EXPECT_EQ(json["stability"], "asymptotically stable");
  EXPECT_EQ(json["linear"]["variables"], (nlohmann::json{"x", "x'"}));
  EXPECT_EQ(json["linear"]["A"], (nlohmann::json{{-8.0, -0.4}, {0.0, 1.0}}));
  EXPECT_EQ(json["linear"]["B"], (nlohmann::json{{1.0, 1.0}, {0.0, 0.0}}));
  EXPECT_EQ(json["no_zeros_because"],
            "1 output (z) for 2 inputs (u, v): an inverse model has as many outputs as inputs");
}

TEST(Analyse, free_inputs_hold_the_pose) {
  const nlohmann::json json = analysed(oscillator, "--free u");
  EXPECT_EQ(json["equilibrium"]["values"]["x"], 1);
  EXPECT_NEAR(json["equilibrium"]["inputs"]["u"], 8, daedal::test::rounding(100, 8));
  EXPECT_TRUE(json["equilibrium"]["moved"].empty());
}

TEST(Analyse, a_model_without_equilibrium_is_answered_with_no) {
  const Folder folder;
  folder.write("m.daedal",
               "model m\ncoordinate x\nkinetic x'^2/2\npotential 3*x\ninput u\nforce 2*u on x\n");
  const Answer answer = folder.run("analyse m.daedal");
  EXPECT_EQ(answer.code, 1);
  EXPECT_EQ(answer.out, "");
  EXPECT_EQ(answer.err,
            "m.daedal:2:12: error: model 'm': no equilibrium near the start values\n"
            "    coordinate x\n"
            "               ^\n"
            "  largest residual left at rest: 'motion of x', 3\n"
            "  help: give start values nearer to one, or let inputs hold the pose:  --free all\n");
  EXPECT_EQ(folder.run("analyse m.daedal --free u").code, 0);
}

TEST(Analyse, tells_what_inputs_reach_and_outputs_show) {
  // two equal oscillators under one force: their difference is out of reach, and out of sight
  const nlohmann::json json = analysed(
      "model twins\ncoordinate x = 0, y = 0\nkinetic x'^2/2 + y'^2/2\npotential 2*x^2 + 2*y^2\n"
      "input u\nforce u on x\nforce u on y\noutput z = x + y\n",
      "");
  for (const char* of : {"controllability", "observability"}) {
    EXPECT_EQ(json[of]["states"], 4);
    EXPECT_EQ(json[of]["rank"], 2);
    EXPECT_EQ(json[of]["hidden"]["finite"], 2);
    EXPECT_NEAR(std::abs(json[of]["hidden"]["clusters"][0]["imaginary"].get<double>()), 2,
                daedal::test::rounding(100, 8));
  }
}

TEST(Analyse, zeros_of_systems_that_are_not_square) {
  const nlohmann::json json = analysed(oscillator, "");
  EXPECT_EQ(json["system_zeros"]["normal_rank"], 1);
  EXPECT_EQ(json["system_zeros"]["zeros"]["finite"], 0);
}

TEST(Analyse, frequency_response_as_a_table) {
  const Folder folder;
  folder.write("m.daedal", oscillator);
  const Answer answer = folder.run("analyse m.daedal --response 1:100:3 --csv r.csv");
  EXPECT_EQ(answer.code, 0) << answer.err;
  EXPECT_THAT(answer.out, HasSubstr("frequency response, 1 to 100 rad/s"));
  std::istringstream lines(folder.read("r.csv"));
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line,
            "frequency,|z/u|,arg z/u,Re z/u,Im z/u,|z/v|,arg z/v,Re z/v,Im z/v,singular value 1");
  for (const double w : {1.0, 10.0, 100.0}) {
    ASSERT_TRUE(std::getline(lines, line));
    double frequency = 0, gain = 0, phase = 0;
    ASSERT_EQ(std::sscanf(line.c_str(), "%lf,%lf,%lf", &frequency, &gain, &phase), 3);
    EXPECT_NEAR(frequency, w, daedal::test::rounding(100, w));
    EXPECT_NEAR(gain, 1 / std::hypot(8 - 2 * w * w, 0.4 * w), daedal::test::rounding(100));
    EXPECT_NEAR(phase, -std::atan2(0.4 * w, 8 - 2 * w * w) * 180 / M_PI,
                daedal::test::rounding(100, 180));
  }
}

TEST(Analyse, frequency_response_and_nyquist_for_machines) {
  const nlohmann::json json = analysed(oscillator, "--response 1:100:3");
  const nlohmann::json& channel = json["response"]["channels"][0];
  EXPECT_EQ(channel["output"], "z");
  EXPECT_EQ(channel["input"], "u");
  const std::complex<double> exact = 1.0 / std::complex<double>(8 - 2 * 100, 0.4 * 10);
  EXPECT_NEAR(channel["real"][1].get<double>(), exact.real(), daedal::test::rounding(8));
  EXPECT_NEAR(channel["imaginary"][1].get<double>(), exact.imag(), daedal::test::rounding(8));
  EXPECT_EQ(channel["nyquist"]["encirclements"], 0);
}

TEST(Analyse, nyquist_as_a_picture) {
  const Folder folder;
  folder.write("m.daedal", oscillator);
  const Answer answer = folder.run("analyse m.daedal --response 0.1:100 --nyquist");
  EXPECT_EQ(answer.code, 0) << answer.err;
  EXPECT_THAT(answer.out,
              HasSubstr("does not encircle -1; unstable poles: 0 open, 0 with feedback -1"));
  const Answer alone = folder.run("analyse m.daedal --nyquist");
  EXPECT_EQ(alone.code, 2);
  EXPECT_THAT(alone.err, HasSubstr("--nyquist: of which frequencies?"));
}

// b swings on its spring with a held: z = +-2i, and the input carries the spring's force.
TEST(Analyse, directions_of_zeros_in_the_names_of_the_model) {
  const std::string pair =
      "model pair\nparameter k = 12\ncoordinate a = 0, b = 0\nkinetic a'^2 + 3*b'^2/2\n"
      "potential k*(a - b)^2/2\ninput u\nforce u on a\noutput y = a\n";
  const nlohmann::json direction = analysed(pair, "--directions")["zero_directions"][0];
  EXPECT_NEAR(direction["zero"][1].get<double>(), 2, daedal::test::rounding(100, 12));
  EXPECT_EQ(direction["inputs"][0]["u"][0], 1);
  EXPECT_NEAR(direction["state"][0]["b"][0].get<double>(), -1.0 / 12, daedal::test::rounding(100));
  const Folder folder;
  folder.write("m.daedal", pair);
  const Answer answer = folder.run("analyse m.daedal --directions");
  EXPECT_THAT(answer.out, HasSubstr("inputs   u = 1\n      motion   b = -0.0833333\n"));
}

TEST(Analyse, refuses_what_is_no_range_of_frequencies) {
  const Folder folder;
  folder.write("m.daedal", oscillator);
  for (const char* range : {"5", "5:1", "0:1", "a:b", "1:2:1", "1:2:3:4", "1:inf", "-1:2"}) {
    const Answer answer = folder.run(std::string("analyse m.daedal --response=") + range);
    EXPECT_EQ(answer.code, 2) << range;
    EXPECT_THAT(answer.err, HasSubstr("not a range of frequencies")) << range;
  }
  const Answer alone = folder.run("analyse m.daedal --csv r.csv");
  EXPECT_EQ(alone.code, 2);
  EXPECT_THAT(alone.err, HasSubstr("there is no table to write"));
}

TEST(Analyse, unknown_names_are_bad_input) {
  const Folder folder;
  folder.write("m.daedal", oscillator);
  const Answer input = folder.run("analyse m.daedal --free w");
  EXPECT_EQ(input.code, 2);
  EXPECT_THAT(input.err, HasSubstr("--free w: model 'oscillator' has no input 'w'"));
  const Answer output = folder.run("analyse m.daedal --output zz");
  EXPECT_EQ(output.code, 2);
  EXPECT_THAT(output.err, HasSubstr("model 'oscillator' has no output or servo 'zz'"));
  EXPECT_THAT(output.err, HasSubstr("help: did you mean 'z'?"));
}

constexpr double located = 1e-8;  // a change of the zeros, as of the whole path

// z~ = Gamma (x - x'/2) + (1 - Gamma) (x + x') has the zero -1/(1 - 1.5 Gamma), which passes through infinity at 2/3.
const std::string blended =
    "model blended\nparameter k = 1 [N/m]\ncoordinate x [m]\nkinetic x'^2/2\npotential k/2*x^2\n"
    "dissipation x'^2/2\ninput u [N]\nforce u on x\noutput far = x - x'/2, near = x + 1*x'\n"
    "servo far = rest_to_rest(t, smoothness = 4)\n";

TEST(ZeroMaps, json_and_table_hold_the_zeros_of_every_weight) {
  const Folder folder;
  folder.write("m.daedal", blended);
  const Answer answer =
      folder.run("analyse m.daedal --redefine far:near --samples 5 --json --csv z.csv");
  EXPECT_EQ(answer.code, 0) << answer.err;
  const nlohmann::json json = nlohmann::json::parse(answer.out);
  ASSERT_EQ(json["points"].size(), 5u);
  for (const nlohmann::json& point : json["points"]) {
    const double gamma = point["parameters"]["Gamma(far)"];
    EXPECT_NEAR(point["zeros"][0]["real"], -1 / (1 - 1.5 * gamma), daedal::test::rounding(100, 10));
    EXPECT_EQ(point["phase"], gamma < 0.6 ? "minimum phase" : "non-minimum phase");
  }
  EXPECT_NEAR(json["crossings"][0]["parameters"]["Gamma(far)"], 2.0 / 3, located);
  EXPECT_NEAR(json["best"]["parameters"]["Gamma(far)"], 2.0 / 3 - 0.01, located);
  std::istringstream table(folder.read("z.csv"));
  std::string line;
  std::getline(table, line);
  EXPECT_EQ(line, "Gamma(far),real,imaginary,multiplicity,in doubt");
  std::getline(table, line);
  EXPECT_EQ(line, "0,-1,0,1,0");
}

TEST(ZeroMaps, a_margin_bounds_the_weight_from_below) {
  // -1/(1 - 1.5 Gamma) <= -2 from Gamma = 1/3 on
  const nlohmann::json json = analysed(blended, "--redefine far:near --margin 2");
  ASSERT_EQ(json["crossings"].size(), 2u);
  EXPECT_NEAR(json["crossings"][0]["parameters"]["Gamma(far)"], 1.0 / 3, located);
  EXPECT_EQ(json["crossings"][0]["acceptable_before"], false);
}

TEST(ZeroMaps, several_outputs_are_compared) {
  // with x + 2 x' in the place of x + x' the zero is -1/(2 - 2.5 Gamma)
  const nlohmann::json json =
      analysed(blended + "output nearer = x + 2*x'\n", "--redefine far:near,nearer --samples 5");
  ASSERT_EQ(json["lines"].size(), 2u);
  EXPECT_EQ(json["lines"][0]["redefine"], "far:near");
  EXPECT_NEAR(json["lines"][0]["limit"]["Gamma(far)"], 2.0 / 3, located);
  EXPECT_EQ(json["lines"][1]["redefine"], "far:nearer");
  EXPECT_NEAR(json["lines"][1]["limit"]["Gamma(far)"], 0.8, located);
  // the change is located to 1e-8 of the way, and the zero moves with 2.5*40^2 there
  EXPECT_NEAR(json["lines"][1]["rightmost"][0], -1 / (2 - 2.5 * 0.79), 4e-5);
}

TEST(ZeroMaps, nothing_acceptable_is_the_answer_no) {
  const Folder folder;
  folder.write("m.daedal", blended);
  const Answer answer = folder.run("analyse m.daedal --vary k=1:2 --samples 3");
  EXPECT_EQ(answer.code, 1);
  EXPECT_THAT(answer.out, HasSubstr("best     none: zeros right of the axis all along"));
}

TEST(ZeroMaps, bad_questions_are_refused) {
  const Folder folder;
  folder.write("m.daedal", blended);
  const auto refused = [&](const std::string& options, const std::string& said) {
    const Answer answer = folder.run("analyse m.daedal " + options);
    EXPECT_EQ(answer.code, 2) << options;
    EXPECT_THAT(answer.err, HasSubstr(said)) << options;
  };
  refused("--redefine far", "write OUTPUT:RIGID");
  refused("--redefine far:neer", "did you mean 'near'?");
  refused("--redefine near:far", "no servo line prescribes the output 'near'");
  refused("--redefine far:near --output far", "not together with --redefine");
  refused("--redefine far:near --response 1:10", "not together with --redefine or --vary");
  refused("--vary k", "write NAME=FROM:TO");
  refused("--vary k=1:1", "write NAME=FROM:TO");
  refused("--vary q=1:2", "has no parameter 'q'");
  refused("--vary k=1:2 --samples 1", "--samples must be at least 2");
  refused("--against k=1:2", "nothing moves against it");
  refused("--vary k=1:2 --against q=1:2", "--against q: model 'blended' has no parameter 'q'");
  refused("--vary k=1:2 --against k=1:2 --lines 1", "--lines must be at least 2");
  refused("--vary k=1:2 --margin -1", "--margin must not be negative");
}

TEST(ZeroMaps, an_inversion_takes_the_best_weight_and_tells_what_it_costs) {
  const Folder folder;
  folder.write("m.daedal", blended);
  const Answer plain = folder.run("invert m.daedal");
  EXPECT_EQ(plain.code, 0) << plain.err;
  EXPECT_THAT(plain.out, HasSubstr("stable inversion"));
  const Answer answer = folder.run("invert m.daedal --redefine far:near --json");
  EXPECT_EQ(answer.code, 0) << answer.err;
  const nlohmann::json json = nlohmann::json::parse(answer.out)["redefined"];
  EXPECT_NEAR(json["weight"], 2.0 / 3 - 0.01, located);
  EXPECT_NEAR(json["critical_weight"], 2.0 / 3, located);
  EXPECT_EQ(json["follows"]["far"]["end"], 1);
  EXPECT_GT(json["follows"]["far"]["largest"], json["follows"]["far"]["after"]);
  EXPECT_EQ(folder.run("invert m.daedal --redefine far:near --weight 2").code, 2);
}

TEST(ZeroMaps, where_no_weight_is_found_the_page_says_so) {
  const Folder folder;
  folder.write("m.daedal", blended);
  const Answer answer =
      folder.run("invert m.daedal --redefine far:near --margin 1000 --report page.html");
  EXPECT_EQ(answer.code, 2);
  const std::string why = "no weight between 0 and 1 makes";
  EXPECT_THAT(answer.err, HasSubstr(why));
  EXPECT_THAT(answer.out, HasSubstr("report   page.html"));
  EXPECT_NE(folder.read("page.html").find(why), std::string::npos);
}

}  // namespace
}  // namespace daedal::test
