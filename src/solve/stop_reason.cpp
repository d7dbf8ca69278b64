// See stop_reason.hpp.

#include "stop_reason.hpp"

#include "point.hpp"
#include "singular.hpp"

#include <fmt/format.h>

#include <cmath>

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

/// The state that is largest against its scale: where a motion runs away, this is the one.
std::string largest_value(const formulate::Problem& problem, std::span<const double> point) {
  std::uint32_t worst = 0;
  double largest = 0;
  for (std::uint32_t i = 0; i < problem.states; ++i) {
    const std::uint32_t position = problem.state_position(i);
    const double size = std::abs(point[position]) / nominal_at(problem, position);
    if (size > largest) {
      largest = size;
      worst = position;
    }
  }
  return worst == 0 ? ""
                    : fmt::format("largest value there: {} = {}", name_at(problem, worst),
                                  with_unit(point[worst], unit_at(problem, worst)));
}

}  // namespace

std::string stop_reason(const formulate::Problem& problem, std::span<const double> point,
                        const StepOutcome& outcome, const Method& method) {
  std::string text = fmt::format("stopped at t = {:.6g} s: {}", point[0], outcome.reason);
  const auto add = [&](const std::string& line) {
    if (!line.empty()) text += "\n  " + line;
  };
  if (outcome.cause != Failure::none && outcome.reason != describe(outcome.cause))
    add(fmt::format("last failure: {}", describe(outcome.cause)));
  if (outcome.step > 0) add(fmt::format("last step tried: {:.3g} s", outcome.step));
  const std::string singular = singular_constraints(problem, point);
  const std::string open = singular.empty() ? open_unknowns(problem, point) : "";
  add(singular);
  add(open);
  add(largest_value(problem, point));
  if (!singular.empty())
    add(problem.dae->inverse
            ? "help: a singular position; ask for a motion that avoids it"
            : "help: a singular position; start elsewhere, or change the input so that it is not "
              "reached");
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
