#include "daedal/base/diagnostic.hpp"

#include <gtest/gtest.h>

namespace daedal {
namespace {

TEST(NearestName, finds_one_insertion_deletion_replacement_or_swap) {
  const std::vector<std::string> names = {"coordinate", "constraint", "x_T"};
  EXPECT_EQ(nearest_name("x_TT", names), "x_T");
  EXPECT_EQ(nearest_name("coordinat", names), "coordinate");
  EXPECT_EQ(nearest_name("comstraint", names), "constraint");
  EXPECT_EQ(nearest_name("coordiante", names), "coordinate");
}

TEST(NearestName, a_swap_of_neighbours_is_one_edit) {
  EXPECT_EQ(nearest_name("mdoe", {"mode"}),
            "mode");  // two replacements would be too many for four letters
}

TEST(NearestName, prefers_the_nearest_and_then_the_first) {
  EXPECT_EQ(nearest_name("kinetik", {"kinematic", "kinetic"}), "kinetic");
  EXPECT_EQ(nearest_name("tau_X", {"tau_T", "tau_L"}), "tau_T");
}

TEST(NearestName, a_match_but_for_case_wins) {
  EXPECT_EQ(nearest_name("PHI", {"chi", "phi"}), "phi");
  EXPECT_EQ(nearest_name("l", {"L", "k"}), "L");
}

TEST(NearestName, suggests_nothing_far_away) {
  EXPECT_EQ(nearest_name("x", {"y", "z"}), "");
  EXPECT_EQ(nearest_name("ab", {"b"}), "b");
  EXPECT_EQ(nearest_name("ab", {"cd"}), "");
  EXPECT_EQ(nearest_name("spring", {"pendulum"}), "");
  EXPECT_EQ(nearest_name("", {"x"}), "");
  EXPECT_EQ(nearest_name("x", {}), "");
}

TEST(NearestName, endless_names_cost_nothing) {
  const std::string endless(100000, 'a');
  EXPECT_EQ(nearest_name(endless, {endless + "b", "b" + endless}), "");
}

}  // namespace
}  // namespace daedal
