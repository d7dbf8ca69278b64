// Hidden constraints: the derivatives of equations that the motion has to satisfy as well.
//
// Equation i is differentiated c_i times; each derivative below the last restricts what the unknowns and their derivatives
// may be at a point, the last one leads to the highest derivatives.
#pragma once

#include "daedal/derive/dae.hpp"
#include "daedal/structure/examine.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

namespace daedal::structure {

struct HiddenConstraint {
  std::uint32_t equation = 0;
  int derivative = 1;               // 1 .. c_i
  std::optional<expr::Expr> value;  // nullopt: beyond the limits
};
struct HiddenConstraints {
  std::shared_ptr<const expr::Graph> graph;  // over the model's symbols
  std::vector<HiddenConstraint> list;        // by equation, then derivative
};
/// Expressions grow with every derivative: what is beyond these limits is listed, but not written out.
struct WritingLimits {
  int derivative = 6;
  std::size_t operations = 2000;  // of one expression
};
HiddenConstraints hidden_constraints(const derive::Dae& dae, const Offsets& offsets,
                                     const WritingLimits& limits = {});

}  // namespace daedal::structure
