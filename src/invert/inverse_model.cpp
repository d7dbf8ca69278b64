#include "daedal/invert/inverse_model.hpp"

#include "daedal/formulate/smoothness.hpp"
#include "daedal/system/break_points.hpp"

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <string>

namespace daedal::inversion {

namespace {

constexpr double far = 1e4;       // [s], no trajectory is longer
constexpr double before = -1e-3;  // [s], so that a joint at 0 is seen

/// "t = 0 s and t = 6 s"
std::string times_of_joints(const formulate::Problem& problem, const model::Relation& servo) {
  const expr::Expr expressions[] = {servo.residual};
  const std::vector<double> times = solve::break_points(problem, expressions, before, far);
  std::string text;
  for (std::size_t k = 0; k < times.size() && k < 4; ++k) {
    const bool last = k + 1 == std::min<std::size_t>(times.size(), 4);
    const double time = std::abs(times[k]) < 1e-12 ? 0 : times[k];  // found by bisection
    text += fmt::format("{}t = {:g} s", k == 0 ? "" : last ? " and " : ", ", time);
  }
  return times.size() > 4 ? text + ", ..." : text;
}

/// An input contains as many derivatives of a desired motion as its servo-constraint is differentiated.
void check_smoothness(InverseModel& inverse) {
  const model::Model& m = *inverse.dae->model;
  const std::size_t first = inverse.dae->equations.size() - m.servos.size();
  for (std::size_t k = 0; k < m.servos.size(); ++k) {
    const model::Relation& servo = m.servos[k];
    const int needed = inverse.structure.differentiations[first + k];
    const int has = formulate::continuous_derivatives(m, servo.residual, needed);
    if (needed <= has) continue;
    const bool impulse = needed > has + 1;
    inverse.warnings.push_back(
        {Severity::warning,
         servo.place,
         fmt::format(
             "model '{}': the inputs contain derivative {} of servo '{}', which has {} continuous "
             "derivative{}",
             m.name, needed, servo.name, has, has == 1 ? "" : "s"),
         {fmt::format("derivative {} jumps at {}: {}", has + 1,
                      times_of_joints(inverse.problem, servo),
                      impulse ? "the exact inputs contain impulses there, which are left out"
                              : "the inputs jump there")},
         fmt::format("smoothness = {} is the smallest that gives continuous inputs",
                     formulate::smoothness_for(*m.graph, servo.residual, needed))});
  }
}

}  // namespace

InverseModel inverse_model(const derive::Dae& forward, std::span<const derive::HeldInput> held) {
  InverseModel inverse;
  inverse.dae = std::make_shared<const derive::Dae>(derive::inverse(forward, held));
  inverse.tracking = std::make_shared<const derive::Dae>(derive::tracking(forward, held));
  inverse.structure = structure::examine(inverse.dae);
  if (!inverse.structure.solvable()) return inverse;
  inverse.problem = formulate::formulate(inverse.structure, {});
  check_smoothness(inverse);
  return inverse;
}

}  // namespace daedal::inversion
