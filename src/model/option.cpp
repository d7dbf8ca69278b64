#include "daedal/language/parse.hpp"
#include "daedal/model/evaluator.hpp"
#include "daedal/model/functions.hpp"
#include "daedal/model/model.hpp"

#include <fmt/format.h>

namespace daedal::model {

namespace {

/// Options of the command line know no model, so there is nothing to resolve.
class NoModel : public Surroundings {
  const Thing& resolve(Instance&, Entry& entry, const Place&) override { return entry.thing; }
  expr::SymbolId drive_force(expr::SymbolId coordinate, const Place&) override {
    return coordinate;
  }
};

}  // namespace

Option read_option(const syntax::Argument& argument,
                   const std::function<std::vector<double>(const syntax::Expression&)>& numbers,
                   const std::function<bool(const std::string&)>& is_word) {
  const syntax::Expression& value = *argument.value;
  Option option;
  option.name = argument.name;
  option.name_place = argument.place;
  option.place = value.place;
  option.text = print(value);
  const auto* name = std::get_if<syntax::Name>(&value.node);
  const auto* call = std::get_if<syntax::Call>(&value.node);
  if (name != nullptr && is_word(name->value)) {
    option.word = name->value;
  } else if (call != nullptr && call->part == nullptr && is_word(call->function)) {
    option.word = call->function;
    for (const syntax::Argument& inner : call->arguments)
      option.options.push_back(read_option(inner, numbers, is_word));
  } else {
    option.numbers = numbers(value);
  }
  return option;
}

syntax::ExpressionPtr parse_expression(const std::string& text, const std::string& what) {
  Diagnostics faults;
  syntax::ExpressionPtr expression =
      parse_expression(std::make_shared<SourceFile>(what, text), faults);
  faults.throw_if_errors();
  return expression;
}

Option parse_option(const std::string& text, const std::string& what) {
  const syntax::ExpressionPtr expression = parse_expression(text, what);
  expr::Graph graph;
  const Symbols symbols{{"t", SymbolKind::time, "s", "time", {}, 0, 1}};
  NoModel no_model;
  Algebra algebra(graph, {});
  Evaluator evaluator(algebra, symbols, no_model);
  Instance instance;
  const auto numbers = [&](const syntax::Expression& e) {
    std::vector<double> values;
    for (const expr::Expr entry : evaluator.value(e, {&instance, what, nullptr}).entries)
      values.push_back(evaluator.number(entry, e.place, what));
    return values;
  };
  const auto is_word = [](const std::string& name) {
    return !is_builtin(name) && name != "pi" && name != "t";
  };
  try {
    return read_option({what, {}, expression}, numbers, is_word);
  } catch (const Fault& fault) {
    throw ModelError(Diagnostic{Severity::error, fault.place, fault.message, {}, fault.help});
  }
}

}  // namespace daedal::model
