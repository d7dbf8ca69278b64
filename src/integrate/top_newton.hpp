// Newton's method for an implicit step whose states are known up to a multiple of their tops:
//
//     0 = r(t, s, z),     s_i = known_i + weights[depth_i] z_top(i).
//
// A multistep or Newmark formula, applied along the chain q'' -> q' -> q, has this form, so the tops are the only unknowns.
// Rows of constraints on velocity or position level are divided by weights[1], weights[2]: ReducedNewton says why. The
// matrix serves for several steps; when iterations do not converge it is renewed, in the end in every iteration.
#pragma once

#include "daedal/integrate/integrator.hpp"
#include "difference_jacobians.hpp"
#include "reduced_newton.hpp"

#include <optional>
#include <span>
#include <vector>

namespace daedal::solve {

class TopNewton {
 public:
  TopNewton(System& system, const NewtonOptions& options);

  const Chains& chains() const { return chains_; }
  std::size_t weights() const { return chains_.deepest + 1; }

  /// Forgets the matrix.
  void restart();

  struct Step {
    double t = 0;
    const double* known = nullptr;
    std::span<const double> weights;
  };
  /// From the guess in z; sets s and z.
  Failure solve(const Step& step, double* s, double* z, StepStatistics& statistics);
  /// A single iteration with a matrix of its own.
  Failure solve_once(const Step& step, double* s, double* z, StepStatistics& statistics);

 private:
  enum class Renewal { none, first, always };

  void set_states(const Step& step, const double* z, double* s) const;
  bool renew(const Step& step, const double* s, const double* z, StepStatistics& statistics);
  Failure settle(const Step& step, double* s, double* z, StepStatistics& statistics);
  bool iterate(const Step& step, Renewal renewal, double* s, double* z, StepStatistics& statistics);
  void correct(const Step& step, const double* s, const double* z, StepStatistics& statistics);
  double size_of_correction(const Step& step, const double* s) const;
  double size_in_states(const Step& step, const double* s) const;
  void learn_from_correction();

  System& system_;
  NewtonOptions options_;
  Chains chains_;
  AlgebraicScale algebraic_scale_;
  ReducedNewton<double> matrix_;
  std::optional<DifferenceJacobians> differences_;
  std::vector<double> jacobians_, nominal_, guess_;
  std::vector<double> correction_;        // -E^-1 r
  std::vector<double> factored_weights_;  // of matrix_
  double rounding_ = 0;                   // size of corrections that cannot shrink
  int age_ = 0;                           // steps that matrix_ has served; 0: there is none

  /// Broyden's updates E^-1 = (I + u_k v_k^T) ... (I + u_1 v_1^T) E_0^-1 [Broyden1965].
  struct Update {
    std::vector<double> u, v;
  };
  std::vector<Update> updates_;
  std::size_t updates_used_ = 0;
  std::vector<double> last_correction_;
};

}  // namespace daedal::solve
