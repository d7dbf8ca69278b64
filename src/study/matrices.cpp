#include "matrices.hpp"

#include "daedal/analyse/state_space.hpp"
#include "daedal/emit/mat.hpp"

#include <fmt/format.h>

#include <utility>

namespace daedal {
inline namespace task {

namespace {

emit::MatArray array(const char* name, const Matrix& m, std::size_t columns) {
  emit::MatArray result{name, static_cast<int>(m.size()), static_cast<int>(columns)};
  for (std::size_t j = 0; j < columns; ++j)
    for (const std::vector<double>& row : m) result.values.push_back(row[j]);
  return result;
}

/// Of a matrix that has lost its columns with its rows, `columns`.
Eigen::MatrixXd eigen_of(const Matrix& m, std::size_t columns) {
  Eigen::MatrixXd made(m.size(), columns);
  for (std::size_t i = 0; i < m.size(); ++i)
    for (std::size_t j = 0; j < columns; ++j)
      made(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = m[i][j];
  return made;
}

}  // namespace

Matrix matrix_of(const Eigen::MatrixXd& m) {
  Matrix rows;
  for (Eigen::Index i = 0; i < m.rows(); ++i) rows.emplace_back(m.row(i).begin(), m.row(i).end());
  return rows;
}

LinearModel plain(const analysis::LinearModel& l) {
  return {matrix_of(l.e), matrix_of(l.a), matrix_of(l.b), matrix_of(l.c), matrix_of(l.d),
          l.variables,    l.equations,    l.inputs,       l.outputs};
}

StateSpaceModel state_space(const LinearModel& l) {
  const std::size_t x = l.variables.size(), u = l.inputs.size();
  analysis::LinearModel linear;
  linear.e = eigen_of(l.e, x);
  linear.a = eigen_of(l.a, x);
  linear.b = eigen_of(l.b, u);
  linear.c = eigen_of(l.c, x);
  linear.d = eigen_of(l.d, u);
  linear.variables = l.variables;
  linear.equations = l.equations;
  linear.inputs = l.inputs;
  linear.outputs = l.outputs;
  const analysis::StateSpace found = analysis::state_space(linear);
  StateSpaceModel made{matrix_of(found.f),     matrix_of(found.g), matrix_of(found.h), {},
                       matrix_of(found.basis), found.states,       l.inputs,           l.outputs};
  for (const Eigen::MatrixXd& d : found.feedthrough) made.d.push_back(matrix_of(d));
  return made;
}

std::string to_mat(const LinearModel& l) {
  const std::size_t x = l.variables.size(), u = l.inputs.size();
  std::vector<emit::MatArray> arrays{array("E", l.e, x), array("A", l.a, x), array("B", l.b, u),
                                     array("C", l.c, x), array("D", l.d, u)};
  for (const auto& [name, lines] :
       {std::pair<const char*, const std::vector<std::string>&>{"variables", l.variables},
        {"equations", l.equations},
        {"inputs", l.inputs},
        {"outputs", l.outputs}})
    if (!lines.empty()) arrays.push_back({name, 0, 0, {}, lines});
  return emit::to_mat(arrays);
}

emit::TextTable matrix_table(std::string title, const std::vector<std::string>& columns,
                             const std::vector<std::string>& rows, const Matrix& matrix) {
  emit::TextTable table{std::move(title), {""}, {}};
  table.head.insert(table.head.end(), columns.begin(), columns.end());
  for (std::size_t i = 0; i < matrix.size(); ++i) {
    table.rows.push_back({rows[i]});
    for (const double value : matrix[i]) table.rows.back().push_back(fmt::format("{:.8g}", value));
  }
  return table;
}

}  // namespace task
}  // namespace daedal
