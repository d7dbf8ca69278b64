// daedal analyse --response: the frequency response of the linearised model.
#pragma once

#include "arguments.hpp"
#include "daedal/analyse/linearise.hpp"
#include "daedal/emit/report.hpp"

namespace daedal::cli {

/// Refuses a grid that is none, and a file that cannot be written, before any work is done. Throws ModelError.
void check_response(const Arguments& arguments);
/// A line for each output and input (peak, margins), and the whole response to --csv.
void report_response(const daedal::analyse::LinearModel& linear, const Arguments& arguments);
/// Gain and phase as charts.
void add_response(emit::Report& page, const daedal::analyse::LinearModel& linear,
                  const Arguments& arguments);

}  // namespace daedal::cli
