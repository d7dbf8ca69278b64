// Expressions as LaTeX (amsmath): fractions, roots, dots, cases.
#include "daedal/expr/graph.hpp"
#include "phrase.hpp"

#include <fmt/format.h>

#include <numbers>

namespace daedal::expr {
namespace {

// 1.5e-07 -> 1.5 \cdot 10^{-7}
std::string digits(double value) {
  const std::string plain = fmt::format("{}", value);
  const std::size_t e = plain.find('e');
  if (e == std::string::npos) return plain;
  const std::string mantissa = plain.substr(0, e);
  const std::string power = fmt::format("10^{{{}}}", std::stoi(plain.substr(e + 1)));
  if (mantissa == "1") return power;
  return mantissa == "-1" ? "-" + power : mantissa + " \\cdot " + power;
}

Phrase latex_number(double value) {
  if (std::isnan(value)) return Phrase{}.text("\\mathrm{NaN}");
  if (std::isinf(value))
    return Phrase{value < 0 ? Binding::sign : Binding::atom, {}}.text(value < 0 ? "-\\infty"
                                                                                : "\\infty");
  if (value == std::numbers::pi) return Phrase{}.text("\\pi");
  const std::string text = digits(value);
  const bool scientific = text.find('^') != std::string::npos;
  const Binding binding = std::signbit(value) ? Binding::sign
                          : scientific        ? Binding::product
                                              : Binding::atom;
  return Phrase{binding, {}}.text(text);
}

class LatexDialect {
 public:
  LatexDialect(const Graph& graph, const LeafName& name) : graph_(graph), name_(name) {}

  Phrase operator()(Expr e, bool opposite) const {
    const Node& node = graph_.node(e);
    if (node.op == Op::constant)
      return latex_number(opposite ? -graph_.constant_value(e) : graph_.constant_value(e));
    if (node.op == Op::leaf) return leaf(graph_.leaf_of(e));
    return visit(node.op, [&](auto op) {
      using enum Operation::Notation;
      if constexpr (requires { phrase(op, node, opposite); })
        return phrase(op, node, opposite);
      else if constexpr (facts(op).notation == infix)
        return infix_phrase(node, facts(op).latex);
      else {
        static_assert(facts(op).notation == call && !facts(op).latex.empty());
        return call_of(node, "");
      }
    });
  }

 private:
  Phrase phrase(Is<Op::neg>, const Node& n, bool) const {
    return Phrase{Binding::sign, {}}.text("-").operand({n.a}, Binding::product);
  }
  Phrase phrase(Is<Op::sqrt>, const Node& n, bool) const { return around("\\sqrt{", n, "}"); }
  Phrase phrase(Is<Op::exp>, const Node& n, bool) const {
    return Phrase{Binding::power, {}}.text("e^{").operand({n.a}).text("}");
  }
  Phrase phrase(Is<Op::abs>, const Node& n, bool) const { return around("\\left|", n, "\\right|"); }
  Phrase phrase(Is<Op::floor>, const Node& n, bool) const {
    return around("\\left\\lfloor ", n, "\\right\\rfloor ");
  }
  Phrase phrase(Is<Op::powi>, const Node& n, bool) const { return power(n); }
  Phrase phrase(Is<Op::pow>, const Node& n, bool) const {
    return Phrase{Binding::power, {}}
        .operand({n.a}, Binding::atom)
        .text("^{")
        .operand({n.b})
        .text("}");
  }
  Phrase phrase(Is<Op::rest_to_rest>, const Node& n, bool) const { return numbered("s", n); }
  Phrase phrase(Is<Op::spline>, const Node& n, bool) const { return numbered("p", n); }
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
    return fraction({n.a}, {n.b}, opposite);
  }
  Phrase phrase(Is<Op::logical_not>, const Node& n, bool) const {
    return Phrase{Binding::negation, {}}.text("\\neg ").operand({n.a}, Binding::atom);
  }
  Phrase phrase(Is<Op::select>, const Node& n, bool) const {
    return Phrase{}
        .text("\\begin{cases} ")
        .operand({n.b})
        .text(" & \\text{if } ")
        .operand({n.a})
        .text(" \\\\ ")
        .operand({n.c})
        .text(" & \\text{otherwise} \\end{cases}");
  }

  static Phrase around(std::string_view before, const Node& n, std::string_view after) {
    return Phrase{}.text(before).operand({n.a}).text(after);
  }

  Phrase leaf(Leaf leaf) const {
    const std::string name = latex_name(name_({leaf.symbol, 0}), leaf.order);
    return Phrase{leaf.order > 3 ? Binding::power : Binding::atom, {}}.text(name);
  }

  Phrase product(Expr a, Expr b, bool opposite) const {
    Phrase phrase{Binding::product, {}};
    const double coefficient = graph_.is_constant(a) ? graph_.constant_value(a) : 1;
    if (const int divisor = reciprocal(coefficient)) {
      if (coefficient < 0 && !opposite) phrase.text("-");
      return phrase.text("\\frac{").operand(b).text(fmt::format("}}{{{}}}", divisor));
    }
    const Binding right = is_negative(graph_, b) ? Binding::sign : Binding::product;
    const std::string_view times = starts_with_digit(b) ? " \\cdot " : "\\,";
    return phrase.operand(a, Binding::product, opposite).text(times).operand(b, right);
  }

  Phrase fraction(Expr a, Expr b, bool opposite) const {
    const bool negative = is_negative(graph_, a);
    Phrase phrase{Binding::product, {}};
    if (negative && !opposite) phrase.text("-");
    return phrase.text("\\frac{")
        .operand(a, Binding::choice, negative || opposite)
        .text("}{")
        .operand(b)
        .text("}");
  }

  bool starts_with_digit(Expr e) const {
    while (graph_.node(e).op == Op::mul || graph_.node(e).op == Op::pow) e = {graph_.node(e).a};
    return graph_.is_constant(e);
  }

  Phrase power(const Node& node) const {
    const std::string exponent = fmt::format("^{{{}}}", static_cast<std::int16_t>(node.aux));
    const Node& base = graph_.node({node.a});
    if (facts(base.op).latex_exponent && static_cast<std::int16_t>(node.aux) > 0)
      return call_of(base, exponent);
    return Phrase{Binding::power, {}}.operand({node.a}, Binding::atom).text(exponent);
  }

  static Phrase call_of(const Node& node, std::string_view exponent) {
    Phrase phrase{exponent.empty() ? Binding::atom : Binding::power, {}};
    phrase.text(facts(node.op).latex).text(exponent).text("\\left(").operand({node.a});
    if (arity(node.op) > 1) phrase.text(", ").operand({node.b});
    return phrase.text("\\right)");
  }

  static Phrase numbered(std::string_view letter, const Node& node) {
    const std::string order = node.b > 0 ? fmt::format("^{{({})}}", node.b) : std::string();
    return Phrase{}
        .text(fmt::format("{}_{{{}}}{}\\left(", letter, node.aux, order))
        .operand({node.a})
        .text("\\right)");
  }

  const Graph& graph_;
  const LeafName& name_;
};

}  // namespace

std::string to_latex(const Graph& graph, Expr e, const LeafName& name, std::size_t limit) {
  return write(e, LatexDialect(graph, name), {"\\left(", "\\right)"}, limit);
}

}  // namespace daedal::expr
