#include "daedal/system/series.hpp"

#include "daedal/base/progress.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <type_traits>

namespace daedal::solve {

namespace {

constexpr int refined_stages = 4;  // later terms are too small for their rounding to matter

}  // namespace

template <class T>
Series<T>::Series(const formulate::Problem& problem,
                  std::shared_ptr<const compile::JetProgram> program, int order)
    : problem_(problem),
      jet_(std::move(program), order - 1, problem.parameters),
      order_(order),
      right_hand_side_(problem.tops),
      solution_(problem.tops),
      change_(problem.tops) {
  int most = 0;
  for (const std::vector<int>* offsets : {&problem.c, &problem.d})
    for (const int offset : *offsets) most = std::max(most, offset);
  for (int count = 0; count <= most; ++count)
    for (int k = 0; k <= order; ++k) rising_.push_back(rising_factorial(k, count));
  first_level_ = jet_.first_stage();
  for (const int d : problem.d) first_level_ = std::min(first_level_, -d);
  std::vector<std::uint32_t> unknown_of(problem.layout.size());
  for (std::uint32_t j = 0; j < problem.tops; ++j) unknown_of[problem.top_position(j)] = j;
  for (std::uint32_t i = problem.states;
       i-- > 0;)  // a state's derivative is a later state or a top
    unknown_of[problem.state_position(i)] = unknown_of[problem.next[i]];
  std::map<expr::SymbolId, std::uint32_t> of_symbol;
  for (std::uint32_t j = 0; j < problem.tops; ++j)
    of_symbol[problem.layout.leaf(problem.top_position(j)).symbol] = j;
  for (std::uint32_t p = problem.first_lifted(); problem.is_lifted(p); ++p)
    unknown_of[p] = of_symbol.at(problem.layout.leaf(p).symbol);
  for (std::uint32_t p = 1; p <= problem.states + problem.algebraic(); ++p)
    places_.push_back({unknown_of[p], problem.layout.leaf(p).order});
}

template <class T>
void Series<T>::set_point(T t, const T* states, const T* z) {
  jet_.set_time(t);
  for (std::size_t p = 0; p < places_.size(); ++p) {
    const T value = p < problem_.states ? states[p] : z[p - problem_.states];
    jet_.coefficient(places_[p].unknown, places_[p].order) =
        factor(0, places_[p].order).below(value);
  }
}

template <class T>
void Series<T>::residual(int level, T* rows) {
  for (int lower = first_level_; lower <= level; ++lower) jet_.evaluate(lower);
  for (std::uint32_t i = 0; i < problem_.c.size(); ++i)
    if (const int derivative = problem_.c[i] + level; derivative >= 0)
      *rows++ = factor(0, derivative).times(jet_.row(i, level));
}

template <class T>
void Series<T>::solve(compile::LinearSolver& solver, int stage) {
  for (std::uint32_t i = 0; i < problem_.tops; ++i)
    right_hand_side_[i] =
        -factor(stage, problem_.c[i]).times(static_cast<double>(jet_.row(i, stage)));
  solver.resolve(right_hand_side_.data(), solution_.data());
}

template <class T>
void Series<T>::evaluate_point(compile::LinearSolver& solver, T* tops) {
  for (int level = first_level_; level <= 0; ++level) jet_.evaluate(level);
  solve(solver, 0);
  for (std::uint32_t j = 0; j < problem_.tops; ++j) {
    tops[j] += T(solution_[j]);
    jet_.coefficient(j, problem_.d[j]) = factor(0, problem_.d[j]).below(tops[j]);
  }
  jet_.evaluate(0);
}

template <class T>
Failure Series<T>::extend(compile::LinearSolver& solver) {
  const auto rounds_at = [](int stage) {
    return !std::is_same_v<T, double> ? 3 : stage <= refined_stages ? 2 : 1;
  };
  const auto size = static_cast<std::uint32_t>(problem_.tops);
  for (int k = 1; k < order_; ++k) {
    stop_point();
    for (std::uint32_t j = 0; j < size; ++j) jet_.coefficient(j, k + problem_.d[j]) = 0;
    jet_.evaluate(k);
    for (int rounds = rounds_at(k); rounds > 0; --rounds) {
      solve(solver, k);
      for (std::uint32_t j = 0; j < size; ++j)
        change_[j] = factor(k, problem_.d[j]).below(T(solution_[j]));
      jet_.correct(k, change_.data(), rounds > 1);
    }
  }
  for (std::uint32_t j = 0; j < size; ++j)
    if (!std::isfinite(static_cast<double>(jet_.coefficient(j, order_ - 1 + problem_.d[j]))))
      return Failure::not_finite;
  return Failure::none;
}

template <class T>
void Series<T>::coefficients(int n, T* out) const {
  for (std::size_t p = 0; p < places_.size(); ++p) {
    const Place& place = places_[p];
    const bool known = n + place.order < order_ + problem_.d[place.unknown];
    out[p] = known ? factor(n, place.order).times(jet_.coefficient(place.unknown, n + place.order))
                   : T(0);
  }
}

template class Series<double>;
template class Series<compile::Quad>;

}  // namespace daedal::solve
