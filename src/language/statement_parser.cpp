#include "language/statement_parser.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

namespace daedal::model {

using namespace syntax;

struct StatementParser::Rule {
  std::string_view keyword;
  void (StatementParser::*parse)();
  std::string_view instead_of_loop;  // what to write where `for` cannot repeat it; else empty
};

const StatementParser::Rule* StatementParser::rule_for(std::string_view keyword) {
  using P = StatementParser;
  constexpr std::string_view range = "a declaration takes a range: q[1..N]";
  constexpr std::string_view single = "write it outside the loop";
  static constexpr std::array<Rule, 28> rules = {{
      {"size", &P::size, single},
      {"parameter", &P::parameter, range},
      {"coordinate", &P::coordinate, range},
      {"variable", &P::variable, range},
      {"input", &P::input, range},
      {"signal", &P::signal, range},
      {"let", &P::let, "write  let P[k in 1..N] = ..."},
      {"kinetic", &P::kinetic, ""},
      {"potential", &P::potential, ""},
      {"dissipation", &P::dissipation, ""},
      {"force", &P::force, ""},
      {"torque", &P::torque, ""},
      {"constraint", &P::constraint, ""},
      {"equation", &P::equation, ""},
      {"servo", &P::servo, ""},
      {"output", &P::output, "a vector output is written  output z = [a, b]"},
      {"drive", &P::drive, ""},
      {"initial", &P::initial, ""},
      {"limit", &P::limit, ""},
      {"event", &P::event, single},
      {"draw", &P::draw, ""},
      {"experiment", &P::experiment, single},
      {"part", &P::part, "write  part arm[i in 1..3] = ..."},
      {"for", &P::loop, ""},
      {"measure", &P::measure, single},
      {"state", &P::state, single},
      {"command", &P::command, single},
      {"observe", &P::observe, single},
  }};
  const auto it =
      std::find_if(rules.begin(), rules.end(), [&](const Rule& r) { return r.keyword == keyword; });
  return it == rules.end() ? nullptr : &*it;
}

std::vector<Statement> StatementParser::parse() {
  statements_.clear();
  statement(false);
  expect_end();
  return std::move(statements_);
}

void StatementParser::statement(bool inside_loop) {
  if (!tokens_.at(TokenKind::word)) fail_unknown_statement();
  const Token& keyword = tokens_.peek();
  const Rule* rule = rule_for(tokens_.text(keyword));
  if (!rule) fail_unknown_statement();
  if (inside_loop && !rule->instead_of_loop.empty()) {
    tokens_.fail(keyword, fmt::format("'{}' is not allowed in a 'for'", rule->keyword),
                 std::string(rule->instead_of_loop));
  }
  place_ = tokens_.place(keyword);
  tokens_.take();
  (this->*rule->parse)();
}

void StatementParser::fail_unknown_statement() const {
  const Token& first = tokens_.peek();
  switch (first.kind) {
    case TokenKind::plus:
    case TokenKind::minus:
    case TokenKind::star:
    case TokenKind::slash:
    case TokenKind::caret:
      tokens_.fail_expected("a statement",
                            "to go on from the line above, end that line with the operator");
    case TokenKind::word:
      break;
    default:
      tokens_.fail_expected("a statement");
  }
  const std::string_view word = tokens_.text(first);
  if (is_statement_keyword(word)) {
    tokens_.fail(first, fmt::format("'{}' is not allowed in a 'for'", word),
                 "write it outside the loop");
  }
  const std::string meant = nearest_name(word, statement_keywords());
  std::string help;
  if (tokens_.peek(1).kind == TokenKind::word && tokens_.peek(2).kind == TokenKind::open_paren) {
    help = fmt::format("a part is made with  part {} = {}(...)", tokens_.shown(tokens_.peek(1)),
                       tokens_.shown(first));
  } else if (!meant.empty()) {
    help = fmt::format("did you mean '{}'?", meant);
  } else if (tokens_.peek(1).kind == TokenKind::assign) {
    help = fmt::format("a definition starts with a word: let {0} = ... or parameter {0} = ...",
                       tokens_.shown(first));
  } else if (is_operator_word(word)) {
    help = fmt::format("to go on from the line above, end that line with '{}'", word);
  } else {
    help = "a statement starts with a word such as parameter, coordinate, kinetic or constraint";
  }
  tokens_.fail(first, fmt::format("unknown statement '{}'", tokens_.shown(first)), help);
}

Model StatementParser::model_header() {
  Model model;
  const Token& name = tokens_.expect_name("the name of the model");
  model.name = tokens_.name(name);
  model.place = tokens_.place(name);
  model.doc = doc();
  expect_end();
  return model;
}

Import StatementParser::import() {
  const Token& path = tokens_.expect(TokenKind::text, "a file name in double quotes",
                                     "write  import \"arm.daedal\"");
  const std::string_view quoted = tokens_.text(path);
  Import import{std::string(quoted.substr(1, quoted.size() - 2)), tokens_.place(path), {}};
  if (import.path.empty()) tokens_.fail(path, "the file name is empty");
  if (tokens_.at(TokenKind::open_paren)) {
    const Token open = tokens_.take();
    do {
      const Token& name = tokens_.expect_name("an option");
      tokens_.expect(TokenKind::assign, "'='");
      const Token& value = tokens_.expect(TokenKind::word, "a word");
      import.options.push_back(
          {tokens_.name(name), tokens_.name(value), tokens_.place(name), tokens_.place(value)});
    } while (tokens_.accept(TokenKind::comma));
    tokens_.expect_closing(open);
  }
  expect_end();
  return import;
}

// ---- declarations: name[ranges] "doc" = value [unit] (options) fixed; all but the name may be
// absent

void StatementParser::size() { declare(DeclarationKind::size); }
void StatementParser::parameter() { declare(DeclarationKind::parameter); }
void StatementParser::coordinate() { declare(DeclarationKind::coordinate); }
void StatementParser::variable() { declare(DeclarationKind::variable); }
void StatementParser::input() { declare(DeclarationKind::input); }
void StatementParser::signal() { declare(DeclarationKind::signal); }

void StatementParser::declare(DeclarationKind kind) {
  Declare declare{kind, {}};
  do {
    declare.items.push_back(declaration());
  } while (next_item());
  emit(std::move(declare));
}

Declaration StatementParser::declaration() {
  Declaration item;
  const Token& name = tokens_.expect_name("a name");
  item.name = tokens_.name(name);
  item.place = tokens_.place(name);
  if (tokens_.at_touching(TokenKind::open_bracket)) item.dimensions = formula_.indices();
  item.doc = doc();
  bool options_given = false;
  for (;;) {  // the rest in any order; the printer has one
    if (tokens_.at(TokenKind::assign)) {
      if (item.value) fail_twice("the value");
      tokens_.take();
      item.value = formula_.expression();
    } else if (at_unit()) {
      if (!item.unit.empty()) fail_twice("the unit");
      item.unit = unit(item.unit_place);
    } else if (tokens_.at(TokenKind::open_paren)) {
      if (std::exchange(options_given, true)) fail_twice("the list of options");
      item.options = formula_.arguments();
    } else if (tokens_.at(TokenKind::text) && item.doc.empty()) {
      item.doc = doc();
    } else if (tokens_.at_word("fixed")) {
      if (item.fixed) fail_twice("'fixed'");
      tokens_.take();
      item.fixed = true;
    } else {
      return item;
    }
  }
}

// ---- let

void StatementParser::let() {
  do {
    emit(definition());
  } while (next_item());
}

Let StatementParser::definition() {
  Let let;
  const Token& name = tokens_.expect_name("the name to define");
  let.name = tokens_.name(name);
  let.place = tokens_.place(name);
  if (tokens_.at_touching(TokenKind::open_paren)) {
    let.function = true;
    let.parameters = function_parameters();
  } else if (tokens_.at_touching(TokenKind::open_bracket)) {
    if (formula_.at_bracketed_binder()) {
      let.binder = formula_.bracketed_binder();
    } else {
      let.at = entry_index(let.name);
    }
  }
  let.doc = doc();
  tokens_.expect(TokenKind::assign, "'='", fmt::format("write  let {} = ...", let.name));
  let.value = formula_.expression();
  if (at_unit()) let.unit = unit(let.unit_place);
  return let;
}

// (a, b) of let f(a, b) = ...
std::vector<std::string> StatementParser::function_parameters() {
  const Token& open = tokens_.take();
  std::vector<std::string> list;
  if (tokens_.accept(TokenKind::close_paren)) return list;
  std::set<std::string> seen;
  do {
    const Token& parameter = tokens_.expect_name("the name of an argument");
    list.push_back(tokens_.name(parameter));
    if (!seen.insert(list.back()).second) {
      tokens_.fail(parameter, fmt::format("argument '{}' is named twice", list.back()));
    }
  } while (next_item());
  tokens_.expect_closing(open);
  return list;
}

// [0] of let P[0] = ...
ExpressionPtr StatementParser::entry_index(const std::string& name) {
  const std::size_t from = tokens_.position();
  const std::vector<ExpressionPtr> at = formula_.indices();
  if (at.size() != 1 || std::holds_alternative<Range>(at.front()->node)) {
    tokens_.fail(tokens_.place_since(from),
                 fmt::format("'{}' is defined entry by entry, by one index", name),
                 fmt::format("write  let {0}[k in 1..N] = ...  or  let {0}[0] = ...", name));
  }
  return at.front();
}

// ---- energies, loads, relations

void StatementParser::kinetic() { energy(EnergyKind::kinetic); }
void StatementParser::potential() { energy(EnergyKind::potential); }
void StatementParser::dissipation() { energy(EnergyKind::dissipation); }

void StatementParser::energy(EnergyKind kind) {
  if (tokens_.at(TokenKind::assign) || tokens_.at(TokenKind::colon))
    tokens_.fail_expected("an energy",
                          "write the formula directly after the word:  kinetic m/2*x'^2");
  emit(Energy{kind, formula_.expression()});
}

void StatementParser::force() {
  do {
    Load load;
    load.load = formula_.expression();
    if (!tokens_.at_word("on") && !tokens_.at_word("at")) {
      tokens_.fail_expected("'on' or 'at'", "write  force F on coordinate  or  force F at point");
    }
    load.kind = tokens_.accept_word("on") ? LoadKind::on : LoadKind::at;
    if (load.kind == LoadKind::at) tokens_.take();
    load.target = formula_.expression();
    emit(std::move(load));
  } while (next_item());
}

void StatementParser::torque() {
  do {
    Load load{LoadKind::about, formula_.expression(), nullptr};
    tokens_.expect_word("about", "write  torque tau about angle");
    load.target = formula_.expression();
    emit(std::move(load));
  } while (next_item());
}

void StatementParser::constraint() { relation(RelationKind::constraint); }
void StatementParser::equation() { relation(RelationKind::equation); }
void StatementParser::servo() { relation(RelationKind::servo); }

void StatementParser::relation(RelationKind kind) {
  Relation relation;
  relation.kind = kind;
  relation.place = place_;
  if (tokens_.at_colon_outside_brackets()) relation_header(relation);
  relation.left = formula_.expression();
  if (const auto* test = std::get_if<Compare>(&relation.left->node);
      test != nullptr && test->op == CompareOp::equal)
    tokens_.fail(relation.left->place, "'==' tests whether two values are equal",
                 "a relation has one '=': left = right");
  tokens_.expect(TokenKind::assign, "'='", "a relation has two sides: left = right");
  relation.right = formula_.expression();
  accept_nonlinear(relation);
  emit(std::move(relation));
}

// name[k in 1..N] "doc" (nonlinear):
void StatementParser::relation_header(Relation& relation) {
  const Token& name = tokens_.expect_name("a name before ':'");
  relation.name = tokens_.name(name);
  relation.place = tokens_.place(name);
  if (tokens_.at(TokenKind::open_bracket)) {
    if (!formula_.at_bracketed_binder()) {
      tokens_.fail(tokens_.peek(),
                   fmt::format("an index and its range were expected after '{}'", relation.name),
                   fmt::format("write  {}[k in 1..N]: left = right", relation.name));
    }
    relation.binder = formula_.bracketed_binder();
  }
  relation.doc = doc();
  accept_nonlinear(relation);
  tokens_.expect(TokenKind::colon, "':'");
}

void StatementParser::accept_nonlinear(Relation& relation) {
  const bool bracketed = tokens_.at(TokenKind::open_paren) && tokens_.at_word("nonlinear", 1);
  if (!bracketed && !tokens_.at_word("nonlinear")) return;
  if (relation.nonlinear) fail_twice("'nonlinear'");
  relation.nonlinear = true;
  const Token& open = tokens_.peek();
  if (bracketed) tokens_.take();
  tokens_.take();
  if (bracketed) tokens_.expect_closing(open);
}

void StatementParser::output() {
  do {
    Output output;
    const Token& name = tokens_.expect_name("the name of the output");
    output.name = tokens_.name(name);
    output.place = tokens_.place(name);
    output.doc = doc();
    tokens_.expect(TokenKind::assign, "'='",
                   fmt::format("write  output {} = ...; a vector is [a, b]", output.name));
    output.value = formula_.expression();
    if (at_unit()) output.unit = unit(output.unit_place);
    emit(std::move(output));
  } while (next_item());
}

void StatementParser::drive() {
  do {
    constexpr std::string_view form = "write  drive x by u velocity(lag = 0.1)";
    Drive drive;
    drive.target = formula_.reference("the driven coordinate");
    tokens_.expect_word("by", std::string(form));
    drive.input = formula_.reference("an input");
    if (!tokens_.at_name()) tokens_.fail_expected("'velocity' or 'position'", std::string(form));
    const Token& law = tokens_.take();
    drive.law = tokens_.name(law);
    drive.law_place = tokens_.place(law);
    if (tokens_.at(TokenKind::open_paren)) drive.options = formula_.arguments();
    emit(std::move(drive));
  } while (next_item());
}

void StatementParser::initial() {
  Initial initial;
  do {
    InitialItem item;
    item.target = formula_.reference("a coordinate or variable");
    tokens_.expect(TokenKind::assign, "'='", "write  initial x = 1  or  initial x' = 0 fixed");
    item.value = formula_.expression();
    if (at_unit()) {
      Place place;
      const std::string text = unit(place);
      item.value = formula_.in_unit(std::move(item.value), text, place);
    }
    item.fixed = tokens_.accept_word("fixed");
    initial.items.push_back(std::move(item));
  } while (next_item());
  emit(std::move(initial));
}

void StatementParser::limit() {
  constexpr std::string_view form = "write  limit x in [low, high]";
  Limit limit;
  do {
    LimitItem item;
    item.value = formula_.expression();
    tokens_.expect_word("in", std::string(form));
    const Token& open = tokens_.expect(TokenKind::open_bracket, "'['", std::string(form));
    item.low = formula_.expression();
    tokens_.expect(TokenKind::comma, "','", std::string(form));
    item.high = formula_.expression();
    tokens_.expect_closing(open);
    if (at_unit()) {
      Place place;
      const std::string text = unit(place);
      item.low = formula_.in_unit(std::move(item.low), text, place);
      item.high = formula_.in_unit(std::move(item.high), text, place);
    }
    limit.items.push_back(std::move(item));
  } while (next_item());
  emit(std::move(limit));
}

// ---- events, pictures, experiments, parts, loops

// event name "doc": when condition then action, action, ...
void StatementParser::event() {
  Event event;
  const Token& name = tokens_.expect_name("the name of the event");
  event.name = tokens_.name(name);
  event.place = tokens_.place(name);
  event.doc = doc();
  const std::string form = fmt::format("write  event {}: when condition then action", event.name);
  tokens_.expect(TokenKind::colon, "':'", form);
  tokens_.expect_word("when", form);
  event.condition = formula_.expression();
  tokens_.expect_word("then", form);
  std::optional<EventAction::Kind> kind;
  do {
    const std::size_t from = tokens_.position();
    kind = action_kind(kind);
    event.actions.push_back(action(*kind, from));
  } while (next_item());
  if (tokens_.at_word("and")) tokens_.fail_expected("','", "actions are separated by commas");
  emit(std::move(event));
}

// The word of an action; without one it is that of the action before: release a, b.
EventAction::Kind StatementParser::action_kind(std::optional<EventAction::Kind> before) {
  const bool word_and_target = tokens_.at_name() && tokens_.at_name(1);
  if (before && !word_and_target) return *before;
  if (word_and_target) {
    if (tokens_.accept_word("release")) return EventAction::Kind::release;
    if (tokens_.accept_word("attach")) return EventAction::Kind::attach;
    if (tokens_.accept_word("set")) return EventAction::Kind::set;
  }
  const std::string meant =
      nearest_name(tokens_.text(tokens_.peek()), {"release", "attach", "set"});
  tokens_.fail_expected("'release', 'attach' or 'set'",
                        meant.empty() ? meant : fmt::format("did you mean '{}'?", meant));
}

EventAction StatementParser::action(EventAction::Kind kind, std::size_t from) {
  const bool sets = kind == EventAction::Kind::set;
  EventAction action;
  action.kind = kind;
  action.target = formula_.reference(sets ? "what is set" : "the name of a constraint");
  if (sets) {
    tokens_.expect(TokenKind::assign, "'='", "write  set x' = -x'");
    action.value = formula_.expression();
  }
  if (tokens_.at(TokenKind::open_paren)) action.options = formula_.arguments();
  action.place = tokens_.place_since(from);
  return action;
}

void StatementParser::draw() {
  Draw draw;
  do {
    draw.items.push_back(draw_item());
  } while (next_item());
  emit(std::move(draw));
}

DrawItem StatementParser::draw_item() {
  DrawItem item;
  const Token& shape = tokens_.expect_name("a shape such as line, disc, box, spring or text");
  item.shape = tokens_.name(shape);
  item.place = tokens_.place(shape);
  do {
    if (tokens_.at(TokenKind::end) || tokens_.at(TokenKind::comma))
      tokens_.fail_expected("a point", "write  draw line [0, 0] -> tip, disc tip radius 0.1");
    item.points.push_back(formula_.expression());
  } while (tokens_.accept(TokenKind::arrow));
  std::set<std::string> names;
  while (tokens_.at(TokenKind::word) && !is_operator_word(tokens_.text(tokens_.peek()))) {
    const Token& option = tokens_.take();
    if (!names.insert(tokens_.name(option)).second) {
      tokens_.fail(option, fmt::format("'{}' is given twice", tokens_.text(option)));
    }
    if (tokens_.at(TokenKind::end) || tokens_.at(TokenKind::comma) || tokens_.at(TokenKind::arrow))
      tokens_.fail(
          option, fmt::format("'{}' is read as an option and has no value", tokens_.text(option)),
          fmt::format(
              "points are joined by ->, as in  {} ... -> {}; options have values: radius 0.1",
              item.shape, tokens_.text(option)));
    item.options.push_back({tokens_.name(option), tokens_.place(option), formula_.value()});
  }
  return item;
}

void StatementParser::experiment() {
  Experiment experiment;
  const Token& name = tokens_.expect_name("the name of the experiment");
  experiment.name = tokens_.name(name);
  experiment.place = tokens_.place(name);
  experiment.doc = doc();
  tokens_.expect(TokenKind::colon, "':'",
                 fmt::format("write  experiment {}: simulate(until = 10)", experiment.name));
  experiment.call = formula_.call("what to do, such as simulate(until = 10)");
  emit(std::move(experiment));
}

void StatementParser::part() {
  do {
    Part part;
    const Token& name = tokens_.expect_name("the name of the part");
    part.name = tokens_.name(name);
    part.place = tokens_.place(name);
    if (tokens_.at(TokenKind::open_bracket)) {
      if (!formula_.at_bracketed_binder()) {
        tokens_.fail(tokens_.peek(),
                     fmt::format("an index and its range were expected after '{}'", part.name),
                     fmt::format("write  part {}[i in 1..3] = ...", part.name));
      }
      part.binder = formula_.bracketed_binder();
    }
    part.doc = doc();
    tokens_.expect(TokenKind::assign, "'='",
                   fmt::format("write  part {} = some_model(...)", part.name));
    part.call = formula_.call("the name of a model or element");
    emit(std::move(part));
  } while (next_item());
}

// for k in 1..N: statement
void StatementParser::loop() {
  const TokenCursor::Level level(tokens_);
  const Place place = place_;
  const Binder over = formula_.binder();
  tokens_.expect(TokenKind::colon, "':'", "write  for k in 1..N: statement");
  const std::size_t first = statements_.size();
  statement(true);
  for (std::size_t i = first; i < statements_.size(); ++i) {
    auto body = std::make_shared<const Statement>(std::move(statements_[i]));
    statements_[i] = {place, For{over, std::move(body)}};
  }
}

// ---- small things

std::string StatementParser::doc() {
  if (!tokens_.at(TokenKind::text)) return {};
  const std::string_view quoted = tokens_.text(tokens_.take());
  return std::string(quoted.substr(1, quoted.size() - 2));
}

void StatementParser::fail_twice(std::string_view what) const {
  tokens_.fail(tokens_.peek(), fmt::format("{} is given twice", what));
}

void StatementParser::expect_end() {
  if (tokens_.at(TokenKind::end)) return;
  constexpr std::string_view what = "an operator or the end of the statement";
  switch (tokens_.peek().kind) {
    case TokenKind::open_bracket:
      tokens_.fail_expected(what, "an index bracket touches its name: q[2]");
    case TokenKind::open_paren:
      tokens_.fail_expected(what,
                            "a product needs its '*'; the bracket of a call touches its name");
    case TokenKind::word:
    case TokenKind::number:
      tokens_.fail_expected(what, "a product needs its '*'; statements are separated by ';'");
    case TokenKind::comma:
      tokens_.fail_expected("the end of the statement", "write a second statement");
    case TokenKind::slash:
      tokens_.fail_expected(what, "comments start with '#'");
    case TokenKind::assign:
      tokens_.fail_expected(what, "equality is tested by '=='");
    default:
      tokens_.fail_expected(what);
  }
}

}  // namespace daedal::model
