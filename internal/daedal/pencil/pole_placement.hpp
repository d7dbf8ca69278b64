// State feedback u = -F x that gives x' = (A - B F) x, or x_(k+1) = (A - B F) x_k, given poles.
//
// Poles are placed one or two at a time in the real Schur form of A [Varga1981]: feedback of the last block's own coordinates
// moves its eigenvalues and no others, and orthogonal exchanges bring the next block to the end. Each time the least gain is
// taken that moves the block to the nearest poles left. With one input F is unique; with several it is one of many.
#pragma once

#include <Eigen/Core>

#include <complex>
#include <vector>

namespace daedal::analysis {

enum class PlacementStatus {
  placed,
  not_controllable,  // nothing moves one of the eigenvalues
  not_converged      // the Schur form was not found, or two of its blocks could not be exchanged
};

struct PolePlacement {
  PlacementStatus status = PlacementStatus::placed;
  Eigen::MatrixXd gain;  // F

  bool placed() const { return status == PlacementStatus::placed; }
};

/// As many poles as states, complex ones with their conjugates (std::invalid_argument otherwise).
PolePlacement place_poles(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b,
                          const std::vector<std::complex<double>>& poles);

}  // namespace daedal::analysis
