// Statements: one rule for each word that starts one. What every statement looks like is in
// docs/language/grammar.md.
#pragma once

#include "daedal/language/syntax.hpp"
#include "language/expression_parser.hpp"
#include "language/token_cursor.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace daedal::model {

class StatementParser {
 public:
  explicit StatementParser(TokenCursor& tokens) : tokens_(tokens), formula_(tokens) {}

  /// The statement at the cursor, to its end. A list such as `force a on x, b on y` is one
  /// statement for each entry.
  std::vector<syntax::Statement> parse();
  /// The header of a model: what follows the word `model`.
  syntax::Model model_header();
  /// The header of a controller: what follows the word `controller`. The block is to be filled.
  syntax::Controller controller_header(std::shared_ptr<syntax::Model> block);
  /// What follows the word `import`.
  syntax::Import import();

 private:
  struct Rule;
  static const Rule* rule_for(std::string_view keyword);

  void statement(bool inside_loop);
  [[noreturn]] void fail_unknown_statement() const;

  void size();
  void parameter();
  void coordinate();
  void variable();
  void input();
  void signal();
  void declare(syntax::DeclarationKind kind);
  syntax::Declaration declaration();
  void let();
  syntax::Let definition();
  std::vector<std::string> function_parameters();
  syntax::ExpressionPtr entry_index(const std::string& name);
  void kinetic();
  void potential();
  void dissipation();
  void energy(syntax::EnergyKind kind);
  void force();
  void torque();
  void constraint();
  void equation();
  void servo();
  void relation(syntax::RelationKind kind);
  void relation_header(syntax::Relation& relation);
  void accept_nonlinear(syntax::Relation& relation);
  void output();
  void drive();
  void initial();
  void limit();
  void event();
  syntax::EventAction::Kind action_kind(std::optional<syntax::EventAction::Kind> before);
  syntax::EventAction action(syntax::EventAction::Kind kind, std::size_t from);
  void draw();
  syntax::DrawItem draw_item();
  void experiment();
  void part();
  void loop();

  // controller_statements.cpp
  void measure();
  void state();
  void command();
  void observe();

  std::string doc();  // "text" or nothing
  bool at_unit() const { return formula_.at_unit(); }
  std::string unit(Place& place) { return formula_.unit(place); }
  [[noreturn]] void fail_twice(std::string_view what) const;
  bool next_item() { return tokens_.accept(TokenKind::comma); }
  void expect_end();

  template <class Node>
  void emit(Node node) {
    statements_.push_back({place_, std::move(node)});
  }

  TokenCursor& tokens_;
  ExpressionParser formula_;
  Place place_;  // of the word that started the statement
  std::vector<syntax::Statement> statements_;
};

}  // namespace daedal::model
