// The linear systems of implicit methods, reduced to the tops.
//
// Newton's method on  s' = next(s, z), 0 = r(t, s, z)  requires the solution of
//     ds_i / c - d next_i = p_i,      r_s ds + r_z dz = q,
// with c = h/gamma (Radau) or 1/cj (BDF). Every state is a repeated integral of one top: following
// `next` from state i leads after depth_i steps to top_i. Elimination of ds therefore costs nothing
// and leaves
//     E dz = q - r_s p~,   p~_i = c (p_i + p~_next(i)),
//     E = r_z + sum_i c^depth_i r_s(:, i) e_top_i^T,
// which for q'' mechanics is the familiar r_a + c r_v + c^2 r_q: a third of the unknowns. Rows that lack m
// differentiations (constraints on velocity or position level) are divided by c^m: unscaled, the condition of E grows
// like c^-m, and like c^-2m with states as unknowns [BottassoBauchauCardona2007]; scaled, it stays that of index 1. E is
// factored densely when small, by KLU when large.
//
// Patterns with more rows and columns than tops describe hidden unknowns w: 0 = w - W(s) on the last rows, of which r is a
// function. They are 0 on the right-hand side, and eliminated with the rest: r_s of low rank is sparse in this form.
#pragma once

#include "daedal/base/dense_lu.hpp"
#include "daedal/base/planar.hpp"
#include "daedal/system/klu.hpp"
#include "daedal/system/system.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace daedal::solve {

/// Which top each state integrates, and how often; shared by the real and the complex matrix.
struct Chains {
  explicit Chains(const System& system);
  std::uint32_t states = 0, tops = 0;
  std::vector<std::uint32_t> next, top, depth;
  std::vector<std::uint32_t> order;  // of the states: each after the one it is the integral of
  std::uint32_t deepest = 0;
  std::vector<std::uint8_t> missing;  // differentiations, by row of r
  std::uint32_t most_missing = 0;
  /// A quantity whose derivative of order `depth` is a top (a top itself: 0) has the perturbation index 1 + this: errors of
  /// that size over c^this do no harm [HairerWanner1996, VII.4].
  std::uint32_t excess(std::uint32_t depth_of_state) const {
    return most_missing > depth_of_state ? most_missing - depth_of_state : 0;
  }
  std::vector<std::uint32_t>
      algebraic;  // tops that no state integrates: multipliers, algebraic variables
};

/// How large the algebraic tops have been (at least 1), for Newton's convergence test. Each is
/// measured against its own history, which does not ask for digits that rounding takes when it
/// passes zero, and a little against the largest of all.
class AlgebraicScale {
 public:
  explicit AlgebraicScale(const Chains& chains) : chains_(chains), own_(chains.algebraic.size()) {}
  void restart() {
    std::fill(own_.begin(), own_.end(), 0.0);
    largest_ = 1;
  }
  void update(const double* tops) {
    for (std::size_t k = 0; k < own_.size(); ++k) {
      own_[k] = std::max(own_[k], std::abs(tops[chains_.algebraic[k]]));
      largest_ = std::max(largest_, own_[k]);
    }
  }
  double of(std::size_t k) const { return std::max({own_[k], 1e-3 * largest_, 1.0}); }

 private:
  const Chains& chains_;
  std::vector<double> own_;
  double largest_ = 1;
};

/// Scalar: double or Complex.
template <class Scalar>
class ReducedNewton {
 public:
  using Pointer = typename base::Planar<Scalar>::Pointer;

  /// Systems of up to this many tops are dense.
  static constexpr std::uint32_t dense_limit = 48;

  ReducedNewton(const Chains& chains, const SparsePattern& state_pattern,
                const SparsePattern& top_pattern);

  /// `jacobians` as System::jacobians writes them; kept (by address) for the solves that follow.
  bool factor(Scalar c, const double* jacobians);
  /// With weights[depth] instead of c^depth: how much of its top a state contains (weights[0] = 1).
  bool factor(std::span<const Scalar> weights, const double* jacobians);
  /// Overwrites q by dz = E^-1 q, for ds_i = weights[depth_i] dz_top(i).
  void solve_tops(Pointer q);
  /// Overwrites p by ds and q by dz.
  void solve(Pointer p, Pointer q) { solve(c_, p, q); }
  /// With another c than that of the factored E: the states follow their tops exactly, E is late.
  void solve(Scalar c, Pointer p, Pointer q);

 private:
  void assemble(Pointer values, std::size_t count) const;
  void solve_matrix(Pointer x);

  const Chains& chains_;
  const SparsePattern& state_pattern_;
  std::uint32_t hidden_ = 0;                 // unknowns beyond the tops
  base::Planar<Scalar> wide_;                // where there are any
  std::vector<std::uint32_t> target_;        // where each Jacobian entry is added
  std::vector<std::uint32_t> entry_factor_;  // and with which of factors_
  std::vector<Scalar> weights_;
  base::Planar<Scalar> shifted_;
  std::vector<Scalar>
      factors_;  // [missing * (deepest + 1) + depth] = weights[depth] / weights[missing]
  const double* jacobians_ = nullptr;
  Scalar c_{};
  base::DenseLu<Scalar> dense_;
  base::Planar<Scalar> sparse_values_;
  std::optional<Klu<Scalar>> sparse_;
};

extern template class ReducedNewton<double>;
extern template class ReducedNewton<base::Complex>;

}  // namespace daedal::solve
