#include "asked.hpp"

#include "daedal/base/diagnostic.hpp"

#include <fmt/format.h>

namespace daedal::analysis {

namespace {

[[noreturn]] void unknown_output(const model::Model& m, const std::string& name) {
  std::vector<std::string> names;
  for (const model::NamedValue& output : m.outputs) names.push_back(output.name);
  for (const model::Relation& servo : m.servos) names.push_back(servo.name);
  const std::string near = nearest_name(name, names);
  throw ModelError({Severity::error,
                    m.place,
                    fmt::format("model '{}' has no output or servo '{}'", m.name, name),
                    {},
                    !near.empty()   ? fmt::format("did you mean '{}'?", near)
                    : names.empty() ? "declare one:  output z = ..."
                                    : fmt::format("there are: {}", fmt::join(names, ", "))});
}

/// "z" is an output, a servo-constraint, or all entries z[1], z[2], ... of a vector.
std::vector<model::Relation> outputs_named(const model::Model& m, const std::string& name) {
  const auto matches = [&](const std::string& candidate) {
    return candidate == name || candidate.starts_with(name + "[");
  };
  std::vector<model::Relation> found;
  for (const model::NamedValue& output : m.outputs)
    if (matches(output.name)) found.push_back({output.name, output.value, output.place});
  if (found.empty())
    for (const model::Relation& servo : m.servos)
      if (matches(servo.name)) found.push_back(servo);
  if (found.empty()) unknown_output(m, name);
  return found;
}

}  // namespace

derive::Dae with_outputs(const derive::Dae& forward, const std::vector<std::string>& names) {
  model::Model m = *forward.model;
  if (!names.empty()) {
    std::vector<model::Relation> chosen;
    for (const std::string& name : names)
      for (model::Relation& relation : outputs_named(m, name))
        chosen.push_back(std::move(relation));
    m.servos = std::move(chosen);
  } else if (m.servos.empty()) {
    for (const model::NamedValue& output : m.outputs)
      m.servos.push_back({output.name, output.value, output.place});
  }
  derive::Dae result = forward;
  result.model = std::make_shared<const model::Model>(std::move(m));
  return result;
}

LinearModel linearise_asked(const derive::Dae& asked, const structure::Point& point) {
  std::vector<NamedOutput> outputs;
  for (const model::Relation& servo : asked.model->servos)
    outputs.push_back({servo.name, servo.residual});
  return linearise(asked, point, outputs);
}

}  // namespace daedal::analysis
