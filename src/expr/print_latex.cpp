// Expressions as LaTeX (amsmath): fractions, roots, dots, cases.
#include "daedal/expr/print.hpp"
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

std::string_view latex_function(Op op) {
  switch (op) {
    case Op::log:
      return "\\ln";
    case Op::sin:
      return "\\sin";
    case Op::cos:
      return "\\cos";
    case Op::tan:
      return "\\tan";
    case Op::asin:
      return "\\arcsin";
    case Op::acos:
      return "\\arccos";
    case Op::atan:
      return "\\arctan";
    case Op::sinh:
      return "\\sinh";
    case Op::cosh:
      return "\\cosh";
    case Op::tanh:
      return "\\tanh";
    case Op::sign:
      return "\\operatorname{sgn}";
    case Op::atan2:
      return "\\operatorname{atan2}";
    case Op::min:
      return "\\min";
    case Op::max:
      return "\\max";
    case Op::mod:
      return "\\operatorname{mod}";
    default:
      return {};
  }
}

// sin^2(x) is read as sin(x)^2 for these.
bool takes_exponent(Op op) {
  return op == Op::sin || op == Op::cos || op == Op::tan || op == Op::sinh || op == Op::cosh ||
         op == Op::tanh;
}

class LatexDialect {
 public:
  LatexDialect(const Graph& graph, const LeafName& name) : graph_(graph), name_(name) {}

  Phrase operator()(Expr e, bool opposite) const {
    const Node& node = graph_.node(e);
    const Expr a{node.a}, b{node.b}, c{node.c};
    switch (node.op) {
      case Op::constant:
        return latex_number(opposite ? -graph_.constant_value(e) : graph_.constant_value(e));
      case Op::leaf:
        return leaf(graph_.leaf_of(e));
      case Op::neg:
        return Phrase{Binding::sign, {}}.text("-").operand(a, Binding::product);
      case Op::sqrt:
        return Phrase{}.text("\\sqrt{").operand(a).text("}");
      case Op::exp:
        return Phrase{Binding::power, {}}.text("e^{").operand(a).text("}");
      case Op::abs:
        return Phrase{}.text("\\left|").operand(a).text("\\right|");
      case Op::floor:
        return Phrase{}.text("\\left\\lfloor ").operand(a).text("\\right\\rfloor ");
      case Op::powi:
        return power(node);
      case Op::pow:
        return Phrase{Binding::power, {}}.operand(a, Binding::atom).text("^{").operand(b).text("}");
      case Op::rest_to_rest:
        return numbered("s", node);
      case Op::spline:
        return numbered("p", node);
      case Op::add:
        return sum(a, is_negative(graph_, b) ? " - " : " + ", b, Binding::sum);
      case Op::sub:
        return sum(a, is_negative(graph_, b) ? " + " : " - ", b, Binding::product);
      case Op::mul:
        return product(a, b, opposite);
      case Op::div:
        return fraction(a, b, opposite);
      case Op::less:
        return infix(Binding::comparison, a, " < ", b, Binding::sum);
      case Op::less_equal:
        return infix(Binding::comparison, a, " \\le ", b, Binding::sum);
      case Op::logical_and:
        return infix(Binding::conjunction, a, " \\wedge ", b, Binding::conjunction);
      case Op::logical_or:
        return infix(Binding::disjunction, a, " \\vee ", b, Binding::disjunction);
      case Op::logical_not:
        return Phrase{Binding::negation, {}}.text("\\neg ").operand(a, Binding::atom);
      case Op::select:
        return Phrase{}
            .text("\\begin{cases} ")
            .operand(b)
            .text(" & \\text{if } ")
            .operand(a)
            .text(" \\\\ ")
            .operand(c)
            .text(" & \\text{otherwise} \\end{cases}");
      default:
        return call(node, "");
    }
  }

 private:
  static Phrase infix(Binding binding, Expr a, std::string_view op, Expr b, Binding operands) {
    return Phrase{binding, {}}.operand(a, operands).text(op).operand(b, operands);
  }

  Phrase leaf(Leaf leaf) const {
    const std::string name = latex_name(name_({leaf.symbol, 0}), leaf.order);
    return Phrase{leaf.order > 3 ? Binding::power : Binding::atom, {}}.text(name);
  }

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
    if (takes_exponent(base.op) && static_cast<std::int16_t>(node.aux) > 0)
      return call(base, exponent);
    return Phrase{Binding::power, {}}.operand({node.a}, Binding::atom).text(exponent);
  }

  static Phrase call(const Node& node, std::string_view exponent) {
    Phrase phrase{exponent.empty() ? Binding::atom : Binding::power, {}};
    phrase.text(latex_function(node.op)).text(exponent).text("\\left(").operand({node.a});
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
