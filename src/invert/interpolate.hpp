// A column of rows as a piecewise polynomial.
#pragma once

#include "daedal/expr/graph.hpp"
#include "sampled.hpp"

#include <cstddef>

namespace daedal::inversion {

/// With three continuous derivatives between joints: position-controlled drives ask for two.
expr::PiecewisePolynomial interpolated(const Sampled& rows, std::size_t column);

}  // namespace daedal::inversion
