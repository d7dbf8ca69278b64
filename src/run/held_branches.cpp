#include "held_branches.hpp"

#include "daedal/derive/branches.hpp"
#include "daedal/expr/graph.hpp"
#include "daedal/system/point.hpp"

#include <algorithm>

namespace daedal::solve {

namespace {

/// Whether states and tops denote the same quantities in both problems (the work is no symbol of the model).
bool alike(const formulate::Problem& a, const formulate::Problem& b) {
  if (a.states != b.states || a.tops != b.tops || a.has_work != b.has_work) return false;
  for (std::uint32_t p = 1; p <= a.states + a.tops; ++p)
    if (name_at(a, p) != name_at(b, p)) return false;
  return true;
}

}  // namespace

std::unique_ptr<HeldBranches> HeldBranches::of(const formulate::Problem& live) {
  std::optional<derive::Dae> held = derive::hold_branches(*live.dae);
  if (!held) return nullptr;
  try {
    formulate::Problem problem = formulate::formulate(
        structure::by_signature(std::make_shared<const derive::Dae>(*std::move(held))),
        live.formulation);
    if (!alike(live, problem)) return nullptr;
    return std::unique_ptr<HeldBranches>(new HeldBranches(std::move(problem)));
  } catch (const ModelError&) {
    return nullptr;
  }
}

HeldBranches::HeldBranches(formulate::Problem held) : problem_(std::move(held)) {
  const std::vector<expr::SymbolId>& symbols = problem_.dae->branches.symbols;
  for (const expr::SymbolId s : symbols)
    parameter_.push_back(problem_.layout.find({s, 0}) - problem_.layout.first_parameter);
  const std::vector<double> point = empty_point(problem_);
  if (problem_.inputs.rows > 0)
    inputs_.emplace(problem_.inputs, problem_.layout, point.data(),
                    compile::Options{compile::Backend::tape});
  for (const formulate::Level& level : problem_.levels)
    for (const expr::Occurrence& o : expr::occurrences(level.residual))
      in_constraints_ =
          in_constraints_ || std::binary_search(symbols.begin(), symbols.end(), o.leaf.symbol);
}

const formulate::Problem& HeldBranches::at(const ConsistentPoint& start) {
  std::vector<double> point = empty_point(problem_);
  point[0] = start.t;
  std::copy(start.states.begin(), start.states.end(), point.begin() + 1);
  std::copy(start.tops.begin(), start.tops.end(), point.begin() + 1 + problem_.states);
  std::copy(start.held.begin(), start.held.end(), point.begin() + problem_.first_held_value);
  if (inputs_) (*inputs_)(point.data(), point.data() + problem_.first_input);
  const derive::Branches& branches = problem_.dae->branches;
  // A value may contain the ones before it: as many rounds as they are nested.
  for (std::size_t round = 0; round <= parameter_.size(); ++round) {
    const std::vector<double> values =
        expr::evaluate(*branches.graph, branches.values,
                       [&](expr::Leaf leaf) { return point[problem_.layout.find(leaf)]; });
    bool changed = false;
    for (std::size_t k = 0; k < values.size(); ++k) {
      changed = changed || problem_.parameters[parameter_[k]] != values[k];
      problem_.parameters[parameter_[k]] = values[k];
      point[problem_.layout.first_parameter + parameter_[k]] = values[k];
    }
    if (!changed) break;
  }
  return problem_;
}

const std::string& HeldBranches::name(std::size_t branch) const {
  return problem_.dae->model->symbols[problem_.dae->branches.symbols[branch]].name;
}

}  // namespace daedal::solve
