#include "zero_search.hpp"

#include "daedal/analyse/portrait.hpp"
#include "daedal/analyse/redefine.hpp"
#include "daedal/analyse/zero_search.hpp"
#include "daedal/emit/csv.hpp"
#include "json_answer.hpp"
#include "progress_line.hpp"
#include "request.hpp"
#include "zero_path.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace daedal::cli {

namespace {

using daedal::analyse::VariedParameter;
using daedal::analyse::ZeroMap;
using daedal::analyse::ZeroSearchLine;
using nlohmann::ordered_json;

constexpr int lines_by_default = 5;

/// One output, or the servo lines as they are: its path and what was found on it.
struct Candidate {
  std::string redefinition;
  ZeroPath path;
  std::vector<ZeroSearchLine> lines;
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

/// How far the path can be followed: the change behind the best point, 1 when all of it is acceptable.
double limit_of(const ZeroMap& map) {
  for (const daedal::analyse::Crossing& c : map.crossings)
    if (c.acceptable_before && c.s > map.best->s) return c.s;
  return map.best->s;
}

std::vector<double> values_at(const std::vector<VariedParameter>& parameters, double s) {
  std::vector<double> values;
  for (const VariedParameter& p : parameters) values.push_back(p.at(s));
  return values;
}

ordered_json named(const ZeroPath& path, const std::vector<VariedParameter>& parameters, double s) {
  ordered_json json = ordered_json::object();
  for (const VariedParameter& p : parameters) json[path.name(p)] = p.at(s);
  return json;
}

ordered_json search_json(const std::string& model, const std::vector<Candidate>& candidates,
                         double margin) {
  ordered_json json{{"model", model}, {"margin", margin}, {"lines", ordered_json::array()}};
  for (const Candidate& c : candidates)
    for (const ZeroSearchLine& line : c.lines) {
      ordered_json row;
      if (!c.redefinition.empty()) row["redefine"] = c.redefinition;
      row["against"] = named(c.path, c.path.against, line.s);
      row["found"] = line.map.best.has_value();
      if (line.map.best) {
        row["limit"] = named(c.path, c.path.parameters, limit_of(line.map));
        row["best"] = named(c.path, c.path.parameters, line.map.best->s);
        row["phase"] = daedal::analyse::phase_word(line.map.best->margin.side);
        if (line.map.best->zeros.finite() > 0)
          row["rightmost"] = {line.map.best->margin.worst.mean.real(),
                              line.map.best->margin.worst.mean.imag()};
      }
      json["lines"].push_back(std::move(row));
    }
  return json;
}

void print_line(const Candidate& c, const ZeroSearchLine& line) {
  if (!c.redefinition.empty()) fmt::print("  {:>20}", c.redefinition);
  for (const double value : values_at(c.path.against, line.s)) fmt::print("  {:>12.6g}", value);
  const ZeroMap& map = line.map;
  if (!map.best) {
    fmt::print("  {:>12}\n", "none");
    return;
  }
  for (const double value : values_at(c.path.parameters, limit_of(map)))
    fmt::print("  {:>12.8g}", value);
  for (const double value : values_at(c.path.parameters, map.best->s))
    fmt::print("  {:>12.6g}", value);
  fmt::print("   {:<18} {}\n", daedal::analyse::phase_word(map.best->margin.side),
             map.best->zeros.finite() > 0 ? zero_text(map.best->margin.worst) : "");
}

void print_search(const std::vector<Candidate>& candidates) {
  const Candidate& first = candidates.front();
  if (!first.redefinition.empty()) fmt::print("  {:>20}", "output");
  for (const VariedParameter& p : first.path.against) fmt::print("  {:>12}", first.path.name(p));
  for (const char* what : {"up to", "best"})
    for (const VariedParameter& p : first.path.parameters)
      fmt::print(
          "  {:>12}",
          fmt::format("{} {}", first.redefinition.empty() ? first.path.name(p) : "Gamma", what));
  fmt::print("   {:<18} rightmost zero [1/s]\n", "phase");
  for (const Candidate& c : candidates)
    for (const ZeroSearchLine& line : c.lines) print_line(c, line);
}

Table search_table(const Candidate& first, const std::vector<Candidate>& candidates) {
  std::vector<Column> columns{{"candidate", ""}};
  for (const VariedParameter& p : first.path.against) columns.push_back({first.path.name(p), ""});
  for (const char* what : {" limit", " best"})
    for (const VariedParameter& p : first.path.parameters)
      columns.push_back({first.path.name(p) + what, ""});
  for (const char* name : {"real", "imaginary"}) columns.push_back({name, "1/s"});
  Table table(std::move(columns));
  for (std::size_t k = 0; k < candidates.size(); ++k)
    for (const ZeroSearchLine& line : candidates[k].lines) {
      if (!line.map.best) continue;
      const ZeroPath& path = candidates[k].path;
      std::vector<double> row{static_cast<double>(k + 1)};
      for (const auto& part :
           {values_at(path.against, line.s), values_at(path.parameters, limit_of(line.map)),
            values_at(path.parameters, line.map.best->s)})
        row.insert(row.end(), part.begin(), part.end());
      const auto& worst = line.map.best->margin.worst.mean;
      row.insert(row.end(), {worst.real(), worst.imag()});
      std::copy(row.begin(), row.end(), table.append().begin());
    }
  return table;
}

}  // namespace

bool asks_for_search(const Arguments& a) {
  return !a.against.empty() || a.redefine.find(',') != std::string::npos;
}

int report_zero_search(const Loaded& loaded, const Arguments& a) {
  if (a.vary.empty() && a.redefine.empty())
    fault({}, "--against: nothing moves against it", "add  --vary NAME=FROM:TO  or  --redefine");
  const int lines = a.lines.value_or(lines_by_default);
  daedal::analyse::ZeroMapOptions options;
  options.margin = a.margin.value_or(options.margin);
  options.samples = a.samples.value_or(options.samples);
  if (!(options.margin >= 0) || options.samples < 2 || options.samples > 10'000 || lines < 2 ||
      lines > 1000)
    fault({},
          "--margin must not be negative, --samples at least 2 and at most 10000, --lines at "
          "least 2 and at most 1000");
  if (!a.csv.empty()) emit::check_writable(a.csv);
  ProgressLine line;
  if (!a.quiet) options.progress = line.sink();
  std::vector<Candidate> candidates;
  for (const std::string& redefinition : redefinitions(a.redefine)) {
    Candidate c{redefinition, path_of(loaded, a, redefinition), {}};
    c.lines = zero_search(*c.path.dae, c.path.parameters, c.path.against, lines, options);
    candidates.push_back(std::move(c));
  }
  if (!a.csv.empty()) emit::write_csv(search_table(candidates.front(), candidates), a.csv);
  const std::string& name = loaded.model->name;
  if (a.json) {
    print_json(a, search_json(name, candidates, options.margin));
  } else if (a.csv != "-") {
    const ZeroPath& path = candidates.front().path;
    fmt::print("{}: how far {} goes towards {} without zeros right of {}\n", name,
               text_at(path, path.parameters, 0, 6), text_at(path, path.parameters, 1, 6),
               options.margin > 0 ? fmt::format("{:g} 1/s", -options.margin) : "the axis");
    print_search(candidates);
  }
  const bool any = std::any_of(candidates.begin(), candidates.end(), [](const Candidate& c) {
    return std::any_of(c.lines.begin(), c.lines.end(),
                       [](const ZeroSearchLine& l) { return l.map.best.has_value(); });
  });
  return any ? 0 : 1;
}

}  // namespace daedal::cli
