// The canonical view of a formulated mechanism: kernels for its momenta, forces and constraints.
#pragma once

#include "daedal/formulate/problem.hpp"
#include "daedal/system/evaluation.hpp"
#include "daedal/system/problem_system.hpp"

#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace daedal::solve {

class ProblemMomenta final : public Canonical {
 public:
  /// Throws ModelError as momentum_form does. `system` fills points; `sample` is one of them.
  ProblemMomenta(const formulate::Problem& problem, ProblemSystem& system,
                 std::span<const double> sample, const compile::Options& options);

  bool constant_masses() const override { return constant_masses_; }
  void momenta(double t, const double* s, double* p) override;
  void forces(double t, const double* s, const double* z, double* f) override;
  std::span<const std::uint8_t> constrained() const override { return constrained_; }
  void positions(double t, const double* s, double* c) override;
  void velocities(double t, const double* s, double* c) override;
  bool factor(double t, const double* s) override;
  void solve(const double* b, double* x) override { solver_->resolve(b, x); }
  bool solve_masses(double t, const double* s, const double* b, double* x) override;

 private:
  struct Constraints {
    std::optional<Evaluation> residual;
    std::vector<std::uint32_t> equation;
    std::vector<double> rows;
    void write(const double* point, double* to);
  };

  const formulate::Problem& problem_;
  ProblemSystem& system_;
  bool constant_masses_ = false;
  std::optional<Evaluation> momenta_, forces_;
  Constraints positions_, velocities_;
  std::vector<std::uint8_t> constrained_;
  std::unique_ptr<compile::LinearSolver> solver_, mass_solver_;
  std::vector<double> tops_, mass_right_side_, mass_solution_;
};

}  // namespace daedal::solve
