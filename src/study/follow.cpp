// Equilibria over a parameter, round folds and along the branches that cross.
#include "daedal/study/analyse.hpp"
#include "daedal/task/json.hpp"
#include "parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace daedal {
inline namespace task {

using nlohmann::ordered_json;

struct Branches::Details {
  std::shared_ptr<const model::Model> model;  // as it is given
  std::shared_ptr<const derive::Dae> dae;     // at the beginning of the range
  std::vector<analysis::Branch> branches;
};

namespace {

const char* word(analysis::BranchMark mark) {
  switch (mark) {
    case analysis::BranchMark::point:
      return "point";
    case analysis::BranchMark::fold:
      return "fold";
    case analysis::BranchMark::crossing:
      return "crossing";
    case analysis::BranchMark::end:
      return "end";
  }
  return "";
}

Table table_of(const std::vector<analysis::Branch>& branches, const std::string& parameter,
               const derive::Dae& dae) {
  std::vector<Column> columns{{parameter, ""}};
  for (const expr::SymbolId s : dae.unknowns)
    columns.push_back({dae.model->symbols[s].name, dae.model->symbols[s].unit});
  columns.push_back({"lowest stiffness", ""});
  columns.push_back({"branch", ""});
  Table table(std::move(columns));
  for (std::size_t b = 0; b < branches.size(); ++b)
    for (const analysis::BranchPoint& p : branches[b].points) {
      std::span<double> row = table.append();
      std::size_t k = 0;
      row[k++] = p.parameter;
      for (const expr::SymbolId s : dae.unknowns) row[k++] = p.equilibrium.values[s];
      row[k++] = p.stability && p.stability->stiffness.size() > 0 ? p.stability->stiffness[0]
                                                                  : std::nan("");
      row[k] = static_cast<double>(b + 1);
    }
  return table;
}

/// "y = 0.14, s = 0.2", the first ones.
std::string pose_text(const analysis::BranchPoint& p, const derive::Dae& dae) {
  std::string text;
  int shown = 0;
  for (const expr::SymbolId s : dae.unknowns) {
    if (dae.model->symbols[s].kind == model::SymbolKind::multiplier) continue;
    if (++shown > 4) return text + ", ...";
    text += fmt::format("{}{} = {:.8g}", shown == 1 ? "" : ", ", dae.model->symbols[s].name,
                        p.equilibrium.values[s]);
  }
  return text;
}

ordered_json to_json(const analysis::Branch& branch, const derive::Dae& dae) {
  ordered_json json;
  if (branch.leaves) json["leaves"] = *branch.leaves + 1;
  json["points"] = ordered_json::array();
  for (const analysis::BranchPoint& p : branch.points) {
    ordered_json one{{"parameter", p.parameter}, {"mark", word(p.mark)}};
    for (const expr::SymbolId s : dae.unknowns)
      one["values"][dae.model->symbols[s].name] = p.equilibrium.values[s];
    if (p.stability)
      one["static_stability"] = {{"word", describe(*p.stability)},
                                 {"stiffness", std::vector<double>(p.stability->stiffness.begin(),
                                                                   p.stability->stiffness.end())}};
    json["points"].push_back(std::move(one));
  }
  json["stopped"] = branch.stopped;
  return json;
}

/// Where it begins, ends, turns, is crossed or changes its stability.
void add_branch(std::string& text, const analysis::Branch& branch, const std::string& parameter,
                const derive::Dae& dae) {
  const analysis::BranchPoint* before = nullptr;
  for (const analysis::BranchPoint& p : branch.points) {
    const std::string stability = p.stability ? describe(*p.stability) : "";
    const bool changed = before != nullptr && before->mark == analysis::BranchMark::point &&
                         p.mark == analysis::BranchMark::point && before->stability &&
                         p.stability && describe(*before->stability) != stability;
    const bool leaving = before != nullptr && before == branch.points.data() && branch.leaves;
    if (before == nullptr || p.mark != analysis::BranchMark::point || changed || leaving)
      text += fmt::format(
          "  {:<9} {} = {:<16.10g} {}{}\n",
          before == nullptr ? "start"
          : changed         ? "change"
                            : word(p.mark),
          parameter, p.parameter, pose_text(p, dae),
          p.mark == analysis::BranchMark::fold || stability.empty() ? "" : "; " + stability);
    before = &p;
  }
  if (!branch.stopped.empty()) text += fmt::format("  stopped   {}\n", branch.stopped);
}

/// One unknown over the parameter: stable and unstable stretches, folds and crossings.
emit::Chart branch_chart(const Range& range, const std::string& axis,
                         const std::vector<analysis::Branch>& branches, const model::Symbol& symbol,
                         expr::SymbolId s) {
  emit::Chart chart{
      "Equilibria: " + symbol.name,
      axis,
      symbol.unit.empty() ? symbol.name : fmt::format("{} [{}]", symbol.name, symbol.unit),
      "",
      false,
      false,
      false,
      {}};
  const auto put = [&](const analysis::BranchPoint& p, emit::ChartSeries& series) {
    series.x.push_back(p.parameter);
    series.y.push_back(p.equilibrium.values[s]);
    series.labels.push_back(fmt::format("{} = {:.8g}, {} = {:.8g}", range.name, p.parameter,
                                        symbol.name, p.equilibrium.values[s]));
  };
  for (std::size_t b = 0; b < branches.size(); ++b) {
    emit::ChartSeries line{
        b == 0 ? "branch" : fmt::format("branch {}", b + 1), {}, {}, {}, "none", true};
    for (const analysis::BranchPoint& p : branches[b].points) put(p, line);
    chart.series.push_back(std::move(line));
  }
  const auto add = [&](const char* name, const char* marker, auto belongs) {
    emit::ChartSeries series{name, {}, {}, {}, marker, false};
    for (const analysis::Branch& branch : branches)
      for (const analysis::BranchPoint& p : branch.points)
        if (belongs(p)) put(p, series);
    if (!series.x.empty()) chart.series.push_back(std::move(series));
  };
  add("unstable", "dot",
      [](const analysis::BranchPoint& p) { return p.stability && p.stability->unstable > 0; });
  add("fold", "ring",
      [](const analysis::BranchPoint& p) { return p.mark == analysis::BranchMark::fold; });
  add("crossing of another branch", "cross",
      [](const analysis::BranchPoint& p) { return p.mark == analysis::BranchMark::crossing; });
  return chart;
}

std::size_t marks(const analysis::Branch& branch, analysis::BranchMark mark) {
  return static_cast<std::size_t>(
      std::count_if(branch.points.begin(), branch.points.end(),
                    [&](const analysis::BranchPoint& p) { return p.mark == mark; }));
}

std::string stability_of(const analysis::BranchPoint& p) {
  return p.stability ? describe(*p.stability) : std::string("of unknown stability");
}

std::vector<BranchEvent> events_of(const std::vector<analysis::Branch>& branches) {
  std::vector<BranchEvent> events;
  for (std::size_t b = 0; b < branches.size(); ++b)
    for (const analysis::BranchPoint& p : branches[b].points) {
      const bool first = &p == &branches[b].points.front();
      if (first || p.mark != analysis::BranchMark::point)
        events.push_back({first ? "start" : word(p.mark), b, p.parameter,
                          p.stability ? describe(*p.stability) : ""});
    }
  return events;
}

}  // namespace

Branches follow(const Model& model, const FollowOptions& asked_for) {
  const StopScope stoppable(asked_for.watch.stop);
  Branches answer(model);
  const Range& range = answer.over = asked_for.over;
  const Asked asked = asked_of(model, asked_for.redundant_constraints);
  answer.warnings = asked.warnings;
  analysis::ContinuationOptions options;
  options.from = range.first, options.to = range.last;
  options.equilibrium.free_inputs = inputs_named(*asked.dae->model, asked_for.free);
  options.watch = asked_for.watch;
  const analysis::DaeAt dae_at = family(model, asked, "`continue`", {range.name});
  std::vector<analysis::Branch> branches = analysis::follow_equilibria(dae_at, options);
  const auto dae = dae_at(std::span(&range.first, 1));
  answer.points = table_of(branches, range.name, *dae);
  answer.events = events_of(branches);
  const analysis::Branch& branch = branches.front();
  answer.reason = branch.stopped;
  answer.holds = branch.stopped.empty();
  answer.interrupted = asked_for.watch.stopped();
  answer.verdict = fmt::format(
      "Equilibria over {} from {:g} to {:g}: {}, {} of other branches; {} at the beginning, {} at "
      "the end.{}",
      range.name, range.first, range.last,
      counted(marks(branch, analysis::BranchMark::fold), "fold"),
      counted(marks(branch, analysis::BranchMark::crossing), "crossing"),
      stability_of(branch.points.front()), stability_of(branch.points.back()),
      branch.stopped.empty() ? "" : " Stopped: " + branch.stopped);
  if (!answer.holds) answer.tone = emit::Tone::doubtful;
  answer.details_ = std::make_shared<const Branches::Details>(
      Branches::Details{asked.model, dae, std::move(branches)});
  return answer;
}

std::string Branches::summary() const {
  const std::vector<analysis::Branch>& branches = details_->branches;
  std::string text = fmt::format("{}: equilibria over {} from {:g} to {:g}, {} points\n", title,
                                 over.name, over.first, over.last, branches[0].points.size());
  for (std::size_t b = 0; b < branches.size(); ++b) {
    if (b > 0)
      text += fmt::format("\n  branch {} leaves branch {}, {} points\n", b + 1,
                          *branches[b].leaves + 1, branches[b].points.size());
    add_branch(text, branches[b], over.name, *details_->dae);
  }
  return text;
}

Json Branches::json() const {
  ordered_json json{{"model", details_->dae->model->name}, {"parameter", over.name}};
  json["branches"] = ordered_json::array();
  for (const analysis::Branch& branch : details_->branches)
    json["branches"].push_back(to_json(branch, *details_->dae));
  return {std::move(json)};
}

void Branches::illustrate(emit::Report& page) const {
  const derive::Dae& dae = *details_->dae;
  const std::vector<analysis::Branch>& branches = details_->branches;
  std::vector<expr::SymbolId> shown;
  for (const expr::SymbolId s : dae.unknowns)
    if (dae.model->symbols[s].kind != model::SymbolKind::multiplier) shown.push_back(s);
  constexpr std::size_t most_charts = 8;
  if (shown.size() > most_charts)
    page.warnings.push_back(fmt::format("the first {} of {} unknowns are drawn; the table has all",
                                        most_charts, shown.size()));
  shown.resize(std::min(shown.size(), most_charts));
  emit::TextTable table{
      "Where branches begin, turn, are crossed and end", {"branch", "", over.name}, {}};
  for (const expr::SymbolId s : shown) {
    page.charts.push_back(branch_chart(over, axis_of(*details_->model, over.name), branches,
                                       dae.model->symbols[s], s));
    table.head.push_back(dae.model->symbols[s].name);
  }
  table.head.push_back("statically");
  for (std::size_t b = 0; b < branches.size(); ++b)
    for (const analysis::BranchPoint& p : branches[b].points) {
      const bool first = &p == &branches[b].points.front();
      if (!first && p.mark == analysis::BranchMark::point) continue;
      table.rows.push_back({fmt::format("{}", b + 1), first ? "start" : word(p.mark),
                            fmt::format("{:.10g}", p.parameter)});
      for (const expr::SymbolId s : shown)
        table.rows.back().push_back(fmt::format("{:.8g}", p.equilibrium.values[s]));
      table.rows.back().push_back(stability_of(p));
    }
  page.tables.push_back(std::move(table));
}

}  // namespace task
}  // namespace daedal
