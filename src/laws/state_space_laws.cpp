// State feedback beyond the regulator: given poles, and integrals of errors that do not stay.
#include "daedal/language/parse.hpp"
#include "daedal/laws/laws.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace daedal::model {

using expr::Expr;
using expr::Leaf;

namespace {

constexpr auto by_name_alone = static_cast<std::size_t>(-1);

}  // namespace

/// along = path: gains that change with time, about the desired motion.
bool ControllerLaws::given_along(const syntax::Call& call) const {
  const syntax::Argument* const given = argument(call, by_name_alone, "along");
  if (given == nullptr) return false;
  const auto* name = std::get_if<syntax::Name>(&given->value->node);
  if (name == nullptr || name->value != "path")
    fault(given->place, fmt::format("'along' of {} is a motion", call.function),
          "write  along = path");
  if (!around_.designer()->has_path())
    fault(given->place,
          fmt::format("{} along the desired motion of a model that has none", call.function),
          "write the desired motion:  servo z = ...");
  if (const syntax::Argument* at = argument(call, by_name_alone, "at"))
    fault(at->place, fmt::format("{} is linearised along the motion, or at a rest", call.function),
          "leave out  at,  or  along");
  return true;
}

/// poles = [-1, -2] are real, pairs = [-1, 2; -3, 4] are -1 +- 2i and -3 +- 4i.
Value ControllerLaws::pole_placement(const syntax::Expression& e, const syntax::Call& call) {
  allow(e, call, 0, {"poles", "pairs", "at", "reference", "period", "delay"});
  const DesignQuestion question = design_question(e, call, {"reference"});
  if (!question.given.contains("poles") && !question.given.contains("pairs"))
    fault(e.place, "pole_placement needs 'poles'",
          "write  poles = [-1, -2],  or  pairs = [-1, 2]  for -1 +- 2i");
  for (const auto& [name, numbers] : question.given) {
    if (name != "poles" && name != "pairs") continue;
    for (const double v : numbers.values)
      if (!std::isfinite(v))
        fault(argument(call, by_name_alone, name)->place,
              fmt::format("'{}' of pole_placement has the entry {}", name, number_text(v)));
  }
  if (const auto pairs = question.given.find("pairs"); pairs != question.given.end()) {
    const Numbers& m = pairs->second;
    const bool one_pair = m.values.size() == 2 && (m.rows == 1 || m.columns == 1);
    if (!one_pair && m.columns != 2)
      fault(argument(call, by_name_alone, "pairs")->place,
            fmt::format("'pairs' of pole_placement is {} x {}", m.rows, m.columns),
            "each row is a real part and an imaginary part:  pairs = [-1, 2; -3, 4]");
  }
  for (const auto& [name, numbers] : question.given) {
    if (name != "poles" && name != "pairs") continue;
    const std::size_t step = name == "pairs" ? 2 : 1;  // real parts
    for (std::size_t k = 0; k < numbers.values.size(); k += step)
      if (numbers.values[k] >= 0)
        around_.warn(
            {Severity::warning,
             argument(call, by_name_alone, name)->value->place,
             fmt::format(
                 "pole_placement: the pole {}{} does not decay", number_text(numbers.values[k]),
                 step == 2 ? fmt::format(" +- {}i", number_text(std::abs(numbers.values[k + 1])))
                           : ""),
             {},
             "poles of a stable loop have real parts below 0, with a clock too"});
  }
  return feedback_of(e, call, question);
}

/// As expressions of the mechanism, whatever the controller measures of them.
Value ControllerLaws::quantities_of(const syntax::Argument& argument) {
  const bool before = controller_.measuring;
  controller_.measuring = true;
  Value value = around_.evaluator().value(*argument.value, scope_);
  controller_.measuring = before;
  return value;
}

/// Derivatives of quantities with respect to the states, at rest.
Numbers ControllerLaws::slopes_of(const Value& quantities, const std::vector<double>& at) {
  const std::vector<Quantity>& states = around_.designer()->states();
  std::vector<Leaf> leaves;
  std::map<Leaf, double> values;
  for (std::size_t k = 0; k < states.size(); ++k) {
    leaves.push_back(
        {around_.model().find(states[k].name), static_cast<std::uint16_t>(states[k].order)});
    values[leaves.back()] = at[k];
  }
  Numbers slopes{static_cast<std::uint32_t>(quantities.entries.size()),
                 static_cast<std::uint32_t>(states.size()),
                 {}};
  for (const Expr quantity : quantities.entries) {
    const std::vector<Expr> gradient = expr::gradient(graph(), quantity, leaves);
    const std::vector<double> here = expr::evaluate(graph(), gradient, [&](Leaf leaf) {
      if (const auto state = values.find(leaf); state != values.end()) return state->second;
      const Symbol& symbol = around_.model().symbols[leaf.symbol];
      if (symbol.kind == SymbolKind::parameter) {
        const Model& believed = around_.designer()->model();
        const expr::SymbolId same = believed.find(symbol.name);
        return same == 0 ? symbol.value : believed.symbols[same].value;
      }
      return 0.0;
    });
    slopes.values.insert(slopes.values.end(), here.begin(), here.end());
  }
  return slopes;
}

/// The regulator with integrals q of the errors e of the quantities `of` as further states: -F (x - reference) - F_q q, q' = e.
/// e is the quantity less what it is at the reference, or less `to`.
Value ControllerLaws::integral_feedback(const syntax::Expression& e, const syntax::Call& call) {
  allow(e, call, 0, {"Q", "R", "N", "at", "reference", "period", "integral", "of", "to"});
  const syntax::Argument* const of = argument(call, by_name_alone, "of");
  if (of == nullptr)
    fault(e.place, "lqi needs 'of'", "write  of = x,  the quantities whose errors it integrates");
  if (argument(call, by_name_alone, "integral") == nullptr)
    fault(e.place, "lqi needs 'integral'",
          "write  integral = 1,  the weights of the integrals of the errors");
  const Value quantities = quantities_of(*of);
  const std::vector<Quantity>& states = designer(e).states();
  for (const Leaf& leaf : expr::leaves(graph(), quantities.entries)) {
    const Symbol& symbol = around_.model().symbols[leaf.symbol];
    const Quantity own{symbol.name, leaf.order};
    if (symbol.kind != SymbolKind::parameter &&
        std::find(states.begin(), states.end(), own) == states.end())
      fault(of->place,
            fmt::format("'of' of lqi contains '{}{}', which is no state", symbol.name,
                        std::string(leaf.order, '\'')),
            "what is integrated depends on states and parameters alone");
  }
  DesignQuestion question = design_question(e, call, {"reference", "of", "to"});
  const std::vector<double>& at = question.given.at("at").values;
  question.given["of"] = slopes_of(quantities, at);
  const std::size_t count = quantities.entries.size();
  for (std::size_t k = 0; k < count; ++k)
    question.names.push_back(print(*of->value) + (count == 1 ? "" : fmt::format("[{}]", k + 1)));
  const Feedback feedback = designer(e).feedback(question);
  bool at_rest = false;
  const std::vector<Expr> target = reference(e, call, at, at_rest);
  std::vector<Expr> command = fed_back(e, feedback, target, at_rest);
  expr::Graph& g = graph();
  // what the quantities should be: `to`, or what they are at the reference
  std::vector<Expr> wanted;
  if (const syntax::Argument* const to = argument(call, by_name_alone, "to")) {
    wanted = around_.evaluator().value(*to->value, scope_).entries;
    if (wanted.size() != count)
      fault(to->place,
            fmt::format("'to' of lqi has {} entries for {} quantities", wanted.size(), count));
  } else {
    wanted = expr::copy(g, quantities.entries, g, [&](Leaf leaf) -> std::optional<Expr> {
      const Quantity own{around_.model().symbols[leaf.symbol].name, leaf.order};
      const auto state = std::find(states.begin(), states.end(), own);
      if (state == states.end()) return std::nullopt;
      return target[static_cast<std::size_t>(state - states.begin())];
    });
  }
  for (std::size_t k = 0; k < count; ++k) {
    const Expr error =
        g.sub(around_.known_to(controller_, quantities.entries[k], of->place), wanted[k]);
    const Expr sum = summed(error, g.constant(0), e.place);
    for (std::size_t i = 0; i < command.size(); ++i)
      command[i] =
          g.sub(command[i], g.mul(g.constant(feedback.integral.values[i * count + k]), sum));
  }
  return command_value(std::move(command));
}

}  // namespace daedal::model
