#include "daedal/system/equation_jet.hpp"

#include <algorithm>
#include <cmath>

namespace daedal::solve {

EquationJet::EquationJet(const formulate::Problem& problem)
    : problem_(problem), jet_(formulate::jet_program(problem), 0, problem.parameters) {
  int deepest = -jet_.first_stage();
  for (const int d : problem.d) deepest = std::max(deepest, d);
  first_ = -deepest;
  evaluated_ = first_;
  time_ = std::nan("");
  entries_.resize(static_cast<std::size_t>(deepest) + 1);
  for (int level = first_; level <= 0; ++level)
    for (std::uint32_t j = 0; j < problem.tops; ++j) {
      const int order = problem.d[j] + level;
      if (order < 0) continue;
      const expr::SymbolId symbol = problem.layout.leaf(problem.top_position(j)).symbol;
      entries_[static_cast<std::size_t>(level - first_)].push_back(
          {j, problem.layout.find({symbol, static_cast<std::uint16_t>(order)}), order,
           rising_factorial(0, order)});
    }
  for (int n = 0; n <= deepest; ++n) factorials_.push_back(rising_factorial(0, n));
}

std::uint32_t EquationJet::rows(int level) const {
  return static_cast<std::uint32_t>(
      std::count_if(problem_.c.begin(), problem_.c.end(), [&](int c) { return c + level >= 0; }));
}

/// Takes over the coefficients of one level; whether any of them is new.
bool EquationJet::load(const double* point, int level) {
  bool changed = false;
  for (Entry& entry : entries_[static_cast<std::size_t>(level - first_)]) {
    const double value = point[entry.position];
    double& coefficient = jet_.coefficient(entry.unknown, entry.order);
    const double wanted = entry.factorial.below(value);
    changed = changed || coefficient != wanted;
    coefficient = wanted;
  }
  return changed;
}

void EquationJet::evaluate(const double* point, int level, double* rows) {
  if (point[0] != time_) {
    time_ = point[0];
    jet_.set_time(time_);
    evaluated_ = first_;
  }
  for (int l = first_; l <= level; ++l) {
    const bool changed = load(point, l);
    if (!changed && l < evaluated_) continue;
    jet_.evaluate(l);
    evaluated_ = l + 1;
  }
  for (std::uint32_t i = 0; i < problem_.c.size(); ++i)
    if (const int derivative = problem_.c[i] + level; derivative >= 0)
      *rows++ = factorials_[static_cast<std::size_t>(derivative)].times(jet_.row(i, level));
}

}  // namespace daedal::solve
