// Stable inversion in real time: at every sample the inputs from a window of preview ahead, one step of Newton's method
// from the plan of the preceding sample.
//
// The window [t, t + preview] has a mesh of equal intervals that moves with t. The effect of the future on the
// internal dynamics falls like exp(-growth preview), so a few time constants of the slowest growing mode are enough.
// At the left end the decaying and centre components come from the last plan (or from a measured state), advanced by
// a formula of higher order; at the right end the growing components are quasi-static for the motion there, p' = 0,
// which is worth some more preview. Matrices are kept (chord steps) while steps are small and not too old.
//
// Mechanisms whose inputs are more than two derivatives away from the outputs (elastic bodies) are planned by central
// differences on their equations as derived, on a mesh whose step is a multiple of the period: nodes before the window are
// inputs already handed out. At the right end is the quasi-static pose for the motion there. Steps so short that they
// resolve undamped oscillations need collocation, with the conditions of these at the left.
//
// No call of update, advance or seed allocates. After an update that is not ok the inputs are those of the last one that was.
#pragma once

#include "daedal/base/diagnostic.hpp"
#include "daedal/boundary/boundary_value.hpp"
#include "daedal/boundary/reduced_system.hpp"

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace daedal::inversion {

/// What is handed out of a top, an input as a rule: cut to a range, and to so much change per second.
struct TopLimit {
  std::uint32_t top = 0;  // < tops of the system
  double lowest = -std::numeric_limits<double>::max(), highest = std::numeric_limits<double>::max();
  double rate = std::numeric_limits<double>::max();  // [1/s], >= 0
};

struct RecedingHorizonOptions {
  double period = 1e-3;           // [s], > 0: between samples
  std::optional<double> preview;  // [s]; default 10 / slowest growth
  std::optional<double> step;     // [s], of the window's mesh; default 0.65 / slowest growth
  int order = 4;                  // 4 or 6
  double renew_above = 1e-3;      // steps above this get new matrices at the next update
  double reliable_below = 1e-2;   // a last step above this, relative, is not a solution
  std::vector<TopLimit> limits;   // see RecedingHorizon::inputs
};
/// Faults in the user's terms.
std::vector<Diagnostic> check(const RecedingHorizonOptions& options);

/// Where a plan begins: at rest at a time at which the desired outputs are constant, near these states and tops.
struct RestStart {
  double time = 0;  // [s]
  boundary::Desired desired;
  std::vector<double> states, tops;
};

enum class RecedingStatus : std::uint8_t {
  ok,
  large_step,  // the plan still moves: the trajectory changed too much, or is too fast for the mechanism
  singular,       // matrices at the last plan, which is kept
  not_finite,     // signals or plan; the last plan is kept
  limited,        // the plan is good, but an input exceeded its limits and was clipped
  branch_changed  // a determinant changed its sign: the plan lies behind a singular pose and is not
                  // used
};
/// "ok", "the plan has not settled", ...
std::string_view describe(RecedingStatus status);

struct RecedingReport {
  RecedingStatus status = RecedingStatus::ok;
  double step =
      0;  // the last correction of the plan, relative to the sizes of the states; one at t + tau weighs
          // exp(-growth tau), as far as it reaches back to the inputs of now
  double gap = 0;         // before it, between intervals: the residual
  int iterations = 0;     // Newton or chord steps
  bool factored = false;  // matrices were renewed
  double truncation = 0;  // exp(-growth preview): relative influence of the time beyond the window
  bool ok() const { return status == RecedingStatus::ok; }
  /// The plan is that of this update.
  bool made() const { return ok() || status == RecedingStatus::limited; }
};

class RecedingHorizon {
 public:
  /// Throws ModelError when there is no rest to start from or nothing grows. The system must outlive this.
  RecedingHorizon(boundary::ReducedSystem& system, const RestStart& start,
                  const RecedingHorizonOptions& options);
  ~RecedingHorizon();
  RecedingHorizon(RecedingHorizon&&) noexcept;

  /// Selects by model and step: the above where the states determine all tops, else central differences, else
  /// by_collocation.
  static RecedingHorizon automatic(boundary::InverseSystem& system, const RestStart& start,
                                   const RecedingHorizonOptions& options,
                                   const compile::Options& compile);
  /// The same by central differences. Throws ModelError where they do not apply: the mesh resolves undamped oscillations, or
  /// unknowns have more than two derivatives.
  static RecedingHorizon by_differences(boundary::InverseSystem& system, const RestStart& start,
                                        const RecedingHorizonOptions& options,
                                        const compile::Options& compile);

  /// By collocation where the states do not determine all tops, as those of elastic bodies: for steps that resolve undamped
  /// oscillations. The mesh moves on step by step.
  static RecedingHorizon by_collocation(boundary::InverseSystem& system, const RestStart& start,
                                        const RecedingHorizonOptions& options,
                                        const compile::Options& compile);

  /// One step towards the bounded solution on [time(), time() + preview()]; two when the motion was `changed` or a state
  /// was seeded.
  RecedingReport update(const boundary::Desired& desired, bool changed = false);
  /// To the next sample.
  void advance(const boundary::Desired& desired);
  /// The internal state is this one, measured; its decaying components take effect at the next update.
  void seed(std::span<const double> states);
  /// Conditions and modes from the pose that the motion has at the end of the window. Allocates: not for a real-time loop.
  bool renew_conditions(const boundary::Desired& desired);

  double time() const;
  double preview() const;
  double step() const;
  std::size_t intervals() const;
  double slowest_growth() const;  // [1/s], at rest
  double slowest_decay() const;
  const boundary::Dichotomy& modes() const;
  /// States and tops (inputs among them) of the last update that was made.
  std::span<const double> states() const;
  std::span<const double> tops() const;
  /// Those of the options' limits, for the machine: within the limits, and kept as they are by updates that are not made.
  std::span<const double> inputs() const;

  class Plan;

 private:
  explicit RecedingHorizon(std::unique_ptr<Plan> plan);
  std::unique_ptr<Plan> plan_;
};

}  // namespace daedal::inversion
