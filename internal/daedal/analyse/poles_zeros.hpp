// Poles and invariant zeros of a linear model in descriptor form.
//
//   poles:  det(A - s E) = 0          zeros:  det [ A - s E  B ] = 0
//                                                 [ C        D ]
// For as many outputs as inputs the second determinant is the first one times det G(s), G the transfer function; its degree
// is smaller by the sum of the relative degrees. Modes that no input moves, or no output shows, are in both.
#pragma once

#include "daedal/analyse/linearise.hpp"
#include "daedal/pencil/pencil.hpp"

namespace daedal::analysis {

Spectrum poles(const LinearModel& linear, Wanted wanted = Wanted::values);

/// Of the outputs and inputs given by their numbers, as many of each (std::invalid_argument otherwise). A singular pencil
/// means that the outputs are not independent of each other, or that some of them no input moves.
Spectrum invariant_zeros(const LinearModel& linear, const std::vector<std::size_t>& outputs,
                         const std::vector<std::size_t>& inputs, Wanted wanted = Wanted::values);
/// Of all outputs and inputs.
Spectrum invariant_zeros(const LinearModel& linear, Wanted wanted = Wanted::values);

}  // namespace daedal::analysis
