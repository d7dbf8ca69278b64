#include "language/other_languages.hpp"

#include "daedal/base/utf8.hpp"
#include "daedal/language/lexer.hpp"
#include "language/first_words.hpp"
#include "language/statement_parser.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string_view>
#include <utility>

namespace daedal::model {
namespace {

using Words = std::initializer_list<std::string_view>;

bool among(std::string_view word, Words words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// The tokens of a text that is one statement; empty if it is none or more than one.
std::vector<Token> tokens_of(const std::shared_ptr<const SourceFile>& source) {
  Lexer lexer(source);
  std::vector<Token> tokens, more;
  if (!lexer.next_statement(tokens) || lexer.next_statement(more)) tokens.clear();
  return tokens;
}

/// Why a statement does not parse; nothing for one that does.
std::optional<Diagnostic> fault_of(const std::shared_ptr<const SourceFile>& source,
                                   const std::vector<Token>& tokens) {
  try {
    TokenCursor cursor(source, tokens);
    StatementParser(cursor).parse();
  } catch (SyntaxFault& fault) {
    return std::move(fault.diagnostic);
  }
  return std::nullopt;
}

/// What is wrong with a statement, and the statement put right.
struct Idiom {
  std::string message;
  std::string help;              // where there is no line to suggest
  std::string line;              // the statement in this language; empty: none
  std::string lead = "write  ";  // before the line
  std::size_t at = 0, end = 1;   // the tokens it is about
  Foreign::Skip skip = Foreign::Skip::nothing;
  bool comment = false;
};

/// A statement that failed to parse, by its tokens.
class Statement {
 public:
  Statement(std::shared_ptr<const SourceFile> source, const std::vector<Token>& tokens,
            const Diagnostic& fault)
      : source_(std::move(source)), tokens_(tokens), fault_(fault) {
    while (at_ < size() &&
           (tokens_[at_].line < fault.place.line ||
            (tokens_[at_].line == fault.place.line && tokens_[at_].column < fault.place.column)))
      ++at_;
  }

  std::optional<Idiom> idiom() const;
  Place place(const Idiom& idiom) const {
    const Token &first = tokens_[idiom.at], &last = tokens_[idiom.end - 1];
    const bool one_line = first.line == last.line;
    return {source_, first.line, first.column,
            one_line ? last.column + last.length - first.column : first.length};
  }

 private:
  std::size_t size() const { return tokens_.size() - 1; }
  bool kind(std::size_t i, TokenKind kind) const { return i < size() && tokens_[i].kind == kind; }
  std::string_view word(std::size_t i) const {  // "" after the end
    if (i >= size()) return {};
    return source_->text().substr(tokens_[i].offset, tokens_[i].bytes);
  }
  bool name(std::size_t i) const { return kind(i, TokenKind::word) && !is_operator_word(word(i)); }
  bool touches(std::size_t i) const { return i < size() && !tokens_[i].spaced; }

  /// The text of the tokens [first, end), lines joined by blanks.
  std::string text(std::size_t first, std::size_t end) const {
    std::string result;
    for (std::size_t i = first; i < std::min(end, size()); ++i) {
      if (kind(i, TokenKind::comment)) continue;
      if (i > first && tokens_[i].spaced) result += ' ';
      result += word(i);
    }
    return result;
  }
  std::string all() const { return text(0, size()); }
  /// The statement with the tokens [first, end) replaced.
  std::string with(std::size_t first, std::size_t end, std::string_view by) const {
    std::string result = text(0, first);
    if (first > 0 && first < size() && tokens_[first].spaced && !by.empty()) result += ' ';
    result += by;
    if (end < size() && tokens_[end].spaced && !result.empty()) result += ' ';
    return result + text(end, size());
  }
  /// The bracket that closes the one at `open`, or the end.
  std::size_t closing(std::size_t open) const {
    int depth = 0;
    for (std::size_t i = open; i < size(); ++i) {
      if (kind(i, TokenKind::open_paren) || kind(i, TokenKind::open_bracket)) ++depth;
      if (kind(i, TokenKind::close_paren) || kind(i, TokenKind::close_bracket)) --depth;
      if (depth == 0) return i;
    }
    return size();
  }
  std::size_t find(TokenKind wanted, std::size_t from = 0) const {
    while (from < size() && tokens_[from].kind != wanted) ++from;
    return from;
  }
  std::size_t find(std::string_view wanted, std::size_t from = 0) const {
    while (from < size() && word(from) != wanted) ++from;
    return from;
  }
  bool declares() const {
    return among(word(0), {"size", "parameter", "coordinate", "variable", "input", "signal"});
  }

  std::optional<Idiom> comment() const;
  std::optional<Idiom> markup() const;
  std::optional<Idiom> first_word() const;
  std::optional<Idiom> renamed() const;
  std::optional<Idiom> typed_declaration() const;
  std::optional<Idiom> assignment() const;
  std::optional<Idiom> loop() const;
  std::optional<Idiom> block() const;
  std::optional<Idiom> unit() const;
  std::optional<Idiom> decimal_comma() const;
  std::optional<Idiom> type_after_keyword() const;
  std::optional<Idiom> assigning() const;
  std::optional<Idiom> relation() const;
  std::optional<Idiom> start_value() const;
  std::optional<Idiom> range() const;
  std::optional<Idiom> function_of() const;
  std::optional<Idiom> operators() const;
  std::optional<Idiom> anonymous_function() const;
  std::optional<Idiom> choice() const;
  std::optional<Idiom> latex() const;
  std::optional<Idiom> braces() const;
  std::optional<Idiom> entries() const;
  std::optional<Idiom> character() const;
  std::optional<Idiom> logic() const;
  std::optional<Idiom> products() const;

  std::shared_ptr<const SourceFile> source_;
  const std::vector<Token>& tokens_;
  const Diagnostic& fault_;
  std::size_t at_ = 0;  // the token of the fault
};

// ---- comments

std::optional<Idiom> Statement::comment() const {
  if (kind(0, TokenKind::minus) && kind(1, TokenKind::minus) && touches(1))
    return Idiom{.message = "'--' starts no comment",
                 .help = "comments start with '#'",
                 .end = 2,
                 .comment = true};
  if (!kind(at_, TokenKind::comment)) return std::nullopt;
  std::string_view said = word(at_);
  const std::string mark(said.substr(0, said[0] == '%' ? 1 : 2));
  said.remove_prefix(mark.size());
  if (mark == "/*" && said.ends_with("*/")) said.remove_suffix(2);
  const bool lines = said.find('\n') != std::string_view::npos;
  while (said.starts_with(' ')) said.remove_prefix(1);
  while (said.ends_with(' ') || said.ends_with('\r')) said.remove_suffix(1);
  Idiom idiom{.message = fmt::format("'{}' starts no comment", mark),
              .help = lines      ? "every line of a comment starts with '#'"
                      : at_ == 0 ? fmt::format("comments start with '#':  # {}", said)
                                 : "comments start with '#'",
              .at = at_,
              .end = at_ + 1,
              .comment = true};
  if (!lines && at_ > 0) {
    idiom.lead = mark == "%" ? "a remainder is mod(a, b); comments start with '#':  "
                             : "comments start with '#':  ";
    idiom.help = idiom.lead.substr(0, idiom.lead.size() - 3);
    if (at_ + 1 == size()) idiom.line = fmt::format("{}  # {}", all(), said);
  }
  return idiom;
}

// ---- documents of other programs

std::optional<Idiom> Statement::markup() const {
  if (!kind(0, TokenKind::less)) return std::nullopt;
  const std::size_t tag = kind(1, TokenKind::word) ? 1 : 2;
  const std::string_view text = source_->text();
  const auto mentions = [&](std::string_view what) {
    return text.find(what) != std::string_view::npos;
  };
  const bool mujoco = mentions("<mujoco") || mentions("<worldbody");
  const bool urdf = !mujoco && (mentions("<robot") || mentions("<link"));
  const char* what = mujoco             ? "a MuJoCo model (XML)"
                     : urdf             ? "a URDF robot (XML)"
                     : mentions("<sdf") ? "an SDF world (XML)"
                                        : "XML";
  return Idiom{.message = fmt::format("this is {}, not a model of this language", what),
               .help = urdf ? "in a file whose name ends with .urdf it is read as one, here or by  "
                              "import \"robot.urdf\""
                            : "bodies and joints are parts:  part link = spatial_body(mass = 1, "
                              "inertia = [1, 1, 1]);  part pin = revolute(b = link)",
               .end = std::min(tag, size() - 1) + 1,
               .skip = Foreign::Skip::file};
}

// ---- first words of statements

std::optional<Idiom> Statement::first_word() const {
  if (word(0) == "import" && name(1) && word(size() - 1) != "daedal")
    return Idiom{.message = "'import' reads a model file; functions such as sin are built in",
                 .help = "leave the line out, or write  import \"arm.daedal\""};
  if (word(0) == "equation" && size() == 1)
    return Idiom{.message = "'equation' starts each equation, not a section",
                 .help = "write one line for each:  equation x' = -x"};
  if (word(0) == "initial" && word(1) == "equation")
    return Idiom{.message = "start values are no equations",
                 .help = "write  initial x = 1, x' = 0",
                 .end = 2,
                 .skip = Foreign::Skip::indented_lines};
  if (at_ != 0 || is_statement_keyword(word(0))) return std::nullopt;
  if (auto made = block()) return made;
  const bool calls = kind(1, TokenKind::open_paren) && touches(1);
  const bool physical = among(word(0), {"inertia", "spring", "damper", "damping", "friction",
                                        "velocity", "speed", "acceleration", "energy", "moment",
                                        "link", "frame", "weld", "motor", "time", "tolerance"});
  const bool makes = name(1) && kind(2, TokenKind::open_paren) && touches(2);  // spring s(k = 3)
  const bool quantity =
      (name(1) && kind(2, TokenKind::assign) &&
       (physical || among(word(0), {"body", "block", "gravity", "flow", "class", "struct"}))) ||
      (physical && makes);
  const bool assigned = size() > 1 && kind(1, TokenKind::assign);
  const bool stands = size() == 1 || calls || !assigned;
  if (const FirstWord* told = first_word_elsewhere(word(0));
      told != nullptr && (stands || told->assigned_too) && !quantity) {
    Idiom idiom{.message = std::string(told->message), .help = std::string(told->help)};
    if (calls && among(word(0), {"simulate", "invert"}))
      idiom.line = fmt::format("experiment run: {}", all());
    if (among(word(0), {"if", "while"})) idiom.skip = Foreign::Skip::indented_lines;
    return idiom;
  }
  if (auto made = renamed()) return made;
  if (auto made = typed_declaration()) return made;
  return assignment();
}

/// position x, goal x = 1: the statement has another name here; mass 2: a number has a name.
std::optional<Idiom> Statement::renamed() const {
  if (size() < 2 || !name(0) || kind(1, TokenKind::assign) || touches(1)) return std::nullopt;
  const std::string message = fmt::format("unknown statement '{}'", word(0));
  if (const std::string_view keyword = statement_here(word(0)); !keyword.empty())
    return Idiom{.message = message,
                 .help = fmt::format("the statement is  {}", keyword),
                 .line = fmt::format("{} {}", keyword, text(1, size()))};
  if (!kind(1, TokenKind::number)) return std::nullopt;
  return Idiom{.message = message,
               .help = "a number has a name:  parameter m = 1",
               .line = fmt::format("parameter {} = {}", word(0), text(1, size())),
               .lead = "a number has a name:  "};
}

/// def f(x): ..., function y = f(x)
std::optional<Idiom> Statement::block() const {
  if (!among(word(0), {"def", "function"}) || kind(1, TokenKind::assign)) return std::nullopt;
  const std::size_t open = find(TokenKind::open_paren);
  const bool python = word(0) == "def";
  return Idiom{.message = "functions are defined by 'let'",
               .help = open < size() && name(open - 1)
                           ? fmt::format("a function is one formula:  let {} = ...",
                                         text(open - 1, closing(open) + 1))
                           : "a function is one formula:  let f(x) = x^2",
               .skip = python ? Foreign::Skip::indented_lines : Foreign::Skip::file};
}

/// Real x(start = 1); const m = 1; joint j = revolute(b = rod); mass m = 1
std::optional<Idiom> Statement::typed_declaration() const {
  if (!name(0) || !name(1)) return std::nullopt;
  const bool real =
      among(word(0), {"Real", "real", "double", "float", "Float", "number", "scalar"});
  std::string_view keyword;
  if (real || among(word(0), {"var", "states", "unknown", "algebraic"})) keyword = "variable";
  if (among(word(0), {"int", "integer", "Integer"})) keyword = "size";
  if (among(word(0), {"const", "constant", "param", "params", "final"})) keyword = "parameter";
  const std::string message = fmt::format("unknown statement '{}'", word(0));
  if (real && kind(2, TokenKind::open_paren) && touches(2)) {  // Real x(start = 1, unit = "m")
    const std::size_t close = closing(2), start = find("start", 3);
    std::string line = fmt::format("variable {}", word(1));
    if (start < close && kind(start + 1, TokenKind::assign)) {
      std::size_t end = start + 2;
      while (end < close && !kind(end, TokenKind::comma)) ++end;
      line += fmt::format(" = {}", text(start + 2, end));
    }
    return Idiom{.message = message,
                 .help = "an unknown is a  variable, a position in the energies a  coordinate",
                 .line = line,
                 .lead = "an unknown is a variable, a position in the energies a coordinate:  "};
  }
  if (keyword.empty() && !nearest_name(word(0), statement_keywords()).empty()) return std::nullopt;
  const bool makes = kind(2, TokenKind::assign) && name(3) && kind(4, TokenKind::open_paren) &&
                     touches(4) && closing(4) + 1 == size();
  if (makes && keyword.empty())
    return Idiom{.message = message,
                 .help = "bodies and joints are parts",
                 .line = "part " + text(1, size()),
                 .lead = "bodies and joints are parts:  "};
  if (keyword.empty() && kind(2, TokenKind::assign)) keyword = "parameter";
  if (real && kind(2, TokenKind::assign))
    keyword = kind(3, TokenKind::number) ? "parameter" : "let";
  if (keyword.empty()) return std::nullopt;
  return Idiom{.message = message,
               .help = fmt::format("write  {} {} = 1", keyword, word(1)),
               .line = fmt::format("{} {}", keyword, text(1, size()))};
}

/// x' = -x, der(x) = -x, q = zeros(3, 1), sol = ode45(...), joint = revolute(b = rod)
std::optional<Idiom> Statement::assignment() const {
  const std::size_t equals = find(TokenKind::assign);
  if (equals == size()) return std::nullopt;
  const std::string message = fmt::format("unknown statement '{}'", word(0));
  for (std::size_t i = equals + 1; i < size(); ++i)
    if (among(word(i), {"ode45", "ode15s", "ode23", "solve_ivp", "odeint", "ODEProblem", "dsolve"}))
      return Idiom{.message = "a model is not solved by a call",
                   .help = "write  experiment run: simulate(until = 10)  and run it with  `run()`"};
  const std::string right = text(equals + 1, size());
  if (equals == 1 && name(0)) {
    for (const std::string_view call : {"zeros(", "np.zeros(", "ones(", "np.ones(", "eye("}) {
      if (!right.starts_with(call)) continue;
      std::size_t open = find(TokenKind::open_paren, equals);
      std::string_view size_text = word(open + 1);
      if (size_text == "1" && kind(open + 2, TokenKind::comma)) size_text = word(open + 3);
      return Idiom{.message = message,
                   .help = "unknowns are declared with their sizes",
                   .line = fmt::format("coordinate {}[1..{}]", word(0), size_text),
                   .lead = "unknowns are declared with their sizes:  "};
    }
    if (right.starts_with("[0]*") || right.starts_with("[0] * ") || right.starts_with("[0.0]*"))
      return Idiom{.message = message,
                   .help = "unknowns are declared with their sizes",
                   .line = fmt::format("coordinate {}[1..{}]", word(0), word(size() - 1)),
                   .lead = "unknowns are declared with their sizes:  "};
    if (word(0).ends_with("_dot"))
      return Idiom{
          .message = message,
          .line = fmt::format("equation {}' = {}", word(0).substr(0, word(0).size() - 4), right)};
  }
  std::string left = text(0, equals);
  if (among(word(0), {"der", "ddt", "diff", "d", "D", "Dt", "derivative"}) &&
      kind(1, TokenKind::open_paren) && name(2))
    left = fmt::format("{}'", word(2)) + text(closing(1) + 1, equals);
  else if (equals == 3 && word(0).starts_with("d") && word(0).size() > 1 && word(2) == "dt")
    left = fmt::format("{}'", word(0).substr(1));
  else if (!kind(1, TokenKind::prime))
    return std::nullopt;
  return Idiom{.message = message,
               .line = fmt::format("equation {} = {}", left, right),
               .lead = "an equation starts with its word:  "};
}

/// for i in range(N):, for i = 1:3
std::optional<Idiom> Statement::loop() const {
  if (word(0) != "for" || !name(1)) return std::nullopt;
  std::string low = "1", high;
  const std::size_t open = find(TokenKind::open_paren);
  if (word(2) == "in" && word(3) == "range" && open == 4) {
    const std::size_t comma = find(TokenKind::comma), close = closing(4);
    high = comma < close ? text(comma + 1, close) : text(5, close);
  } else if (kind(2, TokenKind::assign) || (word(2) == "in" && find(TokenKind::dots) == size())) {
    const std::size_t colon = find(TokenKind::colon);
    low = text(3, colon);
    std::size_t end = colon + 1;
    while (end < size() && tokens_[end].line == tokens_[0].line) ++end;
    high = text(colon + 1, end);
  } else {
    return std::nullopt;
  }
  return Idiom{
      .message = "a loop repeats a statement over a range, counted from 1",
      .help = fmt::format("write  for {0} in {1}..{2}: initial q[{0}] = 0", word(1), low, high),
      .skip = Foreign::Skip::indented_lines};
}

// ---- declarations

bool is_unit(std::string_view word) {
  return among(word, {"kg",   "g",      "mg",    "t",     "m",      "cm",     "mm",     "km",
                      "um",   "s",      "ms",    "us",    "min",    "h",      "N",      "kN",
                      "MN",   "Nm",     "J",     "kJ",    "W",      "kW",     "Pa",     "kPa",
                      "MPa",  "GPa",    "bar",   "rad",   "mrad",   "deg",    "degree", "degrees",
                      "rpm",  "Hz",     "kHz",   "V",     "mV",     "A",      "mA",     "Ohm",
                      "H",    "mH",     "F",     "C",     "K",      "l",      "lb",     "ft",
                      "inch", "newton", "meter", "metre", "meters", "second", "seconds"});
}

/// parameter m = 1 kg, g = 9.81 m/s^2, l = 30cm
std::optional<Idiom> Statement::unit() const {
  if (!declares() && !among(word(0), {"let", "output"})) return std::nullopt;
  std::string value;
  std::string_view first;
  if (kind(at_, TokenKind::bad_number)) {
    const std::string_view spelled = word(at_);
    const std::size_t digits = spelled.find_first_not_of("0123456789.");
    if (digits == std::string_view::npos) return std::nullopt;
    value = std::string(spelled.substr(0, digits)) + " ";
    first = spelled.substr(digits);
  } else if (at_ > 0 && kind(at_ - 1, TokenKind::number) && name(at_)) {
    first = word(at_);
  }
  if (!is_unit(first)) return std::nullopt;
  std::size_t end = at_ + 1;
  while (end < size()) {
    const bool joins = kind(end, TokenKind::star) || kind(end, TokenKind::slash) ||
                       kind(end, TokenKind::caret) || kind(end, TokenKind::minus);
    if (!joins || end + 1 >= size()) break;
    end += 2;
  }
  return Idiom{.message = "a unit is written in square brackets",
               .line = with(at_, end, fmt::format("{}[{}{}]", value, first, text(at_ + 1, end))),
               .at = at_,
               .end = end};
}

/// parameter m = 1,5
std::optional<Idiom> Statement::decimal_comma() const {
  const std::size_t i = at_;
  if (i < 2 || !kind(i, TokenKind::number) || !kind(i - 1, TokenKind::comma) ||
      !kind(i - 2, TokenKind::number) || !touches(i) || !touches(i - 1))
    return std::nullopt;
  return Idiom{
      .message = fmt::format("'{}' is no number: decimals follow a point", text(i - 2, i + 1)),
      .line = with(i - 2, i + 1, fmt::format("{}.{}", word(i - 2), word(i))),
      .at = i - 2,
      .end = i + 1};
}

/// parameter real m, parameter Modelica.SIunits.Mass m
std::optional<Idiom> Statement::type_after_keyword() const {
  if (!declares() || at_ < 2 || !name(1)) return std::nullopt;
  std::size_t last = 1;
  while (kind(last + 1, TokenKind::dot) && name(last + 2)) last += 2;
  if (!name(last + 1)) return std::nullopt;
  const bool keyword =
      among(word(0), {"input", "parameter"}) && is_statement_keyword(word(last + 1));
  if (keyword) return std::nullopt;
  return Idiom{
      .message = fmt::format("a declaration takes no type, such as '{}'", text(1, last + 1)),
      .help = fmt::format("write  {} {}", word(0), word(last + 1)),
      .line = with(1, last + 1, ""),
      .at = 1,
      .end = last + 1};
}

/// let x := 3, x += 1
std::optional<Idiom> Statement::assigning() const {
  if (kind(at_, TokenKind::colon) && kind(at_ + 1, TokenKind::assign) && touches(at_ + 1))
    return Idiom{.message = "':=' is no operator",
                 .help = "a value is given by '='",
                 .line = with(at_, at_ + 2, "="),
                 .at = at_,
                 .end = at_ + 2};
  if (at_ > 0 && kind(at_, TokenKind::assign) && touches(at_) &&
      (kind(at_ - 1, TokenKind::plus) || kind(at_ - 1, TokenKind::minus) ||
       kind(at_ - 1, TokenKind::star)))
    return Idiom{
        .message = fmt::format("'{}' is no operator", text(at_ - 1, at_ + 1)),
        .help = "statements are not executed in order: an equation states what holds at all times",
        .at = at_ - 1,
        .end = at_ + 1};
  return std::nullopt;
}

std::optional<Idiom> Statement::relation() const {
  const std::size_t i = find(TokenKind::equal);
  if (!among(word(0), {"constraint", "equation", "servo"}) || i == size()) return std::nullopt;
  if (!fault_.message.starts_with("'=='")) return std::nullopt;
  return Idiom{.message = fault_.message,
               .help = fault_.help,
               .line = with(i, i + 1, "="),
               .at = i,
               .end = i + 1};
}

/// initial x(0) = 1
std::optional<Idiom> Statement::start_value() const {
  if (word(0) != "initial" || !kind(at_, TokenKind::open_paren)) return std::nullopt;
  return Idiom{.message = "a start value belongs to the name alone",
               .help = "write  initial x = 1",
               .line = with(at_, closing(at_) + 1, ""),
               .at = at_,
               .end = std::min(closing(at_) + 1, size())};
}

/// coordinate x in [0, 1]
std::optional<Idiom> Statement::range() const {
  if (!declares() || word(at_) != "in" || !name(1)) return std::nullopt;
  return Idiom{.message = "a range is a statement of its own",
               .help = "write  limit x in [0, 1]",
               .line = fmt::format("limit {} {}", word(1), text(at_, size())),
               .lead = "add a line:  ",
               .at = at_};
}

// ---- formulas

bool is_function(std::string_view word) {
  return among(word, {"sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp",
                      "log", "sqrt", "abs", "der"});
}

/// sin^2(x), sin^2 x, sin x, der x
std::optional<Idiom> Statement::function_of() const {
  const bool brackets = kind(at_, TokenKind::open_paren);
  std::size_t end = brackets ? closing(at_) + 1 : at_ + 1;
  if (!brackets && !name(at_)) return std::nullopt;
  if (end > size()) return std::nullopt;
  while (!brackets && kind(end, TokenKind::prime)) ++end;
  const std::string argument = brackets ? text(at_, end) : fmt::format("({})", text(at_, end));
  if (at_ >= 3 && kind(at_ - 1, TokenKind::number) && kind(at_ - 2, TokenKind::caret) &&
      is_function(word(at_ - 3)))
    return Idiom{
        .message = "a power comes after the argument of a function",
        .line = with(at_ - 3, end, fmt::format("{}{}^{}", word(at_ - 3), argument, word(at_ - 1))),
        .at = at_ - 3,
        .end = at_};
  if (at_ >= 1 && !brackets && is_function(word(at_ - 1)))
    return Idiom{
        .message = fmt::format("the argument of '{}' is written in brackets", word(at_ - 1)),
        .line = with(at_ - 1, end, fmt::format("{}{}", word(at_ - 1), argument)),
        .at = at_ - 1,
        .end = at_};
  return std::nullopt;
}

/// x**2, x.*y, x./y, x.^2
std::optional<Idiom> Statement::operators() const {
  if (at_ == 0 || !touches(at_)) return std::nullopt;
  const bool power = kind(at_, TokenKind::star) && kind(at_ - 1, TokenKind::star);
  const bool entrywise =
      kind(at_ - 1, TokenKind::dot) &&
      (kind(at_, TokenKind::star) || kind(at_, TokenKind::slash) || kind(at_, TokenKind::caret));
  if (!power && !entrywise) return std::nullopt;
  return Idiom{.message = fmt::format("'{}' is no operator", text(at_ - 1, at_ + 1)),
               .help = power ? "a power is written  x^2" : "operators have no dot",
               .line = with(at_ - 1, at_ + 1, power ? "^" : word(at_)),
               .at = at_ - 1,
               .end = at_ + 1};
}

/// let f = lambda x: x^2, let f = @(x) x^2
std::optional<Idiom> Statement::anonymous_function() const {
  if (word(0) != "let" || !name(1) || !kind(2, TokenKind::assign)) return std::nullopt;
  std::string arguments;
  std::size_t body = size();
  if (word(3) == "lambda") {
    const std::size_t colon = find(TokenKind::colon);
    arguments = text(4, colon);
    body = colon + 1;
  } else if (word(3) == "@" && kind(4, TokenKind::open_paren)) {
    arguments = text(5, closing(4));
    body = closing(4) + 1;
  }
  if (body >= size()) return std::nullopt;
  return Idiom{.message = "a function has its arguments beside its name",
               .help = "write  let f(x) = x^2",
               .line = fmt::format("let {}({}) = {}", word(1), arguments, text(body, size())),
               .at = 3,
               .end = 4};
}

/// a if c else b, c ? a : b
std::optional<Idiom> Statement::choice() const {
  std::size_t from = find(TokenKind::assign);
  from = from == size() ? 1 : from + 1;
  Idiom idiom{.message = "a choice is written  if condition then a else b"};
  if (const std::size_t asked = find("?"); asked < size()) {
    const std::size_t colon = find(TokenKind::colon, asked);
    idiom.at = asked;
    idiom.line = with(from, size(),
                      fmt::format("if {} then {} else {}", text(from, asked),
                                  text(asked + 1, colon), text(colon + 1, size())));
  } else if (word(at_) == "if" && at_ > from) {
    const std::size_t other = find("else", at_);
    idiom.at = at_;
    idiom.line = with(from, size(),
                      fmt::format("if {} then {} else {}", text(at_ + 1, other), text(from, at_),
                                  text(other + 1, size())));
  } else {
    return std::nullopt;
  }
  idiom.end = idiom.at + 1;
  return idiom;
}

// ---- LaTeX

/// The content of the braces at `at`, which moves past them; without braces one character.
std::string group_at(std::string_view text, std::size_t& at) {
  while (at < text.size() && text[at] == ' ') ++at;
  if (at >= text.size()) return {};
  if (text[at] != '{') return std::string(1, text[at++]);
  int depth = 0;
  const std::size_t from = at + 1;
  for (; at < text.size(); ++at) {
    if (text[at] == '{') ++depth;
    if (text[at] == '}' && --depth == 0) break;
  }
  return std::string(text.substr(from, std::min(at++, text.size()) - from));
}

bool is_plain(std::string_view text) {
  return text.find_first_of("+-*/ ()") == std::string_view::npos;
}

std::string bracketed(const std::string& text) { return is_plain(text) ? text : "(" + text + ")"; }

/// \frac{1}{2} m \dot{x}^2 as a formula of this language; products still lack their signs.
std::string from_latex(std::string_view text, int depth = 0) {
  std::string result;
  for (std::size_t at = 0; at < text.size() && depth < 20;) {
    if (text[at] == '^' || text[at] == '_') {
      const bool power = text[at++] == '^';
      const std::string what = from_latex(group_at(text, at), depth + 1);
      result += (power ? "^" : "_") + (power ? bracketed(what) : what);
      continue;
    }
    if (text[at] != '\\') {
      result += text[at++];
      continue;
    }
    const std::size_t from = ++at;
    while (at < text.size() &&
           ((text[at] >= 'a' && text[at] <= 'z') || (text[at] >= 'A' && text[at] <= 'Z')))
      ++at;
    const std::string_view command = text.substr(from, at - from);
    const auto argument = [&] { return from_latex(group_at(text, at), depth + 1); };
    if (command == "frac" || command == "tfrac" || command == "dfrac") {
      const std::string numerator = bracketed(argument());
      result += numerator + "/" + bracketed(argument()) + " ";
    } else if (command == "dot") {
      result += argument() + "'";
    } else if (command == "ddot") {
      result += argument() + "''";
    } else if (command == "sqrt") {
      result += "sqrt(" + argument() + ")";
    } else if (command == "cdot" || command == "times") {
      result += "*";
    } else if (command == "mathrm" || command == "text") {
      result += argument();
    } else if (!among(command, {"left", "right", "quad"})) {
      result += command;
      result += ' ';
    }
    if (command.empty()) ++at;  // \, and \;
  }
  return result;
}

/// With the '*' of products that are written side by side.
std::string with_products(const std::string& line) {
  const auto source = std::make_shared<const SourceFile>("", line);
  const std::vector<Token> tokens = tokens_of(source);
  std::string result;
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    const auto starts = [](TokenKind kind) {
      return kind == TokenKind::word || kind == TokenKind::number || kind == TokenKind::open_paren;
    };
    const auto ends = [](TokenKind kind) {
      return kind == TokenKind::word || kind == TokenKind::number || kind == TokenKind::prime ||
             kind == TokenKind::close_paren;
    };
    const std::string_view word = source->text().substr(tokens[i].offset, tokens[i].bytes);
    if (i > 0) {
      const std::string_view before =
          source->text().substr(tokens[i - 1].offset, tokens[i - 1].bytes);
      const bool side_by_side = starts(tokens[i].kind) && ends(tokens[i - 1].kind);
      const bool call = tokens[i].kind == TokenKind::open_paren &&
                        tokens[i - 1].kind == TokenKind::word && is_function(before);
      if (side_by_side && i > 1 && !call && !is_statement_keyword(before))
        result += "*";
      else if (tokens[i].spaced && !call && tokens[i].kind != TokenKind::star &&
               tokens[i].kind != TokenKind::slash && tokens[i].kind != TokenKind::close_paren)
        result += ' ';
    }
    result += word;
  }
  return result;
}

std::optional<Idiom> Statement::latex() const {
  const std::size_t i = find("\\");
  if (i == size() || !kind(i + 1, TokenKind::word) || !touches(i + 1)) return std::nullopt;
  const Token &first = tokens_[0], &last = tokens_[size() - 1];
  const std::string_view whole =
      source_->text().substr(first.offset, last.offset + last.bytes - first.offset);
  Idiom idiom{.message = fmt::format("'\\{}' is LaTeX", word(i + 1)),
              .help = "formulas are plain text:  kinetic 1/2*m*x'^2",
              .at = i,
              .end = i + 2};
  if (i > 0 && whole.find('\n') == std::string_view::npos)
    idiom.line = with_products(from_latex(whole));
  return idiom;
}

/// {1, 2, 3}
std::optional<Idiom> Statement::braces() const {
  if (word(at_) != "{" && word(at_) != "}") return std::nullopt;
  std::string line = all();
  if (line.find(',') == std::string::npos) return std::nullopt;
  std::replace(line.begin(), line.end(), '{', '[');
  std::replace(line.begin(), line.end(), '}', ']');
  return Idiom{.message = "a vector is written in square brackets",
               .help = "write  [1, 2, 3]",
               .line = line,
               .at = at_,
               .end = at_ + 1};
}

/// [1 2 3]
std::optional<Idiom> Statement::entries() const {
  std::string line;
  int depth = 0;
  bool inserted = false;
  for (std::size_t i = 0; i < size(); ++i) {
    const bool operand = kind(i, TokenKind::number) || name(i);
    const bool after =
        i > 0 && (kind(i - 1, TokenKind::number) || name(i - 1) || kind(i - 1, TokenKind::prime));
    if (depth > 0 && operand && after && tokens_[i].spaced) {
      line += ',';
      inserted = inserted || i == at_;
    }
    if (i > 0 && tokens_[i].spaced) line += ' ';
    line += word(i);
    if (kind(i, TokenKind::open_bracket)) ++depth;
    if (kind(i, TokenKind::close_bracket)) --depth;
  }
  if (!inserted) return std::nullopt;
  return Idiom{.message = "the entries of a vector are separated by commas",
               .help = "write  [1, 2, 3]",
               .line = line,
               .at = at_,
               .end = at_ + 1};
}

// ---- characters of documents

struct Character {
  std::string_view spelled, plain, help;
};

constexpr std::array<Character, 26> characters = {{
    {"\xE2\x88\x92", "-", "use the plain minus sign '-'"},           // U+2212
    {"\xE2\x80\x93", "-", "use the plain minus sign '-'"},           // en dash
    {"\xE2\x80\x94", "-", "use the plain minus sign '-'"},           // em dash
    {"\xC2\xB7", "*", "write '*'"},                                  // middle dot
    {"\xE2\x8B\x85", "*", "write '*'"},                              // dot operator
    {"\xC3\x97", "*", "write '*'"},                                  // multiplication sign
    {"\xC3\xB7", "/", "write '/'"},                                  // division sign
    {"\xC2\xB2", "^2", "write '^2'"},                                // superscript two
    {"\xC2\xB3", "^3", "write '^3'"},                                // superscript three
    {"\xC2\xBD", "1/2", "write '1/2'"},                              // one half
    {"\xE2\x80\x98", "'", "use the plain quote ' for derivatives"},  // single quotation marks
    {"\xE2\x80\x99", "'", "use the plain quote ' for derivatives"},
    {"\xC2\xB4", "'", "use the plain quote ' for derivatives"},  // acute accent
    {"`", "'", "use the plain quote ' for derivatives"},
    {"\xE2\x80\xB2", "'", "use the plain quote ' for derivatives"},  // prime
    {"\xE2\x80\x9C", "\"", "use plain double quotes"},               // double quotation marks
    {"\xE2\x80\x9D", "\"", "use plain double quotes"},
    {"\xE2\x80\x9E", "\"", "use plain double quotes"},
    {"\xE2\x89\xA4", "<=", "write '<='"},
    {"\xE2\x89\xA5", ">=", "write '>='"},
    {"\xE2\x89\xA0", "!=", "unequal is '!='"},
    {"~", "=", "write '='"},
    {"\xC2\xA0", " ", "use a plain blank; this is a no-break space"},
    {"\xE2\x80\xAF", " ", "use a plain blank; this is a no-break space"},
    {"\xE2\x80\x8B", "", "delete it; this is a space of no width"},
    {"\xEF\xBB\xBF", "", "delete it; this is a byte order mark"},
}};

std::optional<Idiom> Statement::character() const {
  const auto at = std::find_if(characters.begin(), characters.end(),
                               [&](const Character& c) { return c.spelled == word(at_); });
  if (at == characters.end()) return std::nullopt;
  std::string line = all();
  for (const Character& c : characters)
    for (std::size_t i = line.find(c.spelled); i != std::string::npos;
         i = line.find(c.spelled, i + c.plain.size()))
      line.replace(i, c.spelled.size(), c.plain);
  return Idiom{.message = fault_.message,
               .help = std::string(at->help),
               .line = line,
               .lead = std::string(at->help) + ":  ",
               .at = at_,
               .end = at_ + 1};
}

/// a && b, a || b, |x|
std::optional<Idiom> Statement::logic() const {
  if (word(at_) != "&" && word(at_) != "|") return std::nullopt;
  std::string line;
  int bars = 0;
  for (std::size_t i = 0; i < size(); ++i) {
    const bool twice = touches(i + 1) && word(i + 1) == word(i);
    if (i > 0 && tokens_[i].spaced && !line.ends_with(' ')) line += ' ';
    if (word(i) == "&" || (word(i) == "|" && twice)) {
      line += fmt::format("{}{} ", line.ends_with(' ') ? "" : " ", word(i) == "&" ? "and" : "or");
      if (twice) ++i;
    } else if (word(i) == "|") {
      line += bars++ % 2 == 0 ? "abs(" : ")";
    } else {
      line += word(i);
    }
  }
  return Idiom{
      .message = fault_.message,
      .help = word(at_) == "&" ? "write 'and'" : "write 'or'; the absolute value is abs(x)",
      .line = line,
      .at = at_,
      .end = at_ + 1};
}

/// 1/2 m x, 2x, m (x + y)
std::optional<Idiom> Statement::products() const {
  if (declares() || !is_statement_keyword(word(0)) ||
      among(word(0), {"draw", "part", "experiment"}))
    return std::nullopt;
  std::string line = all();
  if (kind(at_, TokenKind::bad_number)) {
    const std::size_t digits = word(at_).find_first_not_of("0123456789.");
    if (digits == std::string_view::npos) return std::nullopt;
    line = with(at_, at_ + 1,
                fmt::format("{} {}", word(at_).substr(0, digits), word(at_).substr(digits)));
  } else if (!name(at_) && !kind(at_, TokenKind::number) && !kind(at_, TokenKind::open_paren)) {
    return std::nullopt;
  }
  return Idiom{.message = fault_.message,
               .help = fault_.help,
               .line = with_products(line),
               .lead = "a product needs its '*':  ",
               .at = at_,
               .end = at_ + 1};
}

std::optional<Idiom> Statement::idiom() const {
  constexpr std::array idioms = {&Statement::comment,       &Statement::markup,
                                 &Statement::latex,         &Statement::first_word,
                                 &Statement::loop,          &Statement::unit,
                                 &Statement::decimal_comma, &Statement::assigning,
                                 &Statement::relation,      &Statement::start_value,
                                 &Statement::range,         &Statement::function_of,
                                 &Statement::operators,     &Statement::anonymous_function,
                                 &Statement::choice,        &Statement::type_after_keyword,
                                 &Statement::braces,        &Statement::entries,
                                 &Statement::character,     &Statement::logic,
                                 &Statement::products};
  for (const auto idiom : idioms)
    if (auto found = (this->*idiom)()) return found;
  return std::nullopt;
}

/// The line of an idiom, put right as often as it takes; empty if it never parses.
std::string corrected(const std::string& line) {
  constexpr int times = 8;
  constexpr std::size_t longest = 120;
  std::string next = line;
  for (int i = 0; i < times && !next.empty(); ++i) {
    const auto source = std::make_shared<const SourceFile>("", next);
    const std::vector<Token> tokens = tokens_of(source);
    if (tokens.empty()) return {};
    const auto fault = fault_of(source, tokens);
    if (!fault) return next.size() <= longest ? next : std::string();
    const auto idiom = Statement(source, tokens, *fault).idiom();
    next = idiom && !idiom->comment ? idiom->line : std::string();
  }
  return {};
}

}  // namespace

std::optional<Foreign> as_other_language(const std::shared_ptr<const SourceFile>& source,
                                         const std::vector<Token>& tokens,
                                         const Diagnostic& fault) {
  constexpr std::size_t longest = 1000;  // tokens; a longer statement is no first word
  if (tokens.size() < 2 || tokens.size() > longest) return std::nullopt;
  const Statement statement(source, tokens, fault);
  const auto idiom = statement.idiom();
  if (!idiom) return std::nullopt;
  const std::string line = corrected(idiom->line);
  const std::string help = line.empty() ? idiom->help : idiom->lead + line;
  const bool same_fault = idiom->message == fault.message;
  if (help.empty() || (same_fault && help == fault.help)) return std::nullopt;
  const Place place = same_fault ? fault.place : statement.place(*idiom);
  return Foreign{{Severity::error, place, idiom->message, {}, help}, idiom->skip, idiom->comment};
}

}  // namespace daedal::model
