// Natural splines of any even smoothness.
#pragma once

#include "daedal/expr/graph.hpp"

#include <span>

namespace daedal::model {

inline constexpr int default_spline_smoothness = 2;  // cubic: accelerations are continuous
inline constexpr int max_spline_smoothness = 8;      // degree 9; beyond, the pieces swing

/// The natural spline through (x_i, y_i), x increasing, with at least `smoothness` continuous
/// derivatives; smoothness 0 joins the points by lines.
expr::PiecewisePolynomial natural_spline(std::span<const double> x, std::span<const double> y,
                                         int smoothness);
/// How many points it needs.
std::size_t natural_spline_rows(int smoothness);

}  // namespace daedal::model
