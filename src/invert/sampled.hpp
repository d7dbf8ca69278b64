// A table of rows as functions of time: the polynomial through the rows nearest to a time, and its derivatives.
//
// The rows are all that a user gets, so what is proved of them is proved without the solver that made them. A joint of the
// desired motion lies between two polynomials: rows on it belong to neither side, because the inputs may jump there.
#pragma once

#include "daedal/base/table.hpp"

#include <span>
#include <vector>

namespace daedal::inversion {

/// Weights of the derivatives 0 .. `order` at t of the polynomial through values at `times` [Fornberg1988]:
/// x^(k)(t) = sum_i weights[k * times.size() + i] x(times[i]).
std::vector<double> difference_weights(double t, std::span<const double> times, int order);

class Sampled {
 public:
  /// Degree 7: the error of a second derivative falls with the sixth power of the time between rows.
  static constexpr std::size_t stencil_rows = 8;

  /// The first column of the table, which must outlive this, is the time; `joints` are sorted.
  Sampled(const Table& table, std::vector<double> joints);

  const Table& table() const { return table_; }
  std::span<const double> times() const { return times_; }
  /// Times of rows and joints, sorted: between two of them everything is one polynomial.
  const std::vector<double>& pieces() const { return pieces_; }

  /// The rows around a time, on its side of all joints; derivatives above their polynomial's degree are 0.
  struct Stencil {
    std::size_t first = 0, count = 0;
    std::vector<double> weights;  // [derivative * count + row]
    explicit operator bool() const { return count > 0; }
  };
  /// At time `at`, on that side of it on which the time `inside` lies.
  Stencil stencil(double inside, double at, int order) const;
  double value(std::size_t column, const Stencil& stencil, int derivative) const;

 private:
  const Table& table_;
  std::vector<double> times_, joints_, pieces_;
};

}  // namespace daedal::inversion
