// What every question of analysis begins with: recursive lets written out, the mode in which the model starts, independent
// constraints. Models made from it (another output, other parameters) are taken the same way.
#pragma once

#include "daedal/analyse/equilibrium.hpp"
#include "daedal/derive/dae.hpp"
#include "daedal/start/prepare.hpp"
#include "daedal/task/model.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace daedal {
inline namespace task {

struct Asked {
  std::shared_ptr<const model::Model> model;
  std::shared_ptr<const derive::Dae> dae;  // without the constraints left out
  std::vector<Diagnostic> warnings;        // of the model, and of what was left out

  /// Another model made from this one: its equations in the mode in which it starts, without redundant constraints where this
  /// one has left out some.
  std::shared_ptr<const derive::Dae> derived(model::Model other) const;
};
/// Throws ModelError for redundant constraints that are not allowed, and for outputs that contain reactions which redundant
/// constraints share.
Asked asked_of(const Model& model, solve::RedundantConstraints allowed,
               const std::vector<std::string>& outputs = {});

/// The same for questions that know controllers with a clock.
Asked asked_of_loop(const Model& model, solve::RedundantConstraints allowed);

/// Throws ModelError for controllers that act: all of them, or those with a clock, which are no part of the equations.
enum class Refused : std::uint8_t { all, clocks };
void refuse_controllers(const Model& model, Refused which);

/// Inputs by name, those of a vector by its name, or "all". Throws ModelError for names that are none.
std::vector<expr::SymbolId> inputs_named(const model::Model& model,
                                         const std::vector<std::string>& names);

/// The equilibrium with these inputs free. Throws ModelError when there is none.
analysis::Equilibrium rest_of(const Asked& asked, const std::vector<std::string>& free);

}  // namespace task
}  // namespace daedal
