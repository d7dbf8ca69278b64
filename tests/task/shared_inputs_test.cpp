// More inputs than servo-constraints: the choice within limits against closed forms and a choice by intervals.
#include "daedal/invert/shared_inputs.hpp"

#include "daedal/task/invert.hpp"
#include "support/bounds.hpp"

#include <Eigen/Dense>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

namespace daedal {
namespace {

using ::testing::HasSubstr;

Model four_cables(const std::map<std::string, std::string>& parameters = {}) {
  return load(DAEDAL_SOURCE_DIR "/models/four_cables/four_cables.daedal")
      .with_parameters(parameters, "parameters");
}

/// Tensions of least norm between `least` and `most` by hand: the wrench of the platform at (x, y, phi) with these accelerations, the
/// pseudo-inverse of its cables' directions, and of the one direction without effect the interval that the limits leave.
std::array<double, 4> tensions_by_hand(const Eigen::Vector3d& pose, const Eigen::Vector3d& rates,
                                       double least, double most) {
  const double anchors[4][2] = {{0, 0}, {3, 0}, {3, 2}, {0, 2}};
  const double ends[4][2] = {{-0.2, 0.1}, {0.2, 0.1}, {0.2, -0.1}, {-0.2, -0.1}};
  const double c = std::cos(pose[2]), s = std::sin(pose[2]);
  Eigen::Matrix<double, 3, 4> directions;
  for (int k = 0; k < 4; ++k) {
    const double arm_x = c * ends[k][0] - s * ends[k][1], arm_y = s * ends[k][0] + c * ends[k][1];
    const double x = anchors[k][0] - pose[0] - arm_x, y = anchors[k][1] - pose[1] - arm_y;
    const double length = std::hypot(x, y);
    directions.col(k) << x / length, y / length, (arm_x * y - arm_y * x) / length;
  }
  const Eigen::Vector3d wrench(5 * rates[0], 5 * (rates[1] + 9.81), 0.2 * rates[2]);
  const Eigen::Vector4d nearest =
      directions.transpose() * (directions * directions.transpose()).inverse() * wrench;
  Eigen::Vector4d free;  // minors of the 3 x 4 matrix
  for (int k = 0; k < 4; ++k) {
    Eigen::Matrix3d minor;
    for (int j = 0, column = 0; j < 4; ++j)
      if (j != k) minor.col(column++) = directions.col(j);
    free[k] = (k % 2 == 0 ? 1 : -1) * minor.determinant();
  }
  double low = -1e300, high = 1e300;
  for (int k = 0; k < 4; ++k) {
    const double a = (least - nearest[k]) / free[k], b = (most - nearest[k]) / free[k];
    low = std::max(low, std::min(a, b));
    high = std::min(high, std::max(a, b));
  }
  EXPECT_LE(low, high);
  const Eigen::Vector4d chosen = nearest + std::clamp(0.0, low, high) * free;
  return {chosen[0], chosen[1], chosen[2], chosen[3]};
}

// The inversion is flat: its rows are exact to rounding, amplified by the condition of the cables' directions (below 100 here).
TEST(SharedInputs, tensions_of_four_cables_are_those_by_hand) {
  const Inversion found = invert(four_cables(), {.every = 0.01});
  ASSERT_TRUE(found.holds) << found.reason << summary(found);
  const Table& rows = found.trajectory.table;
  const Eigen::Vector3d from(1, 0.8, 0), way(1, 0.4, 0.1);
  double least = 1e300;
  for (std::size_t r = 0; r < rows.rows(); ++r) {
    const double t = rows.at(r, 0);
    const double s = expr::rest_to_rest_value(t / 2, 3, 0);
    const double rate = expr::rest_to_rest_value(t / 2, 3, 2) / 4;
    const auto expected = tensions_by_hand(from + s * way, rate * way, 10, 200);
    for (std::size_t k = 0; k < 4; ++k) {
      const double tension = rows.at(r, *rows.find("T[" + std::to_string(k + 1) + "]"));
      EXPECT_NEAR(tension, expected[k], test::rounding(1000, 100 * 200.0)) << k << " at " << t;
      least = std::min(least, tension);
    }
  }
  EXPECT_GE(least, 10 - test::rounding(1000, 100 * 200.0));
  ASSERT_TRUE(found.sharing);
  EXPECT_EQ(found.sharing->free_directions, 1u);
  EXPECT_FALSE(found.sharing->at_limits.empty());
  EXPECT_EQ(found.sharing->coordinates.size(), 1u);
  EXPECT_FALSE(rows.find("multiplier of motion of phi"));
  EXPECT_TRUE(rows.find("null_space[1]"));
}

// The rows in between are interpolated, never across a change of what is at its limit: the forward run follows to the seventh power of
// the time between rows, 1e-3 of the motion.
TEST(SharedInputs, the_forward_run_follows_the_motion) {
  const Inversion found = invert(four_cables());
  ASSERT_TRUE(found.tracking);
  EXPECT_LE(*found.tracking, 1e-9);
  for (const Fact& fact : found.facts()) {
    if (fact.name != "defect") continue;
    EXPECT_LE(*fact.value, 1e-9) << fact.text;
  }
}

// F = t on a mass of 1 kg by u and w within limits: (t/2, t/2) until 2 * 1.2 s, where w is at its own limit 1.2 N, then
// u = t - 1.2 until u = 3.05 N.
TEST(SharedInputs, an_input_at_its_limit_leaves_the_rest_to_the_others) {
  const std::string text = R"(model m
coordinate x [m]
kinetic x'^2/2
input u [N], w [N]
force u + w on x
limit u in [0, 3.05], w in [0, 1.2]
servo path: x = t^3/6
)";
  const Inversion found = invert(load_text(text), {.until = 4, .every = 0.05});
  ASSERT_TRUE(found.holds) << found.reason;
  const Table& rows = found.trajectory.table;
  for (std::size_t r = 0; r < rows.rows(); ++r) {
    const double t = rows.at(r, 0), w = std::min(t / 2, 1.2);
    EXPECT_NEAR(rows.at(r, *rows.find("w")), w, test::rounding(100, 4)) << t;
    EXPECT_NEAR(rows.at(r, *rows.find("u")), t - w, test::rounding(100, 4)) << t;
  }
  ASSERT_EQ(found.sharing->at_limits.size(), 1u);
  EXPECT_EQ(found.sharing->at_limits[0].input, "w");
  EXPECT_EQ(found.sharing->at_limits[0].limit, 1.2);
  EXPECT_NEAR(found.sharing->at_limits[0].from, 2.4, 1e-10);  // by bisection, to 1e-13 of the time
  EXPECT_EQ(found.sharing->at_limits[0].until, 4);

  const Inversion beyond = invert(load_text(text), {.until = 5, .every = 0.1});
  EXPECT_FALSE(beyond.holds);
  EXPECT_EQ(beyond.reason,
            "stopped at t = 4.2 s: from t = 4.25 s on no inputs within their limits produce the "
            "motion; at t = 4.3 s one of these is missed: 'u' at most 3.05 N (by 0.025 N or more), "
            "'w' at most 1.2 N (by 0.025 N or more)");
}

TEST(SharedInputs, without_any_choice_at_the_start_the_limits_in_conflict_are_named) {
  try {
    invert(four_cables({{"T_max", "20"}}));
    FAIL() << "20 N carry no 5 kg here";
  } catch (const ModelError& error) {
    EXPECT_THAT(std::string(error.what()),
                HasSubstr("from t = 0 s on no inputs within their limits produce the motion"));
    EXPECT_THAT(std::string(error.what()), HasSubstr("'T[4]' at most 20 N (by "))
        << "the upper cable that is nearer carries more than the other";
  }
}

TEST(SharedInputs, squares_of_different_units_are_added_with_a_warning_unless_sizes_are_stated) {
  const auto text = [](const std::string& inputs) {
    return "model m\nparameter r = 0.5 [m]\ncoordinate phi [rad]\nkinetic 0.1*phi'^2\ninput " +
           inputs +
           "\nforce r*F on phi\ntorque M about phi\nservo path: phi = rest_to_rest(t, smoothness "
           "= 3)\n";
  };
  const Inversion mixed = invert(load_text(text("F [N], M [N*m]")), {.every = 0.01});
  EXPECT_THAT(render(mixed.warnings), HasSubstr("the least norm of the inputs adds squares of "
                                                "'F' [N] and of 'M' [N*m]"));
  const Inversion stated =
      invert(load_text(text("F [N] (nominal = 10), M [N*m] (nominal = 2)")), {.every = 0.01});
  EXPECT_TRUE(stated.warnings.empty()) << render(stated.warnings);
  // F/n_F^2 : r = M/n_M^2 : 1
  const Table& rows = stated.trajectory.table;
  for (std::size_t r = 0; r < rows.rows(); ++r)
    EXPECT_NEAR(rows.at(r, *rows.find("F")) / 100 / 0.5, rows.at(r, *rows.find("M")) / 4,
                test::rounding(100, 1));
}

TEST(SharedInputs, limits_need_inputs_that_enter_linearly) {
  const std::string text =
      "model m\ncoordinate x\nkinetic x'^2/2\ninput u = 1, w\nforce u^2 + w on x\nservo path: x = "
      "t^3/6\n";
  EXPECT_NO_THROW(invert(load_text(text), {.until = 1, .every = 0.01}));
  try {
    invert(load_text(text + "limit u in [0, 3]\n", "m.daedal"), {.until = 1, .every = 0.01});
    FAIL() << "the choice within limits would be wrong";
  } catch (const ModelError& error) {
    EXPECT_EQ(std::string(error.what()),
              "m.daedal:4:7: error: model 'm': 'u' enters the equations of motion nonlinearly, and "
              "limits of inputs that share the work need linear ones\n"
              "    input u = 1, w\n"
              "          ^\n"
              "  help: leave the limits of the inputs out");
  }
}

TEST(SharedInputs, a_missing_servo_line_is_named_where_the_motion_is_not_determined) {
  EXPECT_THROW(invert(load_text("model m\ncoordinate x, y\nkinetic (x'^2 + y'^2)/2\npotential (x - "
                                "y)^2\ninput u, w\nforce u on x, w on y\nservo path: x = t\n")),
               ModelError);
}

}  // namespace
}  // namespace daedal
