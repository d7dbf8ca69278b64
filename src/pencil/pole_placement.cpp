#include "daedal/pencil/pole_placement.hpp"

#include "daedal/base/apart.hpp"
#include "daedal/base/svd.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <utility>

// NOLINTBEGIN(readability-identifier-naming): the names are Fortran's
extern "C" void dgees_(const char* want_vectors, const char* sort, const int* select, const int* n,
                       double* a, const int* lda, int* selected, double* real, double* imaginary,
                       double* vectors, const int* ldv, double* work, const int* lwork, int* flags,
                       int* info, std::size_t, std::size_t);
extern "C" void dtrexc_(const char* want_vectors, const int* n, double* t, const int* ldt,
                        double* vectors, const int* ldv, int* from, int* to, double* work,
                        int* info, std::size_t);
extern "C" void dlanv2_(double* a, double* b, double* c, double* d, double* real_1,
                        double* imaginary_1, double* real_2, double* imaginary_2, double* cosine,
                        double* sine);
// NOLINTEND(readability-identifier-naming)

namespace daedal::analysis {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Complex = std::complex<double>;

/// A = Z T Z^T with orthogonal Z and T of blocks of one or two rows.
struct RealSchur {
  bool converged = true;
  MatrixXd t, z;

  explicit RealSchur(const MatrixXd& a) : t(a), z(a.rows(), a.rows()) {
    const int n = static_cast<int>(a.rows());
    Eigen::VectorXd real(n), imaginary(n), work(1);
    int selected = 0, info = 0, length = -1;
    const auto call = [&] {
      dgees_("V", "N", nullptr, &n, t.data(), &n, &selected, real.data(), imaginary.data(),
             z.data(), &n, work.data(), &length, nullptr, &info, 1, 1);
    };
    call();  // asks for the length of the work space
    length = static_cast<int>(work[0]);
    work.resize(length);
    call();
    converged = info == 0;
  }

  Index rows() const { return t.rows(); }
  /// Whether row k is the second of a block.
  bool continues(Index k) const { return k > 0 && t(k, k - 1) != 0; }

  /// The block that begins at `from` is exchanged with its neighbours until it begins at `to`.
  void move(Index from, Index to) {
    const int n = static_cast<int>(rows());
    int first = static_cast<int>(from) + 1, last = static_cast<int>(to) + 1, info = 0;
    Eigen::VectorXd work(n);
    dtrexc_("V", &n, t.data(), &n, z.data(), &n, &first, &last, work.data(), &info, 1);
    converged = converged && info == 0;
  }

  /// Turns the last two rows to the form that LAPACK gives a block: equal diagonal entries, or two blocks of one row.
  void standardise_end() {
    const Index k = rows() - 2;
    double cosine = 1, sine = 0, unused[4];
    dlanv2_(&t(k, k), &t(k, k + 1), &t(k + 1, k), &t(k + 1, k + 1), unused, unused + 1, unused + 2,
            unused + 3, &cosine, &sine);
    Eigen::Matrix2d turn;
    turn << cosine, -sine, sine, cosine;
    t.block(0, k, k, 2) = (t.block(0, k, k, 2) * turn).eval();
    z.rightCols(2) = (z.rightCols(2) * turn).eval();
  }
};

/// The poles that are not yet placed: real ones, and those of pairs with positive imaginary parts.
struct Left {
  std::vector<double> real;
  std::vector<Complex> pairs;

  explicit Left(const std::vector<Complex>& poles) {
    std::vector<Complex> mirrored;
    for (const Complex p : poles)
      if (p.imag() == 0)
        real.push_back(p.real());
      else
        (p.imag() > 0 ? pairs : mirrored).push_back(p);
    for (const Complex p : pairs) {
      const auto partner = std::find(mirrored.begin(), mirrored.end(), std::conj(p));
      if (partner == mirrored.end()) break;
      mirrored.erase(partner);
    }
    if (real.size() + 2 * pairs.size() != poles.size() || !mirrored.empty())
      throw std::invalid_argument("place_poles: a complex pole has no conjugate");
  }

  template <class Pole>
  static std::optional<double> distance(const std::vector<Pole>& poles, Complex to) {
    std::optional<double> least;
    for (const Pole p : poles)
      if (!least || std::abs(p - to) < *least) least = std::abs(p - to);
    return least;
  }
  template <class Pole>
  static Pole take_nearest(std::vector<Pole>& poles, Complex to) {
    const auto nearest = std::min_element(poles.begin(), poles.end(), [&](Pole l, Pole r) {
      return std::abs(l - to) < std::abs(r - to);
    });
    const Pole pole = *nearest;
    poles.erase(nearest);
    return pole;
  }
};

using Pair = std::pair<Complex, Complex>;

/// One input direction: the feedback is unique (Ackermann's formula, of two states).
std::optional<MatrixXd> by_one_direction(const MatrixXd& a, const Eigen::Vector2d& b, Pair poles) {
  Eigen::Matrix2d reached;
  reached << b, a * b;
  const double determinant = reached.determinant();
  if (determinant == 0) return std::nullopt;
  const double sum = (poles.first + poles.second).real(),
               product = (poles.first * poles.second).real();
  const MatrixXd polynomial = a * a - sum * a + product * MatrixXd::Identity(2, 2);
  const Eigen::RowVector2d last(-reached(1, 0) / determinant, reached(0, 0) / determinant);
  return MatrixXd(last * polynomial);
}

/// Two input directions: the block becomes whatever is wanted, here one like it.
MatrixXd like(const MatrixXd& a, Pair poles) {
  MatrixXd wanted(2, 2);
  const bool complex = a(1, 0) != 0 && poles.first.imag() != 0;
  const double stretch = complex ? std::sqrt(std::abs(a(0, 1) / a(1, 0))) : 1;
  const double turn = std::copysign(poles.first.imag(), a(0, 1));
  const double above = poles.first.imag() != 0 ? turn * stretch : a(1, 0) == 0 ? a(0, 1) : 0;
  wanted << poles.first.real(), above, -turn / stretch, poles.second.real();
  return wanted;
}

/// The least feedback found that gives the block a, reached by b, these two poles.
std::optional<MatrixXd> two_poles(const MatrixXd& a, const MatrixXd& b, Pair poles) {
  const Svd found = svd(b);
  std::optional<MatrixXd> best;
  const auto one = by_one_direction(a, Eigen::Vector2d(found.u.col(0) * found.values[0]), poles);
  if (one) best = found.v.col(0) * *one;
  if (b.cols() < 2 || found.values[1] == 0) return best;
  const MatrixXd inverse =
      found.v.leftCols(2) * found.values.head(2).cwiseInverse().asDiagonal() * found.u.transpose();
  const MatrixXd both = inverse * (a - like(a, poles));
  if (!best || both.norm() < best->norm()) best = both;
  return best;
}

class Placement {
 public:
  Placement(const MatrixXd& a, const MatrixXd& b, const std::vector<Complex>& poles)
      : schur_(a), b_(b), left_(poles), gain_(MatrixXd::Zero(b.cols(), a.rows())) {}

  PolePlacement run() {
    while (schur_.converged && done_ < schur_.rows()) {
      const Index size = last_block();
      const MatrixXd into = schur_.z.transpose() * b_;
      const std::optional<MatrixXd> feedback =
          size == 1 ? one_pole(into.bottomRows(1)) : pair_of_poles(into.bottomRows(2));
      if (!schur_.converged) break;
      if (!feedback || !feedback->allFinite()) return {PlacementStatus::not_controllable, {}};
      schur_.t.rightCols(size) -= into * *feedback;
      gain_ += *feedback * schur_.z.rightCols(size).transpose();
      bring_forward(size);
    }
    if (!schur_.converged) return {PlacementStatus::not_converged, {}};
    return {PlacementStatus::placed, gain_};
  }

 private:
  /// Rows of the block at the end that gets poles now: of a real eigenvalue for which there are only pairs, a second one joins.
  Index last_block() {
    const Index n = schur_.rows();
    if (schur_.continues(n - 1)) return 2;
    if (!left_.real.empty()) return 1;
    Index other = n - 2;
    while (schur_.continues(other)) other -= 2;
    if (other != n - 2) schur_.move(other, n - 2);
    return 2;
  }

  std::optional<MatrixXd> one_pole(const MatrixXd& b) {
    const double eigenvalue = schur_.t(schur_.rows() - 1, schur_.rows() - 1);
    const double squared = b.squaredNorm();
    if (squared == 0) return std::nullopt;
    return MatrixXd(b.transpose() *
                    ((eigenvalue - Left::take_nearest(left_.real, eigenvalue)) / squared));
  }

  std::optional<MatrixXd> pair_of_poles(const MatrixXd& b) {
    const MatrixXd block = schur_.t.bottomRightCorner(2, 2);
    const double turn = block(0, 1) * block(1, 0);
    const Complex near(0.5 * block.trace(), turn < 0 ? std::sqrt(-turn) : 0);
    const auto to_real = Left::distance(left_.real, near),
               to_pair = Left::distance(left_.pairs, near);
    if (left_.real.size() >= 2 && (!to_pair || *to_real < *to_pair)) {
      const double first = Left::take_nearest(left_.real, near);
      return two_poles(block, b, {first, Left::take_nearest(left_.real, near)});
    }
    const Complex pole = Left::take_nearest(left_.pairs, near);
    return two_poles(block, b, {pole, std::conj(pole)});
  }

  /// What has its poles goes to the front, where no later feedback reaches it.
  void bring_forward(Index size) {
    const Index n = schur_.rows();
    if (size == 2) schur_.standardise_end();
    if (size == 1 || schur_.continues(n - 1)) {
      schur_.move(n - size, done_);
    } else {
      schur_.move(n - 2, done_);
      schur_.move(n - 1, done_ + 1);
    }
    done_ += size;
  }

  RealSchur schur_;
  MatrixXd b_;
  Left left_;
  MatrixXd gain_;
  Index done_ = 0;  // rows at the front that have their poles
};

}  // namespace

PolePlacement place_poles(const MatrixXd& a, const MatrixXd& b, const std::vector<Complex>& poles) {
  if (a.rows() != a.cols() || b.rows() != a.rows() || b.cols() == 0 ||
      poles.size() != static_cast<std::size_t>(a.rows()))
    throw std::invalid_argument("place_poles: the sizes do not fit");
  return apart(a.rows(), [a, b, poles] { return Placement(a, b, poles).run(); });
}

}  // namespace daedal::analysis
