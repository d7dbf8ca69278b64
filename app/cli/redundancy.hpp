// Redundant constraints, for every command: named with joints to write instead, or left out when the user allows it.
#pragma once

#include "daedal/solve/prepare.hpp"
#include "pipeline.hpp"

#include <functional>
#include <string>

namespace daedal::cli {

/// What `work` throws about redundant constraints is thrown with a text to paste in place of a joint, where one is known.
void with_cut_joints(const Loaded& loaded, const Arguments& arguments,
                     const std::function<void()>& work);

/// A Dae whose constraints are independent at the start, for commands that need no start beyond that.
struct Independent {
  std::shared_ptr<const derive::Dae> dae;  // without what was left out
  std::vector<Diagnostic> warnings;        // what was left out; why it could not be looked for
  std::vector<expr::SymbolId> shared;      // multipliers that the equations do not determine
};
/// As --redundant says. Throws ModelError for redundant constraints that are not allowed.
Independent independent_constraints(const Loaded& loaded, const Arguments& arguments);

}  // namespace daedal::cli
