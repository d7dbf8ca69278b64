// Methods by name: one list per method says which options there are, their ranges and where they
// live.

#include "daedal/solve/method.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <type_traits>

namespace daedal::solve {

namespace {

/// One option as the user sees it: a number in a range, kept in a member of some type.
struct OptionView {
  std::string name;
  double low = 0, high = 0;
  std::string unit;
  bool whole = false;
  double value = 0;
  std::function<void(double)> set;
};

template <class T>
OptionView view(std::string name, T& member, double low, double high, std::string unit = "") {
  return {std::move(name),
          low,
          high,
          std::move(unit),
          !std::is_floating_point_v<T>,
          static_cast<double>(member),
          [&member](double value) { member = static_cast<T>(value); }};
}

constexpr double longest_step = 1e9;  // [s]
constexpr double most_steps = 1e15;   // exact as a double

std::vector<OptionView> options_of(Rk45Options& o) {
  return {view("tolerance", o.tolerance, 1e-15, 0.1), view("step", o.step, 0, longest_step, "s"),
          view("adaptive", o.adaptive, 0, 1), view("max_steps", o.max_steps, 1, most_steps)};
}
std::vector<OptionView> options_of(Radau5Options& o) {
  return {view("tolerance", o.tolerance, 1e-14, 0.1), view("step", o.step, 0, longest_step, "s"),
          view("adaptive", o.adaptive, 0, 1), view("newton_iterations", o.newton_iterations, 3, 50),
          view("max_steps", o.max_steps, 1, most_steps)};
}
std::vector<OptionView> options_of(IdaOptions& o) {
  return {view("tolerance", o.tolerance, 1e-14, 0.1), view("step", o.step, 0, longest_step, "s"),
          view("max_order", o.max_order, 1, 5), view("max_steps", o.max_steps, 1, most_steps)};
}
std::vector<OptionView> options_of(TaylorOptions& o) {
  return {view("tolerance", o.tolerance, 1e-18, 0.1), view("step", o.step, 0, longest_step, "s"),
          view("order", o.order, 0, 60), view("max_steps", o.max_steps, 1, most_steps)};
}
std::vector<OptionView> options_of(Method& method) {
  return std::visit([](auto& options) { return options_of(options); }, method);
}

std::string joined(const std::vector<std::string>& names) {
  return fmt::format("{}", fmt::join(names, ", "));
}

/// "help" for a name that is not among `candidates`: the nearest one, and all of them.
std::string suggestion(std::string_view unknown, const std::vector<std::string>& candidates) {
  const std::string nearest = nearest_name(unknown, candidates);
  const std::string all = "there are " + joined(candidates);
  return nearest.empty() ? all : fmt::format("did you mean '{}'? {}", nearest, all);
}

std::string range_text(const OptionView& option) {
  const std::string unit = option.unit.empty() ? "" : " " + option.unit;
  return fmt::format("{} from {} to {}{}", option.whole ? "a whole number" : "a number", option.low,
                     option.high, unit);
}

bool in_range(const OptionView& option, double value) {
  if (!(value >= option.low && value <= option.high)) return false;  // also refuses NaN
  return !option.whole || value == std::floor(value);
}

Diagnostic out_of_range(std::string_view method, const OptionView& option, double value,
                        const Place& place) {
  return {Severity::error,
          place,
          fmt::format("option '{}' of method '{}' is {}, outside its range", option.name, method,
                      value),
          {},
          fmt::format("'{}' is {}", option.name, range_text(option))};
}

void check_fixed_step(const Method& method, const Place& place, std::vector<Diagnostic>& faults) {
  const auto needs_step = [](const auto& options) {
    if constexpr (requires { options.adaptive; })
      return !options.adaptive && options.step == 0;
    else
      return false;
  };
  if (!std::visit(needs_step, method)) return;
  faults.push_back({Severity::error,
                    place,
                    fmt::format("method '{}' without step control needs a step", name(method)),
                    {},
                    "give  step = <seconds>  beside  adaptive = 0"});
}

std::vector<Diagnostic> check_at(const Method& method, const Place& place) {
  std::vector<Diagnostic> faults;
  Method copy = method;
  for (const OptionView& option : options_of(copy))
    if (!in_range(option, option.value))
      faults.push_back(out_of_range(name(method), option, option.value, place));
  check_fixed_step(method, place, faults);
  return faults;
}

Method default_method(std::string_view name, const Place& place) {
  if (name == "rk45") return Rk45Options{};
  if (name == "radau5") return Radau5Options{};
  if (name == "ida") return IdaOptions{};
  if (name == "taylor") return TaylorOptions{};
  throw ModelError({Severity::error,
                    place,
                    fmt::format("unknown method '{}'", name),
                    {},
                    suggestion(name, method_names())});
}

}  // namespace

std::string_view name(const Method& method) {
  return std::visit(
      [](const auto& options) -> std::string_view {
        using T = std::decay_t<decltype(options)>;
        if constexpr (std::is_same_v<T, Rk45Options>)
          return "rk45";
        else if constexpr (std::is_same_v<T, Radau5Options>)
          return "radau5";
        else if constexpr (std::is_same_v<T, IdaOptions>)
          return "ida";
        else
          return "taylor";
      },
      method);
}

const std::vector<std::string>& method_names() {
  static const std::vector<std::string> names = {"rk45", "radau5", "ida", "taylor"};
  return names;
}

double tolerance(const Method& method) {
  return std::visit([](const auto& options) { return options.tolerance; }, method);
}

std::vector<Diagnostic> check(const Method& method) { return check_at(method, {}); }

Method make_method(std::string_view name, const std::map<std::string, double>& values,
                   const Place& place) {
  Method method = default_method(name, place);
  std::vector<OptionView> options = options_of(method);
  std::vector<std::string> known;
  for (const OptionView& option : options) known.push_back(option.name);

  std::vector<Diagnostic> faults;
  for (const auto& [key, value] : values) {
    const auto option =
        std::find_if(options.begin(), options.end(),
                     [&wanted = key](const OptionView& o) { return o.name == wanted; });
    if (option == options.end()) {
      faults.push_back({Severity::error,
                        place,
                        fmt::format("method '{}' has no option '{}'", name, key),
                        {},
                        suggestion(key, known)});
    } else if (!in_range(*option, value)) {
      faults.push_back(out_of_range(name, *option, value, place));
    } else {
      option->set(value);
    }
  }
  if (faults.empty()) check_fixed_step(method, place, faults);
  if (!faults.empty()) throw ModelError(std::move(faults));
  return method;
}

}  // namespace daedal::solve
