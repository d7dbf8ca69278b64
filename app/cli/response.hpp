// daedal analyse --response: the frequency response of the linearised model.
#pragma once

#include "arguments.hpp"
#include "daedal/analyse/linearise.hpp"
#include "daedal/analyse/nyquist.hpp"
#include "daedal/emit/report.hpp"

#include <nlohmann/json.hpp>

#include <string>

namespace daedal::cli {

/// Refuses a grid that is none, and a file that cannot be written, before any work is done. Throws ModelError.
void check_response(const Arguments& arguments);
/// A line for each output and input (peak, margins), or all of it as JSON; the whole response to --csv.
nlohmann::ordered_json answer_response(const daedal::analyse::LinearModel& linear,
                                       const daedal::analyse::Spectrum& poles,
                                       const Arguments& arguments);
/// Gain, phase and with --nyquist that curve, as charts.
void add_response(emit::Report& page, const daedal::analyse::LinearModel& linear,
                  const daedal::analyse::Spectrum& poles, const Arguments& arguments);

// nyquist.cpp
/// "encircles -1 twice clockwise; unstable poles: 0 open, 2 with feedback -1".
std::string text_of(const daedal::analyse::Nyquist& nyquist);
void print_nyquist(const daedal::analyse::NyquistCurve& curve,
                   const daedal::analyse::Nyquist& nyquist);
emit::Chart nyquist_chart(const std::string& channel, const daedal::analyse::NyquistCurve& curve,
                          const daedal::analyse::Nyquist& nyquist);

}  // namespace daedal::cli
