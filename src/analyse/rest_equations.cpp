#include "rest_equations.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace daedal::analysis {

using Eigen::Index;
using expr::SymbolId;

namespace {

double at_rest(const std::vector<double>& values, expr::Leaf leaf) {
  return leaf.order == 0 ? values[leaf.symbol] : 0;
}

}  // namespace

double RestEquations::Value::defect() const {
  double largest = 0;
  for (Index i = 0; i < residual.size(); ++i)
    if (residual[i] != 0) largest = std::max(largest, std::abs(residual[i]) / size[i]);
  return largest;
}

RestEquations::RestEquations(const derive::Dae& dae, const std::vector<SymbolId>& free_inputs)
    : graph_(std::make_shared<expr::Graph>(dae.model->graph)), equations_(dae.equations.size()) {
  for (const SymbolId s : dae.unknowns) {
    const model::SymbolKind kind = dae.model->symbols[s].kind;
    const bool position =
        kind == model::SymbolKind::coordinate || kind == model::SymbolKind::variable;
    (position ? positions_ : actions_).push_back(s);
  }
  actions_.insert(actions_.end(), free_inputs.begin(), free_inputs.end());
  std::vector<expr::Leaf> columns;
  for (const auto* symbols : {&positions_, &actions_})
    for (const SymbolId s : *symbols) columns.push_back({s, 0});
  const std::vector<expr::Expr> rows = expr::expand(dae.residual, *graph_);
  entries_ = expr::jacobian(*graph_, rows, columns);
  std::vector<expr::Expr> values;
  for (const expr::JacobianEntry& e : entries_) values.push_back(e.value);
  rows_ = structure::RoundedRows(*graph_, rows);
  slopes_ = structure::RoundedRows(*graph_, values);
}

RestEquations::Value RestEquations::evaluate(const std::vector<double>& values,
                                             double usual) const {
  const auto rounded = rows_.at([&](expr::Leaf leaf) { return at_rest(values, leaf); });
  Value v{Eigen::VectorXd(static_cast<Index>(rounded.size())),
          Eigen::VectorXd(static_cast<Index>(rounded.size()))};
  for (Index i = 0; i < v.residual.size(); ++i) {
    const structure::Rounded& r = rounded[static_cast<std::size_t>(i)];
    v.residual[i] = r.cleaned();
    v.size[i] = std::max(r.bound, std::numeric_limits<double>::min());
    v.finite = v.finite && std::isfinite(r.value);
  }
  // A reaction that is alone in its equation goes to 0 by ever smaller numbers, none small against itself.
  constexpr double eps = std::numeric_limits<double>::epsilon();
  const double nothing = v.size.size() == 0 ? 0 : eps * eps * std::max(usual, v.size.maxCoeff());
  v.residual = (v.residual.array().abs() <= nothing).select(0, v.residual);
  return v;
}

Eigen::MatrixXd RestEquations::jacobian(const std::vector<double>& values) const {
  const auto rounded = slopes_.at([&](expr::Leaf leaf) { return at_rest(values, leaf); });
  Eigen::MatrixXd j = Eigen::MatrixXd::Zero(
      static_cast<Index>(equations_), static_cast<Index>(positions_.size() + actions_.size()));
  for (std::size_t k = 0; k < entries_.size(); ++k)
    j(entries_[k].row, entries_[k].column) = rounded[k].cleaned();
  return j;
}

std::vector<double> start_values(const model::Model& m, double t) {
  std::vector<double> values(m.symbols.size(), 0);
  for (SymbolId s = 0; s < values.size(); ++s) values[s] = m.symbols[s].value;
  values[expr::time_symbol] = t;
  for (const model::StartValue& start : m.starts)
    if (start.leaf.order == 0) values[start.leaf.symbol] = start.value;
  for (const model::InputDefault& input : m.inputs)
    values[input.input] = expr::evaluate(*m.graph, std::vector{input.value},
                                         [&](expr::Leaf leaf) { return at_rest(values, leaf); })[0];
  return values;
}

}  // namespace daedal::analysis
