// See daedal/invert/index_reduction.hpp.
#include "daedal/invert/index_reduction.hpp"

#include "daedal/analyse/linearise.hpp"
#include "daedal/base/svd.hpp"
#include "servo_rows.hpp"

#include <algorithm>
#include <limits>

namespace daedal::inversion {

const std::vector<std::string>& reduction_names() {
  static const std::vector<std::string> names{"original", "baumgarte", "projection", "substitution",
                                              "minimal_extension"};
  return names;
}

ReducedModel reduce(const InverseModel& inverse, const structure::Point& start,
                    const ReductionOptions& options) {
  if (options.reduction == Reduction::original) return {inverse.tracking, {}, {}, {}, {}};
  ServoRows rows(*inverse.tracking, start);
  switch (options.reduction) {
    case Reduction::baumgarte:
      return with_baumgarte(rows, options.pole);
    case Reduction::projection:
      return projected(rows);
    case Reduction::substitution:
      return substituted(rows);
    default:
      return extended(rows);
  }
}

structure::Point point_of(const ReducedModel& reduced, const structure::Point& start) {
  return [&reduced, &start](expr::Leaf leaf) {
    for (const auto& [symbol, stands_for] : reduced.stand_ins)
      if (leaf.symbol == symbol)
        return start(
            {stands_for.symbol, static_cast<std::uint16_t>(stands_for.order + leaf.order)});
    const model::Model& m = *reduced.dae->model;
    const auto desired =
        std::find_if(m.inputs.begin(), m.inputs.end(),
                     [&](const model::InputDefault& d) { return d.input == leaf.symbol; });
    const std::vector<expr::SymbolId>& unknowns = reduced.dae->unknowns;
    if (desired == m.inputs.end() ||
        std::find(unknowns.begin(), unknowns.end(), leaf.symbol) != unknowns.end())
      return start(leaf);
    const auto graph = std::make_shared<expr::Graph>(m.graph);
    std::vector<expr::Expr> value{desired->value};
    for (int k = 0; k < leaf.order; ++k)
      value = expr::time_derivative(*graph, value, [&](expr::SymbolId s) { return m.varies(s); });
    return expr::evaluate(*graph, value, start)[0];
  };
}

double newton_condition(const derive::Dae& dae, const structure::Point& start, double step,
                        double beta) {
  const analysis::LinearModel linear = analysis::linearise(dae, start);
  const Eigen::MatrixXd matrix = linear.e / (beta * step) - linear.a;
  const Eigen::VectorXd values = singular_values_of(matrix);
  const double smallest = values.minCoeff();
  return smallest > 0 ? values.maxCoeff() / smallest : std::numeric_limits<double>::infinity();
}

}  // namespace daedal::inversion
