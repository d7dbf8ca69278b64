// A slender rod has no inertia about its axis: joints that hold this turn make it a mechanism, others are refused.
#include "daedal/task/model.hpp"
#include "daedal/task/simulate.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace daedal {
inline namespace task {
namespace {

std::string rod_on(const std::string& joint, const std::string& inertia) {
  return fmt::format(
      "model hung\n"
      "part rod = spatial_body(mass = 1, inertia = {}, position = [0.5, 0, 0])\n"
      "part pin = {}(b = rod, point_b = [-0.5, 0, 0]{})\n"
      "output angle = rod.r[3]\n",
      inertia, joint,
      joint == "spherical"   ? ""
      : joint == "universal" ? ", axis_a = [0, 0, 1], axis_b = [0, 1, 0]"
                             : ", axis_a = [0, 1, 0]");
}

// Energy of a physical pendulum let go from the horizontal: (J + m l^2) w^2/2 = m g l sin(phi).
TEST(SlenderRod, swings_as_a_physical_pendulum) {
  constexpr double tolerance = 1e-9, J = 0.1, m = 1, l = 0.5, g = 9.81;
  for (const std::string joint : {"revolute", "universal"}) {
    const Simulation run = simulate(load_text(rod_on(joint, "[0, 0.1, 0.1]")),
                                    {.until = 1, .tolerance = tolerance, .global_error = false});
    ASSERT_TRUE(run.holds) << joint;
    const Table& rows = run.trajectory.table;
    const auto column = [&](std::size_t row, const char* name) {
      return rows.at(row, rows.find(name).value());
    };
    for (std::size_t row = 0; row < rows.rows(); ++row) {
      const double z = column(row, "rod.r[3]"), vx = column(row, "rod.r[1]'"),
                   vz = column(row, "rod.r[3]'");
      const double w = std::hypot(vx, vz) / l;
      constexpr double of_steps = 1000 * tolerance;  // some 100 steps, energies of 5 J
      EXPECT_NEAR((J + m * l * l) * w * w / 2, -m * g * z, of_steps) << joint;
    }
  }
}

TEST(SlenderRod, that_may_spin_about_itself_is_refused) {
  try {
    simulate(load_text(rod_on("spherical", "[0, 0.1, 0.1]"), "rod.daedal"), {.until = 1});
    FAIL() << "a turn without inertia was accepted";
  } catch (const ModelError& error) {
    EXPECT_STREQ(error.what(),
                 "rod.daedal:2:12: error: model 'hung': no joint holds the turn of 'rod' about the "
                 "axis in which it has no inertia\n"
                 "    part rod = spatial_body(mass = 1, inertia = [0, 0.1, 0.1], position = [0.5, "
                 "0, 0])\n"
                 "               ^~~~~~~~~~~~\n"
                 "  the equations do not determine 'rod.p[2]'''\n"
                 "  help: hold it by a joint with an axis, revolute or universal instead of "
                 "spherical, or give it a small inertia there");
  }
}

}  // namespace
}  // namespace task
}  // namespace daedal
