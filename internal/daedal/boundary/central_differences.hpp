// A second-order form on a mesh of equal intervals, derivatives by symmetric differences, and Newton's method for it.
//
//     F(w_i, y_i, (D1 y)_i, (D2 y)_i) = 0     at the nodes between those that are known,
//
// with stencils of order 2, 4 or 6 in the residual. Newton's matrix is that of order 2 whatever the residual: block
// tridiagonal, an eighth of the work of collocation, and a step with it still contracts where every undamped oscillation has
// (h omega)^2 > 4, 16/3, 272/45 for the three orders (as the highest wave of the mesh sees D2). Below 4 the discrete
// oscillations are centre modes: then conditions in equal number at both ends are a resonance problem.
#pragma once

#include "daedal/boundary/block_tridiagonal.hpp"
#include "daedal/boundary/boundary_value.hpp"
#include "daedal/boundary/collocation.hpp"
#include "daedal/boundary/core_assembly.hpp"
#include "daedal/boundary/second_order_form.hpp"

#include <cstddef>
#include <vector>

namespace daedal::boundary {

/// A difference formula of order 2, 4, 6, 8 for the first and second derivative, in units of the step.
struct Stencil {
  int half = 1;           // so many neighbours at each side
  double first[5] = {};   // of y_(i+k) - y_(i-k)
  double second[5] = {};  // of y_i, then of y_(i+k) + y_(i-k)
  static const Stencil& of_order(int order);
};

class CentralDifferences {
 public:
  /// Nodes 0 .. nodes-1 at begin + k step, the first `left` and the last `right` of them known, at least one each. The form
  /// must outlive this; nothing allocates after the constructor.
  CentralDifferences(SecondOrderForm& form, std::size_t nodes, std::size_t left, std::size_t right);

  std::size_t nodes() const { return nodes_; }
  std::size_t first() const { return left_; }
  std::size_t last() const { return nodes_ - right_; }  // one past the last node solved for
  double begin = 0, step = 1;
  int order = 2;
  double time(std::size_t node) const { return begin + static_cast<double>(node) * step; }
  double* y(std::size_t node) { return y_.data() + node * n_; }
  const double* y(std::size_t node) const { return y_.data() + node * n_; }
  double* signals(std::size_t node) { return signals_.data() + node * form_.signals(); }
  void sample(const Desired& desired);

  /// Renews all matrices, then makes a step.
  Correction newton();
  /// A step with the matrices of the last newton() that was ok.
  Correction chord();
  /// What the next higher order would change, with the last matrices: positions and velocities, relative to their sizes; but
  /// for so many nodes at each end.
  double error(std::size_t margin = 0);
  /// The last correction of a node, its largest entry relative to the size of the unknown on the mesh.
  double correction_at(std::size_t node) const;

  /// y' and y'' at a node.
  void derivatives(std::size_t node, double* rates, double* accelerations) const;

  /// Of sizes: where an unknown is smaller than this share of its nominal size, it does not make corrections look large.
  double small = 1e-6;

  /// Whether as many modes decay as grow in this scheme and none is neutral, determined at a state of rest: then W of a long
  /// chain of equal blocks settles, at twice the slowest rate [1/s].
  static bool splits_evenly(SecondOrderForm& form, const double* w, const double* rest, double step,
                            double slowest);

 private:
  const Stencil& stencil(std::size_t node, int of_order) const;
  double rate_of(std::size_t node, std::uint32_t j, int of_order) const;
  void evaluate(std::size_t node, bool matrices);
  Correction solve_and_move();

  SecondOrderForm& form_;
  std::size_t nodes_, left_, right_, n_, core_;
  std::vector<double> y_, signals_, rates_, accelerations_, values_, size_, change_;
  CoreAssembly assembly_;
  BlockTridiagonal blocks_;
};

}  // namespace daedal::boundary
