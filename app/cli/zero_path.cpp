#include "zero_path.hpp"

#include "daedal/analyse/portrait.hpp"
#include "daedal/analyse/redefine.hpp"
#include "request.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>

namespace daedal::cli {

namespace {

using daedal::analyse::VariedParameter;

/// "s4=0.1:0.3"
VariedParameter read_range(const model::Model& m, const char* option, const std::string& text) {
  const std::size_t equals = text.find('=');
  VariedParameter p;
  char rest = 0;
  if (equals == std::string::npos ||
      std::sscanf(text.c_str() + equals + 1, "%lf:%lf%c", &p.from, &p.to, &rest) != 2 ||
      !std::isfinite(p.from) || !std::isfinite(p.to) || p.from == p.to)
    fault({}, fmt::format("{} {}: not a range of a parameter", option, text),
          "write NAME=FROM:TO, as in s4=0.1:0.3; several separated by commas move together");
  const std::string name = text.substr(0, equals);
  p.symbol = m.find(name);
  if (p.symbol != 0 && m.symbols[p.symbol].kind == model::SymbolKind::parameter) return p;
  std::vector<std::string> names;
  for (const model::Symbol& symbol : m.symbols)
    if (symbol.kind == model::SymbolKind::parameter) names.push_back(symbol.name);
  const std::string near = nearest_name(name, names);
  fault(m.place, fmt::format("{} {}: model '{}' has no parameter '{}'", option, text, m.name, name),
        near.empty() ? "" : fmt::format("did you mean '{}'?", near));
}

}  // namespace

ZeroPath path_of(const Loaded& loaded, const Arguments& a, const std::string& redefinition) {
  model::Model m = *loaded.model;
  ZeroPath path;
  if (!redefinition.empty() && !a.outputs.empty())
    fault({}, "--output: not together with --redefine", "--redefine names the outputs itself");
  if (!redefinition.empty()) {
    const auto outputs = daedal::analyse::read_redefinition(redefinition);
    m = daedal::analyse::redefined(m, outputs, 0.5);
    path.parameters.push_back({m.find(weight_name(outputs)), 0, 1});
  }
  for (const std::string& text : a.vary) path.parameters.push_back(read_range(m, "--vary", text));
  for (const std::string& text : a.against)
    path.against.push_back(read_range(m, "--against", text));
  for (const auto* parameters : {&path.parameters, &path.against})
    for (const VariedParameter& p : *parameters) m.symbols[p.symbol].value = p.at(0.5);
  path.dae = std::make_shared<const derive::Dae>(daedal::analyse::with_outputs(
      derive::derive(std::make_shared<const model::Model>(std::move(m))), a.outputs));
  return path;
}

std::string text_at(const ZeroPath& path, const std::vector<VariedParameter>& parameters, double s,
                    int digits) {
  std::string text;
  for (const VariedParameter& p : parameters)
    text += fmt::format("{}{} = {:.{}g}", text.empty() ? "" : ", ", path.name(p), p.at(s), digits);
  return text;
}

std::string zero_text(const daedal::analyse::Cluster& zero) {
  return daedal::analyse::text_of(zero, true, 8);
}

}  // namespace daedal::cli
