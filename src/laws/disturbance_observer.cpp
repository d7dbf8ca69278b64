// What acts on a mechanism beside its inputs, estimated from its momentum.
//
//   E y'' + r + B (u + d) = 0,   S B = -1,   p = S E y'      ->      p' = (S E)' y' - S r + u + d
//   estimate = w (p - z),   z' = (S E)' y' - S r + u + estimate      ->      estimate' = w (d - estimate)
//
// No acceleration is needed [DeLucaMattone2003]: E is the mass matrix with the laws of drives in it, S = -(B^T B)^-1 B^T. With
// reactions R lambda among the forces, P B in place of B with P = 1 - R (R^T R)^-1 R^T makes S R = 0.
#include "daedal/laws/laws.hpp"
#include "laws/linear_expressions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

namespace daedal::model {

using expr::Expr;
using expr::Leaf;

namespace {

/// d rows / d leaves, dense.
std::vector<std::vector<Expr>> dense_jacobian(expr::Graph& g, const std::vector<Expr>& rows,
                                              const std::vector<Leaf>& leaves) {
  std::vector<std::vector<Expr>> m(rows.size(), std::vector<Expr>(leaves.size(), g.constant(0)));
  for (const expr::JacobianEntry& entry : expr::jacobian(g, rows, leaves))
    m[entry.row][entry.column] = entry.value;
  return m;
}

}  // namespace

/// The input that acts: with a clock what is held, the command of the sample before.
Expr ControllerLaws::acting(const std::string& input) {
  const expr::SymbolId symbol = around_.model().find(input);
  if (clocked())
    for (const InputDefault& given : around_.model().inputs)
      if (given.input == symbol) return given.value;
  return graph().leaf({symbol, 0});
}

/// B less what reactions R lambda can do of it: then S R = 0, and the estimate needs no reaction. False where they are not independent.
bool leave_out_reactions(expr::Graph& g, std::vector<std::vector<Expr>>& reach,
                         const std::vector<std::vector<Expr>>& reactions) {
  const std::size_t n = reach.size(), m = reach[0].size(), c = reactions[0].size();
  const auto product = [&](const auto& left, std::size_t i, const auto& right, std::size_t j) {
    Expr sum = g.constant(0);
    for (std::size_t k = 0; k < n; ++k) sum = g.add(sum, g.mul(left[k][i], right[k][j]));
    return sum;
  };
  std::vector<std::vector<Expr>> normal(c, std::vector<Expr>(c));
  for (std::size_t i = 0; i < c; ++i)
    for (std::size_t j = 0; j < c; ++j) normal[i][j] = product(reactions, i, reactions, j);
  std::vector<std::vector<Expr>> shares;  // by input
  for (std::size_t j = 0; j < m; ++j) {
    std::vector<Expr> right;
    for (std::size_t i = 0; i < c; ++i) right.push_back(product(reactions, i, reach, j));
    shares.push_back(solved(g, normal, std::move(right)));
    if (shares.back().empty()) return false;
  }
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t j = 0; j < m; ++j)
      for (std::size_t i = 0; i < c; ++i)
        reach[k][j] = g.sub(reach[k][j], g.mul(reactions[k][i], shares[j][i]));
  return true;
}

/// w (p - z), z' = known rate + input + estimate, from 0; with a clock z goes on with what was known at the sample before.
Expr ControllerLaws::disturbance(Expr momentum, Expr known_rate, Expr input, Expr bandwidth,
                                 const Place& place) {
  expr::Graph& g = graph();
  if (!clocked()) {
    const Expr z = variable("disturbance", momentum, place);
    const Expr estimate = g.mul(bandwidth, g.sub(momentum, z));
    rate(z, g.add(g.add(known_rate, input), estimate), place);
    return estimate;
  }
  const Expr z = memory("disturbance", 0, place), before = memory("disturbance", 0, place);
  const Expr now =
      g.select(first_sample(place), momentum, g.add(z, g.mul(period(), g.add(before, input))));
  const Expr estimate = g.mul(bandwidth, g.sub(momentum, now));
  remember(z, now);
  remember(before, g.add(known_rate, estimate));
  return estimate;
}

Value ControllerLaws::disturbance_observer(const syntax::Expression& e, const syntax::Call& call) {
  allow(e, call, 0, {"bandwidth"});
  constexpr auto nowhere = static_cast<std::size_t>(-1);
  const Expr bandwidth = ranged(e, call, nowhere, "bandwidth", Range::positive);
  if (clocked())
    require_below(call, nowhere, "bandwidth", bandwidth, 2 / controller_.made.period,
                  "its estimate grows from 2/T on, where T is the period of the samples");
  const EquationsOfMotion equations = designer(e).equations_of_motion(e.place);
  const std::size_t n = equations.coordinates.size(), m = controller_.commanded.size();
  constexpr std::size_t most = 4;
  if (m > most)
    fault(e.place, fmt::format("disturbance_observer is for up to {} inputs, not {}", most, m));
  expr::Graph& g = graph();
  if (equations.multipliers.size() > most)
    fault(e.place,
          fmt::format("disturbance_observer is for up to {} constraints, not {}", most,
                      equations.multipliers.size()),
          "write the model in fewer coordinates");
  std::vector<Expr> residuals = believed(equations, e.place);
  residuals.resize(n);  // reactions are left out: no constraint is needed
  std::vector<Leaf> accelerations, multipliers, inputs;
  for (const std::string& multiplier : equations.multipliers)
    multipliers.push_back({around_.model().find(multiplier), 0});
  for (const Quantity& q : equations.coordinates)
    accelerations.push_back({around_.model().find(q.name), 2});
  for (const std::string& input : controller_.commanded)
    inputs.push_back({around_.model().find(input), 0});
  const std::vector<std::vector<Expr>> mass = dense_jacobian(g, residuals, accelerations);
  std::vector<std::vector<Expr>> reach = dense_jacobian(g, residuals, inputs);
  if (!multipliers.empty() &&
      !leave_out_reactions(g, reach, dense_jacobian(g, residuals, multipliers)))
    fault(e.place, "disturbance_observer: reactions of the constraints are not independent",
          "leave out the constraints that follow from others");
  const std::vector<Expr> rest = expr::copy(g, residuals, g, [&](Leaf leaf) {
    const bool zero = std::ranges::find(accelerations, leaf) != accelerations.end() ||
                      std::ranges::find(multipliers, leaf) != multipliers.end() ||
                      std::ranges::find(inputs, leaf) != inputs.end();
    return zero ? std::optional(g.constant(0)) : std::nullopt;
  });
  std::vector<std::vector<Expr>> normal(m, std::vector<Expr>(m, g.constant(0)));  // B^T B
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < m; ++j)
      for (std::size_t k = 0; k < n; ++k)
        normal[i][j] = g.add(normal[i][j], g.mul(reach[k][i], reach[k][j]));
  // S, column by column
  std::vector<std::vector<Expr>> s(m, std::vector<Expr>(n, g.constant(0)));
  for (std::size_t k = 0; k < n; ++k) {
    std::vector<Expr> right;
    for (std::size_t i = 0; i < m; ++i) right.push_back(g.neg(reach[k][i]));
    const std::vector<Expr> column = solved(g, normal, std::move(right));
    if (column.empty())
      fault(e.place, "disturbance_observer: two inputs act in the same way, or one does not act",
            "command inputs whose effects differ");
    for (std::size_t i = 0; i < m; ++i) s[i][k] = column[i];
  }
  std::vector<Expr> estimates;
  for (std::size_t i = 0; i < m; ++i) {
    Expr momentum = g.constant(0), known_rate = g.constant(0);
    for (std::size_t j = 0; j < n; ++j) {
      Expr weight = g.constant(0);
      for (std::size_t k = 0; k < n; ++k) weight = g.add(weight, g.mul(s[i][k], mass[k][j]));
      const Expr slope = expr::time_derivative(
          g, std::span(&weight, 1),
          [&](expr::SymbolId symbol) { return around_.model().varies(symbol); })[0];
      const Expr velocity = g.leaf({accelerations[j].symbol, 1});
      momentum = g.add(momentum, g.mul(weight, velocity));
      known_rate = g.add(known_rate, g.sub(g.mul(slope, velocity), g.mul(s[i][j], rest[j])));
    }
    for (const Leaf& leaf : expr::leaves(g, std::span(&known_rate, 1)))
      if (leaf.order > 1 && leaf.symbol != expr::time_symbol)
        fault(e.place,
              "disturbance_observer: masses, or the effect of inputs, depend on velocities");
    estimates.push_back(
        disturbance(momentum, known_rate, acting(controller_.commanded[i]), bandwidth, e.place));
  }
  return command_value(std::move(estimates));
}

}  // namespace daedal::model
