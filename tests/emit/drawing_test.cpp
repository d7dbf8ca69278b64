#include "daedal/derive/dae.hpp"
#include "daedal/elaborate/elaborate.hpp"
#include "daedal/emit/report.hpp"
#include "daedal/run/simulate.hpp"
#include "daedal/start/prepare.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace daedal::emit {
namespace {

std::shared_ptr<const model::Model> model_of(const std::string& text,
                                             model::Lifting lifting = model::Lifting::never) {
  model::Overrides overrides;
  overrides.lifting = lifting;
  return std::make_shared<const model::Model>(
      model::elaborate(model::load_text(text, "m.daedal"), overrides));
}

Table simulated(const std::shared_ptr<const model::Model>& m, double until, double every) {
  const solve::Prepared prepared =
      solve::prepare(std::make_shared<derive::Dae>(derive::derive(m)), {}, {});
  solve::SimulateOptions options;
  options.until = until;
  options.every = every;
  options.global_error = false;
  return solve::simulate(prepared.problem, prepared.start, options).table;
}

const std::string pendulum = R"(model pendulum
parameter L = 2
coordinate phi = 1 [rad]
kinetic L^2/2*phi'^2
potential -9.81*L*cos(phi)
let bob = L*[sin(phi), -cos(phi)]
output bob_out = bob
)";

TEST(Drawing, points_are_those_of_the_outputs_at_the_rows) {
  const auto m = model_of(pendulum + "draw line [0, 0] -> bob, disc bob radius 0.05*L\n");
  const Table rows = simulated(m, 1, 0.01);
  const Drawing drawing = draw(*m, rows);
  ASSERT_EQ(drawing.shapes.size(), 2U);
  EXPECT_EQ(drawing.dimension, 2);
  EXPECT_FALSE(drawing.by_default);
  ASSERT_EQ(drawing.times.size(), rows.rows());
  const std::size_t x = *rows.find("bob_out[1]");
  for (std::size_t k = 0; k < drawing.times.size(); ++k) {
    const double* frame = drawing.numbers.data() + k * drawing.width;
    EXPECT_EQ(drawing.times[k], rows.at(k, 0));
    EXPECT_EQ(frame[0], 0);
    EXPECT_EQ(frame[2], rows.at(k, x));
    EXPECT_EQ(frame[3], rows.at(k, x + 1));
    EXPECT_EQ(frame[drawing.shapes[1].first], rows.at(k, x));
    EXPECT_EQ(frame[drawing.shapes[1].options.at("radius")], 0.05 * 2);
  }
}

TEST(Drawing, few_numbers_still_show_the_first_and_the_last_pose) {
  const auto m = model_of(pendulum + "draw line [0, 0] -> bob\n");
  const Table rows = simulated(m, 1, 0.01);
  const Drawing drawing = draw(*m, rows, 40);
  ASSERT_EQ(drawing.times.size(), 10U);
  EXPECT_EQ(drawing.times.front(), 0);
  EXPECT_EQ(drawing.times.back(), 1);
}

TEST(Drawing, points_of_the_plane_lie_at_height_0_beside_points_of_space) {
  const auto m = model_of(pendulum + "draw line [0, 0] -> bob, disc [1, 2, 3]\n");
  const Drawing drawing = draw(*m, simulated(m, 1, 0.5));
  EXPECT_EQ(drawing.dimension, 3);
  EXPECT_EQ(drawing.width, 9U);
  EXPECT_EQ(drawing.numbers[2], 0);
  EXPECT_EQ(drawing.numbers[8], 3);
}

TEST(Drawing, lifted_positions_are_where_the_written_out_ones_are) {
  const std::string chain = R"(model chain
size N = 4
coordinate q[1..N] [rad]
for k in 1..N: initial q[k] = 0.2*k
let P[0] = [0, 0]
let P[k in 1..N] = P[k-1] + [sin(q[k]), -cos(q[k])]
kinetic sum(k in 1..N: dot(P[k]', P[k]')/2)
potential sum(k in 1..N: 9.81*P[k][2])
for k in 1..N: draw line P[k-1] -> P[k]
)";
  const auto written = model_of(chain), lifted = model_of(chain, model::Lifting::always);
  ASSERT_FALSE(lifted->lifted.empty());
  const Table rows = simulated(written, 0.5, 0.1);
  const Drawing a = draw(*written, rows), b = draw(*lifted, rows);
  ASSERT_EQ(a.numbers.size(), b.numbers.size());
  for (std::size_t k = 0; k < a.numbers.size(); ++k)
    EXPECT_NEAR(a.numbers[k], b.numbers[k], 4e-15);  // sums of four terms below 4
}

TEST(Drawing, a_model_without_draw_lines_shows_its_angles_as_dials) {
  const auto m = model_of(pendulum);
  const Table rows = simulated(m, 1, 0.1);
  const Drawing drawing = draw(*m, rows);
  EXPECT_TRUE(drawing.by_default);
  ASSERT_EQ(drawing.shapes.front().kind, "line");
  for (std::size_t k = 0; k < drawing.times.size(); ++k) {
    const double* hand = drawing.numbers.data() + k * drawing.width;
    const double angle = std::atan2(hand[3] - hand[1], hand[2] - hand[0]);
    EXPECT_NEAR(angle, rows.at(k, 1), 1e-15);  // phi stays within half a turn
  }
}

TEST(DesiredOutputs, are_the_right_sides_of_the_servo_lines_under_the_names_of_outputs) {
  const auto m = model_of(
      "model m\ncoordinate x, y\nkinetic (x'^2 + y'^2)/2\ninput u, w\nforce u on x\nforce w on y\n"
      "output z = [x, y]\nservo z = [2*t, t^2]\n");
  Table rows({{"t", "s"}, {"x", ""}, {"y", ""}});
  for (const double t : {0.0, 0.5, 3.0}) rows.append()[0] = t;
  const Table desired = desired_outputs(*m, rows);
  ASSERT_EQ(desired.width(), 2U);
  EXPECT_EQ(desired.columns()[0].name, "z[1]");
  EXPECT_EQ(desired.columns()[1].name, "z[2]");
  EXPECT_EQ(desired.at(2, 0), 6);
  EXPECT_EQ(desired.at(2, 1), 9);
}

}  // namespace
}  // namespace daedal::emit
