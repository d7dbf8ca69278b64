#include "daedal/system/point.hpp"

#include "daedal/units/dimension.hpp"

#include <fmt/format.h>

#include <optional>

namespace daedal::solve {

namespace {

const model::Symbol* symbol_at(const formulate::Problem& problem, std::uint32_t position) {
  const auto& symbols = problem.dae->model->symbols;
  const expr::SymbolId symbol = problem.layout.leaf(position).symbol;
  return symbol < symbols.size() ? &symbols[symbol] : nullptr;
}

/// The name of what a formulation has added.
std::optional<std::string> auxiliary_at(const formulate::Problem& problem, std::uint32_t position) {
  const expr::SymbolId symbol = problem.layout.leaf(position).symbol,
                       first = formulate::first_auxiliary_symbol(problem);
  if (symbol < first) return std::nullopt;
  return problem.auxiliaries[symbol - first];
}

}  // namespace

std::vector<double> empty_point(const formulate::Problem& problem) {
  std::vector<double> point(problem.layout.size(), 0.0);
  const std::size_t first = point.size() - problem.parameters.size();
  for (std::size_t i = 0; i < problem.parameters.size(); ++i)
    point[first + i] = problem.parameters[i];
  for (std::size_t i = 0; i < problem.held_values.size(); ++i)
    point[problem.first_held_value + i] = problem.held_values[i];
  return point;
}

std::string name_at(const formulate::Problem& problem, std::uint32_t position) {
  const model::Symbol* symbol = symbol_at(problem, position);
  const int order = problem.layout.leaf(position).order;
  if (const auto name = auxiliary_at(problem, position)) return *name;
  if (symbol == nullptr) return order == 0 ? "work" : "power";
  return model::name_of(*symbol, order);
}

std::string unit_at(const formulate::Problem& problem, std::uint32_t position) {
  const model::Symbol* symbol = symbol_at(problem, position);
  const int order = problem.layout.leaf(position).order;
  if (symbol == nullptr) return order == 0 ? "J" : "W";
  return model::derivative_unit(symbol->unit, order);
}

double nominal_at(const formulate::Problem& problem, std::uint32_t position) {
  const model::Symbol* symbol = symbol_at(problem, position);
  return symbol != nullptr && symbol->nominal > 0 ? symbol->nominal : 1.0;
}

std::string with_unit(double value, const std::string& unit) {
  return unit.empty() ? fmt::format("{:.6g}", value) : fmt::format("{:.6g} {}", value, unit);
}

}  // namespace daedal::solve
