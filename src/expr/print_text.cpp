// Expressions in the model language. A sum or product to the right of another needs no brackets: a
// + (b + c) is written a + b + c, the same up to rounding. What the language has no word for
// (derivatives of rest_to_rest with respect to its argument, numbered splines) is written as a
// further argument.
#include "daedal/expr/print.hpp"
#include "phrase.hpp"

#include <fmt/format.h>

#include <numbers>

namespace daedal::expr {
namespace {

Phrase number(double value) {
  if (std::isnan(value)) return Phrase{Binding::product, {}}.text("0/0");
  if (std::isinf(value)) return Phrase{Binding::product, {}}.text(value < 0 ? "-1/0" : "1/0");
  if (value == std::numbers::pi) return Phrase{Binding::atom, {}}.text("pi");
  return Phrase{std::signbit(value) ? Binding::sign : Binding::atom, {}}.text(
      fmt::format("{}", value));
}

std::string_view function_name(Op op) {
  switch (op) {
    case Op::sqrt:
      return "sqrt";
    case Op::exp:
      return "exp";
    case Op::log:
      return "log";
    case Op::sin:
      return "sin";
    case Op::cos:
      return "cos";
    case Op::tan:
      return "tan";
    case Op::asin:
      return "asin";
    case Op::acos:
      return "acos";
    case Op::atan:
      return "atan";
    case Op::sinh:
      return "sinh";
    case Op::cosh:
      return "cosh";
    case Op::tanh:
      return "tanh";
    case Op::abs:
      return "abs";
    case Op::sign:
      return "sign";
    case Op::floor:
      return "floor";
    case Op::atan2:
      return "atan2";
    case Op::min:
      return "min";
    case Op::max:
      return "max";
    case Op::mod:
      return "mod";
    default:
      return {};
  }
}

class TextDialect {
 public:
  TextDialect(const Graph& graph, const LeafName& name) : graph_(graph), name_(name) {}

  Phrase operator()(Expr e, bool opposite) const {
    const Node& node = graph_.node(e);
    const Expr a{node.a}, b{node.b}, c{node.c};
    switch (node.op) {
      case Op::constant:
        return number(opposite ? -graph_.constant_value(e) : graph_.constant_value(e));
      case Op::leaf:
        return Phrase{}.text(name_(graph_.leaf_of(e)));
      case Op::neg:
        return negation(a);
      case Op::powi:
        return power(node);
      case Op::pow:
        return Phrase{Binding::power, {}}
            .operand(a, Binding::atom)
            .text("^")
            .operand(b, Binding::sign);
      case Op::rest_to_rest:
        return with_order(fmt::format("smoothness = {}", node.aux), "rest_to_rest", node);
      case Op::spline:
        return with_order(fmt::format("table = {}", node.aux), "spline", node);
      case Op::add:
        return sum(a, is_negative(graph_, b) ? " - " : " + ", b, Binding::sum);
      case Op::sub:
        return sum(a, is_negative(graph_, b) ? " + " : " - ", b, Binding::product);
      case Op::mul:
        return product(a, b, opposite);
      case Op::div:
        return Phrase{Binding::product, {}}
            .operand(a, Binding::product, opposite)
            .text("/")
            .operand(b, Binding::sign);
      case Op::less:
        return infix(Binding::comparison, a, " < ", b, Binding::sum);
      case Op::less_equal:
        return infix(Binding::comparison, a, " <= ", b, Binding::sum);
      case Op::logical_and:
        return infix(Binding::conjunction, a, " and ", b, Binding::conjunction);
      case Op::logical_or:
        return infix(Binding::disjunction, a, " or ", b, Binding::disjunction);
      case Op::logical_not:
        return Phrase{Binding::negation, {}}.text("not ").operand(a, Binding::negation);
      case Op::select:
        return Phrase{Binding::choice, {}}
            .text("if ")
            .operand(a)
            .text(" then ")
            .operand(b)
            .text(" else ")
            .operand(c);
      default:
        return call(node);
    }
  }

 private:
  static Phrase infix(Binding binding, Expr a, std::string_view op, Expr b, Binding operands) {
    return Phrase{binding, {}}.operand(a, operands).text(op).operand(b, operands);
  }

  Phrase negation(Expr a) const {
    const Op inner = graph_.node(a).op;
    const bool product = inner == Op::mul || inner == Op::div;
    return Phrase{product ? Binding::product : Binding::sign, {}}.text("-").operand(
        a, Binding::product);
  }

  // The right operand's own minus, if it has one, is already in `op`.
  Phrase sum(Expr a, std::string_view op, Expr b, Binding right) const {
    return Phrase{Binding::sum, {}}
        .operand(a, Binding::sum)
        .text(op)
        .operand(b, right, is_negative(graph_, b));
  }

  Phrase product(Expr a, Expr b, bool opposite) const {
    Phrase phrase{Binding::product, {}};
    const double coefficient = graph_.is_constant(a) ? graph_.constant_value(a) : 1;
    if (const int divisor = reciprocal(coefficient)) {
      if (coefficient < 0 && !opposite) phrase.text("-");
      return phrase.operand(b, Binding::product).text(fmt::format("/{}", divisor));
    }
    const Binding right = is_negative(graph_, b) ? Binding::sign : Binding::product;
    return phrase.operand(a, Binding::product, opposite).text("*").operand(b, right);
  }

  static Phrase power(const Node& node) {
    const int exponent = static_cast<std::int16_t>(node.aux);
    return Phrase{Binding::power, {}}
        .operand({node.a}, Binding::atom)
        .text(fmt::format("^{}", exponent));
  }

  static Phrase with_order(std::string_view option, std::string_view function, const Node& node) {
    Phrase phrase;
    phrase.text(function).text("(").operand({node.a}).text(", ").text(option);
    if (node.b > 0) phrase.text(fmt::format(", derivative = {}", node.b));
    return phrase.text(")");
  }

  static Phrase call(const Node& node) {
    Phrase phrase;
    phrase.text(function_name(node.op)).text("(").operand({node.a});
    if (arity(node.op) > 1) phrase.text(", ").operand({node.b});
    return phrase.text(")");
  }

  const Graph& graph_;
  const LeafName& name_;
};

}  // namespace

std::string to_text(const Graph& graph, Expr e, const LeafName& name, std::size_t limit) {
  return write(e, TextDialect(graph, name), {"(", ")"}, limit);
}

}  // namespace daedal::expr
