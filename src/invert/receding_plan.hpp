// What a receding horizon plans with, and what the plans have in common: the bookkeeping of an update.
//
// Collocation (receding_horizon.cpp), central differences (difference_plan.cpp), collocation where the states do not determine
// all tops (descriptor_plan.cpp).
#pragma once

#include "daedal/boundary/collocation.hpp"
#include "daedal/boundary/pose.hpp"
#include "daedal/boundary/rest.hpp"
#include "daedal/invert/receding_horizon.hpp"

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace daedal::inversion {

class RecedingHorizon::Plan {
 public:
  explicit Plan(const RecedingHorizonOptions& options) : options_(options) {}
  virtual ~Plan() = default;
  RecedingReport update(const boundary::Desired& desired, bool changed);
  virtual void advance(const boundary::Desired& desired) = 0;
  virtual void seed(std::span<const double> states) = 0;
  virtual bool renew_conditions(const boundary::Desired& desired) = 0;
  double preview() const { return static_cast<double>(intervals_) * step_; }

  double time_ = 0, growth_ = 0, decay_ = 0, step_ = 0;
  std::size_t intervals_ = 1;
  boundary::Dichotomy modes_;
  std::vector<double> states_, tops_;            // handed out
  std::vector<double> good_states_, good_tops_;  // those before, for a plan that is not to be used
  std::vector<double> inputs_;                   // by limit

 protected:
  /// The rest at the start, its zeros in growth_ and decay_. Throws ModelError when there is none or nothing grows.
  boundary::Rest begin_at_rest(boundary::ReducedSystem& system, const RestStart& start);

  /// Signals and both ends of the window. False: not finite.
  virtual bool prepare(const boundary::Desired& desired, bool changed) = 0;
  /// Before each step. False: not finite.
  virtual bool aim(const boundary::Desired&) { return true; }
  virtual int steps(bool changed) const = 0;
  /// Matrices that are of lower order than the residual need a step with old ones after each with new ones.
  virtual bool may_renew(int /*step*/, int /*of*/) const { return true; }
  virtual boundary::Correction correct(bool renew) = 0;
  /// Of the node k steps after now.
  virtual double correction_at(std::size_t k) const = 0;
  virtual bool hand_out(const boundary::Desired& desired) = 0;
  /// Of what is to be handed out, the sign of a determinant that changes where branches meet; 0 where it is not known.
  virtual double side() const { return 0; }

  RecedingHorizonOptions options_;
  double age_ = 0;  // [s], of the matrices
  bool must_factor_ = true, seeded_ = false;
  double side_ = 0;  // of the last plan that was made

 private:
  double step_felt_now() const;
  bool limit_inputs();
};

/// Null where its steps resolve undamped oscillations.
std::unique_ptr<RecedingHorizon::Plan> difference_plan(boundary::InverseSystem& system,
                                                       const RestStart& start,
                                                       const RecedingHorizonOptions& options,
                                                       const compile::Options& compile);
std::unique_ptr<RecedingHorizon::Plan> descriptor_plan(boundary::InverseSystem& system,
                                                       const RestStart& start,
                                                       const RecedingHorizonOptions& options,
                                                       const compile::Options& compile);

/// Preview and step by default, in time constants of the slowest growing mode.
inline constexpr double preview_time_constants = 10, step_time_constants = 0.65;
/// Poses at the end of the window are so far apart, in the same, that their differences show how they move; a last step of
/// Newton's method below this leaves them its square.
inline constexpr double apart_time_constants = 0.2, last_pose_step = 1e-3;
inline constexpr int pose_steps = 4;
/// Of nominal sizes: where a motion begins, all of it is new.
inline constexpr double small_share = 1e-2;

[[noreturn]] void refuse_horizon(std::string message, std::string help);
bool all_finite(const double* values, std::size_t count);

}  // namespace daedal::inversion
