// LAPACK rather than Eigen's RealQZ: it returns left eigenvectors as well, which the condition numbers need.
#include "daedal/pencil/qz.hpp"

#include "daedal/base/apart.hpp"

#include <cstddef>

// NOLINTNEXTLINE(readability-identifier-naming): the name is Fortran's
extern "C" void dggev_(const char* want_left, const char* want_right, const int* n, double* a,
                       const int* lda, double* b, const int* ldb, double* alpha_real,
                       double* alpha_imaginary, double* beta, double* left, const int* ldl,
                       double* right, const int* ldr, double* work, const int* lwork, int* info,
                       std::size_t, std::size_t);

namespace daedal::analysis {

Eigen::MatrixXcd unpacked(const Eigen::MatrixXd& packed, const Eigen::VectorXd& imaginary) {
  Eigen::MatrixXcd vectors = packed.cast<std::complex<double>>();
  for (Eigen::Index k = 0; k + 1 < packed.cols(); ++k) {
    if (imaginary[k] <= 0) continue;
    vectors.col(k).imag() = packed.col(k + 1);
    vectors.col(k + 1) = vectors.col(k).conjugate();
  }
  return vectors;
}

namespace {

GeneralisedEigenvalues by_dggev(const FinitePart& pencil) {
  const int n = static_cast<int>(pencil.a.rows());
  GeneralisedEigenvalues result;
  if (n == 0) return result;
  Eigen::MatrixXd a_work = pencil.a, e_work = pencil.e, left(n, n), right(n, n);
  Eigen::VectorXd real(n), imaginary(n), beta(n), work(1);
  int info = 0, length = -1;
  const auto call = [&] {
    dggev_("V", "V", &n, a_work.data(), &n, e_work.data(), &n, real.data(), imaginary.data(),
           beta.data(), left.data(), &n, right.data(), &n, work.data(), &length, &info, 1, 1);
  };
  call();  // asks for the length of the work space
  length = static_cast<int>(work[0]);
  work.resize(length);
  call();
  result.converged = info == 0 && beta.cwiseAbs().minCoeff() > 0;
  if (!result.converged) return result;
  for (int k = 0; k < n; ++k) result.values.emplace_back(real[k] / beta[k], imaginary[k] / beta[k]);
  const Eigen::MatrixXcd x = unpacked(right, imaginary), y = unpacked(left, imaginary);
  const Eigen::Map<const Eigen::VectorXcd> values(result.values.data(), n);
  result.right_norm = x.colwise().norm();
  result.left_norm = y.colwise().norm();
  result.product = y.conjugate().cwiseProduct(pencil.e * x).colwise().sum().cwiseAbs();
  result.above = pencil.a_above * x - pencil.e_above * x * values.asDiagonal();
  return result;
}

}  // namespace

GeneralisedEigenvalues qz(const FinitePart& pencil) {
  return apart(pencil.a.rows(), [pencil] { return by_dggev(pencil); });
}

}  // namespace daedal::analysis
