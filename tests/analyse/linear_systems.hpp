// Linear systems with known answers, and random ones.
#pragma once

#include "daedal/analyse/frequency_response.hpp"
#include "daedal/analyse/state_space.hpp"
#include "daedal/base/lu.hpp"
#include "daedal/pencil/pencil.hpp"

#include <Eigen/Dense>

#include <random>
#include <string>

namespace daedal::analysis::test {

inline LinearModel linear_model(const Eigen::MatrixXd& e, const Eigen::MatrixXd& a,
                                const Eigen::MatrixXd& b, const Eigen::MatrixXd& c,
                                const Eigen::MatrixXd& d) {
  LinearModel m;
  m.e = e, m.a = a, m.b = b, m.c = c, m.d = d;
  for (Eigen::Index k = 0; k < a.cols(); ++k) m.variables.push_back("x" + std::to_string(k + 1));
  for (Eigen::Index k = 0; k < b.cols(); ++k) m.inputs.push_back("u" + std::to_string(k + 1));
  for (Eigen::Index k = 0; k < c.rows(); ++k) m.outputs.push_back("y" + std::to_string(k + 1));
  return m;
}

inline LinearModel explicit_model(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b,
                                  const Eigen::MatrixXd& c, const Eigen::MatrixXd& d) {
  return linear_model(Eigen::MatrixXd::Identity(a.rows(), a.rows()), a, b, c, d);
}

inline Eigen::MatrixXd random_matrix(Eigen::Index rows, Eigen::Index columns, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  Eigen::MatrixXd m(rows, columns);
  for (Eigen::Index j = 0; j < columns; ++j)
    for (Eigen::Index i = 0; i < rows; ++i) m(i, j) = uniform(generator);
  return m;
}

/// Eigenvalues at distance of at least 0.2 from the axis on the left.
inline Eigen::MatrixXd random_stable(Eigen::Index n, unsigned seed) {
  const Eigen::MatrixXd m = random_matrix(n, n, seed);
  const double right =
      finite_eigenvalues(Eigen::MatrixXd::Identity(n, n), m).values.front().value.real();
  return m - (right + 0.2) * Eigen::MatrixXd::Identity(n, n);
}

/// C (sE - A)^-1 B + D without any structure: the slow way.
inline Eigen::MatrixXcd transfer_of(const LinearModel& m, std::complex<double> s) {
  const Eigen::MatrixXcd shifted =
      s * m.e.cast<std::complex<double>>() - m.a.cast<std::complex<double>>();
  return m.c.cast<std::complex<double>>() *
             ComplexLu(shifted).solve(Eigen::MatrixXcd(m.b.cast<std::complex<double>>())) +
         m.d.cast<std::complex<double>>();
}

}  // namespace daedal::analysis::test
