// Zeros as parameters change: where a system becomes minimum phase, and by which distance from the axis.
//
// Parameters move together along a straight path, p(s) = from + s (to - from), s from 0 to 1. At evenly spaced points, and
// ever closer to a change of the class, the equilibrium is computed again and the zeros are computed as `portrait` does
// it. A weight of output redefinition is one parameter among others.
#pragma once

#include "daedal/analyse/classify.hpp"
#include "daedal/analyse/count_doubt.hpp"
#include "daedal/analyse/equilibrium.hpp"
#include "daedal/base/progress.hpp"
#include "daedal/derive/dae.hpp"

#include <optional>
#include <string>
#include <vector>

namespace daedal::analysis {

struct VariedParameter {
  expr::SymbolId symbol = 0;
  double from = 0, to = 1;
  double at(double s) const { return from + s * (to - from); }
};

struct ZeroMapOptions {
  int samples = 21;   // >= 2: what lies between two of them and ends before the next is missed
  double margin = 0;  // [1/s], >= 0: zeros are acceptable when they lie this far left of the axis,
                      // with 0 also when they lie on it
  double sharpness = 1e-8;  // in (0, 1): of the path, how closely a change is located
  double reserve = 0.01;    // in [0, 1): of the path, how far from a change the best point stays
  EquilibriumOptions equilibrium;
  Watch watch;  // asked to stop, the points until then
};

struct ZeroMapPoint {
  double s = 0;
  Spectrum zeros;  // of the inverse Dae, rightmost first
  Margin margin;
  bool found =
      false;  // whether there is an equilibrium, and outputs and inputs determine each other
  bool acceptable = false;          // no zero further right than the margin allows
  std::optional<CountDoubt> doubt;  // about the number of zeros; nowhere else than at samples,
                                    // beside crossings and at the best point
};

/// Where the class changes, between an acceptable and an unacceptable point.
struct Crossing {
  double s = 0;
  bool acceptable_before = false;
  Cluster zero;                     // the rightmost one just on the unacceptable side
  std::optional<CountDoubt> doubt;  // about the number of zeros on one of its sides
};

struct ZeroMap {
  std::vector<ZeroMapPoint> points;  // at the samples, in order
  std::vector<Crossing> crossings;   // in order
  /// The acceptable point nearest to the end of the path, by the reserve away from the crossing before it; one without doubt
  /// where there is one.
  std::optional<ZeroMapPoint> best;
};

/// `asked`: a forward Dae with as many servo-constraints as inputs; parameters that are 0 must have been given another value
/// before it was derived, or they are not in its equations. Throws ModelError where there are no zeros to map.
ZeroMap zero_map(const derive::Dae& asked, const std::vector<VariedParameter>& parameters,
                 const ZeroMapOptions& options = {});

}  // namespace daedal::analysis
