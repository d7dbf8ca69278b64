// For the rest, held values become unknowns, each equal to what it becomes at a sample. For the linear parts they are inputs of the
// mechanism's equations, and what they become are outputs: accelerations and reactions that are measured are outputs like any other.
#include "clocked_loop.hpp"

#include "daedal/analyse/linearise.hpp"
#include "daedal/analyse/state_space.hpp"
#include "daedal/base/lu.hpp"
#include "daedal/model/estimator.hpp"
#include "daedal/task/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <utility>

namespace daedal {
inline namespace task {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using expr::Expr;
using expr::SymbolId;

std::vector<const model::Controller*> clocked(const model::Model& m) {
  std::vector<const model::Controller*> found;
  for (const model::Controller& c : m.controllers)
    if (c.period > 0) found.push_back(&c);
  return found;
}

MatrixXd matrix(const std::vector<double>& entries, std::size_t rows) {
  const auto n = static_cast<Index>(rows);
  const Index columns = n == 0 ? 0 : static_cast<Index>(entries.size()) / n;
  MatrixXd result(n, columns);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < columns; ++j)
      result(i, j) = entries[static_cast<std::size_t>(i * columns + j)];
  return result;
}

// ---- what has a linear model

void refuse_steps(const model::Model& m, const model::Controller& c) {
  if (!c.solved.empty())
    fault(c.place,
          fmt::format("controller '{}': {} solves equations at each sample, of which the loop from "
                      "sample to sample has no linear model",
                      c.name, c.solved.front().law),
          "without its clock the controller can be analysed");
  std::vector<Expr> values;
  for (const auto* updates : {&c.measured, &c.states})
    for (const model::Update& update : *updates) {
      values.push_back(update.value);
      if (m.symbols[update.symbol].name.starts_with(c.name + ".decimate"))
        fault(update.place,
              fmt::format("controller '{}' takes one sample in several: its loop has no poles from "
                          "one sample to the next",
                          c.name),
              "leave 'decimate' out, or give the whole controller the slower clock");
    }
  for (const model::Command& command : c.commands) values.push_back(command.value);
  for (const Expr e : expr::reachable(*m.graph, values))
    if (const expr::Op op = m.graph->node(e).op; op == expr::Op::floor || op == expr::Op::mod)
      fault(c.place, fmt::format("controller '{}' quantises: steps have no linear model", c.name),
            "leave 'quantise' out for this question");
}

using Observers = std::map<const model::Controller*, model::LinearObserver>;

/// The filter of a controller about a point, once its gains have settled.
feedback::SteadyFilter filter_of(const model::Controller& c, const model::LinearObserver& observer,
                                 const std::map<SymbolId, std::size_t>& held) {
  const std::size_t n = observer.states, outputs = observer.y.size();
  feedback::SteadyFilter filter{matrix(observer.a, n),
                                matrix(observer.b, n),
                                matrix(observer.h, outputs),
                                matrix(observer.j, outputs),
                                {},
                                matrix(observer.basis, observer.x.size()),
                                {},
                                {},
                                {}};
  const std::optional<MatrixXd> gain = feedback::steady_gain(
      filter.a, filter.h, matrix(observer.process, n), matrix(observer.noise, outputs));
  if (!gain)
    fault(c.place,
          fmt::format("controller '{}': at rest the covariance of its observer does not settle, so "
                      "its gains have no limit",
                      c.name),
          "a mode that does not decay is not seen there by the measurements, or no 'process' moves "
          "it");
  filter.gain = *gain;
  for (const SymbolId s : c.observation->inputs) filter.inputs.push_back(held.at(s));
  for (const SymbolId s : c.observation->measured) filter.measured.push_back(held.at(s));
  for (std::size_t k = 0; k < observer.x.size(); ++k)
    filter.estimates.push_back(held.at(c.observation->estimates[k]));
  return filter;
}

// ---- the rest

/// The model with held values as unknowns.
class Resting {
 public:
  enum class Limits : std::uint8_t { kept, released };

  /// Without a linear observer a controller knows the states of the mechanism.
  Resting(const model::Model& m, const std::map<SymbolId, std::size_t>& held,
          const std::vector<const model::Controller*>& controllers, const Observers& observers,
          Limits limits = Limits::kept)
      : m_(m),
        graph_(std::make_shared<expr::Graph>(m.graph)),
        observers_(observers),
        limits_(limits) {
    for (const auto& [symbol, number] : held) unknown(symbol);
    follow_commands();
    for (const model::Controller* c : controllers) add(*c, held);
    m_.graph = graph_;
    m_.controllers.clear();
  }
  model::Model take() { return std::move(m_); }

 private:
  Expr leaf(SymbolId symbol) { return graph_->leaf({symbol, 0}); }
  void unknown(SymbolId symbol) {
    m_.symbols[symbol].kind = model::SymbolKind::variable;
    m_.symbols[symbol].held = false;
    m_.starts.push_back({.leaf = {symbol, 0}, .value = m_.symbols[symbol].value, .stated = false});
  }
  void equation(const std::string& name, Expr residual, const Place& place) {
    m_.equations.push_back({name, residual, place});
  }

  /// A commanded input is what is held for it.
  void follow_commands() {
    std::erase_if(m_.inputs, [&](const model::InputDefault& input) {
      if (graph_->node(input.value).op != expr::Op::leaf) return false;
      const SymbolId held = graph_->leaf_of(input.value).symbol;
      if (m_.symbols[held].kind != model::SymbolKind::variable) return false;
      m_.symbols[input.input].kind = model::SymbolKind::variable;
      for (model::Drive& drive : m_.drives)
        if (drive.input == input.input) drive.input = 0;
      equation(m_.symbols[input.input].name + " is held",
               graph_->sub(leaf(input.input), leaf(held)), m_.symbols[input.input].place);
      return true;
    });
  }

  void add(const model::Controller& c, const std::map<SymbolId, std::size_t>& held) {
    const auto becomes = [&](SymbolId symbol, Expr value, const Place& place) {
      equation("sample of " + m_.symbols[symbol].name, graph_->sub(value, leaf(symbol)), place);
    };
    for (const auto* updates : {&c.measured, &c.states})
      for (const model::Update& update : *updates)
        becomes(update.symbol, update.value, update.place);
    for (const model::Command& command : c.commands)
      becomes(command.held, limits_ == Limits::kept ? command.value : within_limits(command.value),
              command.place);
    if (c.observation) estimate(c, held);
  }

  /// x of max(low, min(x, high)).
  Expr within_limits(Expr value) const {
    const expr::Node& outer = graph_->node(value);
    if (outer.op != expr::Op::max) return value;
    const expr::Node& inner = graph_->node(Expr{outer.b});
    return inner.op == expr::Op::min ? Expr{inner.a} : value;
  }

  /// x = x_0 + basis s,  s = (1 - (1 - K H) A)^-1 (((1 - K H) B - K J) v + K y + (1 - K H) drift)
  void estimate(const model::Controller& c, const std::map<SymbolId, std::size_t>& held) {
    constexpr double rounding = 1e-9;  // of differences, in the largest answer of a state
    const auto known = observers_.find(&c);
    if (known == observers_.end()) return know(c);
    const model::LinearObserver& rest = known->second;
    const feedback::SteadyFilter f = filter_of(c, rest, held);
    const MatrixXd one = MatrixXd::Identity(f.a.rows(), f.a.rows()), kept = one - f.gain * f.h;
    const Lu settled(one - kept * f.a);
    const MatrixXd of_inputs = f.basis * settled.solve(MatrixXd(kept * f.b - f.gain * f.j)),
                   of_measured = f.basis * settled.solve(f.gain),
                   of_drift = f.basis *
                              settled.solve(MatrixXd(kept * matrix(rest.drift, rest.drift.size())));
    double size = 0;  // of the estimates: velocities at rest are roundings of it
    for (const double x : rest.x) size = std::max(size, std::abs(x));
    for (std::size_t i = 0; i < rest.x.size(); ++i) {
      const double about = rest.x[i] + of_drift(static_cast<Index>(i), 0);
      Expr sum = graph_->constant(std::abs(about) <= 1e-12 * size ? 0 : about);
      const auto add = [&](const MatrixXd& gain, std::size_t k, SymbolId symbol, double at) {
        const double factor = gain(static_cast<Index>(i), static_cast<Index>(k));
        if (std::abs(factor) <= rounding * gain.col(static_cast<Index>(k)).cwiseAbs().maxCoeff())
          return;  // an equation of roundings alone would have no scale
        sum = graph_->add(sum, graph_->mul(graph_->constant(factor),
                                           graph_->sub(leaf(symbol), graph_->constant(at))));
      };
      for (std::size_t k = 0; k < rest.v.size(); ++k)
        add(of_inputs, k, c.observation->inputs[k], rest.v[k]);
      for (std::size_t k = 0; k < rest.y.size(); ++k)
        add(of_measured, k, c.observation->measured[k], rest.y[k]);
      const SymbolId symbol = c.observation->estimates[i];
      equation("estimate " + m_.symbols[symbol].name, graph_->sub(sum, leaf(symbol)), c.place);
    }
  }

  void know(const model::Controller& c) {
    for (std::size_t i = 0; i < c.observation->states.size(); ++i) {
      const SymbolId symbol = c.observation->estimates[i];
      equation("estimate " + m_.symbols[symbol].name,
               graph_->sub(graph_->leaf(c.observation->states[i]), leaf(symbol)), c.place);
    }
  }

  model::Model m_;
  std::shared_ptr<expr::Graph> graph_;
  const Observers& observers_;
  Limits limits_;
};

// ---- linear parts

/// What every formula of the controllers becomes, over z and held values.
class Formulas {
 public:
  Formulas(const Asked& asked, const analysis::Equilibrium& rest,
           const std::map<SymbolId, std::size_t>& held,
           const std::vector<const model::Controller*>& controllers)
      : held_(held) {
    model::Model m = *asked.model;
    for (const auto& [symbol, number] : held_) m.symbols[symbol].kind = model::SymbolKind::input;
    std::vector<analysis::NamedOutput> outputs;
    const auto add = [&](Expr value, SymbolId symbol) {
      outputs.push_back({m.symbols[symbol].name, value});
    };
    for (const model::Controller* c : controllers) {
      for (const auto* updates : {&c->measured, &c->states})
        for (const model::Update& update : *updates) add(update.value, update.symbol);
      for (const model::Command& command : c->commands) add(command.value, command.held);
    }
    const auto dae = asked.derived(m);
    system_ = analysis::state_space(analysis::linearise(*dae, analysis::point_of(rest), outputs));
    if (!system_.proper())
      fault(controllers.front()->place,
            "a measurement depends on the rate of a command, which jumps at the samples",
            "measure something else, or drive the coordinate with a lag");
    for (const auto& [symbol, number] : held_) column_[number] = column(m.symbols[symbol].name);
    for (const model::InputDefault& input : asked.model->inputs)
      if (asked.model->graph->node(input.value).op == expr::Op::leaf)
        if (const auto follows = held_.find(asked.model->graph->leaf_of(input.value).symbol);
            follows != held_.end())
          input_[follows->second] = column(m.symbols[input.input].name);
  }

  const MatrixXd& f() const { return system_.f; }
  VectorXd action(std::size_t held) const { return system_.g.col(input_.at(held)); }

  /// In the order in which they were added.
  feedback::HeldFormula next(std::size_t held) {
    feedback::HeldFormula formula{held, system_.h.row(row_),
                                  Eigen::RowVectorXd::Zero(static_cast<Index>(held_.size()))};
    const MatrixXd& direct = system_.feedthrough[0];
    for (const auto& [number, from] : column_)
      formula.q_row[static_cast<Index>(number)] += direct(row_, from);
    for (const auto& [number, from] : input_)
      formula.q_row[static_cast<Index>(number)] += direct(row_, from);
    ++row_;
    return formula;
  }

 private:
  Index column(const std::string& name) const {
    return std::ranges::find(system_.inputs, name) - system_.inputs.begin();
  }

  const std::map<SymbolId, std::size_t>& held_;
  analysis::StateSpace system_;
  std::map<std::size_t, Index> column_, input_;  // of a held value; of the input that follows it
  Index row_ = 0;
};

std::map<SymbolId, std::size_t> held_values(
    const std::vector<const model::Controller*>& controllers) {
  std::map<SymbolId, std::size_t> held;
  const auto add = [&](SymbolId symbol) { held.emplace(symbol, held.size()); };
  for (const model::Controller* c : controllers) {
    for (const auto* updates : {&c->measured, &c->states})
      for (const model::Update& update : *updates) add(update.symbol);
    for (const model::Command& command : c->commands) add(command.held);
    if (!c->observation) continue;
    for (std::size_t k = 0; k < c->observation->states.size(); ++k)
      add(c->observation->estimates[k]);
  }
  return held;
}

double common_period(const std::vector<const model::Controller*>& controllers) {
  const double period = controllers.front()->period;
  for (const model::Controller* c : controllers)
    if (c->period != period)
      fault(
          c->place,
          fmt::format("controllers '{}' and '{}' have clocks of {:g} s and {:g} s: the loop has no "
                      "poles from one sample to the next",
                      controllers.front()->name, c->name, period, c->period),
          "choose controllers with one clock");
  return period;
}

/// Uniform random numbers decide whether a sample is lost: none is.
model::Model without_losses(model::Model m) {
  for (const model::Controller& c : m.controllers)
    for (const model::Noise& noise : c.noise) m.symbols[noise.symbol].value = noise.uniform ? 1 : 0;
  return m;
}

/// Where the equations hold at rest. A command that is at a limit at the start says nothing of where the loop would go: the search
/// begins once more at the rest of the loop without such limits.
analysis::Equilibrium rest_of_loop(const Asked& asked, const std::map<SymbolId, std::size_t>& held,
                                   const std::vector<const model::Controller*>& controllers,
                                   const Observers& observers,
                                   std::shared_ptr<const derive::Dae>& dae,
                                   const std::vector<std::string>& free) {
  const model::Model loop = Resting(*asked.model, held, controllers, observers).take();
  dae = asked.derived(loop);
  analysis::EquilibriumOptions options;
  options.free_inputs = inputs_named(*dae->model, free);
  analysis::Equilibrium rest = analysis::equilibrium(*dae, options);
  if (rest.found) return rest;
  const auto released = asked.derived(
      Resting(*asked.model, held, controllers, observers, Resting::Limits::released).take());
  const analysis::Equilibrium without = analysis::equilibrium(*released, options);
  if (!without.found) return rest;
  model::Model there = loop;
  there.starts.clear();
  for (SymbolId s = 0; s < there.symbols.size(); ++s)
    if (there.symbols[s].kind == model::SymbolKind::coordinate ||
        there.symbols[s].kind == model::SymbolKind::variable)
      there.starts.push_back({.leaf = {s, 0}, .value = without.values[s], .stated = false});
  const auto from_there = asked.derived(std::move(there));
  analysis::Equilibrium again = analysis::equilibrium(*from_there, options);
  if (!again.found) return rest;
  dae = from_there;
  return again;
}

}  // namespace

/// Filters are linear about where the loop rests with them, which begins where it would rest if it knew its states. Each turn is one
/// of Newton's method on the estimates.
analysis::Equilibrium rest_with_observers(const Asked& asked,
                                          const std::map<SymbolId, std::size_t>& held,
                                          const std::vector<const model::Controller*>& controllers,
                                          Observers& observers,
                                          std::shared_ptr<const derive::Dae>& dae,
                                          const std::vector<std::string>& free) {
  constexpr double settled =
      1e-9;  // of the largest estimate, or of 1: the next turn would be its square
  constexpr int most = 20;
  std::vector<const model::Controller*> nonlinear;
  for (const model::Controller* c : controllers) {
    if (!c->observation) continue;
    if (const model::LinearObserver* const linear = c->observation->design->linear())
      observers[c] = *linear;
    else
      nonlinear.push_back(c);
  }
  analysis::Equilibrium rest = rest_of_loop(asked, held, controllers, observers, dae, free);
  for (int turn = 0; !nonlinear.empty() && rest.found; ++turn) {
    double moved = 0, size = 1;
    for (const model::Controller* c : nonlinear) {
      std::vector<double> x, v;
      for (std::size_t k = 0; k < c->observation->states.size(); ++k)
        x.push_back(rest.values[c->observation->estimates[k]]);
      for (const SymbolId input : c->observation->inputs) v.push_back(rest.values[input]);
      const auto known = observers.find(c);
      for (std::size_t k = 0; k < x.size() && known != observers.end(); ++k) {
        moved = std::max(moved, std::abs(x[k] - known->second.x[k]));
        size = std::max(size, std::abs(x[k]));
      }
      observers[c] = c->observation->design->linear_at(x, v);
    }
    if (turn > 0 && moved <= settled * size) break;
    if (turn == most)
      rest.found = false;
    else
      rest = rest_of_loop(asked, held, controllers, observers, dae, free);
  }
  return rest;
}

ClockedLoop clocked_loop(const Asked& given, const std::vector<std::string>& free) {
  Asked asked = given;
  asked.model = std::make_shared<const model::Model>(without_losses(*given.model));
  const std::vector<const model::Controller*> controllers = clocked(*asked.model);
  ClockedLoop loop;
  loop.period = common_period(controllers);
  for (const model::Controller* c : controllers) refuse_steps(*asked.model, *c);
  const std::map<SymbolId, std::size_t> held = held_values(controllers);
  std::vector<feedback::ClockedController> parts(controllers.size());
  Observers observers;
  loop.rest = rest_with_observers(asked, held, controllers, observers, loop.dae, free);
  if (!loop.rest.found) return loop;
  for (std::size_t k = 0; k < controllers.size(); ++k)
    if (const auto observer = observers.find(controllers[k]); observer != observers.end())
      parts[k].filter = filter_of(*controllers[k], observer->second, held);
  Formulas formulas(asked, loop.rest, held, controllers);
  for (std::size_t k = 0; k < controllers.size(); ++k) {
    const model::Controller& c = *controllers[k];
    for (const model::Update& m : c.measured)
      parts[k].measured.push_back(formulas.next(held.at(m.symbol)));
    for (const model::Update& s : c.states)
      parts[k].states.push_back(formulas.next(held.at(s.symbol)));
    for (const model::Command& u : c.commands) {
      const std::size_t number = held.at(u.held);
      parts[k].commands.push_back({formulas.next(number), formulas.action(number), u.dead_time});
      loop.inputs.push_back(asked.model->symbols[u.input].name);
    }
  }
  loop.f = formulas.f();
  loop.controllers = std::move(parts);
  loop.held = held.size();
  loop.linear = feedback::sampled_loop(loop.f, loop.controllers, loop.held, loop.period);
  return loop;
}

}  // namespace task
}  // namespace daedal
