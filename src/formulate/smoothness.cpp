#include "daedal/formulate/smoothness.hpp"

#include "daedal/expr/graph.hpp"
#include "daedal/expr/switches.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

namespace daedal::formulate {

namespace {

using expr::Expr;
using expr::Op;

constexpr double longest_motion = 1e4;       // [s]
constexpr double before_start = 1e-3;        // [s], so that a switch at 0 is seen
constexpr std::size_t most_compared = 1000;  // switches

/// A comparison by itself is none: what it decides is.
bool is_branch(Op op) {
  using enum expr::Operation::Smoothness;
  const expr::Operation& facts = expr::facts(op);
  return !facts.truth &&
         (facts.smoothness == kink || facts.smoothness == jump || facts.smoothness == chosen);
}

/// What an operation by itself promises.
int promised(const expr::Graph& graph, Expr e) {
  const expr::Node& node = graph.node(e);
  if (node.op == Op::rest_to_rest) return node.aux - static_cast<int>(node.b);
  if (node.op == Op::spline) return graph.spline(node.aux).smoothness - static_cast<int>(node.b);
  if (!is_branch(node.op)) return smooth;
  return expr::facts(node.op).smoothness == expr::Operation::Smoothness::kink ? 0 : -1;
}

bool is_time(expr::Leaf leaf) { return leaf == expr::Leaf{expr::time_symbol, 0}; }

/// The largest parts of a signal that contain nothing but time and parameters, and branches.
std::vector<Expr> parts_of_time(const model::Model& model, Expr signal,
                                const std::vector<Expr>& nodes) {
  const expr::Graph& graph = *model.graph;
  std::map<Expr, bool> pure, branches;
  std::vector<Expr> parts;
  const auto close = [&](Expr e) {
    if (pure[e] && branches[e] && std::find(parts.begin(), parts.end(), e) == parts.end())
      parts.push_back(e);
  };
  for (const Expr e : nodes) {
    const expr::Node& node = graph.node(e);
    const std::uint32_t children[] = {node.a, node.b, node.c};
    const int count = expr::arity(node.op);
    pure[e] =
        node.op != Op::leaf || is_time(graph.leaf_of(e)) || !model.varies(graph.leaf_of(e).symbol);
    branches[e] = is_branch(node.op);
    for (int c = 0; c < count; ++c) {
      pure[e] = pure[e] && pure[Expr{children[c]}];
      branches[e] = branches[e] || branches[Expr{children[c]}];
    }
    for (int c = 0; c < count && !pure[e]; ++c) close(Expr{children[c]});
  }
  close(signal);
  return parts;
}

/// Times at which branches of an expression of time switch; nothing when they do for ever.
std::optional<std::vector<double>> times_of_branches(const model::Model& model, Expr part) {
  const expr::Graph& graph = *model.graph;
  const Expr roots[] = {part};
  std::vector<double> times;
  for (const Expr e : expr::reachable(graph, roots)) {
    const auto s = expr::switch_of(graph, e);
    if (!s || expr::facts(graph.node(e).op).kind == expr::Operation::Kind::trajectory) continue;
    expr::TimeFunction g(graph, s->form, s->a, s->b, is_time,
                         [&](expr::Leaf leaf) { return model.symbols[leaf.symbol].value; });
    const expr::FoundSwitches found =
        expr::find_switches(g, *s, -before_start, longest_motion, most_compared);
    if (found.too_many || found.undecided) return std::nullopt;
    times.insert(times.end(), found.times.begin(), found.times.end());
  }
  return times;
}

/// How many derivatives are the same on both sides of all these times. Sides are a few units in the last place apart, over
/// which derivative k changes by derivative k + 1 times that.
int compared(const model::Model& model, Expr signal, const std::vector<double>& times, int most) {
  constexpr double ulps = 16 * std::numeric_limits<double>::epsilon(), alike = 1e-9;
  auto graph = std::make_shared<expr::Graph>(model.graph);
  const expr::VariesInTime varies = [&](expr::SymbolId s) { return model.varies(s); };
  const auto at = [&](Expr e, double t) {
    const Expr roots[] = {e};
    return expr::evaluate(*graph, roots, [&](expr::Leaf leaf) {
      return leaf.symbol == expr::time_symbol ? t : model.symbols[leaf.symbol].value;
    })[0];
  };
  std::vector<Expr> derivative{signal};
  for (int order = 0; order <= most; ++order) {
    const std::vector<Expr> next = expr::time_derivative(*graph, derivative, varies);
    for (const double t : times) {
      const double side = ulps * std::max(std::abs(t), std::numeric_limits<double>::min());
      const double before = at(derivative[0], t - side), behind = at(derivative[0], t + side);
      const double rate =
          std::max(std::abs(at(next[0], t - side)), std::abs(at(next[0], t + side)));
      const double same = alike * (std::abs(before) + std::abs(behind)) + 4 * side * rate;
      if (!(std::abs(before - behind) <= same)) return order - 1;
    }
    derivative = next;
  }
  return smooth;
}

}  // namespace

int continuous_derivatives(const model::Model& model, Expr signal, int most) {
  const expr::Graph& graph = *model.graph;
  const Expr roots[] = {signal};
  const std::vector<Expr> nodes = expr::reachable(graph, roots);
  int smoothness = smooth;
  std::set<Expr> seen;  // branches of which both sides have been compared
  for (const Expr part : parts_of_time(model, signal, nodes)) {
    const auto times = times_of_branches(model, part);
    if (!times) continue;
    smoothness = std::min(smoothness, compared(model, part, *times, most));
    const Expr inside[] = {part};
    for (const Expr e : expr::reachable(graph, inside)) seen.insert(e);
  }
  for (const Expr e : nodes)
    if (!is_branch(graph.node(e).op) || seen.count(e) == 0)
      smoothness = std::min(smoothness, promised(graph, e));
  return smoothness;
}

int smoothness_for(const expr::Graph& graph, expr::Expr signal, int derivatives) {
  int needed = derivatives;
  const expr::Expr roots[] = {signal};
  for (const expr::Expr e : expr::reachable(graph, roots)) {
    const expr::Node& node = graph.node(e);
    if (expr::facts(node.op).kind == expr::Operation::Kind::trajectory)
      needed = std::max(needed, derivatives + static_cast<int>(node.b));
  }
  return needed;
}

}  // namespace daedal::formulate
