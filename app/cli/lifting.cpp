#include "lifting.hpp"

#include "daedal/formulate/lifting.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace daedal::cli {

namespace {

/// "the formulation ggl", "the method rattle"; empty when lifted positions are known to the run.
std::string without_lifting(const Request& run) {
  if (run.method.word == "rattle") return "the method rattle";
  for (const formulate::Kind kind : formulate::kinds_without_lifting())
    if (formulate::name(kind) == run.formulation.word)
      return fmt::format("the formulation {}", run.formulation.word);
  return {};
}

}  // namespace

model::Lifting lifting_of_forward_models(const Arguments& arguments) {
  if (arguments.lifting == "never") return model::Lifting::never;
  return arguments.lifting == "always" ? model::Lifting::always : model::Lifting::automatic;
}

Loaded load_forward_model(const Arguments& arguments, std::span<const Request> runs) {
  const model::Lifting asked_for = lifting_of_forward_models(arguments);
  const auto run = std::find_if(runs.begin(), runs.end(),
                                [](const Request& r) { return !without_lifting(r).empty(); });
  if (run == runs.end() || asked_for != model::Lifting::automatic)
    return load_model(arguments, asked_for);
  Loaded loaded = load_model(arguments, model::Lifting::never);
  model::Overrides overrides = arguments.overrides;
  overrides.lifting = asked_for;
  if (!model::elaborate(loaded.library, overrides).lifted.empty())
    print_warnings(arguments,
                   {{Severity::warning,
                     loaded.model->place,
                     fmt::format("model '{}' is written out, since {} does not know lifted "
                                 "positions: long chains take much longer",
                                 loaded.model->name, without_lifting(*run)),
                     {},
                     "the formulation projection knows them; --lifting never is silent"}});
  return loaded;
}

}  // namespace daedal::cli
