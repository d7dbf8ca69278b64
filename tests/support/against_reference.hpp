// Errors of a method and formulation on a model, against trajectories in 34 digits.
#pragma once

#include "daedal/elaborate/elaborate.hpp"
#include "daedal/run/reference.hpp"
#include "daedal/run/simulate.hpp"
#include "daedal/start/prepare.hpp"
#include "daedal/system/problem_system.hpp"
#include "support/observed_order.hpp"
#include "support/problems.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

namespace daedal::solve::testing {

inline const std::string skate_text = R"(model skate
parameter m = 1 [kg], J = 0.3 [kg*m^2], g = 2 [m/s^2]
coordinate x [m], y [m], th = 0.3 [rad]
initial x' = 0.5*cos(0.3), y' = 0.5*sin(0.3), th' = 1
kinetic m/2*(x'^2 + y'^2) + J/2*th'^2
potential m*g*x
constraint blade: x'*sin(th) - y'*cos(th) = 0
)";

/// A point of varying mass matrix on a circle in polar coordinates about another point, pulled by a spring: T is quadratic in
/// the velocities with masses that depend on the position, and energy is conserved.
inline const std::string polar_text = R"(model polar
parameter m = 1.3 [kg], k = 7 [N/m], e = 0.4 [m], R = 1 [m]
coordinate r = 1.3 [m], w = 0.3 [rad]
initial w' = 2
kinetic    m/2 * (r'^2 + r^2*w'^2)
potential  k/2 * (r*sin(w) - 0.2)^2
constraint circle: r^2 - 2*e*r*cos(w) + e^2 = R^2
)";

/// positions, velocities, multipliers: largest differences from the reference.
using Errors = std::array<double, 3>;

class AgainstReference {
 public:
  AgainstReference(std::shared_ptr<const derive::Dae> dae, std::vector<double> times)
      : dae_(std::move(dae)), times_(std::move(times)) {
    const Prepared prepared = prepare(dae_, {});
    problem_ = prepared.problem;
    reference_ = reference_trajectory(problem_, prepared.start, times_);
    EXPECT_EQ(reference_.failure, Failure::none);
  }
  static AgainstReference of_text(const std::string& text, std::vector<double> times) {
    return {derived(model::load_text(text, "test.daedal")), std::move(times)};
  }
  static AgainstReference of_file(const std::string& name, std::vector<double> times) {
    return {derived(model::load(std::string(DAEDAL_SOURCE_DIR) + "/models/" + name + "/" + name +
                                ".daedal")),
            std::move(times)};
  }

  Trajectory simulate(formulate::Kind kind, const Method& method) const {
    formulate::Formulation formulation;
    formulation.kind = kind;
    return simulate_until(formulation, method, times_.back());
  }
  Trajectory simulate_until(const formulate::Formulation& formulation, const Method& method,
                            double until) const {
    const Prepared prepared = prepare(dae_, formulation);
    SimulateOptions options;
    options.method = method;
    options.until = until;
    options.every = times_.front();
    options.compile.backend = compile::Backend::tape;
    return solve::simulate(prepared.problem, prepared.start, options);
  }

  /// Over the times of the reference, all of which are rows.
  Errors errors(const Trajectory& trajectory) const {
    Errors errors{};
    EXPECT_EQ(trajectory.status, Status::completed) << trajectory.reason;
    if (trajectory.status != Status::completed) return errors;
    for (const ReferenceRow& at : reference_.rows) {
      std::size_t row = 0;
      while (std::abs(trajectory.table.at(row, 0) - at.t) > 1e-9) ++row;
      for (std::uint32_t p = 1; p <= problem_.states + problem_.tops; ++p) {
        const expr::Leaf leaf = problem_.layout.leaf(p);
        if (leaf.symbol >= dae_->model->symbols.size()) continue;
        const model::Symbol& symbol = dae_->model->symbols[leaf.symbol];
        const auto column = trajectory.table.find(symbol.name, leaf.order);
        if (!column) continue;
        const std::size_t part = symbol.kind == model::SymbolKind::multiplier ? 2 : leaf.order;
        const compile::Quad exact =
            p <= problem_.states ? at.states[p - 1] : at.tops[p - 1 - problem_.states];
        errors[part] = std::max(
            errors[part], std::abs(static_cast<double>(trajectory.table.columns()[*column].turned(
                                                           trajectory.table.at(row, *column)) -
                                                       exact)));
      }
    }
    return errors;
  }

  /// Fitted orders of positions, velocities and multipliers over these step lengths.
  template <class MakeMethod>
  std::array<support::ObservedOrder, 3> orders(formulate::Kind kind,
                                               const std::vector<double>& steps,
                                               MakeMethod make) const {
    std::array<std::vector<double>, 3> found;
    for (const double step : steps) {
      const Errors e = errors(simulate(kind, make(step)));
      for (std::size_t k = 0; k < 3; ++k) found[k].push_back(e[k]);
    }
    return {support::fitted_order(steps, found[0]), support::fitted_order(steps, found[1]),
            support::fitted_order(steps, found[2])};
  }

 private:
  static std::shared_ptr<const derive::Dae> derived(const model::Library& library) {
    return std::make_shared<const derive::Dae>(
        derive::derive(std::make_shared<const model::Model>(model::elaborate(library))));
  }
  std::shared_ptr<const derive::Dae> dae_;
  std::vector<double> times_;
  formulate::Problem problem_;
  ReferenceTrajectory reference_;
};

inline void expect_orders(const std::array<support::ObservedOrder, 3>& measured,
                          const std::array<double, 3>& claimed, double slack) {
  const char* const quantity[] = {"positions", "velocities", "multipliers"};
  for (std::size_t k = 0; k < 3; ++k)
    EXPECT_NEAR(measured[k].slope, claimed[k], slack)
        << quantity[k] << ": " << ::testing::PrintToString(measured[k].errors);
}

/// On five mechanisms, reactions included; constraints to rounding on both levels: sums of a few terms of order 1 and 10.
inline void expect_reference_followed(formulate::Kind kind) {
  const Method method = Dop853Options{.tolerance = 1e-11};
  const auto check = [&](const AgainstReference& model, const char* name) {
    const Trajectory t = model.simulate(kind, method);
    const Errors errors = model.errors(t);
    EXPECT_LT(errors[0], 1e-9) << name;
    EXPECT_LT(errors[1], 1e-8) << name;
    EXPECT_LT(errors[2], 1e-7) << name;
    for (const LevelDrift& drift : t.drift)
      if (drift.level != "acceleration") {
        EXPECT_LT(drift.largest, 2e-14) << name << drift.level;
      }
  };
  for (const char* name : {"pendulum", "fourbar", "delta_robot"})
    check(AgainstReference::of_file(name, {0.25, 0.5, 1}), name);
  check(AgainstReference::of_text(skate_text, {0.5, 1}), "skate");
  check(AgainstReference::of_text(polar_text, {0.5, 1}), "polar");
}

}  // namespace daedal::solve::testing
