#include "daedal/invert/internal_dynamics.hpp"

#include "daedal/analyse/linearise.hpp"
#include "daedal/analyse/poles_zeros.hpp"
#include "daedal/solve/step_program.hpp"

#include <fmt/format.h>

namespace daedal::invert {

InternalDynamics internal_dynamics(const InverseModel& inverse,
                                   const solve::ConsistentPoint& start) {
  InternalDynamics dynamics;
  dynamics.zeros = analyse::poles(
      analyse::linearise(*inverse.structure.dae, solve::point_of(inverse.problem, start)));
  dynamics.margin = analyse::margin(dynamics.zeros);
  return dynamics;
}

std::string describe(const InternalDynamics& dynamics) {
  return fmt::format("internal dynamics of dimension {}, {}: rightmost zero {} 1/s",
                     dynamics.zeros.finite(), analyse::phase_word(dynamics.margin.side),
                     analyse::text_of(dynamics.margin.worst, true));
}

}  // namespace daedal::invert
