// Simpson's rule (Lobatto IIIA) on reduced systems, as boundary value problems of inverse models are usually discretised
// [Druecker2022, 6.2.2]: tops at the nodes are unknowns shared by both neighbours, states in the middle of an interval are
// Hermite's interpolation,
//
//     s_m = (s_k + s_(k+1))/2 + h/8 (s'_k - s'_(k+1)),    s_(k+1) = s_k + h/6 (s'_k + 4 s'_m + s'_(k+1)),
//     r = 0 at nodes and middles.
//
// For comparison: r may be less differentiated (index 2 or 3), which shows what that costs. Collocation at Gauss points has
// no such rows at the nodes and is what stable inversion uses.
#pragma once

#include "daedal/boundary/boundary_value.hpp"
#include "daedal/boundary/rest_path.hpp"

#include <Eigen/Core>
#include <Eigen/SparseCore>

#include <vector>

namespace daedal::boundary {

/// Rows at the ends and the states at which they vanish.
struct SimpsonEnds {
  Eigen::MatrixXd left, right;
  std::vector<double> left_target, right_target;
};

struct SimpsonSolution {
  bool converged = false;
  int iterations = 0;
  double step = 0;  // the last correction, relative
  std::size_t unknowns = 0;
  std::vector<double> states, tops;  // by node
};

/// The equations above as one system: states and tops at the nodes, tops in the middles. `equations` are discretised;
/// `reduced`, of index 1, closes them at the first node together with its levels. All arguments must outlive it.
class SimpsonEquations {
 public:
  SimpsonEquations(ReducedSystem& equations, ReducedSystem& reduced,
                   const std::vector<double>& times, const Desired& desired,
                   const SimpsonEnds& ends);

  std::size_t intervals() const { return times_.size() - 1; }
  Eigen::Index unknowns() const {
    return static_cast<Eigen::Index>((n_ + nz_) * times_.size() + nz_ * intervals());
  }
  /// As many as unknowns when the ends give as many conditions as there are states less levels.
  Eigen::Index rows() const {
    return static_cast<Eigen::Index>(node_row(intervals()) + nz_) + ends_.right.rows();
  }
  std::size_t state(std::size_t node) const { return node * (n_ + 2 * nz_); }
  std::size_t top(std::size_t node) const { return state(node) + n_; }
  std::size_t middle_top(std::size_t k) const { return top(k) + nz_; }
  /// Position of r among the rows.
  std::size_t node_row(std::size_t node) const { return first_node_row_ + node * (n_ + 2 * nz_); }
  std::size_t middle_row(std::size_t k) const { return node_row(k) + nz_ + n_; }
  /// Hermite's state a in the middle of interval k: terms (position, weight).
  template <class Term>
  void middle(std::size_t k, double h, std::size_t a, Term term) const {
    term(state(k) + a, 0.5);
    term(state(k + 1) + a, 0.5);
    term(slope(k, a), h / 8);
    term(slope(k + 1, a), -h / 8);
  }

  /// A guess: states and tops, the same everywhere.
  Eigen::VectorXd everywhere(const std::vector<double>& states,
                             const std::vector<double>& tops) const;
  /// A better one: the first states along a path of rest, their derivatives by differences.
  void follow(const RestPath& path, Eigen::VectorXd& x) const;
  void evaluate(const Eigen::VectorXd& x);
  const Eigen::VectorXd& residual() const { return residual_; }
  /// Of the last evaluation, in an order that never changes.
  const std::vector<Eigen::Triplet<double>>& jacobian() const { return triplets_; }
  /// States and tops at the nodes.
  void hand_over(const Eigen::VectorXd& x, SimpsonSolution& solution) const;

 private:
  void entry(std::size_t row, std::size_t column, double value);
  std::size_t slope(std::size_t node, std::size_t a) const;
  void linear_rows(const Eigen::MatrixXd& rows, const std::vector<double>& target, const double* s,
                   std::size_t first);
  void left_end(const Eigen::VectorXd& x);
  void at_node(ReducedSystem& system, const Eigen::VectorXd& x, std::size_t node);
  void simpson(const Eigen::VectorXd& x, std::size_t k, double h);
  void in_the_middle(const Eigen::VectorXd& x, std::size_t k, double h);

  ReducedSystem &inner_, &reduced_;
  const std::vector<double>& times_;
  const Desired& desired_;
  const SimpsonEnds& ends_;
  std::size_t n_, nz_, first_node_row_, row_ = 0;
  std::vector<double> w_, middle_, values_;
  Eigen::VectorXd residual_;
  std::vector<Eigen::Triplet<double>> triplets_;
};

/// By Newton's method from a guess.
SimpsonSolution solve_simpson(SimpsonEquations& equations, Eigen::VectorXd guess,
                              int most_iterations = 20);

}  // namespace daedal::boundary
