// Controllers with clocks during one run: at their times they read the mechanism and change what they hold.
//
// At a sample, in this order: random numbers are drawn, then what is measured is updated, then what is estimated from it, then
// what is the solution of equations, then states and commands, each group at once from the values before it. Two controllers whose samples coincide both read the mechanism as it was.
#pragma once

#include "daedal/formulate/problem.hpp"
#include "daedal/model/estimator.hpp"
#include "daedal/run/command_tally.hpp"
#include "daedal/run/simulate.hpp"
#include "daedal/system/evaluation.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace daedal::solve {

class SolvedQuantities;

class SampledRun {
 public:
  /// Of the model's controllers that have clocks. The same seed gives the same random numbers.
  SampledRun(const model::Model& model, double start, double end, std::uint64_t seed,
             const compile::Options& options);

  /// Whether the model has controllers with clocks.
  static bool needed(const model::Model& model);

  /// The next time [s] at which a clock ticks or a delayed command arrives; infinity when none ever does.
  double next() const;
  /// What happens at that time. `point` is laid out as the problem says; `held` are its held values, to be changed. Returns
  /// why the run cannot go on, or "".
  std::string act(const formulate::Problem& problem, const double* point, std::span<double> held);
  /// What the controllers did until `end` [s].
  std::vector<ControlRecord> records(double end) const;

 private:
  struct Clock {
    const model::Controller* controller = nullptr;
    std::size_t number = 0;                       // of the controller in the model
    std::uint64_t samples = 0;                    // of its next sample
    std::shared_ptr<model::Estimator> estimator;  // null: it does not observe
    bool begun = false;                           // the estimator has had its first sample
    std::uint64_t taken = 0;                      // samples
    double computing = 0, longest = 0;            // [s], for all of them and for one
    std::vector<CommandTally> commands;           // by Controller::commands
    std::vector<expr::Leaf> observed;             // states that its estimator estimates
    std::vector<double> errors;  // of its estimates: ControlRecord::estimation_errors
    std::size_t degrees = 0;
    double time() const { return static_cast<double>(samples) * controller->period; }
  };
  struct Arrival {
    double time = 0;
    expr::SymbolId held = 0;
    double value = 0;
  };
  /// The functions of one controller in the layout of one mode.
  struct Functions {
    std::vector<std::uint32_t> noise, measured, states, commands;  // positions of their values
    std::optional<Evaluation> measure, decide;
    std::vector<std::shared_ptr<SolvedQuantities>> solved;
  };

  std::string timed(Clock& clock, const formulate::Problem& problem, const double* point,
                    std::span<double> held);
  void note_error(Clock& clock, const formulate::Problem& problem, const double* point) const;
  void note(expr::SymbolId command, double time, double value);
  void arrive(double now, const formulate::Problem& problem, std::span<double> held);
  std::string sample(Clock& clock, const formulate::Problem& problem, const double* point,
                     std::span<double> held);
  std::string estimate(Clock& clock, const formulate::Problem& problem, std::span<double> held);
  Functions& functions_of(const Clock& clock, const formulate::Problem& problem,
                          const double* point);
  double drawn(const Clock& clock, std::size_t channel) const;

  const model::Model& model_;
  std::uint64_t seed_;
  compile::Options options_;
  std::vector<Clock> clocks_;
  std::vector<Arrival> arrivals_;  // by time, those sent first before others of the same time
  std::map<std::pair<const formulate::Problem*, std::size_t>, Functions> functions_;
  std::vector<double> point_, rows_;
};

}  // namespace daedal::solve
