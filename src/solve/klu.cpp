#include "klu.hpp"

#include "daedal/base/sparsity.hpp"

#include <klu.h>

#include <type_traits>

namespace daedal::solve {

namespace {

/// Kept pivots whose ratio falls below this are chosen anew.
constexpr double doubtful_ratio = 1e-10;

}  // namespace

template <class Scalar>
struct Klu<Scalar>::Handles {
  static constexpr bool real = std::is_same_v<Scalar, double>;
  std::vector<int> column_start, row;
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
  bool refactor(const Scalar* values) {
    auto* const numbers = reinterpret_cast<double*>(const_cast<Scalar*>(values));
    const int done =
        real ? klu_refactor(column_start.data(), row.data(), numbers, symbolic, numeric, &common)
             : klu_z_refactor(column_start.data(), row.data(), numbers, symbolic, numeric, &common);
    return done != 0 && common.status == KLU_OK && ratio() > doubtful_ratio;
  }
  bool factor(const Scalar* values) {
    free_numeric();
    auto* const numbers = reinterpret_cast<double*>(const_cast<Scalar*>(values));
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
bool Klu<Scalar>::factor(const Scalar* values) {
  Handles& h = *handles_;
  if (h.symbolic == nullptr) return false;  // structurally singular
  if (h.numeric != nullptr && h.refactor(values)) return true;
  return h.factor(values);
}

template <class Scalar>
void Klu<Scalar>::solve(Scalar* x) {
  Handles& h = *handles_;
  auto* const numbers = reinterpret_cast<double*>(x);
  if constexpr (Handles::real)
    klu_solve(h.symbolic, h.numeric, h.size(), 1, numbers, &h.common);
  else
    klu_z_solve(h.symbolic, h.numeric, h.size(), 1, numbers, &h.common);
}

template <class Scalar>
double Klu<Scalar>::pivot_ratio() const {
  return handles_->numeric == nullptr ? 0 : handles_->common.rcond;
}

template class Klu<double>;
template class Klu<std::complex<double>>;

}  // namespace daedal::solve
