// A x = s E x as the standard problem E^-1 A x = s x, where E is far from singular: a third of QZ's time.
//
// Gaussian elimination gives M = E^-1 A with (E + dE_j) m_j = a_j for its columns, |dE_j| ~ eps |E|, and the QR iteration adds
// eps |M|: both are a perturbation of A by eps |E| |M| [Higham2002, theorem 9.4]. So |E| |M| / |A| says, after the fact, how much
// worse than QZ, which perturbs A by eps |A|, the result may be; beyond `safe_growth` QZ is used.
#pragma once

#include "daedal/pencil/qz.hpp"

#include <optional>

namespace daedal::analysis {

/// One digit.
inline constexpr double safe_growth = 10;

/// nullopt: |E| |M| / |A| is too large, or the iteration did not converge.
std::optional<GeneralisedEigenvalues> standard_eigenvalues(const FinitePart& pencil);

}  // namespace daedal::analysis
