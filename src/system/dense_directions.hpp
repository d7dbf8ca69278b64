// Directions as dense matrices: an orthonormal basis of the rows of G and of their complement, new in every step
// [HairerWanner1996, VII.2], or coordinates, chosen by a QR factorisation with pivoting and kept as long as they serve.
#pragma once

#include "daedal/base/dense_lu.hpp"
#include "daedal/system/householder.hpp"
#include "directions.hpp"

namespace daedal::solve {

/// Column-major.
struct DenseMatrix {
  std::size_t rows = 0, columns = 0;
  std::vector<double> values;
  explicit DenseMatrix(std::size_t r = 0, std::size_t c = 0) : rows(r), columns(c), values(r * c) {}
  double& operator()(std::size_t i, std::size_t j) { return values[j * rows + i]; }
  double operator()(std::size_t i, std::size_t j) const { return values[j * rows + i]; }
  double* column(std::size_t j) { return values.data() + j * rows; }
  const double* column(std::size_t j) const { return values.data() + j * rows; }
};

class DenseDirections final : public Directions {
 public:
  DenseDirections(const formulate::Problem& problem, const formulate::Level& level,
                  std::span<const double> sample, const compile::Options& options,
                  bool by_coordinates);

  bool choose(const double* point) override;
  Failure settle(double* point) override;
  void show_error(double* error) override;
  const double* free_basis() override { return free_.values.data(); }
  double work(const double* force) override;

  /// x = D (G D)^-1 f, with the factors of the last evaluation; f is overwritten.
  void along_dependent(double* f, double* x) const;
  /// N = I - D (G D)^-1 G I.
  const DenseMatrix& null_space();

 private:
  void evaluate(const double* point);  // G, and the factors of G D
  bool along_coordinates();
  bool along_tangent();
  double weakest_pivot();
  double largest_dependence();

  bool by_coordinates_, chosen_ = false, regular_ = false;
  DenseMatrix g_, dependent_, free_, null_space_;
  base::DenseLu<double> reduced_;  // G D
  Householder columns_, by_rows_, of_dependent_;
};

}  // namespace daedal::solve
