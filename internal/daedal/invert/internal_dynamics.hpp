// The internal dynamics of an inverse model: the motion that remains while the outputs follow their desired motion.
//
// Its eigenvalues at the start are the finite ones of the linearised inverse equations, the zeros of the forward model
// [Isidori1995]. In the left half plane, forward integration of the inverse model is stable; in the right one it grows like
// exp(Re(zero) t), and another method is needed.
#pragma once

#include "daedal/analyse/classify.hpp"
#include "daedal/invert/inverse_model.hpp"
#include "daedal/pencil/pencil.hpp"
#include "daedal/start/prepare.hpp"

#include <string>

namespace daedal::inversion {

struct InternalDynamics {
  analysis::Spectrum zeros;
  analysis::Margin margin;
};

/// Of a solvable inverse model, at a consistent point of its problem.
InternalDynamics internal_dynamics(const InverseModel& inverse,
                                   const solve::ConsistentPoint& start);

/// "internal dynamics of dimension 2, minimum phase: rightmost zero -2.14925 +- 41.4099i 1/s"; where it is unstable, with
/// every unstable zero and the others: "... non-minimum phase: unstable zero 194.3 1/s, other zero -162.7 1/s"
std::string describe(const InternalDynamics& dynamics);

}  // namespace daedal::inversion
