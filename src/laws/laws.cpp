// Which laws there are, and how they read their arguments.
#include "daedal/laws/laws.hpp"

#include "daedal/language/parse.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <span>

namespace daedal::model {

using expr::Expr;

const std::vector<ControllerLaws::Entry>& ControllerLaws::table() {
  using L = ControllerLaws;
  static const std::vector<Entry> laws{
      {"previous", &L::previous},
      {"delay", &L::delay},
      {"lowpass", &L::lowpass},
      {"washout", &L::washout},
      {"lead_lag", &L::lead_lag},
      {"notch", &L::notch},
      {"integral", &L::integral},
      {"derivative", &L::derivative},
      {"pid", &L::pid},
      {"saturate", &L::saturate},
      {"rate_limit", &L::rate_limit},
      {"quantise", &L::quantise},
      {"hold", &L::hold},
      {"noise", &L::noise},
      {"dropout", &L::dropout},
      {"decimate", &L::decimate},
      {"rest", &L::rest},
      {"weights", &L::weights},
      {"deviations", &L::weights},
      {"lqr", &L::state_feedback},
      {"pole_placement", &L::pole_placement},
      {"lqi", &L::integral_feedback},
      {"sliding_mode", &L::sliding_mode},
      {"disturbance_observer", &L::disturbance_observer},
      {"gravity_compensation", &L::gravity_compensation},
      {"computed_torque", &L::computed_torque},
      {"feedback_linearisation", &L::feedback_linearisation},
      {"acceleration", &L::acceleration},
      {"decoupling_matrix", &L::decoupling_matrix},
      {"mass_matrix", &L::mass_matrix},
      {"kinematics", &L::kinematics},
      {"funnel", &L::funnel},
  };
  return laws;
}

const std::vector<std::string>& ControllerLaws::names() {
  static const std::vector<std::string> list = [] {
    std::vector<std::string> all;
    for (const Entry& entry : table()) all.emplace_back(entry.name);
    return all;
  }();
  return list;
}

std::optional<Value> ControllerLaws::apply(const syntax::Expression& e, const syntax::Call& call) {
  const auto& laws = table();
  const auto law = std::find_if(laws.begin(), laws.end(),
                                [&](const Entry& l) { return l.name == call.function; });
  if (law == laws.end()) return std::nullopt;
  place_ = e.place;
  return controller_.ideal ? ideal(e, call) : (this->*law->law)(e, call);
}

/// Without what a sensor and its line do: noise, lost samples, delays.
Value ControllerLaws::ideal(const syntax::Expression& e, const syntax::Call& call) {
  static const std::vector<std::string> imperfections{
      "lowpass", "delay", "previous", "quantise", "saturate", "dropout", "decimate", "rate_limit"};
  const Value x = value(e, call, 0, call.function == "noise" ? "deviation" : "x");
  if (call.function == "noise") return entrywise(x, [&](Expr) { return graph().constant(0); });
  if (std::find(imperfections.begin(), imperfections.end(), call.function) == imperfections.end())
    controller_.item_filtered = call.function;
  return x;
}

/// By position, or by name.
const syntax::Argument* ControllerLaws::argument(const syntax::Call& call, std::size_t position,
                                                 std::string_view name) const {
  for (std::size_t k = 0; k < call.arguments.size(); ++k)
    if (call.arguments[k].name.empty() ? k == position : call.arguments[k].name == name)
      return &call.arguments[k];
  return nullptr;
}

void ControllerLaws::allow(const syntax::Expression& e, const syntax::Call& call,
                           std::size_t positional,
                           std::initializer_list<std::string_view> names) const {
  std::size_t without_name = 0;
  for (const syntax::Argument& given : call.arguments) {
    if (given.name.empty()) {
      ++without_name;
      continue;
    }
    if (std::find(names.begin(), names.end(), given.name) != names.end()) continue;
    const std::vector<std::string> known(names.begin(), names.end());
    fault(given.place, fmt::format("{} has no option '{}'", call.function, given.name),
          known.empty() ? "" : did_you_mean_or_list(given.name, known));
  }
  if (without_name > positional)
    fault(e.place,
          fmt::format("{} takes {} argument{} without a name, not {}", call.function, positional,
                      positional == 1 ? "" : "s", without_name),
          names.size() > 0 ? fmt::format("its options: {}", fmt::join(names, ", ")) : "");
}

Value ControllerLaws::value(const syntax::Expression& e, const syntax::Call& call,
                            std::size_t position, std::string_view name) {
  const syntax::Argument* const given = argument(call, position, name);
  if (given == nullptr)
    fault(e.place, fmt::format("{} needs '{}'", call.function, name),
          fmt::format("write  {}(..., {} = ...)", call.function, name));
  return around_.evaluator().value(*given->value, scope_);
}

Expr ControllerLaws::scalar(const syntax::Expression& e, const syntax::Call& call,
                            std::size_t position, std::string_view name) {
  return require_scalar(value(e, call, position, name), e.place,
                        fmt::format("'{}' of {}", name, call.function));
}

std::optional<Expr> ControllerLaws::optional_scalar(const syntax::Call& call,
                                                    std::string_view name) {
  constexpr auto nowhere = static_cast<std::size_t>(-1);
  const syntax::Argument* const given = argument(call, nowhere, name);
  if (given == nullptr) return std::nullopt;
  return require_scalar(around_.evaluator().value(*given->value, scope_), given->place,
                        fmt::format("'{}' of {}", name, call.function));
}

/// With the values of parameters that the controller assumes; a sensor has those of the plant.
std::optional<double> ControllerLaws::constant(Expr e, const Place& place) {
  for (const expr::Leaf& leaf : expr::leaves(graph(), std::span(&e, 1))) {
    const Symbol& symbol = around_.model().symbols[leaf.symbol];
    if (symbol.kind != SymbolKind::parameter || symbol.held) return std::nullopt;
  }
  const Expr roots[] = {controller_.measuring ? e : around_.known_to(controller_, e, place)};
  return expr::evaluate(graph(), roots, [&](expr::Leaf leaf) {
    return around_.model().symbols[leaf.symbol].value;
  })[0];
}

/// A value outside makes a block that does nothing, or one that diverges.
void ControllerLaws::require(const syntax::Call& call, std::size_t position, std::string_view name,
                             const Value& value, Range range) {
  const Place& place = argument(call, position, name)->value->place;
  for (const Expr entry : value.entries) {
    const std::optional<double> number = constant(entry, place);
    if (!number) continue;
    const double x = *number;
    const bool holds = std::isfinite(x) && (range == Range::positive       ? x > 0
                                            : range == Range::not_negative ? x >= 0
                                                                           : x >= 0 && x <= 1);
    if (!holds)
      fault(place, fmt::format("'{}' of {} is {}, not {}", name, call.function, number_text(x),
                               range == Range::positive       ? "a number above 0"
                               : range == Range::not_negative ? "0 or more"
                                                              : "a number from 0 to 1"));
  }
}

void ControllerLaws::require_below(const syntax::Call& call, std::size_t position,
                                   std::string_view name, Expr value, double bound,
                                   const std::string& reason) {
  const Place& place = argument(call, position, name)->value->place;
  const std::optional<double> number = constant(value, place);
  if (number && !(*number < bound))
    fault(place,
          fmt::format("'{}' of {} is {}, not below {:.6g}", name, call.function,
                      number_text(*number), bound),
          reason);
}

void ControllerLaws::require_order(const Place& place, const std::string& law, Expr low,
                                   Expr high) {
  const std::optional<double> least = constant(low, place), most = constant(high, place);
  if (least && most && !(*least <= *most))
    fault(place,
          fmt::format("the limits of {} are in the wrong order: {} is above {}", law,
                      number_text(*least), number_text(*most)),
          "the lower limit comes first");
}

Expr ControllerLaws::ranged(const syntax::Expression& e, const syntax::Call& call,
                            std::size_t position, std::string_view name, Range range) {
  const Expr x = scalar(e, call, position, name);
  require(call, position, name, Value::scalar(x), range);
  return x;
}

std::optional<Expr> ControllerLaws::optional_ranged(const syntax::Call& call, std::string_view name,
                                                    Range range) {
  const std::optional<Expr> x = optional_scalar(call, name);
  constexpr auto nowhere = static_cast<std::size_t>(-1);
  if (x) require(call, nowhere, name, Value::scalar(*x), range);
  return x;
}

/// With the values of parameters that the controller assumes.
Numbers ControllerLaws::numbers(const syntax::Argument& argument, const std::string& what) {
  const Value value = around_.evaluator().value(*argument.value, scope_);
  Numbers result{value.shape.rows, value.shape.columns, {}};
  for (const Expr e : value.entries)
    result.values.push_back(around_.evaluator().number(
        around_.known_to(controller_, e, argument.value->place), argument.value->place, what));
  return result;
}

}  // namespace daedal::model
