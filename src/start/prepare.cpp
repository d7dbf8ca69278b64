// The loop structure -> point -> check -> leave out, see daedal/start/prepare.hpp.
//
// Constraints without an unknown to determine (surplus) are left out on trial: only without them are there equations to solve.
// At the start found that way they must hold and follow from the others. Each turn of the loop finds more constraints that
// depend on others, and they stay out; so it ends.

#include "daedal/start/prepare.hpp"

#include "daedal/start/left_out.hpp"
#include "daedal/structure/analysis.hpp"
#include "daedal/structure/surplus.hpp"
#include "daedal/system/evaluation.hpp"
#include "daedal/system/point.hpp"
#include "redundancy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace daedal::solve {

namespace {

std::vector<double> values_of(const formulate::Problem& problem, const ConsistentPoint& start) {
  std::vector<double> point = empty_point(problem);
  point[0] = start.t;
  std::copy(start.states.begin(), start.states.end(), point.begin() + 1);
  std::copy(start.tops.begin(), start.tops.end(), point.begin() + 1 + problem.states);
  if (problem.inputs.rows > 0)
    Evaluation(problem.inputs, problem.layout, point.data(), tape_only())(
        point.data(), point.data() + problem.first_input);
  return point;
}

/// Where the model itself uses a multiplier.
struct Mention {
  std::string what;
  Place place;
  expr::SymbolId multiplier = 0;
};

/// Uses of the multipliers that are marked: in what acts or is solved, or by a derivative in what is shown. Reactions shared
/// with a least norm say nothing about their parts, so nothing may depend on one of them.
std::vector<Mention> mentions(const model::Model& m, const std::vector<bool>& marked) {
  std::vector<Mention> found;
  const auto look = [&](expr::Expr e, int lowest_order, const std::string& what,
                        const Place& place) {
    const expr::Expr roots[] = {e};
    for (const expr::Leaf& leaf : expr::leaves(*m.graph, roots))
      if (leaf.symbol < marked.size() && marked[leaf.symbol] && leaf.order >= lowest_order)
        found.push_back({what, place, leaf.symbol});
  };
  for (const model::VirtualWork& load : m.loads) look(load.force, 0, "a force", load.place);
  for (const model::Relation& r : m.equations)
    look(r.residual, 0, fmt::format("equation '{}'", r.name), r.place);
  for (const model::Relation& r : m.constraints)
    look(r.residual, 0, fmt::format("constraint '{}'", r.name), r.place);
  for (const model::Drive& drive : m.drives) look(drive.residual, 0, "a drive", drive.place);
  for (const model::NamedValue& output : m.outputs)
    look(output.value, 1, fmt::format("output '{}'", output.name), output.place);
  for (const model::LimitRange& limit : m.limits)
    look(limit.value, 1, fmt::format("limit '{}'", limit.text), limit.place);
  return found;
}

class Preparation {
 public:
  Preparation(std::shared_ptr<const derive::Dae> dae, const formulate::Formulation& formulation,
              const PrepareOptions& options)
      : dae_(std::move(dae)),
        given_left_out_(dae_->left_out.constraints.size()),
        formulation_(formulation),
        options_(options) {}

  Prepared run() {
    try {
      return settle();
    } catch (const RedundantConstraintsError&) {
      throw;
    } catch (const ModelError&) {
      if (first_found_.empty()) throw;
    }
    throw RedundantConstraintsError(
        first_found_);  // obstacles that remain without them are found later
  }

 private:
  Prepared settle() {
    for (;;) {
      const std::vector<std::uint32_t> surplus = structure::surplus_constraints(*dae_);
      if (!surplus.empty()) refuse_lifted();
      const auto dae = surplus.empty() ? dae_ : without(surplus);
      Prepared prepared;
      prepared.problem =
          formulate::formulate(structure::examine(dae, {.derivative_array = false}), formulation_);
      const structure::Structure& structure = prepared.problem.structure;
      auto found = find_consistent_point(prepared.problem, options_.start);
      if (const Redundancy* redundancy = std::get_if<Redundancy>(&found)) {
        if (!allowed() && first_found_.empty()) first_found_ = redundancy->faults;
        refuse_lifted();
        dae_ = without(redundancy->constraints);
        continue;
      }
      if (!structure.solvable()) throw ModelError(not_simulated(structure.remark));
      prepared.dae = dae;
      prepared.start = std::get<ConsistentPoint>(std::move(found));
      // what the caller left out is the caller's decision
      if (dae->left_out.constraints.size() > (allowed() ? 0 : given_left_out_))
        check_left_out(prepared);
      return prepared;
    }
  }

  const model::Model& model() const { return *dae_->model; }
  std::shared_ptr<const derive::Dae> without(const std::vector<std::uint32_t>& constraints) const {
    return std::make_shared<const derive::Dae>(derive::without_constraints(*dae_, constraints));
  }
  bool allowed() const {
    return options_.redundant_constraints == RedundantConstraints::least_norm;
  }

  /// Reactions are shared in the directions of the coordinates, which lifted positions hide.
  void refuse_lifted() const {
    if (model().lifted.empty()) return;
    throw ModelError(
        {Severity::error,
         model().place,
         fmt::format(
             "model '{}': redundant constraints are not left out of models with lifted positions",
             model().name),
         {},
         "run it with  `lifting = never`"});
  }

  Diagnostic not_simulated(const std::string& remark) const {
    return {Severity::error,
            model().place,
            fmt::format("model '{}' cannot be simulated: {}", model().name, remark),
            {},
            "`explain()` shows the structure of the equations"};
  }

  Named named(std::uint32_t constraint) const {
    const model::Relation& r = model().constraints[constraint];
    return {r.name, r.place, constraint};
  }

  /// Those left out must hold and follow from the others; then they are named.
  void check_left_out(Prepared& prepared) const {
    const formulate::Problem& problem = prepared.problem;
    const std::vector<double> point = values_of(problem, prepared.start);
    LeftOutConstraints left_out(problem, point.data(), tape_only());
    const bool regular = left_out.look_at(point.data());
    const RankReport rank = left_out.rank(options_.start.rank_tolerance);
    if (!regular || rank.dependent.size() != problem.dae->left_out.constraints.size())
      throw ModelError(contradiction(problem.dae->left_out.constraints.back(), std::nullopt));
    if (const auto violation = left_out.violation(0))
      throw ModelError(contradiction(violation->constraint, violation->residual));
    if (!allowed())
      throw RedundantConstraintsError(
          name_left_out(rank, left_out.order(), Handling::can_be_left_out));
    refuse_mentions(rank, left_out.order());
    const std::vector<Diagnostic> remarks =
        name_left_out(rank, left_out.order(), Handling::left_out);
    prepared.shared = shared_multipliers(rank, left_out.order());
    prepared.start.warnings.insert(prepared.start.warnings.end(), remarks.begin(), remarks.end());
  }

  std::vector<Diagnostic> name_left_out(const RankReport& rank,
                                        const std::vector<std::uint32_t>& order,
                                        Handling handling) const {
    const RankFacts facts{rank.rank, static_cast<std::uint32_t>(order.size()), options_.start.t,
                          rank.smallest_singular_value, options_.start.rank_tolerance};
    std::vector<Redundant> list;
    for (const DependentRow& row : rank.dependent) {
      list.push_back({named(order[row.row]), {}});
      for (const std::uint32_t r : row.follows_from)
        list.back().follows_from.push_back(named(order[r]));
    }
    return redundant_constraints(model().name, facts, list, handling);
  }

  /// What the analysis of all equations says, when that is why a constraint was left out; else the constraint's own fault.
  Diagnostic contradiction(std::uint32_t constraint, std::optional<double> residual) const {
    structure::analyse(*dae_);
    Diagnostic fault{Severity::error,
                     model().constraints[constraint].place,
                     fmt::format("model '{}': constraint '{}' cannot be met at the start",
                                 model().name, model().constraints[constraint].name),
                     {},
                     "check the constraint and its parameters"};
    if (residual)
      fault.details.push_back(
          fmt::format("its sides differ by {:.6g} at t = {:g} s, and the other constraints leave "
                      "nothing to move",
                      *residual, options_.start.t));
    return fault;
  }

  /// Multipliers of constraints that depend on each other.
  std::vector<expr::SymbolId> shared_multipliers(const RankReport& rank,
                                                 const std::vector<std::uint32_t>& order) const {
    std::vector<expr::SymbolId> shared;
    for (const DependentRow& row : rank.dependent) {
      shared.push_back(model().constraints[order[row.row]].multiplier);
      for (const std::uint32_t r : row.follows_from)
        shared.push_back(model().constraints[order[r]].multiplier);
    }
    return shared;
  }

  void refuse_mentions(const RankReport& rank, const std::vector<std::uint32_t>& order) const {
    std::vector<bool> marked(model().symbols.size(), false);
    for (const expr::SymbolId s : shared_multipliers(rank, order)) marked[s] = true;
    std::vector<Diagnostic> faults;
    for (const Mention& mention : mentions(model(), marked)) {
      const std::string& name = model().symbols[mention.multiplier].name;
      faults.push_back(
          {Severity::error,
           mention.place,
           fmt::format(
               "model '{}': {} depends on the multiplier of '{}', which the equations do not "
               "determine",
               model().name, mention.what, name),
           {fmt::format("'{}' is one of the constraints that depend on each other", name)},
           fmt::format("remove '{}'", model().constraints[order[rank.dependent[0].row]].name)});
    }
    if (!faults.empty()) throw ModelError(std::move(faults));
  }

  std::shared_ptr<const derive::Dae> dae_;  // without constraints known to be redundant
  std::size_t given_left_out_ = 0;          // constraints, before anything was examined
  std::vector<Diagnostic> first_found_;     // of redundant constraints that are not allowed
  const formulate::Formulation& formulation_;
  const PrepareOptions& options_;
};

}  // namespace

const std::vector<std::string>& redundant_constraints_names() {
  static const std::vector<std::string> names{"error", "least_norm"};
  return names;
}

Prepared prepare(std::shared_ptr<const derive::Dae> dae, const formulate::Formulation& formulation,
                 const PrepareOptions& options) {
  return Preparation(std::move(dae), formulation, options).run();
}

}  // namespace daedal::solve
