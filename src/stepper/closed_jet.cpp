#include "closed_jet.hpp"

#include "daedal/compile/elimination.hpp"
#include "daedal/expr/graph.hpp"
#include "daedal/stepper/step_program.hpp"
#include "daedal/structure/analysis.hpp"
#include "daedal/structure/examine.hpp"
#include "trajectory_code.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

namespace daedal::solve {

using expr::Expr;
using expr::Leaf;

namespace {

constexpr std::uint32_t most_jet_nodes = 100'000;
/// Of the size of a guessed quantity: Newton's step squares it, and 1e-16 is left.
constexpr double largest_correction = 1e-8;

}  // namespace

class ClosedJetWriter {
 public:
  ClosedJetWriter(const formulate::Problem& problem, const ConsistentPoint& start)
      : problem_(problem),
        dae_(*problem.dae),
        start_(point_of(problem, start)),
        graph_(std::make_shared<expr::Graph>()) {
    const model::Model& m = *dae_.model;
    rows_ = expr::expand(dae_.residual, *graph_, [&](Leaf leaf) -> std::optional<Expr> {
      if (leaf.symbol == expr::time_symbol || m.varies(leaf.symbol)) return std::nullopt;
      return graph_->constant(m.symbols[leaf.symbol].value);
    });
    first_guess_ = static_cast<expr::SymbolId>(m.symbols.size());
  }

  std::unique_ptr<ClosedJet> run(std::span<const Leaf> wanted, const compile::Options& options) {
    const structure::Offsets& o = problem_.offsets;
    const std::vector<structure::Block> blocks =
        structure::fine_blocks(o, structure::signature(dae_));
    const int deepest = *std::max_element(o.d.begin(), o.d.end());
    for (int level = -deepest; level <= 0; ++level)
      for (const structure::Block& block : blocks)
        if (!solve_block(block, level)) return nullptr;
    return compiled(wanted, options);
  }

 private:
  /// Nothing on this level, or its unknowns solved; false when that is not possible.
  bool solve_block(const structure::Block& block, int level) {
    const structure::Offsets& o = problem_.offsets;
    std::vector<Expr> rows;
    std::vector<Leaf> unknowns;
    for (std::size_t k = 0; k < block.equations.size(); ++k) {
      const std::uint32_t i = block.equations[k], j = block.unknowns[k];
      if (o.c[i] != o.d[j]) return false;
      if (o.c[i] + level < 0) continue;
      if (o.c[i] + level > 0)
        rows_[i] = expr::time_derivative(*graph_, std::span(&rows_[i], 1),
                                         [](expr::SymbolId) { return true; })[0];
      rows.push_back(rows_[i]);
      unknowns.push_back({dae_.unknowns[j], static_cast<std::uint16_t>(o.d[j] + level)});
    }
    if (rows.empty()) return true;
    rows = with(rows, values_);
    const std::vector<expr::JacobianEntry> entries = expr::jacobian(*graph_, rows, unknowns);
    return contain(entries, unknowns) ? newton_step(rows, unknowns) : eliminated(rows, unknowns);
  }

  bool contain(const std::vector<expr::JacobianEntry>& entries, const std::vector<Leaf>& unknowns) {
    std::vector<Expr> values;
    for (const expr::JacobianEntry& e : entries) values.push_back(e.value);
    const std::vector<Leaf> in_them = expr::leaves(*graph_, values);
    return std::any_of(unknowns.begin(), unknowns.end(), [&](Leaf leaf) {
      return std::find(in_them.begin(), in_them.end(), leaf) != in_them.end();
    });
  }

  bool eliminated(const std::vector<Expr>& rows, const std::vector<Leaf>& unknowns) {
    std::map<Leaf, Expr> zero;
    for (const Leaf leaf : unknowns) zero[leaf] = graph_->constant(0);
    const auto solution = solved(rows, unknowns, zero);
    if (!solution) return false;
    for (std::size_t k = 0; k < unknowns.size(); ++k) values_[unknowns[k]] = (*solution)[k];
    return true;
  }

  bool newton_step(const std::vector<Expr>& rows, const std::vector<Leaf>& unknowns) {
    std::map<Leaf, Expr> guess;
    for (const Leaf leaf : unknowns) {
      guess[leaf] = graph_->leaf({first_guess_ + static_cast<expr::SymbolId>(guessed_.size()), 0});
      guessed_.push_back(leaf);
    }
    const auto solution = solved(rows, unknowns, guess);
    if (!solution) return false;
    for (std::size_t k = 0; k < unknowns.size(); ++k) {
      values_[unknowns[k]] = graph_->add(guess[unknowns[k]], (*solution)[k]);
      const double size =
          dae_.model->symbols[unknowns[k].symbol].nominal + std::abs(start_(unknowns[k]));
      corrections_.push_back(graph_->mul(graph_->constant(1 / size), (*solution)[k]));
    }
    return true;
  }

  /// -(d rows / d unknowns)^-1 rows at `place`.
  std::optional<std::vector<Expr>> solved(const std::vector<Expr>& rows,
                                          const std::vector<Leaf>& unknowns,
                                          const std::map<Leaf, Expr>& place) {
    const auto n = static_cast<std::uint32_t>(rows.size());
    std::vector<std::uint32_t> row_start(n + 1, 0), column;
    std::vector<Expr> matrix, right;
    for (const expr::JacobianEntry& e : expr::jacobian(*graph_, rows, unknowns)) {
      ++row_start[e.row + 1];
      column.push_back(e.column);
      matrix.push_back(e.value);
    }
    for (std::uint32_t i = 0; i < n; ++i) row_start[i + 1] += row_start[i];
    matrix = with(matrix, place);
    for (const Expr row : with(rows, place)) right.push_back(graph_->neg(row));
    const std::vector<double> sample = expr::evaluate(*graph_, matrix, [&](Leaf leaf) {
      return leaf.symbol >= first_guess_ ? start_(guessed_[leaf.symbol - first_guess_])
                                         : start_(leaf);
    });
    const auto elimination = compile::eliminate(
        *graph_, {n, row_start, column, matrix, right, sample},
        [&](Expr e) { return graph_->is_constant(e); }, most_jet_nodes);
    if (!elimination || graph_->size() > most_jet_nodes) return std::nullopt;
    return elimination->solution;
  }

  std::vector<Expr> with(const std::vector<Expr>& expressions,
                         const std::map<Leaf, Expr>& values) const {
    return expr::copy(*graph_, expressions, *graph_, [&](Leaf leaf) -> std::optional<Expr> {
      const auto found = values.find(leaf);
      return found == values.end() ? std::nullopt : std::optional(found->second);
    });
  }

  std::unique_ptr<ClosedJet> compiled(std::span<const Leaf> wanted,
                                      const compile::Options& options) {
    std::vector<Expr> roots;
    for (const Leaf leaf : wanted) {
      const auto value = values_.find(leaf);
      if (value == values_.end()) return nullptr;
      roots.push_back(value->second);
    }
    roots.insert(roots.end(), corrections_.begin(), corrections_.end());
    roots = with_trajectories_written_out(*graph_, roots);
    auto jet = std::make_unique<ClosedJet>();
    compile::Layout layout;
    layout.add({expr::time_symbol, 0});
    for (std::size_t g = 0; g < guessed_.size(); ++g) {
      layout.add({first_guess_ + static_cast<expr::SymbolId>(g), 0});
      jet->guessed_.push_back(problem_.layout.find(guessed_[g]) - 1);
    }
    for (const Leaf leaf : expr::leaves(*graph_, roots))
      if (layout.find(leaf) == compile::absent) return nullptr;
    std::vector<expr::Term> terms;
    for (const Expr e : roots) terms.push_back({e, static_cast<std::uint32_t>(terms.size())});
    jet->kernel_ = compile::compile(expr::Function{static_cast<std::uint32_t>(terms.size()),
                                                   {expr::identity_family(graph_, terms)}},
                                    layout, options);
    jet->work_ = jet->kernel_->workspace();
    jet->point_.resize(layout.size());
    jet->rows_.resize(terms.size());
    jet->wanted_ = wanted.size();
    jet->kernel_->prepare(jet->point_.data(), jet->work_);
    return jet;
  }

  const formulate::Problem& problem_;
  const derive::Dae& dae_;
  const structure::Point start_;
  std::shared_ptr<expr::Graph> graph_;
  std::vector<Expr> rows_;       // the equations, differentiated as often as the level requires
  std::map<Leaf, Expr> values_;  // solved so far
  expr::SymbolId first_guess_ = 0;
  std::vector<Leaf> guessed_;
  std::vector<Expr> corrections_;  // of the guesses, relative
};

std::unique_ptr<ClosedJet> ClosedJet::make(const formulate::Problem& problem,
                                           const ConsistentPoint& start,
                                           std::span<const Leaf> wanted,
                                           const compile::Options& options) {
  return ClosedJetWriter(problem, start).run(wanted, options);
}

bool ClosedJet::evaluate(double t, double* values) noexcept {
  point_[0] = t;
  kernel_->evaluate(point_.data(), rows_.data(), work_);
  for (std::size_t k = wanted_; k < rows_.size(); ++k)
    if (!(std::abs(rows_[k]) <= largest_correction)) return false;
  for (std::size_t k = 0; k < wanted_; ++k)
    if (!std::isfinite(rows_[k])) return false;  // high derivatives, written out, may overflow
  std::copy_n(rows_.data(), wanted_, values);
  return true;
}

}  // namespace daedal::solve
