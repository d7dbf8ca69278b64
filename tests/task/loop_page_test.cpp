// Pages of closed loops: what is drawn is what the table holds.
#include "daedal/task/simulate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace daedal {
inline namespace task {
namespace {

const std::string loop_text =
    "model m\ncoordinate x = 0.5 [m]\nkinetic x'^2/2\ninput u [N]\nforce u on x\noutput place = x\n"
    "controller c every 50 ms\nmeasure x + noise(0.01)\n"
    "observe kalman(process = 1e-3, start = 0.1)\ncommand u = saturate(lqr(Q = 1, R = 1), -0.5, "
    "0.6)\n"
    "controller d\ncommand u = -2*x - 2*x'\n";

const emit::TimePlot* plot_of(const emit::Report& page, const std::string& title) {
  const auto found = std::ranges::find_if(
      page.plots, [&](const emit::TimePlot& plot) { return plot.title == title; });
  return found == page.plots.end() ? nullptr : &*found;
}

const emit::TimeCurve* curve_of(const emit::TimePlot& plot, const std::string& name) {
  const auto found = std::ranges::find_if(
      plot.curves, [&](const emit::TimeCurve& curve) { return curve.name == name; });
  return found == plot.curves.end() ? nullptr : &*found;
}

TEST(LoopPage, shows_states_estimates_and_three_deviations) {
  const Simulation run =
      simulate(load_text(loop_text, "model.daedal", {.controllers = {"c"}}), {.until = 2});
  const emit::Report page = report(run);
  for (const std::string state : {"x", "x'"}) {
    const emit::TimePlot* const plot = plot_of(page, state + " estimated by c");
    ASSERT_NE(plot, nullptr);
    EXPECT_EQ(plot->curves.size(), 4);
    const auto truth = run.table()->column(state),
               mean = run.table()->column("c." + state + ".estimate"),
               deviation = run.table()->column("c." + state + ".deviation");
    const emit::TimeCurve &low = *curve_of(*plot, "- 3 sigma"),
                          &high = *curve_of(*plot, "+ 3 sigma"), &own = *curve_of(*plot, state);
    EXPECT_EQ(low.edge_of, "estimate");
    EXPECT_EQ(high.edge_of, "estimate");
    std::size_t within = 0;
    for (std::size_t r = 0; r < truth.size(); ++r) {
      EXPECT_EQ(own.table->at(r, own.column), truth[r]);
      EXPECT_EQ(low.table->at(r, low.column), mean[r] - 3 * deviation[r]);
      EXPECT_EQ(high.table->at(r, high.column), mean[r] + 3 * deviation[r]);
      within += std::abs(truth[r] - mean[r]) <= 3 * deviation[r] ? 1 : 0;
    }
    EXPECT_GT(within, truth.size() * 9 / 10);
  }
  EXPECT_EQ(plot_of(page, "x estimated by c")->unit, "m");
  const emit::TimePlot* const innovation = plot_of(page, "Innovation of c");
  ASSERT_NE(innovation, nullptr);
  const emit::TimeCurve& bound = *curve_of(*innovation, "97.5 %");
  constexpr double printed = 5e-6;  // [AbramowitzStegun1964, table 26.8]
  EXPECT_NEAR(bound.table->at(0, bound.column), 5.02389, printed);
  for (const emit::TimePlot& plot : page.plots)
    if (plot.title == "Outputs") {
      EXPECT_EQ(plot.curves.size(), 1) << "estimates have plots of their own";
    }
}

TEST(LoopPage, draws_held_commands_as_steps_between_their_limits) {
  const Simulation run =
      simulate(load_text(loop_text, "model.daedal", {.controllers = {"c"}}), {.until = 2});
  const emit::Report page = report(run);
  const emit::TimePlot* const inputs = plot_of(page, "Inputs");
  ASSERT_NE(inputs, nullptr);
  EXPECT_TRUE(curve_of(*inputs, "u")->step);
  const emit::TimeCurve *const low = curve_of(*inputs, "u at least"), *const high = curve_of(
                                                                          *inputs, "u at most");
  ASSERT_NE(low, nullptr);
  ASSERT_NE(high, nullptr);
  EXPECT_EQ(low->table->at(0, low->column), -0.5);
  EXPECT_EQ(high->table->at(0, high->column), 0.6);
  EXPECT_EQ(low->table->rows(), run.table()->rows());
}

TEST(LoopPage, continuous_commands_are_inputs_too) {
  const Simulation run =
      simulate(load_text(loop_text, "model.daedal", {.controllers = {"d"}}), {.until = 2});
  const emit::Report page = report(run);
  const emit::TimePlot* const inputs = plot_of(page, "Inputs");
  ASSERT_NE(inputs, nullptr);
  EXPECT_FALSE(curve_of(*inputs, "u")->step);
}

}  // namespace
}  // namespace task
}  // namespace daedal
