#include "daedal/emit/equations.hpp"

#include "daedal/expr/print.hpp"
#include "daedal/structure/hidden.hpp"

#include <fmt/format.h>

namespace daedal::emit {

namespace {

/// Expressions as text and LaTeX in the model's names.
class Writer {
 public:
  Writer(const model::Model& model, std::size_t limit) : model_(model), limit_(limit) {}

  void write(const expr::Graph& graph, expr::Expr e, WrittenEquation& equation) const {
    equation.text = expr::to_text(graph, e, text_name_, limit_) + " = 0";
    equation.latex = expr::to_latex(graph, e, plain_name_, limit_) + " = 0";
  }

 private:
  const model::Model& model_;
  std::size_t limit_;
  expr::LeafName text_name_ = [this](expr::Leaf leaf) {
    return model::name_of(model_.symbols[leaf.symbol], leaf.order);
  };
  expr::LeafName plain_name_ = [this](expr::Leaf leaf) { return model_.symbols[leaf.symbol].name; };
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
  const Writer writer(*dae.model, limit);
  std::vector<WrittenEquation> equations;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    equations.push_back({dae.equations[i].name, "", "", 0});
    writer.write(graph, rows[i], equations.back());
  }
  return equations;
}

std::vector<WrittenEquation> written_derivatives(const derive::Dae& dae,
                                                 const structure::Offsets& offsets,
                                                 std::size_t limit) {
  const structure::HiddenConstraints hidden = structure::hidden_constraints(dae, offsets);
  const Writer writer(*dae.model, limit);
  std::vector<WrittenEquation> equations;
  for (const structure::HiddenConstraint& h : hidden.list) {
    equations.push_back(
        {dae.equations[h.equation].name + differentiated(h.derivative), "", "", h.derivative});
    if (h.value) writer.write(*hidden.graph, *h.value, equations.back());
  }
  return equations;
}

}  // namespace daedal::emit
