// The choice between the written-out elimination and KLU.
#include "compile/klu_solver.hpp"
#include "compile/unrolled_solver.hpp"
#include "daedal/compile/kernel.hpp"

#include <stdexcept>

namespace daedal::compile {
namespace {

// A dense 30 x 30 elimination has about this many operations, 2/3 n^3.
constexpr std::uint32_t most_operations = 20000;

expr::Function negated(const expr::Function& f) {
  expr::Function result = f;
  for (expr::Family& family : result.families) {
    auto graph = std::make_shared<expr::Graph>(family.graph);
    for (expr::Expr& output : family.outputs) output = graph->neg(output);
    family.graph = std::move(graph);
  }
  return result;
}

}  // namespace

std::unique_ptr<LinearSolver> compile_solver(const expr::SparseFunction& matrix,
                                             const expr::Function& right_hand_side,
                                             const Layout& layout, std::span<const double> sample,
                                             const Options& options) {
  if (matrix.rows != matrix.columns)
    throw std::invalid_argument("a linear system has a square matrix");
  if (right_hand_side.rows != matrix.rows)
    throw std::invalid_argument("matrix and right-hand side differ in size");
  if (sample.size() < layout.size())
    throw std::invalid_argument("the sample point does not fill the layout");
  if (auto unrolled =
          UnrolledSolver::make(matrix, right_hand_side, layout, sample, options, most_operations))
    return unrolled;
  return make_klu_solver(matrix, right_hand_side, layout, sample, options);
}

std::unique_ptr<LinearSolver> compile_newton(const expr::Function& residual,
                                             const expr::SparseFunction& jacobian,
                                             const Layout& layout, std::span<const double> sample,
                                             const Options& options) {
  return compile_solver(jacobian, negated(residual), layout, sample, options);
}

}  // namespace daedal::compile
