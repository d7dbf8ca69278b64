// Times of the steps of a real-time inversion: as JSON and as a chart.
#pragma once

#include "daedal/emit/report.hpp"
#include "daedal/invert/step_times.hpp"

#include <nlohmann/json.hpp>

#include <optional>

namespace daedal {
inline namespace task {

/// Steps by the time they took: those below a bound and not below the one before it.
nlohmann::ordered_json histogram_json(const inversion::StepTimes& times);

/// The histogram, with median, 99.9 %, worst, and the sample time [s] where there is one to keep.
void add_step_times(emit::Report& page, const inversion::StepTimes& times,
                    std::optional<double> sample_time = {});

}  // namespace task
}  // namespace daedal
