// See stop_reason.hpp.

#include "stop_reason.hpp"

#include "daedal/integrate/combination.hpp"
#include "daedal/integrate/pose_crossing.hpp"
#include "daedal/start/singular.hpp"
#include "daedal/system/point.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace daedal::solve {

namespace {

constexpr double near_singular =
    1e-3;  // distance of a constraint's gradient from those of the others; steps stop that far away

/// The constraints whose gradients come close to each other, if any.
std::string singular_constraints(const formulate::Problem& problem, std::span<const double> point) {
  const ConstraintRank rank = constraint_rank(problem, point, near_singular);
  if (!rank.short_of_rank()) return "";
  const DependentRow& first = rank.report.dependent.front();
  const std::string name = problem.dae->equations[problem.levels.back().equation[first.row]].name;
  std::string text =
      fmt::format("constraint_jacobian nearly loses rank there: constraint '{}'", name);
  text += first.follows_from.empty()
              ? std::string(" has no effect")
              : fmt::format(" depends on {}", list_rows(problem, first.follows_from));
  return text;
}

std::string open_unknowns(const formulate::Problem& problem, std::span<const double> point) {
  const Undetermined open = undetermined(problem, point);
  if (open.unknowns.empty()) return "";
  return fmt::format("not determined there: {}; equations involved: {}",
                     fmt::join(open.unknowns, ", "), fmt::join(open.equations, ", "));
}

/// What a continuous controller computes, as messages call it.
struct Computed {
  std::string name;
  expr::Expr value;
};

/// Measurements first, as they are computed.
std::vector<Computed> computed_by_controllers(const model::Model& model) {
  std::vector<Computed> computed;
  for (const model::Controller& controller : model.controllers) {
    if (controller.period > 0) continue;  // its samples have messages of their own
    const std::string begin = fmt::format("measurement {}.", controller.name);
    for (const model::Relation& equation : model.equations)
      if (equation.name.starts_with(begin))
        computed.push_back({fmt::format("controller '{}': the measurement '{}'", controller.name,
                                        equation.name.substr(begin.size())),
                            equation.residual});
    for (const model::Command& command : controller.commands)
      computed.push_back({fmt::format("controller '{}': the command '{}'", controller.name,
                                      model.symbols[command.input].name),
                          command.value});
  }
  return computed;
}

/// The first of them that has no value just after the last point, where a step died: in the direction of the motion, as far
/// as it takes to change a rounded state.
std::string without_value(const formulate::Problem& problem, std::span<const double> point) {
  const model::Model& model = *problem.dae->model;
  const std::vector<Computed> computed = computed_by_controllers(model);
  constexpr double nearest = 1e-15, farthest = 1e-7;  // [s], times max(1, t)
  const double scale = std::max(1.0, std::abs(point[0]));
  for (double h = nearest; h <= farthest; h *= 10) {
    std::vector<double> there(point.begin(), point.end());
    there[0] += h * scale;
    for (std::uint32_t i = 0; i < problem.states; ++i) {
      const std::uint32_t position = problem.state_position(i);
      expr::Leaf rate = problem.layout.leaf(position);
      ++rate.order;
      if (const std::uint32_t r = problem.layout.find(rate); r != compile::absent)
        there[position] += h * scale * point[r];
    }
    const auto value_of = [&](expr::Leaf leaf) {
      const std::uint32_t position = problem.layout.find(leaf);
      return position != compile::absent ? there[position] : model.symbols[leaf.symbol].value;
    };
    for (const Computed& one : computed)
      if (!std::isfinite(expr::evaluate(*model.graph, std::span(&one.value, 1), value_of)[0]))
        return one.name;
  }
  return "";
}

/// The state that is largest against its scale: where a motion runs away, this is the one.
struct LargestState {
  std::uint32_t position = 0;  // 0: all are zero
  double size = 0;
};
LargestState largest_state(const formulate::Problem& problem, std::span<const double> point) {
  LargestState largest;
  for (std::uint32_t i = 0; i < problem.states; ++i) {
    const std::uint32_t position = problem.state_position(i);
    const double size = std::abs(point[position]) / nominal_at(problem, position);
    if (size > largest.size) largest = {position, size};
  }
  return largest;
}

/// Beyond this times its scale a state has run away, and matrices made of it say nothing about the model.
constexpr double runaway = 1e12;

std::string help_for_runaway(const Method& method) {
  if (fixed_step(method) == 0)
    return "help: possible causes are forces that grow with the motion and parameters of the wrong "
           "size";
  if (is_implicit(method)) return "help: try a shorter step or another method";
  return fmt::format(
      "help: {} is unstable where its step is long against the fastest oscillation or decay in the "
      "model: try a much shorter step, or method = radau5",
      name(method));
}

std::string help_for_pose(const formulate::Problem& problem, const Method& method) {
  if (problem.dae->inverse) return "help: a singular position; choose a motion that avoids it";
  if (crosses_poses(problem, method))
    return "help: a singular position, and no smooth motion was found across it; start elsewhere, "
           "or "
           "change the input so that it is not reached";
  return "help: a singular position; formulation = projection with method = rk45 or radau5 crosses "
         "it "
         "where the motion goes on smoothly";
}

}  // namespace

std::string stop_reason(const formulate::Problem& problem, std::span<const double> point,
                        const StepOutcome& outcome, const Method& method) {
  if (const std::string culprit = without_value(problem, point); !culprit.empty())
    return fmt::format(
        "stopped at t = {:.6g} s: {} is not a number from there on\n  help: keep its formula where "
        "it has a value, as in  sqrt(max(0, x))",
        point[0], culprit);
  const LargestState largest = largest_state(problem, point);
  const bool ran_away = largest.size > runaway;
  const std::string_view reason = ran_away ? "the motion has grown without bound" : outcome.reason;
  std::string text = fmt::format("stopped at t = {:.6g} s: {}", point[0], reason);
  const auto add = [&](const std::string& line) {
    if (!line.empty()) text += "\n  " + line;
  };
  const std::string_view failure =
      outcome.cause == Failure::none ? outcome.reason : describe(outcome.cause);
  if (failure != reason) add(fmt::format("last failure: {}", failure));
  if (outcome.step > 0) add(fmt::format("last step tried: {:.3g} s", outcome.step));
  const std::string singular = ran_away ? "" : singular_constraints(problem, point);
  const std::string open = ran_away || !singular.empty() ? "" : open_unknowns(problem, point);
  const std::vector<std::string> not_finite =
      ran_away || outcome.cause != Failure::not_finite
          ? std::vector<std::string>()
          : equations_not_finite(problem, point, outcome.step);
  if (!not_finite.empty()) add(fmt::format("no finite value: {}", fmt::join(not_finite, ", ")));
  add(singular);
  add(open);
  if (largest.position != 0)
    add(fmt::format("largest value there: {} = {}", name_at(problem, largest.position),
                    with_unit(point[largest.position], unit_at(problem, largest.position))));
  if (ran_away)
    add(help_for_runaway(method));
  else if (!not_finite.empty())
    add("help: look for a division by zero, or a root or logarithm of a negative number");
  else if (!singular.empty())
    add(help_for_pose(problem, method));
  else if (!open.empty())
    add("help: look for unknowns without inertia and for equations that say the same thing");
  else if (outcome.cause == Failure::multipliers_move)
    add("help: give augmented_lagrangian a larger stiffness");
  else if (fixed_step(method) > 0)
    add("help: try a shorter step or another method");
  else if (name(method) == "rk45")
    add("help: try a larger tolerance, or method = radau5");
  else
    add("help: try a larger tolerance or another method");
  return text;
}

std::string violated_constraint(const formulate::Problem& problem, double t,
                                std::uint32_t constraint, double residual) {
  const model::Relation& c = problem.dae->model->constraints[constraint];
  std::string text =
      fmt::format("stopped at t = {:.6g} s: {}", t, describe(Failure::not_redundant));
  text += fmt::format("\n  constraint '{}'{}: its sides differ by {:.3g}", c.name,
                      c.place.known() ? fmt::format(" (line {})", c.place.line) : "", residual);
  text +=
      "\n  help: it followed from the others near the start only; the motion may pass a singular "
      "position, or other parameters make it independent";
  return text;
}

}  // namespace daedal::solve
