#include "clusters.hpp"
#include "daedal/base/lu.hpp"
#include "daedal/base/progress.hpp"
#include "daedal/pencil/balance.hpp"
#include "daedal/pencil/pencil.hpp"
#include "daedal/pencil/qz.hpp"
#include "daedal/pencil/staircase.hpp"
#include "daedal/structure/examine.hpp"
#include "standard_eigenvalues.hpp"

#include <Eigen/Dense>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

namespace daedal::analysis {

namespace {

using Eigen::Index;
using Eigen::MatrixXcd;
using Eigen::MatrixXd;
using Complex = std::complex<double>;

constexpr double machine_eps = std::numeric_limits<double>::epsilon();

std::vector<structure::SignatureEntry> pattern(const MatrixXd& e, const MatrixXd& a) {
  std::vector<structure::SignatureEntry> entries;
  for (Index i = 0; i < a.rows(); ++i)
    for (Index j = 0; j < a.cols(); ++j)
      if (e(i, j) != 0 || a(i, j) != 0)
        entries.push_back({static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(j), 0});
  return entries;
}

MatrixXd part(const MatrixXd& m, const structure::Block& block) {
  MatrixXd result(static_cast<Index>(block.equations.size()),
                  static_cast<Index>(block.unknowns.size()));
  for (Index i = 0; i < result.rows(); ++i)
    for (Index j = 0; j < result.cols(); ++j)
      result(i, j) = m(block.equations[static_cast<std::size_t>(i)],
                       block.unknowns[static_cast<std::size_t>(j)]);
  return result;
}

int parity(std::vector<std::uint32_t> permutation) {
  int sign = 1;
  for (std::uint32_t i = 0; i < permutation.size(); ++i)
    while (permutation[i] != i) {
      std::swap(permutation[i], permutation[permutation[i]]);
      sign = -sign;
    }
  return sign;
}

/// Of the permutations of rows and columns that put the blocks in order.
int parity(const std::vector<structure::Block>& blocks) {
  std::vector<std::uint32_t> rows, columns;
  for (const structure::Block& block : blocks) {
    rows.insert(rows.end(), block.equations.begin(), block.equations.end());
    columns.insert(columns.end(), block.unknowns.begin(), block.unknowns.end());
  }
  return parity(std::move(rows)) * parity(std::move(columns));
}

void multiply(LeadingTerm& term, double factor) {
  term.log_magnitude += std::log(std::abs(factor));
  if (factor < 0) term.sign = -term.sign;
}

/// Norms of the whole block's right eigenvectors, those of its finite part continued: rounding errors of all entries count.
Eigen::VectorXd whole_norms(const Staircase& s, const GeneralisedEigenvalues& found) {
  const Index k = s.infinite;
  Eigen::VectorXd norms = found.right_norm;
  for (Index j = 0; j < norms.size() && k > 0; ++j) {
    stop_point();
    const Complex value = found.values[static_cast<std::size_t>(j)];
    const MatrixXcd shifted = s.a.topLeftCorner(k, k) - value * s.e.topLeftCorner(k, k);
    norms[j] = std::hypot(norms[j],
                          shifted.triangularView<Eigen::Upper>().solve(found.above.col(j)).norm());
  }
  return norms;
}

/// First-order error of each eigenvalue under perturbations of eps ||E|| and eps ||A||. First order fails where the vectors of
/// a defective eigenvalue become orthogonal, y^H E x = 0: the estimate then ends at what rounding does to a Jordan block of
/// size 4, else one such value would swallow all others as its cluster.
std::vector<double> errors(const Staircase& s, const GeneralisedEigenvalues& found) {
  const Eigen::VectorXd whole = whole_norms(s, found);
  const double e_norm = s.e.norm(), a_norm = s.a.norm(), largest = std::pow(machine_eps, 0.25);
  std::vector<double> result;
  for (Index j = 0; j < whole.size(); ++j) {
    const double size = a_norm + std::abs(found.values[static_cast<std::size_t>(j)]) * e_norm;
    const double vectors = found.left_norm[j] * whole[j], product = found.product[j];
    const double limit = largest * size / e_norm;
    result.push_back(machine_eps * size * vectors < limit * product
                         ? machine_eps * size * vectors / product
                         : limit);
  }
  return result;
}

/// By the standard problem where it is safe and saves time, else by QZ.
GeneralisedEigenvalues eigenvalues_of(const FinitePart& pencil) {
  constexpr Index small = 40;  // below, QZ takes no time worth saving
  if (pencil.a.rows() > small)
    if (auto found = standard_eigenvalues(pencil)) return std::move(*found);
  return qz(pencil);
}

/// A block of one equation a - s e.
void add_scalar(Spectrum& spectrum, double e, double a, Wanted wanted) {
  if (e == 0) {
    ++spectrum.infinite;
    multiply(spectrum.leading, a);
    return;
  }
  ++spectrum.leading.degree;
  multiply(spectrum.leading, -e);
  if (wanted == Wanted::values)
    spectrum.values.push_back({{a / e, 0.0}, 2 * machine_eps * std::abs(a / e)});
}

/// Another count of one block, kept as the difference from what was counted.
void note_other(Spectrum& spectrum, const OtherReading& other, int finite) {
  if (!spectrum.other) spectrum.other = OtherReading{0, other.value, other.margin};
  spectrum.other->finite += other.finite - finite;
  if (other.margin >= spectrum.other->margin) return;
  spectrum.other->margin = other.margin;
  spectrum.other->value = other.value;
}

/// Eigenvalues of the part of E that is regular; false where QZ gave up.
bool add_values(Spectrum& spectrum, const Staircase& s, int frequency_exponent) {
  const Index n = s.a.rows() - s.infinite;
  const GeneralisedEigenvalues found =
      eigenvalues_of({s.e.bottomRightCorner(n, n), s.a.bottomRightCorner(n, n),
                      s.e.topRightCorner(s.infinite, n), s.a.topRightCorner(s.infinite, n)});
  if (!found.converged) return false;
  if (n == 0) return true;
  const double frequency = std::ldexp(1.0, frequency_exponent);
  const std::vector<double> error = errors(s, found);
  for (std::size_t k = 0; k < found.values.size(); ++k)
    spectrum.values.push_back({frequency * found.values[k], frequency * error[k]});
  return true;
}

void add_block(Spectrum& spectrum, const MatrixXd& e, const MatrixXd& a, Wanted wanted) {
  const BalancedPencil pencil = balanced(e, a);
  const Staircase s = staircase(pencil.e, pencil.a);
  spectrum.decisions.insert(spectrum.decisions.end(), s.decisions.begin(), s.decisions.end());
  if (!s.regular) {
    spectrum.status = PencilStatus::singular;
    return;
  }
  if (wanted == Wanted::values && !add_values(spectrum, s, pencil.frequency)) {
    spectrum.status = PencilStatus::not_converged;
    return;
  }
  const Index n = a.rows() - s.infinite;
  if (s.other) note_other(spectrum, *s.other, static_cast<int>(n));
  LeadingTerm& leading = spectrum.leading;
  spectrum.infinite += static_cast<int>(s.infinite);
  leading.degree += static_cast<int>(n);
  leading.sign *= s.sign;
  for (Index k = 0; k < s.infinite; ++k) multiply(leading, s.a(k, k));
  if (n > 0) {
    const Lu lu(s.e.bottomRightCorner(n, n));
    const Eigen::VectorXd pivots = lu.pivots();
    for (Index k = 0; k < n; ++k) multiply(leading, -pivots[k]);
    leading.sign *= lu.sign_of_permutation();
  }
  const auto exponent =
      static_cast<double>(-pencil.rows_and_columns() - static_cast<long>(n) * pencil.frequency);
  leading.log_magnitude += exponent * std::log(2.0);
}

}  // namespace

double RankDecision::gap() const {
  const double nothing = std::max(largest_dropped, noise);
  return smallest_kept > 0 && nothing > 0 ? smallest_kept / nothing
                                          : std::numeric_limits<double>::infinity();
}

double Spectrum::smallest_gap() const {
  double gap = std::numeric_limits<double>::infinity();
  for (const RankDecision& decision : decisions) gap = std::min(gap, decision.gap());
  return gap;
}

Spectrum finite_eigenvalues(const MatrixXd& e, const MatrixXd& a, Wanted wanted) {
  if (e.rows() != e.cols() || a.rows() != a.cols() || e.rows() != a.rows())
    throw std::invalid_argument("finite_eigenvalues: E and A must be square and of one size");
  const std::vector<structure::SignatureEntry> entries = pattern(e, a);
  const structure::Offsets matching =
      structure::offsets(static_cast<std::uint32_t>(a.rows()), entries);
  Spectrum spectrum;
  if (matching.singular()) {
    spectrum.status = PencilStatus::singular;
    return spectrum;
  }
  const std::vector<structure::Block> blocks = structure::fine_blocks(matching, entries);
  spectrum.leading.sign = parity(blocks);
  for (const structure::Block& block : blocks) {
    const MatrixXd block_e = part(e, block), block_a = part(a, block);
    if (block.equations.size() == 1)
      add_scalar(spectrum, block_e(0, 0), block_a(0, 0), wanted);
    else
      add_block(spectrum, block_e, block_a, wanted);
    if (!spectrum.regular()) return spectrum;
  }
  if (spectrum.other) spectrum.other->finite += spectrum.leading.degree;
  spectrum.clusters = clusters(spectrum.values);
  return spectrum;
}

}  // namespace daedal::analysis
