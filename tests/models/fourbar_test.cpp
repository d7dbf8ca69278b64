// Four-bar [Lin2020]: accelerations and multipliers at the start.
// Numbers: independent recomputation (SciPy) of the mechanism; multipliers with the opposite sign of its equation (4).
#include "support/bounds.hpp"
#include "support/csv.hpp"
#include "support/model_point.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>

namespace daedal::test {
namespace {

ModelPoint::Values row_of(const Table& table, std::size_t row) {
  ModelPoint::Values values;
  for (const char* name : {"x1", "y1", "th1", "x2", "y2", "th2", "x3", "y3", "th3"}) {
    values[name] = table.at(name).at(row);
  }
  return values;
}

TEST(Fourbar, start_accelerations_and_multipliers) {
  const Table reference =
      read_csv(std::string(DAEDAL_SOURCE_DIR) + "/models/fourbar/reference.csv");
  const auto solution = ModelPoint("fourbar").set(row_of(reference, 0)).solve();
  // The reference prints 8 decimals.
  EXPECT_NEAR(solution.at("th1''"), -7.27715178, 6e-9);
  EXPECT_NEAR(solution.at("th2''"), 1.70443338, 6e-9);
  EXPECT_NEAR(solution.at("th3''"), -2.18481997, 6e-9);
  const std::array<const char*, 8> names = {"crank_pin[1]",   "crank_pin[2]",  "coupler_pin[1]",
                                            "coupler_pin[2]", "rocker_pin[1]", "rocker_pin[2]",
                                            "ground_pin[1]",  "ground_pin[2]"};
  const std::array<double, 8> lambda = {-7.89199082, -19.36147044, 6.31644124,  10.46111441,
                                        0.98058553,  -7.32295112,  -0.65798188, -22.02546623};
  for (std::size_t i = 0; i < names.size(); ++i)
    // eight decimals
    EXPECT_NEAR(solution.at(names[i]), -lambda[i], 6e-9) << names[i];
}

TEST(Fourbar, reference_poses_satisfy_every_constraint) {
  const Table reference =
      read_csv(std::string(DAEDAL_SOURCE_DIR) + "/models/fourbar/reference.csv");
  ModelPoint point("fourbar");
  for (std::size_t row = 0; row < reference.at("t").size(); row += 10) {
    for (const auto& [name, residual] : point.set(row_of(reference, row)).residuals()) {
      // 13 digits are printed; the reference integrates with tolerance 1e-12 and drifts to 1e-10 in 5 s.
      if (name.find("pin") != std::string::npos) {
        // the drift of the reference, twice
        EXPECT_NEAR(residual, 0, 2e-10) << name << " in row " << row;
      }
    }
  }
}

TEST(Fourbar, energy_of_the_crank_alone_is_that_of_a_rod) {
  // th1' = w with the other links at rest: T = m/2 (a/2)^2 w^2 + m a^2/24 w^2 = m a^2 w^2/6 when x1', y1' follow.
  const double w = 2, a = 0.5, th = std::numbers::pi / 3;
  ModelPoint point("fourbar");
  point.set({{"th1'", w}, {"x1'", -a / 2 * std::sin(th) * w}, {"y1'", a / 2 * std::cos(th) * w}});
  EXPECT_NEAR(point.kinetic(), a * a * w * w / 6, rounding(8, 1));
}

}  // namespace
}  // namespace daedal::test
