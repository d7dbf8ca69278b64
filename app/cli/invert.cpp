// daedal invert: from servo lines to inputs.
#include "invert.hpp"

#include "commands.hpp"
#include "daedal/emit/csv.hpp"
#include "daedal/invert/internal_dynamics.hpp"
#include "daedal/invert/inverse_model.hpp"
#include "daedal/solve/simulate.hpp"
#include "pipeline.hpp"
#include "progress_line.hpp"
#include "request.hpp"
#include "summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

namespace daedal::cli {

namespace {

/// Rows are solved from the equations at their own times; the series between anchors only leads there.
constexpr double anchor_tolerance = 1e-9;

/// Forward integration of unstable internal dynamics is refused: it would answer with the growth of rounding errors.
int refuse_unstable(const model::Model& m, const daedal::invert::InternalDynamics& dynamics) {
  std::fflush(stdout);
  std::fprintf(stderr, "%s\n",
               fmt::format("{}: the inverse model has {}\n  integrated forwards it grows like "
                           "exp({:.6g} t)\n  help: stable "
                           "inversion is not there yet, see docs/status.md; another output may be "
                           "minimum phase, daedal analyse "
                           "tells what would change the verdict",
                           m.name, describe(dynamics), dynamics.margin.distance)
                   .c_str());
  return 1;
}

void warn_about_marginal(const model::Model& m, const daedal::invert::InternalDynamics& dynamics) {
  print_warnings({Diagnostic{
      Severity::warning,
      m.servos.front().place,
      fmt::format("model '{}': the inverse model has {}", m.name, describe(dynamics)),
      {},
      "its undamped modes go on oscillating behind the motion, and rounding errors with them"}});
}

struct Peak {
  std::string name, unit;
  double value = 0, at = 0;  // [unit], [s]
};

/// The largest value of each input, in the order of the columns.
std::vector<Peak> input_peaks(const Result& r) {
  const Table& table = r.trajectory.table;
  const model::Model& m = *r.problem.dae->model;
  std::vector<Peak> peaks;
  for (std::size_t c = 0; c < table.width(); ++c) {
    const Column& column = table.columns()[c];
    const expr::SymbolId symbol = m.find(column.name);
    if (symbol == 0 || m.symbols[symbol].kind != model::SymbolKind::input) continue;
    Peak peak{column.name, column.unit};
    for (std::size_t i = 0; i < table.rows(); ++i)
      if (std::abs(table.at(i, c)) > std::abs(peak.value))
        peak.value = table.at(i, c), peak.at = table.at(i, 0);
    peaks.push_back(peak);
  }
  return peaks;
}

nlohmann::ordered_json inverse_json(const Result& r, const structure::Structure& s) {
  nlohmann::ordered_json json = to_json(r, "");
  json["index"] = s.index;
  json["degrees_of_freedom"] = s.degrees_of_freedom;
  json["conversions"] = nlohmann::ordered_json::array();
  for (const structure::Conversion& c : s.conversions) json["conversions"].push_back(c.words);
  json["residual"] = r.trajectory.constraints.largest;
  json["inputs"] = nlohmann::ordered_json::object();
  for (const Peak& peak : input_peaks(r))
    json["inputs"][peak.name] = {{"largest", peak.value}, {"unit", peak.unit}, {"at", peak.at}};
  return json;
}

void print_inverse(const Result& r, const structure::Structure& s, const std::string& dynamics,
                   const std::string& title) {
  const model::Model& m = *r.problem.dae->model;
  const solve::Trajectory& t = r.trajectory;
  fmt::print("{}{}\n", title, m.doc.empty() ? "" : ": " + m.doc);
  fmt::print("  inverse  {} equations, index {}, {}\n", r.problem.dae->equations.size(), s.index,
             dynamics);
  for (const structure::Conversion& c : s.conversions) fmt::print("           {}\n", c.words);
  const bool algebraic = s.degrees_of_freedom == 0;
  fmt::print("  method   {}, {} {}: {:g} s, {} rows in {:.3g} ms\n",
             algebraic ? "jets" : "Taylor series", t.statistics.accepted + 1,
             algebraic ? "anchors" : "expansions", r.options.until, t.table.rows(),
             1e3 * t.wall_time);
  for (const Peak& peak : input_peaks(r))
    fmt::print("  input    {}: largest {:.10g}{} at t = {:.6g} s\n", peak.name, peak.value,
               peak.unit.empty() ? "" : " " + peak.unit, peak.at);
  if (!t.constraints.constraint.empty())
    fmt::print("  residual {:.1e}  ({} at t = {:.4g} s)\n", t.constraints.largest,
               t.constraints.constraint, t.constraints.at);
}

int report(const Result& r, const structure::Structure& s, const std::string& dynamics,
           const Arguments& a, const std::string& title, const std::string& csv,
           nlohmann::ordered_json* collect) {
  print_warnings(r.start.warnings);
  print_warnings(r.trajectory.warnings);
  if (!csv.empty()) emit::write_csv(r.trajectory.table, csv);
  if (collect != nullptr)
    collect->push_back(inverse_json(r, s));
  else if (!a.quiet && csv != "-") {
    print_inverse(r, s, dynamics, title);
    if (!csv.empty())
      fmt::print("  wrote    {}: {} rows, {} columns\n", csv, r.trajectory.table.rows(),
                 r.trajectory.table.width());
  }
  if (r.trajectory.status == solve::Status::completed) return 0;
  std::fflush(stdout);
  std::fprintf(stderr, "%s: %s\n", title.c_str(), r.trajectory.reason.c_str());
  return 1;
}

}  // namespace

int invert_model(const Loaded& loaded, const Request& request, const Arguments& a,
                 const std::string& title, const std::string& csv,
                 nlohmann::ordered_json* collect) {
  const model::Model& m = *loaded.model;
  const daedal::invert::InverseModel inverse = daedal::invert::inverse_model(*loaded.dae);
  if (!inverse.structure.solvable()) {
    std::fprintf(stderr, "%s: the inverse model cannot be solved: %s\n", m.name.c_str(),
                 inverse.structure.remark.c_str());
    return 1;
  }
  print_warnings(inverse.warnings);
  Result result;
  result.problem = inverse.problem;
  result.options.method = solve::TaylorOptions{
      .tolerance = request.tolerance.value_or(inverse.algebraic() ? anchor_tolerance : 1e-12)};
  result.options.until = end_of_motion(request, result.problem);
  result.options.every = request.every.value_or(0);
  result.options.compile.backend = read_backend(a);
  if (const std::vector<Diagnostic> faults = solve::check(result.options); !faults.empty())
    throw ModelError(faults);
  result.start = solve::consistent_point(result.problem);
  std::string dynamics_text =
      "no degrees of freedom: the inputs follow from the desired motion alone";
  if (!inverse.algebraic()) {
    const auto dynamics = daedal::invert::internal_dynamics(inverse, result.start);
    if (dynamics.margin.side == analyse::Side::right) return refuse_unstable(m, dynamics);
    if (dynamics.margin.side == analyse::Side::axis) warn_about_marginal(m, dynamics);
    dynamics_text = describe(dynamics);
  }
  ProgressLine line;
  if (!a.quiet) result.options.progress = line.sink();
  result.options.global_error = false;  // an inversion is judged by its defects
  result.trajectory = solve::simulate(result.problem, result.start, result.options);
  return report(result, inverse.structure, dynamics_text, a, title, csv, collect);
}

int invert(const Arguments& a) {
  const Loaded loaded = load_model(a);
  Request request;
  apply_command_line(request, a);
  emit::check_writable(a.csv);
  auto json = nlohmann::ordered_json::array();
  const int code =
      invert_model(loaded, request, a, loaded.model->name, a.csv, a.json ? &json : nullptr);
  if (a.json && !json.empty()) fmt::print("{}\n", json[0].dump(2));
  return code;
}

}  // namespace daedal::cli
