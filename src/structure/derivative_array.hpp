// Index and degrees of freedom from numerical ranks: the last resort.
//
// F_k = (f, f', ..., f^(k)) = 0 is differentiated by all derivatives of all unknowns at a random point. With
// m_j = max(1, highest derivative of x_j in f), the index is the smallest k for which F_k determines every x_j^(m_j) from
// the lower ones [CampbellGear1995]; the lower ones have as many degrees of freedom as F_k leaves them.
#pragma once

#include "daedal/derive/dae.hpp"

#include <optional>

namespace daedal::structure {

struct ArrayRanks {
  int index = 0, degrees_of_freedom = 0;
};
/// nullopt when no k small enough to be written out determines the derivatives.
std::optional<ArrayRanks> derivative_array(const derive::Dae& dae);

}  // namespace daedal::structure
