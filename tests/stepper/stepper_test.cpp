// The stepper as a real-time system meets it: motions that change on the fly, signals that cannot be followed, wrong starts.
#include "daedal/stepper/stepper.hpp"

#include "daedal/invert/classical.hpp"
#include "daedal/stepper/algebraic.hpp"
#include "support/bounds.hpp"
#include "support/stepped.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <vector>

namespace daedal::test {
namespace {

using solve::StepReport;
using solve::StepStatus;

const char* const two_carts = R"(model carts
parameter k = 50
coordinate x, y
kinetic x'^2/2 + y'^2/2
potential k/2*(x - y)^2
input u
force u on x
output z = y
servo z = rest_to_rest(t, smoothness = 6)
)";

std::shared_ptr<const solve::StepProgram> program_of(const std::string& text,
                                                     const solve::StepFormula& formula,
                                                     double step) {
  const auto forward = forward_of(model::load_text(text, "m.daedal"));
  const derive::Dae dae = derive::tracking(*forward);
  return std::make_shared<const solve::StepProgram>(
      solve::make_step_program(dae, formula, step, rest(*dae.model)));
}

solve::StepperOptions on_tape() {
  solve::StepperOptions options;
  options.compile.backend = compile::Backend::tape;
  return options;
}
/// Signals are followed as they are, jumps included.
solve::StepperOptions without_transition() {
  solve::StepperOptions options = on_tape();
  options.transition = 0;
  return options;
}

TEST(StepFormulas, are_exact_for_polynomials_of_their_order) {
  for (int order = 1; order <= 6; ++order) {
    const solve::StepFormula f = solve::bdf_formula(order);
    for (int degree = 0; degree <= order; ++degree) {  // x(1) = sum past_p x(-p) + a x'(1)
      double value = f.a[0] * degree;
      for (std::size_t p = 0; p < f.past.size(); ++p)
        value += f.past[p] * std::pow(-static_cast<double>(p), degree);
      EXPECT_NEAR(value, 1, daedal::test::rounding(100, 50)) << order << ", " << degree;
    }
  }
  const solve::StepFormula radau = solve::radau5_formula();
  for (int degree = 1; degree <= 3; ++degree)  // collocation: sum_j a_ij c_j^(k-1) = c_i^k / k
    for (std::size_t i = 0; i < 3; ++i) {
      double sum = 0;
      for (std::size_t j = 0; j < 3; ++j)
        sum += radau.a[3 * i + j] * std::pow(radau.nodes[j], degree - 1);
      EXPECT_NEAR(sum, std::pow(radau.nodes[i], degree) / degree, daedal::test::rounding(8));
    }
}

TEST(Stepper, signals_are_called_after_the_outputs_they_ask_for) {
  const auto program = program_of(two_carts, solve::bdf_formula(2), 0.01);
  ASSERT_EQ(program->signals.size(), 1u);
  EXPECT_EQ(program->model->symbols[program->signals[0].symbol].name, "desired z");
}

TEST(Stepper, signals_have_the_units_of_the_outputs_they_ask_for) {
  const auto program = program_of(
      "model m\nparameter m = 1 [kg]\ncoordinate x [m]\ninput u [N]\nkinetic m/2*x'^2\n"
      "force u on x\noutput z = x [m]\nservo z = rest_to_rest(t, smoothness = 4)\n",
      solve::bdf_formula(2), 0.01);
  ASSERT_EQ(program->signals.size(), 1u);
  EXPECT_EQ(program->model->symbols[program->signals[0].symbol].unit, "m");
}

TEST(Stepper, a_motion_may_change_on_the_way) {
  // y = t^4 from t = 1 on instead of the servo line; y'''' / k + 2 y'' = u, which BDF of order 4 differentiates exactly
  const auto program = program_of(two_carts, solve::bdf_formula(4), 0.05);
  solve::Stepper stepper(program, without_transition());
  const std::size_t u = stepper.find({program->model->find("u"), 0});
  for (int n = 1; n <= 40; ++n) {
    const double t = stepper.time() + 0.05;
    const std::vector<double> desired{t < 1 ? 0 : std::pow(t, 4)};
    const StepReport report = stepper.step(desired);
    // t^4 begins with a jump: it is in the differences for 16 steps, and for 3 more in the prediction
    const bool jumped = n >= 20 && n < 20 + 16 + 3;
    EXPECT_EQ(report.status, jumped ? StepStatus::jump : StepStatus::ok) << n;
  }
  // 4 derivatives of a polynomial of degree 4 by differences that are exact for degree 4: after 4 x 4 + 1 steps
  const double t = stepper.time();
  // rounding of y = 16, times the sizes of the coefficients of four differences, 32/3 each
  const double of_input = daedal::test::rounding(1, 16.0 / 50 * std::pow(32.0 / 3 / 0.05, 4));
  EXPECT_NEAR(stepper.value(u), 24.0 / 50 + 2 * 12 * t * t, of_input);
}

TEST(Stepper, reports_what_cannot_be_followed_and_goes_on_from_where_it_was) {
  // the load of a pendulum cannot be farther from its pivot than the rod is long
  const auto program = program_of(R"(model arm
coordinate a = 0.5
kinetic a'^2/2
input u
force u on a
output h = sin(a)
servo h = 0.1
)",
                                  solve::bdf_formula(1), 0.1);
  solve::Stepper stepper(program, on_tape());
  ASSERT_TRUE(stepper.step(std::vector{std::sin(0.501)}).ok());
  const double before = stepper.states()[1];
  const StepReport report = stepper.step(std::vector{1.5});
  EXPECT_FALSE(report.ok());
  EXPECT_LE(report.iterations, 12);
  EXPECT_DOUBLE_EQ(stepper.states()[1], before);
  EXPECT_DOUBLE_EQ(stepper.time(), 0.1);
  EXPECT_EQ(stepper.step(std::vector{0.52}).status, StepStatus::jump);  // from sin(0.501) = 0.48
  EXPECT_NEAR(std::sin(stepper.value(stepper.find({program->model->find("a"), 0}))), 0.52,
              1e-12);  // the tolerance of Newton's method is 1e-10, and its last step is quadratic
  const StepReport nan = stepper.step(std::vector{std::numeric_limits<double>::quiet_NaN()});
  EXPECT_EQ(nan.status, StepStatus::not_finite);
}

TEST(Stepper, ended_by_the_residual_it_does_not_take_nan_for_small) {
  const auto program = program_of(two_carts, solve::bdf_formula(2), 0.02);
  solve::StepperOptions options = on_tape();
  options.residual_tolerance = 1e-6;
  solve::Stepper stepper(program, options);
  const StepReport still = stepper.step(std::vector{0.0});  // at rest nothing is left to do
  EXPECT_TRUE(still.ok());
  EXPECT_EQ(still.iterations, 0);
  const StepReport nan = stepper.step(std::vector{std::numeric_limits<double>::quiet_NaN()});
  EXPECT_EQ(nan.status, StepStatus::not_finite);
}

TEST(Stepper, a_wrong_start_recovers) {
  // positions and inputs follow from the desired motion alone: after some steps nothing is left of the wrong past
  const auto program = program_of(two_carts, solve::bdf_formula(2), 0.02);
  solve::Stepper right(program, without_transition()), wrong(program, without_transition());
  std::vector<double> states(program->states.size(), 0.3), tops(program->tops.size(), -2.0);
  wrong.start(0, states, tops);
  for (int n = 1; n <= 50; ++n) {
    const std::vector<double> desired{std::sin(0.02 * n)};
    const StepReport as_it_is = right.step(desired), after_all = wrong.step(desired);
    // sin t begins with a jump of the velocity, which four differences of BDF2 and the prediction see
    const bool near_start = n <= 20;
    ASSERT_TRUE(near_start ? as_it_is.made() : as_it_is.ok()) << n;
    ASSERT_TRUE(near_start ? after_all.made() : after_all.ok()) << n;
  }
  const std::size_t u = right.find({program->model->find("u"), 0});
  EXPECT_NEAR(wrong.value(u), right.value(u), daedal::test::rounding(100, std::pow(1 / 0.02, 4)));
}

TEST(Stepper, tape_and_native_code_make_the_same_bits) {
  const auto program = program_of(two_carts, solve::radau5_formula(), 0.01);
  solve::Stepper tape(program, on_tape()), native(program, {});
  for (int n = 0; n < 50; ++n) {
    std::vector<double> desired;
    for (const double c : program->formula.nodes)
      desired.push_back(std::pow(std::sin(tape.time() + 0.01 * c), 4));
    const StepReport first = tape.step(desired), second = native.step(desired);
    // the fourth derivative of sin(t)^4 jumps at t = 0, and the first steps see it
    ASSERT_TRUE(n < 10 ? first.made() : first.ok()) << n << ": " << describe(first.status);
    ASSERT_EQ(first.status, second.status);
  }
  EXPECT_TRUE(std::equal(tape.tops().begin(), tape.tops().end(), native.tops().begin()));
}

TEST(Stepper, exact_past_gives_the_order_from_the_first_step_on) {
  // the table of BDF4 over all times: 2.436e-5, 2.510e-6, 2.648e-7 at h = 0.1, 0.05, 0.025
  const auto inverse_of = [](const derive::Dae& forward) {
    return inversion::inverse_model(forward);
  };
  const auto crane = forward_of_file("cable_robot");
  const inversion::InverseModel inverse = inverse_of(*crane);
  const auto dae = forward_of_file("cable_robot", {.model = "cable_robot_substituted"});
  solve::AlgebraicSolution exact(inverse.problem, solve::consistent_point(inverse.problem));
  const auto leaves = [&](double t, const std::vector<expr::Leaf>& wanted) {
    const auto value = exact.at(t);
    std::vector<double> result;
    for (const expr::Leaf leaf : wanted) {
      const std::string& name = dae->model->symbols[leaf.symbol].name;
      const std::uint32_t p =
          inverse.problem.layout.find({inverse.problem.dae->model->find(name), leaf.order});
      result.push_back(p <= inverse.problem.states ? value.states[p - 1]
                                                   : value.tops[p - 1 - inverse.problem.states]);
    }
    return result;
  };
  const double printed[] = {2.436e-5, 2.510e-6, 2.648e-7};
  double step = 0.1;
  for (const double expected : printed) {
    const structure::Point still = rest(*dae->model);
    const auto program = std::make_shared<const solve::StepProgram>(
        solve::make_step_program(*dae, solve::bdf_formula(4), step, [&](expr::Leaf leaf) {
          return dae->model->symbols[leaf.symbol].name == "cable" ? -18.9 * 9.81 / 8 : still(leaf);
        }));
    solve::Stepper stepper(program, on_tape());
    const double first = 3 * step;
    stepper.start(first, leaves(first, program->states), leaves(first, program->tops));
    for (std::size_t k = 1; k < 4; ++k) {
      const double t = k == 3 ? 0 : first - static_cast<double>(k) * step;
      stepper.set_past(k, leaves(t, program->states), leaves(t, program->tops));
    }
    const std::size_t u_T = stepper.find({dae->model->find("u_T"), 0}),
                      u_L = stepper.find({dae->model->find("u_L"), 0});
    double worst = 0;
    while (stepper.time() < 10 - 0.5 * step) {
      ASSERT_TRUE(stepper.step({}).ok());
      const std::vector<double> u =
          leaves(stepper.time(), {{dae->model->find("u_T"), 0}, {dae->model->find("u_L"), 0}});
      worst = std::max(
          {worst, std::abs(stepper.value(u_T) - u[0]), std::abs(stepper.value(u_L) - u[1])});
    }
    EXPECT_NEAR(worst, expected, 1e-3 * expected);  // printed with four digits
    step /= 2;
  }
}

TEST(StepThrough, tells_times_and_iterations_and_tracks_like_the_table) {
  // BDF2 with 1 ms on manipulator_3d: the torques are off by 1.40 N m
  const auto forward = forward_of_file("manipulator_3d");
  const inversion::InverseModel inverse = inversion::inverse_model(*forward);
  const inversion::SteppedInversion run =
      inversion::step_through(inverse, solve::consistent_point(inverse.problem),
                              solve::BdfOptions{.order = 2, .step = 1e-3}, 2, 0.01);
  EXPECT_EQ(run.trajectory.status, solve::Status::completed) << run.trajectory.reason;
  EXPECT_EQ(run.times.steps, 2000u);
  EXPECT_EQ(run.trajectory.table.rows(), 201u);
  EXPECT_LE(run.most_iterations, 4);
  EXPECT_LE(run.times.median, run.times.most);
  EXPECT_LE(run.times.most, run.times.worst);
  EXPECT_NEAR(run.trajectory.table.at(100, *run.trajectory.table.find("u2")), -197.004710350, 1.45);
}

}  // namespace
}  // namespace daedal::test
