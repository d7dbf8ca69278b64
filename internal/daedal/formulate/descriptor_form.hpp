// A Dae as a descriptor form: states and tops as in a Problem, but with the offsets of structure::descriptor_offsets.
//
// The matrix of the tops may be singular: one cannot integrate this, but a boundary value solver needs no more than regular
// collocation equations, and forces of beams stay as they are instead of being differentiated twice.
#pragma once

#include "daedal/formulate/problem.hpp"

#include <memory>

namespace daedal::formulate {

/// `structure`: of this Dae as examined, index and degrees of freedom of which are kept.
Problem descriptor_form(std::shared_ptr<const derive::Dae> dae, structure::Structure structure);

/// Whether a problem was formulated that way.
inline bool is_descriptor_form(const Problem& problem) {
  return problem.offsets.assignment.empty() && !problem.c.empty();
}

}  // namespace daedal::formulate
