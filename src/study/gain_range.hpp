// For which values of a parameter a loop is stable.
#pragma once

#include "daedal/analyse/sweep.hpp"
#include "daedal/study/analyse.hpp"
#include "daedal/task/asked.hpp"

#include <functional>
#include <string>
#include <vector>

namespace daedal {
inline namespace task {

/// The family, starting where the loop rests at the model's own values: another equilibrium may be nearer to the start values, and
/// one that meets the rest where that loses its stability takes the stability over.
analysis::DaeAt near_rest(analysis::DaeAt family, const Asked& asked,
                          const std::vector<std::string>& free);

/// A loop at one value of the parameter.
struct LoopAt {
  double value = 0;
  double beyond = 0;      // how far its last pole lies beyond the boundary of stability
  std::string stability;  // as StabilityRange
};
LoopAt loop_at(const analysis::Sample& sample);

/// Parts of equal stability between the first and the last sample, their ends located to rounding by asking `at`.
std::vector<StabilityRange> stability_ranges(const std::vector<LoopAt>& samples,
                                             const std::function<LoopAt(double)>& at);

/// "asymptotically stable for c.k = 0 to 4.81".
std::string text_of(const StabilityRange& part, const std::string& parameter);
/// "The loop is asymptotically stable for c.k from 0 to 4.81."
std::string verdict_of(const std::vector<StabilityRange>& parts, const std::string& parameter);

/// A locus of controllers with a clock: rates of the factors from sample to sample.
RootLocus clocked_locus(const Model& model, const LocusOptions& options);

}  // namespace task
}  // namespace daedal
