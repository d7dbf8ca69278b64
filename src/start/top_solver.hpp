// The equations solved for the tops at one point: accelerations, multipliers, algebraic variables.
#pragma once

#include "daedal/formulate/problem.hpp"
#include "daedal/system/equation_jet.hpp"

#include <cstdint>
#include <vector>

namespace daedal::solve {

enum class TopsStatus : std::uint8_t { solved, singular, not_finite, diverged };

struct TopsOutcome {
  TopsStatus status = TopsStatus::solved;
  std::vector<double> residual;  // at the end
};

/// Damped Newton on residual(t, s, z) = 0 from the tops in `point`, which are replaced. For set-up,
/// not for steps: it allocates what it needs. `jet` when the derivatives are not written out, else null.
TopsOutcome solve_tops(const formulate::Problem& problem, std::vector<double>& point,
                       EquationJet* jet);

}  // namespace daedal::solve
