// Conversion by substitution of expressions [Tan2017].
//
// When J v = 0 identically, the unknowns x_j, j in S (where v_j is not 0), enter the equations only together. With
// C = max of c_i over the equations that contain x_j^(d_j - c_i), and some l in S, the new unknowns
//     y_j = x_j^(d_j - C) - (v_j / v_l) x_l^(d_l - C),   j in S, j != l,
// take the place of x_j^(d_j - c_i) = (y_j + (v_j / v_l) x_l^(d_l - C))^(C - c_i): the highest derivatives of x_l then cancel
// and the value of the signature falls. v must contain x_j only below d_j - C for j in S, and up to d_j - C for all others.
#pragma once

#include "singular_jacobian.hpp"

#include <optional>
#include <string>
#include <vector>

namespace daedal::structure {

struct Substitution {
  derive::Dae dae;  // with the new unknowns and their defining equations at the end
  std::vector<std::uint32_t> rewritten;
  std::vector<std::string> definitions;  // "aux_x = x' + y*y'"
  std::string valid_where;               // v_l, when it can vanish
};
/// A Dae with new unknowns; nullopt, and the reason, when there is none.
std::optional<Substitution> substitute(const derive::Dae& dae, const Offsets& offsets,
                                       const SingularJacobian& jacobian, std::string& reason);

}  // namespace daedal::structure
