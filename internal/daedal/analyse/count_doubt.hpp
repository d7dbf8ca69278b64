// Numbers of finite poles and zeros, and relative degrees, that rounding decides.
//
// A degenerate parameter value changes these numbers: at alpha = 0 a zero lies at infinity. Close to it, at alpha = 1e-9, entries
// such as 1 - sin(alpha)^2 are rounded to those at 0, and no computation with these entries can tell one from the other. What
// holds for almost all values of the parameters does: with other values, of the same sign, the numbers are determined again.
// Parameters of equal values change together, so that what holds by symmetry stays as it is, and whole numbers, 0 among them, stay:
// they are meant.
#pragma once

#include "daedal/analyse/equilibrium.hpp"
#include "daedal/analyse/linearise.hpp"
#include "daedal/analyse/relative_degree.hpp"
#include "daedal/derive/dae.hpp"
#include "daedal/pencil/pencil.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace daedal::analysis {

/// A number of poles or zeros, and what else it may be.
struct CountDoubt {
  bool zeros = false;  // of zeros, not of poles
  int finite = 0;      // as counted
  std::optional<int> other;
  double value = 0;   // the singular value that decides, over the norm of its matrix
  double margin = 0;  // its ratio to what rounding makes of it; below 1 it is lost in rounding
  /// Parameters that make the difference, each by itself; empty: none does, or the entries decide.
  std::vector<std::string> parameters;
  bool nearby = false;  // `other` holds with other parameter values
};
std::string text_of(const CountDoubt& doubt);

/// What the rank decisions themselves leave in doubt.
std::optional<CountDoubt> doubt_of_decisions(const Spectrum& spectrum, bool zeros);

/// The same equations with parameters that have no reason to be special. `distance`: relative to each value.
std::shared_ptr<const derive::Dae> with_parameters_nearby(const derive::Dae& dae, double distance);

/// What poles and zeros of a model count to.
struct Counts {
  Spectrum poles;                 // without their values
  std::optional<Spectrum> zeros;  // where there are as many outputs as inputs
  RelativeDegree degree;          // likewise
};

/// Compares poles and zeros at one point with those for other values of the parameters.
class Nearby {
 public:
  /// `asked`: forward, its servo-constraints the outputs. At rest, or at the start values in motion.
  Nearby(const derive::Dae& asked, const EquilibriumOptions& options, bool at_start = false);

  /// Nothing where there is no pose nearby, or where it is as much in doubt.
  const std::optional<Counts>& counts() const { return counts_; }
  std::optional<CountDoubt> doubt(const Spectrum& here, bool zeros) const;
  /// The same, or what the decisions leave in doubt by themselves.
  std::optional<CountDoubt> question(const Spectrum& here, bool zeros) const;
  /// Names of parameters whose change alone gives another number than this.
  std::vector<std::string> responsible(const CountDoubt& doubt) const;

 private:
  std::optional<Counts> counts_of(const derive::Dae& changed) const;

  const derive::Dae& asked_;
  EquilibriumOptions options_;
  bool at_start_;
  std::optional<Counts> counts_;
};

/// All doubts about these at one point: of the decisions, and where values nearby say something else, of those.
std::vector<CountDoubt> doubts_about(const derive::Dae& asked, const EquilibriumOptions& options,
                                     bool at_start, const Spectrum& poles, const Spectrum* zeros);

}  // namespace daedal::analysis
