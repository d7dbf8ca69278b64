// Simulate a model: from a model to a trajectory, with an estimate of its error.
#pragma once

#include "daedal/base/progress.hpp"
#include "daedal/compile/kernel.hpp"
#include "daedal/formulate/problem.hpp"
#include "daedal/integrate/method.hpp"
#include "daedal/run/simulate.hpp"
#include "daedal/start/prepare.hpp"
#include "daedal/task/answer.hpp"
#include "daedal/task/choice.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace daedal {
inline namespace task {

/// What the outputs of a closed loop are compared with.
enum class Reference : std::uint8_t {
  servo,  // the desired motion of the servo line  output = desired(t);  else as `end`
  end,    // a step from the value at the start to the value in the last row
};
const std::vector<std::string>& reference_names();

struct SimulateOptions {
  /// End time [s], > 0. Default: that of the model's first experiment, else the last joint of its servo motions, else 10.
  std::optional<double> until;
  std::optional<double> every;      // time between rows [s], > 0; default until/1000
  Choice<solve::Method> method;     // integrator; default rk45
  std::optional<double> tolerance;  // relative and absolute, of a step; default that of the method
  std::optional<double> step;       // first and longest step [s]; default that of the method
  Choice<formulate::Formulation> formulation;  // treatment of constraints; default projection
  solve::RedundantConstraints redundant_constraints = solve::RedundantConstraints::error;
  solve::StartValues start = solve::StartValues::consistent;  // also rest, equilibrium
  bool global_error = true;  // estimate it by a second run of twice the work
  std::uint64_t seed = 0;    // of the random numbers that controllers with clocks draw
  Reference reference = Reference::servo;  // of the figures of merit of a closed loop
  std::string experiment;                  // whose run it is, for titles; "" none
  bool history = true;                     // keep drift and energy of every row, for the report
  compile::Backend backend = compile::Backend::automatic;
  Watch watch;
};

/// How an output follows its reference r: errors are output - r, at the rows; docs/language/controllers.md#figures-of-merit.
struct OutputFigures {
  std::string output, unit;
  Reference reference = Reference::end;  // that was taken
  /// What percents are of: the range of r over the run, or, where that is below a tenth of it, the largest error.
  double scale = 0;
  bool of_change = true;  // the first of the two
  /// [s] since the start: from then on errors stay within 5 % and 2 % of the scale; none where they do not.
  std::optional<double> settling_5, settling_2;
  std::optional<double>
      overshoot;   // beyond the last r, by the change of r; none where r ends where it began
  double rms = 0;  // error
  double peak = 0, peak_at = 0;  // error, absolute; [s]
  std::optional<double>
      lag;  // [s], by which r must be delayed to fit the output best; none without a desired motion
};
/// What a controller commands. Of every sample with a clock, else of every row.
struct InputFigures {
  std::string input, unit, controller;
  double peak = 0, peak_at = 0;  // absolute; [s]
  double variation = 0;          // total
  double low = 0, high = 0;      // limits; infinite where there is none
  double limited = 0;            // [s], at a limit
};
struct FiguresOfMerit {
  double resolution = 0;  // [s], the longest time between two rows
  std::vector<OutputFigures> outputs;
  std::vector<InputFigures> inputs;
};

class Simulation : public Answer {
 public:
  using Answer::Answer;

  std::string experiment;  // whose run it is; "" none
  Mechanism mechanism;     // in the form that was run
  formulate::Problem problem;
  solve::ConsistentPoint start;
  solve::StartValues start_values = solve::StartValues::consistent;  // as asked
  solve::SimulateOptions options;                                    // as settled
  solve::Trajectory trajectory;
  std::optional<FiguresOfMerit> figures;  // of a run with controllers

  std::vector<Fact> facts() const override;
  const Table* table() const override { return &trajectory.table; }

 private:
  std::string time_reached() const;
  Json json() const override;
  void illustrate(emit::Report& page) const override;
};

/// A run that stops early is a result that does not hold. Throws ModelError for faults of model and options.
Simulation simulate(const Model& model, const SimulateOptions& options = {});

// Many runs of a closed loop: Monte Carlo of disturbed plants.

struct MonteCarloOptions {
  SimulateOptions
      simulate;  // of every run; default until/200 between rows, and no second runs for the error
  /// Parameters and start values of the plant that differ from run to run: "m" -> "normal(18.9, 0.5)", "uniform(0.025, 0.036)".
  std::map<std::string, std::string> plant, starts;
  std::size_t runs = 1000;
  /// Run k draws from its own stream of random numbers, a function of seed, k and the name that is drawn.
  std::uint64_t seed = 0;
  unsigned threads = 0;  // 0: as many as the machine has cores; results are the same
};

/// Of one number over the runs that came to their end: quantiles 2.5 %, 50 % and 97.5 %.
struct Quantiles {
  double low = 0, median = 0, high = 0;
};
struct FigureQuantiles {
  std::string figure, of, unit;  // "settling_5" of "z[1]" in "s"
  Quantiles values;
  std::size_t known = 0;  // runs that have this figure
};
/// Of an observer over the runs: its normalised squared estimation error (NEES) by the degrees of freedom, averaged over the runs at
/// each sample. Where model and noise are as it assumes, 95 % of these averages lie between `low` and `high` (chi-square).
struct Consistency {
  std::string controller;
  std::size_t degrees = 0;  // of freedom of one error
  double average = 0;       // over runs and samples
  double low = 0, high = 0;
  double within = 0;  // share of the samples whose average lies between them
};
struct FailedRun {
  std::size_t run = 0;  // from 0 on
  std::string reason;
};

class MonteCarlo : public Answer {
 public:
  using Answer::Answer;

  std::size_t runs = 0, done = 0;  // asked for; done, failures included
  std::vector<FailedRun> failures;
  /// A row for each time: of every output and commanded input three columns, "y 2.5 %", "y 50 %", "y 97.5 %".
  Table bands;
  /// A row for each run that came to its end: its number, what was drawn, its figures of merit (NaN where there is none).
  Table table_of_runs;
  std::vector<FigureQuantiles> figures;
  std::vector<Consistency> observers;
  double wall_time = 0;  // [s]

  std::vector<Fact> facts() const override;
  const Table* table() const override { return &bands; }

 private:
  Json json() const override;
  void illustrate(emit::Report& page) const override;
};

/// Runs that stop are counted and left out of the quantiles; interrupted, the runs that are done count. Throws ModelError for
/// faults of model and options.
MonteCarlo monte_carlo(const Model& model, const MonteCarloOptions& options);

// The experiments that are written in a model's file.

struct RunOptions {
  bool history = true;  // keep drift and energy of every row, for the report
  compile::Backend backend = compile::Backend::automatic;
  Watch watch;
};

/// A Simulation or an Inversion. Throws ModelError when there is no such experiment, and as simulate and invert do.
std::shared_ptr<const Answer> run(const Model& model, const std::string& experiment,
                                  const RunOptions& options = {});
/// All of them, in the order of the file.
std::vector<std::shared_ptr<const Answer>> run(const Model& model, const RunOptions& options = {});

/// Throws ModelError that proposes the nearest name when the model has no such experiment.
const model::Experiment& find_experiment(const Model& model, const std::string& name);

}  // namespace task
}  // namespace daedal
