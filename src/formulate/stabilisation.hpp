// Terms that formulations add to constraints or replace them by: Baumgarte's terms, springs and dampers.
#pragma once

#include "daedal/formulate/problem.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace daedal::formulate {

/// Constraints that act, with their multipliers. (Released ones are equations and omitted ones are not: only names match
/// which is which.)
std::vector<std::pair<std::uint32_t, expr::SymbolId>> multipliers_by_equation(
    const Problem& problem);

/// Whether a spring and a damper replace the constraint.
bool is_penalised(const Problem& problem, std::uint32_t equation);

/// Coefficients of f^(0) .. f^(c-1) that the formulation adds: to f^(c), where the roots of s^c + ... are Baumgarte's
/// poles, or to the multiplier.
std::vector<double> stabilisation(const Problem& problem, std::uint32_t equation);

/// The multipliers of penalised constraints, each at the row of its constraint.
expr::Function penalised_multipliers(const Problem& problem);

/// Series are those of springs and dampers then, whose forces need no differentiation, not those of constraints.
void expand_springs(Problem& problem);

}  // namespace daedal::formulate
