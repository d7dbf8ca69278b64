// Pages of daedal analyse --continue, --locus, --map, --sensitivity.
#include "question_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace daedal::cli {

namespace {

using daedal::analyse::AxisCrossing;
using daedal::analyse::Branch;
using daedal::analyse::BranchMark;
using daedal::analyse::BranchPoint;
using daedal::analyse::Class;
using daedal::analyse::ParameterSensitivity;
using daedal::analyse::RootLocus;
using daedal::analyse::Sample;

std::string counted(std::ptrdiff_t count, const std::string& what) {
  return fmt::format("{} {}{}", count == 0 ? "no" : fmt::format("{}", count), what,
                     count == 1 ? "" : "s");
}

std::string parameter_axis(const Question& q, const std::string& name) {
  const expr::SymbolId s = q.loaded.model->find(name);
  const std::string unit = s == 0 ? "" : q.loaded.model->symbols[s].unit;
  return unit.empty() ? name : fmt::format("{} [{}]", name, unit);
}

// --- branches of equilibria

/// One unknown over the parameter: stable and unstable stretches, folds and crossings.
emit::Chart branch_chart(const Question& q, const Range& range, const std::vector<Branch>& branches,
                         const model::Symbol& symbol, expr::SymbolId s) {
  emit::Chart chart{
      "Equilibria: " + symbol.name,
      parameter_axis(q, range.name),
      symbol.unit.empty() ? symbol.name : fmt::format("{} [{}]", symbol.name, symbol.unit),
      "",
      false,
      false,
      false,
      {}};
  const auto put = [&](const BranchPoint& p, emit::ChartSeries& series) {
    series.x.push_back(p.parameter);
    series.y.push_back(p.equilibrium.values[s]);
    series.labels.push_back(fmt::format("{} = {:.8g}, {} = {:.8g}", range.name, p.parameter,
                                        symbol.name, p.equilibrium.values[s]));
  };
  for (std::size_t b = 0; b < branches.size(); ++b) {
    emit::ChartSeries line{
        b == 0 ? "branch" : fmt::format("branch {}", b + 1), {}, {}, {}, "none", true};
    for (const BranchPoint& p : branches[b].points) put(p, line);
    chart.series.push_back(std::move(line));
  }
  const auto add = [&](const char* name, const char* marker, auto belongs) {
    emit::ChartSeries series{name, {}, {}, {}, marker, false};
    for (const Branch& branch : branches)
      for (const BranchPoint& p : branch.points)
        if (belongs(p)) put(p, series);
    if (!series.x.empty()) chart.series.push_back(std::move(series));
  };
  add("unstable", "dot",
      [](const BranchPoint& p) { return p.stability && p.stability->unstable > 0; });
  add("fold", "ring", [](const BranchPoint& p) { return p.mark == BranchMark::fold; });
  add("crossing of another branch", "cross",
      [](const BranchPoint& p) { return p.mark == BranchMark::crossing; });
  return chart;
}

std::ptrdiff_t marks(const Branch& branch, BranchMark mark) {
  return std::count_if(branch.points.begin(), branch.points.end(),
                       [&](const BranchPoint& p) { return p.mark == mark; });
}

const char* word_of(BranchMark mark) {
  return mark == BranchMark::fold ? "fold" : mark == BranchMark::crossing ? "crossing" : "end";
}

// --- root loci

/// All points of the tracks as dots, or only where they begin, with a sign of their own.
emit::ChartSeries locus_points(const std::vector<daedal::analyse::Track>& tracks,
                               const RootLocus& locus, const std::string& parameter,
                               std::string name, std::string marker) {
  const bool beginning = marker != "dot";
  emit::ChartSeries series{std::move(name), {}, {}, {}, std::move(marker), false};
  for (const daedal::analyse::Track& track : tracks)
    for (std::size_t k = 0; k < (beginning ? std::min<std::size_t>(track.size(), 1) : track.size());
         ++k) {
      if (std::isnan(track[k].real())) continue;
      series.x.push_back(track[k].real());
      series.y.push_back(track[k].imag());
      series.labels.push_back(fmt::format("{} = {:.6g}: {:.6g}, {:.6g}i", parameter,
                                          locus.samples[k].parameters[0], track[k].real(),
                                          track[k].imag()));
    }
  return series;
}

// --- maps

/// Of a finer map every so-many-th value is drawn: the picture is not wider.
constexpr int most_drawn = 100;

std::string complex_number(const std::complex<double>& z) {
  return z.imag() == 0 ? fmt::format("{:.6g}", z.real())
                       : fmt::format("{:.6g} {} {:.6g}i", z.real(), z.imag() < 0 ? '-' : '+',
                                     std::abs(z.imag()));
}

}  // namespace

void write_branch_page(const Question& q, const Range& range, const std::vector<Branch>& branches,
                       const derive::Dae& dae) {
  const Branch& branch = branches.front();
  const auto word = [](const BranchPoint& p) {
    return p.stability ? describe(*p.stability) : std::string("of unknown stability");
  };
  emit::Report page = question_page(
      q, fmt::format("Equilibria over {} from {:g} to {:g}: {}, {} of other branches; {} at the "
                     "beginning, {} at the end.{}",
                     range.name, range.first, range.last,
                     counted(marks(branch, BranchMark::fold), "fold"),
                     counted(marks(branch, BranchMark::crossing), "crossing"),
                     word(branch.points.front()), word(branch.points.back()),
                     branch.stopped.empty() ? "" : " Stopped: " + branch.stopped));
  if (!branch.stopped.empty()) page.tone = emit::Tone::doubtful;
  std::vector<expr::SymbolId> shown;
  for (const expr::SymbolId s : dae.unknowns)
    if (dae.model->symbols[s].kind != model::SymbolKind::multiplier) shown.push_back(s);
  constexpr std::size_t most_charts = 8;
  if (shown.size() > most_charts)
    page.warnings.push_back(fmt::format("the first {} of {} unknowns are drawn; --csv has all",
                                        most_charts, shown.size()));
  shown.resize(std::min(shown.size(), most_charts));
  emit::TextTable table{
      "Where branches begin, turn, are crossed and end", {"branch", "", range.name}, {}};
  for (const expr::SymbolId s : shown) {
    page.charts.push_back(branch_chart(q, range, branches, dae.model->symbols[s], s));
    table.head.push_back(dae.model->symbols[s].name);
  }
  table.head.push_back("statically");
  for (std::size_t b = 0; b < branches.size(); ++b)
    for (const BranchPoint& p : branches[b].points) {
      const bool first = &p == &branches[b].points.front();
      if (!first && p.mark == BranchMark::point) continue;
      table.rows.push_back({fmt::format("{}", b + 1), first ? "start" : word_of(p.mark),
                            fmt::format("{:.10g}", p.parameter)});
      for (const expr::SymbolId s : shown)
        table.rows.back().push_back(fmt::format("{:.8g}", p.equilibrium.values[s]));
      table.rows.back().push_back(word(p));
    }
  page.tables.push_back(std::move(table));
  write_page(q, page);
}

void write_locus_page(const Question& q, const Range& range, const RootLocus& locus) {
  emit::Report page = question_page(
      q, fmt::format("{} and {} over {} from {:g} to {:g}; {} of them cross the axis.",
                     counted(static_cast<std::ptrdiff_t>(locus.poles.size()), "pole"),
                     counted(static_cast<std::ptrdiff_t>(locus.zeros.size()), "zero"), range.name,
                     range.first, range.last, locus.crossings.empty() ? "none" : "some"));
  for (const AxisCrossing& c : locus.crossings)
    page.facts.emplace_back(
        "crossing",
        fmt::format("a {} to the {} at {} = {:.10g}, {:.6g} rad/s", c.zero ? "zero" : "pole",
                    c.to_the_right ? "right" : "left", range.name, c.parameter, c.frequency));
  emit::Chart chart = empty_pole_zero_map("Root locus");
  const std::string at = fmt::format(" at {} = {:g}", range.name, range.first);
  for (const bool zeros : {false, true}) {
    const auto& tracks = zeros ? locus.zeros : locus.poles;
    if (tracks.empty()) continue;
    const std::string name = zeros ? "zeros" : "poles";
    chart.series.push_back(locus_points(tracks, locus, range.name, name, "dot"));
    chart.series.push_back(
        locus_points(tracks, locus, range.name, name + at, zeros ? "ring" : "cross"));
  }
  page.charts.push_back(std::move(chart));
  write_page(q, page);
}

void write_map_page(const Question& q, const Range& x, const Range& y,
                    const std::vector<Sample>& samples) {
  std::map<Class, emit::ChartSeries> classes;
  std::map<Class, int> counts;
  const int every_x = (x.count + most_drawn - 1) / most_drawn,
            every_y = (y.count + most_drawn - 1) / most_drawn;
  for (std::size_t k = 0; k < samples.size(); ++k) {
    const Sample& s = samples[k];
    ++counts[s.kind];
    const int i = static_cast<int>(k) / y.count, j = static_cast<int>(k) % y.count;
    if (i % every_x != 0 || j % every_y != 0) continue;
    emit::ChartSeries& series = classes[s.kind];
    series.name = daedal::analyse::word(s.kind);
    series.marker = s.kind == Class::non_minimum_phase ? "cross"
                    : s.kind == Class::marginal        ? "ring"
                                                       : "dot";
    series.x.push_back(s.parameters[0]);
    series.y.push_back(s.parameters[1]);
  }
  std::string verdict = fmt::format("{} over {}:", y.name, x.name);
  for (const auto& [kind, count] : counts)
    verdict += fmt::format("{} {} at {} of {} points", &kind == &counts.begin()->first ? "" : ",",
                           daedal::analyse::word(kind), count, samples.size());
  emit::Report page = question_page(q, verdict + ".");
  emit::Chart chart{
      "Classes of the inverse model",
      parameter_axis(q, x.name),
      parameter_axis(q, y.name),
      every_x * every_y > 1
          ? fmt::format("every {}th by every {}th point; --csv has all of them", every_x, every_y)
          : "",
      false,
      false,
      false,
      {}};
  for (auto& [kind, series] : classes) chart.series.push_back(std::move(series));
  page.charts.push_back(std::move(chart));
  write_page(q, page);
}

void write_sensitivity_page(const Question& q,
                            const std::vector<ParameterSensitivity>& sensitivities) {
  emit::TextTable table{"Change for a change of the parameter by 1 of its unit",
                        {"parameter", "value", "of", "rate", "error"},
                        {}};
  const auto add = [&](const ParameterSensitivity& s, const std::string& of,
                       const std::string& rate, double size, double error) {
    if (size > 10 * error && size > 1e-9)  // the rest is rounding
      table.rows.push_back(
          {s.parameter, fmt::format("{:g}", s.value), of, rate, fmt::format("{:.0e}", error)});
  };
  std::size_t without = 0;
  for (const ParameterSensitivity& s : sensitivities) {
    if (!s.missing.empty()) {
      ++without;
      table.rows.push_back({s.parameter, fmt::format("{:g}", s.value), s.missing, "", ""});
      continue;
    }
    for (const auto& [name, rate] : s.equilibrium)
      add(s, name + " at rest", fmt::format("{:.8g}", rate.value), std::abs(rate.value),
          rate.error);
    for (const auto& r : s.poles)
      if (r.of.imag() >= 0)
        add(s, "pole " + complex_number(r.of), complex_number(r.rate), std::abs(r.rate), r.error);
    for (const auto& r : s.zeros)
      if (r.of.imag() >= 0)
        add(s, "zero " + complex_number(r.of), complex_number(r.rate), std::abs(r.rate), r.error);
  }
  emit::Report page = question_page(
      q, fmt::format("How equilibrium, poles and zeros change with {}{}.",
                     counted(static_cast<std::ptrdiff_t>(sensitivities.size()), "parameter"),
                     without == 0 ? "" : fmt::format("; {} of them cannot be given", without)));
  page.tables.push_back(std::move(table));
  write_page(q, page);
}

}  // namespace daedal::cli
