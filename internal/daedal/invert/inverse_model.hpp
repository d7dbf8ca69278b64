// The inverse model of a mechanism: the inputs that make its outputs follow the servo lines.
#pragma once

#include "daedal/base/diagnostic.hpp"
#include "daedal/derive/dae.hpp"
#include "daedal/formulate/problem.hpp"
#include "daedal/structure/examine.hpp"

#include <memory>
#include <span>
#include <vector>

namespace daedal::inversion {

struct InverseModel {
  std::shared_ptr<const derive::Dae> dae;       // the equations as derived
  std::shared_ptr<const derive::Dae> tracking;  // the same, with external desired outputs
  structure::Structure structure;  // of the inverse Dae; its `dae` may have been converted
  formulate::Problem problem;      // formulated when the structure is solvable
  /// Trajectories less smooth than the inputs need: which derivative jumps, when, and what would suffice.
  std::vector<Diagnostic> warnings;

  /// No degrees of freedom: the inputs at a time follow from the desired motion at that time alone.
  bool algebraic() const { return structure.degrees_of_freedom == 0; }
};

/// Throws ModelError when inputs and servo-constraints do not match, or no equation fixes some input. `held` as of
/// derive::inverse.
InverseModel inverse_model(const derive::Dae& forward,
                           std::span<const derive::HeldInput> held = {});

}  // namespace daedal::inversion
