// The necessary conditions of an optimisation over the solutions of a reduced system, as a reduced system of their own
// [Druecker2022, 6.1.3], [Betts2010]: of all motions that satisfy the equations, the one nearest to a path of rest,
//
//     minimise  int sum ((s_a - rest_a(t))/size_a)^2 dt    such that   s' = next(s, z),  0 = r(w, s, z).
//
// With adjoint variables l of the states and m of the equations, H = sum (...)^2 + l^T next(s, z) + m^T r(w, s, z):
//
//     s' = next(s, z),   l' = -dH/ds,   0 = r,   0 = dH/dz.
//
// States (s, l), tops (z, l', m). Both ends of s are free, so l vanishes there, but for what the levels c(w, s) = 0 at the
// left end fix.
#pragma once

#include "daedal/boundary/boundary_value.hpp"
#include "daedal/boundary/rest_path.hpp"
#include "daedal/boundary/simpson.hpp"
#include "daedal/boundary/weighted_residual.hpp"

#include <vector>

namespace daedal::boundary {

class AdjointSystem final : public ReducedSystem {
 public:
  /// Both must outlive it.
  AdjointSystem(ReducedSystem& system, const RestPath& path);

  std::uint32_t states() const override { return 2 * n_; }
  std::uint32_t tops() const override { return 2 * nz_ + n_; }
  std::uint32_t signals() const override { return system_.signals(); }
  bool is_rate(std::uint32_t i) const override { return system_.is_rate(i); }
  std::span<const std::uint32_t> next() const override { return next_; }
  std::span<const double> nominal() const override { return nominal_; }
  const solve::SparsePattern& state_pattern() const override { return state_pattern_; }
  const solve::SparsePattern& top_pattern() const override { return top_pattern_; }
  void linearise(const double* w, const double* s, const double* z, double* values) override;
  void residual(const double* w, const double* s, const double* z, double* r) override;
  std::uint32_t levels() const override { return system_.levels(); }
  void level(const double* w, const double* s, double* c, double* jacobian) override;
  void desired(double t, double* w) override { system_.desired(t, w); }

  /// l = 0 at the right; at the left where the levels leave the states free, seen from rest there.
  SimpsonEnds ends(const double* w, const Rest& left);

 private:
  /// r, dH/ds + l', dH/dz.
  void conditions(const double* w, const double* s, const double* z, double* r);

  ReducedSystem& system_;
  const RestPath& path_;
  std::uint32_t n_, nz_;
  WeightedResidual equations_;
  std::vector<std::uint32_t> next_;
  std::vector<double> nominal_, rest_, level_;
  solve::SparsePattern state_pattern_, top_pattern_;
  Eigen::MatrixXd by_states_, by_tops_;
};

}  // namespace daedal::boundary
