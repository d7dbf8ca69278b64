#include "model_mutator.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstddef>
#include <iterator>
#include <string_view>
#include <vector>

namespace daedal::fuzz {

namespace {

constexpr std::string_view ask = "# ask ";

constexpr std::string_view numbers[] = {
    "0",      "1",     "2",      "3",      "4",       "-1",     "0.5",   "100",
    "1e-3",   "-1e-3", "1e-8",   "1e-12",  "1e12",    "1e-150", "1e150", "1e-200",
    "1e-300", "1e300", "-1e300", "5e-324", "1.8e308", "(0/0)",  "(1/0)", "9007199254740993"};
constexpr std::string_view sizes[] = {"0", "1", "2", "3", "4"};
constexpr std::string_view operators[] = {"+", "-", "*", "/", "^"};
constexpr std::string_view functions[] = {"sin",  "cos",  "tan",  "sqrt", "abs",   "sign",
                                          "exp",  "log",  "atan", "tanh", "floor", "asin",
                                          "acos", "cosh", "norm", "der"};

struct Token {
  enum class Kind { number, name, mark } kind;
  std::size_t begin, length;
};

bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Where the number at `at` ends: 12, 0.5, 1e-3. A range 1..3 is two of them.
std::size_t end_of_number(const std::string& text, std::size_t at) {
  const auto digits = [&] {
    while (at < text.size() && is_digit(text[at])) ++at;
  };
  digits();
  if (at + 1 < text.size() && text[at] == '.' && is_digit(text[at + 1])) {
    ++at;
    digits();
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    std::size_t exponent = at + 1;
    if (exponent < text.size() && (text[exponent] == '-' || text[exponent] == '+')) ++exponent;
    if (exponent < text.size() && is_digit(text[exponent])) {
      at = exponent;
      digits();
    }
  }
  return at;
}

/// Without white space, comments and texts in quotes.
std::vector<Token> tokens_of(const std::string& text) {
  std::vector<Token> tokens;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    std::size_t end = at + 1;
    if (c == '#') {
      end = std::min(text.find('\n', at), text.size());
    } else if (c == '"') {
      end = std::min(text.find_first_of("\"\n", at + 1), text.size() - 1) + 1;
    } else if (is_digit(c)) {
      end = end_of_number(text, at);
      tokens.push_back({Token::Kind::number, at, end - at});
    } else if (is_name(c)) {
      while (end < text.size() && is_name(text[end])) ++end;
      tokens.push_back({Token::Kind::name, at, end - at});
    } else if (std::isspace(static_cast<unsigned char>(c)) == 0) {
      tokens.push_back({Token::Kind::mark, at, 1});
    }
    at = end;
  }
  return tokens;
}

std::size_t below(std::size_t count, Chance& chance) { return chance() / 7 % count; }

template <class List>
auto one_of(const List& list, Chance& chance) {
  return list[below(std::size(list), chance)];
}

template <std::size_t n>
bool contains(const std::string_view (&list)[n], std::string_view word) {
  return std::find(std::begin(list), std::end(list), word) != std::end(list);
}

std::string replaced(std::string text, const Token& token, std::string_view by) {
  return text.replace(token.begin, token.length, by);
}

std::string_view word_of(const std::string& text, const Token& token) {
  return std::string_view(text).substr(token.begin, token.length);
}

/// Tokens for which `fits` holds, one of them replaced by what `by` makes of it; the text itself where there is none.
template <class Fits, class By>
std::string with_token(const std::string& text, Chance& chance, const Fits& fits, const By& by) {
  std::vector<Token> some;
  for (const Token& token : tokens_of(text))
    if (fits(token)) some.push_back(token);
  if (some.empty()) return text;
  const Token token = one_of(some, chance);
  return replaced(text, token, std::string(by(token)));
}

std::string with_number(const std::string& text, Chance& chance) {
  return with_token(
      text, chance, [](const Token& token) { return token.kind == Token::Kind::number; },
      [&](const Token&) { return one_of(numbers, chance); });
}

std::string with_name(const std::string& text, Chance& chance) {
  const std::vector<Token> tokens = tokens_of(text);
  return with_token(
      text, chance, [](const Token& token) { return token.kind == Token::Kind::name; },
      [&](const Token& replaced_one) {
        const Token other = one_of(tokens, chance);  // not empty: a name was found
        return word_of(text, other.kind == Token::Kind::mark ? replaced_one : other);
      });
}

std::string with_operator(const std::string& text, Chance& chance) {
  return with_token(
      text, chance,
      [&](const Token& token) {
        return token.kind == Token::Kind::mark && contains(operators, word_of(text, token));
      },
      [&](const Token&) { return one_of(operators, chance); });
}

std::string with_function(const std::string& text, Chance& chance) {
  return with_token(
      text, chance,
      [&](const Token& token) {
        return token.kind == Token::Kind::name && contains(functions, word_of(text, token));
      },
      [&](const Token&) { return one_of(functions, chance); });
}

/// A number on a line "size N = 4".
std::string with_size(const std::string& text, Chance& chance) {
  return with_token(
      text, chance,
      [&](const Token& token) {
        if (token.kind != Token::Kind::number) return false;
        const std::size_t line = text.rfind('\n', token.begin) + 1;  // npos + 1 = 0
        return text.compare(line, 5, "size ") == 0;
      },
      [&](const Token&) { return one_of(sizes, chance); });
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + '\n';
  return text;
}

std::string with_line(const std::string& text, Chance& chance) {
  std::vector<std::string> lines = lines_of(text);
  if (lines.empty()) return text;
  const auto at = static_cast<std::ptrdiff_t>(below(lines.size(), chance));
  const std::size_t other = below(lines.size(), chance);
  switch (below(3, chance)) {
    case 0:
      lines.erase(lines.begin() + at);
      break;
    case 1:
      lines.insert(lines.begin() + at, std::string(lines[other]));
      break;
    default:
      std::swap(lines[static_cast<std::size_t>(at)], lines[other]);
  }
  return joined(lines);
}

}  // namespace

std::string changed(const std::string& text, Chance& chance) {
  static constexpr std::string (*changes[])(const std::string&, Chance&) = {
      with_number,   with_number,   with_number, with_name, with_operator,
      with_operator, with_function, with_size,   with_line, with_line};
  return one_of(changes, chance)(text, chance);
}

std::string crossed(const std::string& text, const std::string& other, Chance& chance) {
  std::vector<std::string> lines = lines_of(text);
  const std::vector<std::string> others = lines_of(other);
  if (others.empty()) return text;
  for (std::size_t k = 1 + below(3, chance); k > 0; --k) {
    const auto at = static_cast<std::ptrdiff_t>(below(lines.size() + 1, chance));
    lines.insert(lines.begin() + at, one_of(others, chance));
  }
  return joined(lines);
}

std::string asked(const std::string& text, Chance& chance) {
  const std::size_t end =
      text.starts_with(ask) ? std::min(text.find('\n'), text.size() - 1) + 1 : 0;
  const unsigned long long number = static_cast<unsigned long long>(chance()) << 31 | chance();
  return std::string(ask) + std::to_string(number) + '\n' + text.substr(end);
}

unsigned long long question_of(const std::string& text) {
  unsigned long long number = 0;
  if (text.starts_with(ask))
    std::from_chars(text.data() + ask.size(), text.data() + text.size(), number);
  return number;
}

}  // namespace daedal::fuzz
