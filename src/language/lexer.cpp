#include "daedal/language/lexer.hpp"

#include "daedal/base/utf8.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace daedal::model {
namespace {

// A statement of a million words is a mistake (an unclosed bracket in a large file), and would take
// much memory.
constexpr std::size_t max_tokens = 1u << 20;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool starts_word(const CodePoint& c) {
  const char32_t v = c.value;
  if (v < 0x80) return c.valid && ((v >= 'a' && v <= 'z') || (v >= 'A' && v <= 'Z') || v == '_');
  return is_letter(c);
}

bool continues_word(const CodePoint& c) {
  return starts_word(c) || (c.value >= '0' && c.value <= '9');
}

bool is_opening(TokenKind kind) {
  return kind == TokenKind::open_paren || kind == TokenKind::open_bracket;
}
bool is_closing(TokenKind kind) {
  return kind == TokenKind::close_paren || kind == TokenKind::close_bracket;
}

// A line that ends in one of these continues.
bool wants_more(TokenKind kind) {
  switch (kind) {
    case TokenKind::plus:
    case TokenKind::minus:
    case TokenKind::star:
    case TokenKind::slash:
    case TokenKind::caret:
    case TokenKind::dot:
    case TokenKind::dots:
    case TokenKind::comma:
    case TokenKind::colon:
    case TokenKind::assign:
    case TokenKind::arrow:
    case TokenKind::less:
    case TokenKind::less_equal:
    case TokenKind::greater:
    case TokenKind::greater_equal:
    case TokenKind::equal:
    case TokenKind::not_equal:
    case TokenKind::open_paren:
    case TokenKind::open_bracket:
      return true;
    default:
      return false;
  }
}

}  // namespace

const std::vector<std::string>& statement_keywords() {
  static const std::vector<std::string> keywords = {
      "model",    "import",  "size",       "parameter", "coordinate", "variable",    "input",
      "signal",   "let",     "kinetic",    "potential", "force",      "torque",      "constraint",
      "equation", "servo",   "output",     "drive",     "initial",    "dissipation", "limit",
      "event",    "draw",    "experiment", "part",      "for",        "controller",  "measure",
      "state",    "command", "observe"};
  return keywords;
}

bool is_statement_keyword(std::string_view word) {
  const auto& keywords = statement_keywords();
  return std::find(keywords.begin(), keywords.end(), word) != keywords.end();
}

bool is_operator_word(std::string_view word) {
  static constexpr std::array<std::string_view, 6> words = {"if",  "then", "else",
                                                            "and", "or",   "not"};
  return std::find(words.begin(), words.end(), word) != words.end();
}

struct Lexer::Statement {
  std::vector<Token>& tokens;
  Token last;  // also of what is skipped
  bool last_is_operator = false;
  bool loop = false;      // starts with `for`
  int depth = 0;          // of open brackets
  bool skipping = false;  // after a token that ends all hope for this statement

  bool empty() const { return tokens.empty(); }
  bool goes_on() const { return depth > 0 || wants_more(last.kind) || last_is_operator; }

  void add(const Token& token, std::string_view word) {
    if (token.kind == TokenKind::comment) return add_comment(token);
    if (tokens.empty()) loop = word == "for";
    last = token;
    last_is_operator = token.kind == TokenKind::word && is_operator_word(word);
    if (is_opening(token.kind)) ++depth;
    if (is_closing(token.kind) && depth > 0) --depth;
    if (skipping) return;
    tokens.push_back(token);
    if (depth > max_nesting) give_up(TokenKind::too_deep);
    if (tokens.size() >= max_tokens) give_up(TokenKind::too_long);
  }

  // Whether the statement goes on is decided by what is before the comment.
  void add_comment(const Token& token) {
    if (tokens.empty()) last = token;
    if (!skipping) tokens.push_back(token);
  }

  void give_up(TokenKind why) {
    tokens.back().kind = why;
    skipping = true;
  }
};

Lexer::Lexer(std::shared_ptr<const SourceFile> source)
    : source_(std::move(source)), text_(source_->text()) {}

bool Lexer::next_statement(std::vector<Token>& tokens) {
  tokens.clear();
  Statement statement{tokens, {}};
  bool fresh_line = false;
  for (;;) {
    bool spaced = skip_blanks() || fresh_line;
    if (at_end()) break;
    if (peek() == '\n') {
      if (!statement.empty() && !statement.goes_on()) break;
      advance();
      fresh_line = true;
      continue;
    }
    if (peek() == ';' && statement.depth == 0) {
      advance();
      if (statement.empty()) continue;
      break;
    }
    if (fresh_line && !statement.empty() && opens_statement(statement)) break;
    fresh_line = false;
    Token token = scan(statement.depth > 0);
    token.spaced = spaced;
    statement.add(token, text_.substr(token.offset, token.bytes));
  }
  if (statement.empty()) return false;
  const Token& last = statement.last;
  tokens.push_back(
      {TokenKind::end, true, last.offset + last.bytes, 0, last.line, last.column + last.length, 1});
  return true;
}

void Lexer::advance() {
  if (peek() == '\n') {
    ++at_;
    ++line_;
    column_ = 1;
  } else {
    at_ += decode_utf8(text_, at_).bytes;
    ++column_;
  }
}

// Blanks and a comment, up to the line end; whether there were any.
bool Lexer::skip_blanks() {
  const std::size_t start = at_;
  while (peek() == ' ' || peek() == '\t' || peek() == '\r') advance();
  if (peek() == '#') {
    while (!at_end() && peek() != '\n') advance();
  }
  return at_ != start;
}

// Whether the line that begins here is a statement of its own although the one before it has not
// ended: then that one has lost its operand or closing bracket, and the fault stays there. `size =
// 2` and `initial(x = 1)` inside brackets are arguments, and the line after `for k in 1..N:` is the body.
bool Lexer::opens_statement(const Statement& statement) const {
  const std::size_t end = word_end(at_);
  if (!is_statement_keyword(text_.substr(at_, end - at_))) return false;
  if (statement.last.kind == TokenKind::dot) return false;
  if (statement.loop && statement.last.kind == TokenKind::colon) return false;
  const std::size_t next = text_.find_first_not_of(" \t", end);
  const char follows = next != std::string_view::npos ? text_[next] : '\n';
  const bool argument = statement.depth > 0 && (follows == '=' || follows == '(');
  return !argument;
}

Token Lexer::scan(bool in_brackets) {
  Token token;
  token.offset = static_cast<std::uint32_t>(at_);
  token.line = line_;
  token.column = column_;
  const bool comment = skip_foreign_comment(in_brackets);
  token.kind = comment ? TokenKind::comment : scan_kind();
  token.bytes = static_cast<std::uint32_t>(at_) - token.offset;
  token.length = comment ? (text_[token.offset] == '%' ? 1 : 2) : column_ - token.column;
  return token;
}

// A comment of another language is one fault, whatever is written in it. Inside brackets '%' may be
// a unit.
bool Lexer::skip_foreign_comment(bool in_brackets) {
  const std::string_view next = text_.substr(at_, 2);
  if (next == "/*") {
    const std::size_t close = text_.find("*/", at_ + 2);
    const std::size_t end = close == std::string_view::npos ? text_.size() : close + 2;
    while (at_ < end) advance();
    return true;
  }
  if (next != "//" && (peek() != '%' || in_brackets)) return false;
  while (!at_end() && peek() != '\n') advance();
  return true;
}

TokenKind Lexer::scan_kind() {
  if (is_digit(peek()) || (peek() == '.' && digit_at(1))) return scan_number();
  if (peek() == '"') return scan_text();
  const std::size_t end = word_end(at_);
  if (end == at_) return scan_symbol();
  while (at_ < end) advance();
  return TokenKind::word;
}

// 1, 1.5, .5, 1e-3; in 1..N the number is 1. A number followed by letters, as in 2x, is
// malformed.
TokenKind Lexer::scan_number() {
  const auto digits = [&] {
    while (is_digit(peek())) advance();
  };
  digits();
  if (peek() == '.' && peek(1) != '.') {
    advance();
    digits();
  }
  if (peek() == 'e' || peek() == 'E') {
    const std::size_t sign = peek(1) == '+' || peek(1) == '-' ? 1 : 0;
    if (digit_at(1 + sign)) {
      for (std::size_t i = 0; i < 1 + sign; ++i) advance();
      digits();
    }
  }
  const std::size_t end = word_end(at_);
  if (end == at_) return TokenKind::number;
  while (at_ < end) advance();
  return TokenKind::bad_number;
}

// "...", on one line and without escapes. What may not be shown may not
// occur in it.
TokenKind Lexer::scan_text() {
  bool printable = true;
  for (advance(); !at_end() && peek() != '"'; advance()) {
    const CodePoint c = decode_utf8(text_, at_);
    if (c.value == '\n' || c.value == '\r') return TokenKind::open_text;
    printable = printable && (is_printable(c) || c.value == '\t');
  }
  if (at_end()) return TokenKind::open_text;
  advance();
  return printable ? TokenKind::text : TokenKind::bad_text;
}

TokenKind Lexer::scan_symbol() {
  static constexpr std::array<std::pair<std::string_view, TokenKind>, 7> pairs = {
      {{"->", TokenKind::arrow},
       {"..", TokenKind::dots},
       {"==", TokenKind::equal},
       {"!=", TokenKind::not_equal},
       {"<=", TokenKind::less_equal},
       {">=", TokenKind::greater_equal},
       {"<>", TokenKind::bad_character}}};
  static constexpr std::array<std::pair<char, TokenKind>, 17> singles = {
      {{'+', TokenKind::plus},
       {'-', TokenKind::minus},
       {'*', TokenKind::star},
       {'/', TokenKind::slash},
       {'^', TokenKind::caret},
       {'\'', TokenKind::prime},
       {'.', TokenKind::dot},
       {',', TokenKind::comma},
       {':', TokenKind::colon},
       {';', TokenKind::semicolon},
       {'=', TokenKind::assign},
       {'<', TokenKind::less},
       {'>', TokenKind::greater},
       {'(', TokenKind::open_paren},
       {')', TokenKind::close_paren},
       {'[', TokenKind::open_bracket},
       {']', TokenKind::close_bracket}}};
  for (const auto& [symbol, kind] : pairs) {
    if (text_.substr(at_, 2) == symbol) {
      advance();
      advance();
      return kind;
    }
  }
  const char c = peek();
  advance();
  for (const auto& [symbol, kind] : singles) {
    if (c == symbol) return kind;
  }
  return TokenKind::bad_character;
}

std::size_t Lexer::word_end(std::size_t from) const {
  std::size_t end = from;
  while (end < text_.size()) {
    const CodePoint c = decode_utf8(text_, end);
    if (end == from ? !starts_word(c) : !continues_word(c)) break;
    end += c.bytes;
  }
  return end;
}

bool Lexer::digit_at(std::size_t ahead) const { return is_digit(peek(ahead)); }

}  // namespace daedal::model
