#include "support/model_point.hpp"

#include "daedal/elaborate/elaborate.hpp"
#include "daedal/expr/graph.hpp"

#include <Eigen/LU>

#include <stdexcept>
#include <utility>

namespace daedal::test {

std::string model_path(const std::string& folder) {
  return std::string(DAEDAL_SOURCE_DIR) + "/models/" + folder + "/" + folder + ".daedal";
}

ModelPoint::ModelPoint(const std::string& folder, const model::Overrides& overrides)
    : ModelPoint(model::elaborate(model::load(model_path(folder)), overrides)) {}

ModelPoint::ModelPoint(model::Model model)
    : model_(std::make_shared<const model::Model>(std::move(model))),
      dae_(derive::derive(model_)),
      graph_(model_->graph) {
  for (const model::StartValue& start : model_->starts) values_[start.leaf] = start.value;
}

ModelPoint& ModelPoint::set(const Values& values) {
  for (const auto& [name, value] : values) values_[leaf(name)] = value;
  return *this;
}

double ModelPoint::value(const std::string& name) const { return value_of(leaf(name)); }

ModelPoint::Values ModelPoint::solve(double a1, double a0) {
  return solve([a1, a0](const std::string&) { return std::pair{a1, a0}; });
}

ModelPoint::Values ModelPoint::solve(const BaumgarteTerms& terms) {
  std::vector<expr::Expr> rows = expr::expand(dae_.residual, graph_);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (dae_.equations[i].kind != derive::EquationKind::constraint) continue;
    const auto [a1, a0] = terms(dae_.equations[i].name);
    rows[i] = differentiated_twice(rows[i], a1, a0);
  }
  const std::vector<expr::Leaf> tops = highest_derivatives();
  for (const expr::Leaf& top : tops) values_[top] = 0;
  const Eigen::VectorXd rest = evaluate(rows);  // the rows are linear in the tops
  const Eigen::VectorXd solution = jacobian(rows, tops).fullPivLu().solve(-rest);
  Values result;
  for (std::size_t j = 0; j < tops.size(); ++j) {
    values_[tops[j]] = solution(static_cast<Eigen::Index>(j));
    result[model::name_of(model_->symbols[tops[j].symbol], tops[j].order)] = values_[tops[j]];
  }
  return result;
}

ModelPoint::Values ModelPoint::residuals() {
  const Eigen::VectorXd rows = evaluate(expr::expand(dae_.residual, graph_));
  Values result;
  for (std::size_t i = 0; i < dae_.equations.size(); ++i) {
    result[dae_.equations[i].name] = rows(static_cast<Eigen::Index>(i));
  }
  return result;
}

double ModelPoint::output(const std::string& name) const {
  for (const model::NamedValue& output : model_->outputs)
    if (output.name == name) return evaluate({output.value})(0);
  throw std::invalid_argument("no output " + name);
}

Eigen::MatrixXd ModelPoint::mass_matrix() {
  const expr::SparseFunction& sparse = dae_.mechanics.mass_matrix;
  const Eigen::VectorXd entries = evaluate(expr::expand(sparse.values, graph_));
  Eigen::MatrixXd dense = Eigen::MatrixXd::Zero(sparse.rows, sparse.columns);
  for (std::uint32_t i = 0; i < sparse.rows; ++i) {
    for (std::uint32_t k = sparse.row_start[i]; k < sparse.row_start[i + 1]; ++k) {
      dense(i, sparse.column[k]) = entries(k);
    }
  }
  return dense;
}

double ModelPoint::kinetic() { return evaluate(expr::expand(dae_.mechanics.kinetic, graph_))(0); }
double ModelPoint::energy() { return evaluate(expr::expand(dae_.mechanics.energy, graph_))(0); }

Eigen::VectorXd ModelPoint::servo_defect(int order) {
  std::vector<expr::Expr> rows;
  for (const model::Relation& servo : model_->servos) rows.push_back(servo.residual);
  for (int k = 0; k < order; ++k) rows = expr::time_derivative(graph_, rows, varies());
  return evaluate(rows);
}

expr::Leaf ModelPoint::leaf(std::string name) const {
  std::uint16_t order = 0;
  while (!name.empty() && name.back() == '\'') {
    name.pop_back();
    ++order;
  }
  const expr::SymbolId symbol = name == "t" ? expr::time_symbol : model_->find(name);
  if (symbol == expr::time_symbol && name != "t") throw std::invalid_argument("no symbol " + name);
  return {symbol, order};
}

double ModelPoint::value_of(expr::Leaf leaf) const {
  if (const auto known = values_.find(leaf); known != values_.end()) return known->second;
  const model::Symbol& symbol = model_->symbols[leaf.symbol];
  if (symbol.kind == model::SymbolKind::parameter) return symbol.value;
  if (symbol.kind == model::SymbolKind::input && leaf.order == 0) return default_input(leaf.symbol);
  return 0;
}

double ModelPoint::default_input(expr::SymbolId input) const {
  for (const model::InputDefault& given : model_->inputs) {
    if (given.input != input) continue;
    const expr::Expr root[] = {given.value};
    return expr::evaluate(*model_->graph, root, [this](expr::Leaf l) { return value_of(l); })
        .front();
  }
  return 0;
}

expr::VariesInTime ModelPoint::varies() const {
  return [this](expr::SymbolId s) { return model_->varies(s); };
}

expr::Expr ModelPoint::differentiated_twice(expr::Expr c, double a1, double a0) {
  const expr::Expr position[] = {c};
  const std::vector<expr::Expr> velocity = expr::time_derivative(graph_, position, varies());
  const std::vector<expr::Expr> acceleration = expr::time_derivative(graph_, velocity, varies());
  const expr::Expr damping = graph_.mul(graph_.constant(a1), velocity[0]);
  const expr::Expr spring = graph_.mul(graph_.constant(a0), c);
  return graph_.add(acceleration[0], graph_.add(damping, spring));
}

std::vector<expr::Leaf> ModelPoint::highest_derivatives() const {
  std::vector<expr::Leaf> tops;
  for (const expr::SymbolId s : dae_.unknowns) {
    const bool moves = model_->symbols[s].kind == model::SymbolKind::coordinate;
    tops.push_back({s, static_cast<std::uint16_t>(moves ? 2 : 0)});
  }
  return tops;
}

Eigen::VectorXd ModelPoint::evaluate(const std::vector<expr::Expr>& rows) const {
  const std::vector<double> numbers =
      expr::evaluate(graph_, rows, [this](expr::Leaf l) { return value_of(l); });
  return Eigen::Map<const Eigen::VectorXd>(numbers.data(),
                                           static_cast<Eigen::Index>(numbers.size()));
}

Eigen::MatrixXd ModelPoint::jacobian(const std::vector<expr::Expr>& rows,
                                     const std::vector<expr::Leaf>& columns) {
  const std::vector<expr::JacobianEntry> entries = expr::jacobian(graph_, rows, columns);
  std::vector<expr::Expr> derivatives;
  for (const expr::JacobianEntry& entry : entries) derivatives.push_back(entry.value);
  const Eigen::VectorXd numbers = evaluate(derivatives);
  Eigen::MatrixXd dense = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(rows.size()),
                                                static_cast<Eigen::Index>(columns.size()));
  for (std::size_t k = 0; k < entries.size(); ++k) {
    dense(entries[k].row, entries[k].column) = numbers(static_cast<Eigen::Index>(k));
  }
  return dense;
}

}  // namespace daedal::test
