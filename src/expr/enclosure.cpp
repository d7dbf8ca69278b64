// Each operation over intervals: its values and, by the chain rule, its derivative with respect to time. See
// daedal/expr/enclosure.hpp.
#include "daedal/expr/enclosure.hpp"

#include "daedal/expr/elementary.hpp"
#include "daedal/expr/walk.hpp"
#include "interval.hpp"

#include <cmath>
#include <numbers>
#include <numeric>

namespace daedal::expr {

namespace {

using namespace interval;  // NOLINT(google-build-using-namespace): the operators of intervals

constexpr double pi = std::numbers::pi;
constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr Interval zero{0, 0}, unit{0, 1}, one{1, 1};

Enclosure constant(double value) { return {point(value), zero}; }
/// Takes on either value of a jump.
Enclosure jump(Interval value) { return {value, everything}; }

/// Whether begin + k period, k whole, lies in x, as far as rounding lets one say.
bool may_contain(Interval x, double begin, double period) {
  const double low = (x.low - begin) / period, high = (x.high - begin) / period;
  const double doubt = 4 * epsilon * (std::max(std::abs(low), std::abs(high)) + 1);
  return !(std::floor(low - doubt) == std::floor(high + doubt));
}

Interval sine(Interval x) {
  if (!is_bounded(x) || x.high - x.low >= 2 * pi) return {-1, 1};
  const double a = elementary::sin(x.low), b = elementary::sin(x.high);
  Interval result = widened(std::min(a, b), std::max(a, b));
  if (may_contain(x, pi / 2, 2 * pi)) result.high = 1;
  if (may_contain(x, -pi / 2, 2 * pi)) result.low = -1;
  return intersection(result, {-1, 1});
}

Interval cosine(Interval x) {
  if (!is_bounded(x) || x.high - x.low >= 2 * pi) return {-1, 1};
  const double a = elementary::cos(x.low), b = elementary::cos(x.high);
  Interval result = widened(std::min(a, b), std::max(a, b));
  if (may_contain(x, 0, 2 * pi)) result.high = 1;
  if (may_contain(x, pi, 2 * pi)) result.low = -1;
  return intersection(result, {-1, 1});
}

/// Of a function that rises.
Interval rising(elementary::Unary f, Interval x) { return widened(f(x.low), f(x.high)); }

Interval square(Interval x) {
  const Interval low = Interval{x.low, x.low} * Interval{x.low, x.low};
  const Interval high = Interval{x.high, x.high} * Interval{x.high, x.high};
  const Interval ends = hull(low, high);
  return x.contains(0) ? Interval{0, ends.high} : Interval{std::max(0.0, ends.low), ends.high};
}

Interval whole_power(Interval x, int exponent) {
  if (exponent < 0) return inverse(whole_power(x, -exponent));
  const auto at = [&](double end) {
    Interval result = one, factor{end, end};
    for (unsigned bits = static_cast<unsigned>(exponent); bits != 0; bits >>= 1) {
      if (bits & 1u) result = result * factor;
      if (bits > 1) factor = factor * factor;
    }
    return result;
  };
  if (exponent == 0) return one;
  const Interval ends = hull(at(x.low), at(x.high));
  return exponent % 2 == 0 && x.contains(0) ? Interval{0, ends.high} : ends;
}

Interval square_root(Interval x) {
  return intersection(rising([](double v) { return std::sqrt(v); }, {std::max(x.low, 0.0), x.high}),
                      {0, infinity});
}

/// x^y for x >= 0: extremes lie in corners, for it is monotone in either of both.
Interval power(Interval x, Interval y) {
  Interval result = nothing;
  for (const double a : {x.low, x.high})
    for (const double b : {y.low, y.high}) {
      const double value = elementary::pow(a, b);
      if (std::isnan(value)) return everything;
      result = hull(result, {value, value});
    }
  return intersection(widened(result.low, result.high), {0, infinity});
}

/// Derivative `order` of a polynomial over a part of its domain from its Taylor series about the middle: sum |p^(j)| r^j / j!
/// bounds what the linear part leaves.
template <class Derivative>
Interval polynomial(Derivative derivative, int order, int degree, Interval x) {
  const double middle = std::midpoint(x.low, x.high),
               radius = above(std::max(x.high - middle, middle - x.low));
  double spread = 0, power = 1, scale = 0;
  for (int j = 1; j <= degree - order; ++j) {
    power *= radius / j;
    spread += std::abs(derivative(middle, order + j)) * power;
  }
  const double value = derivative(middle, order);
  scale = std::abs(value) + spread;
  const double doubt = 1e-12 * scale;  // of recurrences of up to 800 terms
  if (!std::isfinite(scale)) return everything;
  return widened(value - spread - doubt, value + spread + doubt);
}

Interval rest_to_rest_over(Interval s, int m, int order) {
  const auto f = [m](double x, int n) { return rest_to_rest_value(x, m, n); };
  const double rounding = (8 + 4 * m) * epsilon;
  if (order == 0) {  // rises from 0 to 1
    const double low = f(s.low, 0), high = f(s.high, 0);
    return intersection(
        {low == 1 ? 1 : below(low - rounding * low), high == 0 ? 0 : above(high + rounding * high)},
        unit);
  }
  const bool outside = s.low < 0 || s.high > 1;
  const Interval inside = intersection(s, unit);
  if (inside.is_empty()) return zero;
  Interval result = nothing;
  if (order == 1) {  // rises to the middle and falls
    const double a = f(inside.low, 1), b = f(inside.high, 1);
    const double top = inside.contains(0.5) ? f(0.5, 1) : std::max(a, b);
    result = {std::min(a, b) * (1 - rounding), top * (1 + rounding)};
  } else {
    result = polynomial(f, order, 2 * m + 1, inside);
  }
  return outside ? hull(result, zero) : result;
}

/// Derivative `order` of a piecewise polynomial over x; a jump inside of x gives its hull.
Interval spline_over(const PiecewisePolynomial& p, Interval x, int order) {
  const auto& breaks = p.breaks;
  if (breaks.size() < 2) return point(p.value(x.low, order));
  Interval result = nothing;
  if (x.low < breaks.front()) result = hull(result, point(p.value(breaks.front() - 1, order)));
  if (x.high > breaks.back()) result = hull(result, point(p.value(breaks.back() + 1, order)));
  const auto first = std::upper_bound(breaks.begin() + 1, breaks.end() - 1, x.low);
  const std::size_t powers = static_cast<std::size_t>(p.degree) + 1;
  for (auto k = static_cast<std::size_t>(first - breaks.begin()) - 1;
       k + 1 < breaks.size() && breaks[k] <= x.high; ++k) {
    const Interval h = intersection(Interval{x.low, x.high} - Interval{breaks[k], breaks[k]},
                                    {0, above(breaks[k + 1] - breaks[k])});
    if (h.is_empty()) continue;
    const double* const c = p.coefficients.data() + k * powers;
    Interval sum = zero;
    for (int j = p.degree; j >= order; --j) {
      double factor = 1;
      for (int i = 0; i < order; ++i) factor *= j - i;
      sum = sum * h + Interval{factor, factor} * Interval{c[j], c[j]};
    }
    result = hull(result, sum);
  }
  return result;
}

/// Whether derivative `order` of p may jump inside of x.
bool has_jump(const PiecewisePolynomial& p, Interval x, int order) {
  if (order == 0 && p.smoothness >= 0) return false;
  if (p.breaks.empty()) return false;
  if (x.contains(p.breaks.front()) || x.contains(p.breaks.back())) return true;
  if (order <= p.smoothness) return false;
  const auto next = std::lower_bound(p.breaks.begin(), p.breaks.end(), x.low);
  return next != p.breaks.end() && *next <= x.high;
}

/// 1, 0 or both.
Interval truth(bool can_be_true, bool can_be_false) {
  return {can_be_false ? 0.0 : 1.0, can_be_true ? 1.0 : 0.0};
}
Enclosure of_truth(Interval t) { return t.is_point() ? Enclosure{t, zero} : jump(t); }
bool may_hold(Interval a) { return a.low != 0 || a.high != 0; }
bool may_fail(Interval a) { return a.contains(0); }

Enclosure floor_of(Enclosure a) {
  const Interval v{std::floor(a.value.low), std::floor(a.value.high)};
  return v.is_point() ? Enclosure{v, zero} : jump(v);
}

Enclosure sum_of(Enclosure a, Enclosure b) { return {a.value + b.value, a.rate + b.rate}; }
Enclosure negated(Enclosure a) { return {-a.value, -a.rate}; }
Enclosure product_of(Enclosure a, Enclosure b) {
  return {a.value * b.value, a.rate * b.value + a.value * b.rate};
}
Enclosure quotient_of(Enclosure a, Enclosure b) {
  const Interval value = a.value / b.value;
  if (b.value.contains(0)) return jump(value);
  return {value, (a.rate - value * b.rate) / b.value};
}

/// With a derivative f' <= 0 or >= 0 unbounded at an end of the domain, and an unbounded one beyond.
Enclosure within(Enclosure a, Interval domain, Interval value, Interval slope) {
  const bool leaves = a.value.low < domain.low || a.value.high > domain.high;
  return leaves ? jump(value) : Enclosure{value, slope * a.rate};
}

/// sinh and cosh.
struct Hyperbolic {
  Interval sine, cosine;
  explicit Hyperbolic(Interval x) : sine(rising(elementary::sinh, x)) {
    const double low = elementary::cosh(x.low), high = elementary::cosh(x.high);
    cosine = widened(std::min(low, high), std::max(low, high));
    if (x.contains(0)) cosine.low = 1;
  }
};

/// Each operation over intervals.
struct Over {
  const Graph& graph;
  const Node& node;

  static Enclosure of(Is<Op::neg>, Enclosure a) { return negated(a); }
  static Enclosure of(Is<Op::sqrt>, Enclosure a) {
    if (a.value.high < 0) return {nothing, zero};
    const Interval v = square_root(a.value);
    return within(a, {0, infinity}, v, inverse(Interval{2, 2} * v));
  }
  static Enclosure of(Is<Op::exp>, Enclosure a) {
    const Interval v = intersection(rising(elementary::exp, a.value), {0, infinity});
    return {v, v * a.rate};
  }
  static Enclosure of(Is<Op::log>, Enclosure a) {
    if (a.value.high <= 0) return {nothing, zero};
    const Interval positive{std::max(a.value.low, 0.0), a.value.high};
    return within(a, {0, infinity}, rising(elementary::log, positive), inverse(positive));
  }
  static Enclosure of(Is<Op::sin>, Enclosure a) {
    return {sine(a.value), cosine(a.value) * a.rate};
  }
  static Enclosure of(Is<Op::cos>, Enclosure a) {
    return {cosine(a.value), -sine(a.value) * a.rate};
  }
  static Enclosure of(Is<Op::tan>, Enclosure a) {
    const Interval x = a.value;
    if (!is_bounded(x) || x.high - x.low >= pi || may_contain(x, pi / 2, pi))
      return jump(everything);
    const Interval v = rising(elementary::tan, x);
    return {v, (one + square(v)) * a.rate};
  }
  static Enclosure of(Is<Op::asin>, Enclosure a) {
    const Interval inside = intersection(a.value, {-1, 1});
    if (inside.is_empty()) return {nothing, zero};
    const Interval root = square_root(one - square(inside));
    return within(a, {-1, 1}, rising(elementary::asin, inside), inverse(root));
  }
  static Enclosure of(Is<Op::acos>, Enclosure a) {
    const Interval inside = intersection(a.value, {-1, 1});
    if (inside.is_empty()) return {nothing, zero};
    const Interval root = square_root(one - square(inside));
    const Interval v = widened(elementary::acos(inside.high), elementary::acos(inside.low));
    return within(a, {-1, 1}, v, -inverse(root));
  }
  static Enclosure of(Is<Op::atan>, Enclosure a) {
    return {rising(elementary::atan, a.value), a.rate / (one + square(a.value))};
  }
  static Enclosure of(Is<Op::sinh>, Enclosure a) {
    const Hyperbolic h(a.value);
    return {h.sine, h.cosine * a.rate};
  }
  static Enclosure of(Is<Op::cosh>, Enclosure a) {
    const Hyperbolic h(a.value);
    return {h.cosine, h.sine * a.rate};
  }
  static Enclosure of(Is<Op::tanh>, Enclosure a) {
    const Interval v = intersection(rising(elementary::tanh, a.value), {-1, 1});
    return {v, intersection(one - square(v), unit) * a.rate};
  }
  static Enclosure of(Is<Op::abs>, Enclosure a) {
    const Interval x = a.value;
    if (x.low >= 0) return a;
    if (x.high <= 0) return negated(a);
    return {{0, std::max(-x.low, x.high)}, hull(a.rate, -a.rate)};
  }
  static Enclosure of(Is<Op::sign>, Enclosure a) {
    const auto sign = [](double v) { return (v > 0 ? 1.0 : 0.0) - (v < 0 ? 1.0 : 0.0); };
    const Interval v{sign(a.value.low), sign(a.value.high)};
    return v.is_point() ? Enclosure{v, zero} : jump(v);
  }
  static Enclosure of(Is<Op::floor>, Enclosure a) { return floor_of(a); }
  static Enclosure of(Is<Op::logical_not>, Enclosure a) {
    return of_truth(truth(may_fail(a.value), may_hold(a.value)));
  }
  Enclosure of(Is<Op::powi>, Enclosure a) const {
    const int n = static_cast<std::int16_t>(node.aux);
    if (n < 0 && a.value.contains(0)) return jump(whole_power(a.value, n));
    const auto factor = static_cast<double>(n);
    return {whole_power(a.value, n),
            Interval{factor, factor} * whole_power(a.value, n - 1) * a.rate};
  }
  Enclosure of(Is<Op::rest_to_rest>, Enclosure a) const {
    const auto order = static_cast<int>(node.b);
    const Interval x = a.value, v = rest_to_rest_over(x, node.aux, order);
    const bool at_joint = x.contains(0) || x.contains(1);
    if (at_joint && !x.is_point() && order > node.aux) return jump(v);
    return {v, rest_to_rest_over(x, node.aux, order + 1) * a.rate};
  }
  Enclosure of(Is<Op::spline>, Enclosure a) const {
    const PiecewisePolynomial& p = graph.spline(node.aux);
    const auto order = static_cast<int>(node.b);
    const Interval v = spline_over(p, a.value, order);
    if (has_jump(p, a.value, order)) return jump(v);
    return {v, spline_over(p, a.value, order + 1) * a.rate};
  }
  static Enclosure of(Is<Op::add>, Enclosure a, Enclosure b) { return sum_of(a, b); }
  static Enclosure of(Is<Op::sub>, Enclosure a, Enclosure b) { return sum_of(a, negated(b)); }
  static Enclosure of(Is<Op::mul>, Enclosure a, Enclosure b) { return product_of(a, b); }
  static Enclosure of(Is<Op::div>, Enclosure a, Enclosure b) { return quotient_of(a, b); }
  static Enclosure of(Is<Op::pow>, Enclosure a, Enclosure b) {
    const Interval x = a.value, y = b.value;
    if (x.low < 0) return jump(everything);
    const Interval v = power(x, y);
    Interval rate = y * power(x, y - one) * a.rate;
    if (b.rate.low != 0 || b.rate.high != 0)
      rate = x.low == 0 ? everything : rate + v * rising(elementary::log, x) * b.rate;
    return {v, rate};
  }
  static Enclosure of(Is<Op::atan2>, Enclosure a, Enclosure b) {
    const Interval x = a.value, y = b.value;
    const bool cut = x.contains(0) && y.low <= 0;  // x = 0, y < 0 in atan2(x, y), or the origin
    if (cut) return jump({below(-pi), above(pi)});
    Interval v = nothing;
    for (const double p : {x.low, x.high})
      for (const double q : {y.low, y.high}) v = hull(v, point(elementary::atan2(p, q)));
    return {widened(v.low, v.high), (y * a.rate - x * b.rate) / (square(x) + square(y))};
  }
  static Enclosure of(Is<Op::min>, Enclosure a, Enclosure b) {
    const Interval x = a.value, y = b.value;
    if (y.high < x.low) return b;
    if (x.high <= y.low) return a;
    return {{std::min(x.low, y.low), std::min(x.high, y.high)}, hull(a.rate, b.rate)};
  }
  static Enclosure of(Is<Op::max>, Enclosure a, Enclosure b) {
    const Interval x = a.value, y = b.value;
    if (x.high < y.low) return b;
    if (y.high <= x.low) return a;
    return {{std::max(x.low, y.low), std::max(x.high, y.high)}, hull(a.rate, b.rate)};
  }
  static Enclosure of(Is<Op::mod>, Enclosure a, Enclosure b) {
    const Interval y = b.value;
    const Enclosure steps = floor_of(quotient_of(a, b));
    if (steps.value.is_point()) return sum_of(a, negated(product_of(b, steps)));
    if (y.low > 0) return jump({0, y.high});
    return jump(y.high < 0 ? Interval{y.low, 0} : everything);
  }
  static Enclosure of(Is<Op::less>, Enclosure a, Enclosure b) {
    return of_truth(truth(a.value.low < b.value.high, a.value.high >= b.value.low));
  }
  static Enclosure of(Is<Op::less_equal>, Enclosure a, Enclosure b) {
    return of_truth(truth(a.value.low <= b.value.high, a.value.high > b.value.low));
  }
  static Enclosure of(Is<Op::logical_and>, Enclosure a, Enclosure b) {
    const Interval x = a.value, y = b.value;
    return of_truth(truth(may_hold(x) && may_hold(y), may_fail(x) || may_fail(y)));
  }
  static Enclosure of(Is<Op::logical_or>, Enclosure a, Enclosure b) {
    const Interval x = a.value, y = b.value;
    return of_truth(truth(may_hold(x) || may_hold(y), may_fail(x) && may_fail(y)));
  }
  static Enclosure of(Is<Op::select>, Enclosure condition, Enclosure a, Enclosure b) {
    if (!may_fail(condition.value)) return a;
    if (!may_hold(condition.value)) return b;
    return jump(hull(a.value, b.value));
  }

  Enclosure value(const Enclosure& a, const Enclosure& b, const Enclosure& c) const {
    return visit(node.op, [&](auto op) -> Enclosure {
      if constexpr (facts(op).arity == 1)
        return of(op, a);
      else if constexpr (facts(op).arity == 2)
        return of(op, a, b);
      else
        return of(op, a, b, c);
    });
  }
};

/// A bound that is no number bounds nothing.
Interval mended(Interval a) { return std::isnan(a.low) || std::isnan(a.high) ? everything : a; }

}  // namespace

TimeFunction::TimeFunction(const Graph& graph, Form form, Expr a, Expr b,
                           const std::function<bool(Leaf)>& is_time,
                           const std::function<double(Leaf)>& parameter)
    : graph_(&graph), form_(form) {
  const Expr roots[] = {a, form == Form::plain ? a : b};
  const Walk walk(graph, roots);
  for (const Expr e : walk.nodes()) {
    Step step;
    step.node = graph.node(e);
    if (step.node.op == Op::constant || step.node.op == Op::leaf) {
      step.is_time = step.node.op == Op::leaf && is_time(graph.leaf_of(e));
      step.is_constant = !step.is_time;
      if (step.is_constant)
        step.constant =
            step.node.op == Op::constant ? graph.constant_value(e) : parameter(graph.leaf_of(e));
    } else {
      std::uint32_t* const children[] = {&step.node.a, &step.node.b, &step.node.c};
      for (int c = 0; c < arity(step.node.op); ++c)
        *children[c] = walk.position(Expr{*children[c]});
    }
    steps_.push_back(step);
  }
  a_ = walk.position(roots[0]);
  b_ = walk.position(roots[1]);
  values_.resize(steps_.size());
  enclosures_.resize(steps_.size());
}

double TimeFunction::value(double t) {
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const Step& step = steps_[i];
    if (step.is_time || step.is_constant) {
      values_[i] = step.is_time ? t : step.constant;
      continue;
    }
    const int operands = arity(step.node.op);
    values_[i] =
        apply(*graph_, step.node, values_[step.node.a], operands > 1 ? values_[step.node.b] : 0.0,
              operands > 2 ? values_[step.node.c] : 0.0);
  }
  if (form_ == Form::difference) return values_[a_] - values_[b_];
  return form_ == Form::quotient ? values_[a_] / values_[b_] : values_[a_];
}

Enclosure TimeFunction::over(double begin, double end) {
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const Step& step = steps_[i];
    Enclosure& here = enclosures_[i];
    if (step.is_time || step.is_constant) {
      here = step.is_time ? Enclosure{{begin, end}, one} : constant(step.constant);
      continue;
    }
    const int operands = arity(step.node.op);
    const Enclosure& a = enclosures_[step.node.a];
    const Enclosure& b = operands > 1 ? enclosures_[step.node.b] : a;
    const bool undefined = a.value.is_empty() || b.value.is_empty();
    const Enclosure& c = operands > 2 ? enclosures_[step.node.c] : a;
    if (operands == 3 && a.value.is_empty())  // no number is "not 0"
      here = b;
    else if (operands < 3 && undefined)  // comparisons with what is no number are false
      here = facts(step.node.op).truth ? Enclosure{zero, zero} : Enclosure{nothing, zero};
    else
      here = Over{*graph_, step.node}.value(a, b, c);
    here = {mended(here.value), mended(here.rate)};
  }
  const Enclosure &a = enclosures_[a_], &b = enclosures_[b_];
  if (form_ == Form::plain) return a;
  if (a.value.is_empty() || b.value.is_empty()) return {nothing, zero};
  const Enclosure result = form_ == Form::difference ? sum_of(a, negated(b)) : quotient_of(a, b);
  return {mended(result.value), mended(result.rate)};
}

}  // namespace daedal::expr
