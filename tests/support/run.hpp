// Runs a hand-written System with a method and keeps its rows.
#pragma once

#include "daedal/integrate/integrate.hpp"

#include <memory>
#include <vector>

namespace daedal::solve::testing {

struct Recorder final : Observer {
  struct Row {
    double t;
    std::vector<double> s, z;
  };
  Recorder(std::size_t states, std::size_t tops) : n(states), m(tops) {}
  void row(double t, const double* s, const double* z) override {
    rows.push_back({t, {s, s + n}, {z, z + m}});
  }
  void step(double t, const double* s, const double* z) override {
    steps.push_back({t, {s, s + n}, {z, z + m}});
  }
  std::size_t n, m;
  std::vector<Row> rows, steps;
};

struct RunResult {
  StepOutcome outcome;
  std::vector<Recorder::Row> rows, steps;
  StepStatistics statistics;
  bool stiff = false;
  double stopped_at = 0;
  const std::vector<double>& end() const { return rows.back().s; }
};

inline RunResult run(System& system, const Method& method, std::vector<double> start,
                     const std::vector<double>& times, double t0 = 0,
                     std::vector<double> tops = {}) {
  const std::unique_ptr<Integrator> integrator = make_integrator(method, system);
  Recorder recorder(system.states(), system.tops());
  tops.resize(system.tops(), 0.0);
  RunResult result;
  result.outcome = integrate(system, *integrator, t0, start.data(), tops.data(), times, recorder);
  result.rows = std::move(recorder.rows);
  result.steps = std::move(recorder.steps);
  result.statistics = integrator->statistics();
  result.stiff = integrator->seems_stiff();
  result.stopped_at = integrator->time();
  return result;
}

inline std::vector<double> grid(double end, int intervals) {
  std::vector<double> times;
  for (int i = 0; i <= intervals; ++i) times.push_back(end * i / intervals);
  return times;
}

}  // namespace daedal::solve::testing
