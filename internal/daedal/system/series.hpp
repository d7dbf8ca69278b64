// Taylor series of a problem's unknowns at a consistent point, stage by stage [Pryce2001], [NedialkovPryce2005].
//
// Stages up to 0 are the point itself. At stage k >= 1 the coefficients f_i[k + c_i] are linear in x_j[k + d_j]:
//
//     J y = -b,   b_i = (k+1) ... (k+c_i) f_i[k + c_i],   y_j = (k+1) ... (k+d_j) x_j[k + d_j],
//
// with one matrix J, the system Jacobian, for all stages: one factorisation a series. The solutions that weigh most are
// refined: elimination rounds with a bias where its intermediate results lie near powers of two (x^2 + y^2 = 1), which
// would make the energy of a pendulum grow steadily. In higher precision the same factors in double serve; a few rounds
// give every digit.
#pragma once

#include "daedal/compile/jet.hpp"
#include "daedal/compile/kernel.hpp"
#include "daedal/formulate/problem.hpp"
#include "daedal/system/rising_factorial.hpp"
#include "daedal/system/system.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace daedal::solve {

template <class T>
class Series {
 public:
  /// Coefficients of the states up to `order` >= 2.
  Series(const formulate::Problem& problem, std::shared_ptr<const compile::JetProgram> program,
         int order);

  int order() const { return order_; }

  /// The point's part of the series: x_j[n] for n <= d_j from states and z (tops and what is lifted).
  void set_point(T t, const T* states, const T* z);
  /// f_i^(c_i + level) at the point, for equations with c_i + level >= 0, in order.
  void residual(int level, T* rows);
  /// Evaluates the stages of the point and refines the tops by one Newton step with the factors that `solver` holds.
  void evaluate_point(compile::LinearSolver& solver, T* tops);
  /// Stages 1, 2, ...: `solver` holds the factors of the system Jacobian at the point.
  Failure extend(compile::LinearSolver& solver);

  /// Coefficient n of every state, then of every entry of z (of tops 0 at n = order).
  void coefficients(int n, T* out) const;

 private:
  struct Place {  // of a state or top: derivative `order` of unknown `unknown`
    std::uint32_t unknown = 0;
    int order = 0;
  };

  void solve(compile::LinearSolver& solver, int stage);
  /// (k+1) (k+2) ... (k+count)
  const RisingFactorial& factor(int k, int count) const {
    const auto row = static_cast<std::size_t>(count), column = static_cast<std::size_t>(k);
    return rising_[row * static_cast<std::size_t>(order_ + 1) + column];
  }

  const formulate::Problem& problem_;
  compile::Jet<T> jet_;
  int order_ = 0, first_level_ = 0;
  std::vector<Place> places_;
  std::vector<RisingFactorial> rising_;  // factors, by count and k
  std::vector<double> right_hand_side_, solution_;
  std::vector<T> change_;
};

extern template class Series<double>;
extern template class Series<compile::Quad>;

}  // namespace daedal::solve
