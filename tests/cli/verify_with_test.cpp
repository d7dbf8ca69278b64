// `daedal invert --verify-with`: the inputs of one model run in another one.
#include "program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <numbers>
#include <string>

namespace daedal::test {
namespace {

using ::testing::HasSubstr;

constexpr double degree = std::numbers::pi / 180;

double largest(const nlohmann::json& verification) {
  return verification["forward"]["tracking"]["servo1"]["largest"].get<double>();
}

// An independent recomputation (SciPy) of the arm with four elements finds 0.1535 degrees after the motion on ten
// elements, and at most 0.16 during it.
TEST(VerifyWith, a_finer_beam_follows_the_inputs_of_a_coarser_one_as_the_reference_says) {
  const Folder folder;
  const std::string model = DAEDAL_SOURCE_DIR "/models/flexible_link/flexible_link.daedal";
  const Answer answer = folder.run("invert " + model + " --verify-with N=10 --json");
  ASSERT_EQ(answer.code, 0) << answer.err;
  const nlohmann::json json = nlohmann::json::parse(answer.out);
  EXPECT_LE(largest(json["verification"]), 0.005 * degree);  // four elements on four
  EXPECT_GE(largest(json["verification_with"]), 0.15 * degree);
  EXPECT_LE(largest(json["verification_with"]), 0.16 * degree);
}

TEST(VerifyWith, asks_for_sizes_and_parameters_of_the_model) {
  const Folder folder;
  const std::string model = DAEDAL_SOURCE_DIR "/models/flexible_link/flexible_link.daedal";
  const Answer unknown = folder.run("invert " + model + " -p N=1 --verify-with M=10");
  EXPECT_EQ(unknown.code, 2);
  EXPECT_THAT(
      unknown.err,
      HasSubstr("error: --verify-with M: model 'flexible_link' has no parameter or size 'M'"));
  const Answer no_value = folder.run("invert " + model + " -p N=1 --verify-with N");
  EXPECT_EQ(no_value.code, 2);
  EXPECT_THAT(no_value.err, HasSubstr("'N' is not of the form NAME=VALUE"));
}

}  // namespace
}  // namespace daedal::test
