// Constraints for which no unknown is left.

#include "daedal/structure/surplus.hpp"

#include "daedal/elaborate/elaborate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace daedal::structure {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> surplus_of(const std::string& text) {
  const auto model =
      std::make_shared<const model::Model>(model::elaborate(model::load_text(text, "m.daedal")));
  std::vector<std::string> names;
  for (const std::uint32_t i : surplus_constraints(derive::derive(model)))
    names.push_back(model->constraints[i].name);
  return names;
}

const std::string plane = "model m\ncoordinate x, y\nkinetic (x'^2 + y'^2)/2\n";

TEST(Surplus, a_mechanism_that_can_be_solved_has_none) {
  EXPECT_THAT(surplus_of(plane + "constraint a: x = y\n"), IsEmpty());
  EXPECT_THAT(surplus_of(plane + "constraint a: x = y\nconstraint b: 2*x = 2*y\n"), IsEmpty())
      << "numbers are not looked at";
}

TEST(Surplus, the_last_one_too_many_goes) {
  EXPECT_THAT(surplus_of(plane + "constraint a: x = y\nconstraint b: x = 1\nconstraint c: y = 1\n"),
              ElementsAre("c"));
}

// 'a' takes x first and has to give it to 'b', which contains nothing else.
TEST(Surplus, earlier_constraints_move_to_other_unknowns) {
  EXPECT_THAT(surplus_of(plane + "constraint a: x = y\nconstraint b: x = 1\n"), IsEmpty());
  EXPECT_THAT(surplus_of(plane + "constraint a: x = y\nconstraint b: x = 1\nconstraint c: 2*x = 2\n"
                                 "constraint d: y = 1\n"),
              ElementsAre("c", "d"));
}

TEST(Surplus, drives_and_equations_come_first) {
  EXPECT_THAT(surplus_of(plane + "input u\ndrive x by u position\nconstraint a: x = 0\n"),
              ElementsAre("a"));
}

}  // namespace
}  // namespace daedal::structure
