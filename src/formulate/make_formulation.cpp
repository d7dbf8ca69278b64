// Formulations by name, with options in the words of the language.
#include "daedal/formulate/make_formulation.hpp"

#include "daedal/base/diagnostic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace daedal::formulate {

namespace {

[[noreturn]] void name_fault(const model::Option& option, std::string message,
                             std::string help = {}) {
  throw ModelError(
      Diagnostic{Severity::error, option.name_place, std::move(message), {}, std::move(help)});
}

[[noreturn]] void option_fault(const model::Option& option, std::string message,
                               std::string help = {}) {
  throw ModelError(
      Diagnostic{Severity::error, option.place, std::move(message), {}, std::move(help)});
}

double one_number(const model::Option& option) {
  if (option.numbers.size() != 1)
    option_fault(option,
                 fmt::format("'{}' must be one number, not '{}'", option.name, option.text));
  return option.numbers[0];
}

/// c'' + a1 c' + a0 c = 0: with a negative coefficient violations grow. Squared, for a pole is.
double coefficient(const model::Option& option, double value) {
  if (!(value >= 0))
    option_fault(option,
                 fmt::format("'{}' has {}: c'' + a1 c' + a0 c = 0 would let violations grow",
                             option.name, value),
                 "coefficients and poles are 0 or more, as in  baumgarte(pole = 5)");
  if (!std::isfinite(value * value))
    option_fault(option, fmt::format("'{}' has {}, which is too large", option.name, value),
                 "a pole far above 1/step makes the equations stiff; try  baumgarte(auto)");
  return value;
}

Formulation read_baumgarte(const model::Option& option, const derive::Dae& dae) {
  Formulation result;
  result.kind = Kind::baumgarte;
  bool given = false;
  for (const model::Option& o : option.options) {
    if (o.name.empty() && o.word == "auto") {
      result.automatic = given = true;
    } else if (o.name.empty()) {
      option_fault(o, fmt::format("baumgarte does not know what '{}' is", o.text),
                   "write  baumgarte(auto)  or  baumgarte(pole = 5)");
    } else if (o.name == "pole") {
      const double pole = coefficient(o, one_number(o));
      result.all = {2 * pole, pole * pole};
      given = true;
    } else if (o.name == "a1") {
      result.all.a1 = coefficient(o, one_number(o));
      given = true;
    } else if (o.name == "a0") {
      result.all.a0 = coefficient(o, one_number(o));
      given = true;
    } else {
      const bool known = std::any_of(dae.model->constraints.begin(), dae.model->constraints.end(),
                                     [&](const model::Relation& c) {
                                       return c.name == o.name || c.name.starts_with(o.name + "[");
                                     });
      if (!known) {
        std::vector<std::string> names{"pole", "a1", "a0"};
        for (const model::Relation& c : dae.model->constraints) names.push_back(c.name);
        const std::string near = nearest_name(o.name, names);
        name_fault(
            o,
            fmt::format("baumgarte has no option '{}', and there is no constraint of that name",
                        o.name),
            near.empty() ? "options: pole, a1 and a0, or the name of a constraint = [a1, a0]"
                         : fmt::format("did you mean '{}'?", near));
      }
      if (o.numbers.size() != 2)
        option_fault(o, fmt::format("'{}' takes two numbers [a1, a0], not '{}'", o.name, o.text));
      result.each[o.name] = {coefficient(o, o.numbers[0]), coefficient(o, o.numbers[1])};
      given = true;
    }
  }
  if (!given)
    option_fault(option, "baumgarte needs its coefficients",
                 "write  baumgarte(auto),  baumgarte(pole = 5)  or  baumgarte(a1 = 10, a0 = 25)");
  return result;
}

Formulation read_penalty(const model::Option& option) {
  Formulation result;
  result.kind = Kind::penalty;
  for (const model::Option& o : option.options) {
    if (o.name != "stiffness" && o.name != "damping")
      name_fault(o, fmt::format("penalty has no option '{}'", o.name),
                 "options: stiffness, damping");
    const double value = one_number(o);
    if (!(value >= 0 && std::isfinite(value)))
      option_fault(o, fmt::format("'{}' is {}, it must not be negative", o.name, value));
    (o.name == "stiffness" ? result.penalty.stiffness : result.penalty.damping) = value;
  }
  if (result.penalty.stiffness == 0 && result.penalty.damping == 0)
    option_fault(option, "penalty needs a stiffness or a damping",
                 "write  penalty(stiffness = 1e6, damping = 1e3)");
  return result;
}

/// Options that are numbers above 0.
void read_positive(const model::Option& option, const std::map<std::string, double*>& known) {
  std::vector<std::string> names;
  for (const auto& [name, value] : known) names.push_back(name);
  for (const model::Option& o : option.options) {
    const auto found = known.find(o.name);
    if (found == known.end())
      name_fault(o, fmt::format("{} has no option '{}'", option.word, o.name),
                 fmt::format("options: {}", fmt::join(names, ", ")));
    const double value = one_number(o);
    if (!(value > 0 && std::isfinite(value)))
      option_fault(o, fmt::format("'{}' is {}, it must be above 0", o.name, value));
    *found->second = value;
  }
}

Formulation read_augmented_lagrangian(const model::Option& option) {
  Formulation result;
  result.kind = Kind::augmented_lagrangian;
  read_positive(option, {{"stiffness", &result.augmented.stiffness},
                         {"tolerance", &result.augmented.tolerance}});
  if (result.augmented.stiffness == 0)
    option_fault(option, "augmented_lagrangian needs a stiffness",
                 "write  augmented_lagrangian(stiffness = 1e6)");
  return result;
}

Formulation read_nonlinear_stabiliser(const model::Option& option) {
  Formulation result;
  result.kind = Kind::nonlinear_stabiliser;
  read_positive(option, {{"rate", &result.stabiliser.rate}});
  result.automatic = result.stabiliser.rate == 0;
  return result;
}

}  // namespace

const std::vector<std::string>& formulation_names() {
  static const std::vector<std::string> names{"projection",
                                              "index1",
                                              "index2",
                                              "index3",
                                              "ggl",
                                              "null_space",
                                              "minimal",
                                              "hamilton",
                                              "baumgarte",
                                              "penalty",
                                              "augmented_lagrangian",
                                              "nonlinear_stabiliser"};
  return names;
}

Formulation make_formulation(const model::Option& option, const derive::Dae& dae) {
  const std::vector<std::string>& known = formulation_names();
  const std::string there_are = fmt::format("there are {}", fmt::join(known, ", "));
  if (option.word == "baumgarte") return read_baumgarte(option, dae);
  if (option.word == "penalty") return read_penalty(option);
  if (option.word == "augmented_lagrangian") return read_augmented_lagrangian(option);
  if (option.word == "nonlinear_stabiliser") return read_nonlinear_stabiliser(option);
  Formulation result;
  const auto kinds = {Kind::projection, Kind::index1,     Kind::index2,  Kind::index3,
                      Kind::ggl,        Kind::null_space, Kind::minimal, Kind::hamilton};
  const auto kind =
      std::find_if(kinds.begin(), kinds.end(), [&](Kind k) { return name(k) == option.word; });
  if (kind == kinds.end()) {
    const std::string near = nearest_name(option.word, known);
    option_fault(option, fmt::format("unknown formulation '{}'", option.text),
                 near.empty() ? there_are : fmt::format("did you mean '{}'?", near));
  }
  result.kind = *kind;
  if (!option.options.empty())
    option_fault(option, fmt::format("the formulation '{}' has no options", option.word));
  return result;
}

std::string describe(const Formulation& f) {
  if (f.kind == Kind::penalty)
    return fmt::format("penalty(stiffness = {:g}, damping = {:g})", f.penalty.stiffness,
                       f.penalty.damping);
  if (f.kind == Kind::augmented_lagrangian)
    return fmt::format("augmented_lagrangian(stiffness = {:g}, tolerance = {:g})",
                       f.augmented.stiffness, f.augmented.tolerance);
  if (f.kind == Kind::nonlinear_stabiliser)
    return fmt::format("nonlinear_stabiliser(rate = {:g})", f.stabiliser.rate);
  if (f.kind != Kind::baumgarte) return std::string(name(f.kind));
  std::string text = fmt::format("baumgarte(a1 = {:g}, a0 = {:g}", f.all.a1, f.all.a0);
  for (const auto& [name, b] : f.each) text += fmt::format(", {} = [{:g}, {:g}]", name, b.a1, b.a0);
  return text + ")";
}

}  // namespace daedal::formulate
