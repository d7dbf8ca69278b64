// Tensions of lengths, in N.
//
// A constraint that is written with squares, |r|^2 - l^2 = 0, has a multiplier in N/m: its force on the ends is 2 r times the
// multiplier. Its size, positive where it pulls, is the tension
//
//     T = -2 l lambda       (of l^2 - |r|^2:  T = 2 l lambda).
#pragma once

#include "daedal/base/table.hpp"
#include "daedal/compile/kernel.hpp"
#include "daedal/expr/graph.hpp"
#include "daedal/model/model.hpp"

#include <vector>

namespace daedal::solve {

struct Tensions {
  std::vector<Column> columns;  // "rod.tension"
  expr::Function values;        // of the point
};

/// Of the constraints that are squared lengths: units say N/m of the multiplier, squares on one side contain coordinates, and on
/// the other side stands one square, the length. Those that act in `layout` alone.
Tensions tensions_of(const model::Model& model, const compile::Layout& layout);

}  // namespace daedal::solve
