// Index and free initial values are those of the equations as given, whoever reports them.
#include "daedal/structure/examine.hpp"
#include "daedal/task/check.hpp"
#include "daedal/task/simulate.hpp"

#include <gtest/gtest.h>

namespace daedal {
inline namespace task {
namespace {

// A bug: `simulate` reported the index of the converted equations, `check` that of the equations as given. Here 'one' minus
// the derivative of 'two' is y' = x + cos(t), which gives x and y' from y: index 1, one free value. The equations as given
// contain y'' and x' too, which the second derivative of 'two' leads to: index 2.
TEST(OneStructure, a_run_of_converted_equations_reports_what_check_reports) {
  const Model model = load_text(R"(model m
variable x = 1, y = 1
equation one: x' + y'' = -x
equation two: x + y' + y = sin(t)
)");
  const structure::Structure checked = check(model).structure;
  const Simulation run = simulate(model, {.until = 0.1, .global_error = false});
  ASSERT_EQ(checked.basis, structure::Basis::conversion);
  EXPECT_EQ(checked.index, 2);
  EXPECT_EQ(checked.degrees_of_freedom, 1);
  EXPECT_EQ(run.problem.structure.index, checked.index);
  EXPECT_EQ(run.problem.structure.degrees_of_freedom, checked.degrees_of_freedom);
  EXPECT_EQ(structure::by_signature(run.problem.dae).index, 1);
}

}  // namespace
}  // namespace task
}  // namespace daedal
