// The motion from a disturbed rest beside the linearised one.
#include "daedal/analyse/stability_region.hpp"
#include "daedal/study/motions.hpp"
#include "daedal/task/asked.hpp"
#include "daedal/task/json.hpp"
#include "daedal/task/options.hpp"
#include "daedal/task/spectrum.hpp"
#include "disturbance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace daedal {
inline namespace task {

namespace {

std::string linear_motion_verdict(const std::vector<LinearMotion::Coordinate>& coordinates) {
  if (coordinates.empty()) return "No coordinate to compare.";
  const auto worst =
      std::max_element(coordinates.begin(), coordinates.end(),
                       [](const auto& x, const auto& y) { return x.difference < y.difference; });
  return fmt::format(
      "Motion and linearised motion differ most in {}: by {:.3g} at t = {:.4g} s, of a departure "
      "of {:.3g}.",
      worst->name, worst->difference, worst->at, worst->largest);
}

}  // namespace

LinearMotion linear_motion(const Model& model, const LinearMotionOptions& options) {
  const StopScope stoppable(options.watch.stop);
  if (!(options.until > 0) || !std::isfinite(options.until))
    fault({}, "`linear_motion`: an end time above 0");
  LinearMotion answer(model);
  answer.until = options.until;
  const Asked asked = asked_of(model, options.redundant_constraints);
  answer.warnings = asked.warnings;
  const analysis::Equilibrium rest = rest_of(asked, options.free);
  options.watch.check();
  analysis::MotionComparison c =
      analysis::compare_motions(asked.dae, rest, by_name(options.disturb), options.until);
  for (const auto& one : c.coordinates)
    answer.coordinates.push_back({one.name, one.largest, one.difference, one.at});
  answer.rows = std::move(c.table);
  answer.verdict = linear_motion_verdict(answer.coordinates);
  return answer;
}

std::string LinearMotion::summary() const {
  std::string text =
      fmt::format("{}: motion and linearised motion until {:g} s\n  {:<20} {:>14} {:>14} {:>10}\n",
                  title, until, "", "departure", "difference", "at t [s]");
  for (const Coordinate& one : coordinates)
    text += fmt::format("  {:<20} {:>14.6g} {:>14.6g} {:>10.4g}\n", one.name, one.largest,
                        one.difference, one.at);
  return text;
}

Json LinearMotion::json() const {
  nlohmann::ordered_json json{{"model", model.name()},
                              {"coordinates", nlohmann::ordered_json::array()}};
  for (const Coordinate& one : coordinates)
    json["coordinates"].push_back({{"name", one.name},
                                   {"largest", one.largest},
                                   {"difference", one.difference},
                                   {"at", one.at}});
  return {std::move(json)};
}

void LinearMotion::illustrate(emit::Report& page) const {
  emit::TextTable table{
      "Motion and linearised motion", {"", "largest departure", "difference", "at t [s]"}, {}};
  for (const Coordinate& one : coordinates)
    table.rows.push_back({one.name, fmt::format("{:.6g}", one.largest),
                          fmt::format("{:.6g}", one.difference), fmt::format("{:.4g}", one.at)});
  add_plots(page, rows, "Motion and linearised motion");
  page.tables.push_back(std::move(table));
}

}  // namespace task
}  // namespace daedal
