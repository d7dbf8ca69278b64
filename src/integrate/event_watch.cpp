#include "daedal/integrate/event_watch.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace daedal::solve {

namespace {

bool changes_nothing(const model::Event& event, const std::vector<std::size_t>& released) {
  using Kind = model::EventAction::Kind;
  const auto is_released = [&](std::size_t k) {
    return std::binary_search(released.begin(), released.end(), k);
  };
  return std::all_of(
      event.actions.begin(), event.actions.end(), [&](const model::EventAction& action) {
        if (action.kind == Kind::set) return false;
        return std::all_of(
            action.constraints.begin(), action.constraints.end(),
            [&](std::size_t k) { return is_released(k) == (action.kind == Kind::release); });
      });
}

}  // namespace

EventWatch::EventWatch(const model::Model& model, double spacing)
    : model_(model), spacing_(spacing), was_true_(model.events.size(), false) {}

void EventWatch::begin(const formulate::Problem& problem, ProblemSystem& system,
                       const double* point, const compile::Options& options) {
  system_ = &system;
  idle_.clear();
  for (const model::Event& event : model_.events)
    idle_.push_back(changes_nothing(event, problem.dae->released));
  const auto function = [&](const std::vector<expr::Expr>& rows) {
    std::vector<expr::Term> terms;
    for (const expr::Expr e : rows) terms.push_back({e, static_cast<std::uint32_t>(terms.size())});
    return expr::Function{static_cast<std::uint32_t>(rows.size()),
                          {expr::identity_family(model_.graph, terms)}};
  };
  std::vector<expr::Expr> conditions, values;
  for (const model::Event& event : model_.events) {
    conditions.push_back(event.condition);
    for (const model::EventAction& action : event.actions)
      values.insert(values.end(), action.values.begin(), action.values.end());
  }
  const derive::Branches& branches = problem.dae->branches;
  expr::Function watched = function(conditions);
  watched.rows += static_cast<std::uint32_t>(branches.values.size());
  if (!branches.values.empty()) {
    std::vector<expr::Term> terms;
    for (const expr::Expr e : branches.values)
      terms.push_back({e, static_cast<std::uint32_t>(conditions.size() + terms.size())});
    watched.families.push_back(expr::identity_family(branches.graph, terms));
  }
  held_.clear();
  for (const expr::SymbolId s : branches.symbols)
    held_.push_back(point[problem.layout.find({s, 0})]);
  now_.assign(watched.rows, 0.0);
  first_step_ = true;
  conditions_.emplace(watched, problem.layout, point, options);
  if (!values.empty()) values_.emplace(function(values), problem.layout, point, options);
  set_values_.resize(values.size());
  states_.resize(system.states());
  tops_.resize(system.tops());
  rates_.resize(system.states());
}

void EventWatch::evaluate(const double* point) { (*conditions_)(point, now_.data()); }

bool EventWatch::any_turns() const {
  const std::size_t events = was_true_.size();
  for (std::size_t e = 0; e < events; ++e)
    if (now_[e] != 0 && !was_true_[e] && !idle_[e]) return true;
  for (std::size_t k = 0; k < held_.size(); ++k)
    if (now_[events + k] != held_[k]) return true;
  return false;
}

std::optional<std::size_t> EventWatch::changed_branch(const double* point) {
  evaluate(point);
  for (std::size_t k = 0; k < held_.size(); ++k)
    if (now_[was_true_.size() + k] != held_[k]) return k;
  return std::nullopt;
}

const double* EventWatch::point_at(const Integrator& integrator, double t) {
  integrator.interpolate(t, states_.data());
  integrator.interpolate_tops(t, tops_.data());
  if (system_->missing().empty()) {
    if (system_->projects()) system_->project(t, states_.data());
    system_->derivative(t, states_.data(), tops_.data(), rates_.data());
  }
  return system_->point_at(t, states_.data(), tops_.data());
}

/// Where a step is checked: evenly, and in the first one of a mode in geometric progression from its begin, for what an
/// event sets in motion may reverse at any time scale (a bouncing ball).
std::vector<double> EventWatch::times_within(const Integrator& integrator) const {
  constexpr int halvings = 30, least_parts = 4;
  const double begin = integrator.previous_time(), end = integrator.time();
  const int parts =
      std::max(least_parts, static_cast<int>(std::ceil(std::abs(end - begin) / spacing_)));
  std::vector<double> times;
  // closer to the begin, where a change may just have been found, rounding of the states decides and not their motion
  const double moved = 16 * std::numeric_limits<double>::epsilon() * std::abs(begin);
  for (int k = first_step_ ? halvings : 0; k > 0 && std::ldexp(1.0, -k) * parts < 1; --k)
    if (std::ldexp(std::abs(end - begin), -k) > moved)
      times.push_back(std::lerp(begin, end, std::ldexp(1.0, -k)));
  for (int k = 1; k < parts; ++k)
    times.push_back(std::lerp(begin, end, static_cast<double>(k) / parts));
  times.push_back(end);
  return times;
}

std::optional<double> EventWatch::look_at_step(const Integrator& integrator) {
  double before = integrator.previous_time();
  for (double after : times_within(integrator)) {
    evaluate(point_at(integrator, after));
    if (any_turns()) {
      constexpr double epsilon = std::numeric_limits<double>::epsilon();
      while (std::abs(after - before) > epsilon * std::max(std::abs(after), std::abs(before))) {
        const double middle = std::midpoint(before, after);
        if (middle == before || middle == after) break;
        evaluate(point_at(integrator, middle));
        (any_turns() ? after : before) = middle;
      }
      return after;
    }
    for (std::size_t e = 0; e < was_true_.size(); ++e) was_true_[e] = was_true_[e] && now_[e] != 0;
    before = after;
  }
  first_step_ = false;
  return std::nullopt;
}

std::vector<std::size_t> EventWatch::turned_true(const double* point) {
  evaluate(point);
  std::vector<std::size_t> events;
  for (std::size_t e = 0; e < was_true_.size(); ++e) {
    if (now_[e] != 0 && !was_true_[e] && !idle_[e]) events.push_back(e);
    was_true_[e] = now_[e] != 0;
  }
  return events;
}

std::vector<double> EventWatch::set_values(const double* point) {
  if (values_) (*values_)(point, set_values_.data());
  return set_values_;
}

}  // namespace daedal::solve
