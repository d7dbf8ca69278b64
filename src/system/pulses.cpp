#include "daedal/system/pulses.hpp"

#include "daedal/expr/pulses.hpp"
#include "functions_of_time.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

namespace daedal::solve {

namespace {

using expr::Expr;
using expr::Leaf;

constexpr std::size_t most_pulse_ends = 200000;  // of a function

class PulsesOfProblem {
 public:
  PulsesOfProblem(const formulate::Problem& problem, std::span<const double> known, double t0,
                  double t1)
      : of_time_(problem), known_(known), t0_(t0), t1_(t1) {}

  void look_into(const expr::Function& function) {
    for (const expr::Family& family : function.families) look_into(family);
  }

  Pulses found() {
    std::sort(found_.times.begin(), found_.times.end());
    found_.times.erase(std::unique(found_.times.begin(), found_.times.end()), found_.times.end());
    return std::move(found_);
  }

 private:
  void look_into(const expr::Family& family) {
    const expr::Graph& graph = *family.graph;
    const std::vector<Expr> nodes = expr::reachable(graph, family.outputs);
    std::vector<Expr> candidates;
    std::ranges::copy_if(nodes, std::back_inserter(candidates),
                         [&](Expr e) { return expr::may_pulse(graph, e); });
    if (candidates.empty()) return;
    for (std::uint32_t instance = 0; instance < family.instances; ++instance) {
      const auto global = [&](Leaf leaf) {
        return Leaf{family.symbol(instance, leaf.symbol), leaf.order};
      };
      const TimeOnly depends = of_time_.among(graph, nodes, global);
      for (const Expr e : candidates)
        if (depends.pure(e) && depends.timed(e)) search(of_time_.written_out(graph, e, global));
    }
  }

  void search(Expr e) {
    if (!seen_.insert(e.id).second) return;
    expr::TimeFunction g = of_time_.function(expr::TimeFunction::Form::plain, e, e);
    const expr::FoundPulses of_node = expr::find_pulses(g, t0_, t1_, known_, most_pulse_ends);
    std::ranges::copy_if(of_node.times, std::back_inserter(found_.times),
                         [&](double t) { return t > t0_ && t < t1_; });
    if (of_node.until < found_.until) {
      found_.until = of_node.until;
      found_.too_many_of = of_time_.text(e);
    }
  }

  FunctionsOfTime of_time_;
  std::span<const double> known_;
  double t0_, t1_;
  std::set<std::uint32_t> seen_;
  Pulses found_;
};

}  // namespace

Pulses pulses(const formulate::Problem& problem, std::span<const double> known, double t0,
              double t1) {
  PulsesOfProblem search(problem, known, t0, t1);
  search.look_into(problem.inputs);
  search.look_into(problem.equations);
  return search.found();
}

std::vector<double> stops_of_a_run(const formulate::Problem& problem, double t0, double t1,
                                   std::vector<Diagnostic>& warnings) {
  const std::vector<double> breaks = break_points(problem, t0, t1);
  const Pulses found = pulses(problem, breaks, t0, t1);
  if (!found.too_many_of.empty()) {
    const model::Model& m = *problem.dae->model;
    warnings.push_back({Severity::warning,
                        m.place,
                        fmt::format("model '{}': '{}' has too many short pulses: steps may go over "
                                    "those after t = {:.6g} s",
                                    m.name, found.too_many_of, found.until),
                        {},
                        "give a shorter time, or a longest step:  `step = 0.01`"});
  }
  if (found.times.empty()) return breaks;
  std::vector<double> all;
  std::ranges::merge(breaks, found.times, std::back_inserter(all));
  return all;
}

}  // namespace daedal::solve
