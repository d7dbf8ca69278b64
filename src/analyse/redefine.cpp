#include "daedal/analyse/redefine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <vector>

namespace daedal::analysis {

namespace {

[[noreturn]] void refuse(const model::Model& m, std::string message, std::string help) {
  throw ModelError({Severity::error, m.place, std::move(message), {}, std::move(help)});
}

/// "z", or all entries z[1], z[2], ... of a vector.
std::vector<model::NamedValue> declared_outputs(const model::Model& m, const std::string& name) {
  std::vector<model::NamedValue> found;
  std::vector<std::string> names;
  for (const model::NamedValue& output : m.outputs) {
    names.push_back(output.name);
    if (output.name == name || output.name.starts_with(name + "[")) found.push_back(output);
  }
  if (!found.empty()) return found;
  const std::string near = nearest_name(name, names);
  refuse(m, fmt::format("model '{}' has no output '{}'", m.name, name),
         !near.empty()   ? fmt::format("did you mean '{}'?", near)
         : names.empty() ? "declare both:  output tip = ..., rigid = ..."
                         : fmt::format("there are: {}", fmt::join(names, ", ")));
}

/// The servo line that prescribes an output, the sides of which are the output and a function of time.
model::Relation& servo_of(model::Model& m, const model::NamedValue& output) {
  const auto servo = std::find_if(m.servos.begin(), m.servos.end(), [&](const model::Relation& s) {
    return s.output == output.value && s.desired;
  });
  if (servo != m.servos.end()) return *servo;
  throw ModelError({Severity::error,
                    output.place,
                    fmt::format("no servo line prescribes the output '{}'", output.name),
                    {},
                    fmt::format("write  servo {} = ...  with a function of time", output.name)});
}

}  // namespace

Redefinition read_redefinition(const std::string& text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos || colon == 0 || colon + 1 == text.size() ||
      text.find(':', colon + 1) != std::string::npos)
    throw ModelError({Severity::error,
                      {},
                      fmt::format("redefine = {}: not two outputs", text),
                      {},
                      "write OUTPUT:RIGID, the output and what it would be without flexibility, "
                      "as in tip:rigid"});
  return {text.substr(0, colon), text.substr(colon + 1)};
}

std::string weight_name(const Redefinition& redefinition) {
  return fmt::format("Gamma({})", redefinition.output);
}

std::string error_name(const std::string& output) { return output + " - desired"; }

model::Model redefined(const model::Model& given, const Redefinition& redefinition, double weight) {
  const std::vector<model::NamedValue> outputs = declared_outputs(given, redefinition.output),
                                       rigid = declared_outputs(given, redefinition.rigid);
  if (outputs.size() != rigid.size())
    refuse(given,
           fmt::format("'{}' has {} entr{}, but '{}' has {}", redefinition.output, outputs.size(),
                       outputs.size() == 1 ? "y" : "ies", redefinition.rigid, rigid.size()),
           "the rigid output is what the output would be without flexibility: of the same length");
  model::Model m = given;
  if (m.servos.empty())
    for (const model::NamedValue& output : outputs)
      m.servos.push_back({.name = output.name,
                          .residual = output.value,
                          .place = output.place,
                          .output = output.value});
  if (weight == 1) return m;
  const auto graph = std::make_shared<expr::Graph>(given.graph);
  const auto symbol = static_cast<expr::SymbolId>(m.symbols.size());
  m.symbols.push_back({.name = weight_name(redefinition), .place = given.place, .value = weight});
  const expr::Expr gamma = graph->leaf({symbol, 0}), rest = graph->sub(graph->constant(1), gamma);
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    model::Relation& servo = given.servos.empty() ? m.servos[k] : servo_of(m, outputs[k]);
    if (servo.desired)
      m.outputs.push_back({error_name(outputs[k].name),
                           graph->sub(outputs[k].value, *servo.desired), outputs[k].unit, "",
                           outputs[k].place});
    servo.output =
        graph->add(graph->mul(gamma, outputs[k].value), graph->mul(rest, rigid[k].value));
    servo.residual = servo.desired ? graph->sub(*servo.output, *servo.desired) : *servo.output;
  }
  m.graph = graph;
  return m;
}

}  // namespace daedal::analysis
