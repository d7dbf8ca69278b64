// What an extended or unscented filter is made of, for the simulation and for code that runs elsewhere
// (daedal/emit/c_controller.hpp).
#pragma once

#include "daedal/control/filter.hpp"
#include "daedal/control/filter_motion.hpp"
#include "daedal/start/prepare.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace daedal::feedback {

/// Constraints of a level, and which of the filter's states they hold.
struct FilterLevel {
  const formulate::Level* level = nullptr;
  std::vector<std::size_t> states;  // by column of the level's Jacobian
};

/// Newton's method, back onto the constraints.
inline constexpr double near_constraints =
    1e-9;  // of the size of a state: the next correction would be its square
inline constexpr int most_returns = 20;
/// Central differences lose no more than that to rounding and curvature.
inline constexpr double difference_reach = 1e-5;

struct NonlinearFilterNumbers {
  FilterOptions options;                   // with `substeps`
  double between = 0;                      // [s] of a period, in which the commands before act
  std::shared_ptr<const derive::Dae> dae;  // its outputs are what is measured
  std::shared_ptr<const solve::Prepared> prepared;
  std::optional<FilterMotion> motion;  // nothing: too large to be written out
  std::vector<std::uint32_t> states;   // where the filter's states are in a point of the problem
  std::vector<std::uint32_t> inputs;   // where what holds the inputs is
  std::vector<FilterLevel> levels;     // positions first
  std::vector<double> point;           // at the start

  const formulate::Problem& problem() const { return prepared->problem; }
};

/// Columns of a level's Jacobian that corrections in the metric of the masses change, and by column the entry on the diagonal of
/// that metric where there is no mass (else 0): what has no inertia moves least in its own scale.
std::vector<std::uint32_t> movable_columns(const formulate::Level& level);
std::vector<double> unweighted_diagonal(const formulate::Problem& problem,
                                        const formulate::Level& level);

/// The unscented filter's points in n directions: the weights of the mean in means and in covariances, that of each other point,
/// and how far these are.
struct UnscentedWeights {
  double mean = 0, covariance = 0, other = 0, reach = 0;
};
UnscentedWeights unscented_weights(const FilterOptions& options, std::size_t n);

/// Null when it is another filter.
const NonlinearFilterNumbers* nonlinear_filter_numbers(const model::ObserverDesign& design);

}  // namespace daedal::feedback
