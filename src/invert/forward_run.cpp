#include "forward_run.hpp"

#include "daedal/analyse/classify.hpp"
#include "daedal/analyse/linearise.hpp"
#include "daedal/analyse/poles_zeros.hpp"
#include "daedal/base/diagnostic.hpp"
#include "daedal/solve/prepare.hpp"
#include "daedal/solve/simulate.hpp"
#include "parameter_value.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace daedal::invert {

namespace {

constexpr double growth_of_a_segment = 1e3;
constexpr std::size_t most_variables =
    300;                            // of a plant whose poles are asked for: QZ takes a second there
constexpr int poles_asked_for = 5;  // times, evenly over the motion
/// An explicit method of order 8 is stable up to about |pole| step = 5 and would have to cut the time between rows.
constexpr double stiff = 10;

std::string error_column(const model::Relation& servo) { return "error of " + servo.name; }

/// Value and three derivatives at both ends of a piece of length h, as a polynomial of degree 7 in the time since its
/// beginning. In s = time/h it is a(s) + s^4 q(s), where a knows the beginning and q the end.
std::array<double, 8> hermite(const std::array<double, 4>& begin, const std::array<double, 4>& end,
                              double h) {
  constexpr double binomial[4][4] = {{1, 1, 1, 1}, {0, 1, 2, 3}, {0, 0, 1, 3}, {0, 0, 0, 1}};
  constexpr double inverse_fourth_power[4] = {1, -4, 10, -20};  // of 1 + e
  std::array<double, 8> c{};
  std::array<double, 4> rest{}, q{};  // in powers of e = s - 1
  double scale = 1;
  for (std::size_t k = 0; k < 4; ++k) {
    if (k > 0) scale *= h / static_cast<double>(k);
    c[k] = scale * begin[k];
    rest[k] = scale * end[k];
  }
  for (std::size_t k = 0; k < 4; ++k)
    for (std::size_t n = k; n < 4; ++n) rest[k] -= binomial[k][n] * c[n];
  for (std::size_t k = 0; k < 4; ++k)
    for (std::size_t j = 0; j <= k; ++j) q[k] += inverse_fourth_power[k - j] * rest[j];
  for (std::size_t j = 0; j < 4; ++j)
    for (std::size_t k = j; k < 4; ++k)
      c[4 + j] += ((k - j) % 2 == 0 ? 1 : -1) * binomial[j][k] * q[k];
  double power = 1;
  for (double& coefficient : c) {
    coefficient /= power;
    power *= h;
  }
  return c;
}

/// A column with three continuous derivatives between joints: position-controlled drives ask for two.
expr::PiecewisePolynomial polynomial(const Sampled& rows, std::size_t column) {
  expr::PiecewisePolynomial result;
  result.degree = 7;
  result.smoothness = 3;
  result.breaks = rows.pieces();
  for (std::size_t k = 0; k + 1 < result.breaks.size(); ++k) {
    const double begin = result.breaks[k], end = result.breaks[k + 1];
    const auto derivatives = [&](double at) {
      const Sampled::Stencil stencil = rows.stencil(0.5 * (begin + end), at, 3);
      std::array<double, 4> values{};
      for (int n = 0; n < 4 && stencil; ++n)
        values[static_cast<std::size_t>(n)] = rows.value(column, stencil, n);
      return values;
    };
    const std::array<double, 8> piece = hermite(derivatives(begin), derivatives(end), end - begin);
    result.coefficients.insert(result.coefficients.end(), piece.begin(), piece.end());
  }
  return result;
}

/// The forward model with the inputs of the rows, and the servo-constraints as outputs.
model::Model driven_model(const model::Model& given, const Sampled& rows) {
  model::Model m = given;
  const auto graph = std::make_shared<expr::Graph>(given.graph);
  const expr::Expr time = graph->leaf({expr::time_symbol, 0});
  for (model::InputDefault& input : m.inputs) {
    const auto column = rows.table().find(m.symbols[input.input].name);
    if (!column)
      throw ModelError({Severity::error,
                        m.place,
                        fmt::format("model '{}': its input '{}' is none of the inversion", m.name,
                                    m.symbols[input.input].name),
                        {},
                        "another plant needs the same inputs"});
    input.value = graph->spline(graph->add_spline(polynomial(rows, *column)), time);
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
    if (const auto column = table.find(name_of(symbol, leaf.order))) return table.at(row, *column);
    const auto column = table.find(symbol.name);
    if (!column) return parameter_value(m, leaf);
    const std::size_t next = std::min(row + 1, rows.times().size() - 1);
    const double inside = 0.5 * (rows.times()[next - 1] + rows.times()[next]);
    const Sampled::Stencil stencil = rows.stencil(inside, t, leaf.order);
    return stencil ? rows.value(*column, stencil, leaf.order) : 0.0;
  };
}

struct Rates {
  double growth = 0, fastest = 0;  // [1/s]: the largest real part of a pole, the largest modulus
};

Rates rates_on_the_way(const derive::Dae& plant, const Sampled& rows) {
  Rates rates;
  const std::size_t last = rows.times().size() - 1;
  for (int k = 0; k < poles_asked_for; ++k) {
    const analyse::LinearModel linear = analyse::linearise(
        plant,
        point_at(*plant.model, rows, last * static_cast<std::size_t>(k) / (poles_asked_for - 1)));
    if (linear.variables.size() > most_variables) return rates;
    const analyse::Spectrum poles = analyse::poles(linear);
    if (analyse::margin(poles).side == analyse::Side::right)
      rates.growth = std::max(rates.growth, analyse::margin(poles).distance);
    for (const analyse::Eigenvalue& pole : poles.values)
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

}  // namespace daedal::invert
