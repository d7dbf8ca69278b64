#include "response.hpp"

#include "daedal/analyse/frequency_response.hpp"
#include "daedal/base/diagnostic.hpp"
#include "daedal/base/table.hpp"
#include "daedal/base/utf8.hpp"
#include "daedal/emit/csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <numbers>

namespace daedal::cli {

namespace {

using daedal::analyse::FrequencyResponse;
using daedal::analyse::LinearModel;
using daedal::analyse::Margins;
using daedal::analyse::Nyquist;
using daedal::analyse::Spectrum;
using nlohmann::ordered_json;

struct Grid {
  double first = 0, last = 0;
  int count = 200;
};

[[noreturn]] void refuse(const std::string& message, const std::string& help) {
  throw ModelError({Severity::error, {}, message, {}, help});
}

Grid grid_of(const std::string& text) {
  Grid grid;
  char rest = 0;
  const int read =
      std::sscanf(text.c_str(), "%lf:%lf:%d%c", &grid.first, &grid.last, &grid.count, &rest);
  const bool complete = (read == 2 && text.find(':') == text.rfind(':')) || read == 3;
  if (!complete || !std::isfinite(grid.last) || !(grid.first > 0) || !(grid.last > grid.first) ||
      grid.count < 2 || grid.count > 1'000'000)
    refuse(fmt::format("--response {}: not a range of frequencies", text),
           "write FIRST:LAST or FIRST:LAST:COUNT in rad/s, 0 < FIRST < LAST, as in 0.1:100:200");
  return grid;
}

double decibel(double gain) { return 20 * std::log10(gain); }
double degrees(double radian) { return radian * 180 / std::numbers::pi; }

/// Frequency, then gain, phase (without jumps), real and imaginary part of every output against every input, then the singular
/// values.
Table table_of(const LinearModel& linear, const FrequencyResponse& response) {
  const auto outputs = static_cast<Eigen::Index>(linear.outputs.size()),
             inputs = static_cast<Eigen::Index>(linear.inputs.size());
  std::vector<Column> columns{{"frequency", "rad/s"}};
  for (const std::string& output : linear.outputs)
    for (const std::string& input : linear.inputs) {
      columns.push_back({fmt::format("|{}/{}|", output, input), ""});
      columns.push_back({fmt::format("arg {}/{}", output, input), "deg"});
      columns.push_back({fmt::format("Re {}/{}", output, input), ""});
      columns.push_back({fmt::format("Im {}/{}", output, input), ""});
    }
  for (Eigen::Index k = 0; k < std::min(outputs, inputs); ++k)
    columns.push_back({fmt::format("singular value {}", k + 1), ""});
  Table table(std::move(columns));
  std::vector<double> row(table.width()), last(table.width(), 0);
  for (std::size_t i = 0; i < response.frequencies.size(); ++i) {
    std::size_t next = 0;
    row[next++] = response.frequencies[i];
    for (Eigen::Index y = 0; y < outputs; ++y)
      for (Eigen::Index u = 0; u < inputs; ++u) {
        const std::complex<double> value = response.value[i](y, u);
        row[next++] = std::abs(value);
        const double phase = degrees(std::arg(value));
        const double before = i == 0 || std::isnan(last[next]) ? phase : last[next];
        row[next] = before + std::remainder(phase - before, 360);
        ++next;
        row[next++] = value.real();
        row[next++] = value.imag();
      }
    const Eigen::VectorXd sigma = response.singular_values(i);
    for (const double s : sigma) row[next++] = s;
    last = row;
    std::copy(row.begin(), row.end(), table.append().begin());
  }
  return table;
}

std::string channel(const LinearModel& linear, Eigen::Index y, Eigen::Index u) {
  return fmt::format("{}/{}", linear.outputs[static_cast<std::size_t>(y)],
                     linear.inputs[static_cast<std::size_t>(u)]);
}

void print_channel(const LinearModel& linear, const FrequencyResponse& response, Eigen::Index y,
                   Eigen::Index u) {
  double peak = 0, at = 0;
  for (std::size_t i = 0; i < response.frequencies.size(); ++i)
    if (const double gain = std::abs(response.value[i](y, u)); gain > peak)
      peak = gain, at = response.frequencies[i];
  const std::string name = channel(linear, y, u);
  if (peak == 0) {
    fmt::print("    {:<16} 0: this input does not move it\n", name);
    return;
  }
  fmt::print("    {:<16} largest gain {:.4g} ({:.1f} dB) at {:.6g} rad/s", name, peak,
             decibel(peak), at);
  const Margins m = daedal::analyse::margins(linear, response, y, u);
  if (m.gain) fmt::print(", gain margin {:.4g} at {:.6g} rad/s", m.gain->value, m.gain->frequency);
  if (m.phase)
    fmt::print(", phase margin {:.4g} deg at {:.6g} rad/s", m.phase->value, m.phase->frequency);
  fmt::print("\n");
}

ordered_json channel_json(const LinearModel& linear, const Spectrum& poles,
                          const FrequencyResponse& response, Eigen::Index y, Eigen::Index u) {
  ordered_json json{{"output", linear.outputs[static_cast<std::size_t>(y)]},
                    {"input", linear.inputs[static_cast<std::size_t>(u)]}};
  for (const Eigen::MatrixXcd& value : response.value) {  // not a number, on a pole, is null
    json["real"].push_back(value(y, u).real());
    json["imaginary"].push_back(value(y, u).imag());
  }
  const Margins m = daedal::analyse::margins(linear, response, y, u);
  const auto margin = [](const Margins::Margin& at) {
    return ordered_json{{"frequency", at.frequency}, {"value", at.value}};
  };
  if (m.gain) json["gain_margin"] = margin(*m.gain);
  if (m.phase) json["phase_margin"] = margin(*m.phase);
  const Nyquist n = daedal::analyse::nyquist(linear, poles, y, u);
  json["nyquist"] = {{"encirclements", n.encirclements ? ordered_json(*n.encirclements) : nullptr},
                     {"unstable_poles_open", n.unstable_open},
                     {"unstable_poles_closed", n.unstable_closed},
                     {"poles_on_axis", n.on_axis}};
  return json;
}

FrequencyResponse response_of(const LinearModel& linear, const std::string& text) {
  const Grid grid = grid_of(text);
  return daedal::analyse::frequency_response(
      linear, daedal::analyse::logarithmic_grid(grid.first, grid.last, grid.count));
}

}  // namespace

void add_response(emit::Report& page, const LinearModel& linear, const Spectrum& poles,
                  const Arguments& arguments) {
  const Table table = table_of(linear, response_of(linear, arguments.response));
  emit::Chart gain{"Gain", "frequency [rad/s]", "gain", "", true, true, false, {}};
  emit::Chart phase{"Phase", "frequency [rad/s]", "phase [deg]", "", true, false, false, {}};
  const std::size_t channels = linear.outputs.size() * linear.inputs.size();
  for (std::size_t k = 0; k < channels; ++k)
    for (emit::Chart* chart : {&gain, &phase}) {
      const std::size_t column = 1 + 4 * k + (chart == &phase ? 1 : 0);
      const std::string name = fmt::format("{}/{}", linear.outputs[k / linear.inputs.size()],
                                           linear.inputs[k % linear.inputs.size()]);
      chart->series.push_back({name, table.column(0), table.column(column), {}, "none", true});
    }
  page.charts.push_back(std::move(gain));
  page.charts.push_back(std::move(phase));
  if (!arguments.questions.nyquist) return;
  const Grid grid = grid_of(arguments.response);
  for (Eigen::Index y = 0; y < linear.c.rows(); ++y)
    for (Eigen::Index u = 0; u < linear.b.cols(); ++u)
      page.charts.push_back(
          nyquist_chart(channel(linear, y, u),
                        daedal::analyse::nyquist_curve(linear, grid.first, grid.last, y, u),
                        daedal::analyse::nyquist(linear, poles, y, u)));
}

void check_response(const Arguments& arguments) {
  const bool maps = !arguments.redefine.empty() || !arguments.vary.empty();
  if (!arguments.response.empty() && maps)
    refuse("--response: not together with --redefine or --vary", "ask for one after the other");
  if (arguments.response.empty() && arguments.questions.nyquist)
    refuse("--nyquist: of which frequencies?", "add them in rad/s: --response 0.1:100");
  if (arguments.response.empty()) {
    const Questions& q = arguments.questions;
    const bool table = maps || !q.follow.empty() || !q.locus.empty() || !q.map.empty() ||
                       !q.path.empty() || q.limits || !q.box.empty() || !q.along.empty() ||
                       q.zero_dynamics || q.linear_motion || !q.lyapunov.empty();
    if (!arguments.csv.empty() && !table)
      refuse("--csv: there is no table to write",
             "ask for one, as with --response FIRST:LAST, or take --json");
    return;
  }
  grid_of(arguments.response);
  if (!arguments.csv.empty()) emit::check_writable(arguments.csv);
}

ordered_json answer_response(const LinearModel& linear, const Spectrum& poles,
                             const Arguments& arguments) {
  if (linear.inputs.empty() || linear.outputs.empty())
    refuse("--response: the model has no input, or no output",
           "declare them:  input u, output y = ...");
  const Grid grid = grid_of(arguments.response);
  const FrequencyResponse response = response_of(linear, arguments.response);
  if (!arguments.csv.empty()) emit::write_csv(table_of(linear, response), arguments.csv);
  ordered_json json{{"frequencies", response.frequencies}, {"channels", ordered_json::array()}};
  if (!arguments.json)
    fmt::print("\n  frequency response, {:g} to {:g} rad/s\n", grid.first, grid.last);
  for (Eigen::Index y = 0; y < linear.c.rows(); ++y)
    for (Eigen::Index u = 0; u < linear.b.cols(); ++u) {
      if (arguments.json) {
        json["channels"].push_back(channel_json(linear, poles, response, y, u));
        continue;
      }
      print_channel(linear, response, y, u);
      if (arguments.questions.nyquist)
        print_nyquist(daedal::analyse::nyquist_curve(linear, grid.first, grid.last, y, u),
                      daedal::analyse::nyquist(linear, poles, y, u));
    }
  if (!arguments.json && !arguments.csv.empty() && arguments.csv != "-")
    fmt::print("    written to {}\n", visible(arguments.csv));
  return json;
}

}  // namespace daedal::cli
