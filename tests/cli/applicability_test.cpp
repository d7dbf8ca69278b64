// Options of `analyse` that do not apply to the requested analysis, and the locus along moving starts.
#include "program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>

namespace daedal::test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

// A pendulum turning about the vertical at the rate w, its rod at rest at the angle where gravity balances: the frozen poles at
// the start (phi = 0) are those of phi'' = (w^2 - g/l) phi. At rest (w does not occur in the equations) they are those of w = 0.
const std::string turning = R"(model m
parameter w = 1 [rad/s], g = 9
coordinate phi [rad], psi [rad]
kinetic (phi'^2 + sin(phi)^2*psi'^2 + 0.5*psi'^2)/2
potential -g*cos(phi)
initial psi' = w
input u
torque u about phi
output angle = phi
)";

json parsed(const Answer& answer) {
  EXPECT_EQ(answer.code, 0) << answer.err;
  return json::parse(answer.out);
}

TEST(Applicability, options_that_do_not_apply_are_refused) {
  const Folder folder;
  folder.write("m.daedal", turning);
  const auto refused = [&](const std::string& options, const std::string& message,
                           const std::string& help) {
    const Answer answer = folder.run("analyse m.daedal " + options);
    EXPECT_EQ(answer.code, 2) << options;
    EXPECT_EQ(answer.out, "") << options;
    EXPECT_EQ(answer.err, "error: " + message + "\n  help: " + help + "\n");
  };
  refused("--locus g=1:2 --response 1:10", "--response does not apply to --locus",
          "options that do: --free, --output, --csv, --report");
  refused("--locus g=1:2 --directions", "--directions does not apply to --locus",
          "options that do: --free, --output, --csv, --report");
  refused("--at start --reduce 2", "--reduce does not apply to --at start",
          "options that do: --output, --response, --nyquist, --csv, --directions, --mat, --report");
  refused("--at start --free u", "--free does not apply to --at start",
          "options that do: --output, --response, --nyquist, --csv, --directions, --mat, --report");
  refused("--at start --locus w=1:2 --free u", "--free does not apply to --at start",
          "inputs keep their values in motion");
  refused("--at start --csv out.csv", "--csv: there is no table to write",
          "choose one, as with --response FIRST:LAST, or take --json");
  refused("--disturb phi=1", "--disturb has no effect on this question",
          "--disturb goes with --normal-form, --zero-dynamics or --linear-motion");
  refused("--locus g=1:2 --map g=1:2,w=1:2", "--locus and --map are two questions",
          "use one at a time");
  refused("--vary g=1:2 --locus g=1:2", "--locus and --vary are two questions",
          "use one at a time");
}

TEST(Applicability, at_the_start_zeros_directions_and_response_are_answered) {
  const Folder folder;
  folder.write("m.daedal", turning);
  const json answer = parsed(
      folder.run("analyse m.daedal --at start --output angle --directions --response 1:10:5 --csv "
                 "r.csv --json"));
  EXPECT_EQ(answer["response"]["frequencies"].size(), 5u);
  EXPECT_EQ(answer["zero_directions"].size(), answer["zeros"]["clusters"].size());
  EXPECT_EQ(answer["zeros"]["finite"], 2);  // psi turns freely: poles 4, relative degree 2
  EXPECT_THAT(folder.read("r.csv"), HasSubstr("|angle/u|"));
}

// phi'' = (w^2 - g) phi + u: the pair crosses at w = 3, from the axis to both sides of it.
TEST(Applicability, a_locus_along_moving_starts_follows_the_speed) {
  const Folder folder;
  folder.write("m.daedal", turning);
  const json locus = parsed(folder.run("analyse m.daedal --at start --locus w=1:5:5 --json"));
  ASSERT_EQ(locus["poles"].size(), 4u);
  for (std::size_t k = 0; k < 5; ++k) {
    const double w = 1 + static_cast<double>(k), square = w * w - 9;
    double largest = 0;
    for (const json& track : locus["poles"])
      largest = std::max(largest, std::hypot(track[k][0].get<double>(), track[k][1].get<double>()));
    // at w = 3 all four are 0, a Jordan block of size 2: the square root of rounding
    EXPECT_NEAR(largest, std::sqrt(std::abs(square)), square == 0 ? 1e-6 : 1e-12) << w;
  }
}

TEST(Applicability, a_parameter_of_the_start_alone_is_refused_at_rest) {
  const Folder folder;
  folder.write("m.daedal", turning);
  const Answer answer = folder.run("analyse m.daedal --locus w=1:5:5");
  EXPECT_EQ(answer.code, 2);
  EXPECT_EQ(answer.err,
            "error: --locus w: no pole and no zero at rest depends on 'w'\n"
            "  it changes start values (psi'), which do not matter at rest\n"
            "  help: linearise in motion:  --at start\n");
  EXPECT_EQ(folder.run("analyse m.daedal --locus g=1:5:5").code, 0);
}

}  // namespace
}  // namespace daedal::test
