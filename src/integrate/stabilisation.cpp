// See daedal/integrate/stabilisation.hpp.

#include "daedal/integrate/stabilisation.hpp"

#include "daedal/system/noise.hpp"
#include "daedal/system/problem_system.hpp"
#include "tableau.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <optional>
#include <string>

namespace daedal::solve {

namespace {

using Eigenvalue = std::complex<double>;
using formulate::Kind;

// ---- time scales of a motion

/// The fastest rate [1/s] at a point: of the growth of perturbations, or at which positions change by their own size.
class FastestRate {
 public:
  FastestRate(System& system, double t, const std::vector<double>& s, const std::vector<double>& z)
      : system_(system), t_(t), s_(s), z_(z), slope_(s.size()), size_(s.size()) {
    for (std::size_t i = 0; i < s.size(); ++i)
      size_[i] = std::abs(s[i]) + (system.nominal().empty() ? 1 : system.nominal()[i]);
    std::vector<double> tops = z_;
    known_ = system.derivative(t, s.data(), tops.data(), slope_.data()) == Failure::none;
  }

  double value() { return known_ ? std::max(of_positions(), of_perturbations()) : 0; }

 private:
  /// |v|/|q| and sqrt(|a|/|q|)
  double of_positions() const {
    double rate = 0;
    const std::span<const std::uint32_t> next = system_.next();
    for (std::size_t i = 0; i < s_.size(); ++i) {
      if (next[i] >= s_.size()) continue;
      rate = std::max(
          {rate, std::abs(slope_[i]) / size_[i], std::sqrt(std::abs(slope_[next[i]]) / size_[i])});
    }
    return rate;
  }

  /// Spectral radius of d s'/d s by powers of differences. Eigenvalues come in pairs +-i w in mechanisms, which exchange
  /// positions for velocities: an even number of powers averages over that.
  double of_perturbations() {
    constexpr int powers = 16, counted = 8;
    constexpr double nudge = 1e-7;
    std::vector<double> direction(s_.size()), moved(s_.size()), slope(s_.size());
    for (std::size_t i = 0; i < s_.size(); ++i) direction[i] = size_[i] * noise(i);
    double logarithm = 0;
    for (int power = 0; power < powers; ++power) {
      const double length = norm(direction);
      if (!(length > 0) || !std::isfinite(length)) return 0;
      for (std::size_t i = 0; i < s_.size(); ++i) moved[i] = s_[i] + nudge / length * direction[i];
      std::vector<double> tops = z_;
      if (system_.derivative(t_, moved.data(), tops.data(), slope.data()) != Failure::none)
        return 0;
      for (std::size_t i = 0; i < s_.size(); ++i)
        direction[i] = (slope[i] - slope_[i]) * length / nudge;
      if (power >= powers - counted) logarithm += std::log(norm(direction) / length);
    }
    return std::exp(logarithm / counted);
  }

  double norm(const std::vector<double>& v) const {
    double largest = 0;
    for (std::size_t i = 0; i < v.size(); ++i)
      largest = std::max(largest, std::abs(v[i]) / size_[i]);
    return largest;
  }

  System& system_;
  double t_;
  const std::vector<double>&s_, &z_;
  std::vector<double> slope_, size_;
  bool known_ = false;
};

int order_of(const Method& method) {
  if (std::holds_alternative<Rk23Options>(method)) return 3;
  if (std::holds_alternative<Dop853Options>(method)) return 8;
  return 5;  // rk45, radau5, ida at its highest
}

constexpr double slowest = 0.1;  // [1/s]: a mechanism at rest without forces has no time scale

/// The pole for a motion with rates up to omega.
double decay_rate(double omega, const Method& method) {
  double step = fixed_step(method);
  if (step == 0) step = std::pow(tolerance(method), 1.0 / order_of(method)) / omega;
  return std::min(10 * omega, 1 / step);
}

// ---- stability

/// R(z) of one step of y' = lambda y, z = h lambda; none for implicit methods, which are stable where constraints decay.
std::optional<Eigenvalue> growth(const Method& method, Eigenvalue z) {
  if (std::holds_alternative<Rk45Options>(method))  // [HairerWanner1996, IV.2]
    return 1.0 +
           z * (1.0 +
                z / 2.0 * (1.0 + z / 3.0 * (1.0 + z / 4.0 * (1.0 + z / 5.0 * (1.0 + z / 5.0)))));
  std::optional<Tableau> tableau;
  if (std::holds_alternative<EulerOptions>(method)) tableau = euler_tableau();
  if (std::holds_alternative<Rk4Options>(method)) tableau = rk4_tableau();
  if (std::holds_alternative<Rk23Options>(method)) tableau = rk23_tableau();
  if (std::holds_alternative<Dop853Options>(method)) tableau = dop853_tableau();
  if (!tableau) return std::nullopt;
  std::vector<Eigenvalue> k;
  const auto sum = [&](const Weights& weights) {
    Eigenvalue total = 0;
    for (const Weight& w : weights) total += w.value * k[static_cast<std::size_t>(w.stage)];
    return total;
  };
  for (const Stage& stage : tableau->stages) k.push_back(1.0 + z * sum(stage.a));
  return 1.0 + z * sum(tableau->b);
}

/// The root of s^2 + a1 s + a0 that a step of length h makes grow most.
struct Root {
  Eigenvalue value;
  double growth = 0;
};
std::optional<Root> worst_root(const formulate::Baumgarte& b, double h, const Method& method) {
  const Eigenvalue half = std::sqrt(Eigenvalue(b.a1 * b.a1 / 4 - b.a0));
  std::optional<Root> worst;
  for (const Eigenvalue root : {-b.a1 / 2 + half, -b.a1 / 2 - half}) {
    const std::optional<Eigenvalue> r = growth(method, h * root);
    if (r && root.real() <= 0 && (!worst || std::abs(*r) > worst->growth))
      worst = Root{root, std::abs(*r)};
  }
  return worst;
}

}  // namespace

formulate::Formulation settled(const std::shared_ptr<const derive::Dae>& dae,
                               const formulate::Formulation& formulation, const Method& method,
                               const PrepareOptions& options) {
  if (!formulation.automatic) return formulation;
  formulate::Formulation plain;
  plain.kind = Kind::index1;
  const Prepared at_start = prepare(dae, plain, options);
  const ConsistentPoint& start = at_start.start;
  ProblemSystem system(at_start.problem, start.t, start.states, start.tops,
                       {.implicit = false, .compile = {compile::Backend::tape}});
  const double omega =
      std::max(slowest, FastestRate(system, start.t, start.states, start.tops).value());
  const double p = decay_rate(omega, method);
  formulate::Formulation result = formulation;
  result.automatic = false;
  result.all = {2 * p, p * p};
  // Violations at rounding are too small for step control: only steps that are stable for the motion are stable for them.
  result.stabiliser.rate = std::min(p, omega);
  return result;
}

std::vector<Diagnostic> unstable_decay(const formulate::Problem& problem, const Method& method) {
  const formulate::Formulation& f = problem.formulation;
  const double h = fixed_step(method);
  if (h == 0 || (f.kind != Kind::baumgarte && f.kind != Kind::nonlinear_stabiliser)) return {};
  std::vector<Diagnostic> warnings;
  const auto look_at = [&](const formulate::Baumgarte& b, const std::string& whose) {
    const auto worst = worst_root(b, h, method);
    if (!worst || worst->growth <= 1 + 1e-12) return;
    warnings.push_back(
        {Severity::warning,
         problem.dae->model->place,
         fmt::format("violations of {} grow: a step of {} with step = {:g} s multiplies them by "
                     "{:.3g}",
                     whose, name(method), h, worst->growth),
         {fmt::format("{} has a root at {:.4g}/s, step times root lies outside of the method's "
                      "region of stability",
                      name(f.kind), worst->value.real())},
         "take shorter steps, smaller coefficients, or baumgarte(auto)"});
  };
  const double rate = f.stabiliser.rate;
  const bool rest = f.kind != Kind::baumgarte || f.all.a1 != 0 || f.all.a0 != 0;
  if (rest)
    look_at(f.kind == Kind::baumgarte ? f.all : formulate::Baumgarte{2 * rate, rate * rate},
            "the constraints");
  if (f.kind == Kind::baumgarte)
    for (const auto& [name, b] : f.each) look_at(b, fmt::format("constraint '{}'", name));
  return warnings;
}

}  // namespace daedal::solve
