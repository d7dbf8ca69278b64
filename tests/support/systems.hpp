// Hand-written Systems with known solutions, to test integrators without kernels.
#pragma once

#include "daedal/system/system.hpp"

#include <cmath>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace daedal::solve::testing {

/// Dense patterns and no projection: the usual case.
class SmallSystem : public System {
 public:
  SmallSystem(std::uint32_t states, std::uint32_t tops, std::vector<std::uint32_t> next)
      : states_(states),
        tops_(tops),
        next_(std::move(next)),
        state_pattern_(dense(states)),
        top_pattern_(dense(tops)) {}

  std::uint32_t states() const override { return states_; }
  std::uint32_t tops() const override { return tops_; }
  std::span<const std::uint32_t> next() const override { return next_; }
  const SparsePattern& state_pattern() const override { return state_pattern_; }
  const SparsePattern& top_pattern() const override { return top_pattern_; }
  bool projects() const override { return false; }
  Failure project(double, double*) override { return Failure::none; }
  std::vector<double> break_points(double t0, double t1) const override {
    std::vector<double> inside;
    for (const double b : breaks)
      if (b > t0 && b <= t1) inside.push_back(b);
    return inside;
  }
  std::vector<double> breaks;

 protected:
  void differentiate(const double* s, const double* z, double* ds) const {
    for (std::uint32_t i = 0; i < states_; ++i)
      ds[i] = next_[i] < states_ ? s[next_[i]] : z[next_[i] - states_];
  }

 private:
  SparsePattern dense(std::uint32_t columns) const {
    SparsePattern pattern{tops_, columns, {0}, {}};
    for (std::uint32_t r = 0; r < tops_; ++r) {
      for (std::uint32_t c = 0; c < columns; ++c) pattern.column.push_back(c);
      pattern.row_start.push_back(static_cast<std::uint32_t>(pattern.column.size()));
    }
    return pattern;
  }
  std::uint32_t states_, tops_;
  std::vector<std::uint32_t> next_;
  SparsePattern state_pattern_, top_pattern_;
};

/// x' = f(t): 0 = z - f(t).
class Quadrature final : public SmallSystem {
 public:
  explicit Quadrature(std::function<double(double)> f) : SmallSystem(1, 1, {1}), f_(std::move(f)) {}
  Failure derivative(double t, const double* s, double* z, double* ds) override {
    z[0] = f_(t);
    differentiate(s, z, ds);
    return Failure::none;
  }
  void residual(double t, const double*, const double* z, double* r) override {
    r[0] = z[0] - f_(t);
  }
  void jacobians(double, const double*, const double*, double* values) override {
    values[0] = 0;
    values[1] = 1;
  }

 private:
  std::function<double(double)> f_;
};

/// x'' = -x; from (1, 0): x = cos t.
class Oscillator final : public SmallSystem {
 public:
  Oscillator() : SmallSystem(2, 1, {1, 2}) {}
  Failure derivative(double, const double* s, double* z, double* ds) override {
    z[0] = -s[0];
    differentiate(s, z, ds);
    return Failure::none;
  }
  void residual(double, const double* s, const double* z, double* r) override {
    r[0] = z[0] + s[0];
  }
  void jacobians(double, const double*, const double*, double* values) override {
    values[0] = 1;
    values[1] = 0;
    values[2] = 1;
  }
};

/// A nonlinear index-1 system with the solution x = exp(sin t), w = x^2: x' = w cos t / x, 0 = w -
/// x^2.
class Nonlinear final : public SmallSystem {
 public:
  Nonlinear() : SmallSystem(1, 2, {1}) {}
  static double exact(double t) { return std::exp(std::sin(t)); }
  Failure derivative(double t, const double* s, double* z, double* ds) override {
    z[1] = s[0] * s[0];
    z[0] = z[1] * std::cos(t) / s[0];
    differentiate(s, z, ds);
    return Failure::none;
  }
  void residual(double t, const double* s, const double* z, double* r) override {
    r[0] = z[0] - z[1] * std::cos(t) / s[0];
    r[1] = z[1] - s[0] * s[0];
  }
  void jacobians(double t, const double* s, const double* z, double* v) override {
    v[0] = z[1] * std::cos(t) / (s[0] * s[0]);
    v[1] = -2 * s[0];
    v[2] = 1;
    v[3] = -std::cos(t) / s[0];
    v[4] = 0;
    v[5] = 1;
  }
};

/// The pendulum in Cartesian coordinates, index 1: s = (x, y, x', y'), z = (x'', y'', lambda).
class Pendulum final : public SmallSystem {
 public:
  explicit Pendulum(bool projected = true, double length = 1, double gravity = 9.81)
      : SmallSystem(4, 3, {2, 3, 4, 5}), projected_(projected), length_(length), g_(gravity) {}
  double energy(const double* s) const { return 0.5 * (s[2] * s[2] + s[3] * s[3]) + g_ * s[1]; }
  double position_drift(const double* s) const {
    return s[0] * s[0] + s[1] * s[1] - length_ * length_;
  }
  double velocity_drift(const double* s) const { return 2 * (s[0] * s[2] + s[1] * s[3]); }

  Failure derivative(double, const double* s, double* z, double* ds) override {
    const double square = s[0] * s[0] + s[1] * s[1];
    z[2] = (g_ * s[1] - s[2] * s[2] - s[3] * s[3]) / (2 * square);
    z[0] = 2 * s[0] * z[2];
    z[1] = 2 * s[1] * z[2] - g_;
    differentiate(s, z, ds);
    return square > 0 ? Failure::none : Failure::singular_matrix;
  }
  void residual(double, const double* s, const double* z, double* r) override {
    r[0] = z[0] - 2 * s[0] * z[2];
    r[1] = z[1] + g_ - 2 * s[1] * z[2];
    r[2] = 2 * (s[0] * z[0] + s[1] * z[1] + s[2] * s[2] + s[3] * s[3]);
  }
  void jacobians(double, const double* s, const double* z, double* v) override {
    const double entries[] = {-2 * z[2], 0,        0,        0,         0,        -2 * z[2], 0,
                              0,         2 * z[0], 2 * z[1], 4 * s[2],  4 * s[3], 1,         0,
                              -2 * s[0], 0,        1,        -2 * s[1], 2 * s[0], 2 * s[1],  0};
    for (const double entry : entries) *v++ = entry;
  }
  bool projects() const override { return projected_; }
  Failure project(double, double* s) override {
    const double factor = length_ / std::hypot(s[0], s[1]);
    s[0] *= factor;
    s[1] *= factor;
    const double along = (s[0] * s[2] + s[1] * s[3]) / (s[0] * s[0] + s[1] * s[1]);
    s[2] -= along * s[0];
    s[3] -= along * s[1];
    return Failure::none;
  }

 private:
  bool projected_;
  double length_, g_;
};

/// Robertson's kinetics as an index-1 system: y1', y2' from rates, 0 = y1 + y2 + y3 - 1. s = (y1,
/// y2), z = (y1', y2', y3).
class Robertson final : public SmallSystem {
 public:
  Robertson() : SmallSystem(2, 3, {2, 3}) {}
  std::span<const double> nominal() const override { return nominal_; }
  Failure derivative(double, const double* s, double* z, double* ds) override {
    z[2] = 1 - s[0] - s[1];
    z[0] = -0.04 * s[0] + 1e4 * s[1] * z[2];
    z[1] = -z[0] - 3e7 * s[1] * s[1];
    differentiate(s, z, ds);
    return Failure::none;
  }
  void residual(double, const double* s, const double* z, double* r) override {
    const double rate = -0.04 * s[0] + 1e4 * s[1] * z[2];
    r[0] = z[0] - rate;
    r[1] = z[1] + rate + 3e7 * s[1] * s[1];
    r[2] = s[0] + s[1] + z[2] - 1;
  }
  void jacobians(double, const double* s, const double* z, double* v) override {
    const double entries[] = {0.04,        -1e4 * z[2], -0.04, 1e4 * z[2] + 6e7 * s[1],
                              1,           1,           1,     0,
                              -1e4 * s[1], 0,           1,     1e4 * s[1],
                              0,           0,           1};
    for (const double entry : entries) *v++ = entry;
  }

 private:
  std::vector<double> nominal_ = {1e-3, 1e-6};
};

/// x' = -x^2 with x(0) = -1: leaves every bound at t = 1.
class BlowUp final : public SmallSystem {
 public:
  BlowUp() : SmallSystem(1, 1, {1}) {}
  Failure derivative(double, const double* s, double* z, double* ds) override {
    z[0] = -s[0] * s[0];
    differentiate(s, z, ds);
    return std::isfinite(z[0]) ? Failure::none : Failure::not_finite;
  }
  void residual(double, const double* s, const double* z, double* r) override {
    r[0] = z[0] + s[0] * s[0];
  }
  void jacobians(double, const double* s, const double*, double* v) override {
    v[0] = 2 * s[0];
    v[1] = 1;
  }
};

/// A chain of n oscillators, x_i'' = x_{i-1} - 2 x_i + x_{i+1}, with sparse Jacobians: large enough
/// for KLU.
class Chain final : public System {
 public:
  explicit Chain(std::uint32_t n) : n_(n) {
    for (std::uint32_t i = 0; i < 2 * n; ++i) next_.push_back(n + i);
    state_ = {n, 2 * n, {0}, {}};
    top_ = {n, n, {0}, {}};
    for (std::uint32_t i = 0; i < n; ++i) {
      if (i > 0) state_.column.push_back(i - 1);
      state_.column.push_back(i);
      if (i + 1 < n) state_.column.push_back(i + 1);
      state_.row_start.push_back(static_cast<std::uint32_t>(state_.column.size()));
      top_.column.push_back(i);
      top_.row_start.push_back(i + 1);
    }
  }
  /// The lowest mode: x_i = sin(pi (i+1)/(n+1)) cos(omega t).
  double frequency() const { return 2 * std::sin(M_PI / (2 * (n_ + 1))); }
  double shape(std::uint32_t i) const { return std::sin(M_PI * (i + 1) / (n_ + 1)); }

  std::uint32_t states() const override { return 2 * n_; }
  std::uint32_t tops() const override { return n_; }
  std::span<const std::uint32_t> next() const override { return next_; }
  const SparsePattern& state_pattern() const override { return state_; }
  const SparsePattern& top_pattern() const override { return top_; }
  Failure derivative(double, const double* s, double* z, double* ds) override {
    for (std::uint32_t i = 0; i < n_; ++i) z[i] = pull(s, i);
    for (std::uint32_t i = 0; i < n_; ++i) {
      ds[i] = s[n_ + i];
      ds[n_ + i] = z[i];
    }
    return Failure::none;
  }
  void residual(double, const double* s, const double* z, double* r) override {
    for (std::uint32_t i = 0; i < n_; ++i) r[i] = z[i] - pull(s, i);
  }
  void jacobians(double, const double*, const double*, double* v) override {
    for (std::uint32_t i = 0; i < n_; ++i) {
      if (i > 0) *v++ = -1;
      *v++ = 2;
      if (i + 1 < n_) *v++ = -1;
    }
    for (std::uint32_t i = 0; i < n_; ++i) *v++ = 1;
  }
  bool projects() const override { return false; }
  Failure project(double, double*) override { return Failure::none; }
  std::vector<double> break_points(double, double) const override { return {}; }

 private:
  double pull(const double* s, std::uint32_t i) const {
    return (i > 0 ? s[i - 1] : 0) - 2 * s[i] + (i + 1 < n_ ? s[i + 1] : 0);
  }
  std::uint32_t n_;
  std::vector<std::uint32_t> next_;
  SparsePattern state_, top_;
};

}  // namespace daedal::solve::testing
