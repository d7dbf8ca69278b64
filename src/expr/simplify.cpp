// The builders, and what they simplify on the way.
//
// Every rule keeps the value up to rounding and is cheap: it looks at the operands and at most
// their operands. The aim is that derivatives come out as one would write them: d/dv (m/2 v^2) = m
// v, because the coefficients 1/2 and 2 meet. A coefficient is moved only to merge with another
// one; hoisting it alone would tear apart products such as (m/2) that depend on parameters only and
// are computed once.
#include "daedal/expr/graph.hpp"

#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace daedal::expr {
namespace {

// numerator / denominator when that is a normal number and exact, else nan.
double exact_quotient(double numerator, double denominator) {
  const double quotient = numerator / denominator;
  const bool exact = std::isnormal(quotient) && std::fma(quotient, denominator, -numerator) == 0;
  return exact ? quotient : std::numeric_limits<double>::quiet_NaN();
}

bool is_power_of_two(double value) {
  int exponent = 0;
  return std::isnormal(value) && std::isnormal(1 / value) &&
         std::fabs(std::frexp(value, &exponent)) == 0.5;
}

bool fits_exponent(double value) {
  return value == std::floor(value) && std::fabs(value) <= std::numeric_limits<std::int16_t>::max();
}

}  // namespace

Expr Graph::constant(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  return intern({Op::constant, 0, static_cast<std::uint32_t>(bits),
                 static_cast<std::uint32_t>(bits >> 32), 0});
}

Expr Graph::leaf(Leaf leaf) { return intern({Op::leaf, leaf.order, leaf.symbol, 0, 0}); }

/// The value of a node whose operands are constants.
Expr Graph::fold(const Node& node) {
  const int operands = arity(node.op);
  const double a = constant_value({node.a});
  const double b = operands > 1 ? constant_value({node.b}) : 0;
  return constant(apply(*this, node, a, b, 0));
}

// ---- coefficients: c*x and x/d with constants c and d

bool Graph::is_scaled(Expr e) const {
  const Node n = node(e);
  return (n.op == Op::mul && is_constant({n.a})) || (n.op == Op::div && is_constant({n.b}));
}

/// factor * e, merged with the coefficient of e, or of e's factors, where there is one.
Expr Graph::scale(double factor, Expr e) {
  if (factor == 0) return constant(0);
  if (factor == 1) return e;
  if (factor == -1) return neg(e);
  const Node n = node(e);
  const Expr left{n.a}, right{n.b};
  if (n.op == Op::neg) return scale(-factor, left);
  if (n.op == Op::mul && is_constant(left)) {
    const double product = factor * constant_value(left);
    if (std::isnormal(product)) return scale(product, right);
  } else if (n.op == Op::div && is_constant(right)) {
    const double divisor = exact_quotient(constant_value(right), factor);
    if (!std::isnan(divisor)) return div(left, constant(divisor));
  } else if (n.op == Op::mul) {
    if (absorbs(left, factor)) return mul(scale(factor, left), right);
    if (absorbs(right, factor)) return mul(left, scale(factor, right));
  }
  return intern({Op::mul, 0, constant(factor).id, e.id, 0});
}

/// Whether e has a coefficient that `factor` merges with.
bool Graph::absorbs(Expr e, double factor) const {
  const Node n = node(e);
  if (n.op == Op::mul && is_constant({n.a})) return std::isnormal(factor * constant_value({n.a}));
  if (n.op == Op::div && is_constant({n.b}))
    return !std::isnan(exact_quotient(constant_value({n.b}), factor));
  return false;
}

/// a * b where both have a coefficient: one moves over to the other.
Expr Graph::merge_coefficients(Expr a, Expr b) {
  const Node left = node(a), right = node(b);
  if (right.op == Op::mul && absorbs(a, constant_value({right.a}))) {
    return mul(scale(constant_value({right.a}), a), {right.b});
  }
  if (left.op == Op::mul && absorbs(b, constant_value({left.a}))) {
    return mul({left.b}, scale(constant_value({left.a}), b));
  }
  return intern_commutative({Op::mul, 0, a.id, b.id, 0});
}

// ---- arithmetic

Expr Graph::neg(Expr a) {
  const Node n = node(a);
  switch (n.op) {
    case Op::constant:
      return constant(-constant_value(a));
    case Op::neg:
      return {n.a};
    case Op::sub:
      return sub({n.b}, {n.a});
    case Op::mul:
      if (is_constant({n.a})) return scale(-constant_value({n.a}), {n.b});
      break;
    case Op::div:
      if (is_constant({n.a})) return div(constant(-constant_value({n.a})), {n.b});
      break;
    default:
      break;
  }
  return intern({Op::neg, 0, a.id, 0, 0});
}

Expr Graph::add(Expr a, Expr b) {
  if (is_constant(a) && is_constant(b)) return fold({Op::add, 0, a.id, b.id, 0});
  if (is_constant(a, 0)) return b;
  if (is_constant(b, 0)) return a;
  if (a == b) return scale(2, a);
  if (node(b).op == Op::neg) return sub(a, {node(b).a});
  if (node(a).op == Op::neg) return sub(b, {node(a).a});
  return intern_commutative({Op::add, 0, a.id, b.id, 0});
}

Expr Graph::sub(Expr a, Expr b) {
  if (is_constant(a) && is_constant(b)) return fold({Op::sub, 0, a.id, b.id, 0});
  if (is_constant(b, 0)) return a;
  if (is_constant(a, 0)) return neg(b);
  if (a == b) return constant(0);
  if (node(b).op == Op::neg) return add(a, {node(b).a});
  if (node(a).op == Op::neg) return neg(add({node(a).a}, b));
  return intern({Op::sub, 0, a.id, b.id, 0});
}

Expr Graph::mul(Expr a, Expr b) {
  if (is_constant(a) && is_constant(b)) return fold({Op::mul, 0, a.id, b.id, 0});
  if (is_constant(a)) return scale(constant_value(a), b);
  if (is_constant(b)) return scale(constant_value(b), a);
  if (a == b) return powi(a, 2);
  if (node(a).op == Op::neg) return neg(mul({node(a).a}, b));
  if (node(b).op == Op::neg) return neg(mul(a, {node(b).a}));
  if (is_scaled(a) && is_scaled(b)) return merge_coefficients(a, b);
  return intern_commutative({Op::mul, 0, a.id, b.id, 0});
}

Expr Graph::div(Expr a, Expr b) {
  if (is_constant(a) && is_constant(b)) return fold({Op::div, 0, a.id, b.id, 0});
  if (is_constant(a, 0)) return a;
  if (node(a).op == Op::neg) return neg(div({node(a).a}, b));
  if (node(b).op == Op::neg) return neg(div(a, {node(b).a}));
  if (is_constant(b)) return divide_by_constant(a, constant_value(b));
  const Node numerator = node(a), denominator = node(b);
  const bool coefficients_meet = numerator.op == Op::mul && is_constant({numerator.a}) &&
                                 denominator.op == Op::mul && is_constant({denominator.a});
  if (coefficients_meet) {
    const double factor =
        exact_quotient(constant_value({numerator.a}), constant_value({denominator.a}));
    if (!std::isnan(factor)) return div(scale(factor, {numerator.b}), {denominator.b});
  }
  return intern({Op::div, 0, a.id, b.id, 0});
}

Expr Graph::divide_by_constant(Expr a, double divisor) {
  if (is_power_of_two(divisor)) return scale(1 / divisor, a);
  if (divisor < 0) return neg(divide_by_constant(a, -divisor));
  const Node n = node(a);
  if (n.op == Op::mul && is_constant({n.a})) {
    const double coefficient = constant_value({n.a});
    const double factor = exact_quotient(coefficient, divisor);
    if (!std::isnan(factor)) return scale(factor, {n.b});
    const double rest = exact_quotient(divisor, coefficient);
    if (!std::isnan(rest)) return div({n.b}, constant(rest));
  }
  if (n.op == Op::div && is_constant({n.b}) && std::isnormal(divisor * constant_value({n.b}))) {
    return div({n.a}, constant(divisor * constant_value({n.b})));
  }
  return intern({Op::div, 0, a.id, constant(divisor).id, 0});
}

Expr Graph::powi(Expr a, int exponent) {
  if (exponent == 0) return constant(1);
  if (exponent == 1) return a;
  if (!fits_exponent(exponent)) return intern({Op::pow, 0, a.id, constant(exponent).id, 0});
  const Node raised{Op::powi, static_cast<std::uint16_t>(exponent), a.id, 0, 0};
  const Node n = node(a);
  if (n.op == Op::constant) return fold(raised);
  if (n.op == Op::neg)
    return exponent % 2 == 0 ? powi({n.a}, exponent) : neg(powi({n.a}, exponent));
  if (n.op == Op::powi && exponent > 0) {
    const int inner = static_cast<std::int16_t>(n.aux);
    if (inner > 0 && fits_exponent(double{1} * inner * exponent))
      return powi({n.a}, inner * exponent);
  }
  return intern(raised);
}

Expr Graph::pow(Expr a, Expr b) {
  if (is_constant(b)) {
    const double exponent = constant_value(b);
    if (fits_exponent(exponent)) return powi(a, static_cast<int>(exponent));
    if (exponent == 0.5) return unary(Op::sqrt, a);
  }
  if (is_constant(a) && is_constant(b)) return fold({Op::pow, 0, a.id, b.id, 0});
  if (is_constant(a, 1)) return a;
  return intern({Op::pow, 0, a.id, b.id, 0});
}

// ---- the others

Expr Graph::unary(Op op, Expr a) {
  if (arity(op) != 1 || op >= Op::powi)
    throw std::invalid_argument("not an operation of one operand alone");
  if (op == Op::neg) return neg(a);
  const Node n = node(a);
  if (n.op == Op::constant) return fold({op, 0, a.id, 0, 0});
  if (op == Op::abs && n.op == Op::neg) return unary(Op::abs, {n.a});
  if (op == n.op && (op == Op::abs || op == Op::floor || op == Op::sign)) return a;
  return intern({op, 0, a.id, 0, 0});
}

Expr Graph::binary(Op op, Expr a, Expr b) {
  switch (op) {
    case Op::add:
      return add(a, b);
    case Op::sub:
      return sub(a, b);
    case Op::mul:
      return mul(a, b);
    case Op::div:
      return div(a, b);
    case Op::pow:
      return pow(a, b);
    default:
      break;
  }
  if (arity(op) != 2) throw std::invalid_argument("not an operation of two operands");
  const Node n{op, 0, a.id, b.id, 0};
  if (is_constant(a) && is_constant(b)) return fold(n);
  switch (op) {
    case Op::min:
    case Op::max:
      return a == b ? a : intern_commutative(n);
    case Op::less:
      return a == b ? constant(0) : intern(n);
    case Op::less_equal:
      return a == b ? constant(1) : intern(n);
    case Op::logical_and:
    case Op::logical_or:
      return logical(n);
    default:
      return intern(n);
  }
}

/// and, or: a constant operand decides, or leaves the other one.
Expr Graph::logical(const Node& n) {
  const Expr a{n.a}, b{n.b};
  if (a == b && facts(node(a).op).truth) return a;
  if (!is_constant(a) && !is_constant(b)) return intern_commutative(n);
  const bool known = constant_value(is_constant(a) ? a : b) != 0;
  const Expr open = is_constant(a) ? b : a;
  const bool decides = known == (n.op == Op::logical_or);
  if (decides) return constant(known ? 1 : 0);
  return facts(node(open).op).truth ? open : intern_commutative(n);
}

Expr Graph::select(Expr condition, Expr when_true, Expr when_false) {
  if (is_constant(condition)) return is_constant(condition, 0) ? when_false : when_true;
  if (when_true == when_false) return when_true;
  return intern({Op::select, 0, condition.id, when_true.id, when_false.id});
}

Expr Graph::rest_to_rest(Expr s, int smoothness, int derivative) {
  if (smoothness < 0 || smoothness > max_smoothness) {
    throw std::invalid_argument("the smoothness of rest_to_rest must lie between 0 and " +
                                std::to_string(max_smoothness));
  }
  if (derivative < 0) throw std::invalid_argument("a derivative's order must not be negative");
  if (derivative > 2 * smoothness + 1) return constant(0);
  const Node n{Op::rest_to_rest, static_cast<std::uint16_t>(smoothness), s.id,
               static_cast<std::uint32_t>(derivative), 0};
  return is_constant(s) ? fold(n) : intern(n);
}

Expr Graph::spline(std::uint16_t index, Expr x, int derivative) {
  if (index >= spline_count()) throw std::invalid_argument("the graph has no such spline");
  if (derivative < 0) throw std::invalid_argument("a derivative's order must not be negative");
  if (derivative > spline(index).degree) return constant(0);
  const Node n{Op::spline, index, x.id, static_cast<std::uint32_t>(derivative), 0};
  return is_constant(x) ? fold(n) : intern(n);
}

Expr Graph::rebuild(const Node& prototype, Expr a, Expr b, Expr c) {
  switch (prototype.op) {
    case Op::constant:
    case Op::leaf:
      return intern(prototype);
    case Op::powi:
      return powi(a, static_cast<std::int16_t>(prototype.aux));
    case Op::rest_to_rest:
      return rest_to_rest(a, prototype.aux, static_cast<int>(prototype.b));
    case Op::spline:
      return spline(prototype.aux, a, static_cast<int>(prototype.b));
    case Op::select:
      return select(a, b, c);
    default:
      return arity(prototype.op) == 1 ? unary(prototype.op, a) : binary(prototype.op, a, b);
  }
}

}  // namespace daedal::expr
