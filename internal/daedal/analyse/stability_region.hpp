// Lyapunov functions of a nonlinear motion near rest, and where they decrease.
//
//   quadratic    V = z^T P z,  F^T P + P F = -I       z: states of the linearised model on the manifold
//   energy       V = E(q, v) - E_0 - work of constant inputs + epsilon (q - q_0)^T M(q) v
//
// The energy alone does not fall while nothing moves; the term with epsilon makes V fall there too [OlivaLooper, section 3.3],
// for 0 < epsilon below a bound that follows from the quadratic parts of V and V'. V' is exact at each sample: from
// the equations of motion, not from differences. Samples lie on the manifold, on nested ellipsoids around rest.
#pragma once

#include "daedal/analyse/equilibrium.hpp"
#include "daedal/base/progress.hpp"
#include "daedal/base/table.hpp"
#include "daedal/derive/dae.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace daedal::analysis {

enum class LyapunovKind { quadratic, energy };

struct RegionOptions {
  LyapunovKind kind = LyapunovKind::quadratic;
  std::optional<double> epsilon;  // [1/s], of the energy; default: half of its bound
  double radius =
      0.1;  // of the outermost ellipsoid: largest change of a position over its nominal value
  int shells = 20, directions = 100;
  Watch watch;
};

struct StabilityRegion {
  int samples = 0;
  bool decreases = false;  // V > 0 and V' < 0 at every sample
  double level = 0;        // V up to which it decreases; the outermost shell's if at all samples
  double worst_rate = 0;   // [1/s], largest V'/V
  std::map<std::string, double> worst;  // where: states by name
  double epsilon = 0, epsilon_bound = 0;
  Table table;  // states, V, V'
};
/// Throws ModelError for models without coordinates (energy), with drives (energy), and std::invalid_argument where the
/// linearised motion is not asymptotically stable: no such function exists for it.
StabilityRegion stability_region(const std::shared_ptr<const derive::Dae>& dae,
                                 const Equilibrium& rest, const RegionOptions& options);

/// The motion from a disturbed rest, by the equations and by their linearisation.
struct MotionComparison {
  struct Coordinate {
    std::string name;
    double largest = 0;     // departure from rest
    double difference = 0;  // largest, of the two motions
    double at = 0;          // [s], where
  };
  std::vector<Coordinate> coordinates;
  Table table;  // t, each position by the equations and linear
};
/// `disturbance` by name of states ("theta1", "theta1'"), in addition to rest. Throws ModelError when the motion cannot be
/// simulated.
MotionComparison compare_motions(const std::shared_ptr<const derive::Dae>& dae,
                                 const Equilibrium& rest,
                                 const std::map<std::string, double>& disturbance, double until);

}  // namespace daedal::analysis
