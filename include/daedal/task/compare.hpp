// Compare formulations and methods on a model: error against cost.
#pragma once

#include "daedal/base/progress.hpp"
#include "daedal/run/simulate.hpp"
#include "daedal/task/answer.hpp"
#include "daedal/task/choice.hpp"
#include "daedal/task/invert.hpp"
#include "daedal/task/simulate.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace daedal {
inline namespace task {

struct CompareOptions {
  std::vector<std::string> methods{"rk45", "dop853", "radau5", "ida", "taylor"};
  std::vector<std::string> formulations{"projection", "index1", "baumgarte(pole = 10)"};
  std::vector<double> tolerances{1e-6, 1e-9};  // of methods that control their steps
  std::vector<double> steps{1e-2, 1e-3};       // [s], of methods with equal steps
  std::optional<double> until;                 // end time [s]; default as in simulate
  std::optional<double> every;  // time between the rows that are compared [s]; default until/100
  solve::RedundantConstraints redundant_constraints = solve::RedundantConstraints::error;
  Watch watch;
};

/// One row of the table: the case as the user would write it, and its result.
struct ComparedCase {
  std::string formulation, method, accuracy;
  bool equal_steps = false;
  double asked = 0;  // a tolerance, or the length of the steps [s]
  solve::CompareResult result;

  std::string name() const { return method + ", " + formulation; }
};

class Comparison : public Answer {
 public:
  using Answer::Answer;

  double until = 0;                 // [s]
  std::vector<ComparedCase> cases;  // the completed ones, if it was interrupted
  solve::Trust reference;           // how far the reference can be trusted

 private:
  std::string summary() const override;
  Json json() const override;
  void illustrate(emit::Report& page) const override;
};

/// Throws ModelError for faults of model and options; combinations that make no sense are cases with a reason.
Comparison compare(const Model& model, const CompareOptions& options = {});

// Compare controllers on one experiment.

struct CompareControllersOptions {
  std::vector<std::string> controllers;
  std::string experiment;    // whose plant, start values and options are taken; "" none
  SimulateOptions simulate;  // without an experiment; until and every outrank those of one
};

class ControllerComparison : public Answer {
 public:
  using Answer::Answer;

  std::string experiment;
  std::vector<std::string> controllers;
  std::vector<std::shared_ptr<const Simulation>>
      runs;  // as controllers; those done, if it was interrupted
  /// t, and each output and commanded input by each controller, "z[1], lqr"; NaN where a run has no row.
  Table rows;

  const Table* table() const override { return &rows; }

 private:
  std::string summary() const override;
  Json json() const override;
  void illustrate(emit::Report& page) const override;
};

/// The same run with each controller: figures of merit side by side. A run that stops early is one that does not hold.
ControllerComparison compare_controllers(const Model& model,
                                         const CompareControllersOptions& options);

// Compare formulations of the inverse equations of a model.

/// The equations of the inverse model, written for a method of fixed step.
struct InverseForm {
  struct Run {
    bool completed = false;
    std::string reason;  // why it stopped
    double error = 0;    // of the inputs, the largest
    int most_iterations = 0;
    double median_step_time = 0;  // [s]
  };
  std::string name;      // "original", "baumgarte", ...
  std::string obstacle;  // why there is none; "" there is one
  int index = 0;
  std::size_t unknowns = 0;
  std::vector<double> condition;   // of Newton's matrix at the start, by InverseForms::steps
  std::vector<std::string> words;  // what was done to the equations
  std::optional<Run> run;          // where the options name a method
};

class InverseForms : public Answer {
 public:
  using Answer::Answer;

  static constexpr double steps[] = {1e-1, 1e-2, 1e-3, 1e-4};  // [s], of the condition numbers
  std::vector<InverseForm> forms;

 private:
  std::string summary() const override;
  Json json() const override;
};

/// Index, size and condition numbers of every form; where the options name a method of fixed step, also its errors and step times.
InverseForms compare_inverse_forms(const Model& model, const InvertOptions& options = {});

/// One formulation of stable inversion [Druecker2022, section 6.1.4].
struct StableFormulation {
  std::string name;      // "bvp-ode"
  std::string obstacle;  // why there is no solution; "" there is one
  std::size_t unknowns = 0;
  int iterations = 0;
  double seconds = 0;  // to solve, kernels and modes ready
  double error = 0;    // of the inputs at the nodes, the largest
};

class StableFormulations : public Answer {
 public:
  using Answer::Answer;

  double begin = 0, end = 0, step = 0;  // [s]
  double largest_input = 0;
  std::vector<StableFormulation> formulations;

 private:
  std::string summary() const override;
  Json json() const override;
};

/// As a boundary value problem and as an optimisation, of internal dynamics and of the whole inverse model.
StableFormulations compare_stable_formulations(const Model& model,
                                               const InvertOptions& options = {});

}  // namespace task
}  // namespace daedal
