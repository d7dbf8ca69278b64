// Pages of daedal analyse --at start, --along, --normal-form, --zero-dynamics, --lyapunov, --linear-motion.
#include "question_page.hpp"

#include <fmt/format.h>

#include <cmath>

namespace daedal::cli {

namespace {

using daedal::analyse::Cluster;
using daedal::analyse::NormalForm;
using daedal::analyse::NormalFormPoint;
using daedal::analyse::OperatingPoint;

std::string rightmost(const OperatingPoint& p) {
  return p.poles.clusters.empty()
             ? "there are none"
             : "the rightmost is " + daedal::analyse::text_of(p.poles.clusters[0], true, 8) +
                   " 1/s";
}

Table row_of(const OperatingPoint& p) {
  std::vector<Column> columns{{"t", "s"}};
  for (const auto& [name, value] : p.values) columns.push_back({name, ""});
  Table table(std::move(columns));
  const std::span<double> row = table.append();
  row[0] = p.t;
  for (std::size_t k = 0; k < p.values.size(); ++k) row[k + 1] = p.values[k].second;
  return table;
}

}  // namespace

void write_at_start_page(const Question& q, const OperatingPoint& p) {
  emit::Report page = question_page(
      q, fmt::format("Linearised at the start values, in motion; of the frozen poles {}.",
                     rightmost(p)));
  for (const auto& [name, value] : p.values)
    page.facts.emplace_back(name, fmt::format("{:.10g}", value));
  page.drawing = emit::draw(*q.loaded.model, row_of(p));
  emit::Chart map = empty_pole_zero_map("Frozen poles");
  add_spectrum(page, map, p.poles, "poles", "cross");
  page.charts.push_back(std::move(map));
  write_page(q, page);
}

void write_along_page(const Question& q, const std::vector<OperatingPoint>& points,
                      const Table& table) {
  emit::Report page = question_page(
      q, fmt::format("Linearised at {} times of the motion from {:g} s to {:g} s; of the frozen "
                     "poles at the beginning {}, at the end {}.",
                     points.size(), points.front().t, points.back().t, rightmost(points.front()),
                     rightmost(points.back())));
  add_plots(page, table, "Along the motion");
  page.drawing = emit::draw(*q.loaded.model, table);
  emit::ChartSeries all{"poles", {}, {}, {}, "dot", false},
      first{fmt::format("poles at t = {:g} s", points.front().t), {}, {}, {}, "cross", false};
  for (const OperatingPoint& p : points)
    for (const Cluster& c : p.poles.clusters)
      for (emit::ChartSeries* series : {&all, &first}) {
        if (series == &first && &p != &points.front()) continue;
        series->x.push_back(c.mean.real());
        series->y.push_back(c.mean.imag());
        series->labels.push_back(fmt::format("t = {:.6g} s: {}", p.t, daedal::analyse::text_of(c)));
      }
  emit::Chart map = empty_pole_zero_map("Frozen poles on their way");
  map.series = {std::move(all), std::move(first)};
  page.charts.push_back(std::move(map));
  write_page(q, page);
}

void write_normal_form_page(const Question& q, const NormalForm& form, const NormalFormPoint& p,
                            const std::vector<std::string>& internal) {
  std::string degrees;
  for (std::size_t i = 0; i < form.outputs().size(); ++i)
    degrees +=
        fmt::format("{}{} of {}", i == 0 ? "" : ", ", form.relative_degree()[i], form.outputs()[i]);
  emit::Report page = question_page(
      q, fmt::format("Normal form at the start values: relative degree {}; {} internal state{}.",
                     degrees, internal.size(), internal.size() == 1 ? "" : "s"));
  std::vector<std::string> inputs;
  for (const model::InputDefault& input : q.loaded.model->inputs)
    inputs.push_back(q.loaded.model->symbols[input.input].name);
  inputs.resize(static_cast<std::size_t>(p.a.cols()));
  emit::TextTable chains{"Outputs and their derivatives", {"", "order", "value"}, {}};
  for (std::size_t i = 0; i < form.outputs().size(); ++i) {
    for (std::size_t k = 0; k < p.xi[i].size(); ++k)
      chains.rows.push_back(
          {form.outputs()[i], fmt::format("{}", k), fmt::format("{:.10g}", p.xi[i][k])});
    chains.rows.push_back({form.outputs()[i], fmt::format("{}", form.relative_degree()[i]),
                           fmt::format("{:.10g} + A u", p.b[static_cast<Eigen::Index>(i)])});
  }
  page.tables.push_back(std::move(chains));
  page.tables.push_back(
      matrix_table("A: what inputs do to those derivatives", inputs, form.outputs(), p.a));
  if (!internal.empty()) {
    emit::TextTable states{"Internal states", {"", "value", "rate"}, {}};
    const bool held = p.eta_rate.size() > 0;
    if (held) states.head.emplace_back("rate with the outputs held");
    for (std::size_t i = 0; i < internal.size(); ++i) {
      const auto r = static_cast<Eigen::Index>(i);
      states.rows.push_back(
          {internal[i], fmt::format("{:.10g}", p.eta[r]), fmt::format("{:.10g} + P u", p.q[r])});
      if (held) states.rows.back().push_back(fmt::format("{:.10g}", p.eta_rate[r]));
    }
    page.tables.push_back(std::move(states));
    page.tables.push_back(
        matrix_table("P: what inputs do to internal states", inputs, internal, p.p));
  }
  write_page(q, page);
}

void write_zero_dynamics_page(const Question& q, const derive::Dae& zero,
                              const solve::Trajectory& run) {
  const bool completed = run.status == solve::Status::completed;
  emit::Report page = question_page(
      q, completed ? fmt::format("Zero dynamics over {:g} s: what moves while the outputs are "
                                 "held at their values at rest.",
                                 run.table.at(run.table.rows() - 1, 0))
                   : run.reason);
  page.tone = completed ? emit::Tone::good : emit::Tone::bad;
  emit::add_trajectory(page, *zero.model, run);
  write_page(q, page);
}

void write_lyapunov_page(const Question& q, const daedal::analyse::StabilityRegion& r) {
  emit::Report page = question_page(
      q, r.decreases ? fmt::format("The {} Lyapunov function decreases at all {} samples, up to V "
                                   "= {:.6g}.",
                                   q.arguments.questions.lyapunov, r.samples, r.level)
                     : fmt::format("The {} Lyapunov function decreases up to V = {:.6g}, not at "
                                   "all of the {} samples beyond.",
                                   q.arguments.questions.lyapunov, r.level, r.samples));
  page.tone = r.decreases ? emit::Tone::good : emit::Tone::doubtful;
  std::string worst;
  for (const auto& [name, value] : r.worst) worst += fmt::format("{} = {:.6g}\n", name, value);
  page.facts.emplace_back("worst", fmt::format("V'/V = {:.6g} 1/s at\n{}", r.worst_rate, worst));
  emit::ChartSeries falls{"falls", {}, {}, {}, "dot", false},
      rises{"does not fall", {}, {}, {}, "cross", false};
  const std::size_t v = r.table.width() - 2;
  for (std::size_t k = 0; k < r.table.rows(); ++k) {
    emit::ChartSeries& series = r.table.at(k, v + 1) < 0 ? falls : rises;
    series.x.push_back(r.table.at(k, v));
    series.y.push_back(r.table.at(k, v + 1));
  }
  emit::Chart chart{"Its rate at the samples", "V", "V' [1/s]", "", true, false, false, {}};
  for (emit::ChartSeries* series : {&falls, &rises})
    if (!series->x.empty()) chart.series.push_back(std::move(*series));
  page.charts.push_back(std::move(chart));
  write_page(q, page);
}

void write_linear_motion_page(const Question& q, const daedal::analyse::MotionComparison& c) {
  const daedal::analyse::MotionComparison::Coordinate* worst = nullptr;
  emit::TextTable table{
      "Motion and linearised motion", {"", "largest departure", "difference", "at t [s]"}, {}};
  for (const auto& one : c.coordinates) {
    if (worst == nullptr || one.difference > worst->difference) worst = &one;
    table.rows.push_back({one.name, fmt::format("{:.6g}", one.largest),
                          fmt::format("{:.6g}", one.difference), fmt::format("{:.4g}", one.at)});
  }
  emit::Report page = question_page(
      q, worst == nullptr
             ? "No coordinate to compare."
             : fmt::format("Motion and linearised motion differ most in {}: by {:.3g} at t = "
                           "{:.4g} s, of a departure of {:.3g}.",
                           worst->name, worst->difference, worst->at, worst->largest));
  add_plots(page, c.table, "Motion and linearised motion");
  page.tables.push_back(std::move(table));
  write_page(q, page);
}

}  // namespace daedal::cli
