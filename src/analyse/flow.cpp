#include "flow.hpp"

#include <algorithm>

namespace daedal::analysis {

Flow::Flow(std::shared_ptr<const derive::Dae> dae) {
  solve::Prepared prepared = solve::prepare(std::move(dae), {});
  problem_ = std::make_unique<const formulate::Problem>(std::move(prepared.problem));
  start_ = std::move(prepared.start);
  solve::ProblemSystem::Options options;
  options.implicit = false;
  options.compile.backend = compile::Backend::tape;
  system_ = std::make_unique<solve::ProblemSystem>(*problem_, start_.t, start_.states, start_.tops,
                                                   options);
  tops_ = start_.tops;
  tops_.resize(problem_->algebraic());
  rates_.resize(problem_->states);
}

int Flow::state_of(expr::Leaf leaf) const {
  const std::uint32_t position = problem_->layout.find(leaf);
  return position != compile::absent && position >= 1 && position <= problem_->states
             ? static_cast<int>(position) - 1
             : -1;
}

bool Flow::project(double t, std::vector<double>& states) {
  return !system_->projects() || system_->project(t, states.data()) == solve::Failure::none;
}

structure::Point Flow::point(double t, const std::vector<double>& states) {
  if (system_->derivative(t, states.data(), tops_.data(), rates_.data()) != solve::Failure::none) {
    std::copy(start_.tops.begin(), start_.tops.end(), tops_.begin());
    return {};
  }
  const double* const values = system_->point_at(t, states.data(), tops_.data());
  return
      [this, at = std::vector<double>(values, values + problem_->layout.size())](expr::Leaf leaf) {
        if (const std::uint32_t p = problem_->layout.find(leaf); p != compile::absent) return at[p];
        const auto& symbols = problem_->dae->model->symbols;
        return leaf.order == 0 && leaf.symbol < symbols.size() ? symbols[leaf.symbol].value : 0.0;
      };
}

}  // namespace daedal::analysis
