#include "zero_path.hpp"

#include "daedal/analyse/portrait.hpp"
#include "daedal/analyse/redefine.hpp"
#include "daedal/task/options.hpp"

#include <fmt/format.h>

#include <utility>

namespace daedal {
inline namespace task {

namespace {

analysis::VariedParameter varied(const model::Model& m, const char* option, const Range& range) {
  const expr::SymbolId symbol = m.find(range.name);
  if (symbol != 0 && m.symbols[symbol].kind == model::SymbolKind::parameter)
    return {symbol, range.first, range.last};
  std::vector<std::string> names;
  for (const model::Symbol& one : m.symbols)
    if (one.kind == model::SymbolKind::parameter) names.push_back(one.name);
  const std::string near = nearest_name(range.name, names);
  fault(m.place,
        fmt::format("`{} = {}`: model '{}' has no parameter '{}'", option, range.name, m.name,
                    range.name),
        near.empty() ? "" : fmt::format("did you mean '{}'?", near));
}

}  // namespace

ZeroPath path_of(const Asked& asked, const VaryOptions& options, const std::string& redefinition) {
  model::Model m = *asked.model;
  ZeroPath path;
  if (!redefinition.empty() && !options.outputs.empty())
    fault({}, "`outputs`: not together with `redefine`", "`redefine` names the outputs itself");
  if (!redefinition.empty()) {
    const auto outputs = analysis::read_redefinition(redefinition);
    m = analysis::redefined(m, outputs, 0.5);
    path.parameters.push_back({m.find(weight_name(outputs)), 0, 1});
  }
  for (const Range& range : options.vary) path.parameters.push_back(varied(m, "vary", range));
  for (const Range& range : options.against) path.against.push_back(varied(m, "against", range));
  for (const auto* parameters : {&path.parameters, &path.against})
    for (const analysis::VariedParameter& p : *parameters) m.symbols[p.symbol].value = p.at(0.5);
  path.dae = std::make_shared<const derive::Dae>(
      analysis::with_outputs(*asked.derived(std::move(m)), options.outputs));
  return path;
}

analysis::ZeroMapOptions zero_map_options(const VaryOptions& asked) {
  if (!(asked.margin >= 0)) fault({}, "`margin` must not be negative");
  if (asked.samples < 2 || asked.samples > 10'000)
    fault({}, "`samples` must be at least 2 and at most 10000");
  if (asked.lines < 2 || asked.lines > 1000)
    fault({}, "`lines` must be at least 2 and at most 1000");
  analysis::ZeroMapOptions options;
  options.margin = asked.margin;
  options.samples = asked.samples;
  options.watch = asked.watch;
  return options;
}

std::vector<NamedNumber> numbers_at(const ZeroPath& path,
                                    const std::vector<analysis::VariedParameter>& parameters,
                                    double s) {
  std::vector<NamedNumber> numbers;
  for (const analysis::VariedParameter& p : parameters) numbers.push_back({path.name(p), p.at(s)});
  return numbers;
}

std::string text_at(const ZeroPath& path, const std::vector<analysis::VariedParameter>& parameters,
                    double s, int digits) {
  std::string text;
  for (const auto& [name, value] : numbers_at(path, parameters, s))
    text += fmt::format("{}{} = {:.{}g}", text.empty() ? "" : ", ", name, value, digits);
  return text;
}

std::string zero_text(const analysis::Cluster& zero) { return analysis::text_of(zero, true, 8); }

}  // namespace task
}  // namespace daedal
