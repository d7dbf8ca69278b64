// A force has one name, one sign and one unit: in the summary, the table (CSV), JSON and the page.
#include "daedal/emit/files.hpp"
#include "daedal/task/invert.hpp"
#include "daedal/task/simulate.hpp"
#include "support/bounds.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <string>

namespace daedal {
inline namespace task {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::string crane = R"(model crane
parameter m = 18.9 [kg], g = 9.81 [m/s^2], tau = 0.02 [s]
coordinate x_T = 15 [m], L = 4 [m], x_P = 15 [m], z_P = 4 [m]
kinetic    m/2*(x_P'^2 + z_P'^2)
potential  -m*g*z_P
input      u_T [m/s], u_L [m/s]
drive      x_T by u_T velocity(lag = tau), L by u_L velocity(lag = tau)
constraint cable: z_P^2 + (x_P - x_T)^2 = L^2
output     pull = cable.force [N/m], winch = L.force [N]
servo      [x_P, z_P] = line([15, 4], [11, 7], rest_to_rest(t/10, smoothness = 4))
draw       disc [x_P, -z_P] radius 0.01*cable.force
)";

const std::string pendulum = R"(model pendulum
parameter m = 2 [kg], L = 1.5 [m], g = 9.81 [m/s^2]
coordinate x = L [m], y = 0 [m]
kinetic    m/2*(x'^2 + y'^2)
potential  m*g*y
constraint rod: x^2 + y^2 = L^2
output     pull = rod.force
)";

const emit::TimeCurve* curve_of(const emit::Report& page, const std::string& name) {
  for (const emit::TimePlot& plot : page.plots)
    for (const emit::TimeCurve& curve : plot.curves)
      if (curve.name == name) return &curve;
  return nullptr;
}

/// The unit of the plot with that curve.
std::string plotted_unit(const emit::Report& page, const std::string& name) {
  for (const emit::TimePlot& plot : page.plots)
    for (const emit::TimeCurve& curve : plot.curves)
      if (curve.name == name) return plot.unit;
  return "none";
}

/// What the table says is what JSON, page and the model's own formula say.
void expect_one_force(const Answer& answer, const std::string& constraint,
                      const std::string& output) {
  const Table& table = *answer.table();
  const auto json = nlohmann::json::parse(to_json(answer));
  const emit::Report page = report(answer);
  const std::string name = constraint + ".force";
  EXPECT_FALSE(table.find(constraint)) << "the multiplier is no column";
  ASSERT_TRUE(table.find(name));
  const Column& column = table.columns()[*table.find(name)];
  EXPECT_EQ(column.kind, ColumnKind::force);
  EXPECT_EQ(column.symbol, constraint);
  EXPECT_TRUE(column.opposite);
  EXPECT_EQ(column.unit, "N/m");
  EXPECT_EQ(plotted_unit(page, name), "N/m");
  EXPECT_THAT(emit::to_csv(table, true), HasSubstr(name + " [N/m],"));
  const std::vector<double> forces = table.column(name);
  EXPECT_EQ(forces, table.column(output)) << "what the model calls the force";
  EXPECT_EQ(json.at("final").at(name).get<double>(), forces.back());
  EXPECT_FALSE(json.at("final").contains(constraint));
  const emit::TimeCurve* const curve = curve_of(page, name);
  ASSERT_NE(curve, nullptr);
  EXPECT_EQ(curve->table->column(curve->column), forces);
}

TEST(Forces, of_a_crane_are_the_same_in_summary_table_JSON_and_page) {
  const Inversion i = invert(load_text(crane));
  expect_one_force(i, "cable", "pull");
  const std::vector<double> forces = i.table()->column("cable.force");
  const auto [low, high] = std::ranges::minmax_element(forces);
  const auto json = nlohmann::json::parse(to_json(i)).at("forces");
  EXPECT_EQ(json.at("cable.force").at("smallest").get<double>(), *low);
  EXPECT_EQ(json.at("cable.force").at("largest").get<double>(), *high);
  EXPECT_EQ(json.at("cable.force").at("unit"), "N/m");
  EXPECT_THAT(summary(i), HasSubstr("  force    cable.force: 13.2435 to 23.1761 N/m\n"));
  // at rest the cable carries the weight: 2 L force = m g
  EXPECT_NEAR(forces.front(), 18.9 * 9.81 / (2 * 4), test::rounding(100, 23));
}

TEST(Forces, of_a_drive_have_their_own_sign) {
  const Inversion i = invert(load_text(crane));
  const auto force = std::ranges::find(i.forces, "L.force", &Signal::name);
  ASSERT_NE(force, i.forces.end());
  const std::vector<double> winch = i.table()->column("winch");
  EXPECT_EQ(i.table()->column("L.force"), winch);
  EXPECT_EQ(force->smallest, *std::ranges::min_element(winch));
  EXPECT_EQ(force->largest, *std::ranges::max_element(winch));
  // the winch pulls along -L: with the weight at rest
  EXPECT_NEAR(winch.front(), -18.9 * 9.81, test::rounding(100, 190));
}

TEST(Forces, of_a_pendulum_are_the_same_in_summary_table_JSON_and_page) {
  const Simulation s = simulate(load_text(pendulum), {.until = 1, .tolerance = 1e-12});
  expect_one_force(s, "rod", "pull");
  const auto json = nlohmann::json::parse(to_json(s));
  EXPECT_TRUE(json.at("global_error").at("columns").contains("rod.force"));
  const std::string text = summary(s);
  EXPECT_THAT(text, HasSubstr(", rod.force = "));
  EXPECT_THAT(text, HasSubstr(" (rod.force), from "));
  EXPECT_THAT(text, Not(HasSubstr("multiplier")));
  const std::vector<double> y = s.table()->column("y"), force = s.table()->column("rod.force");
  for (std::size_t r = 0; r < y.size(); ++r)  // released at the height 0: -3 m g y/(2 L^2)
    EXPECT_NEAR(force[r], -1.5 * 2 * 9.81 * y[r] / (1.5 * 1.5), test::accumulated(1e-12, 1000));
}

// ---- tensions of squared lengths

/// A pendulum whose rod is written as `constraint`, with units.
Simulation swing(const std::string& constraint) {
  return simulate(load_text("model m\nparameter m = 2 [kg], L = 1.5 [m], g = 9.81 [m/s^2]\n"
                            "coordinate x = L [m], y = 0 [m]\nkinetic m/2*(x'^2 + y'^2)\n"
                            "potential m*g*y\nconstraint rod: " +
                            constraint + "\n"),
                  {.until = 1, .tolerance = 1e-12});
}

TEST(Tensions, of_a_cable_carry_its_load_and_are_the_same_everywhere) {
  const Inversion i = invert(load_text(crane));
  const Table& table = *i.table();
  ASSERT_TRUE(table.find("cable.tension"));
  const Column& column = table.columns()[*table.find("cable.tension")];
  EXPECT_EQ(column.unit, "N");
  EXPECT_EQ(column.kind, ColumnKind::tension);
  const std::vector<double> tension = table.column("cable.tension"), length = table.column("L"),
                            force = table.column("cable.force");
  EXPECT_NEAR(tension.front(), 18.9 * 9.81, test::rounding(100, 190));
  for (std::size_t r = 0; r < tension.size(); ++r)
    EXPECT_NEAR(tension[r], 2 * length[r] * force[r], test::rounding(4, 190));
  const auto json = nlohmann::json::parse(to_json(i));
  EXPECT_EQ(json.at("final").at("cable.tension").get<double>(), tension.back());
  EXPECT_EQ(json.at("forces").at("cable.tension").at("unit"), "N");
  EXPECT_EQ(json.at("forces").at("cable.tension").at("largest").get<double>(),
            *std::ranges::max_element(tension));
  EXPECT_THAT(summary(i), HasSubstr("cable.tension: "));
  EXPECT_THAT(emit::to_csv(table, true), HasSubstr("cable.tension [N]"));
  const emit::Report page = report(i);
  EXPECT_EQ(plotted_unit(page, "cable.tension"), "N");
  const emit::TimeCurve* const curve = curve_of(page, "cable.tension");
  ASSERT_NE(curve, nullptr);
  EXPECT_EQ(curve->table->column(curve->column), tension);
}

// norm([x, y]) = L has the tension itself as its force; the three others are the same rod.
TEST(Tensions, are_those_of_the_length_whichever_way_its_square_is_written) {
  const std::vector<double> expected = swing("norm([x, y]) = L").table()->column("rod.force");
  for (const char* const squares : {"x^2 + y^2 = L^2", "L^2 = x^2 + y^2", "x*x + y*y = 2.25",
                                    "dot([x, y], [x, y]) - L*L = 0"}) {
    const Simulation s = swing(squares);
    const std::vector<double> tension = s.table()->column("rod.tension");
    ASSERT_EQ(tension.size(), expected.size()) << squares;
    for (std::size_t r = 0; r < tension.size(); ++r)
      EXPECT_NEAR(tension[r], expected[r], test::accumulated(1e-12, 1000, 3 * 2 * 9.81)) << squares;
  }
}

TEST(Tensions, belong_to_lengths_alone) {
  EXPECT_FALSE(swing("norm([x, y]) = L").table()->find("rod.tension"));
  EXPECT_FALSE(swing("y = x^2/L - L").table()->find("rod.tension")) << "a parabola";
  EXPECT_FALSE(swing("x^2 = (y + L)^2").table()->find("rod.tension")) << "two lines";
  EXPECT_FALSE(swing("(x/L)^2 + (y/L)^2 = 1").table()->find("rod.tension")) << "J, not N/m";
  const Simulation plain = simulate(
      load_text("model m\ncoordinate x = 1, y = 0\nkinetic (x'^2 + y'^2)/2\nconstraint rod: x^2 + "
                "y^2 = 1\n"),
      {.until = 0.1});
  EXPECT_FALSE(plain.table()->find("rod.tension")) << "without units a length is not known";
}

// In the mode without the rod its length is in no equation.
TEST(Tensions, are_zero_while_the_constraint_is_released) {
  const Simulation s = simulate(
      load(DAEDAL_SOURCE_DIR "/models/breaking_pendulum/breaking_pendulum.daedal"), {.until = 1});
  const std::vector<double> own = s.table()->column("tension"),
                            tension = s.table()->column("rod.tension");
  ASSERT_EQ(tension.size(), own.size());
  EXPECT_GT(tension.front() + tension[tension.size() / 4], 0);
  EXPECT_EQ(tension.back(), 0);
  for (std::size_t r = 0; r < tension.size(); ++r) {
    EXPECT_NEAR(tension[r], own[r], test::rounding(4, 20)) << "what the model calls the tension";
    EXPECT_FALSE(std::signbit(tension[r]) && tension[r] == 0);
  }
}

// The drawing, the check between rows and the designed motion read the rows back.
TEST(Forces, are_read_back_with_the_sign_of_the_multiplier) {
  const Inversion i = invert(load_text(crane), {.every = 0.01});
  const emit::Drawing drawing = report(i).drawing;
  ASSERT_EQ(drawing.times.size(), i.table()->rows());
  const std::size_t radius = drawing.shapes[0].options.at("radius");
  for (std::size_t k = 0; k < drawing.times.size(); ++k)
    EXPECT_NEAR(drawing.numbers[k * drawing.width + radius],
                0.01 * i.table()->column("cable.force")[k], test::rounding(2, 0.3));
  const auto defect = nlohmann::json::parse(to_json(i)).at("verification").at("defect");
  EXPECT_LT(defect.at("relative").get<double>(), 1e-9);  // of degree 7 over rows of 0.01 s
}

TEST(Forces, that_are_zero_have_no_sign) {
  const Simulation s = simulate(
      load_text("model m\ncoordinate x = 0, y = 0\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\n"
                "constraint pin: [x, y] = [0, 0]\n"),
      {.until = 1});
  for (const double force : s.table()->column("pin[1].force")) {
    EXPECT_EQ(force, 0);
    EXPECT_FALSE(std::signbit(force));
  }
  EXPECT_NEAR(s.table()->column("pin[2].force").back(), -9.81, test::rounding(4, 9.81));
}

}  // namespace
}  // namespace task
}  // namespace daedal
