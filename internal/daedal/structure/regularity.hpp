// A check of the offsets of the Sigma-method.
//
// They are correct where the system Jacobian is regular [Pryce2001]. It is evaluated at random
// points: singular there means singular everywhere (the signature misleads, and equations must be converted); regular
// there but singular at a state of the motion means a singular pose.
#pragma once

#include "daedal/derive/dae.hpp"
#include "daedal/structure/examine.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace daedal::structure {

/// Values of all leaves: time, parameters, unknowns, inputs and their derivatives.
using Point = std::function<double(expr::Leaf)>;

/// Generic values: parameters as they are; unknowns near their start values, everything else near
/// 0, moved by at most `scale` nominal values; time is positive. The same seed gives the same point on every machine.
Point random_point(const derive::Dae& dae, std::uint64_t seed, double scale = 1);

enum class Verdict : std::uint8_t {
  regular,
  singular_here,        // at the given point, not elsewhere
  singular_everywhere,  // at every point tried
  unknown               // no point was found where the equations have finite values
};
struct Regularity {
  Verdict verdict = Verdict::regular;
  std::uint32_t size = 0, rank = 0;  // of the first block of the order of solution that is singular
  double smallest_singular_value = 0;  // of that block with rows and columns scaled to 1
  std::vector<std::uint32_t> equations, unknowns;  // that take part: support of its null vectors
  /// Singular here: the point's values of what occurs in these equations below the leading derivatives.
  std::vector<std::pair<expr::Leaf, double>> state;
  bool regular() const { return verdict == Verdict::regular; }
};
/// At random points only.
Regularity regularity(const derive::Dae& dae, const Offsets& offsets);
/// At `point`, and where it is singular there also at random points.
Regularity regularity(const derive::Dae& dae, const Offsets& offsets, const Point& point);

/// A sentence for reports and messages, in the user's names; empty when regular.
std::string describe(const Regularity& regularity, const derive::Dae& dae);

}  // namespace daedal::structure
