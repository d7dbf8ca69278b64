// A model of the library at one point, by the plain road: the Dae's residuals are written out, constraints are differentiated
// twice, and the linear system for accelerations and multipliers is solved densely. Kernels, formulations and integrators are
// not used, so the numbers are independent of them.
#pragma once

#include <Eigen/Dense>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "daedal/derive/dae.hpp"
#include "daedal/expr/calculus.hpp"
#include "daedal/expr/family.hpp"
#include "daedal/model/model.hpp"
#include "daedal/model/parse.hpp"

namespace daedal::test {

inline std::string model_path(const std::string& folder) {
  return std::string(DAEDAL_SOURCE_DIR) + "/models/" + folder + "/" + folder + ".daedal";
}

class ModelPoint {
 public:
  using Values = std::map<std::string, double>;  // by the user's names: "x", "x'", "rod"

  explicit ModelPoint(const std::string& folder, const model::Overrides& overrides = {})
      : ModelPoint(model::elaborate(model::load(model_path(folder)), overrides)) {}

  explicit ModelPoint(model::Model elaborated)
      : model_(std::make_shared<const model::Model>(std::move(elaborated))),
        dae_(derive::derive(model_)),
        graph_(model_->graph) {
    for (const model::StartValue& start : model_->starts) values_[start.leaf] = start.value;
  }

  const model::Model& model() const { return *model_; }
  const derive::Dae& dae() const { return dae_; }

  /// Sets leaves by name; a name ends in one ' per time derivative. "t" is time.
  ModelPoint& set(const Values& values) {
    for (const auto& [name, value] : values) values_[leaf(name)] = value;
    return *this;
  }
  double value(const std::string& name) const { return value_of(leaf(name)); }

  /// Accelerations "x''" and multipliers "rod" from  M a - G^T lambda = ..., c'' + a1 c' + a0 c = 0.
  Values solve(double a1 = 0, double a0 = 0) {
    return solve([a1, a0](const std::string&) { return std::pair{a1, a0}; });
  }
  template <class TermsOf>  // constraint name -> (a1, a0)
  Values solve(const TermsOf& baumgarte) {
    std::vector<expr::Expr> rows = expr::expand(dae_.residual, graph_);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (dae_.equations[i].kind != derive::EquationKind::constraint) continue;
      const auto [a1, a0] = baumgarte(dae_.equations[i].name);
      rows[i] = differentiated_twice(rows[i], a1, a0);
    }
    const std::vector<expr::Leaf> tops = highest_derivatives();
    for (const expr::Leaf& top : tops) values_[top] = 0;
    const Eigen::VectorXd rest = evaluate(rows);  // the rows are linear in the tops
    const Eigen::MatrixXd matrix = jacobian(rows, tops);
    const Eigen::VectorXd solution = matrix.fullPivLu().solve(-rest);
    Values result;
    for (std::size_t j = 0; j < tops.size(); ++j) {
      values_[tops[j]] = solution(static_cast<Eigen::Index>(j));
      result[model::name_of(model_->symbols[tops[j].symbol], tops[j].order)] = values_[tops[j]];
    }
    return result;
  }

  /// Residuals of all equations with the values that are set (accelerations and multipliers included).
  Values residuals() {
    const Eigen::VectorXd rows = evaluate(expr::expand(dae_.residual, graph_));
    Values result;
    for (std::size_t i = 0; i < dae_.equations.size(); ++i) {
      result[dae_.equations[i].name] = rows(static_cast<Eigen::Index>(i));
    }
    return result;
  }

  /// Mass matrix, rows and columns in the order of the coordinates.
  Eigen::MatrixXd mass_matrix() {
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
  double kinetic() { return evaluate(expr::expand(dae_.mechanics.kinetic, graph_))(0); }
  double energy() { return evaluate(expr::expand(dae_.mechanics.energy, graph_))(0); }

  /// lhs - rhs of the servo-constraints, differentiated `order` times.
  Eigen::VectorXd servo_defect(int order) {
    std::vector<expr::Expr> rows;
    for (const model::Relation& servo : model_->servos) rows.push_back(servo.residual);
    for (int k = 0; k < order; ++k) rows = expr::time_derivative(graph_, rows, varies());
    return evaluate(rows);
  }
  Eigen::VectorXd outputs() { return evaluate(expr::expand(dae_.outputs, graph_)); }

 private:
  expr::Leaf leaf(std::string name) const {
    std::uint16_t order = 0;
    while (!name.empty() && name.back() == '\'') {
      name.pop_back();
      ++order;
    }
    const expr::SymbolId symbol = name == "t" ? expr::time_symbol : model_->find(name);
    if (symbol == expr::time_symbol && name != "t") throw std::invalid_argument("no symbol " + name);
    return {symbol, order};
  }

  double value_of(expr::Leaf leaf) const {
    if (const auto known = values_.find(leaf); known != values_.end()) return known->second;
    const model::Symbol& symbol = model_->symbols[leaf.symbol];
    if (symbol.kind == model::SymbolKind::parameter) return symbol.value;
    if (symbol.kind == model::SymbolKind::input && leaf.order == 0) return default_input(leaf.symbol);
    return 0;
  }
  double default_input(expr::SymbolId input) const {
    for (const model::InputDefault& given : model_->inputs) {
      if (given.input != input) continue;
      const expr::Expr root[] = {given.value};
      return expr::evaluate(*model_->graph, root, [this](expr::Leaf l) { return value_of(l); }).front();
    }
    return 0;
  }

  expr::VariesInTime varies() const {
    return [this](expr::SymbolId s) { return model_->varies(s); };
  }
  expr::Expr differentiated_twice(expr::Expr c, double a1, double a0) {
    const expr::Expr position[] = {c};
    const std::vector<expr::Expr> velocity = expr::time_derivative(graph_, position, varies());
    const std::vector<expr::Expr> acceleration = expr::time_derivative(graph_, velocity, varies());
    const expr::Expr damping = graph_.mul(graph_.constant(a1), velocity[0]);
    const expr::Expr spring = graph_.mul(graph_.constant(a0), c);
    return graph_.add(acceleration[0], graph_.add(damping, spring));
  }
  std::vector<expr::Leaf> highest_derivatives() const {
    std::vector<expr::Leaf> tops;
    for (const expr::SymbolId s : dae_.unknowns) {
      const bool moves = model_->symbols[s].kind == model::SymbolKind::coordinate;
      tops.push_back({s, static_cast<std::uint16_t>(moves ? 2 : 0)});
    }
    return tops;
  }

  Eigen::VectorXd evaluate(const std::vector<expr::Expr>& rows) const {
    const std::vector<double> numbers =
        expr::evaluate(graph_, rows, [this](expr::Leaf l) { return value_of(l); });
    return Eigen::Map<const Eigen::VectorXd>(numbers.data(), static_cast<Eigen::Index>(numbers.size()));
  }
  Eigen::MatrixXd jacobian(const std::vector<expr::Expr>& rows, const std::vector<expr::Leaf>& columns) {
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

  std::shared_ptr<const model::Model> model_;
  derive::Dae dae_;
  expr::Graph graph_;  // on top of the model's frozen graph
  std::map<expr::Leaf, double> values_;
};

}  // namespace daedal::test
