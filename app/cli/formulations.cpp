#include "formulations.hpp"

#include "daedal/invert/formulations.hpp"
#include "json_answer.hpp"
#include "pipeline.hpp"
#include "progress_line.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace daedal::cli {

namespace {

using daedal::invert::Formulation;
using daedal::invert::Formulations;
using nlohmann::ordered_json;

ordered_json formulations_json(const model::Model& m, const Formulations& f) {
  ordered_json json{
      {"model", m.name}, {"begin", f.times.front()},   {"end", f.times.back()},
      {"step", f.step},  {"largest_input", f.largest}, {"formulations", ordered_json::array()}};
  for (const Formulation& one : f.all) {
    ordered_json row{{"formulation", one.name}};
    if (!one.obstacle.empty()) {
      row["obstacle"] = one.obstacle;
    } else {
      row["unknowns"] = one.unknowns;
      row["iterations"] = one.iterations;
      row["time"] = one.seconds;
      row["error"] = one.error;
    }
    json["formulations"].push_back(std::move(row));
  }
  return json;
}

void print_formulations(const model::Model& m, const Formulations& f) {
  fmt::print(
      "{}: stable inversion in six formulations, {:.4g} s to {:.4g} s, Simpson's rule with {:.4g} "
      "s; inputs up to {:.6g}\n",
      m.name, f.times.front(), f.times.back(), f.step, f.largest);
  double fastest = 0;
  for (const Formulation& one : f.all)
    if (one.obstacle.empty() && (fastest == 0 || one.seconds < fastest)) fastest = one.seconds;
  fmt::print("  {:11} {:>8} {:>10} {:>10} {:>9} {:>6}\n", "", "unknowns", "iterations",
             "error of u", "time [ms]", "ratio");
  for (const Formulation& one : f.all)
    if (one.obstacle.empty())
      fmt::print("  {:11} {:>8} {:>10} {:>10.1e} {:>9.3g} {:>6.1f}\n", one.name, one.unknowns,
                 one.iterations, one.error, 1e3 * one.seconds, one.seconds / fastest);
    else
      fmt::print("  {:11} {}\n", one.name, one.obstacle);
  fmt::print(
      "  bvp: conditions at the ends from the modes; opt: the motion nearest to rest, by Ipopt; "
      "idopt: the same by its necessary conditions\n"
      "  ode: internal dynamics alone; dae: the inverse model, servo-constraints on the level of "
      "accelerations\n");
}

}  // namespace

int report_formulations(const daedal::invert::InverseModel& inverse, const Request& request,
                        const Arguments& a) {
  daedal::invert::FormulationsOptions options;
  options.step = request.step;
  options.before = request.before;
  options.after = request.after;
  options.compile.backend = read_backend(a);
  ProgressLine line;
  if (!a.quiet) options.progress = line.sink();
  const Formulations found = compare_formulations(inverse, options);
  if (a.json)
    print_json(a, formulations_json(*inverse.dae->model, found));
  else
    print_formulations(*inverse.dae->model, found);
  return 0;
}

}  // namespace daedal::cli
