// Sliding modes: a surface in the space of errors that the inputs reach in finite time and on which the errors decay.
//
//   sigma = Theta e' + Lambda e,   e = y - y_d,   sigma' = -kappa sat(sigma/width)
//   E y'' = -r - B u:   u = (Theta E^-1 B)^-1 (kappa sat(sigma/width) - Theta E^-1 r - Theta y_d'' + Lambda e')
//
// E is the mass matrix with the rows of drives in it; with constraints c = 0 the unknowns are (y'', lambda) and c'' = 0 are further
// rows. [Druecker2022, (3.99) to (3.112)] writes the same with the blocks of
// actuated and unactuated coordinates; where those are coupled by masses on both sides its (3.106) has a wrong inverse
// (M'_aa for M_aa), which the whole of E^-1 avoids.
#include "daedal/laws/laws.hpp"
#include "laws/linear_expressions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

namespace daedal::model {

using expr::Expr;
using expr::Leaf;

namespace {

constexpr auto only_by_name = static_cast<std::size_t>(-1);

/// Rows of a linear system of expressions: its matrix, then right sides.
class Rows {
 public:
  Rows(expr::Graph& graph, std::size_t size, std::size_t sides)
      : graph_(graph),
        size_(size),
        sides_(sides),
        entries_(size * (size + sides), graph.constant(0)) {}

  Expr& operator()(std::size_t row, std::size_t column) {
    return entries_[row * (size_ + sides_) + column];
  }
  bool is_zero(std::size_t row, std::size_t column) {
    return graph_.is_constant((*this)(row, column), 0);
  }

  /// Solves with the diagonal as pivots, lone entries of a row first: what is left after those is a block of the mass
  /// matrix, positive definite, whose pivots are never 0, and then its complement in the constraints, negative definite. A coordinate
  /// without mass waits for these. False where a pivot is 0 identically.
  bool solve() {
    std::vector<std::size_t> order;
    for (std::size_t k = 0; k < size_; ++k)
      if (is_lone(k)) order.push_back(k);
    for (std::size_t k = 0; k < size_; ++k)
      if (!is_lone(k)) order.push_back(k);
    while (!order.empty()) {
      const auto next = std::ranges::find_if(order, [&](std::size_t k) { return !is_zero(k, k); });
      if (next == order.end()) return false;
      const std::size_t pivot = *next;
      order.erase(next);
      for (std::size_t i = 0; i < size_; ++i) {
        if (i == pivot || is_zero(i, pivot)) continue;
        const Expr factor = graph_.div((*this)(i, pivot), (*this)(pivot, pivot));
        for (std::size_t j = 0; j < size_ + sides_; ++j)
          if (!is_zero(pivot, j))
            (*this)(i, j) = j == pivot
                                ? graph_.constant(0)
                                : graph_.sub((*this)(i, j), graph_.mul(factor, (*this)(pivot, j)));
      }
    }
    for (std::size_t i = 0; i < size_; ++i)
      for (std::size_t j = size_; j < size_ + sides_; ++j)
        (*this)(i, j) = graph_.div((*this)(i, j), (*this)(i, i));
    return true;
  }

 private:
  bool is_lone(std::size_t row) {
    for (std::size_t j = 0; j < size_; ++j)
      if (j != row && !is_zero(row, j)) return false;
    return true;
  }

  expr::Graph& graph_;
  std::size_t size_, sides_;
  std::vector<Expr> entries_;
};

/// A sample moves sigma by kappa T: in a layer of less than half of that it jumps from one side to the other.
Diagnostic chattering(const Place& place, double period, double kappa, double layer) {
  const std::string step = number_text(kappa * period);
  return {
      Severity::warning,
      place,
      fmt::format("sliding_mode: a sample of {} s moves sigma by {}, and the boundary layer is "
                  "{} wide: the command switches to and fro, and sigma stays between -{} and {}",
                  number_text(period), step, number_text(layer), step, step),
      {},
      fmt::format("write  width = {}  or more, which no sample jumps over, or a shorter period",
                  step)};
}

}  // namespace

/// The equations of motion in the symbols of the plant, with the parameters that the controller assumes; then the constraints, twice
/// differentiated.
std::vector<Expr> ControllerLaws::believed(const EquationsOfMotion& equations, const Place& place) {
  const Model& own = *equations.model;
  std::vector<Expr> all = equations.rows;
  all.insert(all.end(), equations.constraints.begin(), equations.constraints.end());
  all = expr::copy(*equations.graph, all, graph(), [&](Leaf leaf) -> std::optional<Expr> {
    if (leaf.symbol == expr::time_symbol) return graph().leaf(leaf);
    const Symbol& symbol = own.symbols[leaf.symbol];
    if (symbol.kind == SymbolKind::parameter) return graph().constant(symbol.value);
    const expr::SymbolId same = around_.model().find(symbol.name);
    if (same == 0) fault(place, fmt::format("the plant has no '{}'", symbol.name));
    return graph().leaf({same, leaf.order});
  });
  for (std::size_t k = equations.rows.size(); k < all.size(); ++k)
    for (int twice = 0; twice < 2; ++twice)
      all[k] = expr::time_derivative(graph(), std::span(&all[k], 1), [&](expr::SymbolId symbol) {
        return around_.model().varies(symbol);
      })[0];
  return all;
}

/// An m x n matrix, row by row; a vector where m is 1.
std::vector<Expr> ControllerLaws::surface_matrix(const syntax::Expression& e,
                                                 const syntax::Call& call, std::string_view name,
                                                 std::size_t rows, std::size_t columns) {
  const Value given = value(e, call, only_by_name, name);
  const bool fits = given.entries.size() == rows * columns &&
                    (rows == 1 || (given.shape.rows == rows && given.shape.columns == columns));
  if (!fits)
    fault(argument(call, only_by_name, name)->place,
          fmt::format("'{}' of sliding_mode is {}, not a {} x {} matrix", name, given.shape.text(),
                      rows, columns),
          "a row for each input commanded, a column for each coordinate");
  return given.entries;
}

/// A number for all, or one for each row of the surface.
std::vector<Expr> ControllerLaws::for_each_row(const syntax::Expression& e,
                                               const syntax::Call& call, std::string_view name,
                                               std::size_t rows) {
  Value given = value(e, call, only_by_name, name);
  if (given.entries.size() == 1) given.entries.assign(rows, given.entries[0]);
  if (given.entries.size() != rows)
    fault(argument(call, only_by_name, name)->place,
          fmt::format("'{}' of sliding_mode has {} entries for {} inputs", name,
                      given.entries.size(), rows),
          "give a number for all, or one for each");
  return given.entries;
}

/// What the coordinates should be, and their first and second derivatives.
ControllerLaws::DesiredMotion ControllerLaws::desired_motion(
    const syntax::Expression& e, const syntax::Call& call,
    const std::vector<Quantity>& coordinates) {
  Designer& designs = designer(e);
  const std::vector<Quantity>& states = designs.states();
  const auto rate_of = [&](Expr x) {
    return expr::time_derivative(graph(), std::span(&x, 1),
                                 [&](expr::SymbolId s) { return around_.model().varies(s); })[0];
  };
  DesiredMotion motion;
  if (argument(call, only_by_name, "reference") == nullptr && designs.has_path()) {
    motion.positions = desired(coordinates, e.place).entries;
    for (const Expr x : motion.positions) motion.rates.push_back(rate_of(x));
    for (const Expr v : motion.rates) motion.accelerations.push_back(rate_of(v));
    return motion;
  }
  std::vector<double> rest(states.size());
  if (argument(call, only_by_name, "reference") == nullptr)
    rest = designs.rest({}, controller_.commanded, e.place);
  bool at_rest = false;
  const std::vector<Expr> target = reference(e, call, rest, at_rest);
  for (const Quantity& q : coordinates) {
    const auto rate = std::ranges::find(states, Quantity{q.name, 1});
    if (rate == states.end())
      fault(e.place,
            fmt::format("sliding_mode: '{}' has neither a mass nor a drive, and is no state of "
                        "model '{}'",
                        q.name, designs.model().name),
            "write the constraints without it");
    for (std::size_t k = 0; k < states.size(); ++k) {
      if (states[k].name != q.name) continue;
      if (states[k].order == 0) {
        motion.positions.push_back(target[k]);
        continue;
      }
      motion.rates.push_back(target[k]);
      const bool of_time = std::ranges::all_of(
          expr::leaves(graph(), std::span(&target[k], 1)), [&](const Leaf& leaf) {
            return leaf.symbol == expr::time_symbol || !around_.model().varies(leaf.symbol);
          });
      motion.accelerations.push_back(of_time ? rate_of(target[k]) : graph().constant(0));
    }
  }
  return motion;
}

Value ControllerLaws::sliding_mode(const syntax::Expression& e, const syntax::Call& call) {
  allow(e, call, 0, {"Theta", "Lambda", "kappa", "width", "reference"});
  const EquationsOfMotion equations = designer(e).equations_of_motion(e.place);
  const std::size_t n = equations.coordinates.size(), m = controller_.commanded.size();
  constexpr std::size_t most = 4;  // inputs: the terms of a determinant grow like factorials
  if (m > most) fault(e.place, fmt::format("sliding_mode is for up to {} inputs, not {}", most, m));
  const std::vector<Expr> theta = surface_matrix(e, call, "Theta", m, n),
                          lambda = surface_matrix(e, call, "Lambda", m, n),
                          kappa = for_each_row(e, call, "kappa", m),
                          width = for_each_row(e, call, "width", m);
  require(call, only_by_name, "kappa", {Shape::vector(static_cast<std::uint32_t>(m)), kappa},
          Range::positive);
  require(call, only_by_name, "width", {Shape::vector(static_cast<std::uint32_t>(m)), width},
          Range::not_negative);
  const DesiredMotion motion = desired_motion(e, call, equations.coordinates);
  expr::Graph& g = graph();

  const std::vector<Expr> residuals = believed(equations, e.place);
  const std::size_t size = residuals.size();
  std::vector<Leaf> unknowns;  // accelerations, multipliers, then inputs
  for (const Quantity& q : equations.coordinates)
    unknowns.push_back({around_.model().find(q.name), 2});
  for (const std::string& multiplier : equations.multipliers)
    unknowns.push_back({around_.model().find(multiplier), 0});
  for (const std::string& input : controller_.commanded)
    unknowns.push_back({around_.model().find(input), 0});
  Rows rows(g, size, 1 + m);
  for (const expr::JacobianEntry& entry : expr::jacobian(g, residuals, unknowns)) {
    for (const Leaf& leaf : expr::leaves(g, std::span(&entry.value, 1)))
      if (std::ranges::find(unknowns, leaf) != unknowns.end())
        fault(e.place,
              "sliding_mode: an input, or an acceleration, enters the equations nonlinearly");
    rows(entry.row, entry.column < size ? entry.column : entry.column + 1) = entry.value;
  }
  const std::vector<Expr> without = expr::copy(g, residuals, g, [&](Leaf leaf) {
    const bool unknown = std::ranges::find(unknowns, leaf) != unknowns.end();
    return unknown ? std::optional(g.constant(0)) : std::nullopt;
  });
  for (std::size_t i = 0; i < size; ++i) rows(i, size) = without[i];
  if (!rows.solve())
    fault(e.place, "sliding_mode: the equations do not determine every acceleration",
          "a drive needs a lag, a coordinate a mass");

  std::vector<Expr> right(m, g.constant(0));
  std::vector<std::vector<Expr>> reached(m, std::vector<Expr>(m, g.constant(0)));
  for (std::size_t i = 0; i < m; ++i) {
    Expr sigma = g.constant(0);
    for (std::size_t j = 0; j < n; ++j) {
      const Expr t = theta[i * n + j], l = lambda[i * n + j];
      const Leaf position{unknowns[j].symbol, 0}, rate{unknowns[j].symbol, 1};
      const Expr off = g.sub(known(position, e.place), motion.positions[j]),
                 drift = g.sub(known(rate, e.place), motion.rates[j]);
      sigma = g.add(sigma, g.add(g.mul(t, drift), g.mul(l, off)));
      // Theta (r + y_d'') - Lambda e'
      right[i] = g.add(right[i], g.sub(g.mul(t, g.add(rows(j, size), motion.accelerations[j])),
                                       g.mul(l, drift)));
      for (std::size_t k = 0; k < m; ++k)
        reached[i][k] = g.sub(reached[i][k], g.mul(t, rows(j, size + 1 + k)));
    }
    const std::optional<double> layer = constant(width[i], e.place),
                                rate = constant(kappa[i], e.place);
    const bool switches = layer && *layer == 0;
    if (switches && !clocked())
      fault(e.place,
            "sliding_mode with width = 0 switches, and without a clock its command has no value on "
            "the surface",
            "write  width = ...: within it the law is linear, with the rate kappa/width; or give "
            "the controller a clock");
    if (clocked() && layer && rate && *layer < 0.5 * *rate * controller_.made.period)
      around_.warn(chattering(e.place, controller_.made.period, *rate, *layer));
    const Expr within = switches ? g.unary(expr::Op::sign, sigma)
                                 : clamp(g.div(sigma, width[i]), g.constant(-1), g.constant(1));
    right[i] = g.sub(right[i], g.mul(kappa[i], within));
  }
  std::vector<Expr> command = solved(g, reached, std::move(right));
  if (command.empty())
    fault(e.place, "sliding_mode: the inputs do not affect every row of the surface",
          "give the coordinates that they move weights in Theta");
  return command_value(std::move(command));
}

Expr ControllerLaws::known(Leaf leaf, const Place& place) {
  return around_.known_to(controller_, graph().leaf(leaf), place);
}

}  // namespace daedal::model
