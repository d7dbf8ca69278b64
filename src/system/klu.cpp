#include "daedal/system/klu.hpp"

#include <type_traits>
#include <utility>

namespace daedal::solve {

namespace {

/// KLU reads and writes complex numbers side by side.
void interleave(base::ConstComplexPointer from, std::vector<double>& to) {
  for (std::size_t i = 0; 2 * i < to.size(); ++i) {
    to[2 * i] = from.re[i];
    to[2 * i + 1] = from.im[i];
  }
}
void separate(const std::vector<double>& from, base::ComplexPointer to) {
  for (std::size_t i = 0; 2 * i < from.size(); ++i) {
    to.re[i] = from[2 * i];
    to.im[i] = from[2 * i + 1];
  }
}

/// Kept pivots whose ratio falls below this are chosen again.
constexpr double doubtful_ratio = 1e-10;

template <class Scalar>
constexpr bool is_real = std::is_same_v<Scalar, double>;

}  // namespace

template <class Scalar>
Klu<Scalar>::Klu(base::Sparsity columns)
    : matrix_(is_real<Scalar> ? 0 : 2 * columns.index.size()),
      vector_(is_real<Scalar> ? 0 : 2 * (columns.start.size() - 1)),
      lu_(std::move(columns),
          is_real<Scalar> ? compile::Klu::Numbers::real : compile::Klu::Numbers::complex) {}

template <class Scalar>
bool Klu<Scalar>::factor(typename base::Planar<Scalar>::ConstPointer values) {
  const double* numbers = matrix_.data();
  if constexpr (is_real<Scalar>)
    numbers = values;
  else
    interleave(values, matrix_);
  return (lu_.refactor(numbers) && lu_.pivot_ratio() > doubtful_ratio) ||
         (lu_.factor(numbers) && lu_.pivot_ratio() > 0);
}

template <class Scalar>
void Klu<Scalar>::solve(typename base::Planar<Scalar>::Pointer x) {
  if constexpr (is_real<Scalar>) {
    lu_.solve(x);
  } else {
    interleave(x, vector_);
    lu_.solve(vector_.data());
    separate(vector_, x);
  }
}

template class Klu<double>;
template class Klu<base::Complex>;

}  // namespace daedal::solve
