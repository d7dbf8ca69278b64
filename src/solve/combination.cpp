// See combination.hpp: one table, then what depends on the model.

#include "daedal/solve/combination.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace daedal::solve {

namespace {

using formulate::Kind;

/// Methods that stand and fall together.
enum class Family { explicit_steps, series, ida, implicit_steps, newmark, rattle };

Family family_of(const Method& method) {
  if (std::holds_alternative<TaylorOptions>(method)) return Family::series;
  if (std::holds_alternative<IdaOptions>(method)) return Family::ida;
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

constexpr Reason integrates_twice{
    "integrates accelerations twice, but positions have rates of their own in",
    "take radau5 or bdf, or the formulation index3"};
constexpr Reason holds_itself{
    "holds positions and velocities on their constraints by its own reactions and has no use for",
    "leave the formulation out, or take index3, which shows the multipliers of the method"};

constexpr Reason solves_first{
    "works on the residual of all equations, but they are solved for the free directions alone in",
    "take an explicit method (rk45, dop853), or the formulation projection"};
constexpr Reason knows_no_momenta{
    "works on the residual of Lagrange's equations and knows no momenta, the states of",
    "take an explicit method (rk45, dop853); rattle has momenta of its own"};

/// What is not here makes sense.
const std::map<std::pair<Kind, Family>, Reason>& senseless() {
  static const std::map<std::pair<Kind, Family>, Reason> table{
      {{Kind::baumgarte, Family::series}, expands},
      {{Kind::penalty, Family::series}, expands},
      {{Kind::index2, Family::series}, expands},
      {{Kind::index3, Family::series}, expands},
      {{Kind::index2, Family::explicit_steps}, cannot_solve},
      {{Kind::index3, Family::explicit_steps}, cannot_solve},
      {{Kind::index2, Family::ida}, loses_control},
      {{Kind::index3, Family::ida}, loses_control},
      {{Kind::ggl, Family::series}, expands},
      {{Kind::ggl, Family::explicit_steps}, cannot_solve},
      {{Kind::ggl, Family::newmark}, integrates_twice},
      {{Kind::index1, Family::rattle}, holds_itself},
      {{Kind::index2, Family::rattle}, holds_itself},
      {{Kind::baumgarte, Family::rattle}, holds_itself},
      {{Kind::penalty, Family::rattle}, holds_itself},
      {{Kind::ggl, Family::rattle}, holds_itself},
      {{Kind::null_space, Family::series}, expands},
      {{Kind::null_space, Family::ida}, solves_first},
      {{Kind::null_space, Family::implicit_steps}, solves_first},
      {{Kind::null_space, Family::newmark}, solves_first},
      {{Kind::null_space, Family::rattle}, holds_itself},
      {{Kind::minimal, Family::series}, expands},
      {{Kind::minimal, Family::ida}, solves_first},
      {{Kind::minimal, Family::implicit_steps}, solves_first},
      {{Kind::minimal, Family::newmark}, solves_first},
      {{Kind::minimal, Family::rattle}, holds_itself},
      {{Kind::hamilton, Family::series}, expands},
      {{Kind::hamilton, Family::ida}, knows_no_momenta},
      {{Kind::hamilton, Family::implicit_steps}, knows_no_momenta},
      {{Kind::hamilton, Family::newmark}, knows_no_momenta},
      {{Kind::hamilton, Family::rattle}, holds_itself},
  };
  return table;
}

}  // namespace

bool is_implicit(const Method& method) {
  const Family family = family_of(method);
  return family == Family::ida || family == Family::implicit_steps || family == Family::newmark ||
         family == Family::rattle;
}

std::optional<Diagnostic> refusal(const formulate::Problem& problem, const Method& method) {
  const model::Model& model = *problem.dae->model;
  const auto refuse = [&](std::string message, std::string help) {
    return Diagnostic{Severity::error, model.place, std::move(message), {}, std::move(help)};
  };
  const Kind kind = problem.formulation.kind;
  if (const auto found = senseless().find({kind, family_of(method)}); found != senseless().end())
    return refuse(fmt::format("method {} {} {}", name(method), found->second.why, name(kind)),
                  std::string(found->second.instead));
  if (is_implicit(method) && !problem.written_out)
    return refuse(
        fmt::format("method {} needs the derivatives of the equations written out; model '{}' has "
                    "index {}, where they are not",
                    name(method), model.name, problem.offsets.index),
        "method taylor and the explicit ones solve it");
  const bool deep = std::any_of(problem.d.begin(), problem.d.end(), [](int d) { return d > 2; });
  if (std::holds_alternative<GeneralizedAlphaOptions>(method) && deep)
    return refuse(fmt::format("method {} is made for accelerations; model '{}' has derivatives of "
                              "order {}",
                              name(method), model.name,
                              *std::max_element(problem.d.begin(), problem.d.end())),
                  "take bdf or radau5");
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
