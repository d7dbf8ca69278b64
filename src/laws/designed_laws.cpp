// Laws that are designed on the model that a controller assumes: state feedback, states of rest, the desired motion.
#include "daedal/laws/laws.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace daedal::model {

using expr::Expr;

Designer& ControllerLaws::designer(const syntax::Expression& e) const {
  if (around_.designer() == nullptr) follow_up_fault();
  (void)e;
  return *around_.designer();
}

/// As the controller knows it.
Expr ControllerLaws::quantity(const Quantity& quantity, const Place& place) {
  const expr::SymbolId symbol = around_.model().find(quantity.name);
  if (symbol == 0) fault(place, fmt::format("the plant has no '{}'", quantity.name));
  return around_.known_to(
      controller_, graph().leaf({symbol, static_cast<std::uint16_t>(quantity.order)}), place);
}

Value ControllerLaws::desired(const std::vector<Quantity>& quantities, const Place& place) {
  std::vector<Expr> entries;
  for (const Quantity& q : quantities) {
    const std::uint16_t index = graph().add_spline(around_.designer()->desired(q, place));
    entries.push_back(graph().spline(index, graph().leaf({expr::time_symbol, 0})));
  }
  return Value::vector(std::move(entries));
}

/// u, x, or one quantity of the desired motion.
ControllerLaws::OfMotion ControllerLaws::named_in_motion(const syntax::Expression& e,
                                                         const std::string& name) {
  Designer& designs = designer(e);
  const Model& believed = designs.model();
  if (believed.find(name) == 0 && name == "x") return {designs.states(), false};
  std::vector<Quantity> found;
  for (const Symbol& symbol : believed.symbols) {
    const bool all_inputs = name == "u" && believed.find("u") == 0;
    if (all_inputs && symbol.kind == SymbolKind::input) found.push_back({symbol.name});
    if (!all_inputs && (symbol.name == name || symbol.name.starts_with(name + "[")))
      found.push_back({symbol.name});
  }
  if (name == "u" && believed.find("u") == 0 && !controller_.commanded.empty()) {
    found.clear();  // in the order of the commands
    for (const std::string& input : controller_.commanded) found.push_back({input});
  }
  if (found.empty()) {
    std::vector<std::string> names{"u", "x"};
    for (const Symbol& symbol : believed.symbols)
      if (symbol.kind != SymbolKind::parameter && symbol.kind != SymbolKind::time)
        names.push_back(symbol.name);
    fault(e.place, fmt::format("the desired motion has no '{}'", name),
          did_you_mean_or_list(name, names));
  }
  const bool whole = name == "u" && believed.find("u") == 0;
  const bool scalar = found.size() == 1 && (whole || found[0].name == name);
  return {std::move(found), scalar};
}

Value ControllerLaws::path(const syntax::Expression& e, const std::string& name) {
  const OfMotion wanted = named_in_motion(e, name);
  Value value = desired(wanted.quantities, e.place);
  return wanted.scalar ? Value::scalar(value.entries[0]) : value;
}

Value ControllerLaws::inverse(const syntax::Expression& e, const std::string& name) {
  const OfMotion wanted = named_in_motion(e, name);
  step_inverse(e);
  std::vector<Expr> entries;
  for (const Quantity& q : wanted.quantities) {
    const auto found = controller_.stepped.find(q.name);
    if (found == controller_.stepped.end() ||
        static_cast<std::size_t>(q.order) >= found->second.size())
      fault(e.place,
            fmt::format("the steps of the inverse model do not find '{}{}'", q.name,
                        std::string(static_cast<std::size_t>(q.order), '\'')),
            fmt::format("path.{}  has it", q.name));
    entries.push_back(found->second[static_cast<std::size_t>(q.order)]);
  }
  return wanted.scalar ? Value::scalar(entries[0]) : Value::vector(std::move(entries));
}

/// name = number, for a function of quantities of the model: rest(x = 1), weights(x = 10, x' = 1).
std::map<std::string, double> ControllerLaws::named_numbers(const syntax::Expression& e,
                                                            const syntax::Call& call) {
  std::map<std::string, double> named;
  for (const syntax::Argument& given : call.arguments) {
    if (given.name.empty())
      fault(e.place, fmt::format("the arguments of {} have names", call.function),
            fmt::format("write  {}({} = 1)", call.function,
                        designer(e).states().empty() ? "x" : designer(e).states()[0].name));
    const Numbers value = numbers(given, fmt::format("'{}' of {}", given.name, call.function));
    if (value.values.size() != 1)
      fault(given.place, fmt::format("'{}' of {} is a number", given.name, call.function));
    named[given.name] = value.values[0];
  }
  return named;
}

Value ControllerLaws::rest(const syntax::Expression& e, const syntax::Call& call) {
  std::vector<Expr> entries;
  for (const double x : designer(e).rest(named_numbers(e, call), controller_.commanded, e.place))
    entries.push_back(graph().constant(x));
  return Value::vector(std::move(entries));
}

Value ControllerLaws::weights(const syntax::Expression& e, const syntax::Call& call) {
  std::map<std::string, double> named = named_numbers(e, call);
  double others = 0;
  if (const auto given = named.extract("others")) others = given.mapped();
  std::vector<Expr> entries;
  std::vector<std::string> names;
  for (const Quantity& q : designer(e).states()) {
    names.push_back(q.name + std::string(static_cast<std::size_t>(q.order), '\''));
    const auto own = named.extract(names.back());
    entries.push_back(graph().constant(own ? own.mapped() : others));
  }
  if (!named.empty())
    fault(e.place, fmt::format("there is no state '{}'", named.begin()->first),
          did_you_mean_or_list(named.begin()->first, names));
  return Value::vector(std::move(entries));
}

/// lqr(...), as a question to the designer: numbers, and where to linearise. `expressions` are arguments that are none.
DesignQuestion ControllerLaws::design_question(
    const syntax::Expression& e, const syntax::Call& call,
    std::initializer_list<std::string_view> expressions) {
  Designer& designs = designer(e);
  const std::size_t size = designs.states().size();
  DesignQuestion question{call.function,           e.place, controller_.commanded,
                          controller_.made.period, {},      {}};
  for (const syntax::Argument& given : call.arguments)
    if (given.name != "delay" &&
        std::find(expressions.begin(), expressions.end(), given.name) == expressions.end())
      question.given[given.name] =
          numbers(given, fmt::format("'{}' of {}", given.name, call.function));
  question.delay = delay_of(e, call);
  if (const auto period = question.given.extract("period")) {  // the clock may be another one
    question.period = period.mapped().values[0];
    if (period.mapped().values.size() != 1 || !(question.period >= 0))
      fault(e.place, fmt::format("'period' of {} is a time [s], or 0 for a continuous feedback",
                                 call.function));
  }
  if (const auto at = question.given.find("at");
      at != question.given.end() && at->second.values.size() != size)
    fault(e.place,
          fmt::format("'at' of {} has {} entries, the state {}", call.function,
                      at->second.values.size(), size),
          "write  at = rest(x = 1)");
  if (question.delay > 0 && question.period != controller_.made.period)
    fault(e.place,
          fmt::format("'delay' of {} is that of the samples of controller '{}'", call.function,
                      controller_.made.name),
          "leave 'period' out");
  question.along = given_along(call);
  if (question.delay > 0 && question.along)
    fault(argument(call, static_cast<std::size_t>(-1), "delay")->place,
          fmt::format("{} with gains that change with time does not predict over a delay",
                      call.function),
          "leave  along  or  delay  out");
  if (!question.given.contains("at") && !question.along)
    question.given["at"] = {static_cast<std::uint32_t>(size), 1,
                            designs.rest({}, controller_.commanded, e.place)};
  return question;
}

/// The time [s] from the moment that a sample shows to the moment at which its command acts.
double ControllerLaws::delay_of(const syntax::Expression& e, const syntax::Call& call) {
  const syntax::Argument* const given = argument(call, static_cast<std::size_t>(-1), "delay");
  if (given == nullptr) return 0;
  need_clock(e, fmt::format("'delay' of {}", call.function), "");
  const Numbers delay = numbers(*given, fmt::format("'delay' of {}", call.function));
  if (delay.values.size() != 1 || !(delay.values[0] >= 0) || !std::isfinite(delay.values[0]))
    fault(given->value->place, fmt::format("'delay' of {} is a time of 0 s or more", call.function),
          "it is the dead time of the command, and that of what is measured beside it");
  return delay.values[0];
}

/// What was fed back before and does not show yet in the states: answer - sum_j past_j (answer of j samples ago).
void ControllerLaws::predict(std::vector<Expr>& answer, const std::vector<Numbers>& past,
                             const Place& place) {
  expr::Graph& g = graph();
  std::vector<std::vector<Expr>> kept;  // by age, and input
  for (const Numbers& gains : past) {
    kept.emplace_back();
    for (std::uint32_t i = 0; i < gains.rows; ++i) kept.back().push_back(memory("past", 0, place));
    for (std::uint32_t i = 0; i < gains.rows; ++i)
      for (std::uint32_t j = 0; j < gains.columns; ++j) {
        const double gain = gains.values[std::size_t{i} * gains.columns + j];
        if (gain != 0) answer[i] = g.sub(answer[i], g.mul(g.constant(gain), kept.back()[j]));
      }
  }
  for (std::size_t age = 0; age < kept.size(); ++age)
    for (std::size_t i = 0; i < kept[age].size(); ++i)
      remember(kept[age][i], age == 0 ? answer[i] : kept[age - 1][i]);
}

/// A plant with other sizes has other states, and those of the same names need not be the same: q[1] of a beam of three
/// elements, and of one of five. An observer estimates those that the law is designed for.
void ControllerLaws::warn_of_other_states(const syntax::Expression& e) {
  if (controller_.made.observation) return;
  const Model &believed = designer(e).model(), &plant = around_.model();
  const auto size = std::ranges::find_if(plant.sizes, [&](const auto& known) {
    const auto same = believed.sizes.find(known.first);
    return same != believed.sizes.end() && same->second != known.second;
  });
  const auto is_state = [](const Symbol& s) {
    return s.kind == SymbolKind::coordinate || s.kind == SymbolKind::variable;
  };
  const auto is_other = [&](const Symbol& s) {
    return is_state(s) && !s.name.starts_with(controller_.made.name + ".") &&
           s.name.ends_with("]") && believed.find(s.name) == 0;
  };
  if (size == plant.sizes.end() || std::ranges::none_of(plant.symbols, is_other)) return;
  const auto& [name, value] = *size;
  around_.warn(
      {Severity::warning,
       e.place,
       fmt::format(
           "{}: {} is {} in the plant and {} in the model in which controller '{}' believes: "
           "it takes the states of the plant by their names",
           std::get<syntax::Call>(e.node).function, name, value, believed.sizes.at(name),
           controller_.made.name),
       {},
       "measure outputs that mean the same in both, and estimate the states:  observe "
       "kalman(...)"});
}

/// -F (x - target), at rest about the inputs that hold it.
std::vector<Expr> ControllerLaws::fed_back(const syntax::Expression& e, const Feedback& feedback,
                                           const std::vector<Expr>& target, bool at_rest) {
  warn_of_other_states(e);
  expr::Graph& g = graph();
  std::vector<Expr> command;
  for (std::uint32_t i = 0; i < feedback.gain.rows; ++i) {
    Expr sum = g.constant(at_rest && feedback.past.empty() ? feedback.rest[i] : 0);
    for (std::uint32_t j = 0; j < feedback.gain.columns; ++j) {
      const std::size_t entry = std::size_t{i} * feedback.gain.columns + j;
      const Expr f = feedback.gains.empty() ? g.constant(feedback.gain.values[entry])
                                            : g.spline(g.add_spline(feedback.gains[entry]),
                                                       g.leaf({expr::time_symbol, 0}));
      if (g.is_constant(f, 0)) continue;
      const Expr departure = g.sub(quantity(designer(e).states()[j], e.place), target[j]);
      sum = g.sub(sum, g.mul(f, departure));
    }
    command.push_back(sum);
  }
  if (feedback.past.empty()) return command;
  predict(command, feedback.past, e.place);
  for (std::size_t i = 0; i < command.size() && at_rest; ++i)
    command[i] = g.add(g.constant(feedback.rest[i]), command[i]);
  return command;
}

/// -F (x - reference): about the desired motion, or what else is given. A model without desired motion is held at rest,
/// u_rest - F (x - rest).
Value ControllerLaws::state_feedback(const syntax::Expression& e, const syntax::Call& call) {
  allow(e, call, 0, {"Q", "R", "N", "at", "reference", "period", "along", "delay"});
  return feedback_of(e, call, design_question(e, call, {"reference", "along"}));
}

Value ControllerLaws::feedback_of(const syntax::Expression& e, const syntax::Call& call,
                                  const DesignQuestion& question) {
  const Feedback feedback = designer(e).feedback(question);
  bool at_rest = false;
  const std::vector<double> rest = question.along ? std::vector<double>(designer(e).states().size())
                                                  : question.given.at("at").values;
  const std::vector<Expr> target = reference(e, call, rest, at_rest);
  return command_value(fed_back(e, feedback, target, at_rest));
}

Value ControllerLaws::command_value(std::vector<Expr> command) {
  return command.size() == 1 ? Value::scalar(command[0]) : Value::vector(std::move(command));
}

/// What the state should be.
std::vector<Expr> ControllerLaws::reference(const syntax::Expression& e, const syntax::Call& call,
                                            const std::vector<double>& rest, bool& at_rest) {
  Designer& designs = designer(e);
  constexpr auto nowhere = static_cast<std::size_t>(-1);
  if (const syntax::Argument* given = argument(call, nowhere, "reference")) {
    Value value = around_.evaluator().value(*given->value, scope_);
    if (value.entries.size() != rest.size())
      fault(given->place,
            fmt::format("'reference' of {} has {} entries, the state {}", call.function,
                        value.entries.size(), rest.size()),
            "write  reference = path.x  or  reference = rest(x = 1)");
    return std::move(value.entries);
  }
  if (designs.has_path()) return desired(designs.states(), e.place).entries;
  at_rest = true;
  std::vector<Expr> entries;
  for (const double x : rest) entries.push_back(graph().constant(x));
  return entries;
}

}  // namespace daedal::model
