// Redundant constraints, for every question: named with joints to write instead, or left out when the user allows it.
#pragma once

#include "daedal/start/prepare.hpp"
#include "daedal/task/model.hpp"

#include <functional>
#include <memory>
#include <vector>

namespace daedal {
inline namespace task {

/// What `work` throws about redundant constraints is thrown with a text to paste in place of a joint, where one is known.
void with_cut_joints(const Model& model, const std::function<void()>& work);

/// A Dae whose constraints are independent at the start, for questions that need no start beyond that.
struct Independent {
  std::shared_ptr<const derive::Dae> dae;  // without what was left out
  std::vector<Diagnostic> warnings;        // what was left out; why it could not be looked for
  std::vector<expr::SymbolId> shared;      // multipliers that the equations do not determine
};
/// Throws ModelError for redundant constraints that are not allowed.
Independent independent_constraints(const Model& model, const Mechanism& mechanism,
                                    solve::RedundantConstraints allowed);

}  // namespace task
}  // namespace daedal
