#include "daedal/pencil/singular_values.hpp"

#include "daedal/base/apart.hpp"
#include "daedal/base/svd.hpp"

#include <algorithm>
#include <complex>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <utility>

// NOLINTBEGIN(readability-identifier-naming): the names are Fortran's
extern "C" void dgesvd_(const char* want_u, const char* want_v, const int* m, const int* n,
                        double* a, const int* lda, double* s, double* u, const int* ldu, double* vt,
                        const int* ldvt, double* work, const int* lwork, int* info, std::size_t,
                        std::size_t);
extern "C" void zgesvd_(const char* want_u, const char* want_v, const int* m, const int* n,
                        std::complex<double>* a, const int* lda, double* s, std::complex<double>* u,
                        const int* ldu, std::complex<double>* vh, const int* ldvh,
                        std::complex<double>* work, const int* lwork, double* real_work, int* info,
                        std::size_t, std::size_t);
// NOLINTEND(readability-identifier-naming)

namespace daedal::analysis {

namespace {

constexpr Eigen::Index few_columns = 40;

SingularValues by_jacobi(const Eigen::MatrixXd& m) {
  Svd found = svd(m);
  return {std::move(found.values), std::move(found.v)};
}

std::optional<SingularValues> by_dgesvd(const Eigen::MatrixXd& m) {
  const int n = static_cast<int>(m.rows());
  Eigen::MatrixXd a = m, vt(n, n);
  Eigen::VectorXd s(n), work(1);
  double no_u = 0;
  const int one = 1;
  int info = 0, length = -1;
  const auto call = [&] {
    dgesvd_("N", "A", &n, &n, a.data(), &n, s.data(), &no_u, &one, vt.data(), &n, work.data(),
            &length, &info, 1, 1);
  };
  call();  // asks for the length of the work space
  length = static_cast<int>(work[0]);
  work.resize(length);
  call();
  if (info != 0) return std::nullopt;
  return SingularValues{s, vt.transpose()};
}

ComplexSvd by_zgesvd(Eigen::MatrixXcd m) {
  const int rows = static_cast<int>(m.rows()), columns = static_cast<int>(m.cols()),
            shorter = std::min(rows, columns);
  ComplexSvd result{Eigen::VectorXd(shorter), Eigen::MatrixXcd(rows, rows), {}};
  Eigen::MatrixXcd vh(columns, columns);
  Eigen::VectorXcd work(1);
  Eigen::VectorXd real_work(5 * shorter);
  int info = 0, length = -1;
  const auto call = [&] {
    zgesvd_("A", "A", &rows, &columns, m.data(), &rows, result.values.data(), result.u.data(),
            &rows, vh.data(), &columns, work.data(), &length, real_work.data(), &info, 1, 1);
  };
  call();  // asks for the length of the work space
  length = static_cast<int>(work[0].real());
  work.resize(length);
  call();
  if (info != 0) throw std::runtime_error("singular values of a complex matrix did not converge");
  result.v = vh.adjoint();
  return result;
}

}  // namespace

SingularValues singular_values(const Eigen::MatrixXd& m) {
  if (m.rows() <= few_columns) return by_jacobi(m);
  const auto found = apart(m.rows(), [m] { return by_dgesvd(m); });
  return found ? *found : by_jacobi(m);
}

ComplexSvd complex_svd(Eigen::MatrixXcd m) {
  const Eigen::Index rows = m.rows();
  return apart(rows, [m = std::move(m)] { return by_zgesvd(m); });
}

}  // namespace daedal::analysis
