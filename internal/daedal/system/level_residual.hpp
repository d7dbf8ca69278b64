// f_i^(k) on one level: a kernel where the derivatives are written out, a jet where they are not.
#pragma once

#include "daedal/formulate/problem.hpp"
#include "daedal/system/equation_jet.hpp"
#include "daedal/system/evaluation.hpp"

#include <memory>
#include <optional>

namespace daedal::solve {

class LevelResidual {
 public:
  /// `jet` may be shared between levels and must exist when the problem is not written out.
  LevelResidual(const formulate::Problem& problem, const formulate::Level& level,
                const double* point, const compile::Options& options,
                std::shared_ptr<EquationJet> jet)
      : level_(level.level), jet_(std::move(jet)) {
    if (problem.written_out) kernel_.emplace(level.residual, problem.layout, point, options);
  }

  void operator()(const double* point, double* rows) {
    if (kernel_)
      (*kernel_)(point, rows);
    else
      jet_->evaluate(point, level_, rows);
  }
  void wait_native() const {
    if (kernel_) kernel_->kernel().wait_native();
  }

 private:
  int level_ = 0;
  std::optional<Evaluation> kernel_;
  std::shared_ptr<EquationJet> jet_;
};

/// The jet that the levels of a problem share; none when its derivatives are written out.
inline std::shared_ptr<EquationJet> shared_jet(const formulate::Problem& problem) {
  return problem.written_out ? nullptr : std::make_shared<EquationJet>(problem);
}

}  // namespace daedal::solve
