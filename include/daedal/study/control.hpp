// Feedback that holds a mechanism at rest: gains by a quadratic cost, what they do to the poles, what the loop tolerates.
#pragma once

#include "daedal/base/progress.hpp"
#include "daedal/start/prepare.hpp"
#include "daedal/study/analyse.hpp"
#include "daedal/task/answer.hpp"

#include <complex>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace daedal {
inline namespace task {

/// Weights by name, "x_T=10,phi'=2"; a number without a name is that of whatever has none, "1,phi=100".
struct Weights {
  std::vector<NamedNumber> named;
  std::optional<double> others;
};
/// Throws ModelError for a text of another form; its message calls the text `option`.
Weights read_weights(const std::string& option, const std::string& text);

struct ControlOptions {
  std::vector<std::string> inputs;  // that the feedback commands; default: all
  /// Of squared departures from rest [1/unit^2], >= 0: coordinates, redundant or not, their derivatives, states of drives.
  /// Default 1 for all where none is named, else 0 for the others.
  Weights state_weights;
  Weights input_weights;  // of squared commands [1/unit^2], > 0; default 1
  std::optional<double>
      period;  // [s], > 0, of a controller with a clock that holds its command; default: continuous
  /// [s] from the moment that a sample shows to the moment at which its command acts: dead time of commands and sensors. Needs a
  /// period; the gains predict the states over it.
  std::optional<double> delay;
  std::optional<int> reduce;      // states that the gains are designed on; default: all
  std::vector<std::string> free;  // inputs that take the values that hold the pose; "all"
  solve::RedundantConstraints redundant_constraints = solve::RedundantConstraints::error;
  Watch watch;
};

/// What bounds the frequency up to which a loop can act, where |L| = 1: above or below `frequency`, by a rule of thumb.
struct BandwidthLimit {
  std::string cause;     // "unstable pole", "unstable zero", "clock"
  double frequency = 0;  // [rad/s]
  bool lowest = false;   // it has to be faster; else slower
  std::string text;
};

/// u = u_rest + v,  v = -gain (x - x_rest) - sum_j past_gains[j - 1] (v of j samples ago).
class ControlDesign : public Answer {
 public:
  using Answer::Answer;

  std::vector<std::string> inputs, states;  // rows and columns of the gain
  std::vector<std::string> input_units, state_units;
  Matrix gain;
  std::vector<double> state_weights, input_weights;
  std::vector<NamedNumber> rest;  // states, then inputs
  std::vector<std::string> held;  // driven coordinates that other inputs drive: they stay at rest
  double period = 0;              // [s]; 0: continuous
  double delay = 0;               // [s]
  Matrix integral_gain;           // of an lqi: of the integrals of errors; inputs x integrals
  std::vector<std::string> integrals;      // whose errors
  std::vector<Matrix> past_gains;          // with a delay; inputs x inputs
  std::optional<int> reduced;              // states that the gains were designed on; none: all
  std::vector<std::complex<double>> open;  // poles [1/s], rightmost first
  /// Poles of the closed loop [1/s]; with a period ln(z)/period of the factors z from sample to sample. Commands on their way
  /// add factors of 0, which are not listed.
  std::vector<std::complex<double>> closed;
  std::vector<InputMargins> margins;
  std::vector<BandwidthLimit> limits;
  Table step;  // t [s]; coordinates after a step of 1 beside each commanded input, the loop closed
  double residual = 0, condition = 0;  // of the Riccati equation

  std::vector<Fact> facts() const override;

 private:
  struct Details;
  std::shared_ptr<const Details> details_;
  friend struct DesignWriter;
  friend class ControllerDesigns;

  std::string formula() const;
  /// What has gains beside the states: integrals, and what was fed back before.
  struct Further {
    std::string name;
    std::vector<double> gains;  // by input
  };
  std::vector<Further> further() const;
  std::string summary() const override;
  Json json() const override;
  void illustrate(emit::Report& page) const override;
};

/// The linear-quadratic regulator at the equilibrium near the start values. Throws ModelError where there is none, for names and
/// weights that are out of range, and for modes that the inputs do not move or the weights do not see.
ControlDesign control(const Model& model, const ControlOptions& options = {});

/// The laws of controllers, each a feedback as they have designed it.
class ControllerDesigns : public Answer {
 public:
  using Answer::Answer;

  struct Law {
    std::string name;  // "lqr"
    Place place;
    std::shared_ptr<const ControlDesign> design;  // null: gains that change with time
  };
  std::vector<std::string> controllers;
  std::vector<Law> laws;

  std::vector<Fact> facts() const override;

 private:
  std::string summary() const override;
  Json json() const override;
  void illustrate(emit::Report& page) const override;
};

/// Of a model that was loaded with controllers. Throws ModelError where none of them has a law with designed gains.
ControllerDesigns controller_designs(const Model& model, const Watch& watch = {});

/// `control`, or where controllers act `controller_designs`: these have their own weights, and options are refused.
std::shared_ptr<const Answer> design_of(const Model& model, const ControlOptions& options = {});

// --- loops that controllers with a clock close

struct SampledLoopOptions {
  std::vector<std::string> free;  // inputs that take the values that hold the pose; "all"
  solve::RedundantConstraints redundant_constraints = solve::RedundantConstraints::error;
  Watch watch;
};

/// A loop from one sample to the next, about its rest.
class SampledLoop : public Answer {
 public:
  using Answer::Answer;

  bool found = false;                         // a rest; else nothing below is set
  double period = 0;                          // [s]
  std::vector<NamedNumber> equilibrium;       // unknowns and what the controllers hold
  std::vector<std::complex<double>> factors;  // from sample to sample, largest first
  std::vector<std::complex<double>> rates;    // ln(factor)/period [1/s]; NaN of the factor 0
  std::string stability;                      // "asymptotically stable", "marginal", "unstable"
  std::vector<InputMargins> margins;  // by commanded input; empty where the loop is unstable

  std::vector<Fact> facts() const override;

 private:
  struct Details;
  std::shared_ptr<const Details> details_;
  friend SampledLoop sampled_loop(const Model&, const SampledLoopOptions&);

  std::string summary() const override;
  Json json() const override;
  void illustrate(emit::Report& page) const override;
};

/// Whether a controller that acts has a clock.
bool is_sampled(const Model& model);
/// Where there is no rest near the start values the answer does not hold. Throws ModelError for models without a clock, for
/// clocks of several periods, and for what has no linear model.
SampledLoop sampled_loop(const Model& model, const SampledLoopOptions& options = {});

/// `analyse`, or where a controller that acts has a clock `sampled_loop`. Throws ModelError for options that such a loop has no
/// answer to: it has no equations.
std::shared_ptr<const Answer> portrait_of(const Model& model, const AnalyseOptions& options = {});

}  // namespace task
}  // namespace daedal
