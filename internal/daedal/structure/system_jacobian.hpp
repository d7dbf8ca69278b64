// Pryce's system Jacobian, directly from the equations [Pryce2001].
//
//   J(i, j) = d f_i / d x_j^(d_j - c_i) = d f_i^(c_i) / d x_j^(d_j),
//
// by Griewank's lemma: no equation is differentiated in time, whatever the index. Where J is regular at a consistent point
// the offsets are correct, and with them index, degrees of freedom and the order of solution.
#pragma once

#include "daedal/derive/dae.hpp"
#include "daedal/structure/examine.hpp"

namespace daedal::structure {

/// Rows: equations; columns: unknowns. `offsets` may be any valid ones, canonical or raised.
expr::SparseFunction system_jacobian(const derive::Dae& dae, const Offsets& offsets);

}  // namespace daedal::structure
