// A reading position in the tokens of one statement, and the faults found there.
#pragma once

#include "daedal/base/diagnostic.hpp"
#include "daedal/language/lexer.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace daedal::model {

/// What ends the parsing of a statement; the parser continues with the next one.
struct SyntaxFault {
  Diagnostic diagnostic;
};

class TokenCursor {
 public:
  /// `tokens` end with an `end` token.
  TokenCursor(std::shared_ptr<const SourceFile> source, const std::vector<Token>& tokens)
      : source_(std::move(source)), tokens_(tokens) {}

  const Token& peek(std::size_t ahead = 0) const;
  bool at(TokenKind kind) const { return peek().kind == kind; }
  /// A bracket that touches what is before it: an index or the arguments of a call.
  bool at_touching(TokenKind kind) const { return at(kind) && !peek().spaced; }
  bool at_word(std::string_view word, std::size_t ahead = 0) const;
  /// A word that may be a name, here or `ahead`.
  bool at_name(std::size_t ahead = 0) const;
  bool at_colon_outside_brackets() const;

  const Token& take();
  bool accept(TokenKind kind);
  bool accept_word(std::string_view word);
  const Token& expect(TokenKind kind, std::string_view what, std::string help = {});
  void expect_word(std::string_view word, std::string help = {});
  /// The closing partner of the bracket `open`.
  void expect_closing(const Token& open);
  const Token& expect_name(std::string_view what);

  std::string_view text(const Token& token) const {
    return source_->text().substr(token.offset, token.bytes);
  }
  std::string name(const Token& token) const { return std::string(text(token)); }
  /// The text for a message, cut where it is very long.
  std::string shown(const Token& token) const;
  /// The text between two tokens.
  std::string_view between(const Token& before, const Token& after) const;

  std::size_t position() const { return position_; }
  Place place(const Token& token) const;
  /// From the token number `from` to the last one taken, as far as they are on one line.
  Place place_since(std::size_t from) const;

  [[noreturn]] void fail(Place place, std::string message, std::string help = {}) const;
  [[noreturn]] void fail(const Token& token, std::string message, std::string help = {}) const;
  /// "expected <what>, found ...", at the next token; a malformed token is reported as such.
  [[noreturn]] void fail_expected(std::string_view what, std::string help = {}) const;
  [[noreturn]] void fail_too_deep(Place place) const;

  /// One level of nesting, for as long as it lives.
  class Level {
   public:
    explicit Level(TokenCursor& tokens);
    ~Level() { --tokens_.level_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    TokenCursor& tokens_;
  };

 private:
  void fail_if_malformed(const Token& token) const;
  [[noreturn]] void fail_character(const Token& token) const;
  /// The first character of a malformed text that may not be shown.
  Token hidden_character_in(const Token& quoted) const;
  std::string found(const Token& token) const;

  std::shared_ptr<const SourceFile> source_;
  const std::vector<Token>& tokens_;
  std::size_t position_ = 0;
  int level_ = 0;
};

}  // namespace daedal::model
