// An inverse model as it was derived, with no equation differentiated:
//
//     0 = F(w, y, y', y''),
//
// w = (t, desired outputs) given from outside, y all unknowns: coordinates, multipliers, inputs. Finite differences on a mesh
// turn it into a block tridiagonal system, constraints and servo-constraints on position level included: they hold at every
// node, and forces belong to nodes as well.
//
// What a node can do alone is not part of that system. An equation with one unknown fixes it (a pin: the coordinate it
// holds); an unknown in one equation follows from it in the end (the reaction of the pin, the velocity of a motor). Taken
// away one after the other, they leave the core.
#pragma once

#include "daedal/compile/kernel.hpp"
#include "daedal/formulate/problem.hpp"
#include "daedal/system/system.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace daedal::boundary {

class SecondOrderForm {
 public:
  static constexpr int orders = 3;  // y, y', y''

  /// Null where an unknown occurs with more than two derivatives, or nothing is left to solve on a mesh. The problem must
  /// outlive it; one per thread.
  static std::unique_ptr<SecondOrderForm> make(const formulate::Problem& problem,
                                               const compile::Options& options);
  ~SecondOrderForm();

  std::uint32_t unknowns() const { return static_cast<std::uint32_t>(position_.size()); }
  std::uint32_t signals() const { return 1 + problem_.inputs.rows; }
  /// The highest derivative of y_j that occurs.
  int order(std::uint32_t j) const { return order_[j]; }
  double nominal(std::uint32_t j) const { return nominal_[j]; }
  /// Of y_j among the values of the problem.
  std::uint32_t position(std::uint32_t j) const { return position_[j][0]; }
  bool is_rate(std::uint32_t signal) const;

  /// Unknowns and equations that nodes must solve together, in as many pairs.
  const std::vector<std::uint32_t>& core_unknowns() const { return core_unknowns_; }
  const std::vector<std::uint32_t>& core_equations() const { return core_equations_; }
  struct Pair {
    std::uint32_t unknown, equation;
  };
  /// Unknowns that one equation each fixes, and those that follow from one equation each when the core is solved; in this
  /// order.
  const std::vector<Pair>& fixed() const { return fixed_; }
  const std::vector<Pair>& followers() const { return followers_; }

  /// dF/dy^(k), k = 0, 1, 2, on all equations and unknowns.
  const solve::SparsePattern& pattern(int k) const { return pattern_[static_cast<std::size_t>(k)]; }
  std::size_t values() const;
  /// F, then the entries of the three matrices in the order of their patterns.
  void linearise(const double* w, const double* const y[orders], double* values);
  void residual(const double* w, const double* const y[orders], double* r);

  void wait_native() const;

  /// y and its derivatives as states and tops of the problem, and its y; derivatives beyond the second are 0.
  void to_point(const double* const y[orders], double* states, double* tops) const;
  void from_point(const double* states, const double* tops, double* y) const;
  /// y' of the unknowns that have one, 0 of others.
  void rates_from_point(const double* states, const double* tops, double* rates) const;
  std::uint32_t states() const { return problem_.states; }

 private:
  SecondOrderForm(const formulate::Problem& problem, const compile::Options& options);
  void find_core();
  const double* point_at(const double* w, const double* const y[orders]);

  struct Kernels;
  const formulate::Problem& problem_;
  std::vector<std::array<std::uint32_t, orders>> position_;  // of the unknown's derivatives
  std::vector<int> order_;
  std::vector<double> nominal_, point_;
  std::array<solve::SparsePattern, orders> pattern_;
  std::vector<std::uint32_t> core_unknowns_, core_equations_;
  std::vector<Pair> fixed_, followers_;
  std::unique_ptr<Kernels> kernels_;
};

}  // namespace daedal::boundary
