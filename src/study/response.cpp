#include "response.hpp"

#include "daedal/analyse/nyquist.hpp"
#include "daedal/task/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <utility>

namespace daedal {
inline namespace task {

using nlohmann::ordered_json;

namespace {

double decibel(double gain) { return 20 * std::log10(gain); }
double degrees(double radian) { return radian * 180 / std::numbers::pi; }

std::string channel(const analysis::LinearModel& linear, Eigen::Index y, Eigen::Index u) {
  return fmt::format("{}/{}", linear.outputs[static_cast<std::size_t>(y)],
                     linear.inputs[static_cast<std::size_t>(u)]);
}

std::string channel_text(const analysis::LinearModel& linear,
                         const analysis::FrequencyResponse& response, Eigen::Index y,
                         Eigen::Index u) {
  double peak = 0, at = 0;
  for (std::size_t i = 0; i < response.frequencies.size(); ++i)
    if (const double gain = std::abs(response.value[i](y, u)); gain > peak)
      peak = gain, at = response.frequencies[i];
  const std::string name = channel(linear, y, u);
  if (peak == 0) return fmt::format("    {:<16} 0: this input does not move it\n", name);
  std::string text = fmt::format("    {:<16} largest gain {:.4g} ({:.1f} dB) at {:.6g} rad/s", name,
                                 peak, decibel(peak), at);
  const analysis::Margins m = analysis::margins(linear, response, y, u);
  if (m.gain)
    text += fmt::format(", gain margin {:.4g} at {:.6g} rad/s", m.gain->value, m.gain->frequency);
  if (m.phase)
    text += fmt::format(", phase margin {:.4g} deg at {:.6g} rad/s", m.phase->value,
                        m.phase->frequency);
  return text + "\n";
}

ordered_json channel_json(const analysis::LinearModel& linear, const analysis::Spectrum& poles,
                          const analysis::FrequencyResponse& response, Eigen::Index y,
                          Eigen::Index u) {
  ordered_json json{{"output", linear.outputs[static_cast<std::size_t>(y)]},
                    {"input", linear.inputs[static_cast<std::size_t>(u)]}};
  for (const Eigen::MatrixXcd& value : response.value) {  // not a number, on a pole, is null
    json["real"].push_back(value(y, u).real());
    json["imaginary"].push_back(value(y, u).imag());
  }
  const analysis::Margins m = analysis::margins(linear, response, y, u);
  const auto margin = [](const analysis::Margins::Margin& at) {
    return ordered_json{{"frequency", at.frequency}, {"value", at.value}};
  };
  if (m.gain) json["gain_margin"] = margin(*m.gain);
  if (m.phase) json["phase_margin"] = margin(*m.phase);
  const analysis::Nyquist n = analysis::nyquist(linear, poles, y, u);
  json["nyquist"] = {{"encirclements", n.encirclements ? ordered_json(*n.encirclements) : nullptr},
                     {"unstable_poles_open", n.unstable_open},
                     {"unstable_poles_closed", n.unstable_closed},
                     {"poles_on_axis", n.on_axis}};
  return json;
}

}  // namespace

Response response_of(const analysis::LinearModel& linear, const Grid& grid, bool nyquist) {
  if (linear.inputs.empty() || linear.outputs.empty())
    fault({}, "`response`: the model has no input, or no output",
          "declare them:  input u, output y = ...");
  if (!(grid.first > 0) || !(grid.last > grid.first) || grid.count < 2)
    fault({},
          fmt::format("`response = {:g}:{:g}:{}`: not a range of frequencies", grid.first,
                      grid.last, grid.count),
          "0 < first < last in rad/s, and 2 of them at least");
  return {grid, nyquist,
          analysis::frequency_response(
              linear, analysis::logarithmic_grid(grid.first, grid.last, grid.count))};
}

Table response_table(const analysis::LinearModel& linear,
                     const analysis::FrequencyResponse& response) {
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

std::string response_text(const Response& response, const analysis::LinearModel& linear,
                          const analysis::Spectrum& poles) {
  const Grid& grid = response.grid;
  std::string text =
      fmt::format("\n  frequency response, {:g} to {:g} rad/s\n", grid.first, grid.last);
  for (Eigen::Index y = 0; y < linear.c.rows(); ++y)
    for (Eigen::Index u = 0; u < linear.b.cols(); ++u) {
      text += channel_text(linear, response.values, y, u);
      if (response.nyquist)
        text += nyquist_picture(analysis::nyquist_curve(linear, grid.first, grid.last, y, u),
                                analysis::nyquist(linear, poles, y, u));
    }
  return text;
}

ordered_json response_json(const Response& response, const analysis::LinearModel& linear,
                           const analysis::Spectrum& poles) {
  ordered_json json{{"frequencies", response.values.frequencies},
                    {"channels", ordered_json::array()}};
  for (Eigen::Index y = 0; y < linear.c.rows(); ++y)
    for (Eigen::Index u = 0; u < linear.b.cols(); ++u)
      json["channels"].push_back(channel_json(linear, poles, response.values, y, u));
  return json;
}

void add_response(emit::Report& page, const Response& response, const Table& table,
                  const analysis::LinearModel& linear, const analysis::Spectrum& poles) {
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
  phase.below = true;
  page.charts.push_back(std::move(gain));
  page.charts.push_back(std::move(phase));
  if (!response.nyquist) return;
  for (Eigen::Index y = 0; y < linear.c.rows(); ++y)
    for (Eigen::Index u = 0; u < linear.b.cols(); ++u)
      page.charts.push_back(nyquist_chart(
          channel(linear, y, u),
          analysis::nyquist_curve(linear, response.grid.first, response.grid.last, y, u),
          analysis::nyquist(linear, poles, y, u)));
}

}  // namespace task
}  // namespace daedal
