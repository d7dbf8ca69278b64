// Invert a model: the inputs for the servo lines. The class of the model selects the method, and the result is verified
// by a run of the forward model.
#pragma once

#include "daedal/base/progress.hpp"
#include "daedal/compile/kernel.hpp"
#include "daedal/expr/graph.hpp"
#include "daedal/integrate/method.hpp"
#include "daedal/run/simulate.hpp"
#include "daedal/task/answer.hpp"
#include "daedal/task/choice.hpp"

#include <complex>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace daedal {
inline namespace task {

struct InvertOptions {
  /// End of the rows [s]. Default: that of the desired motion, else that of the first experiment, else 10.
  std::optional<double> until;
  std::optional<double> every;      // time between rows [s], > 0; default until/1000
  std::optional<double> tolerance;  // relative; default by the method
  /// Default by the class of the model: jets, Taylor series, or collocation where it is not minimum phase. "taylor",
  /// "collocation(order = 6)", "central_differences(step = 0.01)", or a method of fixed step: "bdf(order = 4)".
  Choice<solve::Method> method;
  std::optional<double> step;  // of a method with fixed step, or of a receding horizon's mesh [s]
  /// Of a method with fixed step: original (default), baumgarte(pole = 10), projection, substitution, minimal_extension.
  Choice<WordsOnly> formulation;
  bool verify = true;  // verify the rows by the equations between them and by the forward model
  /// Parameters and sizes of another plant that the inputs drive as well, from its own start values.
  std::map<std::string, std::string> verify_with;
  std::string verify_with_name = "verify_with";  // what messages call it
  std::optional<double> before, after;  // stable inversion: actuation around the motion [s]
  Choice<WordsOnly> ends;  // stable inversion: automatic (default), eigenspace, positions
  bool receding = false;   // stable inversion sample by sample, from a window of preview
  std::optional<double> period, preview;  // of a receding horizon [s]; default 0.001, by the zeros
  /// "OUTPUT:RIGID": weight*OUTPUT + (1 - weight)*RIGID follows the desired motion of OUTPUT. Default weight: the
  /// largest one without zeros right of -margin [1/s].
  std::string redefine;
  std::optional<double> weight, margin;
  std::string experiment;  // whose run it is, for titles; "" none
  bool history = true;     // keep drift and energy of every row, for the report
  compile::Backend backend = compile::Backend::automatic;
  Watch watch;
};

/// What the inverse model is.
enum class Phase : std::uint8_t {
  flat,         // no internal dynamics: the inputs follow from the desired motion alone
  minimum,      // internal dynamics that decay
  marginal,     // internal dynamics that neither decay nor grow
  non_minimum,  // internal dynamics that grow
};

/// How far an input or a force goes.
struct Signal {
  std::string name, unit;
  double smallest = 0, smallest_at = 0, largest = 0, largest_at = 0;  // [unit], [s]
  double rate = 0, rate_at = 0;       // the largest derivative, signed [unit/s], [s]
  std::optional<double> sign_change;  // [s]: the first one, rounding errors around 0 aside

  double peak() const { return -smallest > largest ? smallest : largest; }
  double peak_at() const { return -smallest > largest ? smallest_at : largest_at; }
};

/// How more inputs than servo-constraints share the work.
struct Sharing {
  struct AtLimit {
    std::string input, unit;
    double limit = 0, from = 0, until = 0;  // [unit], of the first time; [s]
  };
  std::size_t free_directions = 0;  // of the inputs, without effect on the motion
  bool limited = false;             // limits of the inputs bound the choice
  std::vector<AtLimit> at_limits;   // in the order of their times
  std::vector<Signal>
      coordinates;  // of the inputs in these directions: the columns null_space[1], ...
};

class Inversion : public Answer {
 public:
  using Answer::Answer;
  struct Details;  // of the solvers

  std::string experiment;  // whose inversion it is; "" none
  int index = 0, free_initial_values = 0;
  Phase phase = Phase::flat;
  std::vector<std::complex<double>> zeros;  // of the internal dynamics at the start [1/s]
  solve::Trajectory trajectory;             // inputs, coordinates and forces, row by row
  std::vector<Signal> inputs, forces;       // a force is positive where a length is pulled
  std::optional<Sharing> sharing;           // more inputs than servo-constraints
  /// Largest distance of the forward model, driven by the inputs, from the desired motion; empty: not run.
  std::optional<double> tracking;

  std::vector<Fact> facts() const override;
  const Table* table() const override { return &trajectory.table; }
  /// A column of the table as a function of time: a polynomial between rows, constant before the first and after the last.
  expr::PiecewisePolynomial motion(std::size_t column) const;

 private:
  friend class Inverter;
  Json json() const override;
  void illustrate(emit::Report& page) const override;

  std::shared_ptr<const Details> details_;
};

/// Throws Refusal where there is no inverse or none that was asked for.
Inversion invert(const Model& model, const InvertOptions& options = {});

}  // namespace task
}  // namespace daedal
