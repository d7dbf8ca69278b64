// Lifted positions and velocities from the states: forward substitution of their definitions (docs/methods/lifting.md).
#pragma once

#include "daedal/formulate/problem.hpp"
#include "daedal/system/evaluation.hpp"

#include <optional>

namespace daedal::solve {

class Scan {
 public:
  Scan(const formulate::Problem& problem, const double* point, const compile::Options& options)
      : first_(problem.first_lifted()) {
    if (problem.lifted > 0) kernel_.emplace(problem.scan, problem.layout, point, options);
  }

  /// Time, states and inputs are in place.
  void operator()(double* point) {
    if (kernel_) (*kernel_)(point, point + first_);
  }
  void wait_native() const {
    if (kernel_) kernel_->kernel().wait_native();
  }

 private:
  std::uint32_t first_ = 0;
  std::optional<Evaluation> kernel_;
};

}  // namespace daedal::solve
