// Methods by name: one list per method defines its options, their ranges and where they
// are stored.

#include "daedal/integrate/method.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <type_traits>
#include <utility>

namespace daedal::solve {

namespace {

/// One option as the user sees it: a number in a range, or one of several words (kept by its index).
struct OptionView {
  std::string name;
  double low = 0, high = 0;
  std::string unit;
  bool whole = false;
  double value = 0;
  std::function<void(double)> set;
  std::vector<std::string> words;
};

template <class T>
OptionView view(std::string name, T& member, double low, double high, std::string unit = "") {
  return {std::move(name),
          low,
          high,
          std::move(unit),
          !std::is_floating_point_v<T>,
          static_cast<double>(member),
          [&member](double value) { member = static_cast<T>(value); },
          {}};
}

constexpr double longest_step = 1e9, shortest_step = 1e-12;  // [s]
constexpr double most_steps = 1e15;                          // exact as a double

template <class Options>
concept FixedStep = !requires(Options & o) {
  o.tolerance;
};
template <class Options>
concept ExplicitAdaptive = std::is_same_v<Options, Rk45Options> ||
    std::is_same_v<Options, Rk23Options> || std::is_same_v<Options, Dop853Options>;

OptionView view(std::string name, JacobianKind& member) {
  OptionView option = view(std::move(name), member, 0, 2);
  option.words = {"exact", "difference", "broyden"};
  return option;
}

template <FixedStep Options>
std::vector<OptionView> options_of(Options& o) {
  std::vector<OptionView> options;
  if constexpr (requires { o.order; }) options.push_back(view("order", o.order, 1, 6));
  if constexpr (requires { o.spectral_radius; })
    options.push_back(view("spectral_radius", o.spectral_radius, 0, 1));
  options.push_back(view("step", o.step, shortest_step, longest_step, "s"));
  if constexpr (requires { o.newton_iterations; })
    options.push_back(view("newton_iterations", o.newton_iterations, 1, 200));
  if constexpr (requires { o.newton; }) {
    options.push_back(view("jacobian", o.newton.jacobian));
    options.push_back(view("renew", o.newton.renew, 1, 1e6));
    options.push_back(view("newton_iterations", o.newton.newton_iterations, 1, 200));
    options.push_back(view("newton_tolerance", o.newton.newton_tolerance, 1e-15, 1e-3));
  }
  options.push_back(view("max_steps", o.max_steps, 1, most_steps));
  return options;
}
template <ExplicitAdaptive Options>
std::vector<OptionView> options_of(Options& o) {
  return {view("tolerance", o.tolerance, 1e-15, 0.1), view("step", o.step, 0, longest_step, "s"),
          view("adaptive", o.adaptive, 0, 1), view("max_steps", o.max_steps, 1, most_steps)};
}
std::vector<OptionView> options_of(Radau5Options& o) {
  return {view("tolerance", o.tolerance, 1e-14, 0.1),
          view("step", o.step, 0, longest_step, "s"),
          view("adaptive", o.adaptive, 0, 1),
          view("newton_iterations", o.newton_iterations, 3, 50),
          view("jacobian", o.jacobian),
          view("renew", o.renew, 1, 1e6),
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
  if (!option.words.empty()) return "one of " + joined(option.words);
  const std::string unit = option.unit.empty() ? "" : " " + option.unit;
  return fmt::format("{} from {} to {}{}", option.whole ? "a whole number" : "a number", option.low,
                     option.high, unit);
}

/// The number an option keeps: itself, or the place of a word in the list; NaN when there is none.
double kept_number(const OptionView& option, const OptionValue& value) {
  const auto found = std::find(option.words.begin(), option.words.end(), value.word);
  if (found != option.words.end()) return static_cast<double>(found - option.words.begin());
  const bool number_wanted = option.words.empty() && value.word.empty();
  return number_wanted ? value.number : std::numeric_limits<double>::quiet_NaN();
}

bool in_range(const OptionView& option, double value) {
  if (!(value >= option.low && value <= option.high)) return false;  // also refuses NaN
  return !option.whole || value == std::floor(value);
}

Diagnostic out_of_range(std::string_view method, const OptionView& option, const OptionValue& value,
                        const Place& place) {
  return {Severity::error,
          place,
          fmt::format("option '{}' of method '{}' is {}, outside its range", option.name, method,
                      value.word.empty() ? fmt::format("{}", value.number) : value.word),
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
                    "give  step = <seconds>  with  adaptive = 0"});
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

/// Every method with its defaults, in the order of the variant.
template <std::size_t... I>
std::vector<Method> all_methods(std::index_sequence<I...>) {
  return {Method(std::in_place_index<I>)...};
}
const std::vector<Method>& all_methods() {
  static const std::vector<Method> methods =
      all_methods(std::make_index_sequence<std::variant_size_v<Method>>());
  return methods;
}

Method default_method(std::string_view wanted, const Place& place) {
  for (const Method& method : all_methods())
    if (name(method) == wanted) return method;
  throw ModelError({Severity::error,
                    place,
                    fmt::format("unknown method '{}'", wanted),
                    {},
                    suggestion(wanted, method_names())});
}

}  // namespace

std::string_view name(const Method& method) {
  return std::visit([](const auto& options) { return options.name; }, method);
}

const std::vector<std::string>& method_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> result;
    for (const Method& method : all_methods()) result.emplace_back(name(method));
    return result;
  }();
  return names;
}

double tolerance(const Method& method) {
  return std::visit(
      [](const auto& options) {
        if constexpr (requires { options.tolerance; })
          return options.tolerance;
        else
          return 0.0;
      },
      method);
}

double fixed_step(const Method& method) {
  return std::visit(
      [](const auto& options) {
        if constexpr (requires { options.adaptive; })
          return options.adaptive ? 0.0 : options.step;
        else if constexpr (requires { options.tolerance; })
          return 0.0;
        else
          return options.step;
      },
      method);
}

std::vector<Diagnostic> check(const Method& method) { return check_at(method, {}); }

Method make_method(std::string_view name, const std::map<std::string, OptionValue>& values,
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
    } else if (const double number = kept_number(*option, value); in_range(*option, number)) {
      option->set(number);
    } else {
      faults.push_back(out_of_range(name, *option, value, place));
    }
  }
  // radau5(step = h), alone among methods of both kinds, is used with equal steps as often as with control
  if (auto* radau = std::get_if<Radau5Options>(&method))
    if (radau->step > 0 && !values.contains("tolerance") && !values.contains("adaptive"))
      radau->adaptive = false;
  if (faults.empty()) check_fixed_step(method, place, faults);
  if (!faults.empty()) throw ModelError(std::move(faults));
  return method;
}

}  // namespace daedal::solve
