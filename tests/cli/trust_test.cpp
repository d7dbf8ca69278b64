// A result that may be wrong says so: in words, in JSON, on the page and in the exit code.
#include "program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <string>

namespace daedal::test {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

const std::string double_pendulum = R"(model dp "point masses, chaotic"
coordinate a = 2*pi/3 [rad], b = 2*pi/3 + 0.1 [rad]
input u
let P = [sin(a), -cos(a)]
let Q = P + [sin(b), -cos(b)]
kinetic (dot(P', P') + dot(Q', Q'))/2
potential 9.81*(P[2] + Q[2])
torque u about a
)";

TEST(Trust, an_error_as_large_as_the_motion_is_a_red_verdict) {
  const Folder folder;
  folder.write("dp.daedal", double_pendulum);
  const Answer answer = folder.run("simulate dp.daedal --until 60 --report page.html");
  EXPECT_EQ(answer.code, 1);
  EXPECT_THAT(
      answer.err,
      HasSubstr("dp.daedal:1:7: warning: model 'dp': the result cannot be trusted after t"));
  EXPECT_THAT(answer.err, HasSubstr("help: a smaller tolerance reaches further; in a chaotic or "
                                    "unstable motion each digit of it adds the same time"));
  EXPECT_THAT(answer.out, ContainsRegex("\n  trust    until t = [0-9.]+ s only: the estimated "
                                        "error of '[ab]'*' grows to "));
  const std::string page = folder.read("page.html");
  EXPECT_TRUE(page.find("Not to be trusted after t = ") != std::string::npos);
  EXPECT_TRUE(page.find("verdict bad") != std::string::npos);
  const Answer machine = folder.run("simulate dp.daedal --until 60 --json");
  EXPECT_EQ(machine.code, 1);
  const auto json = nlohmann::json::parse(machine.out);
  EXPECT_EQ(json.at("status"), "wrong");
  EXPECT_EQ(json.at("trust").at("level"), "none");
  EXPECT_GT(json.at("trust").at("until"), 10);
  EXPECT_LT(json.at("trust").at("until"), 50);
  EXPECT_EQ(json.at("warnings").size(), 1u);
  const Answer shorter = folder.run("simulate dp.daedal --until 10 --json");
  EXPECT_EQ(shorter.code, 0);
  EXPECT_EQ(nlohmann::json::parse(shorter.out).at("status"), "completed");
  EXPECT_EQ(nlohmann::json::parse(shorter.out).at("trust").at("level"), "full");
}

// Knots every millisecond end each step of rk45: a tolerance does not make them shorter.
TEST(Trust, a_fine_input_file_does_not_hide_the_error) {
  const Folder folder;
  folder.write("dp.daedal", double_pendulum);
  std::string knots = "t,u\n";
  for (int k = 0; k <= 60'000; ++k) knots += std::to_string(1e-3 * k) + ",0\n";
  folder.write("knots.csv", knots);
  const Answer answer = folder.run("simulate dp.daedal --until 60 --input u=@knots.csv --json");
  EXPECT_EQ(answer.code, 1) << answer.err;
  const auto json = nlohmann::json::parse(answer.out);
  EXPECT_EQ(json.at("status"), "wrong");
  EXPECT_GT(json.at("global_error").at("columns").at("a").at("largest"), 1);
}

TEST(Trust, a_comparison_says_until_when_its_reference_is_right) {
  const Folder folder;
  folder.write("dp.daedal", double_pendulum);
  const std::string command =
      "compare dp.daedal --methods rk45 --formulations projection --tolerances 1e-6 --until ";
  const Answer longer = folder.run(command + "100");
  EXPECT_EQ(longer.code, 1);
  EXPECT_THAT(longer.err, HasSubstr("dp: the reference cannot be trusted after t = "));
  EXPECT_THAT(longer.out, HasSubstr("  wrong\n"));
  const Answer shorter = folder.run(command + "5");
  EXPECT_EQ(shorter.code, 0) << shorter.err;
  EXPECT_THAT(shorter.out, Not(HasSubstr("wrong")));
}

// A slider-crank with equal links, x = 2 cos p, folds at p = pi/2: there it may go on, or the crank turns alone.
TEST(Trust, no_wrong_motion_after_the_fold_of_a_slider_crank_goes_without_a_word) {
  const Folder folder;
  folder.write("one.daedal",
               "model one\ncoordinate p = 0.8\nlet x = 2*cos(p)\ninitial p' = 1.6\nkinetic "
               "p'^2/2 + x'^2/2\n");
  folder.write("sc.daedal", R"(model sc
coordinate p = 0.8, x = 2*cos(0.8)
initial p' = 1.6, x' = -2*sin(0.8)*1.6
kinetic p'^2/2 + x'^2/2
let e = [cos(p), sin(p)]
constraint rod: (x - e[1])^2 + e[2]^2 = 1
)");
  const auto end = [&](const std::string& command) {
    const Answer answer = folder.run(command + " --until 10 --json");
    const auto json = nlohmann::json::parse(answer.out);
    EXPECT_EQ(answer.code, json.at("status") == "completed" ? 0 : 1) << command;
    EXPECT_TRUE(answer.code == 0 || !json.at("warnings").empty() || json.contains("reason"));
    return std::pair{answer.code, json.at("final").at("p").get<double>()};
  };
  const double exact = end("simulate one.daedal --method taylor").second;
  for (const char* formulation : {"projection", "null_space", "index1"})
    for (const char* method : {"rk45", "dop853", "radau5"})
      for (const char* tolerance : {"1e-4", "1e-9"}) {
        const auto [code, p] = end(std::string("simulate sc.daedal --method ") + method +
                                   " --formulation " + formulation + " --tolerance " + tolerance);
        constexpr double wrong = 1;  // a tenth of the 17 rad it turns in 10 s is 1.7
        EXPECT_TRUE(code == 1 || std::abs(p - exact) < wrong)
            << formulation << " " << method << " " << tolerance << " p = " << p;
      }
}

TEST(Trust, an_arm_at_rest_is_no_cause_for_alarm) {
  const Folder folder;
  const Answer answer = folder.run("simulate '" DAEDAL_SOURCE_DIR "/models/flexible_link'");
  EXPECT_EQ(answer.code, 0);
  EXPECT_THAT(answer.err, Not(HasSubstr("trusted")));
  EXPECT_THAT(answer.err, Not(HasSubstr("accounts for")));
}

TEST(Trust, the_norm_of_a_quaternion_is_no_force) {
  const Folder folder;
  folder.write("m.daedal", R"(model m
part top = spatial_body(mass = 1, inertia = [1, 1, 1])
input F[1..6]
for k in 1..3: force F[k] on top.r[k]
let q = top.p
for k in 1..3: force F[k+3] on top.p[k+1]
output pose = cat(top.r, [q[2], q[3], q[4]])
servo pose = cat([0, 0, 0.1*rest_to_rest(t, smoothness = 2)], 0.1*rest_to_rest(t, smoothness = 2)*[1, 1, 1])
)");
  const Answer answer = folder.run("invert m.daedal");
  EXPECT_EQ(answer.code, 0) << answer.err;
  EXPECT_THAT(answer.out, HasSubstr("tracking"));
  EXPECT_THAT(answer.out, Not(HasSubstr("unit.force")));
}

}  // namespace
}  // namespace daedal::test
