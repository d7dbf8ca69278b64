// Break points, see daedal/solve/break_points.hpp: every node that is smooth except where its
// argument g passes a known value contributes the roots of g(t) - value. Arguments are nearly
// always affine in t (rest_to_rest(t/6)): those roots are exact. Others are bracketed on a grid and
// bisected; two roots between neighbouring grid points can be missed, which costs accuracy control
// its ease, not its correctness: the integrator then finds the kink by itself.

#include "daedal/solve/break_points.hpp"

#include "daedal/expr/calculus.hpp"
#include "point.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <utility>

namespace daedal::solve {

namespace {

using expr::Expr;
using expr::Op;
using TimeFunction = std::function<double(double)>;

/// The argument a - b (b may be absent) and the values at which the node has a kink or a jump.
struct Switch {
  Expr a, b;
  bool difference = false;
  std::vector<double> values;
};

std::vector<Switch> switches(const expr::Graph& graph, std::span<const Expr> nodes) {
  std::vector<Switch> found;
  for (const Expr e : nodes) {
    const expr::Node& node = graph.node(e);
    switch (node.op) {
      case Op::rest_to_rest:
        found.push_back({{node.a}, {}, false, {0, 1}});
        break;
      case Op::spline:
        found.push_back({{node.a}, {}, false, graph.spline(node.aux).breaks});
        break;
      case Op::abs:
      case Op::sign:
        found.push_back({{node.a}, {}, false, {0}});
        break;
      case Op::min:
      case Op::max:
      case Op::less:
      case Op::less_equal:
        found.push_back({{node.a}, {node.b}, true, {0}});
        break;
      default:
        break;
    }
  }
  return found;
}

/// Which nodes (by id) contain nothing but time, parameters and constants, and time at all.
class TimeOnly {
 public:
  TimeOnly(const expr::Graph& graph, const std::vector<Expr>& nodes,
           const std::function<bool(expr::Leaf)>& is_parameter,
           const std::function<bool(expr::Leaf)>& is_time)
      : pure_(graph.size(), true), timed_(graph.size(), false) {
    for (const Expr e : nodes) {
      const expr::Node& node = graph.node(e);
      if (node.op == Op::leaf) {
        timed_[e.id] = is_time(graph.leaf_of(e));
        pure_[e.id] = timed_[e.id] || is_parameter(graph.leaf_of(e));
        continue;
      }
      const std::uint32_t children[] = {node.a, node.b, node.c};
      for (int c = 0; c < expr::arity(node.op); ++c) {
        pure_[e.id] = pure_[e.id] && pure_[children[c]];
        timed_[e.id] = timed_[e.id] || timed_[children[c]];
      }
    }
  }
  bool pure(Expr e) const { return pure_[e.id]; }
  bool timed(Expr e) const { return timed_[e.id]; }

 private:
  std::vector<bool> pure_, timed_;
};

double bisect(const TimeFunction& g, double low, double high) {
  const bool rising = g(low) < 0;
  for (int i = 0; i < 200; ++i) {
    const double middle = 0.5 * (low + high);
    if (middle <= low || middle >= high) break;
    ((g(middle) < 0) == rising ? low : high) = middle;
  }
  return high;
}

/// Roots of g(t) = value in (t0, t1].
void add_roots(const TimeFunction& g, const std::vector<double>& values, double t0, double t1,
               std::vector<double>& roots) {
  const double g0 = g(t0), g1 = g(t1);
  const double third = t0 + (t1 - t0) / 3;
  const double scale = std::max({std::abs(g0), std::abs(g1), 1e-300});
  const double slope = (g1 - g0) / (t1 - t0);
  const bool affine = std::abs(g(third) - (g0 + slope * (third - t0))) <= 1e-13 * scale &&
                      std::abs(g(0.5 * (t0 + t1)) - 0.5 * (g0 + g1)) <= 1e-13 * scale;
  constexpr int grid = 512;
  for (const double value : values) {
    if (affine) {
      if (slope != 0) roots.push_back(t0 + (value - g0) / slope);
      continue;
    }
    const TimeFunction shifted = [&](double t) { return g(t) - value; };
    for (int i = 0; i < grid; ++i) {
      const double a = t0 + (t1 - t0) * i / grid, b = t0 + (t1 - t0) * (i + 1) / grid;
      if ((shifted(a) < 0) != (shifted(b) < 0)) roots.push_back(bisect(shifted, a, b));
    }
  }
}

class JointSearch {
 public:
  JointSearch(const formulate::Problem& problem, double t0, double t1)
      : problem_(problem), point_(empty_point(problem)), t0_(t0), t1_(t1) {}

  void look_into(const expr::Function& function) {
    for (const expr::Family& family : function.families) look_into(family);
  }

  std::vector<double> sorted() {
    std::sort(roots_.begin(), roots_.end());
    const double nearby = 1e-13 * std::max(std::abs(t0_), std::abs(t1_));
    std::vector<double> kept;
    for (const double t : roots_)
      if (t > t0_ + nearby && t <= t1_ && (kept.empty() || t > kept.back() + nearby))
        kept.push_back(t);
    return kept;
  }

 private:
  void look_into(const expr::Family& family) {
    const expr::Graph& graph = *family.graph;
    const std::vector<Expr> nodes = expr::reachable(graph, family.outputs);
    const std::vector<Switch> found = switches(graph, nodes);
    if (found.empty()) return;
    std::set<std::vector<expr::SymbolId>>
        seen;  // instances that differ in nothing that matters here are looked at once
    for (std::uint32_t instance = 0; instance < family.instances; ++instance) {
      const auto global = [&](expr::Leaf leaf) {
        return expr::Leaf{family.symbol(instance, leaf.symbol), leaf.order};
      };
      const TimeOnly depends(
          graph, nodes, [&](expr::Leaf leaf) { return is_parameter(global(leaf)); },
          [&](expr::Leaf leaf) {
            return global(leaf) == expr::Leaf{expr::time_symbol, 0};
          });
      for (std::size_t k = 0; k < found.size(); ++k) {
        const Switch& s = found[k];
        if (!depends.pure(s.a) || (s.difference && !depends.pure(s.b))) continue;
        if (!depends.timed(s.a) && !(s.difference && depends.timed(s.b))) continue;
        if (!seen.insert(signature(family, instance, k)).second) continue;
        add_roots([&](double t) { return argument(graph, s, t, global); }, s.values, t0_, t1_,
                  roots_);
      }
    }
  }

  bool is_parameter(expr::Leaf leaf) const {
    const auto& symbols = problem_.dae->model->symbols;
    return leaf.symbol < symbols.size() &&
           symbols[leaf.symbol].kind == model::SymbolKind::parameter;
  }

  static std::vector<expr::SymbolId> signature(const expr::Family& family, std::uint32_t instance,
                                               std::size_t k) {
    std::vector<expr::SymbolId> symbols = {static_cast<expr::SymbolId>(k)};
    if (!family.identity())
      for (std::uint32_t slot = 0; slot < family.slots; ++slot)
        symbols.push_back(family.symbol(instance, slot));
    return symbols;
  }

  double argument(const expr::Graph& graph, const Switch& s, double t,
                  const std::function<expr::Leaf(expr::Leaf)>& global) const {
    const Expr roots[] = {s.a, s.difference ? s.b : s.a};
    const std::vector<double> values = expr::evaluate(graph, roots, [&](expr::Leaf leaf) {
      const expr::Leaf symbol = global(leaf);
      if (symbol.symbol == expr::time_symbol) return t;
      const std::uint32_t position = problem_.layout.find(symbol);
      return position == compile::absent ? problem_.dae->model->symbols[symbol.symbol].value
                                         : point_[position];
    });
    return s.difference ? values[0] - values[1] : values[0];
  }

  const formulate::Problem& problem_;
  std::vector<double> point_;
  double t0_, t1_;
  std::vector<double> roots_;
};

}  // namespace

std::vector<double> break_points(const formulate::Problem& problem, double t0, double t1) {
  JointSearch search(problem, t0, t1);
  search.look_into(problem.inputs);
  search.look_into(problem.equations);
  return search.sorted();
}

std::vector<double> break_points(const formulate::Problem& problem,
                                 std::span<const expr::Expr> expressions, double t0, double t1) {
  std::vector<expr::Term> terms;
  for (const Expr e : expressions) terms.push_back({e, 0});
  JointSearch search(problem, t0, t1);
  if (!terms.empty())
    search.look_into({1, {expr::identity_family(problem.dae->model->graph, terms)}});
  return search.sorted();
}

}  // namespace daedal::solve
