// KLU for real matrices and for complex ones in two arrays: pivots are kept while they stay good.
#pragma once

#include "daedal/base/planar.hpp"
#include "daedal/compile/klu.hpp"

#include <vector>

namespace daedal::solve {

/// Scalar: double or Complex.
template <class Scalar>
class Klu {
 public:
  explicit Klu(base::Sparsity columns);

  /// False when a pivot is zero.
  bool factor(typename base::Planar<Scalar>::ConstPointer values);
  /// x <- A^-1 x.
  void solve(typename base::Planar<Scalar>::Pointer x);
  double pivot_ratio() const { return lu_.pivot_ratio(); }

 private:
  std::vector<double> matrix_, vector_;  // of complex numbers, side by side
  compile::Klu lu_;
};

extern template class Klu<double>;
extern template class Klu<base::Complex>;

}  // namespace daedal::solve
