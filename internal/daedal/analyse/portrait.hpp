// A portrait of a model: its class at an equilibrium, determined by structure and by numbers.
//
// The numbers of poles and zeros are determined twice: by the degrees of freedom of the forward and inverse equations
// (structure) and by the finite eigenvalues at the equilibrium (numbers). Zeros are computed twice: from the inverse
// Dae and from the system pencil. Where two answers differ, the portrait says so.
#pragma once

#include "daedal/analyse/classify.hpp"
#include "daedal/analyse/equilibrium.hpp"
#include "daedal/analyse/linearise.hpp"
#include "daedal/analyse/reachability.hpp"
#include "daedal/analyse/relative_degree.hpp"
#include "daedal/analyse/system_zeros.hpp"
#include "daedal/base/progress.hpp"
#include "daedal/pencil/pencil.hpp"
#include "daedal/structure/examine.hpp"

#include <optional>
#include <string>
#include <vector>

namespace daedal::analysis {

struct PortraitOptions {
  EquilibriumOptions equilibrium;
  std::vector<std::string> outputs;  // by name; empty: the servo-constraints, else all outputs
  bool sensitivities = true;         // of the rightmost zero to the parameters
  Watch watch;
};

/// How the rightmost zero moves with a parameter.
struct Sensitivity {
  std::string parameter;
  double rate = 0;  // [1/s]: of its real part, for a relative change of the parameter by 1
};

/// The outputs against the inputs, as many of each.
struct InputOutput {
  structure::Structure structure;  // of the inverse equations
  Spectrum zeros;                  // of the inverse Dae
  Margin margin;
  RelativeDegree degree;
  std::optional<Configuration> configuration;
  std::vector<Sensitivity> sensitivities;  // strongest first

  /// The inverse equations determine at this point what they determine elsewhere. Where they do not, the inputs have no
  /// effect: the relative degree is not defined, and zeros of the linearisation say nothing about the inverse model.
  bool defined_here() const {
    return !structure.solvable() || structure.degrees_of_freedom == zeros.finite();
  }
};

struct Portrait {
  Equilibrium equilibrium;
  structure::Structure structure;  // of the forward equations
  LinearModel linear;              // forward; with the selected outputs
  Spectrum poles;
  Margin stability;
  std::optional<Reachability> controllability, observability;  // where there are inputs, outputs
  std::optional<InputOutput> input_output;
  std::optional<SystemZeros> system_zeros;  // where there are not as many outputs as inputs
  std::string no_zeros_because;             // a sentence where there is no `input_output`
  std::vector<std::string> disagreements;   // sentences: results that should agree and do not
  std::string verdict, change;              // a sentence each: its class, and what would change it
};

/// The forward Dae with the outputs of these names as its servo-constraints, with no names as they are, else all outputs: what
/// the desired motion does not affect linear results, and the inverse Dae is then the one of these outputs. Throws ModelError
/// for outputs that do not exist.
derive::Dae with_outputs(const derive::Dae& forward, const std::vector<std::string>& names);

/// Where no equilibrium is found, the portrait holds nothing but that and the structure. Throws ModelError for outputs that
/// do not exist.
/// Throws Interrupted.
Portrait portrait(const std::shared_ptr<const derive::Dae>& forward,
                  const PortraitOptions& options = {});

}  // namespace daedal::analysis
