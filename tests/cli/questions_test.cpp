// daedal analyse: analyses beyond the portrait, and mistakes in their options.
#include "program.hpp"
#include "support/bounds.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <string>

namespace daedal::test {
namespace {

using testing::HasSubstr;

const std::string arm =
    "model arm\nparameter l = 1, k = 30, d = 2\ncoordinate a = 0.3 [rad], b = 0.8 [rad]\n"
    "let elbow = l*[cos(a), sin(a)]\nlet tip = elbow + l*[cos(a + b), sin(a + b)]\n"
    "kinetic (dot(elbow', elbow') + dot(tip', tip'))/2\npotential k/2*(a^2 + (b - 1)^2)\n"
    "dissipation d/2*(a'^2 + b'^2)\ninput u, v\nforce u on a\nforce v on b\noutput p = tip\n";

Answer asked(const std::string& text, const std::string& options) {
  const Folder folder;
  folder.write("m.daedal", text);
  return folder.run("analyse m.daedal " + options);
}
nlohmann::json answered(const std::string& text, const std::string& options) {
  const Answer answer = asked(text, options + " --json");
  EXPECT_EQ(answer.code, 0) << options << "\n" << answer.err;
  return nlohmann::json::parse(answer.out);
}

TEST(Questions, every_one_answers_machines) {
  EXPECT_EQ(answered(arm, "--continue k=20:40")["branches"][0]["points"].back()["mark"], "end");
  EXPECT_EQ(answered(arm, "--locus d=1:3:4")["poles"].size(), 4u);
  EXPECT_EQ(answered(arm, "--map d=1:3:3,k=20:40:2")["counts"]["flat"], 6);
  EXPECT_EQ(answered(arm, "--sensitivity k,d")["parameters"][1]["parameter"], "d");
  EXPECT_NEAR(answered(arm, "--pose a=0.1,b=0.2")["outputs"]["p[1]"], std::cos(0.1) + std::cos(0.3),
              daedal::test::rounding(16, 2));
  EXPECT_EQ(answered(arm, "--path a=0.3:0.4,b=0.8:-0.7")["events"][0]["kind"], "singular");
  EXPECT_EQ(answered(arm, "--limits --hold a")["events"][0]["kind"], "turn");
  EXPECT_EQ(answered(arm, "--box a=0:1:3,b=0.1:1:3")["reachable"], 9);
  EXPECT_EQ(answered(arm, "--at start")["poles"]["finite"], 4);
  EXPECT_EQ(answered(arm, "--along 0:1:3")["points"].size(), 3u);
  EXPECT_EQ(answered(arm, "--normal-form none")["relative_degree"], (nlohmann::json{2, 2}));
  EXPECT_EQ(answered(arm, "--normal-form none")["rank"], 2);
  EXPECT_EQ(answered(arm, "--zero-dynamics 1")["completed"], true);
  EXPECT_EQ(answered(arm, "--lyapunov quadratic --radius 0.01")["decreases"], true);
  EXPECT_EQ(answered(arm, "--linear-motion 1 --disturb a=0.01")["coordinates"][0]["name"], "a");
  EXPECT_EQ(answered(arm, "--reduce 4")["reduced"]["error_bound"], 0);
}

TEST(Questions, tables_and_matrices_become_files) {
  const Folder folder;
  folder.write("m.daedal", arm);
  EXPECT_EQ(folder.run("analyse m.daedal --locus d=1:3:4 --csv locus.csv").code, 0);
  EXPECT_THAT(folder.read("locus.csv"), HasSubstr("d,zero,track,real,imaginary,in doubt\n1,0,1,"));
  EXPECT_EQ(folder.run("analyse m.daedal --mat m.mat").code, 0);
  EXPECT_EQ(folder.read("m.mat").substr(20, 2), std::string("E\0", 2));
}

struct Mistake {
  std::string options, message;
};
TEST(Questions, mistakes_are_told_in_the_users_names) {
  for (const Mistake& m : {
           Mistake{"--continue k", "--continue k: 'k' is not a range"},
           {"--continue kk=1:2", "--continue kk: model 'arm' has no parameter or size 'kk'"},
           {"--locus kk=1:2", "--locus kk: model 'arm' has no parameter or size 'kk'"},
           {"--map kk=1:2,k=1:2", "--map kk: model 'arm' has no parameter or size 'kk'"},
           {"--map k=1:2", "--map k=1:2: a map has two parameters"},
           {"--locus k=1:2 -p k=3", "'k' has both a value and a range"},
           {"--locus k=1:2 --map k=1:2,d=1:2", "--locus and --map are two questions"},
           {"--sensitivity kk", "model 'arm' has no parameter 'kk'"},
           {"--pose p[1]=5,p[2]=0", "no pose near the start values with what is given"},
           {"--pose c=1", "model 'arm' has no coordinate or output 'c'"},
           {"--limits", "--limits: model 'arm' can move in 2 directions"},
           {"--along 3:1", "--along 3:1: not a range of times"},
           {"--disturb c=1 --linear-motion 1", "has no coordinate or variable 'c'"},
           {"--normal-form c", "has no coordinate or variable 'c'"},
           {"--reduce 9", "--reduce 9: "},
           {"--csv x.csv", "--csv: there is no table to write"},
       }) {
    const Answer answer = asked(arm, m.options);
    EXPECT_EQ(answer.code, 2) << m.options << "\n" << answer.out;
    EXPECT_THAT(answer.err, HasSubstr(m.message)) << m.options;
  }
}

TEST(Questions, a_start_off_the_manifold_is_refused) {
  const Answer answer = asked(
      "model m\ncoordinate x = 0.6, y = -0.9\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\n"
      "constraint rod: x^2 + y^2 = 1\n",
      "--at start");
  EXPECT_EQ(answer.code, 2);
  EXPECT_THAT(answer.err, HasSubstr("the start values are off the constraint manifold"));
  EXPECT_THAT(answer.err, HasSubstr("constraint 'rod' is violated by 0.17"));
}

}  // namespace
}  // namespace daedal::test
