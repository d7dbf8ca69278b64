// Frequency response, directly from the descriptor form: G(jw) = C (jw E - A)^-1 B + D, one sparse factorisation per frequency.
#pragma once

#include "daedal/analyse/linearise.hpp"

#include <Eigen/Core>

#include <complex>
#include <optional>
#include <vector>

namespace daedal::analysis {

struct FrequencyResponse {
  std::vector<double> frequencies;      // [rad/s]
  std::vector<Eigen::MatrixXcd> value;  // outputs x inputs; NaN where jw is a pole

  /// Largest and smallest gain over all directions of the inputs, at frequency k.
  Eigen::VectorXd singular_values(std::size_t k) const;
};

/// `count` >= 2 frequencies from `first` to `last` > first > 0, evenly on a logarithmic scale.
std::vector<double> logarithmic_grid(double first, double last, int count);

FrequencyResponse frequency_response(const LinearModel& linear, std::vector<double> frequencies);

/// Of the loop that feedback -1 closes around one output and input: how much more gain, and how much more lag, it tolerates.
struct Margins {
  struct Margin {
    double frequency = 0, value = 0;
  };
  std::optional<Margin> gain;  // factor, at the frequency where the phase is -180 deg; nearest to 1
  std::optional<Margin> phase;  // [deg], at the frequency where the gain is 1; the smallest
};
/// Crossings between the frequencies of `response`, refined to rounding by further evaluations.
Margins margins(const LinearModel& linear, const FrequencyResponse& response, Eigen::Index output,
                Eigen::Index input);

}  // namespace daedal::analysis
