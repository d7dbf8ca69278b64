// Inputs and their derivatives as functions of time.
#pragma once

#include "daedal/expr/graph.hpp"
#include "daedal/model/model.hpp"

#include <vector>

namespace daedal::formulate {

/// Rows: the input leaves `needed`. Throws ModelError when a signal is not smooth enough: its derivative would contain
/// impulses.
expr::Function input_signals(const model::Model& model, const std::vector<expr::Leaf>& needed);

}  // namespace daedal::formulate
