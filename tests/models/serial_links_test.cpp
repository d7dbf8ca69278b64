// Chains of n links, generated: numbers of coordinates and constraints for any n, the open one against energies
// written by hand, work and energy of all.
#include "daedal/elaborate/elaborate.hpp"
#include "daedal/run/simulate.hpp"
#include "daedal/start/prepare.hpp"
#include "support/bounds.hpp"
#include "support/model_point.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace daedal::test {
namespace {

using Parameters = std::vector<std::pair<std::string, std::string>>;

model::Model chain(const std::string& name, const Parameters& parameters) {
  model::Overrides overrides{.model = name};
  for (const auto& [key, value] : parameters) overrides.parameters[key] = value;
  return model::elaborate(model::load(model_path("serial_links")), overrides);
}

solve::Trajectory run(model::Model model, const solve::Method& method) {
  const auto dae = std::make_shared<const derive::Dae>(
      derive::derive(std::make_shared<const model::Model>(std::move(model))));
  const solve::Prepared prepared = solve::prepare(dae, {});
  return solve::simulate(prepared.problem, prepared.start,
                         {.until = 1, .every = 0.25, .method = method});
}

double last(const solve::Trajectory& run, const std::string& column) {
  return run.table.at(run.table.rows() - 1, run.table.find(column).value());
}

TEST(SerialLinks, have_as_many_coordinates_and_constraints_as_the_readme_says) {
  for (const int n : {1, 2, 7, 40}) {
    for (const int closed : {0, 1}) {
      for (const int dimension : {2, 3}) {
        const model::Model m = chain("serial_links", {{"n", std::to_string(n)},
                                                      {"closed", std::to_string(closed)},
                                                      {"dimension", std::to_string(dimension)}});
        const auto coordinates = std::count_if(
            m.symbols.begin(), m.symbols.end(),
            [](const model::Symbol& s) { return s.kind == model::SymbolKind::coordinate; });
        EXPECT_EQ(coordinates, dimension == 2 ? 3 * n : 7 * n);
        EXPECT_EQ(static_cast<int>(m.constraints.size()),
                  dimension == 2 ? 2 * n + 2 * closed : 4 * n + 3 * closed);
      }
    }
  }
}

TEST(SerialLinks, open_in_the_plane_move_as_the_arm_written_by_hand) {
  const Parameters loads{{"push", "[1, 2]"}, {"twist", "0.3"}, {"n", "4"}};
  const solve::Method taylor = solve::TaylorOptions{.tolerance = 1e-16};
  const solve::Trajectory links = run(chain("serial_links", loads), taylor);
  const solve::Trajectory arm = run(chain("arm_by_hand", loads), taylor);
  ASSERT_EQ(links.status, solve::Status::completed) << links.reason;
  for (int k = 1; k <= 4; ++k) {
    const std::string i = "[" + std::to_string(k) + "]";
    EXPECT_NEAR(last(links, "chain.link" + i + ".phi"), last(arm, "q" + i), rounding(1000, 10))
        << k;
  }
  EXPECT_NEAR(last(links, "tip[1]"), last(arm, "tip[1]"), rounding(1000, 10));
  EXPECT_NEAR(last(links, "tip[2]"), last(arm, "tip[2]"), rounding(1000, 10));
}

// A chain that starts in a vertical plane stays there. Without stiffness, which is another in space, and with links that do not
// spin, both are the same motion.
TEST(SerialLinks, in_space_move_as_those_in_the_plane) {
  const solve::Method taylor = solve::TaylorOptions{.tolerance = 1e-16};
  for (const char* closed : {"0", "1"}) {
    const Parameters both{
        {"k", "0"}, {"closed", closed}, {"push", "[1, 2]"}, {"twist", "0.1"}, {"n", "3"}};
    Parameters space = both;
    space.emplace_back("dimension", "3");
    const solve::Trajectory flat = run(chain("serial_links", both), taylor);
    const solve::Trajectory wide = run(chain("serial_links", space), taylor);
    ASSERT_EQ(wide.status, solve::Status::completed) << wide.reason;
    for (int k = 1; k <= 3; ++k) {
      const std::string link = "chain.link[" + std::to_string(k) + "].";
      EXPECT_NEAR(last(wide, link + "r[1]"), last(flat, link + "r[1]"), rounding(1000, 10)) << k;
      EXPECT_NEAR(last(wide, link + "r[2]"), 0, rounding(1000, 10)) << k;
      EXPECT_NEAR(last(wide, link + "r[3]"), last(flat, link + "r[2]"), rounding(1000, 10)) << k;
    }
  }
}

TEST(SerialLinks, balance_their_energy) {
  for (const char* closed : {"0", "1"}) {
    for (const char* dimension : {"2", "3"}) {
      const solve::Trajectory t = run(
          chain("serial_links",
                {{"closed", closed}, {"dimension", dimension}, {"push", "[1, 2]"}, {"d", "0.05"}}),
          solve::Dop853Options{.tolerance = 1e-11});
      ASSERT_EQ(t.status, solve::Status::completed) << t.reason;
      EXPECT_LT(t.energy.work, 0);  // the dampers take more than the push gives
      EXPECT_LE(t.energy.largest_error, 1e-8 * t.energy.scale);
    }
  }
}

}  // namespace
}  // namespace daedal::test
