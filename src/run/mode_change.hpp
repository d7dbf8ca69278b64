// The effect of an event: from the state before it to the mode and the state after it.
#pragma once

#include "daedal/formulate/problem.hpp"
#include "daedal/run/simulate.hpp"
#include "daedal/start/prepare.hpp"

#include <cstddef>
#include <map>
#include <memory>
#include <vector>

namespace daedal::solve {

/// Constraints (numbers in the model) that do not act, sorted.
using Released = std::vector<std::size_t>;

/// Problems by mode, formulated on first use as the first one is.
class Modes {
 public:
  explicit Modes(const formulate::Problem& first) : first_(first) {}
  const formulate::Problem& of(const Released& released);

 private:
  const formulate::Problem& first_;
  std::map<Released, std::unique_ptr<const formulate::Problem>> others_;
};

struct ModeChange {
  Released released;
  ConsistentPoint start;  // in the new mode
  std::vector<FiredEvent> fired;
};

/// Applies all actions of `events` at once to the state in `point`, laid out as `problem` says. Values of `set` are kept,
/// all other velocities move least in the kinetic-energy metric so that the constraints of the new mode hold: an ideal
/// impulse. An impact with restitution that follows the last one of its event by less than `settling` [s] is plastic: the
/// bounces have come to an end. Throws ModelError when the constraints cannot be met.
ModeChange apply_events(Modes& modes, const formulate::Problem& problem, const Released& released,
                        const std::vector<std::size_t>& events,
                        const std::vector<double>& set_values, const double* point,
                        const std::vector<FiredEvent>& earlier, double settling);

}  // namespace daedal::solve
