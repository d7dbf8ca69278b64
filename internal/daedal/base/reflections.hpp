// Householder reflections I - tau w w^T, w = (1, v), and their application to whole matrices [GolubVanLoan1996, 5.1].
//
// Inner products are added up in eight partial sums and columns are updated entry by entry: the same bits in registers of any
// width.
#pragma once

#include <Eigen/Core>

namespace daedal {

double inner_product(const double* a, const double* b, Eigen::Index n);

struct Reflection {
  double tau = 0, beta = 0;
};
/// Takes x to beta e_0; v, the tail of w, is left in x[1 ... n-1].
Reflection reflection_of(double* x, Eigen::Index n);

/// (I - tau w w^T) m and m (I - tau w w^T) in the place of m.
void reflect_rows(const double* v, double tau, Eigen::Ref<Eigen::MatrixXd> m);
void reflect_columns(const double* v, double tau, Eigen::Ref<Eigen::MatrixXd> m);

}  // namespace daedal
