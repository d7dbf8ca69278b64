// What makes a model minimum phase, and what that costs: one path of parameters after another.
#include "daedal/analyse/zero_search.hpp"

#include "count_doubts.hpp"
#include "daedal/task/json.hpp"
#include "daedal/task/options.hpp"
#include "zero_path.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace daedal {
inline namespace task {

using nlohmann::ordered_json;

namespace {

/// One output, or the servo lines as they are: its path and what was found on it.
struct Candidate {
  std::string redefinition;
  ZeroPath path;
  std::vector<analysis::ZeroSearchLine> lines;
};

/// "tip:rigid", "tip:chord" of "tip:rigid,chord".
std::vector<std::string> redefinitions(const std::string& text) {
  const std::size_t colon = text.find(':');
  if (text.find(',') == std::string::npos || colon == std::string::npos) return {text};
  std::vector<std::string> all;
  for (std::size_t from = colon; from != std::string::npos; from = text.find(',', from + 1))
    all.push_back(text.substr(0, colon) + ":" +
                  text.substr(from + 1, text.find(',', from + 1) - from - 1));
  return all;
}

/// How far the path can be followed: the change after the best point, 1 when all of it is acceptable.
double limit_of(const analysis::ZeroMap& map) {
  for (const analysis::Crossing& c : map.crossings)
    if (c.acceptable_before && c.s > map.best->s) return c.s;
  return map.best->s;
}

std::vector<double> values_at(const std::vector<analysis::VariedParameter>& parameters, double s) {
  std::vector<double> values;
  for (const analysis::VariedParameter& p : parameters) values.push_back(p.at(s));
  return values;
}

ordered_json named(const ZeroPath& path, const std::vector<analysis::VariedParameter>& parameters,
                   double s) {
  ordered_json json = ordered_json::object();
  for (const analysis::VariedParameter& p : parameters) json[path.name(p)] = p.at(s);
  return json;
}

/// The best point, or the change after it.
bool is_in_doubt(const analysis::ZeroMap& map) {
  return (map.best && map.best->doubt) ||
         std::ranges::any_of(map.crossings, [&](const analysis::Crossing& c) {
           return c.doubt && map.best && c.s > map.best->s;
         });
}

ordered_json search_json(const std::string& model, const std::vector<Candidate>& candidates,
                         double margin) {
  ordered_json json{{"model", model}, {"margin", margin}, {"lines", ordered_json::array()}};
  for (const Candidate& c : candidates)
    for (const analysis::ZeroSearchLine& line : c.lines) {
      ordered_json row;
      if (!c.redefinition.empty()) row["redefine"] = c.redefinition;
      row["against"] = named(c.path, c.path.against, line.s);
      row["found"] = line.map.best.has_value();
      row["in_doubt"] = is_in_doubt(line.map);
      if (line.map.best) {
        row["limit"] = named(c.path, c.path.parameters, limit_of(line.map));
        row["best"] = named(c.path, c.path.parameters, line.map.best->s);
        row["phase"] = analysis::phase_word(line.map.best->margin.side);
        if (line.map.best->zeros.finite() > 0)
          row["rightmost"] = {line.map.best->margin.worst.mean.real(),
                              line.map.best->margin.worst.mean.imag()};
      }
      json["lines"].push_back(std::move(row));
    }
  return json;
}

void add_line(std::string& text, const Candidate& c, const analysis::ZeroSearchLine& line) {
  if (!c.redefinition.empty()) text += fmt::format("  {:>20}", c.redefinition);
  for (const double value : values_at(c.path.against, line.s))
    text += fmt::format("  {:>12.6g}", value);
  const analysis::ZeroMap& map = line.map;
  if (!map.best) {
    text += fmt::format("  {:>12}\n", "none");
    return;
  }
  for (const double value : values_at(c.path.parameters, limit_of(map)))
    text += fmt::format("  {:>12.8g}", value);
  for (const double value : values_at(c.path.parameters, map.best->s))
    text += fmt::format("  {:>12.6g}", value);
  text += fmt::format("   {:<18} {}{}\n", analysis::phase_word(map.best->margin.side),
                      map.best->zeros.finite() > 0 ? zero_text(map.best->margin.worst) : "",
                      is_in_doubt(map) ? fmt::format("  {}", in_doubt) : "");
}

void add_search(std::string& text, const std::vector<Candidate>& candidates) {
  const Candidate& first = candidates.front();
  if (!first.redefinition.empty()) text += fmt::format("  {:>20}", "output");
  for (const analysis::VariedParameter& p : first.path.against)
    text += fmt::format("  {:>12}", first.path.name(p));
  for (const char* what : {"up to", "best"})
    for (const analysis::VariedParameter& p : first.path.parameters)
      text += fmt::format(
          "  {:>12}",
          fmt::format("{} {}", first.redefinition.empty() ? first.path.name(p) : "Gamma", what));
  text += fmt::format("   {:<18} rightmost zero [1/s]\n", "phase");
  for (const Candidate& c : candidates)
    for (const analysis::ZeroSearchLine& line : c.lines) add_line(text, c, line);
}

Table search_table(const std::vector<Candidate>& candidates) {
  const Candidate& first = candidates.front();
  std::vector<Column> columns{{"candidate", ""}};
  for (const analysis::VariedParameter& p : first.path.against)
    columns.push_back({first.path.name(p), ""});
  for (const char* what : {" limit", " best"})
    for (const analysis::VariedParameter& p : first.path.parameters)
      columns.push_back({first.path.name(p) + what, ""});
  for (const char* name : {"real", "imaginary"}) columns.push_back({name, "1/s"});
  columns.push_back({in_doubt, ""});
  Table table(std::move(columns));
  for (std::size_t k = 0; k < candidates.size(); ++k)
    for (const analysis::ZeroSearchLine& line : candidates[k].lines) {
      if (!line.map.best) continue;
      const ZeroPath& path = candidates[k].path;
      std::vector<double> row{static_cast<double>(k + 1)};
      for (const auto& part :
           {values_at(path.against, line.s), values_at(path.parameters, limit_of(line.map)),
            values_at(path.parameters, line.map.best->s)})
        row.insert(row.end(), part.begin(), part.end());
      const auto& worst = line.map.best->margin.worst.mean;
      row.insert(row.end(), {worst.real(), worst.imag(), is_in_doubt(line.map) ? 1.0 : 0.0});
      std::copy(row.begin(), row.end(), table.append().begin());
    }
  return table;
}

std::string bound_text(double margin) {
  return margin > 0 ? fmt::format("{:g} 1/s", -margin) : "the axis";
}

ZeroSearchLine plain(const Candidate& c, const analysis::ZeroSearchLine& line) {
  ZeroSearchLine result{
      c.redefinition,       numbers_at(c.path, c.path.against, line.s), {}, {}, "",
      is_in_doubt(line.map)};
  if (!line.map.best) return result;
  result.limit = numbers_at(c.path, c.path.parameters, limit_of(line.map));
  result.best = numbers_at(c.path, c.path.parameters, line.map.best->s);
  result.phase = analysis::phase_word(line.map.best->margin.side);
  return result;
}

}  // namespace

struct ZeroSearch::Details {
  double margin = 0;  // [1/s]
  std::vector<Candidate> candidates;
};

ZeroSearch search_zeros(const Model& model, const VaryOptions& options) {
  const StopScope stoppable(options.watch.stop);
  if (options.vary.empty() && options.redefine.empty())
    fault({}, "`against`: nothing moves against it", "add  `vary = NAME=FROM:TO`  or  `redefine`");
  ZeroSearch answer(model);
  const Asked asked = asked_of(model, options.redundant_constraints, options.outputs);
  answer.warnings = asked.warnings;
  const analysis::ZeroMapOptions map = zero_map_options(options);
  std::vector<Candidate> candidates;
  for (const std::string& redefinition : redefinitions(options.redefine)) {
    Candidate c{redefinition, path_of(asked, options, redefinition), {}};
    c.lines = zero_search(*c.path.dae, c.path.parameters, c.path.against, options.lines, map);
    for (const analysis::ZeroSearchLine& line : c.lines) answer.lines.push_back(plain(c, line));
    candidates.push_back(std::move(c));
  }
  answer.rows = search_table(candidates);
  answer.holds = std::any_of(answer.lines.begin(), answer.lines.end(),
                             [](const ZeroSearchLine& line) { return !line.best.empty(); });
  const ZeroPath& path = candidates.front().path;
  answer.verdict = fmt::format("How far {} goes towards {} without zeros right of {}.",
                               text_at(path, path.parameters, 0, 6),
                               text_at(path, path.parameters, 1, 6), bound_text(options.margin));
  answer.tone = answer.holds ? emit::Tone::good : emit::Tone::doubtful;
  DoubtfulPoints doubtful;
  std::size_t points = 0;
  for (const Candidate& c : candidates)
    for (const analysis::ZeroSearchLine& line : c.lines)
      for (const analysis::ZeroMapPoint& point : line.map.points) {
        ++points;
        if (point.doubt)
          doubtful.add(text_at(c.path, c.path.parameters, point.s, 6), {task::plain(*point.doubt)});
      }
  doubtful.warn(answer, points);
  answer.details_ = std::make_shared<const ZeroSearch::Details>(
      ZeroSearch::Details{options.margin, std::move(candidates)});
  return answer;
}

std::shared_ptr<const Answer> study_zeros(const Model& model, const VaryOptions& options) {
  if (!options.against.empty() || options.redefine.find(',') != std::string::npos)
    return std::make_shared<const ZeroSearch>(search_zeros(model, options));
  return std::make_shared<const ZeroPathMap>(vary(model, options));
}

std::string ZeroSearch::summary() const {
  const ZeroPath& path = details_->candidates.front().path;
  std::string text =
      fmt::format("{}: how far {} goes towards {} without zeros right of {}\n", title,
                  text_at(path, path.parameters, 0, 6), text_at(path, path.parameters, 1, 6),
                  bound_text(details_->margin));
  add_search(text, details_->candidates);
  return text;
}

Json ZeroSearch::json() const {
  return {search_json(model.name(), details_->candidates, details_->margin)};
}

void ZeroSearch::illustrate(emit::Report& page) const {
  emit::TextTable table{"How far it goes", {}, {}};
  for (const Column& column : rows.columns()) table.head.push_back(column.name);
  for (std::size_t r = 0; r < rows.rows(); ++r) {
    table.rows.emplace_back();
    for (const double value : rows.row(r))
      table.rows.back().push_back(fmt::format("{:.6g}", value));
  }
  page.tables.push_back(std::move(table));
}

}  // namespace task
}  // namespace daedal
