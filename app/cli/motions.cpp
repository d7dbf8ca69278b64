// daedal analyse away from rest: --at start, --along, --normal-form, --zero-dynamics, --lyapunov, --linear-motion.
#include "daedal/analyse/normal_form.hpp"
#include "daedal/analyse/operating_point.hpp"
#include "daedal/analyse/poles_zeros.hpp"
#include "daedal/analyse/stability_region.hpp"
#include "daedal/emit/csv.hpp"
#include "daedal/solve/prepare.hpp"
#include "json_answer.hpp"
#include "progress_line.hpp"
#include "question_page.hpp"
#include "questions.hpp"
#include "ranges.hpp"
#include "request.hpp"
#include "response.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <stdexcept>

namespace daedal::cli {

namespace {

using daedal::analyse::OperatingPoint;
using nlohmann::ordered_json;

std::map<std::string, double> disturbance(const Question& q) {
  std::map<std::string, double> result;
  for (const auto& [name, value] : read_values("--disturb", q.arguments.questions.disturb))
    result[name] = value;
  return result;
}

ordered_json to_json(const OperatingPoint& p) {
  ordered_json json{{"t", p.t}};
  for (const auto& [name, value] : p.values) json["values"][name] = value;
  json["poles"] = cli::to_json(p.poles);
  json["linear"] = cli::to_json(p.linear);
  return json;
}

std::string values_text(const OperatingPoint& p) {
  std::string text;
  for (std::size_t k = 0; k < std::min<std::size_t>(p.values.size(), 6); ++k)
    text += fmt::format("{}{} = {:.8g}", k == 0 ? "" : ", ", p.values[k].first, p.values[k].second);
  return p.values.size() > 6 ? text + ", ..." : text;
}

}  // namespace

namespace {

/// Zeros of the frozen linear model, where it has as many outputs as inputs; else why there are none.
daedal::analyse::Portrait frozen_portrait(const OperatingPoint& p) {
  daedal::analyse::Portrait portrait;
  portrait.linear = p.linear;
  const std::size_t inputs = p.linear.inputs.size(), outputs = p.linear.outputs.size();
  if (inputs == 0 || inputs != outputs) {
    portrait.no_zeros_because =
        fmt::format("{} output{} for {} input{}", outputs, outputs == 1 ? "" : "s", inputs,
                    inputs == 1 ? "" : "s");
    return portrait;
  }
  daedal::analyse::Spectrum zeros = daedal::analyse::invariant_zeros(p.linear);
  if (!zeros.regular()) {
    portrait.no_zeros_because = "outputs and inputs do not determine each other";
    return portrait;
  }
  portrait.input_output.emplace().zeros = std::move(zeros);
  return portrait;
}

void print_frozen_zeros(const daedal::analyse::Portrait& portrait) {
  if (!portrait.input_output) {
    fmt::print("  no zeros: {}\n", portrait.no_zeros_because);
    return;
  }
  fmt::print("  frozen zeros of {} against {}{}\n", fmt::join(portrait.linear.outputs, ", "),
             fmt::join(portrait.linear.inputs, ", "),
             portrait.input_output->zeros.finite() == 0 ? ": none" : "");
  print_spectrum(portrait.input_output->zeros);
}

}  // namespace

int answer_at_start(const Question& q) {
  const Arguments& a = q.arguments;
  const OperatingPoint p = daedal::analyse::linearise_at_start(q.loaded.dae, a.outputs);
  const daedal::analyse::Portrait portrait = frozen_portrait(p);
  if (!a.questions.mat.empty()) write_mat(p.linear, a.questions.mat);
  ordered_json json;
  if (a.json) {
    json = to_json(p);
    if (portrait.input_output) json["zeros"] = cli::to_json(portrait.input_output->zeros);
  } else {
    fmt::print("{}: linearised at the start values, in motion\n  values   {}\n  frozen poles\n",
               q.loaded.model->name, values_text(p));
    print_spectrum(p.poles);
    print_frozen_zeros(portrait);
  }
  if (a.questions.directions) {
    ordered_json directions = answer_directions(portrait, *q.loaded.dae, a);
    if (a.json) json["zero_directions"] = std::move(directions);
  }
  if (!a.response.empty()) {
    ordered_json response = answer_response(p.linear, p.poles, a);
    if (a.json) json["response"] = std::move(response);
  }
  if (a.json) print_json(a, json);
  if (!a.report.empty()) write_at_start_page(q, p);
  return 0;
}

int answer_along(const Question& q) {
  daedal::analyse::AlongOptions options;
  const std::string& text = q.arguments.questions.along;
  char rest = 0;
  const int read = std::sscanf(text.c_str(), "%lf:%lf:%d%c", &options.first, &options.last,
                               &options.count, &rest);
  if ((read != 2 && read != 3) || !(options.first >= 0) || !(options.last > options.first) ||
      options.count < 2 || options.count > 100'000)
    fault({}, fmt::format("--along {}: not a range of times", text),
          "write FIRST:LAST or FIRST:LAST:COUNT in s, 0 <= FIRST < LAST, as in 0:10:11");
  options.outputs = q.arguments.outputs;
  ProgressLine line;
  options.progress = line.sink();
  const std::vector<OperatingPoint> points =
      daedal::analyse::linearise_along(q.loaded.dae, options);
  if (q.arguments.json) {
    ordered_json json{{"model", q.loaded.model->name}, {"points", ordered_json::array()}};
    for (const OperatingPoint& p : points) json["points"].push_back(to_json(p));
    print_json(q.arguments, json);
  } else {
    fmt::print("{}: linearised along its motion\n  {:>10}  {:<34} {}\n", q.loaded.model->name,
               "t [s]", "rightmost frozen pole [1/s]", "values");
    for (const OperatingPoint& p : points)
      fmt::print("  {:>10.6g}  {:<34} {}\n", p.t,
                 p.poles.clusters.empty() ? "none"
                                          : daedal::analyse::text_of(p.poles.clusters[0], true, 8),
                 values_text(p));
  }
  std::vector<Column> columns{{"t", "s"}};
  for (const auto& [name, value] : points[0].values) columns.push_back({name, ""});
  columns.push_back({"rightmost pole, real", "1/s"});
  columns.push_back({"rightmost pole, imaginary", "1/s"});
  Table table(std::move(columns));
  for (const OperatingPoint& p : points) {
    std::span<double> row = table.append();
    row[0] = p.t;
    for (std::size_t k = 0; k < p.values.size(); ++k) row[k + 1] = p.values[k].second;
    const bool none = p.poles.clusters.empty();
    row[row.size() - 2] = none ? std::nan("") : p.poles.clusters[0].mean.real();
    row[row.size() - 1] = none ? std::nan("") : p.poles.clusters[0].mean.imag();
  }
  write_table(table, q.arguments);
  if (!q.arguments.report.empty()) write_along_page(q, points, table);
  return 0;
}

namespace {

ordered_json to_json(const Question& q, const daedal::analyse::NormalForm& form,
                     const daedal::analyse::NormalFormPoint& p,
                     const std::vector<std::string>& internal) {
  const auto vector = [](const Eigen::VectorXd& v) {
    return std::vector<double>(v.begin(), v.end());
  };
  return {{"model", q.loaded.model->name},
          {"outputs", form.outputs()},
          {"relative_degree", form.relative_degree()},
          {"xi", p.xi},
          {"b", vector(p.b)},
          {"A", cli::to_json(p.a)},
          {"internal", internal},
          {"eta", vector(p.eta)},
          {"q", vector(p.q)},
          {"P", cli::to_json(p.p)},
          {"holding_input", vector(p.holding_input)},
          {"eta_rate", vector(p.eta_rate)}};
}

void print_normal_form(const daedal::analyse::NormalForm& form,
                       const daedal::analyse::NormalFormPoint& p,
                       const std::vector<std::string>& internal) {
  const auto row = [](const Eigen::MatrixXd& m, Eigen::Index i) {
    std::string text;
    for (Eigen::Index j = 0; j < m.cols(); ++j)
      text += fmt::format("{}{:.8g}", j == 0 ? "" : ", ", m(i, j));
    return text;
  };
  for (std::size_t i = 0; i < form.outputs().size(); ++i) {
    fmt::print("  {}: relative degree {}\n", form.outputs()[i], form.relative_degree()[i]);
    for (std::size_t k = 0; k < p.xi[i].size(); ++k)
      fmt::print("    derivative {:<3} {:.10g}\n", k, p.xi[i][k]);
    fmt::print("    derivative {:<3} {:.10g} + ({}) u\n", form.relative_degree()[i],
               p.b[static_cast<Eigen::Index>(i)], row(p.a, static_cast<Eigen::Index>(i)));
  }
  for (std::size_t i = 0; i < internal.size(); ++i) {
    const auto r = static_cast<Eigen::Index>(i);
    fmt::print("  {} = {:.10g}, rate {:.10g} + ({}) u", internal[i], p.eta[r], p.q[r], row(p.p, r));
    if (p.eta_rate.size() > 0) fmt::print("; with the outputs held {:.10g}", p.eta_rate[r]);
    fmt::print("\n");
  }
}

}  // namespace

int answer_normal_form(const Question& q) {
  std::vector<std::string> internal = q.arguments.questions.internal;
  if (internal == std::vector<std::string>{"none"}) internal.clear();
  if (q.loaded.model->inputs.empty() || q.loaded.model->outputs.empty())
    fault({}, "--normal-form: the model has no input, or no output",
          "declare them:  input u, output y = ...");
  const daedal::analyse::NormalForm form(*q.loaded.dae, q.arguments.outputs, internal);
  const daedal::analyse::NormalFormPoint p = form.at(disturbance(q));
  if (q.arguments.json) {
    print_json(q.arguments, to_json(q, form, p, internal));
  } else {
    fmt::print("{}: normal form at the start values\n", q.loaded.model->name);
    print_normal_form(form, p, internal);
  }
  if (!q.arguments.report.empty()) write_normal_form_page(q, form, p, internal);
  return 0;
}

int answer_zero_dynamics(const Question& q) {
  const daedal::analyse::Equilibrium rest = rest_of(q);
  const auto zero = std::make_shared<const derive::Dae>(
      daedal::analyse::zero_dynamics(*q.loaded.dae, q.arguments.outputs, rest, disturbance(q)));
  const solve::Prepared prepared = solve::prepare(zero, {});
  solve::SimulateOptions options;
  options.until = *q.arguments.questions.zero_dynamics;
  ProgressLine line;
  options.progress = line.sink();
  if (const auto faults = solve::check(options); !faults.empty()) throw ModelError(faults);
  const solve::Trajectory run = solve::simulate(prepared.problem, prepared.start, options);
  const std::size_t last = run.table.rows() - 1;
  if (q.arguments.json) {
    ordered_json json{{"model", q.loaded.model->name},
                      {"completed", run.status == solve::Status::completed},
                      {"reason", run.reason}};
    for (std::size_t c = 0; c < run.table.width(); ++c)
      json["end"][run.table.columns()[c].name] = run.table.at(last, c);
    print_json(q.arguments, json);
  } else {
    fmt::print("{}: zero dynamics, outputs held at their values at rest\n", q.loaded.model->name);
    fmt::print("  {:<24} {:>16} {:>16} {:>16}\n", "", "at rest", "start", "end");
    for (const expr::SymbolId s : zero->unknowns) {
      const model::Symbol& symbol = zero->model->symbols[s];
      const auto c = run.table.find(symbol.name);
      if (!c || symbol.kind == model::SymbolKind::multiplier) continue;
      fmt::print("  {:<24} {:>16.8g} {:>16.8g} {:>16.8g}\n", symbol.name, rest.values[s],
                 run.table.at(0, *c), run.table.at(last, *c));
    }
    if (!run.reason.empty()) fmt::print("  {}\n", run.reason);
  }
  write_table(run.table, q.arguments);
  if (!q.arguments.report.empty()) write_zero_dynamics_page(q, *zero, run);
  return run.status == solve::Status::completed ? 0 : 1;
}

int answer_lyapunov(const Question& q) {
  const Questions& asked = q.arguments.questions;
  daedal::analyse::RegionOptions options;
  options.kind = asked.lyapunov == "energy" ? daedal::analyse::LyapunovKind::energy
                                            : daedal::analyse::LyapunovKind::quadratic;
  options.epsilon = asked.epsilon;
  options.radius = asked.radius;
  if (!(options.radius > 0)) fault({}, "--radius: must be above 0", "");
  const daedal::analyse::Equilibrium rest = rest_of(q);
  daedal::analyse::StabilityRegion r;
  try {
    r = daedal::analyse::stability_region(q.loaded.dae, rest, options);
  } catch (const std::invalid_argument& error) {
    const std::string why =
        fmt::format("{}: no Lyapunov function: {}", q.loaded.model->name, error.what());
    std::fprintf(stderr, "%s\n", why.c_str());
    if (q.arguments.json)
      print_json(q.arguments, failure_json(1, {{Severity::error, {}, why, {}, {}}}));
    return 1;
  }
  if (q.arguments.json) {
    ordered_json json{{"model", q.loaded.model->name},
                      {"function", asked.lyapunov},
                      {"samples", r.samples},
                      {"decreases", r.decreases},
                      {"level", r.level},
                      {"worst_rate", r.worst_rate},
                      {"worst", r.worst}};
    if (options.kind == daedal::analyse::LyapunovKind::energy) {
      json["epsilon"] = r.epsilon;
      json["epsilon_bound"] = r.epsilon_bound;
    }
    print_json(q.arguments, json);
  } else {
    fmt::print("{}: {} Lyapunov function near rest\n", q.loaded.model->name, asked.lyapunov);
    if (options.kind == daedal::analyse::LyapunovKind::energy)
      fmt::print("  epsilon    {:.6g} 1/s; its quadratic part decreases below {:.6g} 1/s\n",
                 r.epsilon, r.epsilon_bound);
    fmt::print("  samples    {}, out to {:g} of the positions' nominal values\n", r.samples,
               options.radius);
    if (r.decreases)
      fmt::print("  decreases  at all of them, up to V = {:.6g}\n", r.level);
    else
      fmt::print("  decreases  up to V = {:.6g}, not at all samples beyond\n", r.level);
    std::string worst;
    for (const auto& [name, value] : r.worst)
      worst += fmt::format("{}{} = {:.6g}", worst.empty() ? "" : ", ", name, value);
    fmt::print("  worst      V'/V = {:.6g} 1/s at {}\n", r.worst_rate, worst);
  }
  write_table(r.table, q.arguments);
  if (!q.arguments.report.empty()) write_lyapunov_page(q, r);
  return 0;
}

int answer_linear_motion(const Question& q) {
  const double until = *q.arguments.questions.linear_motion;
  if (!(until > 0) || !std::isfinite(until)) fault({}, "--linear-motion: an end time above 0", "");
  const daedal::analyse::MotionComparison c =
      daedal::analyse::compare_motions(q.loaded.dae, rest_of(q), disturbance(q), until);
  if (q.arguments.json) {
    ordered_json json{{"model", q.loaded.model->name}, {"coordinates", ordered_json::array()}};
    for (const auto& one : c.coordinates)
      json["coordinates"].push_back({{"name", one.name},
                                     {"largest", one.largest},
                                     {"difference", one.difference},
                                     {"at", one.at}});
    print_json(q.arguments, json);
  } else {
    fmt::print("{}: motion and linearised motion until {:g} s\n  {:<20} {:>14} {:>14} {:>10}\n",
               q.loaded.model->name, until, "", "departure", "difference", "at t [s]");
    for (const auto& one : c.coordinates)
      fmt::print("  {:<20} {:>14.6g} {:>14.6g} {:>10.4g}\n", one.name, one.largest, one.difference,
                 one.at);
  }
  write_table(c.table, q.arguments);
  if (!q.arguments.report.empty()) write_linear_motion_page(q, c);
  return 0;
}

}  // namespace daedal::cli
