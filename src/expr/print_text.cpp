// Expressions in the model language. A sum or product to the right of another needs no brackets: a
// + (b + c) is written a + b + c, the same up to rounding. What the language cannot express
// (derivatives of rest_to_rest with respect to its argument, numbered splines) is written as a
// further argument.
#include "daedal/expr/graph.hpp"
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

class TextDialect {
 public:
  TextDialect(const Graph& graph, const LeafName& name) : graph_(graph), name_(name) {}

  Phrase operator()(Expr e, bool opposite) const {
    const Node& node = graph_.node(e);
    if (node.op == Op::constant)
      return number(opposite ? -graph_.constant_value(e) : graph_.constant_value(e));
    if (node.op == Op::leaf) return Phrase{}.text(name_(graph_.leaf_of(e)));
    return visit(node.op, [&](auto op) {
      using enum Operation::Notation;
      if constexpr (facts(op).notation == call)
        return call_of(node);
      else if constexpr (facts(op).notation == infix)
        return infix_phrase(node, facts(op).text);
      else
        return phrase(op, node, opposite);
    });
  }

 private:
  Phrase phrase(Is<Op::neg>, const Node& n, bool) const { return negation({n.a}); }
  Phrase phrase(Is<Op::powi>, const Node& n, bool) const { return power(n); }
  Phrase phrase(Is<Op::pow>, const Node& n, bool) const {
    return Phrase{Binding::power, {}}
        .operand({n.a}, Binding::atom)
        .text("^")
        .operand({n.b}, Binding::sign);
  }
  Phrase phrase(Is<Op::rest_to_rest>, const Node& n, bool) const {
    return with_order(fmt::format("smoothness = {}", n.aux), "rest_to_rest", n);
  }
  Phrase phrase(Is<Op::spline>, const Node& n, bool) const {
    return with_order(fmt::format("table = {}", n.aux), "spline", n);
  }
  Phrase phrase(Is<Op::add>, const Node& n, bool) const {
    return sum_phrase(graph_, {n.a}, is_negative(graph_, {n.b}) ? " - " : " + ", {n.b},
                      Binding::sum);
  }
  Phrase phrase(Is<Op::sub>, const Node& n, bool) const {
    return sum_phrase(graph_, {n.a}, is_negative(graph_, {n.b}) ? " + " : " - ", {n.b},
                      Binding::product);
  }
  Phrase phrase(Is<Op::mul>, const Node& n, bool opposite) const {
    return product({n.a}, {n.b}, opposite);
  }
  Phrase phrase(Is<Op::div>, const Node& n, bool opposite) const {
    return Phrase{Binding::product, {}}
        .operand({n.a}, Binding::product, opposite)
        .text("/")
        .operand({n.b}, Binding::sign);
  }
  Phrase phrase(Is<Op::logical_not>, const Node& n, bool) const {
    return Phrase{Binding::negation, {}}.text("not ").operand({n.a}, Binding::negation);
  }
  Phrase phrase(Is<Op::select>, const Node& n, bool) const {
    return Phrase{Binding::choice, {}}
        .text("if ")
        .operand({n.a})
        .text(" then ")
        .operand({n.b})
        .text(" else ")
        .operand({n.c});
  }

  Phrase negation(Expr a) const {
    const Op inner = graph_.node(a).op;
    const bool product = inner == Op::mul || inner == Op::div;
    return Phrase{product ? Binding::product : Binding::sign, {}}.text("-").operand(
        a, Binding::product);
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

  static Phrase call_of(const Node& node) {
    Phrase phrase;
    phrase.text(facts(node.op).text).text("(").operand({node.a});
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
