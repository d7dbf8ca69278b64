#include "klu.hpp"

#include "daedal/base/sparsity.hpp"

#include <klu.h>

#include <type_traits>

namespace daedal::solve {

namespace {

/// KLU reads and writes complex numbers side by side.
void interleave(ConstComplexPointer from, std::vector<double>& to) {
  for (std::size_t i = 0; 2 * i < to.size(); ++i) {
    to[2 * i] = from.re[i];
    to[2 * i + 1] = from.im[i];
  }
}
void separate(const std::vector<double>& from, ComplexPointer to) {
  for (std::size_t i = 0; 2 * i < from.size(); ++i) {
    to.re[i] = from[2 * i];
    to.im[i] = from[2 * i + 1];
  }
}

/// Kept pivots whose ratio falls below this are chosen anew.
constexpr double doubtful_ratio = 1e-10;

}  // namespace

template <class Scalar>
struct Klu<Scalar>::Handles {
  static constexpr bool real = std::is_same_v<Scalar, double>;
  std::vector<int> column_start, row;
  std::vector<double> matrix, vector;  // of complex numbers, side by side
  klu_common common{};
  klu_symbolic* symbolic = nullptr;
  klu_numeric* numeric = nullptr;

  int size() const { return static_cast<int>(column_start.size()) - 1; }

  void free_numeric() {
    if (numeric == nullptr) return;
    if constexpr (real)
      klu_free_numeric(&numeric, &common);
    else
      klu_z_free_numeric(&numeric, &common);
  }
  ~Handles() {
    free_numeric();
    if (symbolic != nullptr) klu_free_symbolic(&symbolic, &common);
  }

  double ratio() {
    if constexpr (real)
      klu_rcond(symbolic, numeric, &common);
    else
      klu_z_rcond(symbolic, numeric, &common);
    return common.rcond;
  }
  /// KLU's interface takes non-const arrays of doubles, which it only reads here.
  double* numbers_of(typename Planar<Scalar>::ConstPointer values) {
    if constexpr (real) {
      return const_cast<double*>(values);
    } else {
      interleave(values, matrix);
      return matrix.data();
    }
  }
  bool refactor(double* numbers) {
    const int done =
        real ? klu_refactor(column_start.data(), row.data(), numbers, symbolic, numeric, &common)
             : klu_z_refactor(column_start.data(), row.data(), numbers, symbolic, numeric, &common);
    return done != 0 && common.status == KLU_OK && ratio() > doubtful_ratio;
  }
  bool factor(double* numbers) {
    free_numeric();
    numeric = real ? klu_factor(column_start.data(), row.data(), numbers, symbolic, &common)
                   : klu_z_factor(column_start.data(), row.data(), numbers, symbolic, &common);
    return numeric != nullptr && common.status == KLU_OK && ratio() > 0;
  }
};

template <class Scalar>
Klu<Scalar>::Klu(const std::vector<int>& column_start, const std::vector<int>& row)
    : handles_(std::make_unique<Handles>()) {
  Handles& h = *handles_;
  h.column_start = column_start;
  h.row = row;
  if constexpr (!Handles::real) {
    h.matrix.resize(2 * row.size());
    h.vector.resize(2 * (column_start.size() - 1));
  }
  klu_defaults(&h.common);
  h.common.btf = base::is_structurally_symmetric({column_start, row}) ? 0 : 1;
  h.symbolic = klu_analyze(h.size(), h.column_start.data(), h.row.data(), &h.common);
}
template <class Scalar>
Klu<Scalar>::~Klu() = default;
template <class Scalar>
Klu<Scalar>::Klu(Klu&&) noexcept = default;
template <class Scalar>
Klu<Scalar>& Klu<Scalar>::operator=(Klu&&) noexcept = default;

template <class Scalar>
bool Klu<Scalar>::factor(typename Planar<Scalar>::ConstPointer values) {
  Handles& h = *handles_;
  if (h.symbolic == nullptr) return false;  // structurally singular
  double* const numbers = h.numbers_of(values);
  if (h.numeric != nullptr && h.refactor(numbers)) return true;
  return h.factor(numbers);
}

template <class Scalar>
void Klu<Scalar>::solve(typename Planar<Scalar>::Pointer x) {
  Handles& h = *handles_;
  if constexpr (Handles::real) {
    klu_solve(h.symbolic, h.numeric, h.size(), 1, x, &h.common);
  } else {
    interleave(x, h.vector);
    klu_z_solve(h.symbolic, h.numeric, h.size(), 1, h.vector.data(), &h.common);
    separate(h.vector, x);
  }
}

template <class Scalar>
double Klu<Scalar>::pivot_ratio() const {
  return handles_->numeric == nullptr ? 0 : handles_->common.rcond;
}

template class Klu<double>;
template class Klu<Complex>;

}  // namespace daedal::solve
