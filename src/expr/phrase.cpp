#include "phrase.hpp"

#include <utility>

namespace daedal::expr {

std::string write(Expr root, const Dialect& dialect, const Brackets& brackets, std::size_t limit) {
  std::string result;
  std::vector<Piece> pending{{{}, true, root, Binding::choice, false}};
  while (!pending.empty()) {
    const Piece piece = std::move(pending.back());
    pending.pop_back();
    if (!piece.operand) {
      if (result.size() + piece.text.size() > limit) return result + "...";
      result += piece.text;
      continue;
    }
    Phrase phrase = dialect(piece.e, piece.opposite);
    const bool bracketed = phrase.binding < piece.at_least;
    if (bracketed) pending.push_back({std::string(brackets.close)});
    for (auto part = phrase.pieces.rbegin(); part != phrase.pieces.rend(); ++part) {
      pending.push_back(std::move(*part));
    }
    if (bracketed) pending.push_back({std::string(brackets.open)});
  }
  return result;
}

Phrase infix_phrase(const Node& node, std::string_view op) {
  const bool conjunction = node.op == Op::logical_and, disjunction = node.op == Op::logical_or;
  const Binding binding = conjunction   ? Binding::conjunction
                          : disjunction ? Binding::disjunction
                                        : Binding::comparison;
  const Binding operands = binding == Binding::comparison ? Binding::sum : binding;
  return Phrase{binding, {}}.operand({node.a}, operands).text(op).operand({node.b}, operands);
}

bool is_negative(const Graph& graph, Expr e) {
  const Node& node = graph.node(e);
  const bool has_coefficient = node.op == Op::mul || node.op == Op::div;
  const Expr number = has_coefficient ? Expr{node.a} : e;
  return graph.is_constant(number) && std::signbit(graph.constant_value(number)) &&
         !std::isnan(graph.constant_value(number));
}

Phrase sum_phrase(const Graph& graph, Expr a, std::string_view op, Expr b, Binding right) {
  return Phrase{Binding::sum, {}}
      .operand(a, Binding::sum)
      .text(op)
      .operand(b, right, is_negative(graph, b));
}

int reciprocal(double value) {
  for (int d = 2; d <= 1024; d *= 2) {
    if (std::fabs(value) * d == 1) return d;
  }
  return 0;
}

}  // namespace daedal::expr
