#include "daedal/analyse/nyquist.hpp"

#include "daedal/analyse/classify.hpp"

#include <algorithm>
#include <cmath>

namespace daedal::analysis {

namespace {

using Complex = std::complex<double>;
using Eigen::Index;
using Eigen::MatrixXd;

/// E x' = A x + b u, 0 = c x + (1 + d) u.
Spectrum closed_loop(const LinearModel& l, Index output, Index input) {
  const Index n = l.a.rows();
  MatrixXd e = MatrixXd::Zero(n + 1, n + 1), a = e;
  e.topLeftCorner(n, n) = l.e;
  a << l.a, l.b.col(input), l.c.row(output), 1 + l.d(output, input);
  return finite_eigenvalues(e, a);
}

bool on_axis(const Cluster& c) { return std::abs(c.mean.real()) <= doubt(c); }

int right_of_axis(const Spectrum& s) {
  int count = 0;
  for (const Cluster& c : s.clusters)
    if (c.mean.real() > 0 && !on_axis(c)) count += c.multiplicity;
  return count;
}

/// A pole on the axis that feedback does not move is hidden from this output or input, and G does not know it.
bool hidden(const Cluster& pole, const Spectrum& open) {
  return std::any_of(open.clusters.begin(), open.clusters.end(), [&](const Cluster& c) {
    const double near = 10 * (doubt(c) + doubt(pole)) + 1e-9 * std::abs(pole.mean);
    return on_axis(c) && c.multiplicity >= pole.multiplicity && std::abs(c.mean - pole.mean) < near;
  });
}

}  // namespace

Nyquist nyquist(const LinearModel& linear, const Spectrum& open, Index output, Index input) {
  Nyquist result;
  const Spectrum closed = closed_loop(linear, output, input);
  for (const Cluster& c : open.clusters)
    if (on_axis(c)) result.on_axis += c.multiplicity;
  result.unstable_open = right_of_axis(open);
  result.unstable_closed = right_of_axis(closed);
  if (!open.regular() || !closed.regular() || open.finite() != closed.finite()) return result;
  for (const Cluster& c : closed.clusters)
    if (on_axis(c) && !hidden(c, open)) return result;
  result.encirclements = result.unstable_closed - result.unstable_open;
  return result;
}

Complex in_disc(Complex value) { return value / (1 + std::abs(value)); }

NyquistCurve nyquist_curve(const LinearModel& linear, double first, double last, Index output,
                           Index input) {
  constexpr double longest = 0.04;  // a step in the disc
  constexpr double closest = 1e-9;  // of frequencies: what still jumps there is a pole
  constexpr std::size_t most = 20000;
  const auto at = [&](const std::vector<double>& w) {
    std::vector<Complex> values;
    for (const Eigen::MatrixXcd& g : frequency_response(linear, w).value)
      values.push_back(g(output, input));
    return values;
  };
  NyquistCurve curve{logarithmic_grid(first, last, 60), {}};
  curve.values = at(curve.frequencies);
  for (;;) {  // all steps that are too long are halved at once
    std::vector<double> between;
    for (std::size_t k = 0; k + 1 < curve.frequencies.size(); ++k) {
      const double w0 = curve.frequencies[k], w1 = curve.frequencies[k + 1];
      const double step = std::abs(in_disc(curve.values[k + 1]) - in_disc(curve.values[k]));
      if (step > longest && w1 - w0 > closest * w1) between.push_back(std::sqrt(w0 * w1));
    }
    if (between.empty() || curve.frequencies.size() + between.size() > most) return curve;
    const std::vector<Complex> values = at(between);
    NyquistCurve finer;
    for (std::size_t k = 0, next = 0; k < curve.frequencies.size(); ++k) {
      for (; next < between.size() && between[next] < curve.frequencies[k]; ++next) {
        finer.frequencies.push_back(between[next]);
        finer.values.push_back(values[next]);
      }
      finer.frequencies.push_back(curve.frequencies[k]);
      finer.values.push_back(curve.values[k]);
    }
    curve = std::move(finer);
  }
}

}  // namespace daedal::analysis
