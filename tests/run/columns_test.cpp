// A column of a trajectory knows its quantity: kind, symbol, order, unit and sign.
#include "daedal/run/columns.hpp"

#include "daedal/derive/dae.hpp"
#include "daedal/elaborate/elaborate.hpp"
#include "daedal/run/simulate.hpp"
#include "daedal/start/prepare.hpp"

#include <gtest/gtest.h>

namespace daedal::solve {
namespace {

Table rows_of(const std::string& text) {
  const auto m =
      std::make_shared<const model::Model>(model::elaborate(model::load_text(text, "m.daedal")));
  const Prepared prepared = prepare(std::make_shared<const derive::Dae>(derive::derive(m)), {});
  return simulate(prepared.problem, prepared.start, {.until = 0.1, .global_error = false}).table;
}

struct Expected {
  std::string name, unit;
  ColumnKind kind;
  std::string symbol;
  int order;
  bool opposite;
};

void expect_columns(const Table& table, const std::vector<Expected>& expected) {
  ASSERT_EQ(table.width(), expected.size());
  for (std::size_t c = 0; c < expected.size(); ++c) {
    const Column& column = table.columns()[c];
    EXPECT_EQ(column.name, expected[c].name);
    EXPECT_EQ(column.unit, expected[c].unit) << column.name;
    EXPECT_EQ(column.kind, expected[c].kind) << column.name;
    EXPECT_EQ(column.symbol, expected[c].symbol) << column.name;
    EXPECT_EQ(column.order, expected[c].order) << column.name;
    EXPECT_EQ(column.opposite, expected[c].opposite) << column.name;
  }
}

TEST(Columns, know_their_quantities) {
  using enum ColumnKind;
  expect_columns(rows_of("model m\ncoordinate x = 1 [m], y = 0 [m], s = 0 [m]\nvariable w = 0 "
                         "[1]\nparameter s0 = 1 [s]\n"
                         "kinetic (x'^2 + y'^2 + s'^2)/2\nconstraint rod: x^2 + y^2 = 1\n"
                         "input u [m/s]\ndrive s by u velocity()\nequation w'' + w/s0^2 = 0\n"
                         "output z = s.force [N]\n"),
                 {{"t", "s", time, "t", 0, false},
                  {"x", "m", coordinate, "x", 0, false},
                  {"y", "m", coordinate, "y", 0, false},
                  {"s", "m", coordinate, "s", 0, false},
                  {"w", "1", variable, "w", 0, false},
                  {"x'", "m/s", velocity, "x", 1, false},
                  {"y'", "m/s", velocity, "y", 1, false},
                  {"s'", "m/s", velocity, "s", 1, false},
                  {"w'", "1/s", rate, "w", 1, false},
                  {"rod.force", "N/m", force, "rod", 0, true},
                  {"s.force", "N", force, "s.force", 0, false},
                  {"u", "m/s", input, "u", 0, false},
                  {"z", "N", output, "", 0, false},
                  {"rod.tension", "N", tension, "", 0, false}});
}

TEST(Columns, are_found_by_quantity_and_turned_to_its_sign) {
  const Table table =
      rows_of("model m\ncoordinate x = 1\nkinetic x'^2/2\nconstraint stop: x = 1 + t^2\n");
  const auto force = table.find("stop", 0);
  ASSERT_TRUE(force);
  EXPECT_EQ(table.columns()[*force].name, "stop.force");
  EXPECT_EQ(table.columns()[*force].turned(table.at(0, *force)), 2);  // x'' = stop
  EXPECT_EQ(table.find("x", 1), table.find("x'"));
  EXPECT_FALSE(table.find("x", 2));
}

}  // namespace
}  // namespace daedal::solve
