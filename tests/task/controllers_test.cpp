// Controllers by what defines them: closed forms of their blocks, exact samples, random numbers that depend on nothing but the
// seed; and what is said when a controller cannot act.
#include "daedal/study/analyse.hpp"
#include "daedal/task/check.hpp"
#include "daedal/task/invert.hpp"
#include "daedal/task/simulate.hpp"
#include "support/page_blocks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace daedal {
inline namespace task {
namespace {

using testing::HasSubstr;

// Tolerance of a step 1e-11; the motions are smooth and take hundreds of steps at most.
constexpr double run_accuracy = 1e-9;
constexpr double rounding = 1e-12;  // of a few sums and eigenvalues of order 1

const std::string mass =
    "model carriage\nparameter m = 1\ncoordinate x = 1\nkinetic m/2*x'^2\ninput u, w\nforce u on "
    "x\n";

std::string every(double period) { return " every " + std::to_string(period) + " s\n"; }

Simulation run_of(const std::string& text, const std::string& controller, double until,
                  const SimulateOptions& more = {}, const LoadOptions& load = {}) {
  LoadOptions loaded = load;
  loaded.controllers = {controller};
  SimulateOptions options = more;
  options.until = until;
  if (!options.tolerance) options.tolerance = 1e-11;
  return simulate(load_text(text, "model.daedal", loaded), options);
}

double last(const Simulation& run, const std::string& column) {
  const std::vector<double> values = run.table()->column(column);
  return values.empty() ? std::numeric_limits<double>::quiet_NaN() : values.back();
}

/// Of the command u = `formula`.
double commanded(const std::string& formula, const std::string& clock, double until) {
  return last(run_of(mass + "controller c" + clock + "command u = " + formula + "\n", "c", until),
              "u");
}

std::string fault_of(const std::string& text, const LoadOptions& options = {}) {
  try {
    check(load_text(text, "model.daedal", options));
  } catch (const ModelError& error) {
    return error.what();
  }
  return "no fault";
}

template <class Ask>
std::string refusal(Ask ask) {
  try {
    ask();
  } catch (const ModelError& error) {
    return error.what();
  }
  return "no fault";
}

// ---- blocks

struct Block {
  const char* formula;
  double
      value;  // at t = 1 s of x = 1 - exp(-t), T = 0.5 s: y = 1 - 2 exp(-t) + exp(-2t) follows it
};

class Blocks : public testing::TestWithParam<Block> {};

TEST_P(Blocks, are_their_transfer_functions) {
  const Block& block = GetParam();
  EXPECT_NEAR(commanded(block.formula, "\n", 1), block.value, run_accuracy);
  // with a clock they approach the continuous ones at first order or better
  const auto error = [&](double period) {
    return std::abs(commanded(block.formula, every(period), 1) - block.value);
  };
  const double coarse = error(0.02), fine = error(0.01);
  EXPECT_LT(coarse, 0.02 * 5);  // a period of what changes by 5 a second at most
  EXPECT_LT(fine, 0.55 * coarse);
}

const double e1 = std::exp(-1.0), e2 = std::exp(-2.0), followed = 1 - 2 * e1 + e2;

INSTANTIATE_TEST_SUITE_P(
    Of, Blocks,
    testing::Values(Block{"lowpass(1 - exp(-t), 0.5)", followed},
                    Block{"washout(1 - exp(-t), 0.5)", 1 - e1 - followed},
                    Block{"lead_lag(1 - exp(-t), lead = 0.2, lag = 0.5)",
                          followed + 0.4 * (1 - e1 - followed)},
                    Block{"integral(1 - exp(-t))", e1}, Block{"integral(t, start = 2)", 2.5},
                    Block{"derivative(1 - exp(-t), filter = 0.5)", (1 - e1 - followed) / 0.5},
                    Block{"pid(1 - exp(-t), kp = 3, ki = 2, kd = 0.25, filter = 0.5)",
                          3 * (1 - e1) + 2 * e1 + 0.25 * (1 - e1 - followed) / 0.5}));

TEST(Controller, a_notch_stops_its_frequency_alone) {
  for (const std::string& clock : {std::string("\n"), every(0.01)}) {
    const std::string notch = "notch(sin(3*t) + 1, omega = 3, depth = 0, width = 0.7)";
    EXPECT_NEAR(commanded(notch, clock, 20), 1, run_accuracy);
    EXPECT_NEAR(commanded("notch(sin(3*t) + 1, omega = 3, depth = 0.7, width = 0.7)", clock, 2),
                std::sin(6.0) + 1, run_accuracy);
  }
}

TEST(Controller, limits) {
  EXPECT_EQ(commanded("saturate(5*t, -1, 2)", "\n", 1), 2);
  EXPECT_EQ(commanded("saturate(-5*t, -1, 2)", every(0.1), 1), -1);
  EXPECT_NEAR(commanded("rate_limit(if t < 0.05 then 0 else 10, 3)", every(0.1), 1), 3, rounding);
  EXPECT_NEAR(commanded("quantise(0.37, 0.25)", every(0.1), 1), 0.25, rounding);
  EXPECT_NEAR(commanded("quantise(0.38, 0.25)", "\n", 1), 0.5, rounding);
}

// e = 1 for 2 s, then -1: without a way out the integral would have grown to 2 and take 4 s to come down to -2.
TEST(Controller, the_integral_of_a_pid_gives_way_at_its_limits) {
  const std::string error = "if t < 2 then 1 else -1";
  const std::string limited =
      "pid(" + error + ", kp = 0.1, ki = 1, low = -0.5, high = 0.5, unwind = 0.05)";
  for (const std::string& clock : {std::string("\n"), every(0.001)}) {
    EXPECT_EQ(commanded(limited, clock, 1.9), 0.5);
    EXPECT_LT(commanded(limited, clock, 3.2), -0.49);
  }
}

TEST(Controller, holds_from_a_condition_on) {
  for (const std::string& clock : {std::string("\n"), every(0.1)}) {
    EXPECT_NEAR(commanded("hold(t, t > 0.95)", clock, 0.9), 0.9, run_accuracy);
    EXPECT_NEAR(commanded("hold(t, t > 0.95)", clock, 3), clock == "\n" ? 0.95 : 1.0, run_accuracy);
    EXPECT_NEAR(commanded("hold(t, t > 0.95 and t < 2.05)", clock, 3), 3, run_accuracy);
  }
}

// ---- clocks

// x'' = -k x(t_k): within a period a parabola, so the samples follow an exact map.
TEST(Controller, with_a_clock_holds_its_command_exactly) {
  const double period = 0.1, k = 4, d = 1.5;
  const Simulation run = run_of(mass + "controller c every 100 ms\ncommand u = -4*x - 1.5*x'\n",
                                "c", 5, {.every = 0.1});
  double x = 1, v = 0;
  const std::vector<double> xs = run.table()->column("x"), vs = run.table()->column("x'");
  ASSERT_EQ(xs.size(), 51);
  for (std::size_t r = 0; r < xs.size(); ++r) {
    EXPECT_NEAR(xs[r], x, run_accuracy);
    EXPECT_NEAR(vs[r], v, run_accuracy);
    const double u = -k * x - d * v;
    x += period * v + period * period / 2 * u;
    v += period * u;
  }
}

TEST(Controller, every_method_sees_the_same_samples) {
  const std::string text = mass +
                           "controller c every 30 ms\nstate i = 0 next i + 0.03*x\n"
                           "command u = -4*x - 2*x' - i\n";
  const double reference = last(run_of(text, "c", 2), "x");
  constexpr double ida_accuracy = 1e-7;  // 67 restarts at order 1
  for (const char* method : {"dop853", "radau5", "ida"}) {
    SimulateOptions options;
    options.method = method;
    EXPECT_NEAR(last(run_of(text, "c", 2, options), "x"), reference, ida_accuracy) << method;
  }
}

// Where clocks meet, both controllers see what was before: neither the new command of the other, nor its new state.
TEST(Controller, clocks_that_meet_do_not_see_each_other) {
  const std::string text = mass +
                           "controller a every 10 ms\nstate n = 0 next n + 1\ncommand u = n\n"
                           "controller b every 20 ms\ncommand w = u\n";
  const Simulation run = simulate(load_text(text, "model.daedal", {.controllers = {"a", "b"}}),
                                  {.until = 0.095, .every = 0.005});
  // a's samples at 0, 10, 20, ... ms command 0, 1, 2, ...; b reads u before a's new command
  EXPECT_EQ(last(run, "u"), 9);
  EXPECT_EQ(last(run, "w"), 7);
}

TEST(Controller, a_delay_is_whole_samples_and_a_dead_time_any) {
  const auto at = [&](const std::string& law, double t) {
    return last(
        run_of(mass + "controller c every 10 ms\nstate n = 1 next n + 1\ncommand u = " + law + "\n",
               "c", t),
        "u");
  };
  EXPECT_EQ(at("n", 0.055), 6);
  EXPECT_EQ(at("delay(n, 2)", 0.055), 4);
  EXPECT_EQ(at("previous(n, start = -1)", 0.005), -1);
  EXPECT_EQ(at("delay(n, time = 0.013)", 0.012), 0);
  EXPECT_EQ(at("delay(n, time = 0.013)", 0.014), 1);
  EXPECT_EQ(at("delay(n, time = 0.013)", 0.0549), 5);
}

// ---- what is random

std::vector<double> random_commands(std::uint64_t seed, const char* method,
                                    const std::string& law) {
  SimulateOptions options{.every = 0.01, .method = method, .global_error = false, .seed = seed};
  const Simulation run =
      run_of(mass + "controller c every 10 ms\ncommand w = " + law + "\n", "c", 100.005, options);
  return run.table()->column("w");
}

TEST(Controller, noise_depends_on_nothing_but_its_seed) {
  const std::vector<double> first = random_commands(1, "rk45", "noise(2)");
  EXPECT_EQ(first, random_commands(1, "rk45", "noise(2)"));
  EXPECT_EQ(first, random_commands(1, "radau5", "noise(2)"));
  EXPECT_NE(first, random_commands(2, "rk45", "noise(2)"));
}

TEST(Controller, noise_is_normal_and_white) {
  const std::vector<double> w = random_commands(3, "rk45", "noise(2)");
  const auto n = static_cast<double>(w.size());
  ASSERT_GE(w.size(), 10000);
  double mean = 0, square = 0, fourth = 0, next = 0;
  for (std::size_t k = 0; k < w.size(); ++k) {
    mean += w[k] / n, square += w[k] * w[k] / n, fourth += std::pow(w[k], 4) / n;
    if (k > 0) next += w[k] * w[k - 1] / n;
  }
  const double deviations = 5 / std::sqrt(n);  // five of the estimate's own
  EXPECT_NEAR(mean, 0, 2 * deviations);
  EXPECT_NEAR(square, 4, 4 * std::sqrt(2.0) * deviations);
  EXPECT_NEAR(fourth, 48, 16 * std::sqrt(96.0) * deviations);
  EXPECT_NEAR(next, 0, 4 * deviations);
}

TEST(Controller, lost_samples_repeat_the_one_before) {
  const std::vector<double> w = random_commands(1, "rk45", "dropout(floor(100*t + 0.5), 0.3)");
  double lost = 0;
  for (std::size_t k = 1; k < w.size(); ++k) lost += w[k] == w[k - 1] ? 1 : 0;
  const auto n = static_cast<double>(w.size());
  EXPECT_NEAR(lost / n, 0.3, 5 * std::sqrt(0.3 * 0.7 / n));  // five deviations
}

// ---- what a controller knows

TEST(Controller, believes_in_the_model_of_the_file) {
  const std::string text = mass + "controller c\nparameter k = 2\ncommand u = -k*m*x\n";
  const Simulation nominal = run_of(text, "c", 0.5),
                   heavy = run_of(text, "c", 0.5, {}, {.plant = {{"m", "4"}}}),
                   both = run_of(text, "c", 0.5, {}, {.parameters = {{"m", "4"}}});
  EXPECT_NEAR(last(nominal, "x"), std::cos(std::sqrt(2.0) * 0.5), run_accuracy);  // x'' = -k m/m x
  EXPECT_NEAR(last(heavy, "x"), std::cos(std::sqrt(0.5) * 0.5), run_accuracy);
  EXPECT_NEAR(last(both, "x"), std::cos(std::sqrt(2.0) * 0.5), run_accuracy);
}

TEST(Controller, sees_what_it_measures_and_nothing_else) {
  const std::string text = mass + "controller c every 10 ms\nmeasure s = x + 0.5\ncommand u = -s\n";
  EXPECT_EQ(run_of(text, "c", 0.001).table()->column("u").front(), -1.5);
  EXPECT_THAT(fault_of(mass + "controller c every 10 ms\nmeasure x\ncommand u = -x'\n"),
              HasSubstr("derivative(x, filter = 0.01)"));
}

TEST(Controller, does_not_act_unless_it_is_asked) {
  const std::string text =
      mass + "controller c\ncommand u = -x\nexperiment e: simulate(until = 1)\n";
  EXPECT_EQ(simulate(load_text(text), {.until = 1}).table()->column("x").back(), 1);
}

// u on an input of a part
TEST(Controller, commands_inputs_of_parts) {
  const std::string text =
      "model cart\ncoordinate x = 1\nkinetic x'^2/2\ninput u\nforce u on x\n"
      "model train\npart a = cart(), b = cart()\n"
      "controller c\ncommand a.u = -a.x\ncommand b.u = -4*b.x\n";
  const Simulation run = run_of(text, "c", 0.5);
  EXPECT_NEAR(last(run, "a.x"), std::cos(0.5), run_accuracy);
  EXPECT_NEAR(last(run, "b.x"), std::cos(1.0), run_accuracy);
}

const std::string cart =
    "model cart\nparameter m = 1\ncoordinate x = 1\nkinetic m/2*x'^2\ninput u\nforce u on x\n";

// A bug: "part 'a' is defined in terms of itself".
TEST(Feedback, on_inputs_of_parts_is_written_where_they_are_made) {
  const auto run = [](const std::string& train) {
    return simulate(load_text(cart + "model train\n" + train), {.until = 0.5, .tolerance = 1e-11});
  };
  const Simulation one = run("part a = cart(u = -a.x)\n");
  EXPECT_NEAR(last(one, "a.x"), std::cos(0.5), run_accuracy);
  EXPECT_NEAR(last(one, "a.u"), -std::cos(0.5), run_accuracy);
  EXPECT_NEAR(last(run("let L = -4*a.x\npart a = cart(u = L)\n"), "a.x"), std::cos(1.0),
              run_accuracy);
  // two carts that pull at each other: their middle stays, the distance swings with sqrt(2)
  const Simulation two =
      run("part a = cart(u = b.x - a.x), b = cart(u = a.x - b.x)\ninitial b.x = 3\n");
  EXPECT_NEAR(last(two, "a.x") + last(two, "b.x"), 4, run_accuracy);
  EXPECT_NEAR(last(two, "b.x") - last(two, "a.x"), 2 * std::cos(std::sqrt(2) * 0.5), run_accuracy);
  const Simulation row = run("part a[i in 1..2] = cart(u = -i^2*a[i].x)\n");
  EXPECT_NEAR(last(row, "a[1].x"), std::cos(0.5), run_accuracy);
  EXPECT_NEAR(last(row, "a[2].x"), std::cos(1.0), run_accuracy);
}

TEST(Feedback, on_a_command_line_is_refused_with_what_to_write) {
  EXPECT_EQ(refusal([] {
              load_text(cart + "model train\npart a = cart()\n", "model.daedal",
                        {.inputs = {{"a.u", "-a.x"}}});
            }),
            "inputs a.u:1:1: error: input 'a.u' must be made of t and parameters, not of the part "
            "'a'\n    -a.x\n    ^~~~\n  help: feedback is a controller:  controller feedback  and  "
            "command a.u = -a.x");
}

// Bugs: two messages more followed, one of them about 'the variable u'; and parameters that hold commands were listed.
TEST(Controller, faults_have_no_consequences) {
  const std::string both = mass + "controller c\ncommand u = -x\ncontroller d\ncommand u = -x\n";
  EXPECT_EQ(refusal([&] {
              load_text(both, "model.daedal", {.controllers = {"c", "d"}});
            }),
            "model.daedal:10:9: error: 'u' is commanded twice\n    command u = -x\n            ^\n "
            " help: "
            "controller 'c' commands it");
  EXPECT_EQ(refusal([&] {
              load_text(mass + "controller c every 10 ms\ncommand u = -x\n", "model.daedal",
                        {.controllers = {"c"}, .plant = {{"zz", "2"}}});
            }),
            "error: plant zz: model 'carriage' has no parameter or size 'zz'\n  help: it has m");
}

TEST(Controller, continuous_ones_are_part_of_what_is_analysed) {
  const Model model = load_text(mass + "controller c\ncommand u = -2*x - 2*x'\n", "model.daedal",
                                {.controllers = {"c"}});
  const Analysis found = analyse(model);
  ASSERT_EQ(found.poles.size(), 2);
  for (const std::complex<double>& pole : found.poles) {
    EXPECT_NEAR(pole.real(), -1, rounding);
    EXPECT_NEAR(std::abs(pole.imag()), 1, rounding);
  }
}

// ---- what is refused

// The filter saw what the controller knows, its own output, and stood still: poles at 0.
TEST(Controller, a_continuous_sensor_acts_on_the_mechanism_itself) {
  struct Case {
    const char* sensor;
    double a, b,
        c;  // of s^3 + a s^2 + b s + c: x'' = -y - x', and y = x/(1 + s/2) or x (s/2)/(1 + s/2)
  };
  for (const auto& [sensor, a, b, c] : {Case{"lowpass", 3, 2, 2}, Case{"washout", 3, 3, 0}}) {
    SCOPED_TRACE(sensor);
    const std::string text =
        mass + "controller c\nmeasure " + sensor + "(x, 0.5), x'\ncommand u = -x - x'\n";
    const Analysis found = analyse(load_text(text, "model.daedal", {.controllers = {"c"}}));
    ASSERT_EQ(found.poles.size(), 3);
    for (const std::complex<double>& s : found.poles)
      EXPECT_LT(std::abs(((s + a) * s + b) * s + c), rounding) << s;
  }
}

// A computed measurement without a clock was refused: the controller did not know what it is made of. x'' = -2 x - 2 x'
TEST(Controller, a_continuous_controller_knows_what_it_measures_under_a_name) {
  const Analysis found =
      analyse(load_text(mass + "controller c\nmeasure s = 2*x + x', v = x'\ncommand u = -s - v\n",
                        "model.daedal", {.controllers = {"c"}}));
  ASSERT_EQ(found.poles.size(), 2);
  for (const std::complex<double>& s : found.poles)
    EXPECT_LT(std::abs((s + 2.0) * s + 2.0), rounding);
}

TEST(Controller, with_a_clock_is_not_analysed) {
  const Model model = load_text(mass + "controller c every 10 ms\ncommand u = -x\n", "model.daedal",
                                {.controllers = {"c"}});
  EXPECT_THAT(refusal([&] { analyse(model); }),
              HasSubstr("controller 'c' has a clock, and this question needs equations"));
  EXPECT_THAT(refusal([&] { invert(model); }),
              HasSubstr("this question concerns the model without it"));
}

TEST(Controller, stops_at_what_is_not_a_number) {
  const Simulation run =
      run_of(mass + "controller c every 10 ms\nmeasure s = log(0.5 - t)\ncommand u = s\n", "c", 1);
  EXPECT_FALSE(run.holds);
  EXPECT_THAT(run.reason,
              HasSubstr("controller 'c': the measurement 's' is not a number at its sample 50"));
}

// Bugs: quantise(x, 0) commanded 0, lowpass(x, -0.02) diverged, and the others did as little of what they say.
// Bugs: the message was of steps that are too short and a matrix that is singular, and where the state stood still in
// rounding, steps crept on by the million.
TEST(Controller, continuous_ones_stop_at_what_is_not_a_number) {
  const Simulation in_time =
      run_of(mass + "controller c\nmeasure s = sqrt(0.1 - t)\ncommand u = -s\n", "c", 1);
  EXPECT_FALSE(in_time.holds);
  EXPECT_THAT(in_time.reason,
              HasSubstr("stopped at t = 0.1 s: controller 'c': the measurement 's' is not a number "
                        "from there on\n  help: keep its formula where it has a value, as in  "
                        "sqrt(max(0, x))"));
  const std::string pulled =
      "model m\ncoordinate x = 1\nkinetic x'^2/2\ninput u\nforce u - 1 on x\n"
      "controller c\ncommand u = sqrt(x - 0.999)\n";
  const Simulation in_state = run_of(pulled, "c", 1, {.global_error = false});
  EXPECT_FALSE(in_state.holds);
  EXPECT_THAT(in_state.reason,
              HasSubstr("controller 'c': the command 'u' is not a number from there on"));
  constexpr std::uint64_t at_most = 20'000;  // ten windows in which steps lead nowhere
  EXPECT_LT(in_state.trajectory.statistics.accepted, at_most);
}

TEST(Controller, refuses_constants_that_blocks_cannot_have) {
  struct Case {
    const char *formula, *message, *help;
  };
  const Case cases[] = {
      {"quantise(x, 0)", "'step' of quantise is 0, not a number above 0", ""},
      {"quantise(x, step = 2 - 2*m)", "'step' of quantise is 0, not a number above 0", ""},
      {"noise(-1)", "'deviation' of noise is -1, not 0 or more", ""},
      {"rate_limit(x, -1)", "'rate' of rate_limit is -1, not a number above 0", ""},
      {"rate_limit(x, 0)", "'rate' of rate_limit is 0, not a number above 0", ""},
      {"dropout(x, 2)", "'probability' of dropout is 2, not a number from 0 to 1", ""},
      {"lowpass(x, 0)", "'time' of lowpass is 0, not a number above 0", ""},
      {"lowpass(x, sqrt(-m))", "'time' of lowpass is nan, not a number above 0", ""},
      {"washout(x, -0.02)", "'time' of washout is -0.02, not a number above 0", ""},
      {"lead_lag(x, lead = 1, lag = 0)", "'lag' of lead_lag is 0, not a number above 0", ""},
      {"notch(x, omega = 0, depth = 0, width = 1)", "'omega' of notch is 0, not a number above 0",
       ""},
      {"notch(x, omega = 9, depth = -1, width = 1)", "'depth' of notch is -1, not 0 or more", ""},
      {"notch(x, omega = 9, depth = 0, width = 0)", "'width' of notch is 0, not a number above 0",
       ""},
      {"notch(x, omega = 400, depth = 0, width = 1)", "'omega' of notch is 400, not below 314.159",
       "samples do not show more than pi/T, where T is their period"},
      {"derivative(x, filter = -1)", "'filter' of derivative is -1, not 0 or more", ""},
      {"pid(x, kp = 1, kd = 1, filter = -1)", "'filter' of pid is -1, not 0 or more", ""},
      {"pid(x, kp = 1, ki = 1, low = -1, high = 1, unwind = 0)",
       "'unwind' of pid is 0, not a number above 0", ""},
      {"pid(x, kp = 1, low = 1, high = -1)",
       "the limits of pid are in the wrong order: 1 is above -1", "the lower limit comes first"},
      {"saturate(x, 1, -m)", "the limits of saturate are in the wrong order: 1 is above -1",
       "the lower limit comes first"},
      {"funnel(x, psi = 0, gamma = 1)", "'psi' of funnel is 0, not a number above 0", ""},
      {"sliding_mode(Theta = 1, Lambda = 1, kappa = 1, width = -1)",
       "'width' of sliding_mode is -1, not 0 or more", ""},
      {"sliding_mode(Theta = 1, Lambda = 1, kappa = -1, width = 1)",
       "'kappa' of sliding_mode is -1, not a number above 0", ""},
      {"disturbance_observer(bandwidth = 0)",
       "'bandwidth' of disturbance_observer is 0, not a number above 0", ""},
      {"disturbance_observer(bandwidth = 200)",
       "'bandwidth' of disturbance_observer is 200, not below 200",
       "its estimate grows from 2/T on, where T is the period of the samples"}};
  for (const Case& c : cases) {
    SCOPED_TRACE(c.formula);
    const std::string found =
        fault_of(mass + "controller c every 10 ms\ncommand u = " + c.formula + "\n");
    EXPECT_THAT(found, HasSubstr("error: " + std::string(c.message) + "\n"));
    const std::string help = *c.help == '\0' ? "" : "\n  help: " + std::string(c.help);
    EXPECT_THAT(found, HasSubstr(help));
  }
  EXPECT_THAT(fault_of(mass + "controller c\ncommand u = derivative(x, filter = 0)\n"),
              HasSubstr("'filter' of derivative is 0, not a number above 0"));
  // what depends on more than parameters is nobody's to know, and the ends of the ranges are allowed
  for (const char* formula : {"saturate(x, t, 1 - t)", "quantise(x, 1 + t)", "dropout(x, 1)",
                              "noise(0)", "saturate(x, 1, 1)", "derivative(x, filter = 0)"})
    EXPECT_EQ(fault_of(mass + "controller c every 10 ms\ncommand u = " + formula + "\n"),
              "no fault")
        << formula;
}

TEST(Controller, with_poles_that_do_not_decay_is_warned_of) {
  const auto warnings = [](const std::string& poles) {
    const Model model =
        load_text(mass + "controller c\ncommand u = pole_placement(" + poles + ")\n",
                  "model.daedal", {.controllers = {"c"}});
    std::string all;
    for (const Diagnostic& warning : model.warnings()) all += render(warning) + "\n";
    return all;
  };
  EXPECT_EQ(warnings("poles = [-1, -2]"), "");
  EXPECT_EQ(warnings("poles = [1, -2]"),
            "model.daedal:8:36: warning: pole_placement: the pole 1 does not decay\n"
            "    command u = pole_placement(poles = [1, -2])\n"
            "                                       ^~~~~~~\n"
            "  help: poles of a stable loop have real parts below 0, with a clock too\n");
  EXPECT_THAT(warnings("pairs = [0, 2]"), HasSubstr("the pole 0 +- 2i does not decay"));
}

TEST(Controller, that_would_sample_for_hours_is_refused) {
  EXPECT_THAT(
      refusal([&] { run_of(mass + "controller c every 1e-3 us\ncommand u = -x\n", "c", 10); }),
      HasSubstr("controller 'c' has 1e+10 samples in 10 s"));
}

TEST(Controller, faults_are_what_the_page_says) {
  const auto blocks = model::page_blocks(DAEDAL_SOURCE_DIR "/docs/language/controllers.md");
  int faults = 0;
  for (std::size_t i = 0; i + 1 < blocks.size(); ++i) {
    if (blocks[i].kind != "daedal-fault") continue;
    SCOPED_TRACE("controllers.md:" + std::to_string(blocks[i].line));
    ++faults;
    EXPECT_EQ(fault_of(blocks[i].text) + "\n", blocks[i + 1].text);
  }
  EXPECT_GE(faults, 10);
}

TEST(Controller, examples_of_the_page_run) {
  for (const auto& block : model::page_blocks(DAEDAL_SOURCE_DIR "/docs/language/controllers.md")) {
    if (block.kind != "daedal") continue;
    SCOPED_TRACE("controllers.md:" + std::to_string(block.line));
    const Model model = load_text(block.text, "model.daedal");
    for (const auto& answer : run(model)) EXPECT_TRUE(answer->holds) << answer->reason;
    EXPECT_EQ(fault_of(block.text), "no fault");
  }
}

}  // namespace
}  // namespace task
}  // namespace daedal
