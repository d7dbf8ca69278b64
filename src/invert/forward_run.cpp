#include "forward_run.hpp"

#include "daedal/analyse/classify.hpp"
#include "daedal/analyse/linearise.hpp"
#include "daedal/analyse/poles_zeros.hpp"
#include "daedal/base/diagnostic.hpp"
#include "daedal/run/simulate.hpp"
#include "daedal/start/prepare.hpp"
#include "interpolate.hpp"
#include "parameter_value.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace daedal::inversion {

namespace {

constexpr double growth_of_a_segment = 1e3;
constexpr std::size_t most_variables =
    300;                            // of a plant whose poles are computed: QZ takes a second there
constexpr int poles_asked_for = 5;  // times, evenly over the motion
/// An explicit method of order 8 is stable up to about |pole| step = 5 and would have to cut the time between rows.
constexpr double stiff = 10;

std::string error_column(const model::Relation& servo) { return "error of " + servo.name; }

/// The forward model with the inputs of the rows, and the servo-constraints as outputs.
model::Model driven_model(const model::Model& given, const Sampled& rows) {
  model::Model m = given;
  const auto graph = std::make_shared<expr::Graph>(given.graph);
  const expr::Expr time = graph->leaf({expr::time_symbol, 0});
  for (model::InputDefault& input : m.inputs) {
    const auto column = rows.table().find(m.symbols[input.input].name, 0);
    if (!column)
      throw ModelError({Severity::error,
                        m.place,
                        fmt::format("model '{}': its input '{}' is not an input of the inversion",
                                    m.name, m.symbols[input.input].name),
                        {},
                        "another plant needs the same inputs"});
    input.value = graph->spline(graph->add_spline(interpolated(rows, *column)), time);
  }
  m.graph = graph;
  for (const model::Relation& servo : m.servos)
    m.outputs.push_back({error_column(servo), servo.residual, "", "", servo.place});
  m.limits.clear();  // the rows themselves are held against them
  return m;
}

/// Any leaf at a row: from its column, from that of its derivative, or from the rows around.
structure::Point point_at(const model::Model& m, const Sampled& rows, std::size_t row) {
  return [&m, &rows, row](expr::Leaf leaf) {
    const double t = rows.times()[row];
    if (leaf.symbol == expr::time_symbol) return leaf.order == 0 ? t : 1.0;
    const Table& table = rows.table();
    if (leaf.symbol >= m.symbols.size()) return 0.0;  // the work done so far
    const model::Symbol& symbol = m.symbols[leaf.symbol];
    const auto shown = [&](std::size_t c, double value) {
      return table.columns()[c].turned(value);
    };
    if (const auto column = table.find(symbol.name, leaf.order))
      return shown(*column, table.at(row, *column));
    const auto column = table.find(symbol.name, 0);
    if (!column) return parameter_value(m, leaf);
    const std::size_t next = std::min(row + 1, rows.times().size() - 1);
    const double inside = 0.5 * (rows.times()[next - 1] + rows.times()[next]);
    const Sampled::Stencil stencil = rows.stencil(inside, t, leaf.order);
    return stencil ? shown(*column, rows.value(*column, stencil, leaf.order)) : 0.0;
  };
}

struct Rates {
  double growth = 0, fastest = 0;  // [1/s]: the largest real part of a pole, the largest modulus
};

Rates rates_on_the_way(const derive::Dae& plant, const Sampled& rows) {
  Rates rates;
  const std::size_t last = rows.times().size() - 1;
  for (int k = 0; k < poles_asked_for; ++k) {
    stop_point();
    const analysis::LinearModel linear = analysis::linearise(
        plant,
        point_at(*plant.model, rows, last * static_cast<std::size_t>(k) / (poles_asked_for - 1)));
    if (linear.variables.size() > most_variables) return rates;
    const analysis::Spectrum poles = analysis::poles(linear);
    if (analysis::margin(poles).side == analysis::Side::right)
      rates.growth = std::max(rates.growth, analysis::margin(poles).distance);
    for (const analysis::Eigenvalue& pole : poles.values)
      rates.fastest = std::max(rates.fastest, std::abs(pole.value));
  }
  return rates;
}

void take_errors(const Table& table, const model::Model& m, std::vector<TrackingError>& errors) {
  for (std::size_t k = 0; k < errors.size(); ++k) {
    const std::size_t column = *table.find(error_column(m.servos[k]));
    for (std::size_t r = 0; r < table.rows(); ++r)
      if (const double error = std::abs(table.at(r, column)); !(error <= errors[k].largest)) {
        errors[k].largest = error;
        errors[k].at = table.at(r, 0);
      }
  }
}

/// From row `first` to row `last`, started from the former.
solve::Trajectory run_segment(const formulate::Problem& problem, const Sampled& rows,
                              std::size_t first, std::size_t last,
                              solve::SimulateOptions& options) {
  const structure::Point point = point_at(*problem.dae->model, rows, first);
  solve::ConsistentOptions start;
  start.t = rows.times()[first];
  for (std::uint32_t i = 0; i < problem.states; ++i)
    start.states.push_back(point(problem.layout.leaf(problem.state_position(i))));
  options.until = rows.times()[last];
  return solve::simulate(problem, solve::consistent_point(problem, start), options);
}

}  // namespace

ForwardRun run_forward(const derive::Dae& dae, const Sampled& rows, const VerifyOptions& options) {
  ForwardRun run;
  const auto model = std::make_shared<const model::Model>(driven_model(*dae.model, rows));
  const auto plant = std::make_shared<const derive::Dae>(derive::derive(model));
  const std::span<const double> times = rows.times();
  const double duration = times.back() - times.front(), every = times[1] - times[0];
  const Rates rates = rates_on_the_way(*plant, rows);
  run.growth_rate = rates.growth;
  run.growth = std::exp(rates.growth * duration);
  const double needed = std::ceil(rates.growth * duration / std::log(growth_of_a_segment) - 1e-6);
  run.segments =
      static_cast<std::size_t>(std::clamp(needed, 1.0, static_cast<double>(times.size() - 1)));

  solve::SimulateOptions simulate;
  simulate.global_error = false;  // the tracking error is the measure
  simulate.watch = options.watch;
  simulate.every = every;
  simulate.compile = options.compile;
  simulate.method = solve::make_method(rates.fastest * every > stiff ? "radau5" : "dop853",
                                       {{"tolerance", options.tolerance}});
  run.method = solve::name(simulate.method);
  const solve::Prepared prepared = solve::prepare(plant, {});
  for (const model::Relation& servo : model->servos) run.errors.push_back({servo.name, 0, 0});
  const std::size_t intervals = times.size() - 1;
  for (std::size_t k = 0; k < run.segments; ++k) {
    const solve::Trajectory part = run_segment(prepared.problem, rows, intervals * k / run.segments,
                                               intervals * (k + 1) / run.segments, simulate);
    stop_point();
    take_errors(part.table, *model, run.errors);
    if (part.status == solve::Status::completed) continue;
    run.status = part.status;
    run.reason = part.reason;
    break;
  }
  return run;
}

ForwardRun run_other_plant(const derive::Dae& dae, const Sampled& rows,
                           const VerifyOptions& options) {
  ForwardRun run;
  const auto model = std::make_shared<const model::Model>(driven_model(*dae.model, rows));
  const solve::Prepared prepared =
      solve::prepare(std::make_shared<const derive::Dae>(derive::derive(model)), {});
  solve::SimulateOptions simulate;
  simulate.global_error = false;
  simulate.watch = options.watch;
  simulate.every = rows.times()[1] - rows.times()[0];
  simulate.until = rows.times().back();
  simulate.compile = options.compile;
  simulate.method = solve::make_method("radau5", {{"tolerance", options.tolerance}});
  run.method = solve::name(simulate.method);
  for (const model::Relation& servo : model->servos) run.errors.push_back({servo.name, 0, 0});
  solve::ConsistentOptions start;
  start.t = rows.times().front();
  const solve::Trajectory whole =
      solve::simulate(prepared.problem, solve::consistent_point(prepared.problem, start), simulate);
  stop_point();
  take_errors(whole.table, *model, run.errors);
  run.status = whole.status;
  run.reason = whole.reason;
  return run;
}

const TrackingError* ForwardRun::largest() const {
  const auto worst = std::max_element(
      errors.begin(), errors.end(),
      [](const TrackingError& a, const TrackingError& b) { return !(a.largest >= b.largest); });
  return worst == errors.end() ? nullptr : &*worst;
}

}  // namespace daedal::inversion
