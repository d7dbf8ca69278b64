// Writing a graph without recursion. A dialect turns one node into a phrase: pieces of text and
// operands, each with the binding strength it needs; the writer puts brackets where an operand
// binds more weakly, and stops at the limit.
#pragma once

#include "daedal/expr/graph.hpp"

#include <cmath>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace daedal::expr {

/// How strongly an expression holds together, from the grammar of the model language.
enum class Binding {
  choice,
  disjunction,
  conjunction,
  negation,
  comparison,
  sum,
  product,
  sign,
  power,
  atom
};

struct Piece {
  std::string text;  // used when `operand` is false
  bool operand = false;
  Expr e{};
  Binding at_least = Binding::choice;
  bool opposite = false;  // write -e, where e is negative: a + (-2)*x reads a - 2*x
};

struct Phrase {
  Binding binding = Binding::atom;
  std::vector<Piece> pieces;

  Phrase& text(std::string_view words) {
    pieces.push_back({std::string(words)});
    return *this;
  }
  Phrase& operand(Expr e, Binding at_least = Binding::choice, bool opposite = false) {
    pieces.push_back({{}, true, e, at_least, opposite});
    return *this;
  }
};

struct Brackets {
  std::string_view open, close;
};
using Dialect = std::function<Phrase(Expr e, bool opposite)>;

std::string write(Expr root, const Dialect& dialect, const Brackets& brackets, std::size_t limit);

/// a < b, a and b, ...: the operator between its operands.
Phrase infix_phrase(const Node& node, std::string_view op);

/// Whether e is written with a leading minus that a sum can take over: a negative constant or
/// coefficient.
bool is_negative(const Graph& graph, Expr e);

/// a + b or a - b; the right operand's own minus, if it has one, is already in `op`.
Phrase sum_phrase(const Graph& graph, Expr a, std::string_view op, Expr b, Binding right);

/// The whole number d in 2 .. 1024 when value is 1/d or -1/d and d a power of two, else 0: x/2 is
/// stored as 0.5*x.
int reciprocal(double value);

}  // namespace daedal::expr
