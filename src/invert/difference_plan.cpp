// A receding horizon by central differences, on the equations as derived.
//
// Nodes t + k step, k < intervals, are solved for. Those before t are samples that were handed out; the one at the end of the
// window is quasi-static for the motion there.
#include "daedal/base/diagnostic.hpp"
#include "daedal/boundary/central_differences.hpp"
#include "daedal/boundary/equidistant.hpp"
#include "daedal/boundary/pose.hpp"
#include "receding_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace daedal::inversion {

namespace {

constexpr std::size_t shift_points = 6;

class DifferencePlan final : public RecedingHorizon::Plan {
 public:
  DifferencePlan(boundary::InverseSystem& system, const RestStart& start,
                 const RecedingHorizonOptions& options, const compile::Options& compile)
      : Plan(options),
        known_(static_cast<std::size_t>(options.order / 2)),
        form_(boundary::SecondOrderForm::make(system.problem(), compile)) {
    if (!form_)
      refuse_horizon("unknowns of the inverse model have more than two derivatives",
                     "without `receding` the whole motion is inverted at once");
    if (compile.backend == compile::Backend::native) form_->wait_native();
    n_ = form_->unknowns();
    w_.resize(form_->signals());
    const boundary::Rest rest = begin_at_rest(system, start);
    start.desired(time_, w_.data());
    std::vector<double> y(n_);
    form_->from_point(rest.states.data(), rest.tops.data(), y.data());
    choose_mesh(y);
    allocate(y);
  }

  void advance(const boundary::Desired&) override {
    latest_ = (latest_ + 1) % samples_;
    std::copy_n(equations_->y(known_), n_, history_.data() + latest_ * n_);
    shift();
    time_ += options_.period;
    age_ += options_.period;
  }

  /// The samples handed out move to where the measured positions and velocities would have come from.
  void seed(std::span<const double> states) override {
    std::copy(states_.begin(), states_.end(), measured_.begin());
    std::copy_n(states.begin(), states_.size(), measured_.begin());
    form_->from_point(measured_.data(), tops_.data(), rates_.data());
    form_->from_point(states_.data(), tops_.data(), accelerations_.data());
    for (std::size_t j = 0; j < n_; ++j) offset_[j] = rates_[j] - accelerations_[j];
    form_->rates_from_point(measured_.data(), tops_.data(), rates_.data());
    form_->rates_from_point(states_.data(), tops_.data(), accelerations_.data());
    for (std::size_t age = 0; age < samples_; ++age) {
      double* const sample = history_.data() + (latest_ + samples_ - age) % samples_ * n_;
      const double time = static_cast<double>(age + 1) * options_.period;
      for (std::size_t j = 0; j < n_; ++j)
        sample[j] += offset_[j] - time * (rates_[j] - accelerations_[j]);
    }
    seeded_ = true;
  }

  /// As many modes decay as grow on this mesh.
  bool even() const { return even_; }

  /// There is nothing to renew: poses at the end of the window are followed in every update.
  bool renew_conditions(const boundary::Desired&) override { return true; }

 protected:
  bool prepare(const boundary::Desired& desired, bool) override {
    boundary::CentralDifferences& e = *equations_;
    e.begin = time_ - static_cast<double>(known_) * step_;
    e.sample(desired);
    set_left_end();
    return all_finite(e.signals(0), e.nodes() * form_->signals()) && set_right_end(desired);
  }
  // The matrices are those of order 2: with one step for a residual of order 4, errors in samples handed out feed the plans
  // of the next ones faster than they are corrected (two-link manipulator, step of two periods: growing like exp(11 t)).
  int steps(bool changed) const override { return changed ? 3 : 2; }
  bool may_renew(int step, int of) const override { return step + 1 < of; }
  boundary::Correction correct(bool renew) override {
    boundary::Correction correction = renew ? equations_->newton() : equations_->chord();
    correction.gap = correction.step;
    return correction;
  }
  double correction_at(std::size_t k) const override {
    return equations_->correction_at(known_ + k);
  }
  bool hand_out(const boundary::Desired&) override {
    double* const y = equations_->y(known_);
    equations_->derivatives(known_, rates_.data(), accelerations_.data());
    if (!pose_->follow(equations_->signals(known_), y, rates_.data(), accelerations_.data()) ||
        !all_finite(y, n_))
      return false;
    for (std::uint32_t j = 0; j < n_; ++j)
      if (form_->order(j) == 0) rates_[j] = 0;  // of forces and inputs: no part of the plan
    const double* const at[] = {y, rates_.data(), accelerations_.data()};
    form_->to_point(at, states_.data(), tops_.data());
    return true;
  }

 private:
  void choose_mesh(const std::vector<double>& rest) {
    const double wished = options_.step.value_or(step_time_constants / growth_);
    per_step_ =
        std::max<std::size_t>(1, static_cast<std::size_t>(std::lround(wished / options_.period)));
    step_ = static_cast<double>(per_step_) * options_.period;
    const double preview = options_.preview.value_or(preview_time_constants / growth_);
    intervals_ = std::max<std::size_t>(2, static_cast<std::size_t>(std::lround(preview / step_)));
    even_ =
        boundary::CentralDifferences::splits_evenly(*form_, w_.data(), rest.data(), step_, growth_);
  }

  void allocate(const std::vector<double>& rest) {
    equations_.emplace(*form_, known_ + intervals_ + 1, known_, 1);
    equations_->step = step_;
    equations_->order = options_.order;
    equations_->small = small_share;
    pose_.emplace(*form_);
    for (std::size_t k = 0; k < equations_->nodes(); ++k)
      std::copy(rest.begin(), rest.end(), equations_->y(k));
    samples_ = known_ * per_step_;
    latest_ = samples_ - 1;
    for (std::size_t k = 0; k < samples_; ++k)
      history_.insert(history_.end(), rest.begin(), rest.end());
    poses_.fill(rest);
    rates_.resize(n_);
    accelerations_.resize(n_);
    offset_.resize(n_);
    shifted_.resize(equations_->nodes() * n_);
    measured_.resize(form_->states());
  }

  void set_left_end() {
    for (std::size_t k = 1; k <= known_; ++k)
      std::copy_n(history_.data() + (latest_ + 1 + samples_ - k * per_step_) % samples_ * n_, n_,
                  equations_->y(known_ - k));
  }

  /// Poses of rest around the end of the window, followed from the update before, and what their inertia makes of them.
  bool set_right_end(const boundary::Desired& desired) {
    const double apart = std::min(step_, apart_time_constants / growth_);
    for (std::size_t k = 0; k < poses_.size(); ++k) {
      desired(time_ + preview() + (static_cast<double>(k) - 1) * apart, w_.data());
      if (!pose_->rest(w_.data(), poses_[k].data(), pose_steps, last_pose_step)) return false;
    }
    for (std::size_t j = 0; j < n_; ++j) {
      rates_[j] = (poses_[2][j] - poses_[0][j]) / (2 * apart);
      accelerations_[j] = (poses_[2][j] - 2 * poses_[1][j] + poses_[0][j]) / (apart * apart);
    }
    double* const end = equations_->y(known_ + intervals_);
    std::copy(poses_[1].begin(), poses_[1].end(), end);
    return pose_->step(equations_->signals(known_ + intervals_), end, rates_.data(),
                       accelerations_.data());
  }

  /// All nodes one period later, on local polynomials.
  void shift() {
    const std::size_t nodes = equations_->nodes(), points = std::min(shift_points, nodes);
    const double later = 1 / static_cast<double>(per_step_);
    for (std::size_t k = 0; k < nodes; ++k) {
      const std::size_t first = std::min(k > points / 2 ? k - (points / 2 - 1) : 0, nodes - points);
      const double at = static_cast<double>(k - first) + later;
      double* const to = shifted_.data() + k * n_;
      std::fill_n(to, n_, 0.0);
      for (std::size_t p = 0; p < points; ++p) {
        const double share = boundary::lagrange_share(points, p, at);
        const double* const from = equations_->y(first + p);
        for (std::size_t j = 0; j < n_; ++j) to[j] += share * from[j];
      }
    }
    std::copy(shifted_.begin(), shifted_.end(), equations_->y(0));
  }

  std::size_t known_, n_ = 0, per_step_ = 1;
  bool even_ = false;
  std::unique_ptr<boundary::SecondOrderForm> form_;
  std::optional<boundary::CentralDifferences> equations_;
  std::optional<boundary::Pose> pose_;
  std::size_t samples_ = 1, latest_ = 0;
  std::vector<double> history_;  // a ring of samples handed out, the last one at latest_
  std::array<std::vector<double>, 3>
      poses_;  // of rest, before the end of the window, at it, after it
  std::vector<double> w_, rates_, accelerations_, offset_, shifted_, measured_;
};

}  // namespace

std::unique_ptr<RecedingHorizon::Plan> difference_plan(boundary::InverseSystem& system,
                                                       const RestStart& start,
                                                       const RecedingHorizonOptions& options,
                                                       const compile::Options& compile) {
  auto plan = std::make_unique<DifferencePlan>(system, start, options, compile);
  return plan->even() ? std::move(plan) : nullptr;
}

}  // namespace daedal::inversion
