// States of the formulation hamilton: momenta p = dT/dv in place of the velocities, p = M(q) v + b(t, q).
//
//     q' = v(q, p),   p' = d/dt dT/dv,   with accelerations and multipliers as in Lagrange's form.
//
// A point contains velocities; only the integrator sees momenta. Driven coordinates keep their velocities: no
// equation balances their momenta.
#pragma once

#include "daedal/formulate/problem.hpp"
#include "daedal/system/evaluation.hpp"
#include "daedal/system/system.hpp"

#include <memory>
#include <span>
#include <vector>

namespace daedal::solve {

class MomentumStates {
 public:
  /// Throws ModelError as momentum_form does.
  MomentumStates(const formulate::Problem& problem, std::span<const double> sample,
                 const compile::Options& options);

  /// Replaces the momenta in `point` by velocities.
  Failure to_velocities(double* point);
  /// The velocities of the same momenta after positions have moved.
  Failure renew_velocities(double* point);
  /// The momenta at a point with velocities, into the places of the latter in s.
  void to_momenta(const double* point, double* s);
  /// Rates of the momenta at a point with velocities and tops, into ds.
  void rates(const double* point, double* ds);
  /// Sizes at which momenta count as large, into the places of those of the velocities.
  void scale(const double* point, double* nominal);

 private:
  MomentumStates(const formulate::Problem& problem, const formulate::MomentumForm& form,
                 std::span<const double> sample, const compile::Options& options);

  std::vector<std::uint32_t> velocity_;  // point positions, by coordinate
  std::vector<bool> driven_;
  Evaluation momenta_, rates_, masses_values_;
  expr::SparseFunction masses_pattern_;
  std::unique_ptr<compile::LinearSolver> masses_;
  std::vector<double> p_, v_, rows_, entries_;
};

}  // namespace daedal::solve
