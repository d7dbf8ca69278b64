// What both kinds of filters consist of.
#pragma once

#include "daedal/control/filter.hpp"
#include "daedal/start/prepare.hpp"
#include "small_matrices.hpp"

#include <memory>
#include <vector>

namespace daedal::feedback {

/// x + gain (measured - predicted) with gain = cross S^-1, S = own + noise; of the fresh measurements alone. Returns the
/// normalised innovation, or nothing where S is not positive definite.
struct Correction {
  std::vector<std::size_t> rows;  // of the measurements: the fresh ones
  std::vector<double> innovation;
  SmallMatrix factor, gain;  // of S; states x rows
  double normalised = 0;
};
std::vector<std::size_t> fresh_rows(std::span<const std::uint8_t> fresh);
bool correct(Correction& correction, const SmallMatrix& covariance, const SmallMatrix& cross);
/// p -= gain S gain^T
void reduce(SmallMatrix& p, const Correction& correction);

/// (P + P^T)/2. Rounding is not symmetric, and an unstable mode makes the part of it that no measurement corrects grow until P is
/// indefinite.
void make_symmetric(SmallMatrix& p);

/// e^T P^-1 e
model::EstimationError normalised_error(SmallMatrix p, std::vector<double> error);

/// The filter's numbers, for the table: states, deviations, normalised innovation.
std::vector<double> shown(std::span<const double> mean, const SmallMatrix& p, double normalised);

/// The problem of the plant and where it starts.
std::shared_ptr<const solve::Prepared> prepared_for(const FilterPlant& plant);

/// Of its inputs the second half, if `between` is above 0, acts for so long [s] in each period.
std::shared_ptr<const model::ObserverDesign> nonlinear_filter(
    const FilterPlant& plant, const FilterOptions& options, double between,
    const std::shared_ptr<const solve::Prepared>& prepared);

}  // namespace daedal::feedback
