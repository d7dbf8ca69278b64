// With L from the opened input to minus the answer, the loop closed by a gain k and a delay tau has a pole at jw where
//
//   1 + k L(jw) e^(-jw tau) = 0.
//
// Poles move continuously with k and tau, so the nearest k where L(jw) is real and negative, or where L has such a limit for small or large
// w, bounds the gains; the smallest tau with |L(jw)| = 1 bounds the delays.
#include "daedal/control/loop_margins.hpp"

#include "daedal/analyse/frequency_response.hpp"
#include "daedal/analyse/nyquist.hpp"
#include "daedal/analyse/poles_zeros.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <utility>

namespace daedal::feedback {

namespace {

using Complex = std::complex<double>;

class LoopCurve {
 public:
  LoopCurve(const analysis::LinearModel& loop, double period) : loop_(loop), period_(period) {
    seed();
    values_ = at(frequencies_);
    refine();
  }

  LoopMargins margins() const {
    LoopMargins result;
    gains(result);
    for (std::size_t k = 0; k + 1 < frequencies_.size(); ++k) phase_between(k, result);
    peak(result);
    return result;
  }

 private:
  std::vector<Complex> at(std::vector<double> frequencies) const {
    std::vector<Complex> values;
    for (const Eigen::MatrixXcd& g :
         analysis::frequency_response(loop_, std::move(frequencies)).value)
      values.push_back(g(0, 0));
    return values;
  }
  Complex at(double frequency) const { return at(std::vector<double>{frequency})[0]; }

  /// Of the loop itself [rad/s], where its model is an image.
  double frequency(double w) const {
    return period_ > 0 ? 2 / period_ * std::atan(w * period_ / 2) : w;
  }

  /// Three decades beyond all poles, and every resonance with its flanks: none is too narrow to be seen.
  void seed() {
    constexpr double beyond = 1e3, rounding = 1e-9;
    constexpr int coarse = 200;
    const analysis::Spectrum poles = analysis::poles(loop_);
    double fastest = period_ > 0 ? 2 / period_ : 0;
    for (const analysis::Eigenvalue& p : poles.values)
      fastest = std::max(fastest, std::abs(p.value));
    if (fastest == 0) fastest = 1;
    double slowest = fastest;
    for (const analysis::Eigenvalue& p : poles.values)
      if (std::abs(p.value) > rounding * fastest) slowest = std::min(slowest, std::abs(p.value));
    const double first = slowest / beyond, last = fastest * beyond;
    frequencies_ = analysis::logarithmic_grid(first, last, coarse);
    for (const analysis::Eigenvalue& p : poles.values)
      for (const double flank : {-10.0, -3.0, -1.0, -0.3, 0.0, 0.3, 1.0, 3.0, 10.0}) {
        const double w = std::abs(p.value.imag()) + flank * std::abs(p.value.real());
        if (w > first && w < last) frequencies_.push_back(w);
      }
    std::sort(frequencies_.begin(), frequencies_.end());
    frequencies_.erase(std::unique(frequencies_.begin(), frequencies_.end()), frequencies_.end());
  }

  /// Until the curve is smooth in the disc of Nyquist's plane, but for jumps at poles on the axis.
  void refine() {
    constexpr double longest = 0.04, closest = 1e-9;
    constexpr std::size_t most = 20000;
    for (;;) {
      std::vector<double> between;
      for (std::size_t k = 0; k + 1 < frequencies_.size(); ++k) {
        const double w0 = frequencies_[k], w1 = frequencies_[k + 1];
        const double step =
            std::abs(analysis::in_disc(values_[k + 1]) - analysis::in_disc(values_[k]));
        if (step > longest && w1 - w0 > closest * w1) between.push_back(std::sqrt(w0 * w1));
      }
      if (between.empty() || frequencies_.size() + between.size() > most) return;
      const std::vector<Complex> values = at(between);
      std::vector<std::pair<double, Complex>> all;
      for (std::size_t k = 0; k < frequencies_.size(); ++k)
        all.emplace_back(frequencies_[k], values_[k]);
      for (std::size_t k = 0; k < between.size(); ++k) all.emplace_back(between[k], values[k]);
      std::ranges::sort(all, {}, &std::pair<double, Complex>::first);
      frequencies_.clear(), values_.clear();
      for (const auto& [w, value] : all) frequencies_.push_back(w), values_.push_back(value);
    }
  }

  /// Where f changes its sign between samples k and k + 1, to rounding.
  template <class F>
  double crossing(std::size_t k, F f) const {
    double a = frequencies_[k], b = frequencies_[k + 1];
    const bool sign = f(values_[k]) > 0;
    constexpr int bisections = 60;
    for (int step = 0; step < bisections; ++step) {
      const double middle = 0.5 * (a + b);
      ((f(at(middle)) > 0) == sign ? a : b) = middle;
    }
    return 0.5 * (a + b);
  }

  static void bound(LoopMargins& m, Complex value) {
    constexpr double smallest = 1e-9;  // factors beyond are those of poles on the axis
    if (!(value.real() < 0)) return;
    const double k = -1 / value.real();
    if (!(k > smallest && k < 1 / smallest)) return;
    if (k < 1 && !(m.lowest_gain && *m.lowest_gain >= k)) m.lowest_gain = k;
    if (k > 1 && !(m.highest_gain && *m.highest_gain <= k)) m.highest_gain = k;
  }

  void gains(LoopMargins& m) const {
    for (std::size_t k = 0; k + 1 < frequencies_.size(); ++k) {
      const Complex g0 = values_[k], g1 = values_[k + 1];
      // through the negative real axis, not through the positive one
      if ((g0.imag() > 0) != (g1.imag() > 0) && g0.real() < 0 && g1.real() < 0)
        bound(m, at(crossing(k, [](Complex g) { return g.imag(); })));
    }
    // a limit for w = 0 is near the first value; else there is a pole
    const Complex still = at(0.0), slow = values_.front();
    if (std::isfinite(still.real()) && std::abs(still - slow) < std::abs(slow)) bound(m, still);
    const Complex fast = values_.back(), faster = at(1e3 * frequencies_.back());
    constexpr double same = 1e-2;
    if (std::isfinite(faster.real()) && std::abs(faster - fast) < same * std::abs(fast))
      bound(m, faster);
  }

  void phase_between(std::size_t k, LoopMargins& m) const {
    const Complex g0 = values_[k], g1 = values_[k + 1];
    if ((std::abs(g0) > 1) == (std::abs(g1) > 1)) return;
    const double w = crossing(k, [](Complex g) { return std::abs(g) - 1; });
    const double lag =
        std::remainder(std::arg(at(w)) * 180 / std::numbers::pi - 180, 360);  // < 0: lead
    if (!m.phase || std::abs(lag) < std::abs(*m.phase)) {
      m.phase = lag;
      m.phase_at = frequency(w);
    }
    const double delay = (lag > 0 ? lag : lag + 360) * std::numbers::pi / 180 / frequency(w);
    if (!m.delay || delay < *m.delay) {
      m.delay = delay;
      m.delay_at = frequency(w);
    }
  }

  /// Between the samples beside the largest one, by golden sections.
  void peak(LoopMargins& m) const {
    const auto sensitivity = [](Complex g) { return 1 / std::abs(1.0 + g); };
    std::size_t largest = 0;
    for (std::size_t k = 1; k < values_.size(); ++k)
      if (sensitivity(values_[k]) > sensitivity(values_[largest])) largest = k;
    double a = frequencies_[largest == 0 ? 0 : largest - 1],
           b = frequencies_[std::min(largest + 1, frequencies_.size() - 1)];
    m.sensitivity_peak = sensitivity(values_[largest]);
    m.peak_at = frequency(frequencies_[largest]);
    const double golden = (std::sqrt(5.0) - 1) / 2;
    constexpr int sections =
        40;  // the peak is flat: its value is exact when its place is known to 8 digits
    for (int step = 0; step < sections; ++step) {
      const double low = b - golden * (b - a), high = a + golden * (b - a);
      const double at_low = sensitivity(at(low)), at_high = sensitivity(at(high));
      (at_low > at_high ? b : a) = at_low > at_high ? high : low;
      const double better = std::max(at_low, at_high);
      if (!(better > m.sensitivity_peak)) continue;
      m.sensitivity_peak = better;
      m.peak_at = frequency(at_low > at_high ? low : high);
    }
  }

  const analysis::LinearModel& loop_;
  double period_;
  std::vector<double> frequencies_;
  std::vector<Complex> values_;
};

}  // namespace

LoopMargins loop_margins(const analysis::LinearModel& loop, double period) {
  return LoopCurve(loop, period).margins();
}

// (z - 1) x = (a - 1) x + b u,  z = (1 + w T/2)/(1 - w T/2):  w T/2 ((1 + a) x + b u) = (a - 1) x + b u,  u a variable of its own
analysis::LinearModel bilinear(const SampledModel& sampled, double period) {
  using Eigen::Index;
  using Eigen::MatrixXd;
  const Index n = sampled.a.rows(), m = sampled.b.cols();
  const MatrixXd one = MatrixXd::Identity(n, n);
  analysis::LinearModel image;
  image.e = image.a = MatrixXd::Zero(n + m, n + m);
  image.e.topLeftCorner(n, n) = period / 2 * (one + sampled.a);
  image.e.topRightCorner(n, m) = period / 2 * sampled.b;
  image.a.topLeftCorner(n, n) = sampled.a - one;
  image.a.topRightCorner(n, m) = sampled.b;
  image.a.bottomRightCorner(m, m) = -MatrixXd::Identity(m, m);
  image.b = MatrixXd::Zero(n + m, m);
  image.b.bottomRows(m).setIdentity();
  image.c = MatrixXd::Zero(sampled.c.rows(), n + m);
  image.c.leftCols(n) = sampled.c;
  image.c.rightCols(m) = sampled.d;
  image.d = MatrixXd::Zero(sampled.c.rows(), m);
  for (Index k = 0; k < m; ++k) image.inputs.push_back("u");
  for (Index k = 0; k < sampled.c.rows(); ++k) image.outputs.push_back("answer");
  return image;
}

}  // namespace daedal::feedback
