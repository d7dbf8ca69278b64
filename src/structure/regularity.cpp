// Block by block in the order of solution: J is regular where every diagonal block is.
#include "daedal/structure/regularity.hpp"

#include "daedal/base/lu.hpp"
#include "daedal/base/progress.hpp"
#include "daedal/base/svd.hpp"
#include "daedal/structure/analysis.hpp"
#include "daedal/structure/examine.hpp"
#include "daedal/structure/system_jacobian.hpp"
#include "numeric_jacobian.hpp"
#include "words.hpp"

#include <Eigen/SparseLU>

#include <algorithm>
#include <map>
#include <set>

namespace daedal::structure {

namespace {

constexpr std::size_t dense_limit = 300;  // block size up to which singular values are computed

std::vector<std::uint32_t> support(const Eigen::MatrixXd& vectors,
                                   const std::vector<std::uint32_t>& numbers) {
  std::vector<std::uint32_t> result;
  for (std::size_t k = 0; k < numbers.size(); ++k)
    if (vectors.row(static_cast<Eigen::Index>(k)).cwiseAbs().maxCoeff() > 1e-6)
      result.push_back(numbers[k]);
  std::sort(result.begin(), result.end());
  return result;
}

/// Far from singular, decided by elimination alone. The condition estimate needs pivots that are not 0.
bool surely_regular(const Eigen::MatrixXd& part) {
  if (part.rows() == 1) return part(0, 0) != 0;
  const Lu lu(part);
  return lu.pivots().cwiseAbs().minCoeff() > 1e-9 && lu.reciprocal_condition() > 1e-7;
}

/// nullopt when the block is regular.
std::optional<Regularity> dense_deficiency(const Eigen::MatrixXd& part, const Block& block) {
  if (surely_regular(part)) return std::nullopt;
  const Svd found = svd(part);
  const Eigen::VectorXd& values = found.values;
  Eigen::Index rank = 0;
  while (rank < values.size() && values[rank] > zero_singular_value * values[0]) ++rank;
  if (rank == values.size()) return std::nullopt;
  Regularity result;
  result.verdict = Verdict::singular_everywhere;
  result.size = static_cast<std::uint32_t>(values.size());
  result.rank = static_cast<std::uint32_t>(rank);
  result.smallest_singular_value = values[values.size() - 1];
  result.equations = support(found.u.rightCols(values.size() - rank), block.equations);
  result.unknowns = support(found.v.rightCols(values.size() - rank), block.unknowns);
  return result;
}

/// Large blocks by sparse elimination; two steps of inverse iteration bound the smallest singular value from above.
std::optional<Regularity> sparse_deficiency(const NumericJacobian& jacobian, const Block& block,
                                            std::uint32_t columns) {
  std::vector<int> local(columns, -1);
  for (std::size_t k = 0; k < block.unknowns.size(); ++k)
    local[block.unknowns[k]] = static_cast<int>(k);
  std::vector<Eigen::Triplet<double>> entries;
  for (std::size_t k = 0; k < block.equations.size(); ++k) {
    const std::uint32_t first = jacobian.row_start[block.equations[k]],
                        last = jacobian.row_start[block.equations[k] + 1];
    double largest = 0;
    for (std::uint32_t e = first; e < last; ++e)
      if (local[jacobian.column[e]] >= 0) largest = std::max(largest, std::abs(jacobian.value[e]));
    for (std::uint32_t e = first; e < last; ++e)
      if (local[jacobian.column[e]] >= 0 && jacobian.value[e] != 0)
        entries.emplace_back(static_cast<int>(k), local[jacobian.column[e]],
                             jacobian.value[e] / largest);
  }
  const auto size = static_cast<Eigen::Index>(block.equations.size());
  Eigen::SparseMatrix<double> matrix(size, size);
  matrix.setFromTriplets(entries.begin(), entries.end());
  Eigen::SparseLU<Eigen::SparseMatrix<double>> lu(matrix);
  double smallest = 0;
  if (lu.info() == Eigen::Success) {
    Eigen::VectorXd x = Eigen::VectorXd::Ones(size).normalized();
    for (int step = 0; step < 2; ++step) {
      x = lu.solve(x).eval();
      smallest = 1 / x.norm();
      x.normalize();
    }
  }
  if (smallest > zero_singular_value) return std::nullopt;
  Regularity result;
  result.verdict = Verdict::singular_everywhere;
  result.size = static_cast<std::uint32_t>(size);
  result.rank = result.size - 1;
  result.smallest_singular_value = smallest;
  result.equations = block.equations;
  result.unknowns = block.unknowns;
  return result;
}

class Check {
 public:
  Check(const derive::Dae& dae, const Offsets& offsets)
      : dae_(dae),
        jacobian_(system_jacobian(dae, offsets)),
        blocks_(fine_blocks(offsets, signature(dae))) {}

  /// nullopt when regular; a verdict `unknown` when not finite.
  std::optional<Regularity> deficiency_at(const Point& point) const {
    const std::optional<NumericJacobian> values = evaluate(dae_, jacobian_, point);
    if (!values) {
      Regularity unknown;
      unknown.verdict = Verdict::unknown;
      return unknown;
    }
    return deficiency(*values);
  }

  Regularity at_random() const {
    constexpr int enough = 3;  // singular at so many points is singular everywhere
    Regularity result;
    result.verdict = Verdict::unknown;
    RandomJacobians points(dae_, jacobian_);
    for (int n = 0; n < enough; ++n) {
      const std::optional<RandomJacobian> random = points.next();
      if (!random) break;
      const std::optional<Regularity> found = deficiency(random->values);
      if (!found) return {};
      result = *found;
    }
    return result;
  }

 private:
  std::optional<Regularity> deficiency(const NumericJacobian& values) const {
    for (const Block& block : blocks_) {
      stop_point();
      const auto found =
          block.equations.size() <= dense_limit
              ? dense_deficiency(values.scaled_part(block.equations, block.unknowns), block)
              : sparse_deficiency(values, block, jacobian_.columns);
      if (found) return found;
    }
    return std::nullopt;
  }

  const derive::Dae& dae_;
  expr::SparseFunction jacobian_;
  std::vector<Block> blocks_;
};

std::vector<std::pair<expr::Leaf, double>> state_of(const Regularity& r, const derive::Dae& dae,
                                                    const Offsets& offsets, const Point& point) {
  std::map<expr::SymbolId, int> leading;
  for (std::size_t j = 0; j < dae.unknowns.size(); ++j) leading[dae.unknowns[j]] = offsets.d[j];
  std::set<expr::Leaf> leaves;
  for (const expr::Occurrence& o : expr::occurrences(dae.residual)) {
    const auto unknown = leading.find(o.leaf.symbol);
    if (unknown != leading.end() && o.leaf.order < unknown->second &&
        std::binary_search(r.equations.begin(), r.equations.end(), o.row))
      leaves.insert(o.leaf);
  }
  std::vector<std::pair<expr::Leaf, double>> state;
  for (const expr::Leaf& leaf : leaves) state.emplace_back(leaf, point(leaf));
  return state;
}

/// "x = 0, y' = 1.5"
std::string describe_state(const Regularity& r, const derive::Dae& dae) {
  constexpr std::size_t shown = 8;
  std::string text;
  for (std::size_t k = 0; k < std::min(r.state.size(), shown); ++k) {
    const auto& [leaf, value] = r.state[k];
    text += fmt::format("{}{} = {:g}", k == 0 ? "" : ", ",
                        model::name_of(dae.model->symbols[leaf.symbol], leaf.order), value);
  }
  if (r.state.size() > shown) text += ", ...";
  return text.empty() ? "this state" : text;
}

}  // namespace

Regularity regularity(const derive::Dae& dae, const Offsets& offsets) {
  return Check(dae, offsets).at_random();
}

Regularity regularity(const derive::Dae& dae, const Offsets& offsets, const Point& point) {
  const Check check(dae, offsets);
  std::optional<Regularity> here = check.deficiency_at(point);
  if (!here) return {};
  const Regularity elsewhere = check.at_random();
  if (elsewhere.verdict != Verdict::regular) return elsewhere;
  if (here->verdict == Verdict::unknown) return *here;
  here->verdict = Verdict::singular_here;
  here->state = state_of(*here, dae, offsets, point);
  return *here;
}

std::string describe(const Regularity& r, const derive::Dae& dae) {
  const auto equations = [&] {
    return quoted_list(r.equations, [&](std::uint32_t i) { return dae.equations[i].name; });
  };
  const auto unknowns = [&] {
    return quoted_list(r.unknowns,
                       [&](std::uint32_t j) { return dae.model->symbols[dae.unknowns[j]].name; });
  };
  const char* verb = r.equations.size() == 1 ? "does" : "do";
  switch (r.verdict) {
    case Verdict::regular:
      return {};
    case Verdict::unknown:
      return "the equations have no finite values near the start values, so their structure could "
             "not be checked";
    case Verdict::singular_here:
      return fmt::format(
          "singular at {}: {} {} not determine {} (rank {} of {}, smallest singular value "
          "{:.1e}); "
          "at other states it is regular",
          describe_state(r, dae), equations(), verb, unknowns(), r.rank, r.size,
          r.smallest_singular_value);
    case Verdict::singular_everywhere:
      return fmt::format("{} {} not determine {} at any state (rank {} of {})", equations(), verb,
                         unknowns(), r.rank, r.size);
  }
  return {};
}

}  // namespace daedal::structure
