#include "expression_substitution.hpp"

#include "cancellation.hpp"
#include "daedal/structure/analysis.hpp"
#include "words.hpp"

#include <algorithm>
#include <set>

namespace daedal::structure {

using expr::Expr;
using expr::Leaf;
using expr::SymbolId;

namespace {

/// One set of unknowns that enter together.
class Substituter {
 public:
  Substituter(const derive::Dae& dae, const Offsets& offsets, const SingularJacobian& jacobian,
              std::vector<std::uint32_t> set)
      : dae_(dae),
        offsets_(offsets),
        jacobian_(jacobian),
        set_(std::move(set)),
        graph_(std::make_shared<expr::Graph>(dae.model->graph)) {
    std::set<std::uint32_t> touched;
    for (const SignatureEntry& e : signature(dae))
      if (in_set(e.unknown) && offsets.d[e.unknown] - offsets.c[e.equation] == e.order)
        touched.insert(e.equation);
    touched_.assign(touched.begin(), touched.end());
    for (const std::uint32_t i : touched_) highest_c_ = std::max(highest_c_, offsets.c[i]);
  }

  std::optional<Substitution> run(std::string& reason) {
    const std::string names = quoted_list(
        set_, [&](std::uint32_t j) { return dae_.model->symbols[dae_.unknowns[j]].name; });
    const auto factors = combining_factors(jacobian_.columns(set_, *graph_), *graph_);
    if (!factors) {
      reason = fmt::format("how {} enter together cannot be written out", names);
      return std::nullopt;
    }
    if (!is_low(*factors)) {
      reason =
          fmt::format("{} enter together with factors that contain too high derivatives", names);
      return std::nullopt;
    }
    choose_leader(*factors);
    Substitution result;
    result.dae = dae_;
    if (varies(dae_, *graph_, (*factors)[leader_]))
      result.valid_where = text(dae_, *graph_, (*factors)[leader_]);
    introduce(result, *factors);
    rewrite(result);
    return result;
  }

 private:
  bool in_set(std::uint32_t unknown) const {
    return std::find(set_.begin(), set_.end(), unknown) != set_.end();
  }
  /// d_j - C: the derivative of x_j in the definition of its companion.
  int order(std::size_t k) const { return offsets_.d[set_[k]] - highest_c_; }
  Leaf leaf(std::size_t k, int derivative) const {
    return {dae_.unknowns[set_[k]], static_cast<std::uint16_t>(derivative)};
  }

  bool is_low(const std::vector<Expr>& factors) const {
    for (std::size_t k = 0; k < set_.size(); ++k)
      if (order(k) < 0) return false;
    for (const Leaf& l : expr::leaves(*graph_, factors)) {
      const int j = jacobian_.unknown(l.symbol);
      if (j < 0) continue;
      const auto unknown = static_cast<std::uint32_t>(j);
      if (l.order > offsets_.d[unknown] - highest_c_ - (in_set(unknown) ? 1 : 0)) return false;
    }
    return true;
  }

  /// The unknown that stays: one whose factor never vanishes, where there is one.
  void choose_leader(const std::vector<Expr>& factors) {
    for (std::size_t k = 1; k < set_.size(); ++k)
      if (varies(dae_, *graph_, factors[leader_]) && !varies(dae_, *graph_, factors[k]))
        leader_ = k;
  }

  std::string new_name(const model::Model& m, std::size_t k) const {
    std::string name = "aux_" + m.symbols[dae_.unknowns[set_[k]]].name;
    while (m.find(name) != expr::time_symbol) name.insert(0, "aux_");
    return name;
  }

  /// New unknowns y_j, their equations, and the replacement of x_j^(d_j - C).
  void introduce(Substitution& result, const std::vector<Expr>& factors) {
    auto m = std::make_shared<model::Model>(*dae_.model);
    std::vector<std::pair<std::uint32_t, Expr>> definitions;
    companion_.assign(set_.size(), graph_->constant(0));
    for (std::size_t k = 0; k < set_.size(); ++k) {
      if (k == leader_) continue;
      const Expr part = graph_->mul(graph_->div(factors[k], factors[leader_]),
                                    graph_->leaf(leaf(leader_, order(leader_))));
      const Expr value = graph_->sub(graph_->leaf(leaf(k, order(k))), part);
      model::Symbol symbol = m->symbols[dae_.unknowns[set_[k]]];
      symbol.name = new_name(*m, k);
      symbol.kind = model::SymbolKind::variable;
      result.definitions.push_back(fmt::format("{} = {}", symbol.name, text(dae_, *graph_, value)));
      const auto y = static_cast<SymbolId>(m->symbols.size());
      companion_[k] = graph_->add(graph_->leaf({y, 0}), part);
      definitions.emplace_back(static_cast<std::uint32_t>(result.dae.equations.size()),
                               graph_->sub(value, graph_->leaf({y, 0})));
      result.dae.equations.push_back({fmt::format("definition of {}", symbol.name),
                                      derive::EquationKind::equation, symbol.place});
      result.dae.unknowns.push_back(y);
      m->symbols.push_back(std::move(symbol));
    }
    result.dae.model = std::move(m);
    result.dae.residual.rows = static_cast<std::uint32_t>(result.dae.equations.size());
    for (const auto& [row, value] : definitions) replace_row(result.dae, row, graph_, value);
  }

  /// x_j^(d_j - c_i) in equation i becomes the (C - c_i)-th derivative of the replacement of x_j^(d_j - C).
  void rewrite(Substitution& result) {
    const model::Model& m = *result.dae.model;
    const expr::VariesInTime in_time = [&](SymbolId s) { return m.varies(s); };
    const std::vector<Expr> written = written_rows(dae_, touched_, *graph_);
    const std::vector<Point> points{random_point(result.dae, 1, 0.1),
                                    random_point(result.dae, 2, 0.1)};
    for (std::size_t r = 0; r < touched_.size(); ++r) {
      const int c = offsets_.c[touched_[r]];
      std::vector<Expr> stand_in = companion_;
      for (int n = c; n < highest_c_; ++n)
        stand_in = expr::time_derivative(*graph_, stand_in, in_time);
      const Expr row = expr::copy(*graph_, std::span(&written[r], 1), *graph_,
                                  [&](Leaf l) -> std::optional<Expr> {
                                    for (std::size_t k = 0; k < set_.size(); ++k)
                                      if (k != leader_ && l == leaf(k, offsets_.d[set_[k]] - c))
                                        return stand_in[k];
                                    return std::nullopt;
                                  })[0];
      const Cleaned cleaned = without_cancelled_leaves(*graph_, row, result.dae, points);
      replace_row(result.dae, touched_[r], graph_, cleaned.value);
      result.rewritten.push_back(touched_[r]);
    }
  }

  const derive::Dae& dae_;
  const Offsets& offsets_;
  const SingularJacobian& jacobian_;
  std::vector<std::uint32_t> set_;
  std::shared_ptr<expr::Graph> graph_;
  std::vector<std::uint32_t>
      touched_;  // equations that contain x_j^(d_j - c_i) for some j of the set
  int highest_c_ = 0;
  std::size_t leader_ = 0;
  std::vector<Expr> companion_;  // y_j + (v_j / v_l) x_l^(d_l - C)
};

}  // namespace

std::optional<Substitution> substitute(const derive::Dae& dae, const Offsets& offsets,
                                       const SingularJacobian& jacobian, std::string& reason) {
  for (std::vector<std::uint32_t>& set : dependent_rows(jacobian.values().transpose()))
    if (auto result = Substituter(dae, offsets, jacobian, std::move(set)).run(reason))
      return result;
  return std::nullopt;
}

}  // namespace daedal::structure
