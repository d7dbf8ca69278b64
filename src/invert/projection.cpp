// Projection of the equations of motion [BlajerKolodziejczyk2004; Druecker2022, (3.69)-(3.75)].
//
// With f = M a + k the equations that determine the highest derivatives a, and s^(r) = H a + g the servo-constraints
// differentiated until they contain them, the equations become
//     P^T f = 0,  H P = 0               along the servo-constraints, as many as there are coordinates left,
//     g - H M^-1 k = 0                  across them: the accelerations of the outputs are the desired ones,
//     s = 0.
// P = [-H_d^-1 H_i; 1] with the coordinates d that depend most on the outputs, so that P^T f = f_i - H_i^T H_d^-T f_d; neither
// P nor M^-1 is formed, both are eliminations.
#include "daedal/compile/elimination.hpp"
#include "servo_rows.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace daedal::inversion {

using expr::Expr;

namespace {

constexpr std::uint32_t most_nodes = 400'000;

/// x of A^T x = b.
std::vector<Expr> solve_transposed(ServoRows& rows, const SampledMatrix& a,
                                   const std::vector<Expr>& right) {
  const auto n = static_cast<std::uint32_t>(right.size());
  std::vector<std::uint32_t> row_start{0}, column;
  std::vector<Expr> entries;
  std::vector<double> sample;
  for (std::uint32_t i = 0; i < n; ++i) {
    for (std::uint32_t j = 0; j < n; ++j)
      if (!rows.graph().is_constant(a(j, i), 0)) {
        column.push_back(j);
        entries.push_back(a(j, i));
        sample.push_back(a.at(j, i));
      }
    row_start.push_back(static_cast<std::uint32_t>(column.size()));
  }
  const auto elimination = compile::eliminate(
      rows.graph(), {n, row_start, column, entries, right, sample},
      [&](Expr e) { return rows.graph().is_constant(e); }, most_nodes);
  if (!elimination)
    refuse_reduction(*rows.dae().model,
                     "the matrices of the projection are too large to be written out",
                     "formulation = original has no such matrices");
  return elimination->solution;
}

SampledMatrix columns_of(const SampledMatrix& matrix, const std::vector<std::size_t>& columns) {
  SampledMatrix part{matrix.rows, columns.size(), {}, {}};
  for (std::size_t i = 0; i < matrix.rows; ++i)
    for (const std::size_t j : columns) {
      part.entries.push_back(matrix(i, j));
      part.sample.push_back(matrix.at(i, j));
    }
  return part;
}

/// Numbers of the equations that determine the highest derivatives, in their order.
std::vector<std::uint32_t> equations_of_motion(ServoRows& rows) {
  const std::vector<Expr> given(rows.rows().begin(), rows.rows().begin() + rows.first_servo());
  const Pivots pivots = largest_pivots(rows.by_tops(given));
  if (pivots.rows.size() < rows.tops().size())
    refuse_reduction(
        *rows.dae().model,
        fmt::format("projection needs equations for all accelerations, and there are {} for {}",
                    pivots.rows.size(), rows.tops().size()),
        "formulation = minimal_extension needs none");
  std::vector<std::uint32_t> motion(pivots.rows.begin(), pivots.rows.end());
  std::sort(motion.begin(), motion.end());
  return motion;
}

}  // namespace

ReducedModel projected(ServoRows& rows) {
  const model::Model& m = *rows.dae().model;
  expr::Graph& graph = rows.graph();
  const std::vector<std::uint32_t> motion = equations_of_motion(rows);
  std::vector<Expr> f, across;
  std::vector<std::uint32_t> servos;
  for (const std::uint32_t i : motion) f.push_back(rows.rows()[i]);
  for (std::uint32_t i = rows.first_servo(); i < rows.rows().size(); ++i)
    if (const int k = rows.missing(i); k > 0) {
      across.push_back(rows.derivative(rows.rows()[i], k));
      servos.push_back(i);
    }
  if (across.empty())
    refuse_reduction(m, "projection has nothing to do: no servo-constraint can be differentiated",
                     "formulation = original");
  const SampledMatrix h = rows.by_tops(across), mass = rows.by_tops(f);
  const Pivots pivots = largest_pivots(h);
  if (pivots.rows.size() < across.size())
    refuse_reduction(
        m, "at the start the outputs do not move independently: projection has no direction left",
        "start from another pose, or formulation = original");
  std::map<expr::Leaf, Expr> at_rest;
  for (const expr::Leaf top : rows.tops()) at_rest[top] = graph.constant(0);
  if (const std::vector<Expr> again = rows.with(mass.entries, at_rest); again != mass.entries)
    refuse_reduction(m, "projection needs equations that are linear in the accelerations",
                     "formulation = minimal_extension does not");

  std::vector<std::size_t> dependent = pivots.columns;
  std::sort(dependent.begin(), dependent.end());
  std::vector<Expr> f_dependent;
  for (const std::size_t j : dependent) f_dependent.push_back(f[j]);
  const std::vector<Expr> share = solve_transposed(rows, columns_of(h, dependent), f_dependent);
  const std::vector<Expr> k = rows.with(f, at_rest), g = rows.with(across, at_rest);

  std::vector<Expr> equations = rows.rows();
  std::vector<derive::Equation> names = rows.dae().equations;
  ReducedModel result;
  std::size_t next =
      0;  // servo-constraint whose acceleration takes the place of a dependent equation
  for (std::size_t j = 0; j < motion.size(); ++j) {
    Expr& row = equations[motion[j]];
    if (std::binary_search(dependent.begin(), dependent.end(), j)) {
      std::vector<Expr> right;
      for (std::size_t c = 0; c < mass.columns; ++c) right.push_back(h(next, c));
      const std::vector<Expr> weights = solve_transposed(rows, mass, right);
      row = g[next];
      for (std::size_t i = 0; i < k.size(); ++i) row = graph.sub(row, graph.mul(weights[i], k[i]));
      names[motion[j]].name = "acceleration of " + names[servos[next]].name;
      ++next;
    } else {
      for (std::size_t i = 0; i < across.size(); ++i)
        row = graph.sub(row, graph.mul(h(i, j), share[i]));
    }
  }
  for (const std::size_t j : dependent)
    result.words.push_back(fmt::format("{} follows from the servo-constraints",
                                       m.symbols[rows.tops()[j].symbol].name));
  result.dae = std::make_shared<const derive::Dae>(
      rows.make(equations, std::move(names), rows.dae().unknowns));
  return result;
}

}  // namespace daedal::inversion
