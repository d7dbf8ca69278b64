// See combination.hpp: one table, then what depends on the model.

#include "daedal/integrate/combination.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace daedal::solve {

namespace {

using formulate::Kind;

/// Methods that are supported alike.
enum class Family {
  explicit_steps,
  series,
  ida,
  stages,
  one_iteration,
  implicit_steps,
  newmark,
  rattle
};

Family family_of(const Method& method) {
  if (std::holds_alternative<TaylorOptions>(method)) return Family::series;
  if (std::holds_alternative<IdaOptions>(method)) return Family::ida;
  if (std::holds_alternative<Radau5Options>(method)) return Family::stages;
  if (std::holds_alternative<LinearImplicitEulerOptions>(method)) return Family::one_iteration;
  if (std::holds_alternative<GeneralizedAlphaOptions>(method)) return Family::newmark;
  if (std::holds_alternative<RattleOptions>(method)) return Family::rattle;
  const bool explicit_steps = std::holds_alternative<Rk45Options>(method) ||
                              std::holds_alternative<Dop853Options>(method) ||
                              std::holds_alternative<Rk23Options>(method) ||
                              std::holds_alternative<Rk4Options>(method) ||
                              std::holds_alternative<EulerOptions>(method);
  return explicit_steps ? Family::explicit_steps : Family::implicit_steps;
}

struct Reason {
  std::string_view why, instead;  // "method rk45 " + why
};

constexpr Reason expands{
    "expands the equations themselves and has no use for",
    "leave the formulation out: taylor projects on the constraints and the hidden ones"};
constexpr Reason cannot_solve{
    "solves the equations for accelerations and multipliers, which they do not determine in",
    "take an implicit method (radau5, bdf), or the formulation projection"};
constexpr Reason loses_control{
    "measures the error of multipliers by the tolerance of a step, which stalls it in",
    "take radau5, which weighs them by powers of the step, or the formulation projection"};

constexpr Reason no_rounds{"does not move multipliers until the constraints hold, as asked by",
                           "take implicit_euler, bdf or generalized_alpha"};
constexpr Reason integrates_twice{
    "integrates accelerations twice, but positions have rates of their own in",
    "take radau5 or bdf, or the formulation index3"};
constexpr Reason holds_itself{
    "holds positions and velocities on their constraints by its own reactions and has no use for",
    "leave the formulation out, or take index3, which shows the multipliers of the method"};

constexpr Reason other_states{
    "integrates accelerations twice, but steps are not made of accelerations in",
    "take radau5 or bdf, or the formulation projection"};

struct Row {
  Kind kind;
  std::vector<Family> families;
  Reason reason;
};

/// What is not here makes sense.
const std::vector<Row>& senseless() {
  using enum Family;
  static const std::vector<Row> table{
      {Kind::index1, {rattle}, holds_itself},
      {Kind::index2, {series}, expands},
      {Kind::index2, {explicit_steps}, cannot_solve},
      {Kind::index2, {ida}, loses_control},
      {Kind::index2, {rattle}, holds_itself},
      {Kind::index3, {series}, expands},
      {Kind::index3, {explicit_steps}, cannot_solve},
      {Kind::index3, {ida}, loses_control},
      {Kind::baumgarte, {series}, expands},
      {Kind::baumgarte, {rattle}, holds_itself},
      {Kind::penalty, {series}, expands},
      {Kind::penalty, {rattle}, holds_itself},
      {Kind::ggl, {series}, expands},
      {Kind::ggl, {explicit_steps}, cannot_solve},
      {Kind::ggl, {newmark}, integrates_twice},
      {Kind::ggl, {rattle}, holds_itself},
      {Kind::augmented_lagrangian, {explicit_steps, series, ida, stages, one_iteration}, no_rounds},
      {Kind::augmented_lagrangian, {rattle}, holds_itself},
      {Kind::nonlinear_stabiliser, {series}, expands},
      {Kind::nonlinear_stabiliser, {newmark}, other_states},
      {Kind::nonlinear_stabiliser, {rattle}, holds_itself},
      {Kind::null_space, {series}, expands},
      {Kind::null_space, {newmark}, other_states},
      {Kind::null_space, {rattle}, holds_itself},
      {Kind::minimal, {series}, expands},
      {Kind::minimal, {newmark}, other_states},
      {Kind::minimal, {rattle}, holds_itself},
      {Kind::hamilton, {series}, expands},
      {Kind::hamilton, {newmark}, other_states},
      {Kind::hamilton, {rattle}, holds_itself},
  };
  return table;
}

const Reason* why_senseless(Kind kind, Family family) {
  for (const Row& row : senseless())
    if (row.kind == kind && std::ranges::find(row.families, family) != row.families.end())
      return &row.reason;
  return nullptr;
}

/// An equation with hidden constraints that is no holonomic constraint, in words; "" when there is none.
std::string not_holonomic(const formulate::Problem& problem) {
  for (std::uint32_t i = 0; i < problem.dae->equations.size(); ++i) {
    const derive::Equation& equation = problem.dae->equations[i];
    const bool holonomic = problem.c[i] == 2 && equation.kind == derive::EquationKind::constraint;
    if (problem.c[i] > 0 && !holonomic) return fmt::format("'{}'", equation.name);
  }
  return "";
}

Diagnostic refuse(const formulate::Problem& problem, std::string message, std::string help) {
  return {Severity::error, problem.dae->model->place, std::move(message), {}, std::move(help)};
}

}  // namespace

bool steps_rates(Kind kind) {
  return kind == Kind::nonlinear_stabiliser || kind == Kind::null_space || kind == Kind::minimal ||
         kind == Kind::hamilton;
}

bool is_implicit(const Method& method) {
  const Family family = family_of(method);
  return family != Family::explicit_steps && family != Family::series;
}

std::optional<Diagnostic> refusal(const formulate::Problem& problem, const Method& method) {
  const model::Model& model = *problem.dae->model;
  const Kind kind = problem.formulation.kind;
  if (const Reason* const found = why_senseless(kind, family_of(method)))
    return refuse(problem, fmt::format("method {} {} {}", name(method), found->why, name(kind)),
                  std::string(found->instead));
  if (is_implicit(method) && !problem.written_out)
    return refuse(
        problem,
        fmt::format("method {} needs the derivatives of the equations written out; model '{}' has "
                    "index {}, where they are not",
                    name(method), model.name, problem.structure.index),
        "method taylor and the explicit ones solve it");
  if (const std::string odd = not_holonomic(problem);
      kind == Kind::nonlinear_stabiliser && !odd.empty())
    return refuse(problem,
                  fmt::format("{} is made for holonomic constraints; {} is none", name(kind), odd),
                  "take baumgarte(...), or the formulation projection");
  const bool deep = std::any_of(problem.d.begin(), problem.d.end(), [](int d) { return d > 2; });
  if (std::holds_alternative<GeneralizedAlphaOptions>(method) && deep)
    return refuse(problem,
                  fmt::format("method {} is made for accelerations; model '{}' has derivatives of "
                              "order {}",
                              name(method), model.name,
                              *std::max_element(problem.d.begin(), problem.d.end())),
                  "take bdf or radau5");
  if (std::holds_alternative<RattleOptions>(method) && problem.lifted > 0)
    return refuse(problem,
                  fmt::format("method {} does not support lifted positions (model '{}')",
                              name(method), model.name),
                  "run it with  `lifting = never`");
  if (std::holds_alternative<RattleOptions>(method)) {
    try {
      formulate::require_holonomic(problem, "method rattle");
      formulate::momentum_form(problem, "method rattle");
    } catch (const ModelError& error) {
      return error.diagnostics().front();
    }
  }
  return std::nullopt;
}

}  // namespace daedal::solve
