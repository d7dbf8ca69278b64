// Formulas: tokens to expression trees, by recursive descent.
//
//   expression     = "if" expression "then" expression "else" expression | disjunction
//   disjunction    = conjunction { "or" conjunction }
//   conjunction    = negation { "and" negation }
//   negation       = "not" negation | comparison
//   comparison     = sum [ ("<" | "<=" | ">" | ">=" | "==" | "!=") sum ]
//   sum            = product { ("+" | "-") product }
//   product        = signed { ("*" | "/") signed }
//   signed         = ("-" | "+") signed | power
//   power          = postfix [ "^" signed ]
//   postfix        = number | primary { "'" | "[" indices "]" | "." name | "." call }
#pragma once

#include "daedal/language/syntax.hpp"
#include "language/token_cursor.hpp"

#include <optional>
#include <vector>

namespace daedal::model {

class ExpressionParser {
 public:
  explicit ExpressionParser(TokenCursor& tokens) : tokens_(tokens) {}

  syntax::ExpressionPtr expression();
  /// q[2]', arm[1].tip: a name and what is attached to it.
  syntax::ExpressionPtr reference(std::string_view what);
  /// name(arguments), nothing else.
  syntax::ExpressionPtr call(std::string_view what);
  /// (a, name = b), from the opening to the closing bracket.
  std::vector<syntax::Argument> arguments();
  /// A formula, or a text in double quotes.
  syntax::ExpressionPtr value();
  /// The entries of [i, j] or [1..3], from the opening to the closing bracket.
  std::vector<syntax::ExpressionPtr> indices();
  /// Whether the bracket ahead is [k in ...].
  bool at_bracketed_binder() const;
  /// A bracket after a blank.
  bool at_unit() const { return tokens_.at(TokenKind::open_bracket) && tokens_.peek().spaced; }
  /// The unit in it; `place` is set to that of the text between the brackets.
  std::string unit(Place& place);
  syntax::ExpressionPtr in_unit(syntax::ExpressionPtr value, std::string unit,
                                const Place& place) const;
  /// k in 1..N
  syntax::Binder binder();
  /// [k in 1..N]
  syntax::Binder bracketed_binder();

 private:
  using Rule = syntax::ExpressionPtr (ExpressionParser::*)();
  using ChainOpAt = std::optional<syntax::ChainOp> (*)(const TokenCursor&);

  syntax::ExpressionPtr inner();  // an expression one level deeper
  syntax::ExpressionPtr conditional();
  syntax::ExpressionPtr chain(Rule operand, ChainOpAt op_at);
  syntax::ExpressionPtr disjunction();
  syntax::ExpressionPtr conjunction();
  syntax::ExpressionPtr negation();
  syntax::ExpressionPtr comparison();
  syntax::ExpressionPtr sum();
  syntax::ExpressionPtr product();
  syntax::ExpressionPtr signed_operand();
  syntax::ExpressionPtr power();
  syntax::ExpressionPtr postfix();
  syntax::ExpressionPtr attachments(syntax::ExpressionPtr base, std::size_t from);
  syntax::ExpressionPtr primary();
  syntax::ExpressionPtr number();
  syntax::ExpressionPtr group();
  syntax::ExpressionPtr matrix();
  syntax::ExpressionPtr name_or_call();
  syntax::ExpressionPtr sum_over();
  syntax::ExpressionPtr index();
  syntax::Argument argument();
  syntax::ExpressionPtr value_in_unit();

  template <class Node>
  syntax::ExpressionPtr make(std::size_t from, Node node) const;

  TokenCursor& tokens_;
};

}  // namespace daedal::model
