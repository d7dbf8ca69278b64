// See layout.hpp.
#include "formulate/layout.hpp"

#include "daedal/base/progress.hpp"
#include "daedal/formulate/signals.hpp"
#include "formulate/dae_index.hpp"
#include "formulate/functions.hpp"
#include "formulate/stabilisation.hpp"

#include <algorithm>
#include <set>
#include <span>
#include <utility>

namespace daedal::formulate {

using derive::Dae;
using expr::Family;
using expr::Function;
using expr::Leaf;
using expr::SymbolId;
using model::SymbolKind;

namespace {

/// Conditions of events, and what they set.
std::vector<expr::Expr> event_expressions(const model::Model& model) {
  std::vector<expr::Expr> expressions;
  for (const model::Event& event : model.events) {
    expressions.push_back(event.condition);
    for (const model::EventAction& action : event.actions)
      expressions.insert(expressions.end(), action.values.begin(), action.values.end());
  }
  return expressions;
}

/// What controllers compute at their samples.
std::vector<expr::Expr> controller_expressions(const model::Model& model) {
  std::vector<expr::Expr> expressions;
  for (const model::Controller& controller : model.controllers) {
    if (!(controller.period > 0)) continue;  // part of the equations
    for (const auto* updates : {&controller.measured, &controller.states})
      for (const model::Update& update : *updates) expressions.push_back(update.value);
    for (const model::Solved& solved : controller.solved)
      expressions.insert(expressions.end(), solved.residuals.begin(), solved.residuals.end());
    for (const model::Command& command : controller.commands) expressions.push_back(command.value);
  }
  return expressions;
}

std::vector<Leaf> branch_leaves(const Dae& dae) {
  const derive::Branches& branches = dae.branches;
  return branches.values.empty() ? std::vector<Leaf>{}
                                 : expr::leaves(*branches.graph, branches.values);
}

class LayoutMaker {
 public:
  LayoutMaker(Problem& problem, const std::vector<Function>& derivative)
      : problem_(problem),
        derivative_(derivative),
        dae_(*problem.dae),
        model_(*problem.dae->model),
        index_(unknown_index(dae_)),
        work_(work_symbol(dae_)) {}

  void run() {
    lay_out_unknowns();
    lay_out_known();
  }

 private:
  static constexpr std::uint32_t states_between_stops = 4096;

  int d(std::uint32_t unknown) const { return problem_.offsets.d[unknown]; }
  bool is_lifted(std::uint32_t unknown) const {
    return model_.symbols[dae_.unknowns[unknown]].kind == SymbolKind::lifted;
  }

  /// States, tops, lifted positions.
  void lay_out_unknowns() {
    compile::Layout& layout = problem_.layout;
    layout.add({expr::time_symbol, 0});
    std::vector<Leaf> tops;
    int highest = 0;
    for (std::uint32_t j = 0; j < size(dae_); ++j) {
      highest = std::max(highest, d(j));
      tops.push_back({dae_.unknowns[j], static_cast<std::uint16_t>(d(j))});
    }
    const auto add_below_tops = [&](bool lifted) {  // positions, then velocities, ...
      for (int order = 0; order < highest; ++order) {
        stop_point();
        for (std::uint32_t j = 0; j < size(dae_); ++j)
          if (d(j) > order && is_lifted(j) == lifted)
            layout.add({dae_.unknowns[j], static_cast<std::uint16_t>(order)});
      }
    };
    add_below_tops(false);
    if (problem_.has_work) {
      layout.add({work_, 0});
      tops.push_back({work_, 1});
    }
    problem_.states = layout.size() - 1;
    for (const Leaf& top : tops) layout.add(top);
    problem_.tops = static_cast<std::uint32_t>(tops.size());
    add_below_tops(true);
    problem_.lifted = layout.size() - problem_.first_lifted();
    for (std::uint32_t i = 0; i < problem_.states; ++i) {
      if (i % states_between_stops == 0) stop_point();
      const Leaf leaf = layout.leaf(1 + i);
      problem_.next.push_back(
          layout.find({leaf.symbol, static_cast<std::uint16_t>(leaf.order + 1)}));
    }
  }

  /// In an inverse model the inputs are unknowns.
  bool is_known(SymbolId input) const { return index_[input] == Family::no_row; }

  /// Inputs (with the derivatives that occur) and parameters.
  void lay_out_known() {
    std::set<Leaf> inputs;
    std::set<SymbolId> parameters;
    const auto collect = [&](Leaf leaf) {
      if (leaf.symbol == work_) return;
      const SymbolKind kind = model_.symbols[leaf.symbol].kind;
      if (kind == SymbolKind::input && is_known(leaf.symbol)) inputs.insert(leaf);
      if (kind == SymbolKind::parameter && !model_.symbols[leaf.symbol].held)
        parameters.insert(leaf.symbol);
    };
    const auto collect_function = [&](const Function& f) {
      for (const Leaf& leaf : leaves_of(f)) collect(leaf);
    };
    const derive::Mechanics& mechanics = dae_.mechanics;
    for (const Function* f :
         {&std::as_const(problem_).equations, &dae_.outputs, &mechanics.energy, &mechanics.kinetic,
          &mechanics.power, &mechanics.drive_force, &mechanics.mass_matrix.values})
      collect_function(*f);
    for (const Function& f : derivative_) {
      stop_point();
      collect_function(f);
    }
    for (const WatchedLevel& watched : problem_.watched) collect_function(watched.residual);
    collect_function(dae_.left_out.reactions.values);
    std::vector<expr::Expr> others = event_expressions(model_);
    const std::vector<expr::Expr> controllers = controller_expressions(model_);
    others.insert(others.end(), controllers.begin(), controllers.end());
    for (const model::LimitRange& limit : model_.limits)
      others.insert(others.end(), {limit.value, limit.low, limit.high});
    for (const model::InputDefault& input : model_.inputs) {
      if (!is_known(input.input)) continue;
      others.push_back(input.value);
      inputs.insert({input.input, 0});  // every input has its column
    }
    for (const Leaf& leaf : expr::leaves(*model_.graph, others)) collect(leaf);
    for (const Leaf& leaf : branch_leaves(dae_)) collect(leaf);
    compile::Layout& layout = problem_.layout;
    problem_.first_input = layout.size();
    const std::vector<Leaf> needed(inputs.begin(), inputs.end());
    for (const Leaf& leaf : needed) layout.add(leaf);
    problem_.inputs = input_signals(model_, needed);
    for (const Leaf& leaf : leaves_of(problem_.inputs)) collect(leaf);
    for (const std::uint32_t i : dae_.left_out.constraints)
      layout.add({model_.constraints[i].multiplier, 0});
    if (problem_.formulation.kind == Kind::augmented_lagrangian) lay_out_held();
    problem_.first_held_value = layout.size();
    for (SymbolId s = 0; s < model_.symbols.size(); ++s) {
      if (!model_.symbols[s].held) continue;
      layout.add({s, 0});
      problem_.held_values.push_back(model_.symbols[s].value);
    }
    layout.first_parameter = layout.size();
    for (const SymbolId s : parameters) {
      layout.add({s, 0});
      problem_.parameters.push_back(model_.symbols[s].value);
    }
  }

  /// Values that multipliers are sought around have no name in the model; their symbols follow that of the work.
  void lay_out_held() {
    SymbolId symbol = work_;
    for (const auto& [equation, multiplier] : multipliers_by_equation(problem_)) {
      if (problem_.offsets.c[equation] == 0) continue;
      const std::uint32_t held = problem_.layout.size();
      problem_.layout.add({++symbol, 0});
      problem_.held.push_back({equation, problem_.layout.find({multiplier, 0}), held});
    }
  }

  Problem& problem_;
  const std::vector<Function>& derivative_;
  const Dae& dae_;
  const model::Model& model_;
  const std::vector<std::uint32_t> index_;
  const SymbolId work_;
};

}  // namespace

std::vector<int> orders_asked_for(const Dae& dae) {
  const model::Model& model = *dae.model;
  const std::vector<std::uint32_t> index = unknown_index(dae);
  std::vector<int> orders(size(dae), 0);
  const auto ask = [&](Leaf leaf) {
    if (const std::uint32_t j = index[leaf.symbol]; j != Family::no_row)
      orders[j] = std::max(orders[j], int{leaf.order});
  };
  for (const Function* f : {&dae.outputs, &dae.mechanics.energy, &dae.mechanics.power})
    for (const Leaf& leaf : leaves_of(*f)) ask(leaf);
  std::vector<expr::Expr> limits;
  for (const model::LimitRange& limit : model.limits) limits.push_back(limit.value);
  const std::vector<expr::Expr> events = event_expressions(model);
  limits.insert(limits.end(), events.begin(), events.end());
  const std::vector<expr::Expr> controllers = controller_expressions(model);
  limits.insert(limits.end(), controllers.begin(), controllers.end());
  for (const Leaf& leaf : expr::leaves(*model.graph, limits)) ask(leaf);
  for (const Leaf& leaf : branch_leaves(dae)) ask(leaf);
  return orders;
}

std::vector<int> orders_for_the_scan(const Dae& dae, std::vector<int> orders) {
  const model::Model& model = *dae.model;
  const std::vector<std::uint32_t> index = unknown_index(dae);
  for (auto let = model.lifted.rbegin(); let != model.lifted.rend(); ++let) {
    const int needed = orders[index[let->symbol]];
    for (const Leaf& leaf : expr::leaves(*model.graph, std::span(&let->value, 1)))
      if (const std::uint32_t j = index[leaf.symbol]; j != Family::no_row)
        orders[j] = std::max(orders[j], needed);
  }
  return orders;
}

void lay_out(Problem& problem, const std::vector<Function>& derivative) {
  LayoutMaker(problem, derivative).run();
}

}  // namespace daedal::formulate
