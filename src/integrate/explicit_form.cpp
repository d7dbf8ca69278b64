// See explicit_form.hpp.

#include "daedal/integrate/explicit_form.hpp"

#include "daedal/integrate/combination.hpp"
#include "daedal/system/local_coordinates.hpp"
#include "difference_jacobians.hpp"
#include "reduced_newton.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <vector>

namespace daedal::solve {

namespace {

/// r = z - F(t, s), z the rates of all states.
class ExplicitForm final : public System {
 public:
  ExplicitForm(System& system, const LocalCoordinates* local)
      : system_(system),
        local_(local),
        n_(system.states()),
        next_(n_),
        solved_tops_(system.tops()),
        rates_(n_) {
    std::iota(next_.begin(), next_.end(), n_);
    if (local == nullptr) {
      state_pattern_ = full(n_, n_);
      top_pattern_ = diagonal(n_);
      differences_.emplace(*this);
      return;
    }
    const std::uint32_t count = local->directions();
    directions_.resize(std::size_t{n_} * count);
    along_.resize(directions_.size());
    disturbed_.resize(n_);
    disturbed_rates_.resize(n_);
    hides_ = n_ > ReducedNewton<double>::dense_limit && count < n_ / 2;
    if (!hides_) {
      state_pattern_ = full(n_, n_);
      top_pattern_ = diagonal(n_);
      return;
    }
    // [1 -B; 0 1] for (z, w), and -V^T below those of s
    state_pattern_ = full(n_ + count, n_, n_);
    top_pattern_ = {n_ + count, n_ + count, {0}, {}};
    for (std::uint32_t i = 0; i < n_ + count; ++i) {
      top_pattern_.column.push_back(i);
      for (std::uint32_t j = 0; i < n_ && j < count; ++j) top_pattern_.column.push_back(n_ + j);
      top_pattern_.row_start.push_back(static_cast<std::uint32_t>(top_pattern_.column.size()));
    }
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
  const SparsePattern& state_pattern() const override { return state_pattern_; }
  const SparsePattern& top_pattern() const override { return top_pattern_; }
  void jacobians(double t, const double* s, const double* z, double* values) override {
    if (differences_)
      differences_->evaluate(t, s, z, values);
    else
      evaluate_along_directions(t, s, values);
  }
  void show_error(double* error) override { system_.show_error(error); }
  bool projects() const override { return system_.projects(); }
  Failure project(double t, double* s) override { return system_.project(t, s); }
  void return_from_later_states() override { system_.return_from_later_states(); }
  std::vector<double> break_points(double t0, double t1) const override {
    return system_.break_points(t0, t1);
  }

  /// Of the system: the guess for its next solution.
  std::vector<double>& solved_tops() { return solved_tops_; }

 private:
  /// Rows from `first` on have all columns.
  static SparsePattern full(std::uint32_t rows, std::uint32_t columns, std::uint32_t first = 0) {
    SparsePattern pattern{rows, columns, {0}, {}};
    for (std::uint32_t i = 0; i < rows; ++i) {
      for (std::uint32_t j = 0; i >= first && j < columns; ++j) pattern.column.push_back(j);
      pattern.row_start.push_back(static_cast<std::uint32_t>(pattern.column.size()));
    }
    return pattern;
  }
  static SparsePattern diagonal(std::uint32_t n) {
    SparsePattern pattern{n, n, {0}, {}};
    for (std::uint32_t i = 0; i < n; ++i) {
      pattern.column.push_back(i);
      pattern.row_start.push_back(i + 1);
    }
    return pattern;
  }

  bool rates_at(double t, const double* s, double* rates) {
    return system_.derivative(t, s, solved_tops_.data(), rates) == Failure::none;
  }

  /// B, a direction disturbed until the state that notices it most has moved by as much as differences along it alone would.
  bool differentiate_along(double t, const double* s) {
    const std::span<const double> nominal = system_.nominal();
    if (!rates_at(t, s, rates_.data())) return false;
    for (std::size_t first = 0; first < directions_.size(); first += n_) {
      const double* const direction = directions_.data() + first;
      double most = 0;
      for (std::uint32_t i = 0; i < n_; ++i)
        most = std::max(most, std::abs(direction[i]) /
                                  std::max(std::abs(s[i]), nominal.empty() ? 1.0 : nominal[i]));
      if (!(most > 0)) return false;
      const double way = std::sqrt(std::numeric_limits<double>::epsilon()) / most;
      for (std::uint32_t i = 0; i < n_; ++i) disturbed_[i] = s[i] + way * direction[i];
      if (!rates_at(t, disturbed_.data(), disturbed_rates_.data())) return false;
      for (std::uint32_t i = 0; i < n_; ++i)
        along_[first + i] = (disturbed_rates_[i] - rates_[i]) / way;
    }
    return true;
  }

  void evaluate_along_directions(double t, const double* s, double* values) {
    local_->directions(directions_.data());
    if (!differentiate_along(t, s))
      std::fill(along_.begin(), along_.end(), std::numeric_limits<double>::quiet_NaN());
    const std::size_t count = directions_.size() / n_;
    if (!hides_) {
      for (std::uint32_t i = 0; i < n_; ++i)
        for (std::uint32_t k = 0; k < n_; ++k) {
          double sum = 0;
          for (std::size_t j = 0; j < count; ++j)
            sum -= along_[j * n_ + i] * directions_[j * n_ + k];
          *values++ = sum;
        }
      std::fill_n(values, n_, 1.0);
      return;
    }
    for (const double part : directions_) *values++ = -part;
    for (std::uint32_t i = 0; i < n_; ++i) {
      *values++ = 1;
      for (std::size_t j = 0; j < count; ++j) *values++ = -along_[j * n_ + i];
    }
    std::fill_n(values, count, 1.0);
  }

  System& system_;
  const LocalCoordinates* local_;
  std::uint32_t n_;
  std::vector<std::uint32_t> next_;
  std::vector<double> solved_tops_, rates_;
  SparsePattern state_pattern_, top_pattern_;
  std::optional<DifferenceJacobians> differences_;
  bool hides_ = false;                      // w = V^T s
  std::vector<double> directions_, along_;  // V, B, by columns
  std::vector<double> disturbed_, disturbed_rates_;
};

/// Whose matrices are made of differences anyway.
Method with_matrix_of_the_form(Method method) {
  const auto change = [](auto& options) {
    if constexpr (requires { options.newton.jacobian; })
      if (options.newton.jacobian == JacobianKind::difference)
        options.newton.jacobian = JacobianKind::exact;
  };
  std::visit(change, method);
  return method;
}

/// Seen from outside in the tops of the system.
class ImplicitOnRates final : public Integrator {
 public:
  ImplicitOnRates(const Method& method, System& system, const LocalCoordinates* local)
      : system_(system),
        form_(system, local),
        method_(make_integrator(local ? with_matrix_of_the_form(method) : method, form_)),
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
  /// Free coordinates and directions are chosen again when a step is projected. Methods that live on their past leave
  /// it where it is, and would keep a choice until it is singular.
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

std::unique_ptr<Integrator> make_integrator_on_rates(const Method& method, System& system,
                                                     const LocalCoordinates* local) {
  if (!is_implicit(method)) return make_integrator(method, system);
  return std::make_unique<ImplicitOnRates>(method, system, local);
}

}  // namespace daedal::solve
