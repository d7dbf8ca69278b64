// Classes: where eigenvalues lie, and how inputs and outputs of a mechanism are arranged.
#pragma once

#include "daedal/analyse/linearise.hpp"
#include "daedal/analyse/relative_degree.hpp"
#include "daedal/pencil/pencil.hpp"

#include <optional>

namespace daedal::analysis {

enum class Side {
  none,   // there are no eigenvalues
  left,   // all in the open left half plane
  axis,   // the rightmost ones on the imaginary axis, within rounding error
  right,  // some in the right half plane
};
struct Margin {
  Side side = Side::none;
  double distance = 0;  // [1/s] of the rightmost one from the imaginary axis
  Cluster worst;        // the rightmost one
};
Margin margin(const Spectrum& spectrum);
/// Uncertainty of the estimate of an eigenvalue; the spread of a cluster says nothing about its mean.
double doubt(const Cluster& cluster);

/// Of poles: stable, marginal, unstable. Of zeros:
///   none   differentially flat outputs, no internal dynamics
///   left   minimum phase, axis: marginal, right: non-minimum phase
const char* stability_word(Side side);
const char* phase_word(Side side);

/// How the directions of the inputs meet those of the outputs [Blajer1997], by the rank of P, the outputs' accelerations
/// against the inputs.
enum class Configuration {
  ideal_orthogonal,      // P regular, and inputs act exactly along the outputs
  non_ideal_orthogonal,  // P regular
  mixed,                 // P singular, not zero
  tangential,            // P zero: no input acts directly on the acceleration of an output
};
const char* word(Configuration configuration);

/// nullopt where P has no meaning: not as many outputs as inputs, outputs that are velocities, no mechanism.
std::optional<Configuration> configuration(const derive::Dae& forward, const LinearModel& linear,
                                           const RelativeDegree& degree);

}  // namespace daedal::analysis
