#include "loop_design.hpp"

#include "daedal/analyse/frequency_response.hpp"
#include "daedal/analyse/nyquist.hpp"
#include "daedal/analyse/poles_zeros.hpp"
#include "daedal/control/sampled.hpp"
#include "daedal/run/columns.hpp"
#include "response.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <span>
#include <utility>

namespace daedal {
inline namespace task {

namespace {

using Complex = std::complex<double>;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// ---- what limits the bandwidth

/// Right of the axis, each pair once.
std::vector<Complex> unstable(const analysis::Spectrum& spectrum) {
  std::vector<Complex> found;
  for (const analysis::Cluster& c : spectrum.clusters)
    if (c.mean.real() > analysis::doubt_of(c) && c.mean.imag() >= 0) found.push_back(c.mean);
  return found;
}

std::string value_text(Complex z) {
  return z.imag() == 0 ? fmt::format("{:.4g}", z.real())
                       : fmt::format("{:.4g} +- {:.4g}i", z.real(), z.imag());
}

void limit_by_zeros(std::vector<BandwidthLimit>& limits, const analysis::LinearModel& linear,
                    const std::vector<std::size_t>& outputs, const std::vector<std::size_t>& inputs,
                    const std::string& of) {
  const analysis::Spectrum zeros = analysis::invariant_zeros(linear, outputs, inputs);
  if (!zeros.regular()) return;
  for (const Complex z : unstable(zeros))
    limits.push_back({"unstable zero", std::abs(z) / 2, false,
                      fmt::format("below {:.4g} rad/s for what {} shall do: unstable zero {} 1/s",
                                  std::abs(z) / 2, of, value_text(z))});
}

// ---- curves

/// [rad/s]; of a sampled loop up to half its sampling frequency.
std::vector<double> grid_of(const std::vector<Complex>& rates, double period) {
  constexpr double beyond = 30, nearly = 0.999, rounding = 1e-9;
  constexpr int count = 300;
  double fastest = 0;
  for (const Complex rate : rates)
    if (std::isfinite(rate.real())) fastest = std::max(fastest, std::abs(rate));
  if (fastest == 0) fastest = 1;
  double slowest = fastest;
  for (const Complex rate : rates)
    if (std::abs(rate) > rounding * fastest) slowest = std::min(slowest, std::abs(rate));
  double last = beyond * fastest;
  if (period > 0) last = std::min(last, nearly * std::numbers::pi / period);
  std::vector<double> grid =
      analysis::logarithmic_grid(std::min(slowest, last) / beyond, last, count);
  for (const Complex rate : rates)  // resonances, however narrow
    for (const double flank : {-3.0, -1.0, -0.3, 0.0, 0.3, 1.0, 3.0}) {
      const double w = std::abs(rate.imag()) + flank * std::abs(rate.real());
      if (w > grid.front() && w < last) grid.push_back(w);
    }
  std::sort(grid.begin(), grid.end());
  grid.erase(std::unique(grid.begin(), grid.end()), grid.end());
  return grid;
}

/// Where the image of a sampled loop has the value of its frequency.
std::vector<double> image_of(std::vector<double> frequencies, double period) {
  if (period > 0)
    for (double& w : frequencies) w = 2 / period * std::tan(w * period / 2);
  return frequencies;
}

}  // namespace

std::vector<BandwidthLimit> bandwidth_limits(const analysis::LinearModel& linear,
                                             const feedback::Regulator& regulator, double period,
                                             double delay) {
  std::vector<BandwidthLimit> limits;
  for (const Complex p : unstable(regulator.open))
    limits.push_back(
        {"unstable pole", 2 * p.real(), true,
         fmt::format("above {:.4g} rad/s: unstable pole {} 1/s", 2 * p.real(), value_text(p))});
  std::vector<std::size_t> inputs, outputs(linear.outputs.size());
  for (const std::string& name : regulator.inputs)
    inputs.push_back(static_cast<std::size_t>(
        std::find(linear.inputs.begin(), linear.inputs.end(), name) - linear.inputs.begin()));
  for (std::size_t k = 0; k < outputs.size(); ++k) outputs[k] = k;
  if (inputs.size() == 1)
    for (const std::size_t y : outputs)
      limit_by_zeros(limits, linear, {y}, inputs, "'" + linear.outputs[y] + "'");
  else if (inputs.size() == outputs.size())
    limit_by_zeros(limits, linear, outputs, inputs, "the outputs");
  const double late = delay + period / 2;
  if (period > 0)
    limits.push_back(
        {"clock", 1 / late, false,
         fmt::format("below {:.4g} rad/s: the clock holds commands, a delay of {:.4g} s{}",
                     1 / late, late, delay > 0 ? " with that until they act" : "")});
  return limits;
}

Table step_response(const model::Model& model, const feedback::Regulator& regulator,
                    const std::vector<expr::Leaf>& states, double period) {
  constexpr double time_constants = 6, most_samples = 2000;
  constexpr int points = 300;
  double slowest = 0;
  for (const Complex z : regulator.closed) {
    const double decay = -(period > 0 ? std::log(z) / period : z).real();
    slowest = slowest == 0 ? decay : std::min(slowest, decay);
  }
  std::vector<Column> columns{solve::column_of(model, {expr::time_symbol, 0})};
  std::vector<Index> rows;
  for (const std::string& input : regulator.inputs)
    for (std::size_t k = 0; k < states.size(); ++k) {
      if (states[k].order > 0) continue;
      columns.push_back(solve::column_of(model, states[k]));
      if (regulator.inputs.size() > 1) columns.back().name += " after a step at " + input;
      if (columns.size() > rows.size() + 1) rows.push_back(static_cast<Index>(k));
    }
  Table table(std::move(columns));
  const double until = time_constants / slowest;
  const double step = period > 0 ? period : until / points;
  const auto count = static_cast<int>(std::min(most_samples, std::ceil(until / step)));
  const Index n = regulator.f.rows(), m = regulator.g.cols();
  MatrixXd whole = MatrixXd::Zero(n + m, n + m);  // z' = f z + g v, v' = 0
  whole.topLeftCorner(n, n) = regulator.f;
  whole.topRightCorner(n, m) = regulator.g;
  if (period == 0) whole.topLeftCorner(n, n) -= regulator.g * regulator.reduced_gain;
  const MatrixXd over = feedback::exponential(step * whole);
  const MatrixXd pushed = over.topRightCorner(n, m);
  MatrixXd a = over.topLeftCorner(n, n);
  if (period > 0) a -= pushed * regulator.reduced_gain;
  MatrixXd push = pushed;
  if (regulator.sampled) {  // commands on their way are states behind z
    a = regulator.sampled->closed();
    push = regulator.sampled->route;
  }
  MatrixXd z = MatrixXd::Zero(a.rows(), m);
  const std::size_t each = rows.size() / static_cast<std::size_t>(m);
  for (int k = 0; k <= count; ++k, z = (a * z + push).eval()) {
    const MatrixXd x = regulator.basis * z.topRows(n);
    const std::span<double> row = table.append();
    row[0] = k * step;
    for (std::size_t j = 0; j < rows.size(); ++j)
      row[1 + j] = x(rows[j], static_cast<Index>(j / each));
  }
  return table;
}

void add_loops(emit::Report& page, const std::vector<std::string>& inputs,
               const std::vector<analysis::LinearModel>& loops,
               const std::vector<std::complex<double>>& rates, double period) {
  if (loops.empty()) return;
  emit::Chart gain{"Gain of the loop", "frequency [rad/s]", "gain", "", true, true, false, {}};
  emit::Chart phase{
      "Phase of the loop", "frequency [rad/s]", "phase [deg]", "", true, false, false, {}};
  const std::vector<double> frequencies = grid_of(rates, period),
                            image = image_of(frequencies, period);
  std::vector<emit::Chart> curves;
  for (std::size_t k = 0; k < loops.size(); ++k) {
    const analysis::LinearModel& loop = loops[k];
    const std::string name = "loop at " + inputs[k];
    emit::ChartSeries size{name, frequencies, {}, {}, "none", true};
    emit::ChartSeries turn{name, frequencies, {}, {}, "none", true};
    double last = 0;
    for (const Eigen::MatrixXcd& value : analysis::frequency_response(loop, image).value) {
      size.y.push_back(std::abs(value(0, 0)));
      const double degrees = std::arg(value(0, 0)) * 180 / std::numbers::pi;
      last =
          turn.y.empty() || std::isnan(last) ? degrees : last + std::remainder(degrees - last, 360);
      turn.y.push_back(last);
    }
    gain.series.push_back(std::move(size));
    phase.series.push_back(std::move(turn));
    curves.push_back(nyquist_chart(name,
                                   analysis::nyquist_curve(loop, image.front(), image.back(), 0, 0),
                                   analysis::nyquist(loop, analysis::poles(loop), 0, 0)));
  }
  phase.below = true;
  page.charts.push_back(std::move(gain));
  page.charts.push_back(std::move(phase));
  for (emit::Chart& curve : curves) page.charts.push_back(std::move(curve));
}

}  // namespace task
}  // namespace daedal
