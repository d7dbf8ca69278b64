#include "daedal/pencil/staircase.hpp"

#include "daedal/base/lu.hpp"
#include "daedal/base/qr.hpp"
#include "daedal/base/svd.hpp"
#include "daedal/pencil/singular_values.hpp"
#include "daedal/system/noise.hpp"
#include "null_space.hpp"

#include <Eigen/LU>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace daedal::analysis {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;

constexpr double eps = std::numeric_limits<double>::epsilon();

constexpr Index small = 40;  // up to here singular values and products take no time worth saving

/// By singular values, whatever they are.
NullSpace null_space_by_singular_values(const MatrixXd& m, double certain, double noise) {
  const SingularValues svd = singular_values(m);
  NullSpace found;
  found.decision = decide_rank(svd.values, certain, noise);
  if (found.nullity() == 0) return found;
  found.v.resize(m.rows(), m.rows());
  found.v << svd.v.rightCols(found.nullity()), svd.v.leftCols(found.decision.rank);
  found.sign = Lu(found.v).determinant() < 0 ? -1 : 1;
  return found;
}

NullSpace null_space(const MatrixXd& m, double certain, double noise) {
  if (m.rows() > small)
    if (auto found = clear_null_space(m, certain, noise)) return std::move(*found);
  return null_space_by_singular_values(m, certain, noise);
}

/// Q^T e, Q^T a and u Q in the places of e, a and u.
void turn(const Qr& qr, Eigen::Ref<MatrixXd> e, Eigen::Ref<MatrixXd> a, Eigen::Ref<MatrixXd> u) {
  if (e.rows() > small) {
    qr.multiply_by_q_transposed(e);
    qr.multiply_by_q_transposed(a);
    qr.multiply_into_q(u);
    return;
  }
  const MatrixXd q = qr.q();
  e = (q.transpose() * e).eval();
  a = (q.transpose() * a).eval();
  u = (u * q).eval();
}

/// What rounding may have done to the trailing block so far, to first order: a subspace is known up to noise over the
/// singular value that separates it from the rest, and every later block inherits that angle.
struct Noise {
  double e = 0, a = 0;

  void pass(double e_norm, double a_norm, double smallest_kept, double smallest_pivot) {
    const double null_angle = smallest_kept > 0 ? e / smallest_kept : 0;
    const double row_angle = (a + a_norm * null_angle) / smallest_pivot;
    e += e_norm * row_angle;
    a += a_norm * (row_angle + null_angle);
  }
};

/// The null space for a rank that was decided elsewhere.
NullSpace null_space_of_rank(const MatrixXd& m, const RankDecision& decision) {
  const SingularValues svd = singular_values(m);
  NullSpace found;
  found.decision = decision;
  if (found.nullity() == 0) return found;
  found.v.resize(m.rows(), m.rows());
  found.v << svd.v.rightCols(found.nullity()), svd.v.leftCols(decision.rank);
  found.sign = Lu(found.v).determinant() < 0 ? -1 : 1;
  return found;
}

class Deflation {
 public:
  Deflation(const MatrixXd& e, const MatrixXd& a)
      : size_(a.rows()), e_norm_(e.norm()), a_norm_(a.norm()) {
    constexpr double caution = 8;
    certain_ = {caution * static_cast<double>(size_) * eps * e_norm_,
                caution * static_cast<double>(size_) * eps * a_norm_};
    noise_ = certain_;
    result_.e = e;
    result_.a = a;
    result_.u = result_.v = MatrixXd::Identity(size_, size_);
  }

  Staircase run() {
    while (!done()) {
      const Index nullity = compress_columns();
      if (nullity == 0) break;
      compress_rows(nullity);
    }
    return std::move(result_);
  }

  // The steps of run, for decisions made elsewhere.
  bool done() const { return result_.infinite == size_ || !result_.regular; }
  Eigen::VectorXd singular_values_of_columns() const {
    return singular_values_of(MatrixXd(result_.e.bottomRightCorner(left(), left())));
  }
  Eigen::VectorXd singular_values_of_rows(Index nullity) const {
    return singular_values_of(
        MatrixXd(result_.a.block(result_.infinite, result_.infinite, left(), nullity)));
  }
  double certain_of_columns() const { return certain_.e; }
  double certain_of_rows() const { return certain_.a; }

  /// The null space of the trailing E first.
  Index compress_columns(const std::optional<RankDecision>& given = std::nullopt) {
    const Index p = result_.infinite, m = left();
    const MatrixXd trailing = result_.e.bottomRightCorner(m, m);
    const NullSpace found =
        given ? null_space_of_rank(trailing, *given) : null_space(trailing, certain_.e, noise_.e);
    result_.decisions.push_back(found.decision);
    result_.decisions.back().norm = e_norm_;
    smallest_kept_ = found.decision.smallest_kept;
    const Index nullity = found.nullity();
    if (nullity == 0) return 0;
    for (MatrixXd* turned : {&result_.e, &result_.a, &result_.v})
      found.turn_columns(turned->rightCols(m));
    result_.e.block(p, p, m, nullity).setZero();
    result_.sign *= found.sign;
    return nullity;
  }

  /// The columns of A above the null space become triangular.
  void compress_rows(Index nullity, const std::optional<RankDecision>& given = std::nullopt) {
    const Index p = result_.infinite, m = left();
    const MatrixXd a1 = result_.a.block(p, p, m, nullity);
    const RankDecision decision =
        given ? *given : decide_rank(singular_values_of(a1), certain_.a, noise_.a);
    result_.decisions.push_back(decision);
    result_.decisions.back().norm = a_norm_;
    result_.regular = decision.rank == nullity;
    const Qr qr(a1);
    turn(qr, result_.e.bottomRightCorner(m, m), result_.a.bottomRightCorner(m, m),
         result_.u.rightCols(m));
    result_.e.block(p, p, m, nullity).setZero();
    for (Index k = 0; k < nullity; ++k) result_.a.col(p + k).tail(m - k - 1).setZero();
    result_.sign *= qr.sign_of_q();
    noise_.pass(e_norm_, a_norm_, smallest_kept_, decision.smallest_kept);
    result_.infinite += nullity;
  }

  Staircase take() { return std::move(result_); }

 private:
  Index left() const { return size_ - result_.infinite; }

  Index size_;
  double e_norm_, a_norm_;
  Noise certain_, noise_;
  double smallest_kept_ = 0;
  Staircase result_;
};

// ---- by measurement

/// Every entry changed in its last bits, always alike.
MatrixXd with_other_last_bits(MatrixXd m, std::uint64_t seed) {
  for (Index k = 0; k < m.size(); ++k)
    m.data()[k] *= 1 + 2 * eps * solve::noise(1000003 * seed + static_cast<std::uint64_t>(k));
  return m;
}

class MeasuredDeflation {
 public:
  MeasuredDeflation(const MatrixXd& e, const MatrixXd& a) : nominal_(e, a) {
    for (const std::uint64_t seed : {1u, 2u})
      others_.emplace_back(with_other_last_bits(e, 2 * seed),
                           with_other_last_bits(a, 2 * seed + 1));
  }

  Staircase run() {
    while (!nominal_.done()) {
      const RankDecision columns =
          decide([](const Deflation& d) { return d.singular_values_of_columns(); },
                 nominal_.certain_of_columns());
      const Index nullity = nominal_.compress_columns(columns);
      for (Deflation& other : others_) other.compress_columns(columns);
      if (nullity == 0) break;
      const RankDecision rows =
          decide([&](const Deflation& d) { return d.singular_values_of_rows(nullity); },
                 nominal_.certain_of_rows());
      nominal_.compress_rows(nullity, rows);
      for (Deflation& other : others_) other.compress_rows(nullity, rows);
    }
    return nominal_.take();
  }

  /// Of the least convincing significant value.
  double smallest_value() const { return smallest_value_; }
  double margin() const { return margin_; }

 private:
  template <class Values>
  RankDecision decide(Values&& values, double certain) {
    constexpr double significant = 10;
    const Eigen::VectorXd sigma = values(nominal_);
    Eigen::VectorXd change = Eigen::VectorXd::Zero(sigma.size());
    for (const Deflation& other : others_)
      change = change.cwiseMax((values(other) - sigma).cwiseAbs());
    RankDecision decision{static_cast<int>(sigma.size()), 0, 0, 0, certain, false};
    while (decision.rank < sigma.size() && sigma[decision.rank] > certain &&
           sigma[decision.rank] > significant * change[decision.rank])
      ++decision.rank;
    if (decision.rank < sigma.size()) {
      decision.largest_dropped = sigma[decision.rank];
      decision.noise = std::max(certain, change[decision.rank]);
    }
    if (decision.rank == 0) return decision;
    decision.smallest_kept = sigma[decision.rank - 1];
    const double of_kept = std::max(change[decision.rank - 1], eps * sigma[0]);
    if (const double own = decision.smallest_kept / of_kept; own < margin_) {
      margin_ = own;
      smallest_value_ = decision.smallest_kept / sigma[0];
    }
    return decision;
  }

  Deflation nominal_;
  std::vector<Deflation> others_;
  double margin_ = std::numeric_limits<double>::infinity(), smallest_value_ = 0;
};

bool near_singular(const Staircase& s) {
  return std::any_of(s.decisions.begin(), s.decisions.end(),
                     [](const RankDecision& d) { return d.near_singular; });
}

}  // namespace

RankDecision decide_rank(const Eigen::VectorXd& sigma, double certain, double noise) {
  const auto size = static_cast<int>(sigma.size());
  const auto beyond = [&](double bound) {
    return static_cast<int>(
        std::count_if(sigma.begin(), sigma.end(), [&](double s) { return s > bound; }));
  };
  RankDecision decision{size, beyond(certain), 0, 0, certain, false};
  decision.near_singular = beyond(std::max(certain, noise)) != beyond(certain);
  double best = 0;
  for (int rank = beyond(std::max(certain, noise)); rank <= beyond(certain) && rank < size;
       ++rank) {
    const double kept = rank > 0 ? sigma[rank - 1] : sigma[0];
    const double gap = kept / std::max(sigma[rank], certain);
    if (gap > best) best = gap, decision.rank = rank;
  }
  // Nothing small enough to drop, unless a gap says so: keeping all needs no gap but the distance from rounding.
  if (beyond(certain) == size && sigma[size - 1] / certain >= best) decision.rank = size;
  if (decision.rank > 0) decision.smallest_kept = sigma[decision.rank - 1];
  if (decision.rank < size) decision.largest_dropped = sigma[decision.rank];
  return decision;
}

Staircase staircase(const MatrixXd& e, const MatrixXd& a) {
  Staircase by_size = Deflation(e, a).run();
  if (!near_singular(by_size)) return by_size;
  MeasuredDeflation measured(e, a);
  Staircase result = measured.run();
  if (!result.regular) return by_size;
  if (!by_size.regular || by_size.infinite != result.infinite)
    result.other = OtherReading{static_cast<int>(a.rows() - by_size.infinite),
                                measured.smallest_value(), measured.margin()};
  return result;
}

}  // namespace daedal::analysis
