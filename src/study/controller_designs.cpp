// The state feedback laws of controllers, as `control` shows a regulator.
#include "daedal/analyse/linearise.hpp"
#include "daedal/design/gain_design.hpp"
#include "daedal/study/control.hpp"
#include "daedal/task/asked.hpp"
#include "daedal/task/designed_law.hpp"
#include "daedal/task/json.hpp"
#include "daedal/task/options.hpp"
#include "design_writer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace daedal {
inline namespace task {

using nlohmann::ordered_json;

namespace {

ControlDesign design_of_law(const Model& model, const DesignedLaw& law) {
  ControlDesign design(model);
  design.title =
      fmt::format("{}: {} in line {}", model.name(), law.question.law, law.question.place.line);
  design.period = law.question.period;
  design.delay = law.question.delay;
  design.integrals = law.question.names;
  const analysis::LinearModel linear = analysis::linearise(*law.dae, analysis::point_of(law.rest));
  const feedback::Regulator found =
      design::judged(*law.dae, linear, law.question, feedback::states_of(linear).size());
  DesignWriter{design}.write(*law.dae, linear, law.rest, found);
  return design;
}

void refuse_options(const Model& model, const ControlOptions& options) {
  const std::pair<const char*, bool> given[] = {
      {"inputs", !options.inputs.empty()},
      {"state_weights", !options.state_weights.named.empty() || options.state_weights.others},
      {"input_weights", !options.input_weights.named.empty() || options.input_weights.others},
      {"period", options.period.has_value()},
      {"delay", options.delay.has_value()},
      {"reduce", options.reduce.has_value()},
      {"free", !options.free.empty()}};
  for (const auto& [option, is_given] : given)
    if (is_given)
      fault({},
            fmt::format("`{}`: the laws of controller '{}' have their own", option,
                        fmt::join(model.options().controllers, "', '")),
            "leave the option or the controller out");
}

}  // namespace

ControllerDesigns controller_designs(const Model& model, const Watch& watch) {
  const StopScope stoppable(watch.stop);
  ControllerDesigns answer(model);
  answer.controllers = model.options().controllers;
  answer.warnings = model.warnings();
  for (const DesignedLaw& law : designed_laws(model)) {
    watch.check();
    ControllerDesigns::Law shown{law.question.law, law.question.place, nullptr};
    if (!law.question.along)
      shown.design = std::make_shared<const ControlDesign>(design_of_law(model, law));
    answer.laws.push_back(std::move(shown));
  }
  if (answer.laws.empty())
    fault(model.lifted().model->place,
          fmt::format("controller '{}' has no law with designed gains",
                      fmt::join(answer.controllers, "', '")),
          "lqr, lqi and pole_placement have; `analyse()` shows the loop of any controller");
  answer.verdict = fmt::format(
      "{} of {} laws with designed gains are constant.",
      std::ranges::count_if(answer.laws, [](const auto& law) { return law.design != nullptr; }),
      answer.laws.size());
  if (answer.laws.size() == 1 && answer.laws[0].design != nullptr)
    answer.verdict = answer.laws[0].design->verdict;
  return answer;
}

std::shared_ptr<const Answer> design_of(const Model& model, const ControlOptions& options) {
  if (model.options().controllers.empty())
    return std::make_shared<const ControlDesign>(control(model, options));
  refuse_options(model, options);
  return std::make_shared<const ControllerDesigns>(controller_designs(model, options.watch));
}

std::vector<Fact> ControllerDesigns::facts() const {
  std::vector<Fact> facts;
  for (const Law& law : laws) {
    facts.push_back({"law",
                     fmt::format("{} in line {}{}", law.name, law.place.line,
                                 law.design != nullptr ? "" : ": gains change along the motion"),
                     {},
                     "",
                     ""});
    if (law.design == nullptr) continue;
    const std::vector<Fact> own = law.design->facts();
    facts.insert(facts.end(), own.begin(), own.end());
  }
  return facts;
}

std::string ControllerDesigns::summary() const {
  std::string text;
  for (const Law& law : laws)
    text += law.design != nullptr
                ? law.design->summary()
                : fmt::format("{}: {} in line {}: gains change along the motion\n", title, law.name,
                              law.place.line);
  return text;
}

Json ControllerDesigns::json() const {
  ordered_json json{{"model", model.name()}, {"controllers", controllers}};
  json["laws"] = ordered_json::array();
  for (const Law& law : laws) {
    ordered_json one{{"law", law.name}, {"line", law.place.line}};
    if (law.design != nullptr) {
      one["design"] = law.design->json().value;
      one["design"].erase("model");
    }
    json["laws"].push_back(std::move(one));
  }
  return {std::move(json)};
}

void ControllerDesigns::illustrate(emit::Report& page) const {
  for (const Law& law : laws)
    if (law.design != nullptr) law.design->illustrate(page);
}

}  // namespace task
}  // namespace daedal
