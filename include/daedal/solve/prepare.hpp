// From a Dae to a problem with its start: structure, point, check, and where they ask for it, a conversion of the equations
// or constraints left out.
#pragma once

#include "daedal/derive/dae.hpp"
#include "daedal/formulate/problem.hpp"
#include "daedal/solve/consistent.hpp"
#include "daedal/structure/examine.hpp"

#include <memory>
#include <string>
#include <vector>

namespace daedal::solve {

/// What to do with constraints that follow from the others; docs/methods/redundant_constraints.md.
enum class RedundantConstraints : std::uint8_t {
  error,      // name them and stop
  least_norm  // name them, leave them out, and share the reactions among all multipliers
};
/// "error", "least_norm".
const std::vector<std::string>& redundant_constraints_names();

struct PrepareOptions {
  ConsistentOptions start;
  RedundantConstraints redundant_constraints = RedundantConstraints::error;
};

/// Constraints follow from others, and least_norm is not asked for. Each diagnostic names those of one joint, or one.
class RedundantConstraintsError : public ModelError {
 public:
  using ModelError::ModelError;
};

struct Prepared {
  std::shared_ptr<const derive::Dae> dae;  // as given, without the constraints left out
  formulate::Problem problem;
  ConsistentPoint start;  // its warnings name the constraints left out
  std::vector<structure::Conversion> conversions;
  std::vector<expr::SymbolId> shared;  // multipliers that only the least norm determines
};

/// Throws RedundantConstraintsError; ModelError as examine, formulate and consistent_point do, for equations whose structure cannot be decided, and for
/// redundant constraints whose multipliers something else depends on.
Prepared prepare(std::shared_ptr<const derive::Dae> dae, const formulate::Formulation& formulation,
                 const PrepareOptions& options = {});

}  // namespace daedal::solve
