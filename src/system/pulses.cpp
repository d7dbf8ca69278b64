#include "daedal/system/pulses.hpp"

#include "daedal/expr/pulses.hpp"
#include "functions_of_time.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

namespace daedal::solve {

namespace {

using expr::Expr;
using expr::Leaf;

/// Beyond so many they are so near to each other that no step grows over one.
constexpr std::size_t most_pulse_ends = 200000;

class PulsesOfProblem {
 public:
  PulsesOfProblem(const formulate::Problem& problem, std::span<const double> known, double t0,
                  double t1)
      : of_time_(problem), known_(known), t0_(t0), t1_(t1) {}

  void look_into(const expr::Function& function) {
    for (const expr::Family& family : function.families) look_into(family);
  }

  std::vector<double> sorted() {
    std::sort(times_.begin(), times_.end());
    times_.erase(std::unique(times_.begin(), times_.end()), times_.end());
    return std::move(times_);
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
    const expr::FoundPulses found = expr::find_pulses(g, t0_, t1_, known_, most_pulse_ends);
    std::ranges::copy_if(found.times, std::back_inserter(times_),
                         [&](double t) { return t > t0_ && t < t1_; });
  }

  FunctionsOfTime of_time_;
  std::span<const double> known_;
  double t0_, t1_;
  std::set<std::uint32_t> seen_;
  std::vector<double> times_;
};

}  // namespace

std::vector<double> pulses(const formulate::Problem& problem, std::span<const double> known,
                           double t0, double t1) {
  PulsesOfProblem search(problem, known, t0, t1);
  search.look_into(problem.inputs);
  search.look_into(problem.equations);
  return search.sorted();
}

std::vector<double> stops_of_a_run(const formulate::Problem& problem, double t0, double t1) {
  const std::vector<double> breaks = break_points(problem, t0, t1);
  const std::vector<double> ends = pulses(problem, breaks, t0, t1);
  if (ends.empty()) return breaks;
  std::vector<double> all;
  std::ranges::merge(breaks, ends, std::back_inserter(all));
  return all;
}

}  // namespace daedal::solve
