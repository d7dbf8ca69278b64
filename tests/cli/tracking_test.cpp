// An inversion put to use as a user would: inputs to a file, the file into a simulation, the outputs against the
// desired motion. The numbers are those of an independent recomputation (Python, SciPy) of [Druecker2022, section
// 5.2]: manipulator_3d, inputs of BDF with fixed step, interpolated by cubic splines, one forward run from the start;
// largest distance of the end-effector.
#include "daedal/expr/graph.hpp"
#include "program.hpp"
#include "support/csv.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>

namespace daedal::test {
namespace {

/// A circle about (0.65, 0.7, 1) from the start, once around in 2 s.
std::array<double, 3> desired(double t) {
  // alpha = 10 deg, alpha + beta = 170 deg: both links of 1 m lean out alike, and the heights cancel
  const double x = 2 * std::sin(std::numbers::pi / 18) - 0.65, y = -0.7;
  const double angle = 2 * std::numbers::pi * expr::rest_to_rest_value(t / 2, 4, 0);
  const double c = std::cos(angle), s = std::sin(angle);
  return {0.65 + c * x - s * y, 0.7 + s * x + c * y, 1};
}

struct TrackingRow {
  int order;
  const char* step;
  double printed, digit;
};

class TrackingTable : public ::testing::TestWithParam<TrackingRow> {};

/// Largest distance of the end-effector from the desired path.
double tracking_error(int order, const std::string& step) {
  const Folder folder;
  const std::string model = DAEDAL_SOURCE_DIR "/models/manipulator_3d/manipulator_3d.daedal";
  const Answer inverse =
      folder.run(fmt::format("invert {0} --method 'bdf(order = {1})' --step {2} --every {2} "
                             "--until 2 --csv u.csv --verify off",
                             model, order, step));
  EXPECT_EQ(inverse.code, 0) << inverse.err;
  std::string inputs;
  for (int i = 1; i <= 3; ++i)
    inputs += fmt::format(
        " --input u{0}='spline(file = \"u.csv\", column = \"u{0}\", smoothness = 2)'", i);
  const Answer forward =
      folder.run(fmt::format("simulate {} --until 2 --every 0.01 --method dop853 --tolerance 1e-11 "
                             "--global-error off --csv z.csv{}",
                             model, inputs));
  EXPECT_EQ(forward.code, 0) << forward.err;
  const Table z = read_csv(folder.path("z.csv"));
  double worst = 0;
  for (std::size_t k = 0; k < z.at("t").size(); ++k) {
    const auto d = desired(z.at("t")[k]);
    worst = std::max(
        worst, std::hypot(z.at("z[1]")[k] - d[0], z.at("z[2]")[k] - d[1], z.at("z[3]")[k] - d[2]));
  }
  return worst;
}

TEST_P(TrackingTable, of_the_manipulator_is_that_of_the_table) {
  const auto& [order, step, printed, digit] = GetParam();
  EXPECT_NEAR(tracking_error(order, step), printed, digit);
}

// The table's BDF4 rows, 1.130e-6 and 1.11e-7, are a factor 10 apart and not the 16 of order 4: its forward runs are
// good to some 4e-8, by which its other rows differ from ours too. Of order 4 is what can be held to here.
TEST(Tracking, by_bdf4_is_of_order_4) {
  const double coarse = tracking_error(4, "0.002"), fine = tracking_error(4, "0.001");
  // of the forward runs of the table, see above
  EXPECT_NEAR(coarse, 1.130e-6, 4e-8);
  EXPECT_NEAR(std::log2(coarse / fine), 4,
              0.2);  // of two steps: the next term is a tenth of the leading one
}

INSTANTIATE_TEST_SUITE_P(rows, TrackingTable,
                         ::testing::Values(TrackingRow{1, "0.001", 0.249, 6e-4},
                                           TrackingRow{2, "0.001", 1.22e-4, 6e-7},
                                           TrackingRow{2, "0.002", 4.9e-4, 6e-6},
                                           // other end conditions of the splines are seen here
                                           TrackingRow{3, "0.001", 8.4e-7, 1e-8}),
                         [](const auto& row) {
                           return fmt::format("k{}_{}ms", row.param.order, row.param.step[4]);
                         });

}  // namespace
}  // namespace daedal::test
