// See daedal/invert/receding_horizon.hpp.
#include "daedal/invert/receding_horizon.hpp"

#include "daedal/base/lu.hpp"
#include "daedal/base/qr.hpp"
#include "daedal/boundary/collocation.hpp"
#include "daedal/boundary/rest.hpp"
#include "daedal/boundary/top_values.hpp"
#include "daedal/formulate/descriptor_form.hpp"
#include "receding_plan.hpp"

#include <Eigen/Dense>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace daedal::inversion {

std::vector<Diagnostic> check(const RecedingHorizonOptions& options) {
  std::vector<Diagnostic> faults;
  const auto seconds = [&](const char* name, double value) {
    if (value > 0 && std::isfinite(value)) return;
    faults.push_back({Severity::error,
                      {},
                      fmt::format("{} = {} s is no length of time", name, value),
                      {},
                      "give a number of seconds above 0"});
  };
  seconds("period", options.period);
  if (options.preview) seconds("preview", *options.preview);
  if (options.step) seconds("step", *options.step);
  for (const TopLimit& limit : options.limits)
    if (!(limit.lowest <= limit.highest) || !(limit.rate >= 0))
      faults.push_back({Severity::error,
                        {},
                        fmt::format("limits [{:g}, {:g}] with rate {:g} 1/s exclude every input",
                                    limit.lowest, limit.highest, limit.rate),
                        {},
                        "the lowest must not be above the highest, the rate not negative"});
  if (options.order != 4 && options.order != 6)
    faults.push_back({Severity::error,
                      {},
                      fmt::format("order = {} is not supported", options.order),
                      {},
                      "Gauss collocation has order 4 or 6"});
  if (options.preview && options.step && *options.preview < *options.step)
    faults.push_back({Severity::error,
                      {},
                      fmt::format("preview = {:g} s is shorter than one step of {:g} s",
                                  *options.preview, *options.step),
                      {},
                      "ten time constants of the slowest growing mode are a good preview"});
  return faults;
}

std::string_view describe(RecedingStatus status) {
  switch (status) {
    case RecedingStatus::ok:
      return "ok";
    case RecedingStatus::large_step:
      return "the plan has not settled";
    case RecedingStatus::singular:
      return "the collocation equations are singular";
    case RecedingStatus::not_finite:
      return "a signal or the plan is not finite";
    case RecedingStatus::limited:
      return "an input exceeded its limits and was clipped";
    case RecedingStatus::branch_changed:
      return "the plan lies behind a singular pose";
  }
  return "";
}

namespace {

class CollocationPlan final : public RecedingHorizon::Plan {
 public:
  CollocationPlan(boundary::ReducedSystem& system, const RestStart& start,
                  const RecedingHorizonOptions& options)
      : Plan(options),
        system_(system),
        stages_(options.order / 2),
        n_(system.states()),
        nz_(system.tops()),
        w_(system.signals()),
        rates_(n_),
        end_tops_(nz_),
        top_values_(system),
        local_(system, boundary::CollocationFormula::gauss(stages_ + 1, boundary::depth_of(system)),
               1, 0) {
    const boundary::Rest rest = begin_at_rest(system, start);
    start.desired(time_, w_.data());
    const double step = options.step.value_or(step_time_constants / growth_);
    const double preview = options.preview.value_or(preview_time_constants / growth_);
    intervals_ = std::max<std::size_t>(1, static_cast<std::size_t>(std::lround(preview / step)));
    step_ = preview / static_cast<double>(intervals_);
    shifted_states_.resize((intervals_ + 1) * n_);
    shifted_tops_.resize(intervals_ * static_cast<std::size_t>(stages_) * nz_);
    rest_states_ = rest.states;
    rest_tops_ = rest.tops;
    set_conditions(rest);
    for (std::size_t k = 0; k <= intervals_; ++k) {
      std::copy(rest.states.begin(), rest.states.end(), window_->state(k));
      for (int i = 0; i < stages_ && k < intervals_; ++i)
        std::copy(rest.tops.begin(), rest.tops.end(),
                  window_->tops(k) + static_cast<std::size_t>(i) * nz_);
    }
    left_ = rest.states;
    end_tops_ = rest.tops;
  }

  bool renew_conditions(const boundary::Desired& desired) override {
    desired(time_ + preview(), w_.data());
    for (std::uint32_t i = 1; i < w_.size(); ++i)
      if (system_.is_rate(i)) w_[i] = 0;
    const boundary::Rest rest = boundary::rest_at(system_, w_.data(), rest_states_, rest_tops_);
    if (!rest.found) return false;
    rest_states_ = rest.states;
    rest_tops_ = rest.tops;
    set_conditions(rest);
    return true;
  }

  /// The left end by the finer formula, the rest of the plan along its polynomials.
  void advance(const boundary::Desired& desired) override {
    const double next = time_ + options_.period;
    local_.times()[0] = time_;
    local_.times()[1] = next;
    std::copy_n(window_->state(0), n_, local_.state(0));
    for (std::size_t i = 0; i < local_.formula().stages(); ++i) {
      const double c = local_.formula().node(i) * options_.period / step_;
      desired(time_ + c * step_, local_.signals(0, i));
      tops_at(0, c, local_.tops(0) + i * nz_);
    }
    for (int iteration = 0; iteration < 3; ++iteration)
      if (!(local_.settle(0) > 1e-12)) break;
    local_.advance(0, left_.data());
    shift();
    time_ = next;
    age_ += options_.period;
  }

  void seed(std::span<const double> states) override {
    std::copy_n(states.begin(), n_, left_.begin());
    seeded_ = true;
  }

 protected:
  bool prepare(const boundary::Desired& desired, bool) override {
    set_mesh();
    window_->sample(desired);
    std::copy(left_.begin(), left_.end(), window_->left_target().begin());
    return true;
  }
  bool aim(const boundary::Desired& desired) override { return set_right_target(desired); }
  int steps(bool changed) const override { return changed ? 2 : 1; }
  boundary::Correction correct(bool renew) override {
    return renew ? window_->newton() : window_->chord();
  }
  double correction_at(std::size_t k) const override { return window_->correction_at(k); }
  double side() const override { return top_values_.side(); }

  bool hand_out(const boundary::Desired& desired) override {
    desired(time_, w_.data());
    std::copy_n(window_->tops(0), nz_, end_tops_.data());
    if (!all_finite(w_.data(), w_.size()) || !all_finite(window_->state(0), n_) ||
        !top_values_.solve(w_.data(), window_->state(0), end_tops_.data()) ||
        !all_finite(end_tops_.data(), nz_))
      return false;
    std::copy_n(window_->state(0), n_, states_.data());
    std::copy(end_tops_.begin(), end_tops_.end(), tops_.begin());
    return true;
  }

 private:
  boundary::ReducedSystem& system_;
  int stages_;
  std::size_t n_, nz_;
  std::vector<double> w_, rates_, end_tops_;
  boundary::TopValues top_values_;
  boundary::Collocation local_;
  std::unique_ptr<boundary::Collocation> window_;
  std::vector<double> left_;  // where the window begins
  std::vector<double> shifted_states_, shifted_tops_;
  std::vector<double> rest_states_, rest_tops_;
  std::vector<double>
      settle_end_;  // n x n: takes s' at the end of the window to what is not quasi-static

  void set_conditions(const boundary::Rest& rest) {
    const boundary::Dichotomy modes =
        boundary::dichotomy(system_, w_.data(), rest.states, rest.tops, step_, stages_);
    const bool same = window_ && modes.unstable == modes_.unstable;
    modes_ = modes;
    if (!same) {
      auto window = std::make_unique<boundary::Collocation>(
          system_, boundary::CollocationFormula::gauss(stages_, boundary::depth_of(system_)),
          intervals_, static_cast<std::size_t>(modes.stable + modes.centre));
      if (window_)
        for (std::size_t k = 0; k <= intervals_; ++k) {
          std::copy_n(window_->state(k), n_, window->state(k));
          if (k < intervals_)
            std::copy_n(window_->tops(k), static_cast<std::size_t>(stages_) * nz_, window->tops(k));
        }
      window_ = std::move(window);
      window_->small = small_share;
    }
    copy(modes.decaying, window_->left_rows());
    copy(modes.growing, window_->right_rows());
    // p' = M p + f: at the quasi-static p the rate is 0, which is M^-1 p' away
    const Eigen::MatrixXd inverse = pseudo_inverse(modes.growing);
    const Eigen::MatrixXd settle = inverse * Lu(modes.growth).solve(modes.growing);
    settle_end_.resize(n_ * n_);
    copy(settle, settle_end_);
    must_factor_ = true;
  }

  static void copy(const Eigen::MatrixXd& from, std::span<double> to) {
    for (Eigen::Index i = 0; i < from.rows(); ++i)
      for (Eigen::Index j = 0; j < from.cols(); ++j)
        to[static_cast<std::size_t>(i * from.cols() + j)] = from(i, j);
  }

  void set_mesh() {
    for (std::size_t k = 0; k <= intervals_; ++k)
      window_->times()[k] = time_ + static_cast<double>(k) * step_;
  }

  void tops_at(std::size_t k, double c, double* to) const {
    std::fill_n(to, nz_, 0.0);
    for (std::size_t l = 0; l < window_->formula().stages(); ++l) {
      const double share = window_->formula().lagrange(l, c);
      for (std::size_t a = 0; a < nz_; ++a) to[a] += share * window_->tops(k)[l * nz_ + a];
    }
  }

  /// Where the growing components would stay if the motion went on as it is at the end of the window.
  bool set_right_target(const boundary::Desired& desired) {
    const double* const end = window_->state(intervals_);
    desired(time_ + preview(), w_.data());
    if (!all_finite(w_.data(), w_.size())) return false;
    tops_at(intervals_ - 1, 1, end_tops_.data());
    if (!top_values_.solve(w_.data(), end, end_tops_.data())) return false;
    for (std::size_t a = 0; a < n_; ++a) {
      const std::uint32_t next = system_.next()[a];
      rates_[a] = next < n_ ? end[next] : end_tops_[next - n_];
    }
    for (std::size_t a = 0; a < n_; ++a) {
      double value = end[a];
      for (std::size_t b = 0; b < n_; ++b) value -= settle_end_[a * n_ + b] * rates_[b];
      window_->right_target()[a] = value;
    }
    return all_finite(window_->right_target().data(), n_);
  }

  /// Interval and place in it of a time after the window's begin, in steps; beyond the end the last polynomial goes on.
  std::pair<std::size_t, double> locate(double steps) const {
    const std::size_t k = std::min(static_cast<std::size_t>(steps), intervals_ - 1);
    return {k, steps - static_cast<double>(k)};
  }

  /// All nodes and collocation points one period later, along the polynomials of the plan.
  void shift() {
    const double later = options_.period / step_;
    const std::size_t stages = window_->formula().stages();
    for (std::size_t k = 0; k <= intervals_; ++k) {
      const auto [from, c] = locate(static_cast<double>(k) + later);
      window_->interpolate(from, c, shifted_states_.data() + k * n_);
      for (std::size_t i = 0; i < stages && k < intervals_; ++i) {
        const auto [at, share] =
            locate(static_cast<double>(k) + later + window_->formula().node(i));
        tops_at(at, share, shifted_tops_.data() + (k * stages + i) * nz_);
      }
    }
    std::copy(shifted_states_.begin(), shifted_states_.end(), window_->state(0));
    std::copy(shifted_tops_.begin(), shifted_tops_.end(), window_->tops(0));
  }
};

}  // namespace

RecedingHorizon::RecedingHorizon(boundary::ReducedSystem& system, const RestStart& start,
                                 const RecedingHorizonOptions& options)
    : plan_(std::make_unique<CollocationPlan>(system, start, options)) {}
RecedingHorizon::RecedingHorizon(std::unique_ptr<Plan> plan) : plan_(std::move(plan)) {}
RecedingHorizon::RecedingHorizon(RecedingHorizon&&) noexcept = default;
RecedingHorizon::~RecedingHorizon() = default;

RecedingHorizon RecedingHorizon::by_differences(boundary::InverseSystem& system,
                                                const RestStart& start,
                                                const RecedingHorizonOptions& options,
                                                const compile::Options& compile) {
  std::unique_ptr<Plan> plan = difference_plan(system, start, options, compile);
  if (!plan)
    refuse_horizon(
        "the steps resolve oscillations that neither grow nor decay: a window with conditions at "
        "both ends has no solution at some lengths",
        "a longer step does not see them; or damping, and the whole motion at once");
  return RecedingHorizon(std::move(plan));
}

RecedingHorizon RecedingHorizon::automatic(boundary::InverseSystem& system, const RestStart& start,
                                           const RecedingHorizonOptions& options,
                                           const compile::Options& compile) {
  if (!formulate::is_descriptor_form(system.problem())) return {system, start, options};
  if (auto plan = difference_plan(system, start, options, compile))
    return RecedingHorizon(std::move(plan));
  return by_collocation(system, start, options, compile);
}

RecedingHorizon RecedingHorizon::by_collocation(boundary::InverseSystem& system,
                                                const RestStart& start,
                                                const RecedingHorizonOptions& options,
                                                const compile::Options& compile) {
  return RecedingHorizon(descriptor_plan(system, start, options, compile));
}

RecedingReport RecedingHorizon::update(const boundary::Desired& desired, bool changed) {
  return plan_->update(desired, changed);
}
void RecedingHorizon::advance(const boundary::Desired& desired) { plan_->advance(desired); }
void RecedingHorizon::seed(std::span<const double> states) { plan_->seed(states); }
bool RecedingHorizon::renew_conditions(const boundary::Desired& desired) {
  return plan_->renew_conditions(desired);
}
double RecedingHorizon::time() const { return plan_->time_; }
double RecedingHorizon::preview() const { return plan_->preview(); }
double RecedingHorizon::step() const { return plan_->step_; }
std::size_t RecedingHorizon::intervals() const { return plan_->intervals_; }
double RecedingHorizon::slowest_growth() const { return plan_->growth_; }
double RecedingHorizon::slowest_decay() const { return plan_->decay_; }
const boundary::Dichotomy& RecedingHorizon::modes() const { return plan_->modes_; }
std::span<const double> RecedingHorizon::states() const { return plan_->states_; }
std::span<const double> RecedingHorizon::tops() const { return plan_->tops_; }
std::span<const double> RecedingHorizon::inputs() const { return plan_->inputs_; }

}  // namespace daedal::inversion
