// How long steps of a real-time inversion took: for machines and as a chart.
#pragma once

#include "daedal/emit/report.hpp"
#include "daedal/invert/step_times.hpp"

#include <nlohmann/json.hpp>

#include <optional>

namespace daedal::cli {

/// Steps by the time they took: those below a bound and not below the one before it.
nlohmann::ordered_json histogram_json(const daedal::invert::StepTimes& times);

/// The histogram, with median, 99.9 %, worst, and the sample time [s] where there is one to keep.
void add_step_times(emit::Report& page, const daedal::invert::StepTimes& times,
                    std::optional<double> sample_time = {});

}  // namespace daedal::cli
