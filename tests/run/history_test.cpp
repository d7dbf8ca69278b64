#include "daedal/derive/dae.hpp"
#include "daedal/elaborate/elaborate.hpp"
#include "daedal/run/simulate.hpp"
#include "daedal/start/prepare.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace daedal::solve {
namespace {

Trajectory run(const std::string& text, bool history) {
  const auto m =
      std::make_shared<const model::Model>(model::elaborate(model::load_text(text, "m.daedal")));
  const Prepared prepared = prepare(std::make_shared<derive::Dae>(derive::derive(m)), {}, {});
  SimulateOptions options;
  options.until = 3;
  options.every = 0.05;
  options.history = history;
  return simulate(prepared.problem, prepared.start, options);
}

const std::string pendulum = R"(model pendulum
parameter strength = 1e9
coordinate x = 1, y = 0
kinetic (x'^2 + y'^2)/2
potential 9.81*y
dissipation 0.1/2*(x'^2 + y'^2)
constraint rod: x^2 + y^2 = 1
event snap: when rod.force > strength then release rod
)";

double largest(const Table& table, const char* name) {
  const std::vector<double> values = table.column(*table.find(name));
  return *std::max_element(values.begin(), values.end());
}

TEST(History, has_a_row_for_every_row_and_its_extremes_are_those_of_the_summary) {
  const Trajectory t = run(pendulum, true);
  ASSERT_EQ(t.history.rows(), t.table.rows());
  // the summary looks between rows too, where they are fewer than 200
  const double balance = largest(t.history, history_column::balance);
  EXPECT_LE(balance, t.energy.largest_error);
  EXPECT_GT(balance, t.energy.largest_error / 2);
  const double kinetic = largest(t.history, history_column::kinetic);
  EXPECT_LE(kinetic, t.energy.scale);
  EXPECT_GT(kinetic, t.energy.scale / 2);
  EXPECT_EQ(t.history.at(0, *t.history.find(history_column::energy)), t.energy.initial);
  EXPECT_EQ(t.history.at(t.history.rows() - 1, *t.history.find(history_column::work)),
            t.energy.work);
  ASSERT_EQ(t.drift.size(), 3U);
  for (const LevelDrift& level : t.drift) {  // steps count for the summary too
    EXPECT_LE(largest(t.history, level.level.c_str()), level.largest);
    EXPECT_GE(largest(t.history, level.level.c_str()), 0);
  }
  EXPECT_EQ(largest(t.history, "acceleration"), t.drift[2].largest);  // only rows have it
}

TEST(History, steps_lie_between_the_smallest_and_the_largest) {
  const Trajectory t = run(pendulum, true);
  const std::size_t step = *t.history.find(history_column::step);
  EXPECT_TRUE(std::isnan(t.history.at(0, step)));
  for (std::size_t r = 1; r < t.history.rows(); ++r) {
    EXPECT_GT(t.history.at(r, step), 0);
    EXPECT_LE(t.history.at(r, step), t.statistics.largest_step * (1 + 1e-12));
  }
}

TEST(History, goes_on_behind_an_event_where_a_released_constraint_has_no_drift) {
  std::string text = pendulum;
  text.replace(text.find("1e9"), 3, "10");
  const Trajectory t = run(text, true);
  ASSERT_EQ(t.events.size(), 1U);
  ASSERT_EQ(t.history.rows(), t.table.rows());
  EXPECT_TRUE(std::isnan(t.history.at(t.history.rows() - 1, *t.history.find("position"))));
}

TEST(History, is_kept_only_when_asked_for_and_changes_nothing) {
  const Trajectory with = run(pendulum, true), without = run(pendulum, false);
  EXPECT_EQ(without.history.rows(), 0U);
  EXPECT_TRUE(std::equal(with.table.data().begin(), with.table.data().end(),
                         without.table.data().begin(), without.table.data().end()));
}

}  // namespace
}  // namespace daedal::solve
