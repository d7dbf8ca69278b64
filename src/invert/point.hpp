// A consistent point of a problem, as the analyses ask for it: by leaf.
#pragma once

#include "daedal/formulate/problem.hpp"
#include "daedal/solve/consistent.hpp"
#include "daedal/structure/regularity.hpp"

namespace daedal::invert {

/// The value of a parameter; 0 for anything else.
inline double parameter_value(const model::Model& m, expr::Leaf leaf) {
  return leaf.order == 0 && leaf.symbol < m.symbols.size() ? m.symbols[leaf.symbol].value : 0.0;
}

/// Problem and point must outlive what is returned.
inline structure::Point point_of(const formulate::Problem& problem,
                                 const solve::ConsistentPoint& at) {
  return [&](expr::Leaf leaf) {
    if (leaf.symbol == expr::time_symbol) return leaf.order == 0 ? at.t : 1.0;
    const std::uint32_t position = problem.layout.find(leaf);
    if (position >= 1 && position <= problem.states) return at.states[position - 1];
    if (position > problem.states && position <= problem.states + problem.tops)
      return at.tops[position - 1 - problem.states];
    return parameter_value(*problem.dae->model, leaf);
  };
}

}  // namespace daedal::invert
