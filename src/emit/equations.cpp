#include "daedal/base/progress.hpp"
#include "daedal/emit/report.hpp"
#include "daedal/expr/graph.hpp"
#include "daedal/structure/hidden.hpp"
#include "readable.hpp"

#include <fmt/format.h>

#include <functional>
#include <set>

namespace daedal::emit {

namespace {

/// Expressions as text and LaTeX in the model's names, simplified for people.
class Writer {
 public:
  Writer(const model::Model& model, const expr::Graph& graph, std::size_t limit)
      : model_(model), graph_(graph), readable_(graph, rank_), limit_(limit) {
    for (const model::Symbol& symbol : model.symbols) taken_.insert(symbol.name);
  }

  /// With the accelerations collected on the left where `of_motion`: M(q) q'' = right-hand side.
  void write(expr::Expr e, bool of_motion, WrittenEquation& equation) {
    const auto sides =
        readable_.simplified(e, of_motion ? is_acceleration_ : std::function<bool(expr::Leaf)>());
    if (!sides) {
      equation.text = expr::to_text(graph_, e, text_name_, limit_) + " = 0";
      equation.latex = expr::to_latex(graph_, e, plain_name_, limit_) + " = 0";
      return;
    }
    const auto first = static_cast<expr::SymbolId>(model_.symbols.size());
    const Readable::Named named = readable_.with_names(
        *sides, first, [&](const std::string& name) { return taken_.contains(name); });
    names_.clear();
    for (const auto& [name, value] : named.names) names_.push_back(name);
    equation.text = text(named.sides.left) + " = " + text(named.sides.right);
    equation.latex = latex(named.sides.left) + " = " + latex(named.sides.right);
    std::string_view before = "  with  ";
    for (const auto& [name, value] : named.names) {
      equation.text += fmt::format("{}{} = {}", before, name, text(value));
      equation.latex += fmt::format(",\\quad {} = {}", expr::latex_name(name, 0), latex(value));
      before = ",  ";
    }
  }

 private:
  std::string text(expr::Expr e) const {
    return expr::to_text(readable_.graph(), e, text_name_, limit_);
  }
  std::string latex(expr::Expr e) const {
    return expr::to_latex(readable_.graph(), e, plain_name_, limit_);
  }

  const model::Model& model_;
  const expr::Graph& graph_;
  std::set<std::string> taken_;
  std::vector<std::string> names_;  // of subexpressions: symbols after those of the model
  expr::LeafName text_name_ = [this](expr::Leaf leaf) {
    return leaf.symbol < model_.symbols.size()
               ? model::name_of(model_.symbols[leaf.symbol], leaf.order)
               : names_[leaf.symbol - model_.symbols.size()];
  };
  expr::LeafName plain_name_ = [this](expr::Leaf leaf) {
    return leaf.symbol < model_.symbols.size() ? model_.symbols[leaf.symbol].name
                                               : names_[leaf.symbol - model_.symbols.size()];
  };
  std::function<bool(expr::Leaf)> is_acceleration_ = [this](expr::Leaf leaf) {
    return leaf.symbol < model_.symbols.size() && leaf.order >= 2 &&
           model_.symbols[leaf.symbol].is_position();
  };
  /// 2*rod*x, x*sin(phi), m*L*cos(phi)*phi'': masses, other parameters, forces, coordinates, functions, derivatives.
  LeafRank rank_ = [this](expr::Leaf leaf) {
    if (leaf.symbol >= model_.symbols.size()) return function_rank;
    const model::Symbol& symbol = model_.symbols[leaf.symbol];
    switch (symbol.kind) {
      case model::SymbolKind::parameter:
        return symbol.unit.starts_with("kg") ? parameter_rank - 1 : parameter_rank;
      case model::SymbolKind::multiplier:
      case model::SymbolKind::input:
        return 20 + leaf.order;
      case model::SymbolKind::time:
      case model::SymbolKind::coordinate:
      case model::SymbolKind::lifted:
      case model::SymbolKind::variable:
        break;
    }
    return leaf.order == 0 ? 25 : 50 + leaf.order;
  };
  Readable readable_;
  std::size_t limit_;
};

std::string differentiated(int times) {
  switch (times) {
    case 0:
      return "";
    case 1:
      return ", differentiated once";
    case 2:
      return ", differentiated twice";
    default:
      return fmt::format(", differentiated {} times", times);
  }
}

}  // namespace

std::vector<WrittenEquation> written_equations(const derive::Dae& dae, std::size_t limit) {
  expr::Graph graph(dae.model->graph);
  const std::vector<expr::Expr> rows = expr::expand(dae.residual, graph);
  Writer writer(*dae.model, graph, limit);
  std::vector<WrittenEquation> equations;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    stop_point();
    equations.push_back({dae.equations[i].name, "", "", 0});
    writer.write(rows[i], dae.equations[i].kind == derive::EquationKind::motion, equations.back());
  }
  return equations;
}

std::vector<WrittenEquation> written_derivatives(const derive::Dae& dae,
                                                 const structure::Offsets& offsets,
                                                 std::size_t limit) {
  const structure::HiddenConstraints hidden = structure::hidden_constraints(dae, offsets);
  Writer writer(*dae.model, *hidden.graph, limit);
  std::vector<WrittenEquation> equations;
  for (const structure::HiddenConstraint& h : hidden.list) {
    stop_point();
    equations.push_back(
        {dae.equations[h.equation].name + differentiated(h.derivative), "", "", h.derivative});
    if (h.value) writer.write(*h.value, false, equations.back());
  }
  return equations;
}

}  // namespace daedal::emit
