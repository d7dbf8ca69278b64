// Columns of trajectories: what a quantity of a model is called there, and with which unit and sign.
#pragma once

#include "daedal/base/table.hpp"
#include "daedal/model/model.hpp"

namespace daedal::solve {

/// Of a derivative of a symbol. The multiplier `rod` of a constraint is shown as its reaction: "rod.force", which is -rod.
Column column_of(const model::Model& model, expr::Leaf leaf);
/// Of an output; what a controller puts out and what its observer estimates is marked.
Column column_of(const model::Model& model, const model::NamedValue& output);

}  // namespace daedal::solve
