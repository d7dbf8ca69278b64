// See explicit_form.hpp.

#include "explicit_form.hpp"

#include "daedal/solve/combination.hpp"
#include "difference_jacobians.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <vector>

namespace daedal::solve {

namespace {

/// r = z - F(t, s), z the rates of all states.
class ExplicitForm final : public System {
 public:
  explicit ExplicitForm(System& system)
      : system_(system),
        n_(system.states()),
        next_(n_),
        solved_tops_(system.tops()),
        rates_(n_),
        all_{n_, n_, {0}, {}},
        diagonal_{n_, n_, {0}, {}} {
    std::iota(next_.begin(), next_.end(), n_);
    for (std::uint32_t i = 0; i < n_; ++i) {
      for (std::uint32_t j = 0; j < n_; ++j) all_.column.push_back(j);
      all_.row_start.push_back((i + 1) * n_);
      diagonal_.column.push_back(i);
      diagonal_.row_start.push_back(i + 1);
    }
    differences_.emplace(*this);
  }

  std::uint32_t states() const override { return n_; }
  std::uint32_t tops() const override { return n_; }
  std::span<const std::uint32_t> next() const override { return next_; }
  std::span<const double> nominal() const override { return system_.nominal(); }
  Failure derivative(double t, const double* s, double* z, double* ds) override {
    const Failure failure = system_.derivative(t, s, solved_tops_.data(), ds);
    std::copy_n(ds, n_, z);
    return failure;
  }
  void residual(double t, const double* s, const double* z, double* r) override {
    if (system_.derivative(t, s, solved_tops_.data(), rates_.data()) != Failure::none)
      std::fill_n(r, n_, std::numeric_limits<double>::quiet_NaN());
    else
      for (std::uint32_t i = 0; i < n_; ++i) r[i] = z[i] - rates_[i];
  }
  const SparsePattern& state_pattern() const override { return all_; }
  const SparsePattern& top_pattern() const override { return diagonal_; }
  void jacobians(double t, const double* s, const double* z, double* values) override {
    differences_->evaluate(t, s, z, values);
  }
  void show_error(double* error) override { system_.show_error(error); }
  bool projects() const override { return system_.projects(); }
  Failure project(double t, double* s) override { return system_.project(t, s); }
  std::vector<double> break_points(double t0, double t1) const override {
    return system_.break_points(t0, t1);
  }

  /// Of the system: the guess for its next solution.
  std::vector<double>& solved_tops() { return solved_tops_; }

 private:
  System& system_;
  std::uint32_t n_;
  std::vector<std::uint32_t> next_;
  std::vector<double> solved_tops_, rates_;
  SparsePattern all_, diagonal_;
  std::optional<DifferenceJacobians> differences_;
};

/// Seen from outside in the tops of the system.
class ImplicitOnRates final : public Integrator {
 public:
  ImplicitOnRates(const Method& method, System& system)
      : system_(system),
        form_(system),
        method_(make_integrator(method, form_)),
        tops_(system.tops()),
        rates_(system.states()),
        projected_(system.states()) {}

  StepOutcome start(double t, const double* s, const double* z, double end) override {
    std::copy_n(z, tops_.size(), tops_.data());
    const Failure failure = system_.derivative(t, s, tops_.data(), rates_.data());
    if (failure != Failure::none) return {false, describe(failure), failure, 0};
    form_.solved_tops() = tops_;
    return method_->start(t, s, rates_.data(), end);
  }
  StepOutcome step(double limit) override {
    const StepOutcome outcome = method_->step(limit);
    if (!outcome.ok) return outcome;
    Failure failure = method_->projects_steps() ? Failure::none : renew_directions();
    if (failure == Failure::none)
      failure = system_.derivative(time(), state().data(), tops_.data(), rates_.data());
    if (failure != Failure::none) return {false, describe(failure), failure, outcome.step};
    return outcome;
  }

  double previous_time() const override { return method_->previous_time(); }
  double time() const override { return method_->time(); }
  std::span<const double> state() const override { return method_->state(); }
  std::span<const double> tops() const override { return tops_; }
  void interpolate(double t, double* s) const override { method_->interpolate(t, s); }
  const StepStatistics& statistics() const override { return method_->statistics(); }
  bool projects_steps() const override { return method_->projects_steps(); }

 private:
  /// Free coordinates and directions are chosen anew when a step is projected. Methods that live on their past leave it where it
  /// is, and would keep a choice until it is singular.
  Failure renew_directions() {
    std::copy_n(state().data(), projected_.size(), projected_.data());
    return system_.projects() ? system_.project(time(), projected_.data()) : Failure::none;
  }

  System& system_;
  ExplicitForm form_;
  std::unique_ptr<Integrator> method_;
  std::vector<double> tops_, rates_, projected_;
};

}  // namespace

std::unique_ptr<Integrator> make_integrator_on_rates(const Method& method, System& system) {
  if (!is_implicit(method)) return make_integrator(method, system);
  return std::make_unique<ImplicitOnRates>(method, system);
}

}  // namespace daedal::solve
