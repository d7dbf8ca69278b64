// Any Dae, linearised at a point: exact from the graph, no differences.
//
//   E x' = A x + B u,   y = C x + D u
//
// The variables x are what is needed to write the equations with first derivatives: of an unknown that occurs up to its m-th
// derivative, x_j, x_j', ..., x_j^(m-1); E is singular where constraints are. Coordinates, multipliers and inputs keep
// their names. An inverse Dae has no inputs (they are unknowns), and its finite eigenvalues are the zeros of the forward one.
#pragma once

#include "daedal/derive/dae.hpp"
#include "daedal/formulate/problem.hpp"
#include "daedal/structure/regularity.hpp"

#include <Eigen/Core>

#include <string>
#include <vector>

namespace daedal::analysis {

struct LinearModel {
  Eigen::MatrixXd e, a, b, c, d;
  std::vector<std::string> variables;  // columns of E and A: "x", "x'", "rod"
  std::vector<expr::Leaf> leaves;      // the same as leaves
  std::vector<std::string> equations;  // rows of E and A: "motion of x", "x' = d/dt x"
  std::vector<std::string> inputs;     // columns of B and D
  std::vector<std::string> outputs;    // rows of C and D
};

/// At `point`, which gives parameters too. Entries within rounding of zero are zero: later steps treat them as structure.
/// An input that occurs with derivatives is a variable as well, set equal to the input. Throws ModelError when an entry has
/// no finite value.
LinearModel linearise(const derive::Dae& dae, const structure::Point& point);

/// A formulated problem: variables are its states and tops, so that Baumgarte's terms are included. `point` is laid out as the
/// problem's layout says. Outputs are those of the model. std::invalid_argument when its derivatives are not written out.
LinearModel linearise(const formulate::Problem& problem, const std::vector<double>& point);

/// With other outputs: expressions of the model's graph, in the model's own symbols.
struct NamedOutput {
  std::string name;
  expr::Expr value;
};
LinearModel linearise(const derive::Dae& dae, const structure::Point& point,
                      const std::vector<NamedOutput>& outputs);

}  // namespace daedal::analysis
