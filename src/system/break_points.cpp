// Break points, see daedal/system/break_points.hpp: every node that is smooth except where its argument g passes a known value
// contributes the times at which g(t) does, all of them (daedal/expr/switches.hpp). Inputs are functions of time: they are written out
// in the arguments.

#include "daedal/system/break_points.hpp"

#include "daedal/expr/graph.hpp"
#include "daedal/expr/switches.hpp"
#include "functions_of_time.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <utility>

namespace daedal::solve {

namespace {

using expr::Expr;
using expr::Leaf;
using expr::Op;
using expr::Switch;
using Form = expr::TimeFunction::Form;

/// A run stops at every break point: beyond so many it would take days.
constexpr std::size_t most_break_points = 1000000;
/// Of a motion whose end is computed: one with more has none.
constexpr std::size_t most_joints = 10000;

bool jumps(Op op) {
  return op == Op::sign || op == Op::floor || op == Op::mod || op == Op::less ||
         op == Op::less_equal || op == Op::atan2;
}

class JointSearch {
 public:
  JointSearch(const formulate::Problem& problem, double t0, double t1, std::size_t most)
      : problem_(problem), of_time_(problem), t0_(t0), t1_(t1), most_(most) {}

  void look_into(const expr::Function& function) {
    for (const expr::Family& family : function.families) look_into(family);
  }

  void look_into(const std::shared_ptr<const expr::Graph>& graph, std::span<const Expr> values) {
    std::vector<expr::Term> terms;
    for (const Expr e : values) terms.push_back({e, 0});
    if (!terms.empty()) look_into(expr::identity_family(graph, terms));
  }

  std::vector<double> sorted() {
    std::sort(times_.begin(), times_.end());
    std::vector<double> kept;
    for (const double t : times_)
      if (kept.empty() || t > kept.back() + nearby(t)) kept.push_back(t);
    return kept;
  }

 private:
  void look_into(const expr::Family& family) {
    const expr::Graph& graph = *family.graph;
    const std::vector<Expr> nodes = expr::reachable(graph, family.outputs);
    std::vector<Switch> found;
    for (const Expr e : nodes)
      if (auto s = expr::switch_of(graph, e)) found.push_back(*std::move(s));
    if (found.empty()) return;
    for (std::uint32_t instance = 0; instance < family.instances; ++instance) {
      const auto global = [&](Leaf leaf) {
        return Leaf{family.symbol(instance, leaf.symbol), leaf.order};
      };
      const TimeOnly depends = of_time_.among(graph, nodes, global);
      for (const Switch& s : found) {
        const bool two = s.form != Form::plain;
        if (!depends.pure(s.a) || (two && !depends.pure(s.b))) continue;
        if (!depends.timed(s.a) && !(two && depends.timed(s.b))) continue;
        search(graph, s, global);
      }
    }
  }

  template <class Global>
  void search(const expr::Graph& graph, const Switch& s, Global global) {
    const std::optional<Switch> copied =
        expr::switch_of(of_time_.graph(), of_time_.written_out(graph, s.node, global));
    if (!copied) return;  // folded into a constant
    if (!seen_.insert(identity(*copied)).second) return;
    expr::TimeFunction g = of_time_.function(copied->form, copied->a, copied->b);
    const double ahead = t0_ - 4 * nearby(t0_);
    const expr::FoundSwitches found = expr::find_switches(g, *copied, ahead, t1_, most_);
    if (found.too_many && most_ == most_break_points) refuse_too_many(*copied);
    if (found.undecided && jumps(of_time_.graph().node(copied->node).op))
      refuse_undecided(*copied, *found.undecided);
    for (const double t : found.times)
      if (t > t0_ + nearby(t0_))
        times_.push_back(t);
      else if (!is_one_sided(of_time_.graph().node(copied->node).op))
        times_.push_back(t0_);
  }

  /// Break points closer than this are one.
  double nearby(double t) const {
    constexpr double epsilon = std::numeric_limits<double>::epsilon();
    return 16 * epsilon * std::max(std::abs(t), epsilon * (t1_ - t0_));
  }

  /// A run that begins at a joint of a trajectory is on the side after it; one that begins where sign(g) jumps is on neither.
  static bool is_one_sided(Op op) { return op == Op::rest_to_rest || op == Op::spline; }

  /// Switches that agree in it happen at the same times, as those of |g| and sign g, or of a spline and its derivatives.
  using Identity = std::array<std::uint32_t, 7>;
  Identity identity(const Switch& s) const {
    const expr::Node& node = of_time_.graph().node(s.node);
    const bool two = s.form != Form::plain;
    const std::uint32_t table = node.op == Op::spline         ? 2u + node.aux
                                : node.op == Op::rest_to_rest ? 1u
                                                              : 0u;
    return {static_cast<std::uint32_t>(s.form),
            s.a.id,
            two ? s.b.id : s.a.id,
            table,
            s.whole_numbers ? 1u : 0u,
            static_cast<std::uint32_t>(s.equal),
            jumps(node.op) ? 1u : 0u};
  }

  [[noreturn]] void refuse_too_many(const Switch& s) const {
    const model::Model& m = *problem_.dae->model;
    throw ModelError(
        {Severity::error,
         m.place,
         fmt::format("model '{}': '{}' switches more than {} times between t = {:.6g} s and t = "
                     "{:.6g} s, and a run stops at each of them",
                     m.name, of_time_.text(s.node), most_break_points, t0_, t1_),
         {},
         "give a shorter time, or a smooth function, as tanh(g/0.01) for sign(g)"});
  }

  [[noreturn]] void refuse_undecided(const Switch& s,
                                     const expr::FoundSwitches::Undecided& undecided) const {
    const model::Model& m = *problem_.dae->model;
    throw ModelError(
        {Severity::error,
         m.place,
         fmt::format("model '{}': rounding errors decide on which side '{}' is between t = {:.6g} "
                     "s and t = {:.6g} s",
                     m.name, of_time_.text(s.node), std::max(undecided.begin, t0_), undecided.end),
         {},
         "compare what is clearly smaller or larger there, or exactly equal"});
  }

  const formulate::Problem& problem_;
  FunctionsOfTime of_time_;
  double t0_, t1_;
  std::size_t most_;
  std::set<Identity> seen_;
  std::vector<double> times_;
};

}  // namespace

std::vector<double> break_points(const formulate::Problem& problem, double t0, double t1) {
  JointSearch search(problem, t0, t1, most_break_points);
  search.look_into(problem.inputs);
  search.look_into(problem.equations);
  const derive::Dae& dae = *problem.dae;
  search.look_into(dae.branches.graph, dae.branches.values);
  std::vector<Expr> conditions;
  for (const model::Event& event : dae.model->events) conditions.push_back(event.condition);
  search.look_into(dae.model->graph, conditions);
  return search.sorted();
}

std::vector<double> break_points(const formulate::Problem& problem,
                                 std::span<const expr::Expr> expressions, double t0, double t1) {
  JointSearch search(problem, t0, t1, most_joints);
  search.look_into(problem.dae->model->graph, expressions);
  return search.sorted();
}

}  // namespace daedal::solve
