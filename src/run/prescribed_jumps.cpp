// See prescribed_jumps.hpp.

#include "prescribed_jumps.hpp"

#include "daedal/start/singular.hpp"
#include "daedal/system/break_points.hpp"
#include "daedal/system/evaluation.hpp"
#include "daedal/system/level_residual.hpp"
#include "daedal/system/point.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace daedal::solve {

namespace {

/// Against what is in a row, or 1: farther apart than rounding, on both sides of a break point, can bring it.
constexpr double least_jump = 1e-9;

struct Jump {
  std::uint32_t equation = 0;
  int derivative = 0;
  double t = 0, size = 0;
};

class JumpSearch {
 public:
  JumpSearch(const formulate::Problem& problem, const ConsistentPoint& start)
      : problem_(problem), point_(empty_point(problem)), jet_(shared_jet(problem)) {
    std::copy(start.states.begin(), start.states.end(), point_.begin() + 1);
    std::copy(start.tops.begin(), start.tops.end(), point_.begin() + 1 + problem.states);
  }

  /// The first one of each equation, on the lowest level on which it jumps.
  std::vector<Jump> between(double first, double last) {
    std::vector<expr::Expr> expressions;
    const model::Model& m = *problem_.dae->model;
    for (const auto* relations : {&m.constraints, &m.equations})
      for (const model::Relation& relation : *relations) expressions.push_back(relation.residual);
    for (const model::Drive& drive : m.drives) expressions.push_back(drive.residual);
    const std::vector<double> times = break_points(problem_, expressions, first, last);
    std::vector<Jump> found;
    if (times.empty()) return found;
    for (const formulate::Level& level : problem_.levels) look_at(level, times, found);
    return found;
  }

 private:
  void look_at(const formulate::Level& level, const std::vector<double>& times,
               std::vector<Jump>& found) {
    LevelResidual residual(problem_, level, point_.data(), tape_only(), jet_);
    std::vector<double> before(level.rows()), behind(level.rows());
    for (const double t : times) {
      const double aside = 4 * std::numeric_limits<double>::epsilon() * std::abs(t);
      rows_at(t - aside, residual, before);
      rows_at(t + aside, residual, behind);
      for (std::uint32_t r = 0; r < level.constraints(); ++r) {
        const double size = std::max({1.0, std::abs(before[r]), std::abs(behind[r])});
        if (!(std::abs(behind[r] - before[r]) > least_jump * size)) continue;
        if (problem_.dae->equations[level.equation[r]].kind == derive::EquationKind::servo)
          continue;
        if (known_.insert(level.equation[r]).second)
          found.push_back({level.equation[r], level.derivative[r], t, behind[r] - before[r]});
      }
    }
  }

  void rows_at(double t, LevelResidual& residual, std::vector<double>& rows) {
    point_[0] = t;
    if (problem_.inputs.rows > 0)
      Evaluation(problem_.inputs, problem_.layout, point_.data(), tape_only())(
          point_.data(), point_.data() + problem_.first_input);
    residual(point_.data(), rows.data());
  }

  const formulate::Problem& problem_;
  std::vector<double> point_;
  std::shared_ptr<EquationJet> jet_;
  std::set<std::uint32_t> known_;
};

/// "constraint 'guide' jumps by 1 at t = 1 s".
Diagnostic jump_words(const formulate::Problem& problem, const Jump& jump) {
  const model::Model& m = *problem.dae->model;
  const int derivatives = problem.c[jump.equation] - 1;
  const std::string of =
      jump.derivative == 0 ? "" : fmt::format("derivative {} of ", jump.derivative);
  return {jump.derivative == 0 && m.events.empty() ? Severity::error : Severity::warning,
          problem.dae->equations[jump.equation].place,
          fmt::format("model '{}': {}{} jumps by {:.6g} at t = {:.6g} s", m.name, of,
                      describe_equation(problem, jump.equation), std::abs(jump.size), jump.t),
          {jump.derivative == 0 ? "nothing can follow it there: what it holds would have to jump"
                                : "velocities jump there, by an impulse that no result shows"},
          derivatives > 0
              ? fmt::format("give a function of time with {} continuous derivative{}, such as  "
                            "rest_to_rest(t, smoothness = {})",
                            derivatives, derivatives == 1 ? "" : "s", derivatives)
              : "give a continuous function of time"};
}

}  // namespace

std::vector<Diagnostic> prescribed_jumps(const formulate::Problem& problem,
                                         const ConsistentPoint& start, double until) {
  std::vector<Diagnostic> faults, warnings;
  for (const Jump& jump :
       JumpSearch(problem, start).between(std::min(start.t, until), std::max(start.t, until))) {
    Diagnostic d = jump_words(problem, jump);
    (d.severity == Severity::error ? faults : warnings).push_back(std::move(d));
  }
  if (!faults.empty()) throw ModelError(std::move(faults));
  return warnings;
}

}  // namespace daedal::solve
