// The internal dynamics of an inverse model: what moves on while the outputs do as they are asked.
//
// Its eigenvalues at the start are the finite ones of the linearised inverse equations, the zeros of the forward model
// [Isidori1995]. In the left half plane, forward integration of the inverse model is stable; in the right one it grows like
// exp(Re(zero) t), and another road must be taken.
#pragma once

#include "daedal/analyse/classify.hpp"
#include "daedal/analyse/pencil.hpp"
#include "daedal/invert/inverse_model.hpp"
#include "daedal/solve/consistent.hpp"

#include <string>

namespace daedal::invert {

struct InternalDynamics {
  analyse::Spectrum zeros;
  analyse::Margin margin;
};

/// Of a solvable inverse model, at a consistent point of its problem.
InternalDynamics internal_dynamics(const InverseModel& inverse,
                                   const solve::ConsistentPoint& start);

/// "internal dynamics of dimension 2, minimum phase: rightmost zero -2.14925 +- 41.4099i 1/s"; where it is unstable, with
/// every unstable zero and the others: "... non-minimum phase: unstable zero 194.3 1/s, other zero -162.7 1/s"
std::string describe(const InternalDynamics& dynamics);

}  // namespace daedal::invert
