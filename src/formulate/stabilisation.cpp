// See stabilisation.hpp.
#include "formulate/stabilisation.hpp"

#include "formulate/dae_index.hpp"
#include "formulate/functions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <string_view>

namespace daedal::formulate {

using expr::Function;
using expr::SymbolId;

std::vector<std::pair<std::uint32_t, SymbolId>> multipliers_by_equation(const Problem& problem) {
  const derive::Dae& dae = *problem.dae;
  std::map<std::string_view, SymbolId> by_name;
  for (const model::Relation& constraint : dae.model->constraints)
    by_name[constraint.name] = constraint.multiplier;
  std::vector<std::pair<std::uint32_t, SymbolId>> pairs;
  for (std::uint32_t i = 0; i < size(dae); ++i)
    if (dae.equations[i].kind == derive::EquationKind::constraint)
      pairs.emplace_back(i, by_name.at(dae.equations[i].name));
  return pairs;
}

bool is_penalised(const Problem& problem, std::uint32_t equation) {
  return problem.formulation.kind == Kind::penalty && problem.offsets.c[equation] > 0 &&
         problem.dae->equations[equation].kind == derive::EquationKind::constraint;
}

namespace {

/// Stiffness acts on positions, damping on velocities, whichever level the constraint is written on.
std::vector<double> penalty(const Problem& problem, std::uint32_t equation) {
  const derive::Equation& constraint = problem.dae->equations[equation];
  const Penalty& p = problem.formulation.penalty;
  if (problem.offsets.c[equation] == 2) return {p.stiffness, p.damping};
  if (p.damping > 0) return {p.damping};
  throw ModelError({Severity::error,
                    constraint.place,
                    fmt::format("constraint '{}' is on velocity level: penalty holds it by damping",
                                constraint.name),
                    {},
                    "give a damping above 0"});
}

}  // namespace

std::vector<double> stabilisation(const Problem& problem, std::uint32_t equation) {
  const Formulation& f = problem.formulation;
  const int order = problem.offsets.c[equation];
  if (is_penalised(problem, equation)) return penalty(problem, equation);
  if (f.kind != Kind::baumgarte || order == 0 || is_definition(*problem.dae, equation)) return {};
  const std::string& name = problem.dae->equations[equation].name;
  const auto own = std::find_if(f.each.begin(), f.each.end(), [&](const auto& e) {
    return name == e.first || name.starts_with(e.first + "[");
  });
  const Baumgarte& b = own == f.each.end() ? f.all : own->second;
  if (order == 2) return {b.a0, b.a1};
  // c = 1: c' + a c with a the mean root, which is the pole when both roots are equal; higher orders alike.
  std::vector<double> coefficients;
  double binomial = 1;
  for (int k = 0; k < order; ++k) {
    coefficients.push_back(binomial * std::pow(b.a1 / 2, order - k));
    binomial = binomial * (order - k) / (k + 1);
  }
  return coefficients;
}

Function penalised_multipliers(const Problem& problem) {
  auto graph = std::make_shared<expr::Graph>(problem.dae->model->graph);
  std::vector<expr::Term> terms;
  for (const auto& [equation, multiplier] : multipliers_by_equation(problem))
    if (is_penalised(problem, equation)) terms.push_back({graph->leaf({multiplier, 0}), equation});
  Function multipliers{size(*problem.dae), {}};
  if (!terms.empty()) multipliers.families.push_back(expr::identity_family(graph, terms));
  return multipliers;
}

void expand_springs(Problem& problem) {
  const std::uint32_t equations = size(*problem.dae);
  const auto is_spring = [&](std::uint32_t i) { return i < equations && is_penalised(problem, i); };
  problem.equations =
      expr::sum(rows_where(problem.equations, [&](std::uint32_t i) { return !is_spring(i); }),
                rows_where(problem.residual, is_spring));
  for (std::uint32_t i = 0; i < equations; ++i)
    if (is_spring(i)) problem.c[i] = 0;
}

}  // namespace daedal::formulate
