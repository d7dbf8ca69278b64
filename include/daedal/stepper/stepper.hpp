// The real-time stepper: signals in, unknowns out, one step of fixed length at a time.
//
// Everything is allocated on construction: kernel, history, scratch. A step allocates nothing, throws nothing, takes
// no lock and ends after a bounded number of Newton iterations; it reports their number and the remaining residual. The signals
// are supplied by the caller at every step: a desired motion may change at any time.
//
// A step that does not converge is reported and not made: time, history and values stay as they are.
//
// Steps are monitored. Far from its prediction Newton's method may end at another root, on another branch of the solution: the
// sign of the determinant shows it, and the step is solved again from the last positions, or not made. Where signals are
// differentiated (desired outputs), a jump of one would make spikes in the inputs: from the motion before the jump to the one
// requested the stepper then makes a smooth transition, reported until it ends (internal/daedal/stepper/signal_transition.hpp).
#pragma once

#include "daedal/compile/kernel.hpp"
#include "daedal/formulate/problem.hpp"
#include "daedal/integrate/method.hpp"
#include "daedal/start/prepare.hpp"

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace daedal::solve {

/// Limits of a result, usually an input: its range, and its change per second.
struct InputLimit {
  expr::Leaf input;
  double lowest = -std::numeric_limits<double>::max(), highest = std::numeric_limits<double>::max();
  double rate = std::numeric_limits<double>::max();  // [1/s], >= 0
};

struct StepperOptions {
  /// In [1, 100]: of Newton's method, from the extrapolated values; as many again from the last ones when that fails. Their
  /// number bounds the time a step takes.
  int iterations = 6;
  /// In [1e-15, 1e-2]: the last correction, relative to the size of each unknown. Newton's method squares it once more.
  double tolerance = 1e-10;
  /// One iteration from the last values, whatever the residual: linearly implicit methods.
  bool linear = false;
  /// > 0: iterations end when no equation, scaled, is larger [Druecker2022, (3.87)]; 0: by the corrections.
  double residual_tolerance = 0;
  /// Exact ones are in the kernel. Differences: a matrix each iteration, Broyden's is updated and recomputed by differences
  /// every `renew` steps; for comparison, and where exact ones would be too large.
  JacobianKind jacobian = JacobianKind::exact;
  int renew = 10;  // in [1, 1e6]
  /// Where the pivots of the start fail: current pivots, by differences. Exported C code does not have them.
  bool rescue = true;
  /// In [0, 10000]: steps that a transition after a jump of the signals takes at least; large jumps take longer. 0: signals
  /// are followed as they are, and differentiated across their jumps.
  int transition = 100;
  std::vector<InputLimit> limits;  // see Stepper::inputs
  compile::Options compile = {.backend = compile::Backend::native};
};

enum class StepStatus : std::uint8_t {
  ok,
  not_converged,  // within the iterations allowed
  pivots_lost,    // the pose is singular; in a large system, maybe only far from that of the start
  not_finite,
  branch_changed,  // the solution found lies on another branch, far from the prediction: not made
  transition,      // made: from the motion before a jump of the signals to the requested one
  jump,            // made: highest derivatives or inputs jumped far beyond their prediction
  singular_passed,  // made: the determinant changed its sign near the prediction; branches meet there
  limited           // made: an input exceeded its limits and was clipped
};
/// "did not converge", ...
std::string_view describe(StepStatus status);

struct StepReport {
  StepStatus status = StepStatus::ok;
  int iterations = 0;
  double correction = 0;       // the last one, as compared with the tolerance
  double residual = 0;         // largest of the equations, before the last correction
  std::uint32_t equation = 0;  // whose it is, a number in the Dae
  double distance = 0;  // the largest correction: how far the solution lies from the prediction
  bool ok() const { return status == StepStatus::ok; }
  /// Time has advanced; ok() states whether the values can be trusted.
  bool made() const { return ok() || status >= StepStatus::transition; }
};

struct StepProgram;  // one step as expressions: daedal/stepper/step_program.hpp
class NumericNewton;
class SignalTransition;

class Stepper {
 public:
  /// Starts at time t from the program's start values; the past before it is their Taylor polynomial: constant from rest.
  /// Throws std::invalid_argument for options out of range.
  Stepper(std::shared_ptr<const StepProgram> program, const StepperOptions& options, double t = 0);
  ~Stepper();
  Stepper(Stepper&&) noexcept;

  const StepProgram& program() const { return *program_; }

  /// Restarts at time t with other values, laid out as program().states and tops.
  void start(double t, std::span<const double> states, std::span<const double> tops) noexcept;
  /// Replaces the past: states and tops at time() - k h, k = 1 .. past() - 1.
  std::size_t past() const;
  void set_past(std::size_t k, std::span<const double> states,
                std::span<const double> tops) noexcept;

  /// What comes from outside: inputs that are no unknowns, with their derivatives.
  std::span<const expr::Leaf> signals() const;
  /// Times of the stages within a step, in (0, 1]; the last is 1.
  std::span<const double> nodes() const;

  /// One step. signals[stage * signals().size() + k] is signal k at time() + nodes()[stage] * step.
  StepReport step(std::span<const double> signals) noexcept;

  double time() const noexcept { return time_; }
  std::span<const double> states() const noexcept { return {past_[newest_], n_}; }
  /// Highest derivatives and algebraic unknowns: of an inverse model its inputs are among them.
  std::span<const double> tops() const noexcept { return {past_[newest_] + n_, m_}; }
  /// Position of a leaf: a position in states(), or states().size() + one in tops(). std::invalid_argument when nowhere.
  std::size_t find(expr::Leaf leaf) const;
  double value(std::size_t position) const noexcept { return past_[newest_][position]; }
  /// Those of the options' limits, for the machine: within the limits, and kept as they are by steps that are jumps or not made.
  std::span<const double> inputs() const noexcept { return inputs_; }

 private:
  void prepare_watch();
  void find_known() noexcept;
  void predict(double* tops) const noexcept;
  void repeat(double* tops) const noexcept;
  void foresee() noexcept;
  void hold() noexcept;
  double largest_residual(bool scaled) const noexcept;
  void tell_equation(StepReport& report) const noexcept;
  StepReport iterate(NumericNewton* numeric, double tolerance) noexcept;
  bool calm(const StepReport& report) const noexcept;
  void judge(StepReport& report) noexcept;
  StepReport iterate_from_prediction() noexcept;
  StepReport persist(StepReport report) noexcept;
  void follow(std::span<const double> signals) noexcept;
  StepReport redirect(const StepReport& first, std::span<const double> signals) noexcept;
  void accept(const StepReport& report) noexcept;
  void hand_out(StepReport& report) noexcept;

  std::shared_ptr<const StepProgram> program_;
  StepperOptions options_;
  std::shared_ptr<const compile::Kernel> kernel_;
  std::unique_ptr<NumericNewton> numeric_;  // instead of the kernel's correction
  std::unique_ptr<NumericNewton> rescue_;   // where its frozen pivots fail: current pivots
  compile::Workspace work_;
  std::uint32_t stages_ = 0, n_ = 0, m_ = 0, first_known_ = 0, first_top_ = 0;
  double time_ = 0, begin_ = 0;
  std::uint64_t taken_ = 0;         // steps since begin_: times are multiples, not sums
  std::vector<double> remembered_;  // states, then tops, of some steps
  std::vector<double*> past_;       // into these, twice: newest first from newest_ on
  std::size_t newest_ = 0;
  std::vector<double> stage_tops_;  // of the last step, by stage
  bool has_stages_ = false;         // stage_tops_ are those of a step
  struct Chained {
    std::uint32_t state, derivative;
  };
  std::vector<Chained> chained_;  // states whose derivatives are states, in the order of the states
  std::vector<double> point_, rows_;
  double calm_ = 0;                    // distances that need no further check
  double excess_ = 0;                  // how far beyond its prediction a step went, 1 is a jump
  double side_ = 1;                    // sign of the determinant on the branch; 0: unknown
  std::vector<std::uint32_t> lowest_;  // by top: the position it is a derivative of, or n_
  std::vector<double> size_, jump_floor_, predicted_;
  std::unique_ptr<SignalTransition> transition_;
  std::vector<std::size_t> input_at_;
  std::vector<double> inputs_;
};

/// The equations of a problem as they were derived, undifferentiated, by implicit_euler, linear_implicit_euler, bdf or radau5 with
/// a step; pivots are chosen at `start`. Throws ModelError for other methods, and where the matrix of the step is singular.
Stepper make_stepper(const formulate::Problem& problem, const ConsistentPoint& start,
                     const Method& method, const StepperOptions& options = {});

}  // namespace daedal::solve
