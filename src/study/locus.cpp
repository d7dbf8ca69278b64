// Poles and zeros over a parameter.
#include "count_doubts.hpp"
#include "daedal/study/analyse.hpp"
#include "daedal/study/control.hpp"
#include "daedal/task/json.hpp"
#include "daedal/task/spectrum.hpp"
#include "gain_range.hpp"
#include "parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace daedal {
inline namespace task {

using nlohmann::ordered_json;

namespace {

bool same_values(const analysis::Spectrum& a, const analysis::Spectrum& b) {
  return std::equal(a.values.begin(), a.values.end(), b.values.begin(), b.values.end(),
                    [](const auto& x, const auto& y) { return x.value == y.value; });
}

/// "r[1]', thR'": start values that differ between two models.
std::string starts_that_change(const model::Model& a, const model::Model& b) {
  std::string text;
  for (std::size_t k = 0; k < std::min(a.starts.size(), b.starts.size()); ++k)
    if (a.starts[k].value != b.starts[k].value)
      text += (text.empty() ? "" : ", ") +
              model::name_of(a.symbols[a.starts[k].leaf.symbol], a.starts[k].leaf.order);
  return text;
}

/// A parameter of the start values alone says nothing at rest: the answer would be the same for all of them.
void refuse_starts_at_rest(const analysis::RootLocus& locus, const analysis::DaeAt& dae_at,
                           const Range& range) {
  if (locus.samples.size() < 2 || locus.samples[0].poles.values.empty()) return;
  for (const analysis::Sample& s : locus.samples)
    if (!same_values(s.poles, locus.samples[0].poles) ||
        !same_values(s.zeros, locus.samples[0].zeros))
      return;
  const auto first = dae_at(std::span(&range.first, 1)), last = dae_at(std::span(&range.last, 1));
  const std::string starts = starts_that_change(*first->model, *last->model);
  if (starts.empty()) return;
  throw ModelError(
      {Severity::error,
       {},
       fmt::format("`locus = {}`: no pole and no zero at rest depends on '{}'", range.name,
                   range.name),
       {fmt::format("it changes start values ({}), which do not matter at rest", starts)},
       "linearise in motion:  `at = start`"});
}

/// A pole that crosses beside others on the axis is in their cluster when it is near: its track knows better where it crosses.
void refine(std::vector<StabilityRange>& parts,
            const std::vector<analysis::AxisCrossing>& crossings, double length) {
  constexpr double near = 1e-6;  // of the range
  for (std::size_t k = 0; k + 1 < parts.size(); ++k)
    for (const analysis::AxisCrossing& c : crossings)
      if (!c.zero && std::abs(c.parameter - parts[k].to) < near * length)
        parts[k].to = parts[k + 1].from = c.parameter;
}

/// All points of the tracks as dots, or only where they begin, with a sign of their own.
emit::ChartSeries locus_points(const std::vector<Track>& tracks, const Range& over,
                               std::string name, std::string marker) {
  const std::vector<double> values = over.values();
  const bool beginning = marker != "dot";
  emit::ChartSeries series{std::move(name), {}, {}, {}, std::move(marker), false};
  for (const Track& track : tracks)
    for (std::size_t k = 0; k < (beginning ? std::min<std::size_t>(track.size(), 1) : track.size());
         ++k) {
      if (std::isnan(track[k].real())) continue;
      series.x.push_back(track[k].real());
      series.y.push_back(track[k].imag());
      series.labels.push_back(fmt::format("{} = {:.6g}: {:.6g}, {:.6g}i", over.name, values[k],
                                          track[k].real(), track[k].imag()));
    }
  return series;
}

bool is_in_doubt(const RootLocus& locus, std::size_t k, bool zeros) {
  return k < locus.doubts.size() &&
         std::ranges::any_of(locus.doubts[k],
                             [&](const CountInDoubt& d) { return d.zeros == zeros; });
}

Table rows_of(const RootLocus& locus) {
  Table table({{locus.over.name, ""},
               {"zero", ""},
               {"track", ""},
               {"real", "1/s"},
               {"imaginary", "1/s"},
               {in_doubt, ""}});
  const std::vector<double> values = locus.over.values();
  for (const bool zero : {false, true}) {
    const auto& tracks = zero ? locus.zeros : locus.poles;
    for (std::size_t t = 0; t < tracks.size(); ++t)
      for (std::size_t k = 0; k < tracks[t].size(); ++k) {
        if (std::isnan(tracks[t][k].real())) continue;
        const std::span<double> row = table.append();
        row[0] = values[k];
        row[1] = zero;
        row[2] = static_cast<double>(t + 1);
        row[3] = tracks[t][k].real();
        row[4] = tracks[t][k].imag();
        row[5] = is_in_doubt(locus, k, zero);
      }
  }
  return table;
}

/// "3 or 2 zeros, margin 0.02".
std::string count_text(const CountInDoubt& d) {
  const char* const what = d.zeros ? "zeros" : "poles";
  if (!d.other) return fmt::format("{} {}, gap {:.2g}", d.number, what, d.margin);
  return fmt::format("{} or {} {}, margin {:.2g}", d.number, *d.other, what, d.margin);
}

constexpr std::size_t shown_doubts = 8;  // values, in a summary; JSON has all of them

/// A table of the values in doubt.
void add_doubts(emit::Report& page, const RootLocus& locus) {
  emit::TextTable table{"In doubt", {locus.over.name, "number"}, {}};
  const std::vector<double> values = locus.over.values();
  for (std::size_t k = 0; k < locus.doubts.size(); ++k)
    for (const CountInDoubt& d : locus.doubts[k])
      table.rows.push_back({fmt::format("{:g}", values[k]), count_text(d)});
  if (!table.rows.empty()) page.tables.push_back(std::move(table));
}

}  // namespace

RootLocus locus(const Model& model, const LocusOptions& asked_for) {
  if (is_sampled(model)) {
    RootLocus answer = clocked_locus(model, asked_for);
    answer.rows = rows_of(answer);
    return answer;
  }
  const StopScope stoppable(asked_for.watch.stop);
  RootLocus answer(model);
  const Range& range = answer.over = asked_for.over;
  answer.at_start = asked_for.at_start;
  const Asked asked = asked_of(model, asked_for.redundant_constraints, asked_for.outputs);
  answer.warnings = asked.warnings;
  const analysis::SweepOptions options =
      sweep_options(asked, asked_for.free, asked_for.outputs, asked_for.at_start, asked_for.watch);
  analysis::DaeAt dae_at = family(model, asked, "`locus`", {range.name});
  const bool loop = !answer.at_start && !asked.model->controllers.empty();
  if (loop) dae_at = near_rest(dae_at, asked, asked_for.free);
  check_first_point(dae_at, {range.first}, options);
  analysis::RootLocus found = analysis::root_locus(dae_at, range.values(), options);
  answer.interrupted = asked_for.watch.stopped();
  if (!answer.at_start && !answer.interrupted) refuse_starts_at_rest(found, dae_at, range);
  for (const analysis::Sample& s : found.samples) answer.classes.push_back(analysis::word(s.kind));
  for (const analysis::Sample& s : found.samples)
    for (const analysis::Spectrum* of : {&s.poles, &s.zeros})
      for (const analysis::Cluster& c : of->clusters)
        answer.rounding = std::max(answer.rounding, doubt_of(c));
  for (const analysis::AxisCrossing& c : found.crossings)
    answer.crossings.push_back({c.zero, c.parameter, c.frequency, c.to_the_right, c.in_doubt});
  DoubtfulPoints doubtful;
  for (const analysis::Sample& s : found.samples) {
    answer.doubts.push_back(task::plain(s.doubts));
    doubtful.add(fmt::format("{} = {:g}", range.name, s.parameters[0]), answer.doubts.back());
  }
  doubtful.warn(answer, found.samples.size());
  if (loop && !answer.interrupted) {
    std::vector<LoopAt> samples;
    for (const analysis::Sample& s : found.samples) samples.push_back(loop_at(s));
    analysis::SweepOptions undoubted = options;
    undoubted.doubts = false;
    answer.stability = stability_ranges(samples, [&](double value) {
      return loop_at(analysis::sweep(dae_at, {{value}}, undoubted).front());
    });
    refine(answer.stability, found.crossings, std::abs(range.last - range.first));
  }
  answer.poles = std::move(found.poles);
  answer.zeros = std::move(found.zeros);
  answer.rows = rows_of(answer);
  answer.verdict =
      fmt::format("{} and {} over {} from {:g} to {:g}; {} of them cross the axis.",
                  counted(answer.poles.size(), "pole"), counted(answer.zeros.size(), "zero"),
                  range.name, range.first, range.last, answer.crossings.empty() ? "none" : "some");
  if (loop) answer.verdict = verdict_of(answer.stability, range.name);
  return answer;
}

std::string RootLocus::summary() const {
  std::string text = fmt::format("{}: {} poles and {} zeros over {} from {:g} to {:g}{}\n", title,
                                 poles.size(), zeros.size(), over.name, over.first, over.last,
                                 at_start ? ", at the start values in motion" : "");
  std::map<std::string, int> counts;
  for (const std::string& name : classes) ++counts[name];
  for (const auto& [name, count] : counts)
    text += fmt::format("  {:<18} at {} of {} values\n", name, count, classes.size());
  for (const StabilityRange& part : stability)
    text += fmt::format("  {:<18} {}\n", "loop", text_of(part, over.name));
  for (const AxisCrossing& c : crossings)
    text += fmt::format(
        "  crossing           a {} crosses the axis to the {} at {} = {:.10g}, {:.6g} rad/s{}\n",
        c.zero ? "zero" : "pole", c.to_the_right ? "right" : "left", over.name, c.parameter,
        c.frequency, c.in_doubt ? ", in doubt" : "");
  const std::vector<double> values = over.values();
  const auto doubtful =
      std::ranges::count_if(doubts, [](const auto& of_value) { return !of_value.empty(); });
  if (doubtful > 0)
    text += fmt::format("  {:<18} {} of {} values\n", in_doubt, doubtful, doubts.size());
  for (std::size_t k = 0, told = 0; k < doubts.size() && told < shown_doubts; ++k)
    for (const CountInDoubt& d : doubts[k])
      text += fmt::format("  {:<18} {} = {:g}: {}\n", "", over.name, values[k], count_text(d)),
          ++told;
  return text;
}

Json RootLocus::json() const {
  ordered_json json{{"model", model.name()}, {"parameter", over.name}, {"values", over.values()}};
  for (const bool zero : {false, true}) {
    ordered_json& list = json[zero ? "zeros" : "poles"] = ordered_json::array();
    for (const Track& track : zero ? zeros : poles) {
      auto values = ordered_json::array();
      for (const std::complex<double>& z : track)
        values.push_back(std::isnan(z.real()) ? ordered_json(nullptr) : complex_json(z));
      list.push_back(std::move(values));
    }
  }
  json["classes"] = classes;
  json["doubts"] = ordered_json::array();
  for (const std::vector<CountInDoubt>& of_value : doubts)
    json["doubts"].push_back(task::to_json(of_value));
  for (const StabilityRange& part : stability)
    json["stability"].push_back(
        {{"from", part.from}, {"to", part.to}, {"stability", part.stability}});
  json["crossings"] = ordered_json::array();
  for (const AxisCrossing& c : crossings)
    json["crossings"].push_back({{"of", c.zero ? "zero" : "pole"},
                                 {"parameter", c.parameter},
                                 {"frequency", c.frequency},
                                 {"to", c.to_the_right ? "right" : "left"},
                                 {"in_doubt", c.in_doubt}});
  return {std::move(json)};
}

void RootLocus::illustrate(emit::Report& page) const {
  for (const StabilityRange& part : stability)
    page.facts.emplace_back("loop", text_of(part, over.name));
  for (const AxisCrossing& c : crossings)
    page.facts.emplace_back(
        "crossing",
        fmt::format("a {} to the {} at {} = {:.10g}, {:.6g} rad/s{}", c.zero ? "zero" : "pole",
                    c.to_the_right ? "right" : "left", over.name, c.parameter, c.frequency,
                    c.in_doubt ? ", in doubt" : ""));
  add_doubts(page, *this);
  emit::Chart chart = empty_pole_zero_map("Root locus");
  const std::string at = fmt::format(" at {} = {:g}", over.name, over.first);
  for (const bool zero : {false, true}) {
    const std::vector<Track>& tracks = zero ? zeros : poles;
    if (tracks.empty()) continue;
    for (const Track& track : tracks)
      for (const std::complex<double>& z : track)
        if (!std::isnan(z.real())) keep_rounding_small(chart, z, rounding);
    const std::string name = zero ? "zeros" : "poles";
    chart.series.push_back(locus_points(tracks, over, name, "dot"));
    chart.series.push_back(locus_points(tracks, over, name + at, zero ? "ring" : "cross"));
  }
  page.charts.push_back(std::move(chart));
}

}  // namespace task
}  // namespace daedal
