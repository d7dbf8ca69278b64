// A model stepped in real time: what export_c writes as C, called here.
#pragma once

#include "daedal/compile/kernel.hpp"
#include "daedal/stepper/stepper.hpp"
#include "daedal/task/export_c.hpp"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace daedal {
inline namespace task {

struct Stepping;  // src/task/stepping.hpp

/// Owned by one thread at a time. A step allocates nothing.
class RealTime {
 public:
  /// The stepper of `options.function`, inverse or forward. Throws ModelError as export_c does.
  RealTime(const Model& model, const ExportOptions& options);

  const std::vector<std::string>& signals() const { return signals_; }
  const std::vector<std::string>& results() const { return names_; }
  const std::vector<Diagnostic>& warnings() const { return warnings_; }
  double length() const { return length_; }  // of a step [s]
  const solve::Stepper& stepper() const { return stepper_; }

  /// One step: signals[stage * signals().size() + k] at time() + nodes()[stage] * length().
  solve::StepReport step(std::span<const double> signals) { return stepper_.step(signals); }
  /// At time(), `values` as results().
  void evaluate(double* values);

 private:
  explicit RealTime(const Stepping& stepping);

  std::vector<std::string> signals_, names_;
  std::vector<Diagnostic> warnings_;
  double length_ = 0;
  solve::Stepper stepper_;
  std::shared_ptr<const compile::Kernel> kernel_;  // of the results
  compile::Workspace work_;
  std::vector<double> point_;  // t, states, tops, parameters
};

}  // namespace task
}  // namespace daedal
