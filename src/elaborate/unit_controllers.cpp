// Controllers in the check of units: what they measure, the blocks in their formulas, what they command.
//
// A quantity keeps its unit through noise, filters and delays; a law that is designed on the model has that of what it commands.
#include "daedal/language/parse.hpp"
#include "elaborate/unit_check.hpp"

#include <fmt/format.h>

#include <set>

namespace daedal::model {

/// States, and measurements that have a name of their own.
void UnitCheck::know_channels(Instance& controller) {
  const UnitScope scope{&controller, "measure", nullptr};
  for (const syntax::Statement& statement : controller.model->statements) {
    if (const auto* state = std::get_if<syntax::State>(&statement.node))
      channels_[{&controller, state->name}] = unknown_scalar();
    if (const auto* measure = std::get_if<syntax::Measure>(&statement.node))
      for (const syntax::Measurement& item : measure->items)
        if (!item.name.empty()) {
          UnitValue seen = value(*item.value, scope);
          seen.number = UnitValue::Number::no;
          seen.anchored = seen.bare = seen.pure = seen.clock = false;
          channels_[{&controller, item.name}] = std::move(seen);
        }
  }
}

/// Of a name that a controller measures or holds; else nothing.
const UnitValue* UnitCheck::channel(const syntax::Expression& e, const UnitScope& scope) const {
  if (scope.instance->around == nullptr) return nullptr;
  const auto* name = std::get_if<syntax::Name>(&e.node);
  if (name == nullptr) return nullptr;
  const auto known = channels_.find({scope.instance, name->value});
  return known == channels_.end() ? nullptr : &known->second;
}

void UnitCheck::check(const syntax::Measure& measure, const UnitScope& outer) {
  const UnitScope scope = outer.in("measure");
  for (const syntax::Measurement& item : measure.items)
    if (item.name.empty()) value(*item.value, scope);
}

void UnitCheck::check(const syntax::State& state, const UnitScope& outer) {
  const UnitScope scope = outer.in(fmt::format("state '{}'", state.name));
  const UnitValue own = channels_.at({scope.instance, state.name});
  for (const syntax::ExpressionPtr& given : {state.start, state.next}) {
    const UnitValue found = value(*given, scope);
    if (const auto wrong = equate(own, found, given->place))
      fail(
          {given->place,
           fmt::format("state '{}' is in {}, its {} in {}", state.name, text(own.at(0)),
                       given == state.start ? "start value" : "next value", text(found.at(*wrong))),
           "",
           {given.get()}},
          scope);
  }
}

void UnitCheck::check(const syntax::Command& command, const UnitScope& outer) {
  const UnitScope scope = outer.in(fmt::format("the command of '{}'", print(*command.target)));
  const Normalised formula(*this, *command.value, scope);
  const UnitValue target = value(*command.target, scope), found = value(*command.value, scope);
  const auto wrong = equate(target, found, command.value->place);
  if (!wrong) return;
  fail({command.value->place,
        fmt::format("'{}' is in {}, its command in {}", print(*command.target),
                    text(target.at(*wrong)), text(found.at(*wrong))),
        "",
        {command.value.get()}},
       scope);
}

/// The blocks and laws of controllers; nothing where it is none of them.
std::optional<UnitValue> UnitCheck::law(const syntax::Call& call, const UnitScope& scope) {
  static const std::set<std::string, std::less<>> keep{
      "previous", "delay",    "lowpass", "washout", "lead_lag", "notch",     "saturate",
      "quantise", "decimate", "hold",    "noise",   "dropout",  "rate_limit"};
  static const std::set<std::string, std::less<>> others{"integral", "derivative", "pid"};
  const std::string& name = call.function;
  const bool keeps = keep.contains(name);
  if (!keeps && !others.contains(name)) return std::nullopt;
  if (call.arguments.empty()) return UnitValue{};
  const syntax::Expression& quantity = *call.arguments[0].value;
  UnitValue result = value(quantity, scope);
  result.number = UnitValue::Number::no;
  result.now = std::nullopt;
  result.anchored = result.clock = false;
  const DimensionTerm time{dimensions::time, {}};
  for (DimensionTerm& own : result.entries) {
    if (name == "integral") own = own * time;
    if (name == "derivative") own = own / time;
  }
  for (std::size_t k = 1; k < call.arguments.size(); ++k) {
    const syntax::Argument& argument = call.arguments[k];
    const bool bound = name == "saturate" || argument.name == "low" || argument.name == "high";
    if (keeps && bound)
      alike(result, quantity, value(*argument.value, scope), *argument.value,
            fmt::format("arguments of one {}", name), scope);
  }
  if (name != "pid") return result;
  for (const syntax::Argument& argument : call.arguments)
    if (argument.name == "kp") {
      UnitValue gained = multiply(value(*argument.value, scope), result);
      gained.bare = gained.pure = false;
      gained.number = UnitValue::Number::no;
      return gained;
    }
  return UnitValue{};
}

}  // namespace daedal::model
