#include "pose_rows.hpp"

#include "rest_equations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace daedal::analysis {

namespace {

bool of_positions_alone(const model::Model& m, expr::Expr value) {
  for (const expr::Leaf& leaf : expr::leaves(*m.graph, std::vector{value}))
    if (leaf.order > 0) return false;
  return true;
}

}  // namespace

Kinematics::Rows::Rows(std::shared_ptr<const derive::Dae> of, double at)
    : dae(std::move(of)), t(at), graph(dae->model->graph) {
  const model::Model& m = *dae->model;
  coordinates = dae->mechanics.coordinates;
  if (coordinates.empty())
    throw ModelError({Severity::error,
                      m.place,
                      fmt::format("model '{}' has no coordinates, so there are no poses", m.name),
                      {},
                      "declare them:  coordinate x"});
  for (const expr::SymbolId s : coordinates)
    scale.push_back(m.symbols[s].nominal > 0 ? m.symbols[s].nominal : 1);
  for (const model::Relation& c : m.constraints) {
    if (!of_positions_alone(m, c.residual)) continue;  // velocity level: restricts no pose
    names.push_back(c.name);
    values.push_back(c.residual);
  }
  constraints = values.size();
  const auto add = [&](const std::string& name, expr::Expr value) {
    if (!row_of.emplace(name, values.size()).second) return;
    names.push_back(name);
    values.push_back(value);
  };
  for (const expr::SymbolId s : coordinates) add(m.symbols[s].name, graph.leaf({s, 0}));
  for (const model::NamedValue& output : m.outputs)
    if (of_positions_alone(m, output.value)) add(output.name, output.value);
  std::vector<expr::Leaf> columns;
  for (const expr::SymbolId s : coordinates) columns.push_back({s, 0});
  entries = expr::jacobian(graph, values, columns);
  for (const expr::JacobianEntry& e : entries) entry_values.push_back(e.value);
}

Eigen::VectorXd Kinematics::Rows::evaluate(const std::vector<std::size_t>& rows,
                                           const std::vector<double>& symbols) const {
  std::vector<expr::Expr> wanted;
  for (const std::size_t r : rows) wanted.push_back(values[r]);
  const std::vector<double> result = expr::evaluate(
      graph, wanted, [&](expr::Leaf leaf) { return leaf.order == 0 ? symbols[leaf.symbol] : 0.0; });
  return Eigen::Map<const Eigen::VectorXd>(result.data(), static_cast<Eigen::Index>(result.size()));
}

Eigen::MatrixXd Kinematics::Rows::jacobian(const std::vector<std::size_t>& rows,
                                           const std::vector<double>& symbols) const {
  std::vector<Eigen::Index> place(values.size(), -1);
  for (std::size_t k = 0; k < rows.size(); ++k) place[rows[k]] = static_cast<Eigen::Index>(k);
  std::vector<expr::Expr> wanted;
  std::vector<std::size_t> which;
  for (std::size_t k = 0; k < entries.size(); ++k)
    if (place[entries[k].row] >= 0) wanted.push_back(entry_values[k]), which.push_back(k);
  const std::vector<double> result = expr::evaluate(
      graph, wanted, [&](expr::Leaf leaf) { return leaf.order == 0 ? symbols[leaf.symbol] : 0.0; });
  Eigen::MatrixXd j = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(rows.size()),
                                            static_cast<Eigen::Index>(coordinates.size()));
  for (std::size_t k = 0; k < which.size(); ++k)
    j(place[entries[which[k]].row], entries[which[k]].column) = result[k];
  return j;
}

std::vector<bool> Kinematics::Rows::turn_to_themselves(const std::vector<std::size_t>& rows,
                                                       const std::vector<double>& symbols) const {
  constexpr double same = 1e-9;  // rounding of angles and lengths, far below what a turn does
  const Eigen::VectorXd f = evaluate(rows, symbols);
  const Eigen::MatrixXd j = jacobian(rows, symbols);
  std::vector<bool> result;
  for (std::size_t c = 0; c < coordinates.size(); ++c) {
    std::vector<double> turned = symbols;
    turned[coordinates[c]] += 2 * std::numbers::pi;
    const bool moves = j.col(static_cast<Eigen::Index>(c)).cwiseAbs().sum() > 0;
    result.push_back(moves && (evaluate(rows, turned) - f).norm() <= same * (1 + f.norm()) &&
                     (jacobian(rows, turned) - j).norm() <= same * (1 + j.norm()));
  }
  return result;
}

std::vector<std::size_t> Kinematics::Rows::constraint_rows() const {
  std::vector<std::size_t> rows(constraints);
  for (std::size_t k = 0; k < constraints; ++k) rows[k] = k;
  return rows;
}

std::vector<std::size_t> Kinematics::Rows::rows_of(
    const std::vector<std::string>& quantities) const {
  std::vector<std::size_t> rows;
  for (const std::string& name : quantities) {
    const auto found = row_of.find(name);
    if (found != row_of.end()) {
      rows.push_back(found->second);
      continue;
    }
    std::vector<std::string> known;
    for (const auto& [one, row] : row_of) known.push_back(one);
    const model::Model& m = *dae->model;
    const bool moving = std::any_of(m.outputs.begin(), m.outputs.end(),
                                    [&](const model::NamedValue& o) { return o.name == name; });
    const std::string near = nearest_name(name, known);
    throw ModelError(
        {Severity::error,
         m.place,
         moving ? fmt::format(
                      "model '{}': output '{}' contains velocities: a pose does not determine it",
                      m.name, name)
                : fmt::format("model '{}' has no coordinate or output '{}'", m.name, name),
         {},
         moving || near.empty() ? fmt::format("there are: {}", fmt::join(known, ", "))
                                : fmt::format("did you mean '{}'?", near)});
  }
  return rows;
}

std::vector<std::size_t> Kinematics::Rows::with_constraints(
    const std::vector<std::string>& quantities) const {
  std::vector<std::size_t> rows = constraint_rows();
  const std::vector<std::size_t> more = rows_of(quantities);
  rows.insert(rows.end(), more.begin(), more.end());
  return rows;
}

}  // namespace daedal::analysis
