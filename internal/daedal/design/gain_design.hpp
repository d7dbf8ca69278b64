// Gains of the state feedback laws, from the numbers that the language gives.
#pragma once

#include "daedal/analyse/linearise.hpp"
#include "daedal/control/regulator.hpp"
#include "daedal/derive/dae.hpp"
#include "daedal/model/designer.hpp"

#include <Eigen/Core>

#include <functional>
#include <string>
#include <vector>

namespace daedal::design {

struct Gains {
  std::vector<std::string> inputs;
  Eigen::MatrixXd gain, integral;     // of the states, of the integrals of an lqi
  std::vector<Eigen::MatrixXd> past;  // with a delay: of what was fed back 1, 2, ... samples ago
};

/// Of a law of this many states. Throws ModelError with the reason where there are none.
Gains gains_of(const derive::Dae& dae, const analysis::LinearModel& linear,
               const model::DesignQuestion& question, std::size_t states);

/// As regulator() takes what a law is given.
feedback::RegulatorOptions regulator_options(const model::DesignQuestion& question,
                                             std::size_t states);

/// Gains of a law with poles, margins and what else is known of its loop.
feedback::Regulator judged(const derive::Dae& dae, const analysis::LinearModel& linear,
                           const model::DesignQuestion& question, std::size_t states);

/// Along a motion that ends at `end` [s].
model::Feedback gains_along(const derive::Dae& dae,
                            const std::function<analysis::LinearModel(double)>& linear, double end,
                            const model::DesignQuestion& question, std::size_t states);

}  // namespace daedal::design
