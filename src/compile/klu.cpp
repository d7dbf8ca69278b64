#include "daedal/compile/klu.hpp"

#include <klu.h>

#include <utility>

namespace daedal::compile {

struct Klu::Handles {
  base::Sparsity columns;
  bool real = true;
  klu_common common{};
  klu_symbolic* symbolic = nullptr;
  klu_numeric* numeric = nullptr;

  ~Handles() {
    free_numeric();
    klu_free_symbolic(&symbolic, &common);
  }
  int size() const { return static_cast<int>(columns.start.size()) - 1; }
  void free_numeric() {
    if (real)
      klu_free_numeric(&numeric, &common);
    else
      klu_z_free_numeric(&numeric, &common);
  }
  /// Sets common.rcond.
  void compare_pivots() {
    if (real)
      klu_rcond(symbolic, numeric, &common);
    else
      klu_z_rcond(symbolic, numeric, &common);
  }
};

namespace {

/// KLU's interface takes non-const arrays of doubles, which it only reads.
double* read_only(const double* values) { return const_cast<double*>(values); }

}  // namespace

Klu::Klu(base::Sparsity columns, Numbers numbers) : handles_(std::make_unique<Handles>()) {
  Handles& h = *handles_;
  h.columns = std::move(columns);
  h.real = numbers == Numbers::real;
  klu_defaults(&h.common);
  h.common.btf = base::is_structurally_symmetric(h.columns) ? 0 : 1;
  h.symbolic = klu_analyze(h.size(), h.columns.start.data(), h.columns.index.data(), &h.common);
}
Klu::~Klu() = default;
Klu::Klu(Klu&&) noexcept = default;
Klu& Klu::operator=(Klu&&) noexcept = default;

bool Klu::structurally_singular() const { return handles_->symbolic == nullptr; }

bool Klu::factor(const double* values) {
  Handles& h = *handles_;
  if (h.symbolic == nullptr) return false;
  h.free_numeric();
  int *const start = h.columns.start.data(), *const index = h.columns.index.data();
  h.numeric = h.real ? klu_factor(start, index, read_only(values), h.symbolic, &h.common)
                     : klu_z_factor(start, index, read_only(values), h.symbolic, &h.common);
  if (h.numeric == nullptr || h.common.status != KLU_OK) return false;
  h.compare_pivots();
  return true;
}

bool Klu::refactor(const double* values) {
  Handles& h = *handles_;
  if (h.numeric == nullptr) return false;
  int *const start = h.columns.start.data(), *const index = h.columns.index.data();
  const int done =
      h.real ? klu_refactor(start, index, read_only(values), h.symbolic, h.numeric, &h.common)
             : klu_z_refactor(start, index, read_only(values), h.symbolic, h.numeric, &h.common);
  if (done == 0 || h.common.status != KLU_OK) return false;
  h.compare_pivots();
  return true;
}

double Klu::pivot_ratio() const {
  return handles_->numeric == nullptr ? 0 : handles_->common.rcond;
}

double Klu::reciprocal_growth(const double* values) {
  Handles& h = *handles_;
  klu_rgrowth(h.columns.start.data(), h.columns.index.data(), read_only(values), h.symbolic,
              h.numeric, &h.common);
  return h.common.rgrowth;
}

void Klu::solve(double* x) {
  Handles& h = *handles_;
  if (h.real)
    klu_solve(h.symbolic, h.numeric, h.size(), 1, x, &h.common);
  else
    klu_z_solve(h.symbolic, h.numeric, h.size(), 1, x, &h.common);
}

void Klu::solve_transposed(double* x) {
  Handles& h = *handles_;
  klu_tsolve(h.symbolic, h.numeric, h.size(), 1, x, &h.common);
}

}  // namespace daedal::compile
