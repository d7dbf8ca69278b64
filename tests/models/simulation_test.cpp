// Trajectories of the library's models against closed forms, references and each other.
#include "daedal/elaborate/elaborate.hpp"
#include "daedal/formulate/problem.hpp"
#include "daedal/run/simulate.hpp"
#include "daedal/start/prepare.hpp"
#include "support/bounds.hpp"
#include "support/csv.hpp"
#include "support/elliptic.hpp"
#include "support/model_point.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <string>

namespace daedal::test {
namespace {

struct Experiment {
  std::string model;
  double until = 1, every = 0, tolerance = 1e-9;
  std::string method = "rk45";
  formulate::Formulation formulation = {};
  model::Overrides overrides = {};
  solve::StartValues start = solve::StartValues::consistent;
};

solve::Trajectory simulate(const Experiment& run) {
  const auto model = std::make_shared<const model::Model>(
      model::elaborate(model::load(model_path(run.model)), run.overrides));
  const auto dae = std::make_shared<const derive::Dae>(derive::derive(model));
  const formulate::Problem problem =
      formulate::formulate(structure::by_signature(dae), run.formulation);
  solve::SimulateOptions options;
  options.until = run.until;
  options.every = run.every;
  options.method = solve::make_method(run.method, {{"tolerance", run.tolerance}});
  solve::Trajectory trajectory =
      solve::simulate(problem, solve::consistent_point(problem, {.values = run.start}), options);
  EXPECT_EQ(trajectory.status, solve::Status::completed) << run.model << ": " << trajectory.reason;
  return trajectory;
}

std::vector<double> column(const solve::Trajectory& trajectory, const std::string& name) {
  const auto c = trajectory.table.find(name);
  if (!c) throw std::invalid_argument("no column " + name);
  return trajectory.table.column(*c);
}

double drift(const solve::Trajectory& trajectory, const std::string& level) {
  for (const solve::LevelDrift& d : trajectory.drift) {
    if (d.level == level) return d.largest;
  }
  throw std::invalid_argument("no drift on level " + level);
}

TEST(Simulation, spring_mass_is_a_cosine) {
  const solve::Trajectory run = simulate({.model = "spring_mass", .until = 10, .tolerance = 1e-12});
  const std::vector<double> t = column(run, "t"), x = column(run, "x");
  double worst = 0;
  for (std::size_t i = 0; i < t.size(); ++i)
    worst = std::max(worst, std::abs(x[i] - std::cos(2 * t[i])));
  EXPECT_LE(worst, 1e-10);  // 10 s: 20 rad of phase, about 100 times the tolerance
  EXPECT_LE(run.energy.largest_error, 1e-10);
}

TEST(Simulation, pendulum_follows_the_elliptic_functions_for_ten_periods) {
  const support::HorizontalPendulum<> exact;
  EXPECT_NEAR(exact.period(), 2.36784194757624, printed(14) + rounding(8, 2.4));
  const solve::Trajectory run =
      simulate({.model = "pendulum", .until = 10 * exact.period(), .tolerance = 1e-13});
  const std::vector<double> t = column(run, "t"), x = column(run, "x"), y = column(run, "y"),
                            force = column(run, "rod.force");
  double worst = 0, worst_force = 0;
  for (std::size_t i = 0; i < t.size(); ++i) {
    const auto s = exact.at(t[i]);
    worst = std::max({worst, std::abs(x[i] - s.x), std::abs(y[i] - s.y)});
    worst_force = std::max(worst_force,
                           std::abs(force[i] + 1.5 * 9.81 * y[i]));  // -3 m g y/(2 L^2)
  }
  EXPECT_LE(worst, 1e-10);
  EXPECT_LE(worst_force, 1e-9);
  EXPECT_LE(drift(run, "position"), 1e-15 * 4);
}

TEST(Simulation, fourbar_reaches_the_reference_poses_with_constraints_at_rounding) {
  const Table reference =
      read_csv(std::string(DAEDAL_SOURCE_DIR) + "/models/fourbar/reference.csv");
  const solve::Trajectory run =
      simulate({.model = "fourbar", .until = 5, .every = 0.05, .tolerance = 1e-12});
  const std::vector<double>& times = reference.at("t");
  for (const char* name : {"th1", "th2", "th3", "x2", "y3"}) {
    const std::vector<double> computed = column(run, name);
    ASSERT_EQ(computed.size(), times.size());
    for (std::size_t i = 0; i < times.size(); ++i) {
      EXPECT_NEAR(computed[i], reference.at(name)[i], accumulated(1e-12, 1000))
          << name << " at " << times[i] << " s";
    }
  }
  EXPECT_LE(drift(run, "position"), 1e-14);
  EXPECT_LE(drift(run, "velocity"), 1e-12);
}

TEST(Simulation, three_methods_agree_on_the_fourbar) {
  const auto end = [](const std::string& method, double tolerance) {
    return column(
               simulate({.model = "fourbar", .until = 1, .tolerance = tolerance, .method = method}),
               "th1")
        .back();
  };
  const double th1 = -3.832680639667;  // at 1 s: independent recomputation, SciPy
  EXPECT_NEAR(end("rk45", 1e-10), th1, accumulated(1e-10, 100));
  EXPECT_NEAR(end("radau5", 1e-10), th1, accumulated(1e-10, 100));
  EXPECT_NEAR(end("ida", 1e-10), th1, accumulated(1e-10, 1e4));
}

TEST(Simulation, baumgarte_and_projection_agree_on_the_delta_robot) {
  formulate::Formulation baumgarte;
  baumgarte.kind = formulate::Kind::baumgarte;
  baumgarte.all = {10, 25};
  const auto a = simulate({.model = "delta_robot", .until = 1, .tolerance = 1e-11});
  const auto b =
      simulate({.model = "delta_robot", .until = 1, .tolerance = 1e-11, .formulation = baumgarte});
  for (const char* name : {"arm[1].q[1]", "arm[2].q[2]", "arm[3].q[3]", "closure2[1].force"}) {
    EXPECT_NEAR(column(a, name).back(), column(b, name).back(), accumulated(1e-11, 10)) << name;
  }
  EXPECT_LE(drift(a, "position"), 1e-15);
  EXPECT_LE(drift(b, "position"), 1e-9);
}

TEST(Simulation, looper_settles_at_its_equilibrium) {
  constexpr double at_rest = 1e-9;  // the tolerance: errors do not add up where the motion decays
  // Damping c = 1 gives a decay of 0.02/s: stronger friction here, the equilibrium does not depend on it.
  const auto run =
      simulate({.model = "looper",
                .until = 60,
                .tolerance = 1e-9,
                .overrides = {.parameters = {{"c1", "200"}, {"c2", "200"}, {"c3", "200"}}}});
  EXPECT_NEAR(column(run, "theta1").back(), 1.0945842207, at_rest);
  EXPECT_NEAR(column(run, "s").back(), 0.1773773652, at_rest);
  EXPECT_NEAR(column(run, "theta2").back(), 0.0953597077, at_rest);
}

/// How far the looper's links are apart along both axes, and how fast they part, in every row.
struct LooperGaps {
  std::vector<double> h1, h2, rate1, rate2;
};

LooperGaps gaps_of(const solve::Trajectory& run) {
  const std::vector<double> a = column(run, "theta1"), s = column(run, "s"),
                            b = column(run, "theta2"), da = column(run, "theta1'"),
                            ds = column(run, "s'"), db = column(run, "theta2'");
  LooperGaps gaps;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double reach = 0.29 + 1.392 + s[i];
    gaps.h1.push_back(reach * std::cos(a[i]) - 0.8 - 0.55 * std::sin(b[i]));
    gaps.h2.push_back(reach * std::sin(a[i]) - 2.2 + 0.55 * std::cos(b[i]));
    gaps.rate1.push_back(ds[i] * std::cos(a[i]) - reach * std::sin(a[i]) * da[i] -
                         0.55 * std::cos(b[i]) * db[i]);
    gaps.rate2.push_back(ds[i] * std::sin(a[i]) + reach * std::cos(a[i]) * da[i] -
                         0.55 * std::sin(b[i]) * db[i]);
  }
  return gaps;
}

TEST(Simulation, looper_drift_of_a_disturbed_start_is_a_straight_line_without_stabilisation) {
  // Index 1 keeps h'' = 0, so h(t) = h0 + h0' t. Every start value is off by 0.01, so that both are not zero.
  formulate::Formulation index1;
  index1.kind = formulate::Kind::index1;
  const auto run = simulate({.model = "looper",
                             .until = 10,
                             .tolerance = 1e-11,
                             .formulation = index1,
                             .overrides = {.parameters = {{"disturbance", "0.01"}}},
                             .start = solve::StartValues::as_given});
  const std::vector<double> t = column(run, "t");
  const LooperGaps gaps = gaps_of(run);
  ASSERT_GT(t.size(), 100u);
  ASSERT_GT(std::abs(gaps.h1[0]), 0.01);
  ASSERT_GT(std::abs(gaps.rate1[0]), 0.01);
  // local errors of velocities, some hundred of them, are integrated over 10 s
  const double of_run = accumulated(1e-11, 100, 10);
  for (std::size_t i = 0; i < t.size(); ++i) {
    EXPECT_NEAR(gaps.h1[i], gaps.h1[0] + gaps.rate1[0] * t[i], of_run) << t[i] << " s";
    EXPECT_NEAR(gaps.h2[i], gaps.h2[0] + gaps.rate2[0] * t[i], of_run) << t[i] << " s";
  }
}

TEST(Simulation, stirred_tank_follows_the_closed_form_of_the_sum_of_tied_species) {
  // With Fa = F: S = CA + CB, S' = f (1 - S) - k S with f = Fa/V = 0.1 and k = k2 Keq/(1 + Keq) = 1/3.
  const auto run = simulate({.model = "cstr", .until = 20, .tolerance = 1e-11});
  const std::vector<double> t = column(run, "t"), a = column(run, "CA"), b = column(run, "CB");
  const double f = 0.1, k = 1.0 / 3, rest = f / (f + k), s0 = a[0] + b[0];
  for (std::size_t i = 0; i < t.size(); i += 50) {
    EXPECT_NEAR(a[i] + b[i], rest + (s0 - rest) * std::exp(-(f + k) * t[i]),
                accumulated(1e-11, 10));
    EXPECT_NEAR(b[i], 2 * a[i], rounding(100));
  }
}

TEST(Simulation, torsional_oscillator_turns_as_a_whole_by_its_momentum) {
  // The springs are inner forces: N I mean(phi)'' = u.
  model::Overrides pushed{.parameters = {{"N", "8"}}, .inputs = {{"u", "0.5*sin(t)"}}, .model = {}};
  const auto run = simulate(
      {.model = "torsional_oscillator", .until = 10, .tolerance = 1e-11, .overrides = pushed});
  const std::vector<double> t = column(run, "t");
  for (std::size_t i = 0; i < t.size(); i += 100) {
    double mean = 0;
    for (int k = 1; k <= 8; ++k) mean += column(run, "phi[" + std::to_string(k) + "]")[i] / 8;
    EXPECT_NEAR(mean, 0.5 / (8 * 0.12) * (t[i] - std::sin(t[i])), accumulated(1e-11, 10));
  }
}

TEST(Simulation, elevator_cable_starts_on_the_wall_and_keeps_its_energy_balance) {
  const auto run = simulate({.model = "elevator_cable",
                             .until = 2,
                             .tolerance = 1e-8,
                             .overrides = {.parameters = {{"N", "20"}}}});
  EXPECT_LE(drift(run, "position"), 1e-12);  // 30 m of cable: some 1e-14 relative
  EXPECT_LE(run.energy.largest_error, 1e-6 * std::max(run.energy.scale, 1.0));
}

TEST(Simulation, chain_without_friction_keeps_its_energy) {
  const auto run = simulate({.model = "chain",
                             .until = 1,
                             .tolerance = 1e-10,
                             .overrides = {.parameters = {{"d", "0"}}}});
  EXPECT_LE(run.energy.largest_error, 1e-8 * run.energy.scale);
  EXPECT_LE(drift(run, "position"), 1e-14);
}

TEST(Simulation, same_input_gives_the_same_bits_twice) {
  const Experiment run{.model = "delta_robot", .until = 0.5};
  const auto a = simulate(run), b = simulate(run);
  ASSERT_EQ(a.table.data().size(), b.table.data().size());
  EXPECT_TRUE(std::equal(a.table.data().begin(), a.table.data().end(), b.table.data().begin()));
}

}  // namespace
}  // namespace daedal::test
