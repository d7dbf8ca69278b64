// An inverse model as a boundary value solver sees it:
//
//     s' = next(s, z),   0 = r(w, s, z),   0 = c(w, s)
//
// with w = (t, desired outputs and their derivatives) given externally. The servo-constraints occur in r twice
// differentiated, or as often as it takes until z follows from (w, s); the lower levels c hold along solutions once they hold
// at one end. (Discretised on position level they would leave the inputs undetermined between the nodes: the order of u falls
// from 4 to 2 on velocity level and to 0 on position level, see tests/boundary/boundary_value_test.cpp.)
//
// dr/dz may be singular, as that of a beam whose tip no acceleration reaches: it is enough that the collocation equations of
// one interval are regular.
#pragma once

#include "daedal/compile/kernel.hpp"
#include "daedal/formulate/problem.hpp"
#include "daedal/system/system.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace daedal::boundary {

class ReducedSystem {
 public:
  virtual ~ReducedSystem() = default;
  virtual std::uint32_t states() const = 0;
  virtual std::uint32_t tops() const = 0;
  virtual std::uint32_t signals() const = 0;  // entries of w; w[0] is the time
  /// Whether entry i of w is a derivative of another one.
  virtual bool is_rate(std::uint32_t i) const = 0;
  /// For state i: its derivative is state next(i) when next(i) < states(), else top next(i) - states().
  virtual std::span<const std::uint32_t> next() const = 0;
  /// The typical size of each state.
  virtual std::span<const double> nominal() const = 0;

  virtual const solve::SparsePattern& state_pattern() const = 0;  // of dr/ds
  virtual const solve::SparsePattern& top_pattern() const = 0;    // of dr/dz
  /// r, then the entries of dr/ds and of dr/dz in the order of their patterns.
  virtual void linearise(const double* w, const double* s, const double* z, double* values) = 0;
  virtual void residual(const double* w, const double* s, const double* z, double* r) = 0;

  virtual std::uint32_t levels() const = 0;  // rows of c
  /// c and dc/ds, dense, by rows.
  virtual void level(const double* w, const double* s, double* c, double* jacobian) = 0;

  /// The desired motion of the model itself: w at time t.
  virtual void desired(double t, double* w) = 0;
};

/// A formulated inverse Dae whose desired outputs are signals (derive::tracking). One per thread. Throws ModelError where
/// derivatives of the equations are not written out; the problem must outlive it.
class InverseSystem final : public ReducedSystem {
 public:
  InverseSystem(const formulate::Problem& problem, const compile::Options& options);
  ~InverseSystem() override;

  std::uint32_t states() const override { return problem_.states; }
  std::uint32_t tops() const override { return problem_.tops; }
  std::uint32_t signals() const override { return 1 + problem_.inputs.rows; }
  bool is_rate(std::uint32_t i) const override {
    return i > 0 && problem_.layout.leaf(problem_.first_input + i - 1).order > 0;
  }
  std::span<const std::uint32_t> next() const override { return next_; }
  std::span<const double> nominal() const override { return nominal_; }
  const solve::SparsePattern& state_pattern() const override { return state_pattern_; }
  const solve::SparsePattern& top_pattern() const override { return top_pattern_; }
  void linearise(const double* w, const double* s, const double* z, double* values) override;
  void residual(const double* w, const double* s, const double* z, double* r) override;
  std::uint32_t levels() const override { return levels_; }
  void level(const double* w, const double* s, double* c, double* jacobian) override;
  void desired(double t, double* w) override;

  const formulate::Problem& problem() const { return problem_; }
  /// The point of the problem's layout with these values in place; valid until the next call.
  const double* point_at(const double* w, const double* s, const double* z);
  /// Waits for native code (benchmarks, real-time objects).
  void wait_native() const;

 private:
  struct Kernels;
  const formulate::Problem& problem_;
  std::vector<std::uint32_t> next_;
  std::vector<double> nominal_, point_, scratch_;
  solve::SparsePattern state_pattern_, top_pattern_, level_pattern_;
  std::uint32_t levels_ = 0;
  std::unique_ptr<Kernels> kernels_;
};

}  // namespace daedal::boundary
