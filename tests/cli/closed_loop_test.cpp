// What a user sees of closed loops: figures of merit, controllers side by side, many plants.
#include "program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

namespace daedal::test {
namespace {

using testing::HasSubstr;

const std::string loop =
    "model loop\nparameter m = 1\ncoordinate x = 0.5\nkinetic m/2*x'^2\ninput u\nforce u on "
    "x\noutput "
    "y = x\n"
    "controller a\ncommand u = -x - 2*x'\ncontroller b every 50 ms\ncommand u = saturate(-4*x - "
    "3*x', "
    "-1, 1)\n"
    "experiment heavy: simulate(until = 5, controller = a, plant(m = 2))\n";

std::size_t lines_in(const std::string& text) {
  std::istringstream stream(text);
  std::size_t count = 0;
  for (std::string line; std::getline(stream, line);) ++count;
  return count;
}

TEST(ClosedLoop, a_run_says_how_well_it_does) {
  const Folder folder;
  folder.write("loop.daedal", loop);
  const Answer answer = folder.run("simulate loop.daedal --controller b --until 5");
  EXPECT_EQ(answer.code, 0) << answer.err;
  EXPECT_THAT(answer.out,
              HasSubstr("\n  output   y against its end: within 5 % of the change of "));
  EXPECT_THAT(answer.out, HasSubstr("\n  command  u: at most 1 at t = 0 s, total variation "));
  EXPECT_THAT(answer.out, HasSubstr("; at a limit for "));
  EXPECT_THAT(answer.out, HasSubstr("\n  clock    b: 101 samples, "));
}

TEST(ClosedLoop, controllers_stand_side_by_side) {
  const Folder folder;
  folder.write("loop.daedal", loop);
  const Answer answer = folder.run(
      "compare loop.daedal --controllers a,b --experiment heavy --csv both.csv --report "
      "both.html --every 0.05");
  EXPECT_EQ(answer.code, 0) << answer.err;
  EXPECT_THAT(answer.out, HasSubstr("loop.heavy: a, b\n  output  controller  5 % from [s]"));
  const std::string rows = folder.read("both.csv");
  EXPECT_THAT(rows, HasSubstr("\"y, a\""));
  EXPECT_EQ(lines_in(rows), 102);
  EXPECT_THAT(folder.read("both.html"), HasSubstr("Commanded inputs"));
}

TEST(ClosedLoop, many_runs_have_a_band) {
  const Folder folder;
  folder.write("loop.daedal", loop);
  const std::string ask =
      "simulate loop.daedal --controller b --until 5 --plant 'm=normal(1, 0.1)' --initial "
      "'x=uniform(0.4, 0.6)' --runs 30 --seed 3 --every 0.5 --csv band.csv";
  const Answer answer = folder.run(ask);
  EXPECT_EQ(answer.code, 0) << answer.err;
  EXPECT_THAT(answer.out, HasSubstr("\n  runs     30 of 30 came to their end, in "));
  EXPECT_THAT(answer.out, HasSubstr("\n  95 %     y: rms error "));
  const std::string band = folder.read("band.csv");
  EXPECT_EQ(lines_in(band), 12);
  EXPECT_THAT(band, HasSubstr("y 97.5 %"));
  EXPECT_EQ(folder.run(ask).code, 0);
  EXPECT_EQ(folder.read("band.csv"), band) << "the same seed draws the same";
}

TEST(ClosedLoop, refuses_what_makes_no_sense) {
  const Folder folder;
  folder.write("loop.daedal", loop);
  const auto fault = [&](const std::string& words) {
    const Answer answer = folder.run(words);
    EXPECT_EQ(answer.code, 2) << words;
    return answer.err;
  };
  EXPECT_THAT(fault("simulate loop.daedal --controller a --plant 'm=normal(1, 0.1)'"),
              HasSubstr("--plant m=normal(1, 0.1): a distribution is of many runs\n  help: daedal "
                        "simulate draws from it with  --runs 1000"));
  EXPECT_THAT(fault("simulate loop.daedal --runs 3"), HasSubstr("many runs: of which controller?"));
  EXPECT_THAT(fault("simulate loop.daedal --controller a --runs 3 --plant 'k=normal(1, 0.1)'"),
              HasSubstr("model 'loop' has no parameter or size 'k'"));
  EXPECT_THAT(fault("compare loop.daedal --controllers a,c"),
              HasSubstr("model 'loop' has no controller 'c'"));
  EXPECT_THAT(fault("compare loop.daedal --experiment heavy"),
              HasSubstr("compare --experiment: of which controllers?"));
}

}  // namespace
}  // namespace daedal::test
