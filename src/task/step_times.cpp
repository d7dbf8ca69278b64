#include "step_times.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace daedal {
inline namespace task {

namespace {

using inversion::StepTimes;

constexpr double microsecond = 1e-6;
constexpr double empty_bin = 0.5;  // what a logarithm shows where there are no steps

/// Bins as a staircase, from the first to the last that holds steps.
emit::ChartSeries staircase(const StepTimes& times) {
  emit::ChartSeries series{"steps", {}, {}, {}, "none", true};
  std::size_t first = 0, last = times.histogram.size() - 1;
  while (first < last && times.histogram[first] == 0) ++first;
  while (last > first && times.histogram[last] == 0) --last;
  const auto add = [&](double x, double y) {
    series.x.push_back(x / microsecond), series.y.push_back(y);
  };
  add(StepTimes::bound(first) / 2, empty_bin);
  for (std::size_t k = first; k <= last; ++k) {
    const double height = std::max(static_cast<double>(times.histogram[k]), empty_bin);
    add(StepTimes::bound(k) / 2, height);
    add(StepTimes::bound(k), height);
  }
  add(StepTimes::bound(last), empty_bin);
  return series;
}

emit::ChartSeries upright(const std::string& name, double seconds, double height) {
  const double x = seconds / microsecond;
  return {fmt::format("{} {:.3g} us", name, x), {x, x}, {empty_bin, height}, {}, "none", true};
}

}  // namespace

nlohmann::ordered_json histogram_json(const StepTimes& times) {
  auto bins = nlohmann::ordered_json::array();
  for (std::size_t k = 0; k < times.histogram.size(); ++k)
    if (times.histogram[k] > 0)
      bins.push_back({{"below", StepTimes::bound(k)}, {"steps", times.histogram[k]}});
  return bins;
}

void add_step_times(emit::Report& page, const StepTimes& times, std::optional<double> sample_time) {
  if (times.histogram.empty()) return;
  emit::Chart chart{"Time of a step",
                    "time it took [us]",
                    "number of steps",
                    fmt::format("{} steps, on this machine", times.steps),
                    true,
                    true,
                    false,
                    {staircase(times)}};
  const auto height =
      static_cast<double>(*std::max_element(times.histogram.begin(), times.histogram.end()));
  chart.series.push_back(upright("median", times.median, height));
  chart.series.push_back(upright("99.9 % below", times.most, height));
  chart.series.push_back(upright("worst", times.worst, height));
  if (sample_time) chart.series.push_back(upright("sample time", *sample_time, height));
  page.charts.push_back(std::move(chart));
}

}  // namespace task
}  // namespace daedal
