#include "daedal/invert/internal_dynamics.hpp"

#include "daedal/analyse/linearise.hpp"
#include "daedal/analyse/poles_zeros.hpp"

#include <fmt/format.h>

namespace daedal::invert {

InternalDynamics internal_dynamics(const InverseModel& inverse,
                                   const solve::ConsistentPoint& start) {
  const formulate::Problem& problem = inverse.problem;
  const structure::Point point = [&](expr::Leaf leaf) {
    if (leaf.symbol == expr::time_symbol) return leaf.order == 0 ? start.t : 1.0;
    const std::uint32_t position = problem.layout.find(leaf);
    if (position >= 1 && position <= problem.states) return start.states[position - 1];
    if (position > problem.states && position <= problem.states + problem.tops)
      return start.tops[position - 1 - problem.states];
    const auto& symbols = problem.dae->model->symbols;
    return leaf.order == 0 && leaf.symbol < symbols.size() ? symbols[leaf.symbol].value : 0.0;
  };
  InternalDynamics dynamics;
  dynamics.zeros = analyse::poles(analyse::linearise(*inverse.structure.dae, point));
  dynamics.margin = analyse::margin(dynamics.zeros);
  return dynamics;
}

std::string describe(const InternalDynamics& dynamics) {
  return fmt::format("internal dynamics of dimension {}, {}: rightmost zero {} 1/s",
                     dynamics.zeros.finite(), analyse::phase_word(dynamics.margin.side),
                     analyse::text_of(dynamics.margin.worst, true));
}

}  // namespace daedal::invert
