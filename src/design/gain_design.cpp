#include "daedal/design/gain_design.hpp"

#include "daedal/control/pole_placement.hpp"
#include "daedal/control/regulator_along.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace daedal::design {

namespace {

using model::DesignQuestion;
using model::Numbers;

Eigen::MatrixXd matrix_of(const Numbers& numbers) {
  Eigen::MatrixXd m(numbers.rows, numbers.columns);
  for (std::uint32_t i = 0; i < numbers.rows; ++i)
    for (std::uint32_t j = 0; j < numbers.columns; ++j)
      m(i, j) = numbers.values[std::size_t{i} * numbers.columns + j];
  return m;
}

/// A number for all, or one for each, on the diagonal; or the whole matrix.
Eigen::MatrixXd weight_of(const Numbers& numbers, std::size_t size) {
  const auto n = static_cast<Eigen::Index>(size);
  if (numbers.values.size() == 1)
    return Eigen::MatrixXd(Eigen::VectorXd::Constant(n, numbers.values[0]).asDiagonal());
  if (numbers.rows != 1 && numbers.columns != 1) return matrix_of(numbers);
  return Eigen::MatrixXd(
      Eigen::Map<const Eigen::VectorXd>(numbers.values.data(),
                                        static_cast<Eigen::Index>(numbers.values.size()))
          .asDiagonal());
}

const Numbers* given(const DesignQuestion& question, const char* name) {
  const auto it = question.given.find(name);
  return it == question.given.end() ? nullptr : &it->second;
}

/// poles = [-1, -2], pairs = [-1, 2; -3, 4]: real parts, and imaginary parts above 0.
feedback::PlacementOptions placement_options(const DesignQuestion& question) {
  feedback::PlacementOptions options;
  options.inputs = question.inputs;
  options.period = question.period;
  options.delay = question.delay;
  if (const Numbers* real = given(question, "poles"))
    options.poles.assign(real->values.begin(), real->values.end());
  if (const Numbers* pairs = given(question, "pairs"))
    for (std::size_t k = 0; k + 1 < pairs->values.size(); k += 2) {
      options.poles.emplace_back(pairs->values[k], pairs->values[k + 1]);
      options.poles.push_back(std::conj(options.poles.back()));
    }
  return options;
}

/// Slopes of a function on an even grid, order 4.
std::vector<double> slopes(const std::vector<double>& y, double h) {
  const std::size_t n = y.size();
  std::vector<double> d(n);
  for (std::size_t k = 0; k < n; ++k) {
    const std::size_t at = std::min(std::max<std::size_t>(k, 2), n - 3) - 2;  // of five points
    static constexpr double weights[5][5] = {{-25, 48, -36, 16, -3},
                                             {-3, -10, 18, -6, 1},
                                             {1, -8, 0, 8, -1},
                                             {-1, 6, -18, 10, 3},
                                             {3, -16, 36, -48, 25}};
    for (std::size_t j = 0; j < 5; ++j) d[k] += weights[k - at][j] * y[at + j] / (12 * h);
  }
  return d;
}

/// Through points on an even grid, with two continuous derivatives.
expr::PiecewisePolynomial smooth(const std::vector<double>& times, const std::vector<double>& y) {
  const double h = times[1] - times[0];
  const std::vector<double> v = slopes(y, h), a = slopes(v, h);
  expr::PiecewisePolynomial p{times, {}, 5, 2};
  for (std::size_t k = 0; k + 1 < times.size(); ++k) {
    // departures from the parabola at the start, over powers of h
    const double d0 = (y[k + 1] - y[k] - v[k] * h - a[k] * h * h / 2) / (h * h * h),
                 d1 = (v[k + 1] - v[k] - a[k] * h) / (h * h), d2 = (a[k + 1] - a[k]) / h;
    const double more[] = {y[k],
                           v[k],
                           a[k] / 2,
                           10 * d0 - 4 * d1 + d2 / 2,
                           (-15 * d0 + 7 * d1 - d2) / h,
                           (6 * d0 - 3 * d1 + d2 / 2) / (h * h)};
    p.coefficients.insert(p.coefficients.end(), std::begin(more), std::end(more));
  }
  return p;
}

/// Lines between points: a controller with a clock sees the points alone.
expr::PiecewisePolynomial straight(const std::vector<double>& times, const std::vector<double>& y) {
  expr::PiecewisePolynomial p{times, {}, 1, 0};
  for (std::size_t k = 0; k + 1 < times.size(); ++k) {
    p.coefficients.push_back(y[k]);
    p.coefficients.push_back((y[k + 1] - y[k]) / (times[k + 1] - times[k]));
  }
  return p;
}

}  // namespace

feedback::RegulatorOptions regulator_options(const DesignQuestion& question, std::size_t states) {
  feedback::RegulatorOptions options;
  options.inputs = question.inputs;
  options.period = question.period;
  options.delay = question.delay;
  if (const Numbers* q = given(question, "Q")) options.q = weight_of(*q, states);
  if (const Numbers* r = given(question, "R")) options.r = weight_of(*r, question.inputs.size());
  if (const Numbers* n = given(question, "N")) options.n = matrix_of(*n);
  if (const Numbers* of = given(question, "of")) {
    feedback::Integrals integrals;
    integrals.of = matrix_of(*of);
    integrals.names = question.names;
    if (const Numbers* weight = given(question, "integral"))
      integrals.weight = weight_of(*weight, of->rows);
    options.integrals = std::move(integrals);
  }
  return options;
}

model::Feedback gains_along(const derive::Dae& dae,
                            const std::function<analysis::LinearModel(double)>& linear, double end,
                            const DesignQuestion& question, std::size_t states) {
  const feedback::ScheduledGains found = feedback::regulator_along(
      dae, {.linear = linear, .end = end}, regulator_options(question, states));
  model::Feedback result;
  result.gain.rows = static_cast<std::uint32_t>(found.inputs.size());
  result.gain.columns = static_cast<std::uint32_t>(found.states.size());
  for (Eigen::Index i = 0; i < result.gain.rows; ++i)
    for (Eigen::Index j = 0; j < result.gain.columns; ++j) {
      std::vector<double> y;
      for (const Eigen::MatrixXd& gain : found.gains) y.push_back(gain(i, j));
      result.gains.push_back(question.period > 0 ? straight(found.times, y)
                                                 : smooth(found.times, y));
    }
  return result;
}

Gains gains_of(const derive::Dae& dae, const analysis::LinearModel& linear,
               const DesignQuestion& question, std::size_t states) {
  if (question.law == "pole_placement") {
    const feedback::Placed found = feedback::place_poles(dae, linear, placement_options(question));
    return {found.inputs, found.gain, {}, found.past_gains};
  }
  const feedback::Regulator found =
      feedback::regulator(dae, linear, regulator_options(question, states));
  return {found.inputs, found.gain, found.integral_gain, found.past_gains};
}

feedback::Regulator judged(const derive::Dae& dae, const analysis::LinearModel& linear,
                           const DesignQuestion& question, std::size_t states) {
  const feedback::RegulatorOptions options = regulator_options(question, states);
  if (question.law != "pole_placement") return feedback::regulator(dae, linear, options);
  feedback::Placed placed = feedback::place_poles(dae, linear, placement_options(question));
  feedback::Regulator gains;
  gains.gain = std::move(placed.gain);
  gains.past_gains = std::move(placed.past_gains);
  gains.closed = std::move(placed.closed);
  return feedback::judged(dae, linear, options, std::move(gains));
}

}  // namespace daedal::design
