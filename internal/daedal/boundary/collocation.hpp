// The collocation equations of a reduced system on a mesh, and Newton's method for them.
//
// Unknowns are the states s_n at the nodes of the mesh and the tops Z at the collocation points within each interval. The
// latter are eliminated where they are [AscherMattheijRussell1995]: linearised,
//     K dZ + K_0 ds_n = -R,     ds_(n+1) = T ds_n + g,
// so that only states meet in the almost block diagonal system. Rows at the left end: the constraint levels c(w, s_0) = 0,
// then L (s_0 - a) = 0; at the right end R (s_N - b) = 0. Where the motion repeats both ends are one state, which is the
// same problem with a = s_N and b = s_0: what the ends do with unit values of L a and R b closes the circle in as many
// equations (growing and decaying modes stay apart, as they do between ends at rest).
#pragma once

#include "daedal/base/lu.hpp"
#include "daedal/boundary/almost_block_diagonal.hpp"
#include "daedal/boundary/boundary_value.hpp"
#include "daedal/boundary/collocation_formula.hpp"
#include "daedal/boundary/reduced_system.hpp"

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace daedal::boundary {

/// The longest chain from a state to its top.
int depth_of(const ReducedSystem& system);

/// One step of Newton's method.
struct Correction {
  bool ok = true;            // false: singular, or not finite; nothing was changed
  std::size_t interval = 0;  // not ok: where
  double step = 0;           // largest change of a state over its size on the mesh
  double gap = 0;            // before it: largest gap between intervals, likewise
  std::size_t largest_state = 0, largest_node = 0;  // of the step
};

class Collocation {
 public:
  /// `left`: rows of L. The system must outlive this; nothing allocates after the constructor.
  Collocation(ReducedSystem& system, const CollocationFormula& formula, std::size_t intervals,
              std::size_t left);

  std::size_t intervals() const { return intervals_; }
  /// Of a state's nominal size: where it is smaller, it does not make corrections look large.
  double small = 1e-6;
  const CollocationFormula& formula() const { return formula_; }
  std::span<double> times() { return times_; }
  std::span<const double> times() const { return times_; }
  double* state(std::size_t node) { return states_.data() + node * n_; }
  const double* state(std::size_t node) const { return states_.data() + node * n_; }
  /// Tops of an interval, point after point.
  double* tops(std::size_t interval) { return tops_.data() + interval * m_; }
  const double* tops(std::size_t interval) const { return tops_.data() + interval * m_; }
  double* signals(std::size_t interval, std::size_t stage) {
    return signals_.data() + (interval * formula_.stages() + stage) * system_.signals();
  }
  /// Fills the signals at all collocation points and at the left end.
  void sample(const Desired& desired);

  /// Rows and the states at which they vanish; rows are dense, of states() entries.
  std::span<double> left_rows() { return left_rows_; }
  std::span<double> left_target() { return left_target_; }
  std::span<double> right_rows() { return right_rows_; }
  std::span<double> right_target() { return right_target_; }
  /// Each end is the target of the other.
  bool periodic = false;

  /// Renews all matrices, then makes a step.
  Correction newton();
  /// A step with the matrices of the last newton() that was ok.
  Correction chord();

  /// The last correction at a node: its largest entry, relative as above.
  double correction_at(std::size_t node) const;

  /// Linearises interval k about its tops and state k. False when K is singular.
  bool linearise(std::size_t k);
  /// Newton's method for the tops of interval k with its first state held; the largest relative correction.
  double settle(std::size_t k);
  /// The end of interval k from its first state and its tops.
  void advance(std::size_t k, double* end) const;
  /// Interval k as it is before anything is eliminated: its rows [K | K_0], then [W | P] of s_(k+1) = P s_k + W Z.
  std::size_t interval_rows() const { return m_ + n_; }
  void interval_equations(std::size_t k, double* rows);
  /// States that the gaps g (by interval) between them make, with the last factors and homogeneous conditions.
  void propagate(const double* gaps, double* states);

  /// The state at t_n + c h on the collocation polynomial.
  void interpolate(std::size_t k, double c, double* s) const;

 private:
  double* factors(std::size_t k) { return local_.data() + k * m_ * (m_ + n_); }
  const double* factors(std::size_t k) const { return local_.data() + k * m_ * (m_ + n_); }
  double interval(std::size_t k) const { return times_[k + 1] - times_[k]; }
  double without_tops(const double* from, std::size_t a, double time) const;
  double to_depth(double h, std::size_t a) const;
  void stage_state(std::size_t k, std::size_t i, double* s) const;
  void evaluate(std::size_t k);
  void residual(std::size_t k);
  void solve_local(std::size_t k);
  Correction conditions();
  bool close_circle();
  void ends_of(const double* states, double* values) const;
  void solve_nodes(double* states);
  Correction solve_and_move();
  void measure();
  void end_row(std::size_t k, std::size_t a, double* row) const;
  void transition_row(std::size_t k, std::size_t a, double* row) const;

  ReducedSystem& system_;
  CollocationFormula formula_;
  std::size_t intervals_, n_, nz_, m_;  // m_: tops of an interval
  std::vector<std::uint32_t> top_of_;   // by state
  std::vector<int> depth_;              // by state: integrals above it
  std::vector<double> times_, states_, tops_, signals_, left_signals_;
  std::vector<double> left_rows_, left_target_, right_rows_, right_target_;
  std::vector<double> local_;  // [K | K_0] of each interval, factored: [LU | K^-1 K_0]
  std::vector<std::size_t> exchange_;
  std::vector<double> local_residual_;  // R, then K^-1 R, by interval
  std::vector<double> values_, stage_, level_, size_;
  std::vector<double> right_hand_side_, change_;
  AlmostBlockDiagonal mesh_system_;
  std::unique_ptr<Lu> circle_;  // periodic: 1 - (what the other ends make of L a and R b)
};

}  // namespace daedal::boundary
