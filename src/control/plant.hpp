// The linear model that a feedback is designed for: z' = f z + g u on the constraint manifold, x = basis z.
#pragma once

#include "daedal/analyse/linearise.hpp"
#include "daedal/derive/dae.hpp"
#include "daedal/pencil/pencil.hpp"

#include <Eigen/Core>

#include <complex>
#include <string>
#include <vector>

namespace daedal::feedback {

struct Plant {
  std::vector<std::string> inputs, states;
  std::vector<expr::Leaf> leaves;  // of the states
  Eigen::MatrixXd f, g, basis;
  std::vector<std::string> held;  // coordinates that other inputs drive: they stay where they are
};

/// With these inputs; none: all. Throws ModelError for inputs that do not exist, and where nothing moves.
Plant plant_of(const derive::Dae& dae, const analysis::LinearModel& linear,
               const std::vector<std::string>& inputs);

/// Position of a name in a list; throws ModelError for a name that is not in it.
std::size_t position_of(const derive::Dae& dae, const std::string& option, const std::string& name,
                        const std::vector<std::string>& known, const char* kind);

/// "theta, x": what moves most in a mode.
std::string movers_of(const Plant& plant, std::complex<double> mode);

/// Modes of `hidden` that are not stable; with `axis`, only those that neither decay nor grow.
std::vector<std::complex<double>> not_decaying(const analysis::Spectrum& hidden, double scale,
                                               bool axis);

/// Refuses a plant with modes that its inputs do not move and that do not decay.
void require_stabilisable(const derive::Dae& dae, const Plant& plant,
                          const analysis::Spectrum& unmoved);

/// Refuses a delay of a feedback without a clock, and one that is none.
void check_delay(const derive::Dae& dae, double delay, double period);

}  // namespace daedal::feedback
