// Text to tokens, one statement at a time.
//
// Where a statement ends is a question of tokens, not of grammar: at a line end or ';' outside
// brackets, unless the line ends in an operator, comma or open bracket. So a fault inside a
// statement never hides the next one. The lexer reports nothing itself: a malformed token is a
// token of its own kind, and the parser says so if it meets one (the bracket of a unit, say, may
// hold characters that no formula may).
#pragma once

#include "daedal/base/diagnostic.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace daedal::model {

enum class TokenKind : std::uint8_t {
  word,
  number,
  text,
  plus,
  minus,
  star,
  slash,
  caret,
  prime,
  dot,
  dots,
  comma,
  colon,
  semicolon,
  assign,
  arrow,
  less,
  less_equal,
  greater,
  greater_equal,
  equal,
  not_equal,
  open_paren,
  close_paren,
  open_bracket,
  close_bracket,
  end,  // of the statement
  // malformed
  comment,  // of another language: //, /* */, %
  bad_character,
  bad_number,
  bad_text,   // holds a character that may not be shown
  open_text,  // without its closing quote
  too_deep,
  too_long,
};

struct Token {
  TokenKind kind = TokenKind::end;
  bool spaced = false;  // blank or line end before it: a unit bracket, not an index bracket
  std::uint32_t offset = 0, bytes = 0;             // in the text
  std::uint32_t line = 0, column = 0, length = 0;  // as in Place
};

/// Brackets, signs, powers and loops nest at most this deep, so that walks over the tree may
/// recurse.
inline constexpr int max_nesting = 200;

/// Keywords that start a statement; they cannot be names.
const std::vector<std::string>& statement_keywords();
bool is_statement_keyword(std::string_view word);
/// if, then, else, and, or, not: operators spelled as words.
bool is_operator_word(std::string_view word);

class Lexer {
 public:
  explicit Lexer(std::shared_ptr<const SourceFile> source);

  /// The tokens of the next statement followed by an `end`; false when there is no further
  /// statement.
  bool next_statement(std::vector<Token>& tokens);

 private:
  struct Statement;  // the one being read

  bool at_end() const { return at_ >= text_.size(); }
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  void advance();
  bool skip_blanks();
  bool opens_statement(const Statement& statement) const;
  Token scan(bool in_brackets);
  TokenKind scan_kind();
  TokenKind scan_number();
  TokenKind scan_text();
  TokenKind scan_symbol();
  bool skip_foreign_comment(bool in_brackets);
  std::size_t word_end(std::size_t from) const;
  bool digit_at(std::size_t ahead) const;

  std::shared_ptr<const SourceFile> source_;
  std::string_view text_;
  std::size_t at_ = 0;
  std::uint32_t line_ = 1, column_ = 1;
};

}  // namespace daedal::model
