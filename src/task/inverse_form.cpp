#include "inverse_form.hpp"

#include "daedal/task/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace daedal {
inline namespace task {

namespace {

double number_in(const model::Option& option, double low, double high, bool whole) {
  const double value = option.numbers.size() == 1 ? option.numbers[0] : NAN;
  if (!(value >= low && value <= high) || (whole && value != std::floor(value)))
    fault(option.place, fmt::format("'{}' is {}, it must be a {}number from {:g} to {:g}",
                                    option.name, option.text, whole ? "whole " : "", low, high));
  return value;
}

inversion::Reduction reduction_named(const std::string& word, const Place& place) {
  const std::vector<std::string>& names = inversion::reduction_names();
  const auto found = std::find(names.begin(), names.end(), word);
  if (found != names.end()) return static_cast<inversion::Reduction>(found - names.begin());
  const std::string near = nearest_name(word, names);
  fault(place, fmt::format("unknown formulation '{}' of an inverse model", word),
        near.empty() ? fmt::format("there are {}", fmt::join(names, ", "))
                     : fmt::format("did you mean '{}'?", near));
}

}  // namespace

inversion::ClassicalForm classical_form_of(const Choice<WordsOnly>& formulation) {
  inversion::ClassicalForm form;
  const auto words = formulation.words("formulation");
  if (!words) return form;
  const std::string& word = words->word.empty() ? words->text : words->word;
  form.reduction.reduction = reduction_named(word, words->place);
  const bool has_pole = form.reduction.reduction == inversion::Reduction::baumgarte;
  for (const model::Option& o : words->options) {
    if (o.name == "pole" && has_pole)
      form.reduction.pole = number_in(o, 1e-6, 1e9, false);
    else if (o.name == "scaling")
      form.scaling = static_cast<int>(number_in(o, 0, 6, true));
    else if (o.name == "residual")
      form.residual = number_in(o, 1e-16, 1, false);
    else
      fault(o.name_place, fmt::format("the formulation '{}' has no option '{}'", word, o.name),
            fmt::format("options: {}scaling, residual", has_pole ? "pole, " : ""));
  }
  return form;
}

}  // namespace task
}  // namespace daedal
