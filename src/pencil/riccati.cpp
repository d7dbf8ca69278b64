// The optimal motion satisfies, with the adjoint state l = X E x,
//
//   E x' = A x + B u,   E^T l' = -Q x - A^T l - S u,   0 = S^T x + B^T l + R u
//   E x+ = A x + B u,   A^T l+ = -Q x + E^T l - S u,   0 = S^T x + B^T l+ + R u
//
// Rows orthogonal to [B; -S; R], the columns of u, leave a pencil of twice the number of states without u, whose eigenvalues
// come in pairs (s, -s), or (z, 1/z). Its stable subspace [U1; U2] gives X E = U2 U1^-1.
#include "daedal/pencil/riccati.hpp"

#include "daedal/base/apart.hpp"
#include "daedal/base/lu.hpp"
#include "daedal/base/qr.hpp"
#include "daedal/pencil/balance.hpp"
#include "daedal/pencil/lyapunov.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <utility>

// NOLINTBEGIN(readability-identifier-naming): the names are Fortran's
extern "C" void dgges_(const char* want_left, const char* want_right, const char* sort,
                       const int* select, const int* n, double* a, const int* lda, double* b,
                       const int* ldb, int* selected, double* alpha_real, double* alpha_imaginary,
                       double* beta, double* left, const int* ldl, double* right, const int* ldr,
                       double* work, const int* lwork, int* flags, int* info, std::size_t,
                       std::size_t, std::size_t);
extern "C" void dtgsen_(const int* job, const int* want_left, const int* want_right,
                        const int* select, const int* n, double* a, const int* lda, double* b,
                        const int* ldb, double* alpha_real, double* alpha_imaginary, double* beta,
                        double* left, const int* ldl, double* right, const int* ldr, int* selected,
                        double* left_bound, double* right_bound, double* difference, double* work,
                        const int* lwork, int* integer_work, const int* liwork, int* info);
// NOLINTEND(readability-identifier-naming)

namespace daedal::analysis {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Complex = std::complex<double>;

constexpr double epsilon = std::numeric_limits<double>::epsilon();
/// Eigenvalues on the boundary are double: rounding moves them off it by its root, and the sides to which they fall mean
/// nothing. Nearer to it there is no telling.
const double near_boundary = 10 * std::sqrt(epsilon);

/// alpha/beta, on both sides of a boundary: the imaginary axis, or the unit circle.
struct Boundary {
  bool circle = false;
  double unit = 1;  // the pencil's eigenvalues times this are those of the problem

  /// Distance to the inside, relative to the eigenvalue: below 0 outside.
  double inside(Complex alpha, double beta) const {
    const double a = std::abs(alpha) * unit, b = std::abs(beta);
    if (circle) return (b - a) / (a + b);
    return -std::copysign(1.0, beta) * alpha.real() / std::hypot(std::abs(alpha), b);
  }
};

/// Columns span the deflating subspace of the eigenvalues inside; `inside` of each eigenvalue, sorted out.
struct Subspace {
  bool converged = true;
  int dimension = 0;
  MatrixXd basis;
  std::vector<Complex> values;  // all, in the pencil's unit
  std::vector<double> inside;
};

Subspace ordered_schur(MatrixXd a, MatrixXd e, Boundary boundary) {
  const int n = static_cast<int>(a.rows());
  Subspace found;
  found.basis = MatrixXd(n, n);
  MatrixXd left(n, n);
  Eigen::VectorXd real(n), imaginary(n), beta(n), work(1);
  int none = 0, info = 0, length = -1;
  const auto schur = [&] {
    dgges_("V", "V", "N", nullptr, &n, a.data(), &n, e.data(), &n, &none, real.data(),
           imaginary.data(), beta.data(), left.data(), &n, found.basis.data(), &n, work.data(),
           &length, nullptr, &info, 1, 1, 1);
  };
  schur();  // asks for the length of the work space
  length = static_cast<int>(work[0]);
  work.resize(length);
  schur();
  if (info != 0) {
    found.converged = false;
    return found;
  }
  std::vector<int> select(static_cast<std::size_t>(n));
  for (int k = 0; k < n; ++k) {
    const Complex alpha(real[k], imaginary[k]);
    found.inside.push_back(boundary.inside(alpha, beta[k]));
    found.values.push_back(imaginary[k] < 0 && k > 0 ? std::conj(found.values.back())
                                                     : alpha / beta[k]);  // pairs to the bit
    select[static_cast<std::size_t>(k)] = found.inside.back() > 0 ? 1 : 0;
  }
  const int job = 0, yes = 1, integer_length = n + 6;
  length = 4 * n + 16;
  work.resize(length);
  std::vector<int> integer_work(static_cast<std::size_t>(integer_length));
  double left_bound = 0, right_bound = 0, difference[2] = {0, 0};
  dtgsen_(&job, &yes, &yes, select.data(), &n, a.data(), &n, e.data(), &n, real.data(),
          imaginary.data(), beta.data(), left.data(), &n, found.basis.data(), &n, &found.dimension,
          &left_bound, &right_bound, difference, work.data(), &length, integer_work.data(),
          &integer_length, &info);
  found.converged = info == 0;
  return found;
}

void check_sizes(const RiccatiEquation& p) {
  const Index n = p.a.rows(), m = p.b.cols();
  const auto square = [](const MatrixXd& x, Index size) {
    return x.rows() == size && x.cols() == size;
  };
  if (!square(p.a, n) || p.b.rows() != n || !square(p.q, n) || !square(p.r, m) ||
      (p.s && (p.s->rows() != n || p.s->cols() != m)) || (p.e && !square(*p.e, n)) || m == 0)
    throw std::invalid_argument("riccati: the sizes of the matrices do not fit");
}

MatrixXd cross_terms(const RiccatiEquation& p) {
  return p.s ? *p.s : MatrixXd::Zero(p.a.rows(), p.b.cols());
}
MatrixXd descriptor(const RiccatiEquation& p) {
  return p.e ? *p.e : MatrixXd::Identity(p.a.rows(), p.a.rows());
}

/// A - s E of the optimal motion without u.
std::pair<MatrixXd, MatrixXd> optimal_motion(const RiccatiEquation& p, bool discrete) {
  const Index n = p.a.rows(), m = p.b.cols();
  const MatrixXd s = cross_terms(p), e = descriptor(p);
  MatrixXd by_input(2 * n + m, m);
  by_input << p.b, -s, p.r;
  MatrixXd a = MatrixXd::Zero(2 * n + m, 2 * n), d = a;
  a.topLeftCorner(n, n) = p.a;
  a.block(n, 0, n, n) = -p.q;
  a.bottomLeftCorner(m, n) = s.transpose();
  d.topLeftCorner(n, n) = e;
  if (discrete) {
    a.block(n, n, n, n) = e.transpose();
    d.block(n, n, n, n) = p.a.transpose();
    d.bottomRightCorner(m, n) = -p.b.transpose();
  } else {
    a.block(n, n, n, n) = -p.a.transpose();
    a.bottomRightCorner(m, n) = p.b.transpose();
    d.block(n, n, n, n) = e.transpose();
  }
  const Qr qr(by_input);
  qr.multiply_by_q_transposed(a);
  qr.multiply_by_q_transposed(d);
  return {a.bottomRows(2 * n), d.bottomRows(2 * n)};
}

/// The weight of the inputs in the gain, and what is multiplied by its inverse.
struct GainTerms {
  MatrixXd weight, right;
};
GainTerms gain_terms(const RiccatiEquation& p, const MatrixXd& x, bool discrete) {
  const MatrixXd through = x.transpose() * p.b;  // X is symmetric up to rounding
  if (discrete)
    return {p.r + p.b.transpose() * x * p.b,
            through.transpose() * p.a + cross_terms(p).transpose()};
  return {p.r, through.transpose() * descriptor(p) + cross_terms(p).transpose()};
}

struct Residual {
  MatrixXd value;
  double scale = 0;
};
Residual residual_of(const RiccatiEquation& p, const MatrixXd& x, const MatrixXd& gain,
                     bool discrete) {
  const GainTerms terms = gain_terms(p, x, discrete);
  const MatrixXd e = descriptor(p), saved = terms.right.transpose() * gain;
  const MatrixXd motion =
      discrete ? MatrixXd(p.a.transpose() * x * p.a) : MatrixXd(p.a.transpose() * x * e);
  const MatrixXd other =
      discrete ? MatrixXd(-(e.transpose() * x * e)) : MatrixXd(motion.transpose());
  Residual r;
  r.value = motion + other - saved + p.q;
  r.value = (0.5 * (r.value + r.value.transpose())).eval();
  // of the roundings in these products, which may cancel
  r.scale =
      x.norm() * (p.a.norm() * (discrete ? p.a.norm() : e.norm()) + p.b.norm() * gain.norm()) +
      p.q.norm() + gain.norm() * gain.norm() * p.r.norm();
  return r;
}

/// X of closed^T X closed - X + q = 0, the sum of q seen along the motion, by doubling: the terms of 2^k steps at a time.
MatrixXd summed(MatrixXd closed, MatrixXd q) {
  constexpr int most_doublings = 60;
  for (int k = 0; k < most_doublings; ++k) {
    stop_point();
    const MatrixXd more = closed.transpose() * q * closed;
    q += more;
    if (!(more.norm() > epsilon * q.norm())) break;
    closed = (closed * closed).eval();
  }
  return q;
}

/// What Newton's method adds to X: the solution of the equation linearised there.
MatrixXd correction(const RiccatiEquation& p, const MatrixXd& gain, const MatrixXd& residual,
                    bool discrete) {
  MatrixXd closed = p.a - p.b * gain;
  if (!p.e) return discrete ? summed(closed, residual) : lyapunov(closed.transpose(), residual);
  const Lu e(*p.e);  // for E^T X E, whose own equation has no E
  closed = e.solve(closed);
  const MatrixXd seen =
      discrete ? summed(closed, residual) : lyapunov(closed.transpose(), residual);
  const Lu transposed(p.e->transpose());
  return transposed.solve(MatrixXd(transposed.solve(seen).transpose()));
}

bool is_singular(const Lu& factors) {
  return !(factors.pivots().cwiseAbs().minCoeff() > 0) || factors.reciprocal_condition() < epsilon;
}

RiccatiSolution solve_riccati(const RiccatiEquation& p, bool discrete) {
  check_sizes(p);
  const Index n = p.a.rows();
  RiccatiSolution result;
  if (!discrete && is_singular(Lu(p.r))) {
    result.status = RiccatiStatus::singular_weight;
    return result;
  }
  auto [a, d] = optimal_motion(p, discrete);
  const BalancedPencil pencil = balanced(std::move(d), std::move(a));
  const Boundary boundary{discrete, std::ldexp(1.0, pencil.frequency)};
  const Subspace found = apart(
      2 * n, [a = pencil.a, e = pencil.e, boundary] { return ordered_schur(a, e, boundary); });
  if (!found.converged) {
    result.status = RiccatiStatus::not_converged;
    return result;
  }
  for (std::size_t k = 0; k < found.values.size(); ++k)
    if (!(std::abs(found.inside[k]) > near_boundary))
      result.boundary.push_back(found.values[k] * boundary.unit);
  if (found.dimension != n || !result.boundary.empty()) {
    result.status = RiccatiStatus::no_gap;
    return result;
  }
  MatrixXd basis = found.basis.leftCols(n);
  for (Index i = 0; i < 2 * n; ++i)
    basis.row(i) *= std::ldexp(1.0, pencil.column[static_cast<std::size_t>(i)]);
  const Lu states(basis.topRows(n).transpose());
  if (!(states.pivots().cwiseAbs().minCoeff() > 0)) {
    result.status = RiccatiStatus::no_gap;
    return result;
  }
  result.condition = 1 / states.reciprocal_condition();
  MatrixXd x = states.solve(MatrixXd(basis.bottomRows(n).transpose())).transpose();  // X E
  if (p.e) x = Lu(p.e->transpose()).solve(MatrixXd(x.transpose())).transpose();
  x = (0.5 * (x + x.transpose())).eval();

  const auto gain_at = [&](const MatrixXd& at) -> std::optional<MatrixXd> {
    const GainTerms terms = gain_terms(p, at, discrete);
    const Lu weight(terms.weight);
    if (is_singular(weight)) return std::nullopt;
    return weight.solve(terms.right);
  };
  std::optional<MatrixXd> gain = gain_at(x);
  if (!gain) {
    result.status = RiccatiStatus::singular_weight;
    return result;
  }
  Residual residual = residual_of(p, x, *gain, discrete);
  constexpr int most_corrections = 3;
  for (int k = 0; k < most_corrections; ++k) {
    MatrixXd better;
    try {
      better = x + correction(p, *gain, residual.value, discrete);
    } catch (const std::invalid_argument&) {  // on the boundary: no equation to correct by
      break;
    }
    better = (0.5 * (better + better.transpose())).eval();
    const std::optional<MatrixXd> its_gain = gain_at(better);
    if (!its_gain) break;
    const Residual left = residual_of(p, better, *its_gain, discrete);
    if (!(left.value.norm() < 0.5 * residual.value.norm())) break;
    x = better;
    gain = its_gain;
    residual = left;
  }
  result.x = x;
  result.gain = *gain;
  result.residual = residual.scale > 0 ? residual.value.norm() / residual.scale : 0;
  if (!(result.residual <
        near_boundary)) {  // eigenvalues on the boundary that happened to fall to both sides
    result.status = RiccatiStatus::no_gap;
    return result;
  }
  for (std::size_t k = 0; k < found.values.size(); ++k)
    if (found.inside[k] > 0) result.closed.push_back(found.values[k] * boundary.unit);
  std::sort(result.closed.begin(), result.closed.end(), [&](Complex l, Complex r) {
    const double first = discrete ? std::abs(l) : l.real(),
                 second = discrete ? std::abs(r) : r.real();
    return first != second ? first > second : l.imag() > r.imag();
  });
  return result;
}

}  // namespace

RiccatiSolution continuous_riccati(const RiccatiEquation& equation) {
  return solve_riccati(equation, false);
}
RiccatiSolution discrete_riccati(const RiccatiEquation& equation) {
  return solve_riccati(equation, true);
}

}  // namespace daedal::analysis
