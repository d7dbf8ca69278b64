#include "curve.hpp"

#include "daedal/base/lu.hpp"
#include "daedal/base/progress.hpp"
#include "daedal/base/qr.hpp"
#include "daedal/base/svd.hpp"

#include <algorithm>
#include <cmath>

namespace daedal::analysis {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr int most_iterations = 12;
constexpr double met = 1e-11;             // last correction, in the caller's scales
constexpr double smallest_step = 1e-7;    // below, the curve ends
constexpr double straight_enough = 0.97;  // cosine between tangents of neighbours: 14 degrees

/// Equations have units of their own: rows of length 1.
void scale_rows(VectorXd& f, MatrixXd& j) {
  for (Eigen::Index i = 0; i < j.rows(); ++i)
    if (const double length = j.row(i).norm(); length > 0) j.row(i) /= length, f[i] /= length;
}

LeastNorm decomposed(const MatrixXd& m) { return LeastNorm(m, 1e-11); }

/// The part of `direction` that leaves F as it is.
VectorXd tangent_of(const MatrixXd& j, const VectorXd& direction) {
  const VectorXd along = direction - decomposed(j).solve(VectorXd(j * direction));
  const double length = along.norm();
  return length > 1e-8 ? VectorXd(along / length) : VectorXd::Zero(direction.size());
}

int orientation_of(const MatrixXd& j, const VectorXd& tangent) {
  if (j.rows() + 1 != j.cols()) return 0;
  MatrixXd bordered(j.cols(), j.cols());
  bordered << j, tangent.transpose();
  return Lu(bordered).determinant() > 0 ? 1 : -1;
}

}  // namespace

std::optional<CurvePoint> Curve::correct(VectorXd z, const VectorXd& direction) const {
  VectorXd f;
  MatrixXd j;
  double last = 0;
  for (int k = 0; k < most_iterations; ++k) {
    stop_point();
    if (!equations_(z, f, j)) return std::nullopt;
    scale_rows(f, j);
    MatrixXd bordered(j.rows() + 1, j.cols());
    bordered << j, direction.transpose();
    VectorXd right = VectorXd::Zero(j.rows() + 1);
    right.head(j.rows()) = -f;
    const VectorXd change = decomposed(bordered).solve(right);
    z += change;
    const double size = change.norm();
    if (!std::isfinite(size)) return std::nullopt;
    const bool stagnates = k > 0 && size > 0.5 * last && size < 1e-9;  // rounding is reached
    if (size < met || stagnates) {
      if (!equations_(z, f, j)) return std::nullopt;
      scale_rows(f, j);
      CurvePoint point{z, tangent_of(j, direction), 0, k + 1};
      if (point.tangent.norm() == 0) return std::nullopt;
      point.orientation = orientation_of(j, point.tangent);
      return point;
    }
    last = size;
  }
  return std::nullopt;
}

std::optional<CurvePoint> Curve::start(const VectorXd& z, const VectorXd& direction) const {
  VectorXd f;
  MatrixXd j;
  if (!equations_(z, f, j)) return std::nullopt;
  scale_rows(f, j);
  VectorXd tangent = tangent_of(j, direction);
  if (tangent.norm() == 0) return std::nullopt;
  std::optional<CurvePoint> point = correct(z, tangent);
  if (point && point->tangent.dot(direction) < 0) point->tangent = -point->tangent;
  return point;
}

std::optional<CurvePoint> Curve::advance(const CurvePoint& from, double h) const {
  return correct(from.z + h * from.tangent, from.tangent);
}

std::optional<CurvePoint> Curve::other_branch(const CurvePoint& crossing, double h,
                                              int sense) const {
  VectorXd f;
  MatrixXd j, beside;
  if (!equations_(crossing.z, f, j)) return std::nullopt;
  // a row may vanish at the crossing: it is measured by what it is beside it
  if (!equations_(crossing.z + h * crossing.tangent, f, beside)) return std::nullopt;
  for (Eigen::Index i = 0; i < j.rows(); ++i)
    if (const double length = std::max(beside.row(i).norm(), j.row(i).norm()); length > 0)
      j.row(i) /= length;
  MatrixXd bordered(j.rows() + 1, j.cols());
  bordered << j, crossing.tangent.transpose();
  VectorXd across = svd(bordered).v.col(j.cols() - 1);
  Eigen::Index largest = 0;
  across.cwiseAbs().maxCoeff(&largest);
  across *= across[largest] > 0 ? sense : -sense;  // a singular vector has no sign of its own
  for (double step = h; step > h / 100; step /= 2) {
    std::optional<CurvePoint> point = correct(crossing.z + step * across, across);
    // the same branch again, or one far away, is none
    if (!point || (point->z - crossing.z).norm() > 2 * step) continue;
    const VectorXd chord = (point->z - crossing.z).normalized();
    if (std::abs(chord.dot(crossing.tangent)) > 0.999) continue;
    if (point->tangent.dot(chord) < 0) point->tangent = -point->tangent;
    return point;
  }
  return std::nullopt;
}

bool Curve::follow(const CurvePoint& from, double largest_step,
                   const std::function<bool(const CurvePoint&, double)>& next) const {
  CurvePoint here = from;
  for (double h = largest_step / 4; h > smallest_step * largest_step;) {
    const std::optional<CurvePoint> there = advance(here, h);
    if (!there || there->tangent.dot(here.tangent) < straight_enough) {
      h /= 2;
      continue;
    }
    if (!next(*there, h)) return true;
    here = *there;
    if (here.iterations <= 4) h = std::min(1.5 * h, largest_step);
  }
  return false;
}

CurvePoint Curve::locate(const CurvePoint& from, double h,
                         const std::function<double(const CurvePoint&)>& test) const {
  // Illinois variant of the false position: never leaves the bracket.
  double a = 0, b = h, at_a = test(from);
  CurvePoint best = from;
  const std::optional<CurvePoint> last = advance(from, h);
  if (!last) return best;
  double at_b = test(*last);
  best = *last;
  for (int k = 0; k < 80 && std::abs(b - a) > 1e-14 * std::abs(h) && at_b != 0; ++k) {
    const double c = b - at_b * (b - a) / (at_b - at_a);
    const std::optional<CurvePoint> middle = advance(from, c);
    if (!middle) return best;
    const double at_c = test(*middle);
    best = *middle;
    if ((at_c < 0) == (at_b < 0))
      at_a /= 2;
    else
      a = b, at_a = at_b;
    const bool settled = std::abs(c - b) < 1e-14 * std::abs(h);
    b = c, at_b = at_c;
    if (settled) break;
  }
  return best;
}

}  // namespace daedal::analysis
