// SuiteSparse's KLU [DavisPalamadai2010]: the symbolic analysis is done once; a factorisation may keep the pivots of the one
// before, and then allocates nothing.
#pragma once

#include "daedal/base/sparsity.hpp"

#include <cstdint>
#include <memory>

namespace daedal::compile {

class Klu {
 public:
  /// Complex numbers have their real and imaginary parts side by side.
  enum class Numbers : std::uint8_t { real, complex };

  /// The pattern of each column.
  explicit Klu(base::Sparsity columns, Numbers numbers = Numbers::real);
  ~Klu();
  Klu(Klu&&) noexcept;
  Klu& operator=(Klu&&) noexcept;

  bool structurally_singular() const;
  /// With new pivots; false when one is zero.
  bool factor(const double* values);
  /// With the pivots of the last factorisation; false when there is none or one is zero.
  bool refactor(const double* values);
  /// Of the last factorisation, smallest over largest pivot: a cheap, rough measure of nearness to a singular matrix.
  double pivot_ratio() const;
  /// Of the last factorisation, which was of these real values: smallest ratio of the largest entry of a column to that of U.
  double reciprocal_growth(const double* values);
  /// x <- A^-1 x.
  void solve(double* x);
  /// x <- A^-T x, of real matrices.
  void solve_transposed(double* x);

 private:
  struct Handles;
  std::unique_ptr<Handles> handles_;
};

}  // namespace daedal::compile
