// Stable inversion, off line and sample by sample: its options in words, its part of summary and JSON.
#pragma once

#include "daedal/invert/receding_run.hpp"
#include "daedal/invert/stable_inversion.hpp"
#include "daedal/task/invert.hpp"
#include "daedal/task/json.hpp"

#include <vector>

namespace daedal {
inline namespace task {

/// Throws ModelError for words and numbers that it cannot take.
inversion::StableInversionOptions stable_inversion_options(const InvertOptions& options);
void add_stable_inversion(std::vector<Fact>& facts, const inversion::StableInversion& inversion);
nlohmann::ordered_json to_json(const inversion::StableInversion& inversion);

/// The same for a receding horizon.
inversion::RecedingRunOptions receding_options(const InvertOptions& options);
void add_receding(std::vector<Fact>& facts, const inversion::RecedingRun& run);
nlohmann::ordered_json to_json(const inversion::RecedingRun& run);

/// The window of a receding horizon, for its summary.
Fact preview_fact(const char* name, const char* before, double preview, double step,
                  double truncation);

}  // namespace task
}  // namespace daedal
