// Directions of zeros: the internal motion with constant outputs.
//
//   [ A - z E  B ] [ x ]                [ A - z E  B ]
//   [ C        D ] [ u ] = 0,   (w, y)^T [ C        D ] = 0
//
// The input u e^(zt), with the state starting at x, moves the model like x e^(zt) and leaves every output at rest; the combination
// y of outputs is the one that no input moves at s = z. Where u = 0, the motion is one that no output shows; where y = 0, one that
// no input reaches [MacFarlaneKarcanias1976]. Zeros with neither are those of the transfer function.
#pragma once

#include "daedal/analyse/linearise.hpp"
#include "daedal/pencil/pencil.hpp"

#include <Eigen/Core>

#include <complex>
#include <vector>

namespace daedal::analysis {

/// A column for each independent direction; largest entry of inputs (of states where there are no inputs), of outputs: 1.
struct ZeroDirection {
  Cluster zero;
  Eigen::MatrixXcd state,
      input;  // no columns with more inputs than outputs depend on: any s is then a zero
  Eigen::MatrixXcd output;  // no columns with more outputs than the inputs move
  double residual = 0;      // of the equations above, parts of the largest singular value

  /// No output shows the motion; no input reaches it.
  bool unobservable() const { return input.cols() > 0 && input.isZero(0); }
  bool uncontrollable() const { return output.cols() > 0 && output.isZero(0); }
};

/// Of each cluster of `zeros`, which are those of all outputs against all inputs of `linear`; conjugate ones once, with a
/// positive imaginary part. `normal_rank` is that of the transfer function.
std::vector<ZeroDirection> zero_directions(const LinearModel& linear, const Spectrum& zeros,
                                           int normal_rank);

}  // namespace daedal::analysis
