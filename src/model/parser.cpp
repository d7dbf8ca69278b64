// A file: imports, and models with their statements. After a fault, parsing goes on with the next
// statement.
#include "daedal/model/parse.hpp"
#include "model/expression_parser.hpp"
#include "model/lexer.hpp"
#include "model/statement_parser.hpp"
#include "model/token_cursor.hpp"

#include <fmt/format.h>

#include <utility>

namespace daedal::model {

using namespace syntax;

namespace {

constexpr std::size_t max_errors = 20;  // of one file; more help nobody

class FileParser {
 public:
  FileParser(std::shared_ptr<const SourceFile> source, Diagnostics& diagnostics)
      : source_(std::move(source)), diagnostics_(diagnostics) {}

  File parse() {
    file_.source = source_;
    Lexer lexer(source_);
    std::vector<Token> tokens;
    while (lexer.next_statement(tokens)) {
      try {
        statement(tokens);
      } catch (SyntaxFault& fault) {
        report(std::move(fault.diagnostic));
      }
    }
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
      Model header = parser.model_header();
      file_.models.push_back(std::move(header));
    } else {
      std::vector<Statement> statements = parser.parse();
      if (!in_model_) fail_outside(cursor, tokens.front());
      if (file_.models.empty()) return;
      auto& list = file_.models.back().statements;
      for (Statement& s : statements) list.push_back(std::move(s));
    }
  }

  // Once is enough: the missing header is one fault, not one for every line.
  void fail_outside(const TokenCursor& cursor, const Token& first) {
    in_model_ = true;
    cursor.fail(first, "a statement before any 'model' line",
                "start the model with a line such as  model pendulum");
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
    Diagnostic note;
    note.severity = Severity::note;
    note.place.file = source_;
    note.message =
        fmt::format("{} more error{} not shown", hidden_, hidden_ == 1 ? " is" : "s are");
    diagnostics_.add(std::move(note));
  }

  std::shared_ptr<const SourceFile> source_;
  Diagnostics& diagnostics_;
  File file_;
  bool in_model_ = false;
  std::size_t reported_ = 0, hidden_ = 0;
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
                  cursor.at(TokenKind::comma)  ? "one value is asked for; a vector is [a, b]"
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
