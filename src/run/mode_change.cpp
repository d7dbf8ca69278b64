#include "mode_change.hpp"

#include "daedal/derive/dae.hpp"
#include "daedal/system/point.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace daedal::solve {

const formulate::Problem& Modes::of(const Released& released) {
  const derive::Dae& first = *first_.dae;
  if (released == first.released) return first_;
  auto& problem = others_[released];
  if (!problem)
    problem = std::make_unique<const formulate::Problem>(formulate::formulate(
        structure::by_signature(
            std::make_shared<const derive::Dae>(derive::in_mode(first_.dae, released))),
        first_.formulation));
  return *problem;
}

namespace {

/// The states of `to` at a point laid out as `from` says: what has no place there begins at 0.
std::vector<double> states_in(const formulate::Problem& to, const formulate::Problem& from,
                              const double* point) {
  std::vector<double> states(to.states, 0.0);
  for (std::uint32_t i = 0; i < to.states; ++i) {
    const std::uint32_t position = from.layout.find(to.layout.leaf(to.state_position(i)));
    if (position != compile::absent) states[i] = point[position];
  }
  return states;
}

/// A constraint that is attached where it does not hold would move bodies in no time.
constexpr double largest_move =
    1e-3;  // of a position's size: what a run whose constraints drift may leave

class Application {
 public:
  Application(Modes& modes, const formulate::Problem& problem, const Released& released,
              const double* point, const std::vector<FiredEvent>& earlier, double settling)
      : modes_(modes),
        problem_(problem),
        model_(*problem.dae->model),
        before_(point),
        earlier_(earlier),
        settling_(settling) {
    change_.released = released;
    after_.assign(point, point + problem.layout.size());
  }

  ModeChange run(const std::vector<std::size_t>& events, const std::vector<double>& set_values) {
    std::size_t value = 0;
    for (std::size_t e = 0; e < model_.events.size(); ++e)
      for (const model::EventAction& action : model_.events[e].actions) {
        const bool fires = std::find(events.begin(), events.end(), e) != events.end();
        if (fires) apply(model_.events[e], action, set_values.data() + value);
        value += action.values.size();
      }
    const formulate::Problem& next = modes_.of(change_.released);
    ConsistentOptions options;
    options.t = before_[0];
    options.attempts = 1;
    options.states = states_in(next, problem_, after_.data());
    options.kept = kept_;
    const double* const held = before_ + problem_.first_held_value;
    held_.assign(held, held + problem_.held_values.size());
    options.held = held_;
    change_.start = consistent_point(next, options);
    refuse_moves(next, options.states, change_.start.states, attached_);
    for (const auto& [restitution, constraints] : bouncing_) bounce(constraints, restitution);
    change_.start.held = held_;
    return std::move(change_);
  }

 private:
  void apply(const model::Event& event, const model::EventAction& action, const double* values) {
    std::string what;
    const auto say = [&](const std::string& text) { what += (what.empty() ? "" : ", ") + text; };
    for (const std::size_t k : action.constraints) {
      const std::string& name = model_.constraints[k].name;
      Released& released = change_.released;
      const auto place = std::lower_bound(released.begin(), released.end(), k);
      const bool is_released = place != released.end() && *place == k;
      if (action.kind == model::EventAction::Kind::release) {
        if (!is_released) released.insert(place, k);
        say(name + " released");
      } else if (action.restitution > 0 && !settles(event)) {
        bouncing_[action.restitution].push_back(k);
        say(fmt::format("{} hit, restitution {:g}", name, action.restitution));
      } else {
        if (is_released) {
          released.erase(place);
          attached_.push_back(k);
        }
        say(name + " attached");
      }
    }
    for (std::size_t i = 0; i < action.targets.size(); ++i) {
      const std::uint32_t position = problem_.layout.find(action.targets[i]);
      if (position == compile::absent) continue;
      after_[position] = values[i];
      kept_.push_back(action.targets[i]);
      say(fmt::format("{} set to {:.6g}", name_at(problem_, position), values[i]));
    }
    change_.fired.push_back({event.name, before_[0], what});
  }

  /// From `before` to `after`, states of `problem` in which the constraints hold.
  void refuse_moves(const formulate::Problem& problem, const std::vector<double>& before,
                    const std::vector<double>& after,
                    const std::vector<std::size_t>& constraints) const {
    if (constraints.empty()) return;
    std::uint32_t farthest = 0;
    double largest = 0;
    for (std::uint32_t i = 0; i < problem.states; ++i) {
      const expr::Leaf leaf = problem.layout.leaf(problem.state_position(i));
      if (leaf.order != 0 || !model_.symbols[leaf.symbol].is_position()) continue;
      const double size = model_.symbols[leaf.symbol].nominal + std::abs(before[i]);
      const double move = std::abs(after[i] - before[i]) / size;
      if (move > largest) largest = move, farthest = i;
    }
    if (largest <= largest_move) return;
    const model::Relation& constraint = model_.constraints[constraints.front()];
    const std::uint32_t position = problem.state_position(farthest);
    const std::string& unit = model_.symbols[problem.layout.leaf(position).symbol].unit;
    throw ModelError({Severity::error,
                      constraint.place,
                      fmt::format("constraint '{}' does not hold there: attaching it would move {} "
                                  "from {:.6g} to {:.6g}{}",
                                  constraint.name, name_at(problem, position), before[farthest],
                                  after[farthest], unit.empty() ? "" : " " + unit),
                      {},
                      "let the event happen where the constraint holds, or  set  the positions "
                      "with it"});
  }

  bool settles(const model::Event& event) const {
    const auto last = std::find_if(earlier_.rbegin(), earlier_.rend(),
                                   [&](const FiredEvent& e) { return e.name == event.name; });
    return last != earlier_.rend() && std::abs(before_[0] - last->t) < settling_;
  }

  /// Velocities across constraints that are hit together are turned round and shrunk: v = v_p - e (v - v_p), v_p the one of a
  /// plastic impact on all of them (Newton's law of impact). Impacts of different restitution follow each other.
  void bounce(const std::vector<std::size_t>& constraints, double restitution) {
    const formulate::Problem& now = modes_.of(change_.released);
    Released touching;
    for (const std::size_t k : change_.released)
      if (std::find(constraints.begin(), constraints.end(), k) == constraints.end())
        touching.push_back(k);
    const formulate::Problem& held = modes_.of(touching);
    std::vector<double> states = change_.start.states;
    std::vector<double> point(now.layout.size(), 0.0);
    std::copy(states.begin(), states.end(), point.begin() + now.state_position(0));
    ConsistentOptions options;
    options.t = before_[0];
    options.attempts = 1;
    options.held = held_;
    options.states = states_in(held, now, point.data());
    const ConsistentPoint plastic = consistent_point(held, options);
    refuse_moves(held, options.states, plastic.states, constraints);
    for (std::uint32_t i = 0; i < now.states; ++i) {
      const expr::Leaf leaf = now.layout.leaf(now.state_position(i));
      const std::uint32_t place = held.layout.find(leaf);
      if (leaf.order != 1 || place == compile::absent || place > held.states) continue;
      const double rest = plastic.states[place - 1];
      states[i] = rest - restitution * (states[i] - rest);
    }
    options.states = states;
    change_.start = consistent_point(now, options);
  }

  Modes& modes_;
  const formulate::Problem& problem_;
  const model::Model& model_;
  const double* before_;
  const std::vector<FiredEvent>& earlier_;
  double settling_;
  std::vector<double> after_, held_;
  std::vector<expr::Leaf> kept_;
  std::vector<std::size_t> attached_;                    // constraints that did not act before
  std::map<double, std::vector<std::size_t>> bouncing_;  // constraints that are hit, by restitution
  ModeChange change_;
};

}  // namespace

ModeChange apply_events(Modes& modes, const formulate::Problem& problem, const Released& released,
                        const std::vector<std::size_t>& events,
                        const std::vector<double>& set_values, const double* point,
                        const std::vector<FiredEvent>& earlier, double settling) {
  return Application(modes, problem, released, point, earlier, settling).run(events, set_values);
}

}  // namespace daedal::solve
