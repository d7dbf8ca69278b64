#include "linear_combination.hpp"

#include "cancellation.hpp"
#include "words.hpp"

#include <algorithm>
#include <cmath>

namespace daedal::structure {

using expr::Expr;
using expr::Leaf;

namespace {

constexpr std::string_view combined = " (combined)";  // marks the name of a replaced equation

/// One set of equations that depend on each other.
class Combiner {
 public:
  Combiner(const derive::Dae& dae, const Offsets& offsets, const SingularJacobian& jacobian,
           std::vector<std::uint32_t> set)
      : dae_(dae),
        offsets_(offsets),
        jacobian_(jacobian),
        set_(std::move(set)),
        graph_(std::make_shared<expr::Graph>(dae.model->graph)) {
    theta_ = offsets.c[set_[0]];
    for (const std::uint32_t i : set_) theta_ = std::min(theta_, offsets.c[i]);
  }

  std::optional<Combination> run(std::string& reason) {
    const std::string names =
        quoted_list(set_, [&](std::uint32_t i) { return dae_.equations[i].name; });
    const auto factors = combining_factors(jacobian_.rows(set_, *graph_), *graph_);
    if (!factors) {
      reason = fmt::format("how {} depend on each other cannot be written out", names);
      return std::nullopt;
    }
    if (!is_low(*factors)) {
      reason = fmt::format(
          "the factors that combine {} contain derivatives as high as those to be eliminated",
          names);
      return std::nullopt;
    }
    const Cleaned g =
        without_cancelled_leaves(*graph_, weighted_sum(*factors), dae_, jacobian_.points());
    if (!is_low({g.value})) {
      reason = fmt::format("the highest derivatives in {} do not cancel as they should", names);
      return std::nullopt;
    }
    return replaced(*factors, g.value);
  }

 private:
  int times(std::size_t k) const { return offsets_.c[set_[k]] - theta_; }

  /// Derivatives of x_j are below d_j - theta.
  bool is_low(const std::vector<Expr>& expressions) const {
    for (const Leaf& leaf : expr::leaves(*graph_, expressions)) {
      const int j = jacobian_.unknown(leaf.symbol);
      if (j >= 0 && leaf.order >= offsets_.d[static_cast<std::size_t>(j)] - theta_) return false;
    }
    return true;
  }

  Expr weighted_sum(const std::vector<Expr>& factors) {
    const expr::VariesInTime in_time = [&](expr::SymbolId s) { return dae_.model->varies(s); };
    const std::vector<Expr> written = written_rows(dae_, set_, *graph_);
    Expr sum = graph_->constant(0);
    for (std::size_t k = 0; k < set_.size(); ++k) {
      Expr f = written[k];
      for (int n = 0; n < times(k); ++n)
        f = expr::time_derivative(*graph_, std::span(&f, 1), in_time)[0];
      sum = graph_->add(sum, graph_->mul(factors[k], f));
    }
    return sum;
  }

  /// How sure it is that a factor does not vanish: 2 always, 1 at the start values, 0 not even there.
  int firmness(Expr factor) const {
    if (!varies(dae_, *graph_, factor)) return 2;
    const double at_start = expr::evaluate(*graph_, std::span(&factor, 1), jacobian_.start())[0];
    return std::isfinite(at_start) && std::abs(at_start) > 1e-12 ? 1 : 0;
  }

  /// The equation to replace: not differentiated, and with the firmest factor.
  std::size_t leader(const std::vector<Expr>& factors) const {
    std::size_t best = set_.size();
    for (std::size_t k = 0; k < set_.size(); ++k)
      if (times(k) == 0 && (best == set_.size() || firmness(factors[k]) > firmness(factors[best])))
        best = k;
    return best;
  }

  Combination replaced(const std::vector<Expr>& factors, Expr g) const {
    const std::size_t k = leader(factors);
    Combination result;
    result.replaced = set_[k];
    for (std::size_t i = 0; i < set_.size(); ++i) result.ingredients.push_back({set_[i], times(i)});
    const std::vector<Leaf> leaves = expr::leaves(*graph_, std::span(&g, 1));
    result.trivial = std::none_of(leaves.begin(), leaves.end(), [&](const Leaf& leaf) {
      return jacobian_.unknown(leaf.symbol) >= 0;
    });
    if (varies(dae_, *graph_, factors[k])) result.valid_where = text(dae_, *graph_, factors[k]);
    result.dae = dae_;
    derive::Equation& equation = result.dae.equations[result.replaced];
    equation.kind = derive::EquationKind::equation;
    if (!equation.name.ends_with(combined)) equation.name += combined;
    replace_row(result.dae, result.replaced, graph_, g);
    return result;
  }

  const derive::Dae& dae_;
  const Offsets& offsets_;
  const SingularJacobian& jacobian_;
  std::vector<std::uint32_t> set_;
  std::shared_ptr<expr::Graph> graph_;
  int theta_ = 0;
};

}  // namespace

std::optional<Combination> combine(const derive::Dae& dae, const Offsets& offsets,
                                   const SingularJacobian& jacobian, std::string& reason) {
  for (std::vector<std::uint32_t>& set : dependent_rows(jacobian.values()))
    if (auto result = Combiner(dae, offsets, jacobian, std::move(set)).run(reason)) return result;
  return std::nullopt;
}

}  // namespace daedal::structure
