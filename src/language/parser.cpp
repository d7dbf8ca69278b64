// A file: imports, and models with their statements. After a fault, parsing continues with the next
// statement.
#include "daedal/language/lexer.hpp"
#include "daedal/language/parse.hpp"
#include "language/expression_parser.hpp"
#include "language/other_languages.hpp"
#include "language/statement_parser.hpp"
#include "language/token_cursor.hpp"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>

namespace daedal::model {

using namespace syntax;

namespace {

constexpr std::size_t max_errors = 20;  // of one file; more do not help

class FileParser {
 public:
  FileParser(std::shared_ptr<const SourceFile> source, Diagnostics& diagnostics)
      : source_(std::move(source)), diagnostics_(diagnostics) {}

  File parse() {
    file_.source = source_;
    Lexer lexer(source_);
    std::vector<Token> tokens;
    while (lexer.next_statement(tokens)) {
      if (skipped(tokens.front())) continue;
      try {
        statement(tokens);
      } catch (SyntaxFault& fault) {
        auto foreign = as_other_language(source_, tokens, fault.diagnostic);
        if (foreign)
          report(std::move(*foreign), tokens.front().column);
        else
          report(std::move(fault.diagnostic));
      }
    }
    report_comments();
    report_hidden();
    return std::move(file_);
  }

 private:
  void statement(const std::vector<Token>& tokens) {
    TokenCursor cursor(source_, tokens);
    StatementParser parser(cursor);
    if (cursor.accept_word("import")) {
      file_.imports.push_back(parser.import());
    } else if (cursor.accept_word("model")) {
      in_model_ = true;  // even if its header is faulty: what follows belongs to it
      controller_ = nullptr;
      Model header = parser.model_header();
      file_.models.push_back(std::move(header));
    } else if (cursor.at_word("controller")) {
      controller(cursor, parser, tokens.front());
    } else {
      if (controller_ == nullptr && is_of_controllers(cursor))
        cursor.fail(tokens.front(), "this statement belongs in a controller",
                    cursor.at_word("state")
                        ? "a state of the mechanism is a  variable x;  a controller starts with a "
                          "line such as  controller tracking every 10 ms"
                        : "start one with a line such as  controller tracking every 10 ms");
      std::vector<Statement> statements = parser.parse();
      if (!in_model_) fail_outside(cursor, tokens.front());
      if (file_.models.empty()) return;
      for (Statement& s : statements) add(std::move(s));
    }
  }

  static bool is_of_controllers(const TokenCursor& cursor) {
    return cursor.at_word("measure") || cursor.at_word("state") || cursor.at_word("command") ||
           cursor.at_word("observe");
  }

  /// A block that goes on to the next controller, experiment or model.
  void controller(TokenCursor& cursor, StatementParser& parser, const Token& first) {
    if (!in_model_) fail_outside(cursor, first);
    const Place place = cursor.place(cursor.take());
    controller_ = std::make_shared<Model>();  // even if its header is faulty
    Controller header = parser.controller_header(controller_);
    if (!file_.models.empty()) file_.models.back().statements.push_back({place, std::move(header)});
  }

  void add(Statement statement) {
    if (std::holds_alternative<Experiment>(statement.node)) controller_ = nullptr;
    if (controller_ == nullptr) {
      file_.models.back().statements.push_back(std::move(statement));
      return;
    }
    const bool belongs = std::visit(
        [](const auto& node) {
          using Node = std::decay_t<decltype(node)>;
          if constexpr (std::is_same_v<Node, Declare>)
            return node.kind == DeclarationKind::parameter ||
                   node.kind == DeclarationKind::variable || node.kind == DeclarationKind::size ||
                   node.kind == DeclarationKind::signal;
          else if constexpr (std::is_same_v<Node, Relation>)
            return node.kind == RelationKind::equation;
          else
            return std::is_same_v<Node, Let> || std::is_same_v<Node, Event> ||
                   std::is_same_v<Node, Output> || std::is_same_v<Node, Initial> ||
                   std::is_same_v<Node, Measure> || std::is_same_v<Node, State> ||
                   std::is_same_v<Node, Command> || std::is_same_v<Node, Observe> ||
                   std::is_same_v<Node, For>;
        },
        statement.node);
    if (!belongs)
      return report({Severity::error,
                     statement.place,
                     "this statement belongs to the mechanism, not to a controller",
                     {},
                     "a controller goes on to the next controller, experiment or model; write "
                     "this before it"});
    controller_->statements.push_back(std::move(statement));
  }

  // Once is enough: the missing header is one fault, not one for every line.
  void fail_outside(const TokenCursor& cursor, const Token& first) {
    in_model_ = true;
    cursor.fail(first, "a statement before any 'model' line",
                "start the model with a line such as  model pendulum");
  }

  /// What belongs to a statement of another language is no fault of its own.
  void report(Foreign foreign, std::uint32_t column) {
    if (foreign.skip == Foreign::Skip::file) skip_beyond_ = 0;
    if (foreign.skip == Foreign::Skip::indented_lines) skip_beyond_ = column;
    if (foreign.comment && comments_++ > 0) return;
    report(std::move(foreign.diagnostic));
  }

  bool skipped(const Token& first) {
    if (skip_beyond_ && first.column > *skip_beyond_) return true;
    skip_beyond_.reset();
    return false;
  }

  void report_comments() {
    if (comments_ < 2) return;
    note(comments_ == 2 ? "1 more comment does not start with '#'"
                        : fmt::format("{} more comments do not start with '#'", comments_ - 1));
  }

  void report(Diagnostic diagnostic) {
    in_model_ = true;  // a misspelt 'model' line
    if (reported_ < max_errors) {
      ++reported_;
      diagnostics_.add(std::move(diagnostic));
    } else {
      ++hidden_;
    }
  }

  void report_hidden() {
    if (hidden_ == 0) return;
    note(fmt::format("{} more error{} not shown", hidden_, hidden_ == 1 ? " is" : "s are"));
  }

  void note(std::string message) {
    Diagnostic note;
    note.severity = Severity::note;
    note.place.file = source_;
    note.message = std::move(message);
    diagnostics_.add(std::move(note));
  }

  std::shared_ptr<const SourceFile> source_;
  Diagnostics& diagnostics_;
  File file_;
  std::shared_ptr<Model> controller_;  // to which statements belong; null: to the model
  bool in_model_ = false;
  std::size_t reported_ = 0, hidden_ = 0, comments_ = 0;
  std::optional<std::uint32_t> skip_beyond_;  // column of a statement whose block is skipped
};

}  // namespace

File parse(std::shared_ptr<const SourceFile> source, Diagnostics& diagnostics) {
  return FileParser(std::move(source), diagnostics).parse();
}

ExpressionPtr parse_expression(const std::shared_ptr<const SourceFile>& source,
                               Diagnostics& diagnostics) {
  Lexer lexer(source);
  std::vector<Token> tokens;
  if (!lexer.next_statement(tokens)) {
    diagnostics.error({source, 1, 1, 1}, "the expression is empty");
    return nullptr;
  }
  try {
    TokenCursor cursor(source, tokens);
    ExpressionPtr expression = ExpressionParser(cursor).expression();
    cursor.expect(TokenKind::end, "an operator or the end of the expression",
                  cursor.at(TokenKind::comma)  ? "one value is expected; a vector is [a, b]"
                  : cursor.at(TokenKind::word) ? "a product needs its '*', a value takes no unit"
                                               : "");
    if (lexer.next_statement(tokens))
      TokenCursor(source, tokens).fail_expected("a single expression");
    return expression;
  } catch (SyntaxFault& fault) {
    diagnostics.add(std::move(fault.diagnostic));
    return nullptr;
  }
}

}  // namespace daedal::model
