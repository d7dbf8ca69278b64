// Finite eigenvalues of a matrix pencil A - s E, with a sound decision between finite and infinite.
//
// Poles, zeros and the rates of internal dynamics are all finite eigenvalues of some pencil whose E is singular. QZ alone
// finds n of them and leaves infinite ones as quotients of rounding errors: some come out as 1e8 and look finite. Here
//   1. the pencil is permuted to block-triangular form: many an infinite eigenvalue is then a block of its own, exactly;
//   2. in each block the infinite part is split off by orthogonal transformations, nullity by nullity [VanDooren1979];
//      every rank is a decision between singular values, kept with the gap that justifies it. Where a singular value lies
//      between what is certainly zero and what rounding might have made of a zero, the same steps are taken with the last bits
//      of all entries changed: a value that this does not change is not due to rounding, however small;
//   3. QZ [MolerStewart1973] of what is left, whose E is regular; of more than 40 unknowns the standard problem of E^-1 A, where
//      it is at most one digit worse.
#pragma once

#include <Eigen/Core>

#include <complex>
#include <optional>
#include <string>
#include <vector>

namespace daedal::analysis {

struct Eigenvalue {
  std::complex<double> value;
  double error = 0;  // estimated, first order: condition number times rounding errors of the block
};

/// Eigenvalues that cannot be distinguished within rounding error; most are alone. A defective eigenvalue of
/// multiplicity m comes out of QZ as m values around it at a distance of eps^(1/m); their mean is as good as a simple
/// eigenvalue.
struct Cluster {
  std::complex<double> mean;
  int multiplicity = 1;
  double spread = 0;  // largest distance of a member from the mean
  double error = 0;   // of a single eigenvalue: its estimate; of more: their spread
};

/// A matrix was taken to have `rank`: singular values up to `largest_dropped` are zero, from `smallest_kept` on they are not.
struct RankDecision {
  int size = 0, rank = 0;
  double smallest_kept = 0, largest_dropped = 0;  // 0: there is none
  double noise = 0;                               // what rounding may have made of a zero
  bool near_singular = false;                     // other ranks were possible by size alone
  double norm = 0;                                // of the whole matrix, E or A of the block
  /// How far the two sides are apart, rounding included; near 1 means guessing.
  double gap() const;
};

/// det(A - s E) = sign * exp(log_magnitude) * s^degree + lower powers.
struct LeadingTerm {
  int degree = 0, sign = 1;
  double log_magnitude = 0;
};

/// An alternative number of finite eigenvalues: small singular values kept here are taken as zero, or vice versa.
struct OtherReading {
  int finite = 0;
  double value =
      0;  // the smallest singular value that makes the difference, over the norm of its matrix
  double margin = 0;  // its ratio to the effect of changes in the last bits
};

enum class PencilStatus {
  regular,
  singular,      // det(A - s E) is zero for every s: eigenvalues have no meaning
  not_converged  // QZ gave up
};

struct Spectrum {
  PencilStatus status = PencilStatus::regular;
  std::vector<Eigenvalue> values;  // finite ones, rightmost first, conjugate pairs together
  std::vector<Cluster> clusters;   // of `values`, in the same order
  int infinite = 0;
  std::vector<RankDecision> decisions;  // in the order in which they were made
  LeadingTerm leading;                  // when regular
  std::optional<OtherReading> other;    // where sizes of singular values alone say something else

  bool regular() const { return status == PencilStatus::regular; }
  int finite() const { return static_cast<int>(values.size()); }
  /// The least convincing rank decision; infinite when structure decided everything.
  double smallest_gap() const;
};

/// What the parts of a cluster's mean cannot be separated from: of one eigenvalue its error, of more some digits fewer than
/// rounding leaves.
double doubt_of(const Cluster& cluster);
/// The mean; parts within its doubt are 0.
std::complex<double> shown(const Cluster& cluster);
/// "-0.5", "-0.5 + 2i", and with its mirror image "-0.5 +- 2i"; parts within the error are 0.
std::string text_of(const Cluster& cluster, bool with_mirror_image = false, int digits = 6);

/// Below this a rank decision is reported as doubtful.
inline constexpr double convincing_gap = 100;

enum class Wanted {
  values,
  count  // leading term and decisions only: `values` and `clusters` stay empty
};

/// E and A are square and of one size (std::invalid_argument otherwise); entries that are exactly 0 are structural.
Spectrum finite_eigenvalues(const Eigen::MatrixXd& e, const Eigen::MatrixXd& a,
                            Wanted wanted = Wanted::values);

}  // namespace daedal::analysis
