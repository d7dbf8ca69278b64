// Directions of many coordinates: the same ones as those of DenseDirections, without their matrices.
//
// Along the tangent, D spans the rows of G_0, those of the last choice, and nothing else of a basis matters: Newton's step in
// the span of D is
//
//     [ 1  G_0^T ] [ dx ]   [ 0 ]
//     [ G    0   ] [ mu ] = [ f ],      x <- x - dx
//
// with rows scaled to length 1. Where G_0 = G the same matrix projects a vector w onto the free directions, as w in the place
// of 0 and 0 in that of f; f vectors at random, projected and made orthonormal, are a basis I, which the next choice projects
// again. The condition is that of G, squared, where the pivots come from the unit matrix: a choice is refused from
// 1e-7 on, not from 1e-10 on. What Newton's method converges to does not depend on it.
//
// Along coordinates, D and I are columns of the unit matrix, and G D = G_d, columns of G. With T = G_d^-1 G_f, exchanging the
// dependent coordinate i and the free one j multiplies det G_d by T_ij. Coordinates are chosen again when one exchange would
// double it, until none enlarges it: the entries of N = [1; -T] are then at most 1 [GuEisenstat1996]. The first choice takes
// the rows of an orthonormal basis I on which a QR factorisation with pivoting puts the free coordinates: minors of I are
// those of G that complement them. Coordinates are measured in their nominal values.
#pragma once

#include "daedal/system/compressed_columns.hpp"
#include "daedal/system/klu.hpp"
#include "directions.hpp"

#include <optional>

namespace daedal::solve {

/// [1 G_0^T; G 0] on a fixed pattern.
class TangentMatrix {
 public:
  explicit TangentMatrix(const formulate::Level& level);

  /// G_0 from its entries; the lengths of its rows become 1, here and in later G.
  void set_directions(const double* entries);
  bool factor(const double* entries);  // of G
  /// With G_0 for G. False where its rows depend on each other.
  bool factor_directions();
  /// The right-hand side, its last m rows scaled, becomes (dx, mu).
  void solve(double* x);
  double row_scale(std::size_t i) const { return row_scale_[i]; }
  /// The first n of w onto the free directions; the others are scratch. The matrix is that of its directions.
  void project(double* w);

 private:
  const expr::SparseFunction& jacobian_;
  std::size_t n_, m_;
  CompressedColumns pattern_;
  Klu<double> klu_;
  std::vector<std::uint32_t> place_, transposed_place_;  // in values_, by entry of G
  std::vector<double> values_, directions_, row_scale_, rest_;
  bool with_directions_ = false;  // is factored so
};

/// An orthonormal basis of the vectors that G_0 takes to 0.
class TangentBasis {
 public:
  TangentBasis(std::size_t unknowns, std::size_t free, std::size_t matrix_size)
      : n_(unknowns), free_(free), columns_(unknowns * free), projected_(matrix_size) {}
  /// `matrix` is factored with its directions.
  void renew(TangentMatrix& matrix);
  const double* column(std::size_t j) const { return columns_.data() + j * n_; }

 private:
  bool make_orthonormal(std::size_t j);

  std::size_t n_, free_;
  std::uint64_t random_ = 0;
  bool started_ = false;
  std::vector<double> columns_, projected_;
};

/// Simplified Newton: what both kinds share. The matrix is new in the first iteration and kept while corrections are small.
class SparseDirections : public Directions {
 public:
  SparseDirections(const formulate::Problem& problem, const formulate::Level& level,
                   std::span<const double> sample, const compile::Options& options)
      : Directions(problem, level, sample, options), correction_(n_) {}
  Failure settle(double* point) final;

 protected:
  virtual bool factor() = 0;  // G of entries_
  virtual void solve() = 0;   // correction_, by unknown, from rows_
  std::vector<double> correction_;
};

class SparseTangent final : public SparseDirections {
 public:
  SparseTangent(const formulate::Problem& problem, const formulate::Level& level,
                std::span<const double> sample, const compile::Options& options);
  bool choose(const double* point) override;
  const double* free_basis() override;
  double work(const double* force) override;

 private:
  bool factor() override { return matrix_.factor(entries_.data()); }
  void solve() override;

  TangentMatrix matrix_;
  TangentBasis basis_;
  bool basis_is_new_ = false;
  std::vector<double> vector_;
};

class SparseCoordinates final : public SparseDirections {
 public:
  SparseCoordinates(const formulate::Problem& problem, const formulate::Level& level,
                    std::span<const double> sample, const compile::Options& options);
  bool choose(const double* point) override;
  void show_error(double* error) override;
  const double* free_basis() override;
  double work(const double* force) override;

 private:
  bool factor() override;
  void solve() override;
  bool choose_anew();
  bool choose_better();
  void take_free_columns();
  bool evaluate_dependence();
  double largest_dependence();
  void exchange(std::size_t i, std::size_t j);

  std::vector<std::size_t> dependent_columns_;  // ascending
  std::optional<Klu<double>> klu_;              // of G_d, columns times nominal values
  std::vector<std::uint32_t> place_;            // in values_, by entry of G; none in free columns
  std::vector<double> values_;
  std::vector<double> dependence_;  // T, by columns, in nominal values
  std::size_t largest_ = 0;         // place in T
  std::vector<double> basis_;
};

}  // namespace daedal::solve
