// The inverse model in real time: a step of backward differentiation at each sample of a controller's clock,
//
//   x_n = sum_p w_p x_(n-p) + b h x'_n,   F(t_n, x_n, x'_n, ..., u_n, lambda_n) = 0
//
// with F as derived, servo-constraints included and nothing differentiated [Druecker2022, section 3.3.4]. Unknowns of Newton's
// method are how far positions are from their extrapolation, and inputs and reactions times (b h)^2, which rounding in
// positions reaches that much enlarged: changes of all of them are compared with one tolerance.
#include "daedal/laws/laws.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

namespace daedal::model {

using expr::Expr;
using expr::Leaf;

namespace {

// BDF of order 4 [HairerWanner1996, section III.1]
constexpr std::array<double, 4> past_weight = {48.0 / 25, -36.0 / 25, 16.0 / 25, -3.0 / 25};
constexpr double rate_weight = 12.0 / 25;
constexpr std::array<double, 4> extrapolation = {4, -6, 4, -1};  // exact for cubic polynomials

}  // namespace

void ControllerLaws::step_inverse(const syntax::Expression& e) {
  if (!controller_.stepped.empty()) return;
  need_clock(e, "inverse", ", or take the tables  path.u, path.x");
  expr::Graph& g = graph();
  EquationQuestion question;
  question.kind = EquationQuestion::Kind::inverse;
  question.law = "inverse";
  question.place = e.place;
  const SolvedEquations found = designer(e).equations(question);
  std::map<expr::SymbolId, int> highest;
  for (const Leaf& leaf : expr::leaves(*found.graph, found.residuals))
    highest[leaf.symbol] = std::max(highest[leaf.symbol], static_cast<int>(leaf.order));

  const double h = rate_weight * controller_.made.period;
  const auto combined = [&](const std::array<Expr, 4>& past, const std::array<double, 4>& weights) {
    Expr sum = g.mul(g.constant(weights[0]), past[0]);
    for (std::size_t p = 1; p < past.size(); ++p)
      sum = g.add(sum, g.mul(g.constant(weights[p]), past[p]));
    return sum;
  };
  std::map<Leaf, Expr> given, unknowns;
  for (std::size_t k = 0; k < found.unknowns.size(); ++k) {
    const Leaf leaf = found.unknowns[k];
    const std::string& name = found.model->symbols[leaf.symbol].name;
    const int order = highest[leaf.symbol];
    const double start = found.starts[k];
    const Expr unknown =
        solved_for("inverse." + name, "", order == 0 ? start * (h * h) : 0, e.place);
    unknowns[leaf] = unknown;
    std::vector<Expr>& values = controller_.stepped[name];
    values.push_back(order == 0 ? g.div(unknown, g.constant(h * h)) : unknown);
    for (int l = 0; l < order; ++l) {
      std::array<Expr, 4> past;
      for (Expr& kept : past) kept = memory("past", l == 0 ? start : 0, e.place);
      Expr& value = values[static_cast<std::size_t>(l)];
      if (l == 0) value = g.add(combined(past, extrapolation), unknown);
      for (std::size_t p = 0; p < past.size(); ++p) remember(past[p], p == 0 ? value : past[p - 1]);
      const Expr rate = g.div(g.sub(value, combined(past, past_weight)), g.constant(h));
      values.push_back(rate);
    }
    for (int l = 0; l <= order; ++l)
      given[{leaf.symbol, static_cast<std::uint16_t>(l)}] = values[static_cast<std::size_t>(l)];
  }
  Solution made = solution(found, names_within("inverse"), e.place, given);
  made.unknowns = std::move(unknowns);
  add("inverse", "inverse", made, e.place);
}

}  // namespace daedal::model
