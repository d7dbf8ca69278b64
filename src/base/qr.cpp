#include "daedal/base/qr.hpp"

#include "daedal/base/apart.hpp"
#include "daedal/base/reflections.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace daedal {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

/// The reflection of step k, packed below the diagonal.
const double* tail_of(const MatrixXd& packed, Index k) { return packed.col(k).data() + k + 1; }

/// Q = H_0 H_1 ... times m. Of thousands of rows a reflection takes some 10 ms: stop points before each.
void multiply_by_q(const MatrixXd& packed, const VectorXd& tau, Eigen::Ref<MatrixXd> m) {
  for (Index k = tau.size(); k-- > 0;) {
    stop_point();
    reflect_rows(tail_of(packed, k), tau[k], m.bottomRows(m.rows() - k));
  }
}
MatrixXd q_of(const MatrixXd& packed, const VectorXd& tau, Index columns) {
  MatrixXd q = MatrixXd::Identity(packed.rows(), columns);
  multiply_by_q(packed, tau, q);
  return q;
}

/// Reflects what is left of the matrix so that column k ends at the diagonal.
void eliminate(MatrixXd& packed, VectorXd& tau, Index k) {
  stop_point();
  const Index rows = packed.rows() - k;
  const Reflection found = reflection_of(packed.col(k).data() + k, rows);
  tau[k] = found.tau;
  packed(k, k) = found.beta;
  reflect_rows(tail_of(packed, k), found.tau, packed.block(k, k + 1, rows, packed.cols() - k - 1));
}

/// Lengths of the columns below step k, kept up to date as [LAPACK working note 176] says: a length that has lost half its
/// digits is recomputed.
class ColumnLengths {
 public:
  explicit ColumnLengths(const MatrixXd& m) : kept_(m.cols()), exact_(m.cols()) {
    for (Index j = 0; j < m.cols(); ++j) renew(m, 0, j);
  }
  Index longest_from(Index k) const {
    Index best = 0;
    kept_.tail(kept_.size() - k).maxCoeff(&best);
    return best + k;
  }
  double of(Index j) const { return kept_[j]; }
  void exchange(Index a, Index b) {
    std::swap(kept_[a], kept_[b]);
    std::swap(exact_[a], exact_[b]);
  }
  void shorten(const MatrixXd& packed, Index k) {
    for (Index j = k + 1; j < packed.cols(); ++j) {
      if (kept_[j] == 0) continue;
      const double share = std::abs(packed(k, j)) / kept_[j];
      const double left = std::max(0.0, (1 + share) * (1 - share));
      const double digits = left * (kept_[j] / exact_[j]) * (kept_[j] / exact_[j]);
      if (digits <= std::sqrt(std::numeric_limits<double>::epsilon()))
        renew(packed, k + 1, j);
      else
        kept_[j] *= std::sqrt(left);
    }
  }

 private:
  void renew(const MatrixXd& m, Index first, Index j) {
    const double* const column = m.col(j).data() + first;
    kept_[j] = exact_[j] = std::sqrt(inner_product(column, column, m.rows() - first));
  }
  VectorXd kept_, exact_;
};

}  // namespace

Qr::Qr(const MatrixXd& m) : packed_(m), tau_(std::min(m.rows(), m.cols())) {
  for (Index k = 0; k < tau_.size(); ++k) eliminate(packed_, tau_, k);
}

MatrixXd Qr::q() const { return q(packed_.rows()); }
MatrixXd Qr::q(Index columns) const { return q_of(packed_, tau_, columns); }
MatrixXd Qr::r() const { return packed_.topRows(packed_.cols()).triangularView<Eigen::Upper>(); }

int Qr::sign_of_q() const {  // each reflection changes it
  return (tau_.array() != 0).count() % 2 == 0 ? 1 : -1;
}

void Qr::multiply_by_q_transposed(Eigen::Ref<MatrixXd> m) const {
  for (Index k = 0; k < tau_.size(); ++k) {
    stop_point();
    reflect_rows(tail_of(packed_, k), tau_[k], m.bottomRows(m.rows() - k));
  }
}
void Qr::multiply_into_q(Eigen::Ref<MatrixXd> m) const {
  for (Index k = 0; k < tau_.size(); ++k) {
    stop_point();
    reflect_columns(tail_of(packed_, k), tau_[k], m.rightCols(m.cols() - k));
  }
}

VectorXd Qr::least_squares(const VectorXd& b) const {
  MatrixXd x = b;
  multiply_by_q_transposed(x);
  const Index n = packed_.cols();
  return packed_.topRows(n).triangularView<Eigen::Upper>().solve(x.col(0).head(n));
}

PivotedQr::PivotedQr(const MatrixXd& m)
    : PivotedQr(m, std::numeric_limits<double>::epsilon() *
                       static_cast<double>(std::min(m.rows(), m.cols()))) {}

PivotedQr::PivotedQr(const MatrixXd& m, double threshold)
    : packed_(m), tau_(std::min(m.rows(), m.cols())), permutation_(m.cols()) {
  permutation_.setIdentity();
  ColumnLengths lengths(m);
  for (Index k = 0; k < tau_.size(); ++k) {
    const Index longest = lengths.longest_from(k);
    if (longest != k) {
      packed_.col(k).swap(packed_.col(longest));
      lengths.exchange(k, longest);
      permutation_.applyTranspositionOnTheRight(k, longest);
    }
    eliminate(packed_, tau_, k);
    lengths.shorten(packed_, k);
  }
  const VectorXd pivots = packed_.diagonal().cwiseAbs();
  if (pivots.size() > 0) rank_ = (pivots.array() > threshold * pivots.maxCoeff()).count();
}

MatrixXd PivotedQr::q() const { return q_of(packed_, tau_, packed_.rows()); }

MatrixXd null_space_of(const MatrixXd& m, double threshold) {
  if (m.size() == 0) return MatrixXd::Identity(m.cols(), m.cols());
  const PivotedQr qr(m.transpose(), threshold);
  return qr.q().rightCols(m.cols() - qr.rank());
}

using Factors = Eigen::CompleteOrthogonalDecomposition<MatrixXd>;

LeastNorm::LeastNorm(const MatrixXd& m) : factors_(apart(m.rows(), [m] { return Factors(m); })) {}
LeastNorm::LeastNorm(const MatrixXd& m, double threshold)
    : factors_(apart(m.rows(), [m, threshold] {
        Factors factors;
        factors.setThreshold(threshold);
        factors.compute(m);
        return factors;
      })) {}

Index LeastNorm::rank() const { return factors_.rank(); }
MatrixXd LeastNorm::solve(const MatrixXd& b) const { return factors_.solve(b); }
VectorXd LeastNorm::solve(const VectorXd& b) const { return factors_.solve(b); }

MatrixXd pseudo_inverse(const MatrixXd& m) {
  return apart(m.rows(),
               [m]() -> MatrixXd { return m.completeOrthogonalDecomposition().pseudoInverse(); });
}

}  // namespace daedal
