// The feedback u = -F (x - x_rest) that gives a mechanism at rest given poles, in the user's own coordinates.
//
// On the constraint manifold x - x_rest = T z with orthonormal columns of T; F = F_z T^T as for the regulator. With a period
// the poles s of the continuous loop become exp(s period), and the command is held from sample to sample. Modes that the
// inputs do not affect and that decay stay as they are, and get no pole.
#pragma once

#include "daedal/analyse/linearise.hpp"
#include "daedal/derive/dae.hpp"

#include <Eigen/Core>

#include <complex>
#include <string>
#include <vector>

namespace daedal::feedback {

struct PlacementOptions {
  std::vector<std::string> inputs;          // that the feedback commands; empty: all
  std::vector<std::complex<double>> poles;  // [1/s], complex ones with their conjugates
  double period = 0;                        // [s] of a controller with a clock; 0: continuous
  double delay = 0;                         // [s] as of RegulatorOptions
};

struct Placed {
  std::vector<std::string> inputs, states;   // rows, columns of F
  Eigen::MatrixXd gain;                      // F
  std::vector<Eigen::MatrixXd> past_gains;   // as of Regulator
  std::vector<std::complex<double>> closed;  // [1/s]; with a period: factors from sample to sample
  double error = 0;                          // largest distance of one of them from its given pole
};

/// Of a forward Dae, linearised. Throws ModelError: names that do not exist, too few or too many poles, modes that the inputs
/// hardly move.
Placed place_poles(const derive::Dae& dae, const analysis::LinearModel& linear,
                   const PlacementOptions& options);

}  // namespace daedal::feedback
