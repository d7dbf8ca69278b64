// Filters that estimate the states of a mechanism from sample to sample: linear (Kalman), extended, unscented.
//
// The mechanism is the one that a controller assumes; between samples its inputs are held. States are all variables with
// derivatives, redundant coordinates included. On the constraint manifold errors lie, to first order, in the span of an
// orthonormal basis T of the null spaces of the constraint Jacobians, P = T P_z T^T, and every point is moved back onto the
// constraints [Druecker2022, section 4.2.3]. Without constraints T = I.
#pragma once

#include "daedal/base/diagnostic.hpp"
#include "daedal/derive/dae.hpp"
#include "daedal/model/estimator.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace daedal::feedback {

struct FilterPlant {
  std::shared_ptr<const derive::Dae> dae;  // its model's outputs are what is measured
  std::vector<expr::SymbolId> held;        // parameters that hold the inputs that are given
  std::vector<expr::SymbolId> inputs;      // parallel: the inputs
  std::vector<expr::Leaf> states;          // in the order of all vectors below
};

enum class FilterKind : std::uint8_t { linear, extended, unscented };

struct FilterOptions {
  FilterKind kind = FilterKind::unscented;
  double period = 0;  // [s], > 0
  /// Standard deviations: by how much a state leaves the model during a period, of each measurement (> 0), of the start.
  std::vector<double> process, noise, start;
  /// Points of the unscented filter at mean +- sqrt(n + lambda), lambda = alpha^2 (n + kappa) - n, n + lambda > 0; beta weighs the
  /// mean in covariances [JulierUhlmann2004].
  double alpha = 1, beta = 0, kappa = 1;
  int substeps = 0;  // of Runge-Kutta in a period; 0: as many as the fastest mode at rest needs
  double delay = 0;  // [s] after its sample a command acts
};

struct FilterDesign {
  std::shared_ptr<const model::ObserverDesign> design;
  std::vector<double> start;         // as Estimator::estimates
  std::vector<Diagnostic> warnings;  // modes that the measurements do not show at rest
  /// Inputs of a sample are the commands that begin to act `samples` samples after theirs. Where they do so `between` two samples,
  /// the commands that act until then follow.
  int samples = 0;
  bool between = false;
};

/// Throws ModelError: a linear filter without a rest to linearise about, models that filters do not support.
FilterDesign design_filter(const FilterPlant& plant, const FilterOptions& options);

}  // namespace daedal::feedback
