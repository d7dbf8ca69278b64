// SuiteSparse KLU for real and complex matrices in compressed columns [DavisPalamadai2010]: the
// symbolic analysis is done once, later factorisations keep the pivots (and allocate nothing) while
// these stay good.
#pragma once

#include "planar.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace daedal::solve {

/// Scalar: double or Complex.
template <class Scalar>
class Klu {
 public:
  /// `column_start` and `row` stay with the solver; rows are sorted within a column.
  Klu(const std::vector<int>& column_start, const std::vector<int>& row);
  ~Klu();
  Klu(Klu&&) noexcept;
  Klu& operator=(Klu&&) noexcept;

  /// False when a pivot is zero.
  bool factor(typename Planar<Scalar>::ConstPointer values);
  /// x <- A^-1 x.
  void solve(typename Planar<Scalar>::Pointer x);
  /// Smallest over largest pivot of the last factorisation: a cheap, rough measure of nearness to a
  /// singular matrix.
  double pivot_ratio() const;

 private:
  struct Handles;
  std::unique_ptr<Handles> handles_;
};

extern template class Klu<double>;
extern template class Klu<Complex>;

}  // namespace daedal::solve
