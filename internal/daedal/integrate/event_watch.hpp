// Which events turn true and which branches change, and when: conditions are checked within every step and the first change
// is located on the dense output by bisection of their truth, which needs no continuity of what they compare.
#pragma once

#include "daedal/formulate/problem.hpp"
#include "daedal/integrate/integrator.hpp"
#include "daedal/system/evaluation.hpp"
#include "daedal/system/problem_system.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace daedal::solve {

class EventWatch {
 public:
  /// Conditions are checked at least every `spacing` seconds, and more often within short steps and after events.
  EventWatch(const model::Model& model, double spacing);

  /// The mode that runs from now on; its point is laid out as the problem says. Events that would change nothing in it
  /// (attach what is attached) are not checked: rounding may turn their conditions on and off.
  void begin(const formulate::Problem& problem, ProblemSystem& system, const double* point,
             const compile::Options& options);

  /// The time at which an event turns true or a branch changes within the integrator's last step.
  std::optional<double> look_at_step(const Integrator& integrator);
  /// States and tops on the dense output, as consistent as rows are; the point is valid until the next call.
  const double* point_at(const Integrator& integrator, double t);
  /// The events that have turned true at a point, in the order of the model; they do not again until they were false.
  std::vector<std::size_t> turned_true(const double* point);
  /// The first branch (number in the Dae's branches) that has changed at a point.
  std::optional<std::size_t> changed_branch(const double* point);
  /// Values of the `set` actions of all events at a point: by event and action, in order.
  std::vector<double> set_values(const double* point);

 private:
  void evaluate(const double* point);
  bool any_turns() const;
  std::vector<double> times_within(const Integrator& integrator) const;

  const model::Model& model_;
  double spacing_ = 0;
  ProblemSystem* system_ = nullptr;
  std::optional<Evaluation> conditions_, values_;
  std::vector<double> now_, set_values_;  // now_: events, then branches
  std::vector<double> held_;              // the branches of the mode
  bool first_step_ = true;                // of the mode
  std::vector<bool> was_true_, idle_;
  std::vector<double> states_, tops_, rates_;
};

}  // namespace daedal::solve
