// The contents of a Problem's point by position: values, names, units, scales.
#pragma once

#include "daedal/formulate/problem.hpp"

#include <string>
#include <vector>

namespace daedal::solve {

/// A point with the parameters in place and zeros elsewhere.
std::vector<double> empty_point(const formulate::Problem& problem);

/// "phi[2]'", and "work" for the integral of the power, which is no symbol of the model.
std::string name_at(const formulate::Problem& problem, std::uint32_t position);
/// "m/s" for the derivative of what is in m; "" when the unit is not given.
std::string unit_at(const formulate::Problem& problem, std::uint32_t position);
/// The scale of a quantity: its symbol's nominal value, 1 for what is no symbol of the model.
double nominal_at(const formulate::Problem& problem, std::uint32_t position);

/// "t = 0.8314 s, crank_angle = 1.5708 rad": a number with its unit.
std::string with_unit(double value, const std::string& unit);

}  // namespace daedal::solve
