#include "daedal/emit/equations.hpp"

#include "daedal/expr/print.hpp"

#include <fmt/format.h>

namespace daedal::emit {

namespace {

/// Rows of a Function as text and LaTeX in the model's names.
class Writer {
 public:
  Writer(const model::Model& model, std::size_t limit)
      : model_(model), limit_(limit), graph_(model.graph) {}

  void write(const expr::Function& f, std::vector<WrittenEquation>& equations, std::size_t first) {
    const std::vector<expr::Expr> rows = expr::expand(f, graph_);
    const expr::LeafName text_name = [&](expr::Leaf leaf) {
      return model::name_of(model_.symbols[leaf.symbol], leaf.order);
    };
    const expr::LeafName plain_name = [&](expr::Leaf leaf) {
      return model_.symbols[leaf.symbol].name;
    };
    for (std::size_t i = 0; i < rows.size(); ++i) {
      equations[first + i].text = expr::to_text(graph_, rows[i], text_name, limit_) + " = 0";
      equations[first + i].latex = expr::to_latex(graph_, rows[i], plain_name, limit_) + " = 0";
    }
  }

 private:
  const model::Model& model_;
  std::size_t limit_;
  expr::Graph graph_;
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
  std::vector<WrittenEquation> equations;
  for (const derive::Equation& equation : dae.equations)
    equations.push_back({equation.name, "", "", 0});
  Writer(*dae.model, limit).write(dae.residual, equations, 0);
  return equations;
}

std::vector<WrittenEquation> written_derivatives(const formulate::Problem& problem,
                                                 std::size_t limit) {
  const derive::Dae& dae = *problem.dae;
  std::vector<WrittenEquation> equations;
  Writer writer(*dae.model, limit);
  // The levels hold every derivative below the top one; the top one is a time derivative of the last level.
  const expr::VariesInTime varies = [&](expr::SymbolId s) { return dae.model->varies(s); };
  const auto append = [&](const formulate::Level& level, const expr::Function& rows, int more) {
    const std::size_t first = equations.size();
    for (std::size_t r = 0; r < level.equation.size(); ++r) {
      const int times = level.derivative[r] + more;
      equations.push_back(
          {dae.equations[level.equation[r]].name + differentiated(times), "", "", times});
    }
    writer.write(rows, equations, first);
  };
  for (const formulate::Level& level : problem.levels) append(level, level.residual, 0);
  if (!problem.levels.empty())
    append(problem.levels.back(), expr::time_derivative(problem.levels.back().residual, varies), 1);
  return equations;
}

}  // namespace daedal::emit
