#include "daedal/pencil/lyapunov.hpp"

#include "daedal/base/apart.hpp"
#include "daedal/base/symmetric_eigen.hpp"

#include <complex>
#include <cstddef>
#include <limits>
#include <stdexcept>

// NOLINTNEXTLINE(readability-identifier-naming): the name is Fortran's
extern "C" void zgees_(const char* want_vectors, const char* sort, const int* select, const int* n,
                       std::complex<double>* a, const int* lda, int* selected,
                       std::complex<double>* eigenvalues, std::complex<double>* vectors,
                       const int* ldv, std::complex<double>* work, const int* lwork,
                       double* real_work, int* flags, int* info, std::size_t, std::size_t);

namespace daedal::analysis {

using Eigen::Index;

namespace {

/// F = U T U^* with unitary U and upper triangular T.
struct ComplexSchur {
  Eigen::MatrixXcd t, u;

  explicit ComplexSchur(const Eigen::MatrixXd& f)
      : t(f.cast<std::complex<double>>()), u(f.rows(), f.rows()) {
    const int n = static_cast<int>(f.rows());
    Eigen::VectorXcd eigenvalues(n), work(1);
    Eigen::VectorXd real_work(n);
    int selected = 0, info = 0, length = -1;
    const auto call = [&] {
      zgees_("V", "N", nullptr, &n, t.data(), &n, &selected, eigenvalues.data(), u.data(), &n,
             work.data(), &length, real_work.data(), nullptr, &info, 1, 1);
    };
    call();  // asks for the length of the work space
    length = static_cast<int>(work[0].real());
    work.resize(length);
    call();
    if (info != 0) throw std::runtime_error("lyapunov: the eigenvalues were not found");
  }
};

}  // namespace

Eigen::MatrixXd lyapunov(const Eigen::MatrixXd& f, const Eigen::MatrixXd& q) {
  const Index n = f.rows();
  if (n == 0) return {};
  // F = U T U^*:  T Y + Y T^* = -U^* Q U, column by column from the last one
  const auto [t, u] = apart(n, [f] { return ComplexSchur(f); });
  const Eigen::MatrixXcd right = -(u.adjoint() * q * u);
  const double noise = 10 * std::numeric_limits<double>::epsilon() * t.norm();
  Eigen::MatrixXcd y(n, n);
  for (Index j = n; j-- > 0;) {
    stop_point();
    Eigen::MatrixXcd shifted = t;
    shifted.diagonal().array() += std::conj(t(j, j));
    if (shifted.diagonal().cwiseAbs().minCoeff() <= noise)
      throw std::invalid_argument("lyapunov: two eigenvalues add up to zero");
    const Eigen::VectorXcd b =
        right.col(j) - y.rightCols(n - 1 - j) * t.row(j).tail(n - 1 - j).adjoint();
    y.col(j) = shifted.triangularView<Eigen::Upper>().solve(b);
  }
  return (u * y * u.adjoint()).real();
}

QuadraticFunction quadratic_lyapunov_function(const Eigen::MatrixXd& f, const Eigen::MatrixXd& q) {
  QuadraticFunction v;
  const Eigen::MatrixXd p = lyapunov(f.transpose(), q);
  v.p = 0.5 * (p + p.transpose());
  if (v.p.size() == 0) return v;
  const Eigen::VectorXd values = symmetric_eigenvalues(v.p);
  v.smallest = values.minCoeff();
  v.largest = values.maxCoeff();
  return v;
}

}  // namespace daedal::analysis
