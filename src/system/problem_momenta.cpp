// See problem_momenta.hpp.

#include "problem_momenta.hpp"

#include <algorithm>

namespace daedal::solve {

ProblemMomenta::ProblemMomenta(const formulate::Problem& problem, ProblemSystem& system,
                               std::span<const double> sample, const compile::Options& options)
    : problem_(problem), system_(system), constrained_(problem.tops, 0), tops_(problem.tops) {
  formulate::require_holonomic(problem, "method rattle");
  const formulate::MomentumForm form = formulate::momentum_form(problem, "method rattle");
  constant_masses_ = form.constant_masses;
  momenta_.emplace(form.momenta, problem.layout, sample.data(), options);
  forces_.emplace(form.forces, problem.layout, sample.data(), options);
  for (const formulate::Level& level : problem.levels) {
    Constraints& constraints = level.level == -2 ? positions_ : velocities_;
    constraints.residual.emplace(level.residual, problem.layout, sample.data(), options);
    constraints.equation = level.equation;
    constraints.rows.resize(level.rows());
    for (const std::uint32_t i : level.equation) constrained_[i] = 1;
  }
  solver_ = compile::compile_solver(problem.top_matrix, {problem.tops, {}}, problem.layout, sample,
                                    options);
  solver_->prepare(sample.data());
  mass_right_side_.resize(form.masses.rows);
  mass_solution_.resize(form.masses.rows);
  if (constant_masses_) return;
  mass_solver_ =
      compile::compile_solver(form.masses, {form.masses.rows, {}}, problem.layout, sample, options);
  mass_solver_->prepare(sample.data());
}

void ProblemMomenta::momenta(double t, const double* s, double* p) {
  (*momenta_)(system_.point_at(t, s, tops_.data()), p);
}

void ProblemMomenta::forces(double t, const double* s, const double* z, double* f) {
  (*forces_)(system_.point_at(t, s, z), f);
}

void ProblemMomenta::Constraints::write(const double* point, double* to) {
  if (!residual) return;
  (*residual)(point, rows.data());
  for (std::size_t r = 0; r < rows.size(); ++r) to[equation[r]] = rows[r];
}

void ProblemMomenta::positions(double t, const double* s, double* c) {
  positions_.write(system_.point_at(t, s, tops_.data()), c);
}

void ProblemMomenta::velocities(double t, const double* s, double* c) {
  velocities_.write(system_.point_at(t, s, tops_.data()), c);
}

bool ProblemMomenta::factor(double t, const double* s) {
  return solver_->solve(system_.point_at(t, s, tops_.data()), tops_.data()).ok;
}

/// Coordinates are the first unknowns: their momenta, where there are equations of motion, the first rows.
bool ProblemMomenta::solve_masses(double t, const double* s, const double* b, double* x) {
  if (!mass_solver_->solve(system_.point_at(t, s, tops_.data()), mass_solution_.data()).ok)
    return false;
  const std::vector<bool>& driven = problem_.dae->mechanics.driven;
  for (std::size_t k = 0; k < mass_right_side_.size(); ++k)
    mass_right_side_[k] = driven[k] ? 0 : b[k];
  mass_solver_->resolve(mass_right_side_.data(), mass_solution_.data());
  std::fill_n(x, problem_.tops, 0.0);
  std::copy(mass_solution_.begin(), mass_solution_.end(), x);
  return true;
}

}  // namespace daedal::solve
