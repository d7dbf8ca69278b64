#include "parameters.hpp"

#include "daedal/analyse/operating_point.hpp"
#include "daedal/task/options.hpp"

#include <fmt/format.h>

#include <cctype>
#include <utility>

namespace daedal {
inline namespace task {

analysis::DaeAt family(const Model& model, const Asked& asked, const std::string& option,
                       const std::vector<std::string>& parameters) {
  for (const std::string& name : parameters)
    if (model.overrides().parameters.contains(name))
      fault({}, fmt::format("'{}' has both a value and a range", name), "leave the value out");
  model::Overrides overrides = model.overrides();
  overrides.parameter_option = option;
  analysis::DaeAt given =
      analysis::dae_of_parameters(model.library(), std::move(overrides), parameters);
  if (asked.dae->left_out.constraints.empty()) return given;
  return [given = std::move(given)](std::span<const double> values) {
    return solve::prepare(given(values), {},
                          {.redundant_constraints = solve::RedundantConstraints::least_norm})
        .dae;
  };
}

analysis::SweepOptions sweep_options(const Asked& asked, const std::vector<std::string>& free,
                                     const std::vector<std::string>& outputs, bool at_start,
                                     const Watch& watch) {
  analysis::SweepOptions options;
  for (const expr::SymbolId s : inputs_named(*asked.dae->model, free))
    options.free_inputs.push_back(asked.model->symbols[s].name);
  options.outputs = outputs;
  options.at_start = at_start;
  options.watch = watch;
  return options;
}

void check_first_point(const analysis::DaeAt& dae_at, const std::vector<double>& values,
                       const analysis::SweepOptions& options) {
  const auto dae = dae_at(values);
  if (options.at_start) analysis::linearise_at_start(dae, options.outputs);
}

std::vector<std::string> parameter_names(const model::Model& model) {
  std::vector<std::string> names;
  for (const model::Symbol& s : model.symbols)
    if (s.kind == model::SymbolKind::parameter && !s.name.empty() &&
        std::isalpha(static_cast<unsigned char>(s.name[0])) != 0)
      names.push_back(s.name);
  return names;
}

std::string axis_of(const model::Model& model, const std::string& parameter) {
  const expr::SymbolId s = model.find(parameter);
  const std::string unit = s == 0 ? "" : model.symbols[s].unit;
  return unit.empty() ? parameter : fmt::format("{} [{}]", parameter, unit);
}

std::string counted(std::size_t count, const std::string& what) {
  return fmt::format("{} {}{}", count == 0 ? "no" : fmt::format("{}", count), what,
                     count == 1 ? "" : "s");
}

}  // namespace task
}  // namespace daedal
