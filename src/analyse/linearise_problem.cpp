// A formulated problem, linearised: s' = next(s, z), 0 = residual(s, z, u), y = outputs(s, z, u).
#include "daedal/analyse/linearise.hpp"
#include "daedal/structure/rounding.hpp"

#include <stdexcept>

namespace daedal::analysis {

namespace {

/// States, tops and inputs of a problem without the integral of the power, which nothing depends on.
struct Sizes {
  std::uint32_t states, tops, inputs;
  explicit Sizes(const formulate::Problem& p)
      : states(p.states - (p.has_work ? 1 : 0)),
        tops(p.tops - (p.has_work ? 1 : 0)),
        inputs(p.layout.size() - static_cast<std::uint32_t>(p.parameters.size()) - p.first_input) {}
  std::uint32_t variables() const { return states + tops; }
};

std::uint32_t column_of(const formulate::Problem& p, const Sizes& sizes, expr::Leaf leaf) {
  const std::uint32_t position = p.layout.find(leaf);
  if (position == compile::absent || position == 0) return expr::Family::no_row;
  if (position <= sizes.states) return position - 1;
  if (position > p.states && position <= p.states + sizes.tops)
    return sizes.states + position - p.states - 1;
  if (position >= p.first_input && position < p.first_input + sizes.inputs)
    return sizes.variables() + position - p.first_input;
  return expr::Family::no_row;
}

/// d f / d (variables, inputs) in the first `rows` rows.
Eigen::MatrixXd jacobian(const formulate::Problem& p, const Sizes& sizes, const expr::Function& f,
                         std::uint32_t rows, const structure::Point& point) {
  const std::uint32_t columns = sizes.variables() + sizes.inputs;
  const expr::SparseFunction j =
      expr::jacobian(f, columns, [&](expr::Leaf leaf) { return column_of(p, sizes, leaf); });
  const std::vector<structure::Rounded> values =
      structure::evaluate_rounded(*p.dae, j.values, point);
  Eigen::MatrixXd result = Eigen::MatrixXd::Zero(rows, columns);
  for (std::uint32_t i = 0; i < rows; ++i)
    for (std::uint32_t k = j.row_start[i]; k < j.row_start[i + 1]; ++k)
      result(i, j.column[k]) = values[k].cleaned();
  return result;
}

}  // namespace

LinearModel linearise(const formulate::Problem& p, const std::vector<double>& point) {
  if (!p.written_out)
    throw std::invalid_argument("linearise: the problem's derivatives are not written out");
  if (point.size() != p.layout.size())
    throw std::invalid_argument("linearise: the point does not have the problem's layout");
  const model::Model& m = *p.dae->model;
  const Sizes sizes(p);
  const Eigen::Index n = sizes.variables(), states = sizes.states, inputs = sizes.inputs;
  const structure::Point values = [&](expr::Leaf leaf) {
    const std::uint32_t position = p.layout.find(leaf);
    if (position != compile::absent) return point[position];
    return leaf.order == 0 && leaf.symbol < m.symbols.size() ? m.symbols[leaf.symbol].value : 0.0;
  };

  LinearModel linear;
  linear.e = linear.a = Eigen::MatrixXd::Zero(n, n);
  linear.b = Eigen::MatrixXd::Zero(n, inputs);
  for (Eigen::Index i = 0; i < states; ++i) {
    const expr::Leaf next = p.layout.leaf(p.next[static_cast<std::size_t>(i)]);
    linear.e(i, i) = 1;
    linear.a(i, column_of(p, sizes, next)) = 1;
  }
  const Eigen::MatrixXd equations = jacobian(p, sizes, p.residual, sizes.tops, values);
  linear.a.bottomRows(sizes.tops) = equations.leftCols(n);
  linear.b.bottomRows(sizes.tops) = equations.rightCols(inputs);
  const Eigen::MatrixXd outputs = jacobian(p, sizes, p.dae->outputs, p.dae->outputs.rows, values);
  linear.c = outputs.leftCols(n);
  linear.d = outputs.rightCols(inputs);

  const auto name = [&](expr::Leaf leaf) {
    return model::name_of(m.symbols[leaf.symbol], leaf.order);
  };
  for (std::uint32_t i = 0; i < sizes.states; ++i) {
    linear.leaves.push_back(p.layout.leaf(p.state_position(i)));
    linear.variables.push_back(name(linear.leaves.back()));
    linear.equations.push_back("d/dt " + linear.variables.back());
  }
  for (std::uint32_t i = 0; i < sizes.tops; ++i) {
    linear.leaves.push_back(p.layout.leaf(p.top_position(i)));
    linear.variables.push_back(name(linear.leaves.back()));
    linear.equations.push_back(p.dae->equations[i].name);
  }
  for (std::uint32_t i = 0; i < sizes.inputs; ++i)
    linear.inputs.push_back(name(p.layout.leaf(p.first_input + i)));
  for (const model::NamedValue& output : m.outputs) linear.outputs.push_back(output.name);
  return linear;
}

}  // namespace daedal::analysis
