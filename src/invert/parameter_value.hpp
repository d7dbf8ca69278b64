// Values of parameters, by leaf.
#pragma once

#include "daedal/model/model.hpp"

namespace daedal::inversion {

/// 0 for anything else.
inline double parameter_value(const model::Model& m, expr::Leaf leaf) {
  return leaf.order == 0 && leaf.symbol < m.symbols.size() ? m.symbols[leaf.symbol].value : 0.0;
}

}  // namespace daedal::inversion
