// A receding horizon by collocation for mechanisms whose states do not determine all tops (elastic bodies): for steps that
// resolve undamped oscillations, which central differences cannot plan with.
//
// No formula can be started between nodes, so the mesh is fixed while time passes through its first interval, and then
// moves on by one: the plan at each node is that of the whole motion on this mesh. At the left end the decaying and centre
// components come from the plan before, at the right end the growing ones from the quasi-static pose there.
#include "daedal/boundary/pose.hpp"
#include "daedal/boundary/top_values.hpp"
#include "receding_plan.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace daedal::inversion {

namespace {

constexpr double at_a_node = 1e-6;  // of a step

class DescriptorPlan final : public RecedingHorizon::Plan {
 public:
  DescriptorPlan(boundary::InverseSystem& system, const RestStart& start,
                 const RecedingHorizonOptions& options, const compile::Options& compile)
      : Plan(options),
        system_(system),
        stages_(options.order / 2),
        n_(system.states()),
        nz_(system.tops()),
        form_(boundary::SecondOrderForm::make(system.problem(), compile)),
        w_(system.signals()),
        rest_tops_(nz_),
        top_values_(system) {
    if (!form_)
      refuse_horizon("unknowns of the inverse model have more than two derivatives",
                     "without `receding` the whole motion is inverted at once");
    if (compile.backend == compile::Backend::native) form_->wait_native();
    first_node_ = start.time;
    rest_ = begin_at_rest(system, start);
    left_ = rest_.states;
    const double step = options.step.value_or(step_time_constants / growth_);
    const double preview = options.preview.value_or(preview_time_constants / growth_);
    intervals_ = std::max<std::size_t>(2, static_cast<std::size_t>(std::lround(preview / step)));
    step_ = preview / static_cast<double>(intervals_);
    if (options.period < (1 - at_a_node) * step_) ++intervals_;  // one lies partly in the past
    pose_.emplace(*form_);
    std::vector<double> y(form_->unknowns());
    form_->from_point(rest_.states.data(), rest_.tops.data(), y.data());
    poses_.fill(y);
    moving_.fill(y);
    rates_.resize(y.size());
    accelerations_.resize(y.size());
    set_conditions(rest_, rest_, start.desired);
    for (std::size_t k = 0; k <= intervals_; ++k) {
      std::copy(rest_.states.begin(), rest_.states.end(), window_->state(k));
      for (int i = 0; i < stages_ && k < intervals_; ++i)
        std::copy(rest_.tops.begin(), rest_.tops.end(),
                  window_->tops(k) + static_cast<std::size_t>(i) * nz_);
    }
  }

  /// The modes turn with the beam: at both ends those of the poses of rest that the motion has there.
  bool renew_conditions(const boundary::Desired& desired) override {
    boundary::Rest left = rest_for(first_node_, desired),
                   right = rest_for(first_node_ + preview(), desired);
    if (!left.found || !right.found) return false;
    set_conditions(left, right, desired);
    rest_ = std::move(right);
    return true;
  }

  void advance(const boundary::Desired&) override {
    time_ += options_.period;
    age_ += options_.period;
    while (time_ >= first_node_ + (1 - at_a_node) * step_) move_on();
  }

  /// The same deviation from the plan at the node before.
  void seed(std::span<const double> states) override {
    for (std::size_t a = 0; a < n_; ++a) left_[a] += states[a] - states_[a];
    seeded_ = true;
  }

 protected:
  // The plan moves by whole steps: one with new matrices leaves 7e-5 of a motion with steps of 50 ms, a chord step 1e-6.
  int steps(bool changed) const override { return changed ? 3 : 2; }
  bool may_renew(int step, int of) const override { return step + 1 < of; }
  boundary::Correction correct(bool renew) override {
    return renew ? window_->newton() : window_->chord();
  }
  double correction_at(std::size_t k) const override { return window_->correction_at(k); }

  bool prepare(const boundary::Desired& desired, bool) override {
    for (std::size_t k = 0; k <= intervals_; ++k)
      window_->times()[k] = first_node_ + static_cast<double>(k) * step_;
    window_->sample(desired);
    if (!all_finite(window_->signals(0, 0),
                    intervals_ * static_cast<std::size_t>(stages_) * system_.signals()))
      return false;
    std::copy(left_.begin(), left_.end(), window_->left_target().begin());
    return set_right_end(desired);
  }

  bool hand_out(const boundary::Desired& desired) override {
    const double c = (time_ - first_node_) / step_;
    if (!all_finite(window_->state(0), 2 * n_)) return false;
    if (c < at_a_node)
      std::copy_n(window_->state(0), n_, states_.data());
    else
      window_->interpolate(0, c, states_.data());
    desired(time_, w_.data());
    tops_at(0, c, tops_.data());
    return top_values_.solve(w_.data(), states_.data(), tops_.data()) &&
           all_finite(tops_.data(), nz_);
  }

 private:
  boundary::Rest rest_for(double t, const boundary::Desired& desired) {
    desired(t, w_.data());
    for (std::uint32_t i = 1; i < w_.size(); ++i)
      if (system_.is_rate(i)) w_[i] = 0;
    return boundary::rest_at(system_, w_.data(), rest_.states, rest_.tops);
  }

  boundary::Dichotomy modes_of(const boundary::Rest& rest, double t,
                               const boundary::Desired& desired) {
    desired(t, w_.data());
    return boundary::dichotomy(system_, w_.data(), rest.states, rest.tops, step_, stages_);
  }

  void set_conditions(const boundary::Rest& left, const boundary::Rest& right,
                      const boundary::Desired& desired) {
    modes_ = modes_of(left, first_node_, desired);
    const boundary::Dichotomy behind = modes_of(right, first_node_ + preview(), desired);
    if (!window_ || modes_.decaying.rows() != left_count_) {
      left_count_ = modes_.decaying.rows();
      auto window = std::make_unique<boundary::Collocation>(
          system_, boundary::CollocationFormula::gauss(stages_, boundary::depth_of(system_)),
          intervals_, static_cast<std::size_t>(left_count_));
      window->small = small_share;
      for (std::size_t k = 0; window_ && k <= intervals_; ++k) {
        std::copy_n(window_->state(k), n_, window->state(k));
        if (k < intervals_)
          std::copy_n(window_->tops(k), static_cast<std::size_t>(stages_) * nz_, window->tops(k));
      }
      window_ = std::move(window);
    }
    copy(modes_.decaying, window_->left_rows());
    if (behind.growing.rows() == modes_.growing.rows()) copy(behind.growing, window_->right_rows());
    must_factor_ = true;
  }

  static void copy(const Eigen::MatrixXd& from, std::span<double> to) {
    for (Eigen::Index i = 0; i < from.rows(); ++i)
      for (Eigen::Index j = 0; j < from.cols(); ++j)
        to[static_cast<std::size_t>(i * from.cols() + j)] = from(i, j);
  }

  /// Poses of rest around the end of the window, what their inertia makes of them, and how fast that goes.
  bool set_right_end(const boundary::Desired& desired) {
    const double end = first_node_ + preview(),
                 apart = std::min(step_, apart_time_constants / growth_);
    for (std::size_t k = 0; k < poses_.size(); ++k) {
      desired(end + (static_cast<double>(k) - 2) * apart, w_.data());
      if (!all_finite(w_.data(), w_.size()) ||
          !pose_->rest(w_.data(), poses_[k].data(), pose_steps, last_pose_step))
        return false;
    }
    const std::size_t n = rates_.size();
    for (std::size_t k = 0; k < moving_.size(); ++k) {
      for (std::size_t j = 0; j < n; ++j) {
        rates_[j] = (poses_[k + 2][j] - poses_[k][j]) / (2 * apart);
        accelerations_[j] =
            (poses_[k + 2][j] - 2 * poses_[k + 1][j] + poses_[k][j]) / (apart * apart);
      }
      moving_[k] = poses_[k + 1];
      desired(end + (static_cast<double>(k) - 1) * apart, w_.data());
      if (!pose_->step(w_.data(), moving_[k].data(), rates_.data(), accelerations_.data()))
        return false;
    }
    for (std::size_t j = 0; j < n; ++j) {
      rates_[j] = (moving_[2][j] - moving_[0][j]) / (2 * apart);
      accelerations_[j] = (moving_[2][j] - 2 * moving_[1][j] + moving_[0][j]) / (apart * apart);
    }
    const double* const at[] = {moving_[1].data(), rates_.data(), accelerations_.data()};
    form_->to_point(at, window_->right_target().data(), rest_tops_.data());
    return all_finite(window_->right_target().data(), n_);
  }

  void tops_at(std::size_t k, double c, double* to) const {
    std::fill_n(to, nz_, 0.0);
    for (std::size_t l = 0; l < window_->formula().stages(); ++l) {
      const double share = window_->formula().lagrange(l, c);
      for (std::size_t a = 0; a < nz_; ++a) to[a] += share * window_->tops(k)[l * nz_ + a];
    }
  }

  /// By one interval: the plan stays where it is, the last interval goes on as its polynomials do.
  void move_on() {
    const std::size_t stages = window_->formula().stages(), last = intervals_ - 1;
    std::copy_n(window_->state(1), n_, left_.begin());
    for (std::size_t k = 0; k < intervals_; ++k) {
      std::copy_n(window_->state(k + 1), n_, window_->state(k));
      if (k < last) std::copy_n(window_->tops(k + 1), stages * nz_, window_->tops(k));
    }
    window_->advance(last, window_->state(intervals_));  // with the tops of the interval before
    first_node_ += step_;
  }

  boundary::InverseSystem& system_;
  int stages_;
  std::size_t n_, nz_;
  double first_node_ = 0;
  Eigen::Index left_count_ = 0;
  std::unique_ptr<boundary::SecondOrderForm> form_;
  std::optional<boundary::Pose> pose_;
  boundary::Rest rest_;  // at the end of the window, when the conditions were renewed
  std::vector<double> w_, left_, rest_tops_, rates_, accelerations_;
  std::array<std::vector<double>, 5> poses_;   // of rest around the end of the window
  std::array<std::vector<double>, 3> moving_;  // quasi-static
  boundary::TopValues top_values_;
  std::unique_ptr<boundary::Collocation> window_;
};

}  // namespace

std::unique_ptr<RecedingHorizon::Plan> descriptor_plan(boundary::InverseSystem& system,
                                                       const RestStart& start,
                                                       const RecedingHorizonOptions& options,
                                                       const compile::Options& compile) {
  return std::make_unique<DescriptorPlan>(system, start, options, compile);
}

}  // namespace daedal::inversion
