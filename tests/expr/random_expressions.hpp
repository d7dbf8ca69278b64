// Random smooth expressions with known values, and a second evaluation of those values: long double and
// the C library.
#pragma once

#include "daedal/expr/graph.hpp"

#include <cmath>
#include <map>
#include <random>
#include <span>
#include <vector>

namespace daedal::expr::testing {

using Real = long double;
using Point = std::map<Leaf, Real>;

/// Values of `roots` at a point in extended precision, by the C library's functions.
inline std::vector<Real> reference_values(const Graph& graph, std::span<const Expr> roots,
                                          const Point& point) {
  std::map<Expr, Real> value;
  for (const Expr e : reachable(graph, roots)) {
    const Node& n = graph.node(e);
    const auto operand = [&](std::uint32_t id) { return value.at(Expr{id}); };
    const Real a = arity(n.op) > 0 ? operand(n.a) : 0;
    const Real b = arity(n.op) > 1 ? operand(n.b) : 0;
    const Real c = arity(n.op) > 2 ? operand(n.c) : 0;
    switch (n.op) {
      case Op::constant:
        value[e] = graph.constant_value(e);
        break;
      case Op::leaf:
        value[e] = point.at(graph.leaf_of(e));
        break;
      case Op::neg:
        value[e] = -a;
        break;
      case Op::sqrt:
        value[e] = std::sqrt(a);
        break;
      case Op::exp:
        value[e] = std::exp(a);
        break;
      case Op::log:
        value[e] = std::log(a);
        break;
      case Op::sin:
        value[e] = std::sin(a);
        break;
      case Op::cos:
        value[e] = std::cos(a);
        break;
      case Op::tan:
        value[e] = std::tan(a);
        break;
      case Op::asin:
        value[e] = std::asin(a);
        break;
      case Op::acos:
        value[e] = std::acos(a);
        break;
      case Op::atan:
        value[e] = std::atan(a);
        break;
      case Op::sinh:
        value[e] = std::sinh(a);
        break;
      case Op::cosh:
        value[e] = std::cosh(a);
        break;
      case Op::tanh:
        value[e] = std::tanh(a);
        break;
      case Op::abs:
        value[e] = std::fabs(a);
        break;
      case Op::sign:
        value[e] = a > 0 ? 1 : a < 0 ? -1 : 0;
        break;
      case Op::floor:
        value[e] = std::floor(a);
        break;
      case Op::powi:
        value[e] = std::pow(a, static_cast<Real>(static_cast<std::int16_t>(n.aux)));
        break;
      case Op::rest_to_rest:
      case Op::spline:
        value[e] = apply(graph, n, static_cast<double>(a), 0, 0);
        break;
      case Op::add:
        value[e] = a + b;
        break;
      case Op::sub:
        value[e] = a - b;
        break;
      case Op::mul:
        value[e] = a * b;
        break;
      case Op::div:
        value[e] = a / b;
        break;
      case Op::pow:
        value[e] = std::pow(a, b);
        break;
      case Op::atan2:
        value[e] = std::atan2(a, b);
        break;
      case Op::min:
        value[e] = std::min(a, b);
        break;
      case Op::max:
        value[e] = std::max(a, b);
        break;
      case Op::mod:
        value[e] = a - b * std::floor(a / b);
        break;
      case Op::less:
        value[e] = a < b;
        break;
      case Op::less_equal:
        value[e] = a <= b;
        break;
      case Op::logical_not:
        value[e] = a == 0;
        break;
      case Op::logical_and:
        value[e] = a != 0 && b != 0;
        break;
      case Op::logical_or:
        value[e] = a != 0 || b != 0;
        break;
      case Op::select:
        value[e] = a != 0 ? b : c;
        break;
    }
  }
  std::vector<Real> result;
  for (const Expr root : roots) result.push_back(value.at(root));
  return result;
}

inline Real reference_value(const Graph& graph, Expr e, const Point& point) {
  return reference_values(graph, std::span(&e, 1), point)[0];
}

/// Grows a graph at random from some leaves. Operations are applied only well inside their domain
/// and away from kinks at the given point, and values stay of the order of one, so that difference
/// quotients are trustworthy. The value that each expression has by the textbook, whatever the
/// graph made of it, is kept alongside.
class RandomExpressions {
 public:
  RandomExpressions(Graph& graph, Point point, unsigned seed)
      : graph_(graph), random_(seed), point_(std::move(point)) {
    for (const auto& [leaf, value] : point_) known_.push_back({graph_.leaf(leaf), value});
    known_.push_back({graph_.constant(0.75), 0.75L});
    known_.push_back({graph_.constant(-2), -2});
    known_.push_back({graph_.constant(1), 1});
  }

  struct Known {
    Expr e;
    Real value;
  };

  Known grow(int steps) {
    for (int i = 0; i < steps;) {
      if (step()) ++i;
    }
    return known_.back();
  }
  const std::vector<Known>& all() const { return known_; }
  const Point& point() const { return point_; }

 private:
  static constexpr Real margin = 0.1L;

  Known pick() {  // recent ones more often, so that expressions grow deep
    const std::size_t n = known_.size();
    const std::size_t window = random_() % 3 == 0 ? n : std::min<std::size_t>(n, 8);
    return known_[n - 1 - random_() % window];
  }

  bool keep(Expr e, Real value) {
    if (!(std::fabs(value) < 8)) return false;
    known_.push_back({e, value});
    return true;
  }

  bool step() {
    const Known a = pick(), b = pick(), c = pick();
    const Real x = a.value, y = b.value;
    Graph& g = graph_;
    switch (random_() % 25) {
      case 0:
        return keep(g.neg(a.e), -x);
      case 1:
        return x > margin && keep(g.unary(Op::sqrt, a.e), std::sqrt(x));
      case 2:
        return x < 2 && keep(g.unary(Op::exp, a.e), std::exp(x));
      case 3:
        return x > margin && keep(g.unary(Op::log, a.e), std::log(x));
      case 4:
        return keep(g.unary(Op::sin, a.e), std::sin(x));
      case 5:
        return keep(g.unary(Op::cos, a.e), std::cos(x));
      case 6:
        return std::fabs(x) < 1.2L && keep(g.unary(Op::tan, a.e), std::tan(x));
      case 7:
        return std::fabs(x) < 0.9L && keep(g.unary(Op::asin, a.e), std::asin(x));
      case 8:
        return std::fabs(x) < 0.9L && keep(g.unary(Op::acos, a.e), std::acos(x));
      case 9:
        return keep(g.unary(Op::atan, a.e), std::atan(x));
      case 10:
        return std::fabs(x) < 2 && keep(g.unary(Op::sinh, a.e), std::sinh(x));
      case 11:
        return std::fabs(x) < 2 && keep(g.unary(Op::cosh, a.e), std::cosh(x));
      case 12:
        return keep(g.unary(Op::tanh, a.e), std::tanh(x));
      case 13:
        return std::fabs(x) > margin && keep(g.unary(Op::abs, a.e), std::fabs(x));
      case 14: {
        const int exponent = static_cast<int>(random_() % 7) - 3;
        return std::fabs(x) > 0.3L &&
               keep(g.powi(a.e, exponent), std::pow(x, static_cast<Real>(exponent)));
      }
      case 15:
        return keep(g.add(a.e, b.e), x + y);
      case 16:
        return keep(g.sub(a.e, b.e), x - y);
      case 17:
      case 18:
        return keep(g.mul(a.e, b.e), x * y);
      case 19:
        return std::fabs(y) > 0.3L && keep(g.div(a.e, b.e), x / y);
      case 20:
        return x > margin && std::fabs(y) < 3 && keep(g.pow(a.e, b.e), std::pow(x, y));
      case 21:
        return std::hypot(x, y) > 0.3L && std::fabs(y) > margin &&
               keep(g.binary(Op::atan2, a.e, b.e), std::atan2(x, y));
      case 22:
        return std::fabs(x - y) > margin && keep(g.binary(Op::min, a.e, b.e), std::min(x, y));
      case 23:
        return std::fabs(x - y) > margin && keep(g.binary(Op::max, a.e, b.e), std::max(x, y));
      default:
        return std::fabs(x - y) > margin &&
               keep(g.select(g.binary(Op::less, a.e, b.e), c.e, a.e), x < y ? c.value : x);
    }
  }

  Graph& graph_;
  std::mt19937 random_;
  Point point_;
  std::vector<Known> known_;
};

}  // namespace daedal::expr::testing
