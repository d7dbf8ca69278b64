#include "singular_values.hpp"

#include "base/svd.hpp"

#include <cstddef>
#include <utility>

// NOLINTNEXTLINE(readability-identifier-naming): the name is Fortran's
extern "C" void dgesvd_(const char* want_u, const char* want_v, const int* m, const int* n,
                        double* a, const int* lda, double* s, double* u, const int* ldu, double* vt,
                        const int* ldvt, double* work, const int* lwork, int* info, std::size_t,
                        std::size_t);

namespace daedal::analyse {

namespace {

constexpr Eigen::Index few_columns = 40;

SingularValues by_jacobi(const Eigen::MatrixXd& m) {
  Svd found = svd(m);
  return {std::move(found.values), std::move(found.v)};
}

}  // namespace

SingularValues singular_values(const Eigen::MatrixXd& m) {
  if (m.rows() <= few_columns) return by_jacobi(m);
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
  return info == 0 ? SingularValues{s, vt.transpose()} : by_jacobi(m);
}

}  // namespace daedal::analyse
