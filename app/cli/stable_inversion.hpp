// Stable inversion for daedal invert: its options, its part of the summary.
#pragma once

#include "daedal/invert/receding_run.hpp"
#include "daedal/invert/stable_inversion.hpp"
#include "request.hpp"

#include <nlohmann/json.hpp>

#include <string>

namespace daedal::cli {

/// What can be done about zeros in the right half plane.
inline constexpr const char* ways_out_of_unstable_zeros =
    "daedal invert finds the bounded inverse, which begins before the motion, and with --receding "
    "sample by sample; --redefine OUTPUT:RIGID looks for an output nearby that is minimum phase, "
    "--vary NAME=FROM:TO for a parameter";

/// From --before, --after, --until, --ends, --tolerance, --every and 'collocation(order = 6, intervals = 100)'. Throws
/// ModelError.
daedal::invert::StableInversionOptions read_stable_inversion(const Request& request);
void add_stable_inversion(std::string& text, const daedal::invert::StableInversion& inversion);
nlohmann::ordered_json stable_inversion_json(const daedal::invert::StableInversion& inversion);

/// The same for --receding, with --period, --preview, --step, --after.
daedal::invert::RecedingRunOptions read_receding(const Request& request);
void add_receding(std::string& text, const daedal::invert::RecedingRun& run);
nlohmann::ordered_json receding_json(const daedal::invert::RecedingRun& run);

}  // namespace daedal::cli
