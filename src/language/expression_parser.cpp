#include "language/expression_parser.hpp"

#include "daedal/base/utf8.hpp"
#include "daedal/language/parse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <system_error>
#include <utility>

namespace daedal::model {

using namespace syntax;

namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

// What a unit means is found later; this refuses what is surely something else: an index, a vector, a
// text.
bool looks_like_unit(std::string_view text) {
  if (text.empty() || text.find("..") != std::string_view::npos) return false;
  if (text.find_first_of(",;:=\"[]\n\r\t#") != std::string_view::npos) return false;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint c = decode_utf8(text, at);
    if (!is_printable(c)) return false;
    at += c.bytes;
  }
  return true;
}

// ---- nesting below a node. Chains and comparisons add none: between two of them that nest there
// is a bracket, and the brackets are counted on the way down (TokenCursor::Level).

int levels(const ExpressionPtr& e) { return e ? e->levels : 0; }
int levels(const std::vector<ExpressionPtr>& list) {
  int most = 0;
  for (const ExpressionPtr& e : list) most = std::max(most, levels(e));
  return most;
}

int levels_of(const Number&) { return 0; }
int levels_of(const Text&) { return 0; }
int levels_of(const Name&) { return 0; }
int levels_of(const Index& n) { return 1 + std::max(levels(n.base), levels(n.indices)); }
int levels_of(const Member& n) { return 1 + levels(n.base); }
int levels_of(const Derivative& n) { return n.order + levels(n.base); }
int levels_of(const Range& n) { return std::max(levels(n.first), levels(n.last)); }
int levels_of(const Negate& n) { return 1 + levels(n.operand); }
int levels_of(const Not& n) { return 1 + levels(n.operand); }
int levels_of(const Chain& n) {
  int most = levels(n.first);
  for (const auto& [op, operand] : n.rest) most = std::max(most, levels(operand));
  return most;
}
int levels_of(const Power& n) { return 1 + std::max(levels(n.base), levels(n.exponent)); }
int levels_of(const Compare& n) { return std::max(levels(n.left), levels(n.right)); }
int levels_of(const Matrix& n) {
  int most = 0;
  for (const auto& row : n.rows) most = std::max(most, levels(row));
  return 1 + most;
}
int levels_of(const Call& n) {
  int most = 0;
  for (const Argument& argument : n.arguments) most = std::max(most, levels(argument.value));
  return 1 + std::max(most, levels(n.part));
}
int levels_of(const Sum& n) {
  return 1 + std::max({levels(n.binder.first), levels(n.binder.last), levels(n.body)});
}
int levels_of(const If& n) {
  return 1 + std::max({levels(n.condition), levels(n.when_true), levels(n.when_false)});
}

// ---- operators

std::optional<ChainOp> or_at(const TokenCursor& tokens) {
  if (tokens.at_word("or")) return ChainOp::logical_or;
  return std::nullopt;
}
std::optional<ChainOp> and_at(const TokenCursor& tokens) {
  if (tokens.at_word("and")) return ChainOp::logical_and;
  return std::nullopt;
}
std::optional<ChainOp> additive_at(const TokenCursor& tokens) {
  if (tokens.at(TokenKind::plus)) return ChainOp::add;
  if (tokens.at(TokenKind::minus)) return ChainOp::subtract;
  return std::nullopt;
}
std::optional<ChainOp> multiplicative_at(const TokenCursor& tokens) {
  if (tokens.at(TokenKind::star)) return ChainOp::multiply;
  if (tokens.at(TokenKind::slash)) return ChainOp::divide;
  return std::nullopt;
}
std::optional<CompareOp> comparison_at(const TokenCursor& tokens) {
  switch (tokens.peek().kind) {
    case TokenKind::less:
      return CompareOp::less;
    case TokenKind::less_equal:
      return CompareOp::less_equal;
    case TokenKind::greater:
      return CompareOp::greater;
    case TokenKind::greater_equal:
      return CompareOp::greater_equal;
    case TokenKind::equal:
      return CompareOp::equal;
    case TokenKind::not_equal:
      return CompareOp::not_equal;
    default:
      return std::nullopt;
  }
}

bool is_reference(const Expression& e) {
  const Expression* at = &e;
  for (;;) {
    if (std::holds_alternative<Name>(at->node)) return true;
    if (const auto* index = std::get_if<Index>(&at->node)) {
      at = index->base.get();
    } else if (const auto* derivative = std::get_if<Derivative>(&at->node)) {
      at = derivative->base.get();
    } else if (const auto* member = std::get_if<Member>(&at->node)) {
      at = member->base.get();
    } else {
      return false;
    }
  }
}

}  // namespace

template <class Node>
ExpressionPtr ExpressionParser::make(std::size_t from, Node node) const {
  Place place = tokens_.place_since(from);
  const int nesting = levels_of(node);
  if (nesting > max_nesting) tokens_.fail_too_deep(std::move(place));
  return std::make_shared<const Expression>(Expression{std::move(place), std::move(node), nesting});
}

ExpressionPtr ExpressionParser::expression() {
  return tokens_.at_word("if") ? conditional() : disjunction();
}

ExpressionPtr ExpressionParser::inner() {
  const TokenCursor::Level level(tokens_);
  return expression();
}

ExpressionPtr ExpressionParser::conditional() {
  const std::size_t from = tokens_.position();
  tokens_.take();
  ExpressionPtr condition = inner();
  tokens_.expect_word("then", "a choice is written  if condition then a else b");
  ExpressionPtr when_true = inner();
  tokens_.expect_word("else", "a choice has both branches: if condition then a else b");
  ExpressionPtr when_false = inner();
  return make(from, If{std::move(condition), std::move(when_true), std::move(when_false)});
}

ExpressionPtr ExpressionParser::chain(Rule operand, ChainOpAt op_at) {
  const std::size_t from = tokens_.position();
  ExpressionPtr first = (this->*operand)();
  if (!op_at(tokens_)) return first;
  Chain chain{std::move(first), {}};
  while (const auto op = op_at(tokens_)) {
    tokens_.take();
    chain.rest.emplace_back(*op, (this->*operand)());
  }
  return make(from, std::move(chain));
}

ExpressionPtr ExpressionParser::disjunction() {
  return chain(&ExpressionParser::conjunction, or_at);
}
ExpressionPtr ExpressionParser::conjunction() { return chain(&ExpressionParser::negation, and_at); }
ExpressionPtr ExpressionParser::sum() { return chain(&ExpressionParser::product, additive_at); }
ExpressionPtr ExpressionParser::product() {
  return chain(&ExpressionParser::signed_operand, multiplicative_at);
}

ExpressionPtr ExpressionParser::negation() {
  if (!tokens_.at_word("not")) return comparison();
  const TokenCursor::Level level(tokens_);
  const std::size_t from = tokens_.position();
  tokens_.take();
  ExpressionPtr operand = negation();
  return make(from, Not{std::move(operand)});
}

ExpressionPtr ExpressionParser::comparison() {
  const std::size_t from = tokens_.position();
  ExpressionPtr left = sum();
  const auto op = comparison_at(tokens_);
  if (!op) return left;
  tokens_.take();
  ExpressionPtr right = sum();
  if (comparison_at(tokens_))
    tokens_.fail(tokens_.peek(), "comparisons do not chain", "write  a < b and b < c");
  return make(from, Compare{*op, std::move(left), std::move(right)});
}

ExpressionPtr ExpressionParser::signed_operand() {
  const std::size_t from = tokens_.position();
  const bool minus = tokens_.at(TokenKind::minus);
  if (!minus && !tokens_.at(TokenKind::plus)) return power();
  const TokenCursor::Level level(tokens_);
  tokens_.take();
  ExpressionPtr operand = signed_operand();
  return minus ? make(from, Negate{std::move(operand)}) : operand;
}

// a^b^c is a^(b^c), -a^2 is -(a^2).
ExpressionPtr ExpressionParser::power() {
  const std::size_t from = tokens_.position();
  ExpressionPtr base = postfix();
  if (!tokens_.accept(TokenKind::caret)) return base;
  const TokenCursor::Level level(tokens_);
  ExpressionPtr exponent = signed_operand();
  return make(from, Power{std::move(base), std::move(exponent)});
}

ExpressionPtr ExpressionParser::postfix() {
  const std::size_t from = tokens_.position();
  if (tokens_.at(TokenKind::number)) return number();
  return attachments(primary(), from);
}

// Derivatives, indices, members and functions of parts, as in arm[1].q[2]' and rod.point([1, 0]). A
// bracket after a blank is a unit, and none of ours.
ExpressionPtr ExpressionParser::attachments(ExpressionPtr base, std::size_t from) {
  for (;;) {
    if (tokens_.at(TokenKind::prime)) {
      int order = 0;
      while (order <= max_nesting && tokens_.accept(TokenKind::prime)) ++order;
      base = make(from, Derivative{std::move(base), order});
    } else if (tokens_.at_touching(TokenKind::open_bracket)) {
      std::vector<ExpressionPtr> list = indices();
      base = make(from, Index{std::move(base), std::move(list)});
    } else if (tokens_.accept(TokenKind::dot)) {
      const Token& member = tokens_.expect(TokenKind::word, "the name of a member");
      if (tokens_.at_touching(TokenKind::open_paren)) {
        std::vector<Argument> list = arguments();
        base = make(from, Call{tokens_.name(member), tokens_.place(member), std::move(list),
                               std::move(base)});
      } else {
        base = make(from, Member{std::move(base), tokens_.name(member)});
      }
    } else {
      return base;
    }
  }
}

ExpressionPtr ExpressionParser::primary() {
  if (tokens_.at(TokenKind::open_paren)) return group();
  if (tokens_.at(TokenKind::open_bracket)) return matrix();
  if (tokens_.at_name()) return name_or_call();
  if (tokens_.at_word("if"))
    tokens_.fail(tokens_.peek(), "a choice inside a formula needs brackets",
                 "write  (if c then a else b)");
  if (tokens_.at(TokenKind::text))
    tokens_.fail(tokens_.peek(), "a text cannot be part of a formula");
  if (tokens_.at(TokenKind::star)) tokens_.fail_expected("an operand", "a power is written  x^2");
  if (tokens_.at(TokenKind::slash)) tokens_.fail_expected("an operand", "comments start with '#'");
  if (tokens_.at(TokenKind::assign))
    tokens_.fail_expected("an operand", "equality is tested by '=='");
  if (tokens_.at(TokenKind::word)) {
    tokens_.fail_expected("an operand",
                          fmt::format("'{}' is a word of the language and cannot be a name",
                                      tokens_.text(tokens_.peek())));
  }
  tokens_.fail_expected("an operand");
}

ExpressionPtr ExpressionParser::number() {
  const std::size_t from = tokens_.position();
  const Token& token = tokens_.take();
  const std::string_view digits = tokens_.text(token);
  double value = 0;
  if (std::from_chars(digits.data(), digits.data() + digits.size(), value).ec ==
      std::errc::result_out_of_range) {
    tokens_.fail(token, "the number is outside the range of double precision",
                 "magnitudes lie between 1e-308 and 1e308, or are 0");
  }
  if (tokens_.at_touching(TokenKind::open_bracket)) {
    tokens_.fail(tokens_.peek(), "a number has no index",
                 fmt::format("a blank comes before a unit: {} [kg]", digits));
  }
  return make(from, Number{value});
}

ExpressionPtr ExpressionParser::group() {
  const Token& open = tokens_.take();
  ExpressionPtr content = inner();
  if (tokens_.at(TokenKind::comma))
    tokens_.fail(tokens_.peek(), "round brackets hold one value",
                 "a vector is written in square brackets: [x, y]");
  tokens_.expect_closing(open);
  return content;
}

// [a, b] is a vector, [a, b; c, d] a matrix.
ExpressionPtr ExpressionParser::matrix() {
  const std::size_t from = tokens_.position();
  const Token& open = tokens_.take();
  Matrix matrix;
  do {
    std::vector<ExpressionPtr>& row = matrix.rows.emplace_back();
    do {
      row.push_back(inner());
    } while (tokens_.accept(TokenKind::comma));
  } while (tokens_.accept(TokenKind::semicolon));
  tokens_.expect_closing(open);
  return make(from, std::move(matrix));
}

ExpressionPtr ExpressionParser::name_or_call() {
  const bool binds = tokens_.at_word("sum") && tokens_.peek(1).kind == TokenKind::open_paren &&
                     !tokens_.peek(1).spaced && tokens_.at_name(2) && tokens_.at_word("in", 3);
  if (binds) return sum_over();
  const std::size_t from = tokens_.position();
  const Token& name = tokens_.take();
  if (!tokens_.at_touching(TokenKind::open_paren)) return make(from, Name{tokens_.name(name)});
  std::vector<Argument> list = arguments();
  return make(from, Call{tokens_.name(name), tokens_.place(name), std::move(list)});
}

ExpressionPtr ExpressionParser::sum_over() {
  const std::size_t from = tokens_.position();
  tokens_.take();
  const Token& open = tokens_.take();
  Binder over = binder();
  tokens_.expect(TokenKind::colon, "':'", "a sum is written  sum(k in 1..N: term)");
  ExpressionPtr body = inner();
  tokens_.expect_closing(open);
  return make(from, Sum{std::move(over), std::move(body)});
}

std::vector<ExpressionPtr> ExpressionParser::indices() {
  const Token& open = tokens_.take();
  std::vector<ExpressionPtr> list;
  do {
    list.push_back(index());
  } while (tokens_.accept(TokenKind::comma));
  tokens_.expect_closing(open);
  return list;
}

ExpressionPtr ExpressionParser::index() {
  const std::size_t from = tokens_.position();
  ExpressionPtr first = inner();
  if (!tokens_.accept(TokenKind::dots)) return first;
  ExpressionPtr last = inner();
  return make(from, Range{std::move(first), std::move(last)});
}

bool ExpressionParser::at_bracketed_binder() const {
  return tokens_.at(TokenKind::open_bracket) && tokens_.at_name(1) && tokens_.at_word("in", 2);
}

Binder ExpressionParser::binder() {
  const Token& name = tokens_.expect_name("the name of the index");
  tokens_.expect_word("in", "a range is written  k in 1..N");
  ExpressionPtr first = inner();
  tokens_.expect(TokenKind::dots, "'..'", "a range is written  k in 1..N");
  ExpressionPtr last = inner();
  return {tokens_.name(name), tokens_.place(name), std::move(first), std::move(last)};
}

Binder ExpressionParser::bracketed_binder() {
  const Token& open = tokens_.take();
  Binder over = binder();
  tokens_.expect_closing(open);
  return over;
}

ExpressionPtr ExpressionParser::reference(std::string_view what) {
  const std::size_t from = tokens_.position();
  const Token& name = tokens_.expect_name(what);
  return attachments(make(from, Name{tokens_.name(name)}), from);
}

ExpressionPtr ExpressionParser::call(std::string_view what) {
  const std::size_t from = tokens_.position();
  const Token& name = tokens_.expect_name(what);
  if (!tokens_.at(TokenKind::open_paren)) {
    tokens_.fail_expected("'('", fmt::format("write  {}(...)", tokens_.text(name)));
  }
  std::vector<Argument> list = arguments();
  return make(from, Call{tokens_.name(name), tokens_.place(name), std::move(list)});
}

/// plant(m = 21) and initial(x = 1) of an experiment may stand anywhere among its options.
static bool names_its_values(const Expression& e) {
  const auto* call = std::get_if<Call>(&e.node);
  return call != nullptr && (call->function == "plant" || call->function == "initial");
}

std::vector<Argument> ExpressionParser::arguments() {
  const Token& open = tokens_.take();
  std::vector<Argument> list;
  std::set<std::string> names;
  if (tokens_.accept(TokenKind::close_paren)) return list;
  do {
    Argument next = argument();
    if (next.name.empty() && !names.empty() && !names_its_values(*next.value)) {
      tokens_.fail(next.place, "an argument without a name comes after one with a name",
                   "arguments without names come first");
    }
    if (!next.name.empty() && !names.insert(next.name).second) {
      tokens_.fail(next.place, fmt::format("argument '{}' is given twice", next.name));
    }
    list.push_back(std::move(next));
  } while (tokens_.accept(TokenKind::comma));
  if (tokens_.at(TokenKind::open_bracket))
    tokens_.fail(tokens_.peek(), "an argument without a name takes no unit",
                 "formulas are in SI units, and the bracket of an index touches its name");
  tokens_.expect_closing(open);
  return list;
}

// value, name = value, or u[2] = value: the name of an indexed quantity is kept as text. A word of
// the language may name an argument, since nothing else is allowed there.
Argument ExpressionParser::argument() {
  if (tokens_.at(TokenKind::word) && tokens_.peek(1).kind == TokenKind::assign) {
    const Token& name = tokens_.take();
    tokens_.take();
    return {tokens_.name(name), tokens_.place(name), value_in_unit()};
  }
  const std::size_t from = tokens_.position();
  if (tokens_.at_word("initial")) {  // initial x = 1, or initial(x = 1, x' = 0)
    const TokenCursor::Level level(tokens_);
    const Place place = tokens_.place(tokens_.take());
    Call call;
    call.function = "initial";
    if (tokens_.at(TokenKind::open_paren))
      call.arguments = arguments();
    else
      call.arguments.push_back(argument());
    return {{}, place, make(from, std::move(call))};
  }
  ExpressionPtr first = value();
  Place place = first->place;
  if (!tokens_.at(TokenKind::assign)) return {{}, std::move(place), std::move(first)};
  if (!is_reference(*first))
    tokens_.fail(place, "an argument's name was expected before '='", "equality is tested by '=='");
  tokens_.take();
  return {print(*first), std::move(place), value_in_unit()};
}

ExpressionPtr ExpressionParser::value() {
  const std::size_t from = tokens_.position();
  if (!tokens_.at(TokenKind::text)) return inner();
  std::string_view quoted = tokens_.text(tokens_.take());
  return make(from, Text{std::string(quoted.substr(1, quoted.size() - 2))});
}

// ---- units

std::string ExpressionParser::unit(Place& place) {
  const std::size_t from = tokens_.position();
  const Token& open = tokens_.take();
  while (!tokens_.at(TokenKind::close_bracket)) {
    if (tokens_.at(TokenKind::end)) tokens_.expect_closing(open);
    tokens_.take();
  }
  const Token& close = tokens_.take();
  const std::string_view text = trimmed(tokens_.between(open, close));
  if (text.empty()) {
    tokens_.fail(tokens_.place_since(from), "the unit is empty",
                 "a dimensionless quantity has no unit, or [1]");
  }
  if (!looks_like_unit(text)) {
    tokens_.fail(tokens_.place_since(from),
                 "a bracket after a blank is a unit, and this is not one",
                 "an index bracket touches its name: q[1..3]");
  }
  place = tokens_.place(open);
  place.column += 1 + static_cast<std::uint32_t>(tokens_.between(open, close).find(text.front()));
  place.length = count_code_points(text);
  return std::string(text);
}

ExpressionPtr ExpressionParser::in_unit(ExpressionPtr value, std::string unit,
                                        const Place& place) const {
  auto made = std::make_shared<Expression>();
  made->place = value->place;
  made->levels = value->levels;
  made->node = Quantity{std::move(value), std::move(unit), place};
  return made;
}

// 250 [g], the value of a named argument
ExpressionPtr ExpressionParser::value_in_unit() {
  ExpressionPtr written = value();
  if (!at_unit()) return written;
  Place place;
  std::string text = unit(place);
  return in_unit(std::move(written), std::move(text), place);
}

}  // namespace daedal::model
