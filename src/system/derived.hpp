// Which unknowns of a constraint level follow from the levels below.
//
// Such an unknown is recomputed by every projection, from equations linear in it, whatever it was before: errors do not
// travel in it, and it need not be integrated accurately. In a problem of index 47 all but a few states are of this kind:
// the 44th derivative of an angle is computed, not integrated.
#pragma once

#include "daedal/formulate/problem.hpp"

#include <vector>

namespace daedal::solve {

/// By column of the level: whether it belongs to the part with as many equations as unknowns (the well-determined part
/// [DulmageMendelsohn1958]), and the equations it occurs in there are linear in the level's unknowns.
std::vector<bool> derived_columns(const formulate::Problem& problem, const formulate::Level& level);

}  // namespace daedal::solve
