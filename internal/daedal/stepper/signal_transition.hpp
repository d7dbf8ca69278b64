// From one desired motion to another: what a stepper follows after the signals jumped.
//
// Differences of high order make spikes of a jump, and the solution on the way may lie on another branch. After a jump the
// signals followed are therefore, k steps after it,
//     w = w_c + s(k/l) (w_given - w_c),     w_c = w_0 + v theta(k/halt) + p(theta(k/shortest)),     theta' = 1 - s.
// s is the polynomial of degree 13 from 0 to 1 whose first six derivatives are 0 at both ends. w_c continues the samples
// followed before, with their velocity v, which comes to a halt soon, and their higher derivatives p, which fade still sooner. The
// motion followed has then as many continuous derivatives as the differences of a crane or an elastic arm contain, and after l
// steps it is the one given.
#pragma once

#include "daedal/stepper/step_program.hpp"

#include <cstddef>
#include <vector>

namespace daedal::solve {

/// s(x) = x^7 sum_k c_k x^k, and its integral x^8 sum_k c_k/(8 + k) x^k.
inline constexpr double smooth_step_coefficients[] = {1716,  -9009, 20020, -24024,
                                                      16380, -6006, 924};
inline constexpr double smooth_step_integral[] = {214.5, -1001, 2002, -2184, 1365, -462, 66};

/// Times of the samples remembered, in steps from now: those of the stages of the last steps, the newest first.
std::vector<double> transition_nodes(const StepProgram& program);

/// With accelerations near a velocities v halt in v/a, and a way r takes sqrt(10 r/a), as s'' is below 10; that of the halt is
/// part of r. Usual accelerations of the signals are remembered as sizes of tops are; a is at least 1 nominal size per s^2.
inline constexpr double way_factor = 10, halt_factor = 0.3;
/// Higher derivatives of a transition that is interrupted would carry w_c away if they were continued for as long as it takes.
inline constexpr double fade_factor = 0.4;
inline constexpr double longest_transition = 1e6;  // steps

class SignalTransition {
 public:
  /// `shortest`: its length in steps, at least.
  SignalTransition(const StepProgram& program, int shortest);

  void reset() noexcept;
  /// Enough is remembered to go on with.
  bool ready() const noexcept { return remembered_ >= samples_ / stages_; }
  bool active() const noexcept { return now_.active; }
  /// Towards the signals given for the next step, from what is followed now.
  void begin(const double* given) noexcept;
  /// The same, and slower than the one that is under way.
  void begin_slower(const double* given) noexcept;
  /// As it was before begin.
  void revert() noexcept;
  /// Under way, and the signals given jump again: so far that the shortest transition does not suffice.
  bool jumps_again(const double* given) const noexcept;
  /// The signals to follow in the next step.
  void lead(const double* given, double* followed) const noexcept;
  /// A step was made with these. False: no transition, or its last step. `usual`: it went well.
  bool remember(bool usual, const double* given, const double* followed) noexcept;

 private:
  struct Progress {
    double length = 0, halt = 0, done = 0;  // in steps
    bool active = false;
  };
  void anchor() noexcept;
  void keep_acceleration() noexcept;
  const double* sample(std::size_t i) const noexcept;
  void extrapolate(double linear, double rest, double* values) const noexcept;

  std::size_t stages_, signals_, samples_;
  double step_;
  std::vector<double> stage_nodes_, nominal_, nodes_;
  double shortest_;
  Progress now_, before_;
  std::size_t remembered_ = 0, given_steps_ = 0;
  std::vector<double> past_;  // followed: [step][stage, the last first][signal], a ring of steps
  std::size_t newest_ = 0;    // in it
  double first_, second_, both_;             // for second derivatives of the newest three samples
  std::vector<double> anchor_, old_anchor_;  // divided differences of these at the jump
  std::vector<double> given_, earlier_given_, expected_, acceleration_;  // by signal
};

}  // namespace daedal::solve
