// The verdict over two parameters.
#include "count_doubts.hpp"
#include "daedal/study/analyse.hpp"
#include "daedal/task/json.hpp"
#include "parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace daedal {
inline namespace task {

using nlohmann::ordered_json;

struct ClassMap::Details {
  std::shared_ptr<const model::Model> model;
  std::vector<analysis::Sample> samples;
};

namespace {

constexpr char doubtful = '!';

char letter(analysis::Class c) {
  switch (c) {
    case analysis::Class::not_asked:
      return ' ';
    case analysis::Class::no_model:
      return 'x';
    case analysis::Class::no_equilibrium:
      return '?';
    case analysis::Class::no_inverse:
      return '.';
    case analysis::Class::flat:
      return 'F';
    case analysis::Class::minimum_phase:
      return '-';
    case analysis::Class::marginal:
      return '0';
    case analysis::Class::non_minimum_phase:
      return '+';
  }
  return ' ';
}

/// A map no wider than a page: the second parameter upwards, the first to the right.
std::string map_text(const std::vector<analysis::Sample>& samples, const Range& x, const Range& y) {
  constexpr int width = 80, height = 30;
  std::string text;
  const int columns = std::min(width, x.count), rows = std::min(height, y.count);
  for (int r = rows; r-- > 0;) {
    std::string line;
    const int j = rows == 1 ? 0 : r * (y.count - 1) / (rows - 1);
    for (int c = 0; c < columns; ++c) {
      const int i = columns == 1 ? 0 : c * (x.count - 1) / (columns - 1);
      const std::size_t row = static_cast<std::size_t>(i) * static_cast<std::size_t>(y.count);
      const analysis::Sample& sample = samples[row + static_cast<std::size_t>(j)];
      line += sample.doubts.empty() ? letter(sample.kind) : doubtful;
    }
    text += fmt::format("  {:>10.4g} |{}|\n", y.values()[static_cast<std::size_t>(j)], line);
  }
  text += fmt::format("  {:>10}  {:<{}.4g}{:.4g}\n", "", x.first, std::max(1, columns - 4), x.last);
  return text;
}

std::map<analysis::Class, int> counts_of(const std::vector<analysis::Sample>& samples) {
  std::map<analysis::Class, int> counts;
  for (const analysis::Sample& s : samples) ++counts[s.kind];
  return counts;
}

Table rows_of(const ClassMap& map, const std::vector<analysis::Sample>& samples) {
  Table table({{map.x.name, ""},
               {map.y.name, ""},
               {"class", ""},
               {"rightmost pole", "1/s"},
               {"rightmost zero", "1/s"},
               {in_doubt, ""}});
  for (const analysis::Sample& s : samples) {
    const std::span<double> row = table.append();
    row[0] = s.parameters[0], row[1] = s.parameters[1];
    row[2] = static_cast<double>(s.kind);
    row[3] =
        s.stability.side == analysis::Side::none ? std::nan("") : s.stability.worst.mean.real();
    row[4] = s.phase.side == analysis::Side::none ? std::nan("") : s.phase.worst.mean.real();
    row[5] = s.doubts.empty() ? 0 : 1;
  }
  return table;
}

std::string map_verdict(const ClassMap& map, const std::vector<analysis::Sample>& samples) {
  std::string verdict = fmt::format("{} over {}:", map.y.name, map.x.name);
  const char* separator = "";
  for (const auto& [kind, count] : counts_of(samples)) {
    verdict += fmt::format("{} {} at {} of {} points", separator, analysis::word(kind), count,
                           samples.size());
    separator = ",";
  }
  return verdict + ".";
}

/// Of a finer map every so-many-th value is drawn: the picture is not wider.
int drawn_every(const Range& range) {
  constexpr int most_drawn = 100;
  return (range.count + most_drawn - 1) / most_drawn;
}

}  // namespace

ClassMap map(const Model& model, const MapOptions& asked_for) {
  const StopScope stoppable(asked_for.watch.stop);
  ClassMap answer(model);
  answer.x = asked_for.x;
  answer.y = asked_for.y;
  const Asked asked = asked_of(model, asked_for.redundant_constraints, asked_for.outputs);
  answer.warnings = asked.warnings;
  std::vector<std::vector<double>> points;
  for (const double a : answer.x.values())
    for (const double b : answer.y.values()) points.push_back({a, b});
  analysis::SweepOptions options =
      sweep_options(asked, asked_for.free, asked_for.outputs, asked_for.at_start, asked_for.watch);
  options.threads = asked_for.threads;
  const analysis::DaeAt dae_at = family(model, asked, "`map`", {answer.x.name, answer.y.name});
  check_first_point(dae_at, points.at(0), options);
  std::vector<analysis::Sample> samples = analysis::sweep(dae_at, points, options);
  answer.interrupted = asked_for.watch.stopped();
  for (const analysis::Sample& s : samples) answer.classes.push_back(analysis::word(s.kind));
  answer.rows = rows_of(answer, samples);
  answer.verdict = map_verdict(answer, samples);
  DoubtfulPoints found;
  for (const analysis::Sample& s : samples) {
    answer.doubts.push_back(task::plain(s.doubts));
    found.add(fmt::format("{} = {:g}, {} = {:g}", answer.x.name, s.parameters[0], answer.y.name,
                          s.parameters[1]),
              answer.doubts.back());
  }
  found.warn(answer, samples.size());
  answer.details_ =
      std::make_shared<const ClassMap::Details>(ClassMap::Details{asked.model, std::move(samples)});
  return answer;
}

std::string ClassMap::summary() const {
  const std::vector<analysis::Sample>& samples = details_->samples;
  std::string text =
      fmt::format("{}: {} (upwards) over {} (to the right)\n", title, y.name, x.name) +
      map_text(samples, x, y);
  for (const auto& [kind, count] : counts_of(samples))
    text += fmt::format("  {}  {:<18} {} of {} points\n", letter(kind), analysis::word(kind), count,
                        samples.size());
  const auto in_all =
      std::ranges::count_if(samples, [](const auto& s) { return !s.doubts.empty(); });
  if (in_all > 0)
    text +=
        fmt::format("  {}  {:<18} {} of {} points\n", doubtful, in_doubt, in_all, samples.size());
  return text;
}

Json ClassMap::json() const {
  ordered_json json{{"model", model.name()}};
  json["parameters"] = {x.name, y.name};
  json["counts"] = ordered_json::object();
  for (const auto& [kind, count] : counts_of(details_->samples))
    json["counts"][analysis::word(kind)] = count;
  json["points"] = ordered_json::array();
  for (std::size_t k = 0; k < details_->samples.size(); ++k) {
    const analysis::Sample& s = details_->samples[k];
    json["points"].push_back({{"at", s.parameters},
                              {"class", analysis::word(s.kind)},
                              {"stability", analysis::stability_word(s.stability.side)},
                              {"rightmost_pole", s.stability.worst.mean.real()},
                              {"rightmost_zero", s.phase.worst.mean.real()},
                              {"doubts", task::to_json(doubts[k])}});
  }
  return {std::move(json)};
}

void ClassMap::illustrate(emit::Report& page) const {
  const std::vector<analysis::Sample>& samples = details_->samples;
  std::map<analysis::Class, emit::ChartSeries> drawn;
  emit::ChartSeries in_question{in_doubt, {}, {}, {}, "ring", false};
  const int every_x = drawn_every(x), every_y = drawn_every(y);
  for (std::size_t k = 0; k < samples.size(); ++k) {
    const analysis::Sample& s = samples[k];
    const int i = static_cast<int>(k) / y.count, j = static_cast<int>(k) % y.count;
    if (i % every_x != 0 || j % every_y != 0) continue;
    emit::ChartSeries& series = drawn[s.kind];
    series.name = analysis::word(s.kind);
    series.marker = s.kind == analysis::Class::non_minimum_phase ? "cross"
                    : s.kind == analysis::Class::marginal        ? "ring"
                                                                 : "dot";
    series.x.push_back(s.parameters[0]);
    series.y.push_back(s.parameters[1]);
    if (s.doubts.empty()) continue;
    in_question.x.push_back(s.parameters[0]);
    in_question.y.push_back(s.parameters[1]);
  }
  emit::Chart chart{"Classes of the inverse model",
                    axis_of(*details_->model, x.name),
                    axis_of(*details_->model, y.name),
                    every_x * every_y > 1
                        ? fmt::format("every {}th by every {}th point; the table has all of them",
                                      every_x, every_y)
                        : "",
                    false,
                    false,
                    false,
                    {}};
  for (auto& [kind, series] : drawn) chart.series.push_back(std::move(series));
  if (!in_question.x.empty()) chart.series.push_back(std::move(in_question));
  page.charts.push_back(std::move(chart));
}

}  // namespace task
}  // namespace daedal
