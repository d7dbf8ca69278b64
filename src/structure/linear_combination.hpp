// Conversion by linear combination of equations [Tan2017].
//
// When u^T J = 0 identically, the combination  g = sum over I of u_i f_i^(c_i - theta),  theta = min of c_i over I, does not
// contain the derivatives x_j^(d_j - theta): they cancel. Provided u itself contains only lower derivatives of x_j, g may
// replace an equation l with c_l = theta wherever u_l is not 0, and the value of the signature falls.
#pragma once

#include "singular_jacobian.hpp"

#include <optional>
#include <string>
#include <vector>

namespace daedal::structure {

struct Ingredient {
  std::uint32_t equation = 0;
  int derivative = 0;
};
struct Combination {
  derive::Dae dae;
  std::uint32_t replaced = 0;
  std::vector<Ingredient> ingredients;
  bool trivial = false;     // everything cancels: the equations depend on each other
  std::string valid_where;  // "cos(phi)": the factor of the replaced equation, when it can vanish
};
/// A Dae in which one equation is replaced; nullopt, and the reason, when there is none.
std::optional<Combination> combine(const derive::Dae& dae, const Offsets& offsets,
                                   const SingularJacobian& jacobian, std::string& reason);

}  // namespace daedal::structure
