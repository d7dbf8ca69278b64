// Functions of time in constraints: what jumps is refused or warned about, as an input would be.

#include "daedal/run/simulate.hpp"
#include "daedal/start/prepare.hpp"
#include "support/problems.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace daedal::solve::testing {
namespace {

std::string held_by(const std::string& signal) {
  return "model guided\nsignal s = " + signal + R"(
coordinate x = 0 [m], y = 0 [m]
kinetic    x'^2/2 + y'^2/2
potential  50*(y - x)^2
constraint guide: x = s
)";
}

Trajectory moved(const std::string& text, double until) {
  const formulate::Problem problem = problem_of(text);
  SimulateOptions options;
  options.until = until;
  options.global_error = false;
  return simulate(problem, consistent_point(problem), options);
}

std::string refused(const std::string& text, double until) {
  try {
    moved(text, until);
  } catch (const ModelError& error) {
    return error.what();
  }
  return "";
}

TEST(PrescribedJump, a_constraint_that_jumps_is_refused_with_place_size_and_time) {
  EXPECT_EQ(refused(held_by("if t < 1 then 0 else 0.25"), 2),
            "test.daedal:6:12: error: model 'guided': constraint 'guide' jumps by 0.25 at t = 1 s\n"
            "    constraint guide: x = s\n"
            "               ^~~~~\n"
            "  nothing can follow it there: what it holds would have to jump\n"
            "  help: give a function of time with 1 continuous derivative, such as  "
            "rest_to_rest(t, smoothness = 1)");
}

TEST(PrescribedJump, a_run_that_ends_before_is_not_refused) {
  EXPECT_EQ(refused(held_by("if t < 1 then 0 else 0.25"), 0.5), "");
}

TEST(PrescribedJump, a_kink_makes_velocities_jump_and_is_warned_about) {
  const Trajectory run = moved(held_by("max(0, t - 1)"), 2);
  EXPECT_EQ(run.status, Status::completed);
  ASSERT_FALSE(run.warnings.empty());
  EXPECT_EQ(run.warnings[0].message,
            "model 'guided': derivative 1 of constraint 'guide' jumps by 1 at t = 1 s");
}

// Both branches and their derivatives agree at t = 1: the word `if` alone is no jump.
TEST(PrescribedJump, branches_that_meet_smoothly_are_no_jump) {
  EXPECT_TRUE(moved(held_by("if t < 1 then 0 else (t - 1)^2"), 2).warnings.empty());
  EXPECT_TRUE(moved(held_by("rest_to_rest(t/2, smoothness = 2)"), 3).warnings.empty());
}

}  // namespace
}  // namespace daedal::solve::testing
