// No Schur vectors are accumulated. Norms and products of eigenvectors are the same in the basis of the Schur form T, where
// back-substitution finds them; of the transformation Z only (E12, A12) Z is needed, a few rows that take part in the iteration.
#include "standard_eigenvalues.hpp"

#include "daedal/base/apart.hpp"
#include "daedal/base/lu.hpp"
#include "daedal/base/reflections.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

// NOLINTBEGIN(readability-identifier-naming): the names are Fortran's
extern "C" void dlahqr_(const int* want_t, const int* want_z, const int* n, const int* low,
                        const int* high, double* h, const int* ldh, double* real, double* imaginary,
                        const int* first_row_of_z, const int* last_row_of_z, double* z,
                        const int* ldz, int* info);
extern "C" void dtrevc_(const char* side, const char* how_many, const int* select, const int* n,
                        const double* t, const int* ldt, double* left, const int* ldl,
                        double* right, const int* ldr, const int* columns, int* columns_used,
                        double* work, int* info, std::size_t, std::size_t);
// NOLINTEND(readability-identifier-naming)

namespace daedal::analysis {

namespace {

using Eigen::Index;
using Eigen::MatrixXcd;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// The 2-norm of a map by the power method; some per cent are enough for a decision and for an error estimate.
template <class Map, class Transposed>
double estimated_norm(Index size, Map map, Transposed transposed) {
  constexpr int iterations = 12;
  VectorXd x =
      VectorXd::LinSpaced(size, 1, 2);  // no symmetry that a singular vector could be orthogonal to
  double norm = 0;
  for (int k = 0; k < iterations; ++k) {
    x = transposed(map(x.normalized().eval()));
    norm = std::sqrt(x.norm());
  }
  return norm;
}

struct SchurForm {
  MatrixXd t, rows;  // Z^T M Z, and the given rows times Z
  VectorXd real, imaginary;
};

/// Q^T m Q with zeros below the first subdiagonal, and rows Q [GolubVanLoan1996, 7.4.2].
void to_hessenberg_form(MatrixXd& m, MatrixXd& rows) {
  for (Index k = 0; k + 2 < m.rows(); ++k) {
    stop_point();
    const Index left = m.rows() - k - 1;
    const Reflection found = reflection_of(m.col(k).data() + k + 1, left);
    const double* const v = m.col(k).data() + k + 2;
    m(k + 1, k) = found.beta;
    reflect_rows(v, found.tau, m.bottomRightCorner(left, left));
    reflect_columns(v, found.tau, m.rightCols(left));
    reflect_columns(v, found.tau, rows.rightCols(left));
    m.col(k).tail(left - 1).setZero();
  }
}

/// By double shifts (dlahqr): with the reference BLAS many shifts at a time (dlaqr0) take twice as long at 200.
std::optional<SchurForm> by_dlahqr(SchurForm s) {
  const int n = static_cast<int>(s.t.rows()), one = 1, yes = 1;
  const int given = static_cast<int>(s.rows.rows()), want_rows = given > 0 ? 1 : 0,
            leading = std::max(given, 1);
  int info = 0;
  dlahqr_(&yes, &want_rows, &n, &one, &n, s.t.data(), &n, s.real.data(), s.imaginary.data(), &one,
          &given, s.rows.data(), &leading, &info);
  if (info != 0) return std::nullopt;
  return s;
}

std::optional<SchurForm> schur_form(const MatrixXd& m, const MatrixXd& rows) {
  SchurForm s{m, rows, VectorXd(m.rows()), VectorXd(m.rows())};
  to_hessenberg_form(s.t, s.rows);
  return apart(m.rows(), [s = std::move(s)] { return by_dlahqr(s); });
}

/// Of a Schur form, packed as LAPACK does.
struct Eigenvectors {
  MatrixXd left, right;
};
std::optional<Eigenvectors> by_dtrevc(const MatrixXd& t) {
  const int n = static_cast<int>(t.rows()), unused = 0;
  Eigenvectors vectors{MatrixXd(n, n), MatrixXd(n, n)};
  VectorXd work(3 * n);
  int used = 0, info = 0;
  dtrevc_("B", "A", &unused, &n, t.data(), &n, vectors.left.data(), &n, vectors.right.data(), &n,
          &n, &used, work.data(), &info, 1, 1);
  if (info != 0) return std::nullopt;
  return vectors;
}

}  // namespace

std::optional<GeneralisedEigenvalues> standard_eigenvalues(const FinitePart& pencil) {
  const int n = static_cast<int>(pencil.a.rows());
  const Lu lu(pencil.e);
  const MatrixXd m = lu.solve(pencil.a);
  const double e_norm = estimated_norm(
      n, [&](const VectorXd& x) -> VectorXd { return pencil.e * x; },
      [&](const VectorXd& x) -> VectorXd { return pencil.e.transpose() * x; });
  const double growth = e_norm * m.norm() / pencil.a.norm();
  if (!(growth < safe_growth)) return std::nullopt;
  const double inverse_norm = estimated_norm(
      n, [&](const VectorXd& x) -> VectorXd { return lu.solve(x); },
      [&](const VectorXd& x) -> VectorXd { return lu.solve_transposed(x); });

  const Index k = pencil.a_above.rows();
  MatrixXd above(2 * k, n);
  above << pencil.a_above, pencil.e_above;
  std::optional<SchurForm> schur = schur_form(m, above);
  if (!schur) return std::nullopt;

  const std::optional<Eigenvectors> vectors = apart(n, [t = schur->t] { return by_dtrevc(t); });
  if (!vectors) return std::nullopt;

  GeneralisedEigenvalues result;
  for (int j = 0; j < n; ++j) result.values.emplace_back(schur->real[j], schur->imaginary[j]);
  const MatrixXcd x = unpacked(vectors->right, schur->imaginary),
                  w = unpacked(vectors->left, schur->imaginary);
  const Eigen::Map<const Eigen::VectorXcd> values(result.values.data(), n);
  // y^H E = w^H: the left vector's norm is at most ||E^-1|| ||w||; rounding of this method is that of a longer y
  result.right_norm = x.colwise().norm();
  result.left_norm = std::max(growth, 1.0) * inverse_norm * w.colwise().norm();
  result.product = w.conjugate().cwiseProduct(x).colwise().sum().cwiseAbs();
  result.above = schur->rows.topRows(k) * x - schur->rows.bottomRows(k) * x * values.asDiagonal();
  return result;
}

}  // namespace daedal::analysis
