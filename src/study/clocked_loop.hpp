// The loop of controllers with a clock, taken from a model: where it rests, and its linear parts there.
#pragma once

#include "daedal/analyse/equilibrium.hpp"
#include "daedal/control/sampled_loop.hpp"
#include "daedal/task/asked.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace daedal {
inline namespace task {

struct ClockedLoop {
  std::shared_ptr<const derive::Dae> dae;  // what controllers hold are unknowns
  analysis::Equilibrium rest;
  double period = 0;                // [s]
  std::vector<std::string> inputs;  // commanded, in the order of the commands
  // where a rest was found: z' = f z + ..., what the controllers make of it, and how many values they hold
  Eigen::MatrixXd f;
  std::vector<feedback::ClockedController> controllers;
  std::size_t held = 0;
  feedback::SampledLoop linear;
};

/// Throws ModelError for clocks of several periods, and for what has no linear model: filters with gains of their own, steps of a
/// sensor, samples of which only some count.
ClockedLoop clocked_loop(const Asked& asked, const std::vector<std::string>& free);

}  // namespace task
}  // namespace daedal
