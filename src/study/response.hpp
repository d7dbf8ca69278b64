// The frequency response of a linear model: lines, JSON, charts.
#pragma once

#include "daedal/analyse/frequency_response.hpp"
#include "daedal/analyse/linearise.hpp"
#include "daedal/analyse/nyquist.hpp"
#include "daedal/base/table.hpp"
#include "daedal/emit/report.hpp"
#include "daedal/study/analyse.hpp"

#include <nlohmann/json.hpp>

#include <string>

namespace daedal {
inline namespace task {

struct Response {
  Grid grid;
  bool nyquist = false;  // show its curve
  analysis::FrequencyResponse values;
};
/// Throws ModelError for a model without inputs or outputs, and for a grid that is none.
Response response_of(const analysis::LinearModel& linear, const Grid& grid, bool nyquist);

/// Frequency, then gain, phase (without jumps), real and imaginary part of every output against every input, then the singular
/// values.
Table response_table(const analysis::LinearModel& linear,
                     const analysis::FrequencyResponse& response);
/// A line for each output and input: peak, margins.
std::string response_text(const Response& response, const analysis::LinearModel& linear,
                          const analysis::Spectrum& poles);
nlohmann::ordered_json response_json(const Response& response, const analysis::LinearModel& linear,
                                     const analysis::Spectrum& poles);
/// Gain, phase and where it is asked for Nyquist's curve.
void add_response(emit::Report& page, const Response& response, const Table& table,
                  const analysis::LinearModel& linear, const analysis::Spectrum& poles);

// nyquist.cpp
/// "encircles -1 twice clockwise; unstable poles: 0 open, 2 with feedback -1".
std::string text_of(const analysis::Nyquist& nyquist);
/// The same and the curve, in Braille's letters.
std::string nyquist_picture(const analysis::NyquistCurve& curve, const analysis::Nyquist& nyquist);
emit::Chart nyquist_chart(const std::string& channel, const analysis::NyquistCurve& curve,
                          const analysis::Nyquist& nyquist);

}  // namespace task
}  // namespace daedal
