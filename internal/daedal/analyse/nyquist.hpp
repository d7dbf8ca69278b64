// Nyquist's criterion for one output and input, with feedback -1 around them:
//
//   det(closed loop)(s) = det(A - s E) (1 + G(s)),   so   encirclements of -1 = unstable poles closed - unstable poles open,
//
// clockwise, for frequencies from minus to plus infinity, past poles on the axis on their right. Both numbers of poles are
// finite eigenvalues with errors: no count depends on a grid of frequencies.
#pragma once

#include "daedal/analyse/frequency_response.hpp"
#include "daedal/analyse/linearise.hpp"
#include "daedal/pencil/pencil.hpp"

#include <Eigen/Core>

#include <complex>
#include <optional>
#include <vector>

namespace daedal::analysis {

struct Nyquist {
  int unstable_open = 0, unstable_closed = 0;  // poles right of the axis
  int on_axis = 0;                             // poles of the open loop on the axis
  /// Clockwise; nullopt where G passes through -1, or has no limit, or the limit -1, for large frequencies.
  std::optional<int> encirclements;
};
/// `open` are the poles of `linear`.
Nyquist nyquist(const LinearModel& linear, const Spectrum& open, Eigen::Index output,
                Eigen::Index input);

/// G(jw), with frequencies so close that the curve can be drawn: steps of G/(1 + |G|), which brings the plane into a disc,
/// are below 0.04, but for jumps at poles on the axis.
struct NyquistCurve {
  std::vector<double>
      frequencies;  // [rad/s], positive; the curve for negative ones is the mirror image
  std::vector<std::complex<double>> values;
};
NyquistCurve nyquist_curve(const LinearModel& linear, double first, double last,
                           Eigen::Index output, Eigen::Index input);

/// G/(1 + |G|): the whole plane in the unit disc, -1 half-way to the left.
std::complex<double> in_disc(std::complex<double> value);

}  // namespace daedal::analysis
