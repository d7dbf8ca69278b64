// The coefficients of backward differentiation [HairerWanner1996, V.1]:
//     s_(n+1) = (sum_j alpha_j s_(n+1-j) + beta h s'_(n+1)) / divisor.
#pragma once

#include <array>

namespace daedal::solve {

struct BdfFormula {
  std::array<double, 6> alpha;
  double beta;
  double divisor;
};

/// By order, from 1.
inline constexpr std::array<BdfFormula, 6> bdf_formulas{{
    {{1}, 1, 1},
    {{4, -1}, 2, 3},
    {{18, -9, 2}, 6, 11},
    {{48, -36, 16, -3}, 12, 25},
    {{300, -300, 200, -75, 12}, 60, 137},
    {{360, -450, 400, -225, 72, -10}, 60, 147},
}};

}  // namespace daedal::solve
