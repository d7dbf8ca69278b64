#include "language/token_cursor.hpp"

#include "daedal/base/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace daedal::model {
namespace {

// What people write who come from other languages, or paste from a document.
std::string help_for_character(std::string_view text) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 16> helps = {{
      {"%", "comments start with '#'"},
      {"\\", "comments start with '#', and a line goes on when it ends in an operator or comma"},
      {"{", "group with round brackets"},
      {"}", "group with round brackets"},
      {"&", "write 'and'"},
      {"|", "write 'or'; the absolute value is abs(x)"},
      {"!", "write 'not'; unequal is '!='"},
      {"<>", "unequal is '!='"},
      {"\xE2\x88\x92", "use the plain minus sign '-'"},           // U+2212
      {"\xE2\x80\x93", "use the plain minus sign '-'"},           // en dash
      {"\xC2\xB7", "write '*'"},                                  // middle dot
      {"\xC3\x97", "write '*'"},                                  // multiplication sign
      {"\xC2\xB2", "write '^2'"},                                 // superscript two
      {"\xE2\x80\x99", "use the plain quote ' for derivatives"},  // right single quotation mark
      {"\xE2\x80\xB2", "use the plain quote ' for derivatives"},  // prime
      {"\xE2\x80\x9C", "use plain double quotes"},                // left double quotation mark
  }};
  const auto it =
      std::find_if(helps.begin(), helps.end(), [&](const auto& h) { return h.first == text; });
  return it == helps.end() ? std::string() : std::string(it->second);
}

std::string quoted_character(const CodePoint& c, std::string_view text) {
  if (is_printable(c)) return fmt::format("'{}'", text);
  if (!c.valid || c.value < 0x80) return fmt::format("'\\x{:02x}'", static_cast<unsigned>(c.value));
  return fmt::format("'\\u{{{:x}}}'", static_cast<unsigned>(c.value));
}

}  // namespace

const Token& TokenCursor::peek(std::size_t ahead) const {
  return tokens_[std::min(position_ + ahead, tokens_.size() - 1)];
}

bool TokenCursor::at_word(std::string_view word, std::size_t ahead) const {
  const Token& token = peek(ahead);
  return token.kind == TokenKind::word && text(token) == word;
}

bool TokenCursor::at_name(std::size_t ahead) const {
  const Token& token = peek(ahead);
  return token.kind == TokenKind::word && !is_statement_keyword(text(token)) &&
         !is_operator_word(text(token));
}

bool TokenCursor::at_colon_outside_brackets() const {
  int depth = 0;
  for (std::size_t i = position_; i < tokens_.size(); ++i) {
    switch (tokens_[i].kind) {
      case TokenKind::open_paren:
      case TokenKind::open_bracket:
        ++depth;
        break;
      case TokenKind::close_paren:
      case TokenKind::close_bracket:
        --depth;
        break;
      case TokenKind::colon:
        if (depth == 0) return true;
        break;
      default:
        break;
    }
  }
  return false;
}

const Token& TokenCursor::take() {
  const Token& token = peek();
  if (token.kind != TokenKind::end) ++position_;
  return token;
}

bool TokenCursor::accept(TokenKind kind) {
  if (!at(kind)) return false;
  take();
  return true;
}

bool TokenCursor::accept_word(std::string_view word) {
  if (!at_word(word)) return false;
  take();
  return true;
}

const Token& TokenCursor::expect(TokenKind kind, std::string_view what, std::string help) {
  if (!at(kind)) fail_expected(what, std::move(help));
  return take();
}

void TokenCursor::expect_word(std::string_view word, std::string help) {
  if (!accept_word(word)) fail_expected(fmt::format("'{}'", word), std::move(help));
}

void TokenCursor::expect_closing(const Token& open) {
  const bool round = open.kind == TokenKind::open_paren;
  if (accept(round ? TokenKind::close_paren : TokenKind::close_bracket)) return;
  const std::string what = fmt::format("'{}'", round ? ')' : ']');
  if (at(TokenKind::end)) {
    fail(open, fmt::format("'{}' is never closed", text(open)),
         fmt::format("{} was expected before the statement ends", what));
  }
  fail_expected(at(TokenKind::word) || at(TokenKind::number) ? "an operator, ',' or " + what
                                                             : "',' or " + what);
}

const Token& TokenCursor::expect_name(std::string_view what) {
  if (at_name()) return take();
  if (at(TokenKind::word)) {
    const std::string_view word = text(peek());
    fail(peek(), fmt::format("'{}' cannot be a name: it is a word of the language", word),
         fmt::format("choose another name, such as '{}_'", word));
  }
  fail_expected(what, at(TokenKind::number) ? "decimals follow a point, not a comma: 0.5" : "");
}

std::string_view TokenCursor::between(const Token& before, const Token& after) const {
  const std::size_t start = before.offset + before.bytes;
  return source_->text().substr(start, after.offset - start);
}

Place TokenCursor::place(const Token& token) const {
  return {source_, token.line, token.column, token.length};
}

Place TokenCursor::place_since(std::size_t from) const {
  const Token& first = tokens_[from];
  const Token* last = &tokens_[std::max(from, position_ - std::min<std::size_t>(position_, 1))];
  if (last->line != first.line) {
    std::size_t i = from;
    while (tokens_[i + 1].line == first.line) ++i;
    last = &tokens_[i];
  }
  return {source_, first.line, first.column, last->column + last->length - first.column};
}

void TokenCursor::fail(Place where, std::string message, std::string help) const {
  throw SyntaxFault{{Severity::error, std::move(where), std::move(message), {}, std::move(help)}};
}

void TokenCursor::fail(const Token& token, std::string message, std::string help) const {
  fail(place(token), std::move(message), std::move(help));
}

void TokenCursor::fail_expected(std::string_view what, std::string help) const {
  fail_if_malformed(peek());
  fail(peek(), fmt::format("expected {}, found {}", what, found(peek())), std::move(help));
}

void TokenCursor::fail_too_deep(Place where) const {
  fail(std::move(where), fmt::format("nested deeper than {} levels", max_nesting),
       "name the inner parts with 'let'");
}

void TokenCursor::fail_if_malformed(const Token& token) const {
  switch (token.kind) {
    case TokenKind::bad_character:
      fail_character(token);
    case TokenKind::comment:
      fail(token, fmt::format("'{}' starts no comment", text(token).substr(0, token.length)),
           "comments start with '#'");
    case TokenKind::bad_text:
      fail_character(hidden_character_in(token));
    case TokenKind::bad_number:
      fail(token, fmt::format("'{}' is neither a number nor a name", shown(token)),
           "a product needs its '*', as in 2*x");
    case TokenKind::open_text:
      fail(token, "the text is not closed: '\"' is missing before the end of the line");
    case TokenKind::too_deep:
      fail_too_deep(place(token));
    case TokenKind::too_long:
      fail(tokens_.front(), "the statement is longer than a million words",
           "is a closing bracket missing?");
    default:
      break;
  }
}

void TokenCursor::fail_character(const Token& token) const {
  const std::string character = quoted_character(decode_utf8(text(token), 0), text(token));
  fail(token, fmt::format("unexpected character {}", character), help_for_character(text(token)));
}

Token TokenCursor::hidden_character_in(const Token& quoted) const {
  Token at = quoted;
  at.length = 1;
  for (;;) {
    const CodePoint c = decode_utf8(source_->text(), at.offset);
    at.bytes = c.bytes;
    if (!is_printable(c) && c.value != '\t') return at;
    at.offset += c.bytes;
    ++at.column;
  }
}

std::string TokenCursor::shown(const Token& token) const {
  constexpr std::size_t longest = 40;
  const std::string_view spelled = text(token);
  if (spelled.size() <= longest) return std::string(spelled);
  std::size_t end = 0;
  while (end < longest) end += decode_utf8(spelled, end).bytes;
  return std::string(spelled.substr(0, end)) + "...";
}

std::string TokenCursor::found(const Token& token) const {
  if (token.kind == TokenKind::end) return "the end of the statement";
  if (token.kind == TokenKind::text) return "the text " + shown(token);
  return fmt::format("'{}'", shown(token));
}

TokenCursor::Level::Level(TokenCursor& tokens) : tokens_(tokens) {
  if (tokens_.level_ >= max_nesting) tokens_.fail_too_deep(tokens_.place(tokens_.peek()));
  ++tokens_.level_;
}

}  // namespace daedal::model
