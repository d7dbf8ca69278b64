// A kernel together with the scratch of one thread.
#pragma once

#include "daedal/compile/kernel.hpp"

#include <memory>
#include <span>

namespace daedal::solve {

/// A few evaluations at set-up are not worth native code.
inline compile::Options tape_only() { return {compile::Backend::tape}; }

class Evaluation {
 public:
  Evaluation(std::span<const expr::Function> functions, const compile::Layout& layout,
             const double* point, const compile::Options& options)
      : kernel_(compile::compile(functions, layout, options)), work_(kernel_->workspace()) {
    kernel_->prepare(point, work_);
  }
  Evaluation(const expr::Function& function, const compile::Layout& layout, const double* point,
             const compile::Options& options)
      : Evaluation(std::span(&function, 1), layout, point, options) {}

  std::uint32_t rows() const { return kernel_->rows(); }
  void operator()(const double* point, double* rows) { kernel_->evaluate(point, rows, work_); }
  const compile::Kernel& kernel() const { return *kernel_; }

 private:
  std::shared_ptr<const compile::Kernel> kernel_;
  compile::Workspace work_;
};

}  // namespace daedal::solve
