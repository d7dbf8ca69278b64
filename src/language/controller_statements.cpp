// Controllers: their header, and the statements that no other block contains.
#include "language/statement_parser.hpp"

#include <fmt/format.h>

#include <utility>

namespace daedal::model {

using namespace syntax;

// controller name "doc" every 10 ms
Controller StatementParser::controller_header(std::shared_ptr<Model> block) {
  constexpr std::string_view form = "write  controller tracking every 10 ms";
  const Token& name = tokens_.expect_name("the name of the controller");
  block->name = tokens_.name(name);
  block->place = tokens_.place(name);
  block->doc = doc();
  Controller controller{std::move(block), nullptr, {}};
  if (tokens_.accept_word("every")) {
    controller.period = formula_.expression();
    if (at_unit()) {
      Place place;
      controller.unit = unit(place);
    } else if (tokens_.at_name()) {
      controller.unit = tokens_.name(tokens_.take());
    }
    if (!controller.unit.empty() && controller.unit != "s" && controller.unit != "ms" &&
        controller.unit != "us")
      tokens_.fail(
          controller.block->place,
          fmt::format("the period of a controller is in s, ms or us, not in '{}'", controller.unit),
          std::string(form));
  } else if (!tokens_.at(TokenKind::end)) {
    tokens_.fail_expected("'every' or the end of the line", std::string(form));
  }
  expect_end();
  return controller;
}

// measure x + noise(1e-3), s = cable.force
void StatementParser::measure() {
  Measure measure;
  do {
    Measurement item;
    if (tokens_.at_name() && tokens_.peek(1).kind == TokenKind::assign) {
      const Token& name = tokens_.take();
      item.name = tokens_.name(name);
      tokens_.take();
    }
    item.value = formula_.expression();
    item.place = item.value->place;
    measure.items.push_back(std::move(item));
  } while (next_item());
  emit(std::move(measure));
}

// state i "doc" = 0 next i + T*e
void StatementParser::state() {
  do {
    State state;
    const Token& name = tokens_.expect_name("the name of the state");
    const std::string form =
        fmt::format("write  state {0} = 0 next {0} + ...", tokens_.shown(name));
    state.name = tokens_.name(name);
    state.place = tokens_.place(name);
    state.doc = doc();
    tokens_.expect(TokenKind::assign, "'='", form);
    state.start = formula_.expression();
    tokens_.expect_word("next", form);
    state.next = formula_.expression();
    emit(std::move(state));
  } while (next_item());
}

// command u = e  or  command [u, v] = e
void StatementParser::command() {
  Command command;
  command.target = formula_.expression();
  tokens_.expect(TokenKind::assign, "'='", "write  command u = ...  or  command [u, v] = ...");
  command.value = formula_.expression();
  emit(std::move(command));
}

// observe ukf(...)
void StatementParser::observe() { emit(Observe{formula_.call("an observer, such as ukf(...)")}); }

}  // namespace daedal::model
