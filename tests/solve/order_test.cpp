// Measured orders of every integrator on every formulation it solves, for positions, velocities and multipliers
// separately: the slope of log(error) over log(step) on the pendulum released from the horizontal, whose motion is known in
// closed form. With DAEDAL_ORDERS_FILE set, the table of docs/methods/orders.md is written there.

#include "daedal/solve/consistent.hpp"
#include "daedal/solve/problem_system.hpp"
#include "solve/problems.hpp"
#include "solve/run.hpp"
#include "support/elliptic.hpp"
#include "support/observed_order.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <complex>
#include <cstdlib>
#include <fstream>

namespace daedal::solve::testing {
namespace {

using formulate::Kind;

constexpr double end = 1;  // [s]

/// Slopes are fitted over runs of so many equal steps each: between the first wiggles and the rounding floor.
struct Case {
  std::string label;
  std::string method;
  std::map<std::string, OptionValue> options;
  Kind kind = Kind::projection;
  std::vector<int> steps;
  std::array<int, 3> orders{};  // claimed: positions, velocities, multipliers
  double slack = 0.2;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.label; }

std::vector<int> doubled(int first) { return {first, 2 * first, 4 * first, 8 * first, 16 * first}; }

/// Rounding errors appear divided by h^2 in the multipliers of index 3: order 6 leaves a narrow range above them.
std::vector<int> bdf_steps(int order, Kind kind) {
  if (order <= 3) return doubled(order == 2 ? 256 : 128);
  if (order == 6 && kind == Kind::index3) return {64, 72, 80, 96, 112, 128};
  return {96, 128, 160, 192, 256, 320};
}

const std::vector<Case>& cases() {
  const std::map<std::string, OptionValue> none, equal{{"adaptive", 0}},
      exact{{"adaptive", 0}, {"tolerance", 1e-14}};
  static const std::vector<Case> all = [&] {
    std::vector<Case> list{
        {"euler_projection", "euler", none, Kind::projection, doubled(512), {1, 1, 1}},
        {"euler_index1", "euler", none, Kind::index1, doubled(1024), {1, 1, 1}},
        {"rk4_projection", "rk4", none, Kind::projection, doubled(32), {4, 4, 4}},
        {"rk4_index1", "rk4", none, Kind::index1, doubled(32), {4, 4, 4}},
        {"rk23_projection", "rk23", equal, Kind::projection, doubled(64), {3, 3, 3}},
        {"rk45_projection", "rk45", equal, Kind::projection, doubled(32), {5, 5, 5}},
        {"dop853_projection",
         "dop853",
         equal,
         Kind::projection,
         {16, 20, 24, 28, 32, 36},
         {8, 8, 8},
         0.4},
        {"radau5_projection", "radau5", exact, Kind::projection, doubled(16), {5, 5, 5}},
        {"radau5_index1", "radau5", exact, Kind::index1, doubled(16), {5, 5, 5}},
        {"radau5_index2", "radau5", exact, Kind::index2, doubled(16), {5, 5, 3}},
        {"radau5_index3", "radau5", exact, Kind::index3, {32, 48, 64, 96, 128}, {5, 3, 2}},
        {"implicit_euler_index1", "implicit_euler", none, Kind::index1, doubled(1024), {1, 1, 1}},
        {"implicit_euler_index2", "implicit_euler", none, Kind::index2, doubled(512), {1, 1, 1}},
        {"implicit_euler_index3", "implicit_euler", none, Kind::index3, doubled(512), {1, 1, 1}},
        {"linear_implicit_euler_index1",
         "linear_implicit_euler",
         none,
         Kind::index1,
         doubled(1024),
         {1, 1, 1}},
        {"linear_implicit_euler_index2",
         "linear_implicit_euler",
         none,
         Kind::index2,
         doubled(512),
         {1, 1, 1}},
        {"linear_implicit_euler_index3",
         "linear_implicit_euler",
         none,
         Kind::index3,
         doubled(512),
         {1, 1, 1}},
    };
    list.insert(list.end(),
                {{"radau5_ggl", "radau5", exact, Kind::ggl, doubled(16), {5, 5, 3}},
                 {"implicit_euler_ggl", "implicit_euler", none, Kind::ggl, doubled(512), {1, 1, 1}},
                 {"linear_implicit_euler_ggl",
                  "linear_implicit_euler",
                  none,
                  Kind::ggl,
                  doubled(512),
                  {1, 1, 1}},
                 {"rk4_null_space", "rk4", none, Kind::null_space, doubled(32), {4, 4, 4}},
                 {"rk4_minimal", "rk4", none, Kind::minimal, doubled(256), {4, 4, 4}},
                 {"rk4_hamilton", "rk4", none, Kind::hamilton, doubled(32), {4, 4, 4}},
                 {"rk23_null_space", "rk23", equal, Kind::null_space, doubled(64), {3, 3, 3}},
                 {"rk23_minimal", "rk23", equal, Kind::minimal, doubled(128), {3, 3, 3}},
                 {"rk23_hamilton", "rk23", equal, Kind::hamilton, doubled(64), {3, 3, 3}},
                 {"rattle_projection", "rattle", none, Kind::projection, doubled(64), {2, 2, 2}},
                 {"rattle_index3", "rattle", none, Kind::index3, doubled(64), {2, 2, 1}}});
    const struct {
      Kind kind;
      const char* name;
    } forms[] = {{Kind::index1, "index1"},
                 {Kind::index2, "index2"},
                 {Kind::index3, "index3"},
                 {Kind::ggl, "ggl"}};
    for (const auto& [kind, name] : forms) {
      for (int k = 2; k <= 6; ++k)
        list.push_back({fmt::format("bdf{}_{}", k, name),
                        "bdf",
                        {{"order", k}},
                        kind,
                        bdf_steps(k, kind),
                        {k, k, k},
                        k < 5 ? 0.2 : 0.4});
      if (kind == Kind::ggl) continue;  // generalised-alpha knows no rates of positions
      for (const double radius : {0.0, 0.8})
        list.push_back({fmt::format("generalized_alpha{}_{}", static_cast<int>(10 * radius), name),
                        "generalized_alpha",
                        {{"spectral_radius", radius}},
                        kind,
                        doubled(64),
                        {2, 2, 2}});
    }
    // Without damping the rounding errors of index-3 multipliers add up: beyond 500 steps they show.
    list.push_back({"generalized_alpha10_index3",
                    "generalized_alpha",
                    {{"spectral_radius", 1}},
                    Kind::index3,
                    {32, 64, 96, 128, 192, 256},
                    {2, 2, 2}});
    return list;
  }();
  return all;
}

struct Measured {
  support::ObservedOrder of[3];  // positions, velocities, multipliers
};

/// Over three times, all of them ends of steps: at a single one an error may pass through zero.
std::array<double, 3> errors_of(const formulate::Problem& problem, const ConsistentPoint& start,
                                const Method& method) {
  ProblemSystem::Options options;
  options.compile.backend = compile::Backend::tape;
  ProblemSystem system(problem, 0, start.states, start.tops, options);
  RunResult result =
      run(system, method, system.integrated(0, start.states), {0, 0.5, 0.75, end}, 0, start.tops);
  EXPECT_TRUE(result.outcome.ok) << result.outcome.reason;
  std::array<double, 3> sum{};
  for (std::size_t i = 1; i < result.rows.size(); ++i) {
    const auto& row = result.rows[i];
    const auto at = support::HorizontalPendulum<>{}.at(row.t);
    // v^2 = -2 g y, so the multiplier of x^2 + y^2 = 1 is (g y - v^2)/2 = 3 g y/2.
    sum[0] += std::norm(std::complex(row.s[0] - at.x, row.s[1] - at.y));
    sum[1] += std::norm(std::complex(row.s[2] - at.vx, row.s[3] - at.vy));
    sum[2] += std::pow(row.z[2] - 1.5 * 9.81 * at.y, 2);
  }
  return {std::sqrt(sum[0]), std::sqrt(sum[1]), std::sqrt(sum[2])};
}

Measured measure(const Case& c) {
  formulate::Formulation formulation;
  formulation.kind = c.kind;
  const formulate::Problem problem = problem_of(pendulum_text, formulation);
  const ConsistentPoint start = consistent_point(problem);
  std::vector<double> lengths, errors[3];
  for (const int steps : c.steps) {
    auto options = c.options;
    lengths.push_back(end / steps);
    options.insert_or_assign("step", lengths.back());
    const auto found = errors_of(problem, start, make_method(c.method, options));
    for (std::size_t k = 0; k < 3; ++k) errors[k].push_back(found[k]);
  }
  Measured measured;
  for (std::size_t k = 0; k < 3; ++k) measured.of[k] = support::fitted_order(lengths, errors[k]);
  return measured;
}

/// "1/64 to 1/1024"
std::string range_text(const std::vector<int>& steps) {
  return fmt::format("1/{} to 1/{}", steps.front(), steps.back());
}

/// "bdf(order = 3)"
std::string method_text(const Case& c) {
  std::string options;
  for (const auto& [name, value] : c.options)
    if (name == "order" || name == "spectral_radius")
      options += fmt::format("({} = {:g})", name, value.number);
  return c.method + options;
}

std::string table_row(const Case& c, const Measured& m) {
  return fmt::format("| {} | {} | {} | {:.2f} / {:.2f} / {:.2f} | {}/{}/{} |\n", method_text(c),
                     formulate::name(c.kind), range_text(c.steps), m.of[0].slope, m.of[1].slope,
                     m.of[2].slope, c.orders[0], c.orders[1], c.orders[2]);
}

class Order : public ::testing::TestWithParam<Case> {};

TEST_P(Order, is_what_the_method_claims) {
  const Measured measured = measure(GetParam());
  const char* const quantity[] = {"positions", "velocities", "multipliers"};
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(measured.of[k].slope, GetParam().orders[k], GetParam().slack)
        << quantity[k] << ": " << ::testing::PrintToString(measured.of[k].errors);
  }
}

// Numbers in documents come from here: tools/make_orders.
TEST(OrderTable, is_written_when_asked_for) {
  const char* const path = std::getenv("DAEDAL_ORDERS_FILE");
  if (path == nullptr) GTEST_SKIP() << "DAEDAL_ORDERS_FILE is not set";
  std::ofstream file(path);
  file << "| method | formulation | steps [s] | measured q / v / lambda | claimed |\n"
          "|---|---|---|---|---|\n";
  for (const Case& c : cases()) file << table_row(c, measure(c));
  EXPECT_TRUE(file.good());
}

INSTANTIATE_TEST_SUITE_P(EveryMethod, Order, ::testing::ValuesIn(cases()),
                         [](const auto& each) { return each.param.label; });

}  // namespace
}  // namespace daedal::solve::testing
