#include "daedal/run/sampled_control.hpp"

#include "daedal/model/command_limits.hpp"
#include "daedal/run/random.hpp"
#include "daedal/system/point.hpp"
#include "solved_quantities.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

namespace daedal::solve {

namespace {

/// Times that differ by rounding are the same: k T is computed in two ways.
bool is_due(double time, double now) {
  constexpr double rounding = 1e-12;
  return time <= now + rounding * std::max(1.0, std::abs(now));
}

expr::Function function_of(const model::Model& model, const std::vector<expr::Expr>& values) {
  std::vector<expr::Term> terms;
  for (std::size_t i = 0; i < values.size(); ++i)
    terms.push_back({values[i], static_cast<std::uint32_t>(i)});
  expr::Function function{static_cast<std::uint32_t>(values.size()), {}};
  if (!terms.empty()) function.families.push_back(expr::identity_family(model.graph, terms));
  return function;
}

}  // namespace

bool SampledRun::needed(const model::Model& model) {
  return std::ranges::any_of(model.controllers,
                             [](const model::Controller& c) { return c.period > 0; });
}

SampledRun::SampledRun(const model::Model& model, double start, double end, std::uint64_t seed,
                       const compile::Options& options)
    : model_(model), seed_(seed), options_(options) {
  constexpr double most_samples = 1e8;  // hours of computing
  for (std::size_t k = 0; k < model.controllers.size(); ++k) {
    const model::Controller& controller = model.controllers[k];
    if (!(controller.period > 0)) continue;
    const double samples = std::abs(end - start) / controller.period;
    if (end < start || samples > most_samples)
      throw ModelError(
          {Severity::error,
           controller.place,
           end < start ? fmt::format("controller '{}' has a clock, and the run goes back in time",
                                     controller.name)
                       : fmt::format("controller '{}' has {:.3g} samples in {:g} s",
                                     controller.name, samples, end - start),
           {},
           end < start ? "run forwards" : "choose a longer period; 1e8 samples are the most"});
    auto first = static_cast<std::uint64_t>(std::max(0.0, std::ceil(start / controller.period)));
    if (first > 0 && is_due(start, static_cast<double>(first - 1) * controller.period)) --first;
    clocks_.push_back({&controller, k, first, nullptr});
    for (const model::Command& command : controller.commands)
      clocks_.back().commands.emplace_back(model::command_limits(model, controller, command));
    if (!controller.observation) continue;
    clocks_.back().estimator = controller.observation->design->begin();
    clocks_.back().observed = controller.observation->states;
  }
}

double SampledRun::next() const {
  double time = std::numeric_limits<double>::infinity();
  for (const Clock& clock : clocks_) time = std::min(time, clock.time());
  if (!arrivals_.empty()) time = std::min(time, arrivals_.front().time);
  return time;
}

std::string SampledRun::act(const formulate::Problem& problem, const double* point,
                            std::span<double> held) {
  const double now = next();
  arrive(now, problem, held);
  for (Clock& clock : clocks_)
    if (is_due(clock.time(), now))
      if (std::string objection = timed(clock, problem, point, held); !objection.empty())
        return objection;
  return {};
}

/// Functions are compiled before the computer's clock starts.
std::string SampledRun::timed(Clock& clock, const formulate::Problem& problem, const double* point,
                              std::span<double> held) {
  functions_of(clock, problem, point);
  const auto begin = std::chrono::steady_clock::now();
  std::string objection = sample(clock, problem, point, held);
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  ++clock.taken;
  clock.computing += seconds;
  clock.longest = std::max(clock.longest, seconds);
  if (objection.empty() && clock.estimator != nullptr) note_error(clock, problem, point);
  return objection;
}

/// No part of what the controller computes: it does not know the states.
void SampledRun::note_error(Clock& clock, const formulate::Problem& problem,
                            const double* point) const {
  constexpr std::size_t most_errors = 100'000;
  if (clock.errors.size() >= most_errors) return;
  std::vector<double> states;
  for (const expr::Leaf& leaf : clock.observed) {
    const std::uint32_t position = problem.layout.find(leaf);
    if (position == compile::absent) return;
    states.push_back(point[position]);
  }
  const model::EstimationError error = clock.estimator->error_of(states);
  clock.degrees = error.degrees;
  clock.errors.push_back(error.squared / static_cast<double>(error.degrees));
}

void SampledRun::note(expr::SymbolId command, double time, double value) {
  for (Clock& clock : clocks_)
    for (std::size_t k = 0; k < clock.commands.size(); ++k)
      if (clock.controller->commands[k].held == command) clock.commands[k].act(time, value);
}

std::vector<ControlRecord> SampledRun::records(double end) const {
  std::vector<ControlRecord> records;
  for (const Clock& clock : clocks_) {
    const model::Controller& controller = *clock.controller;
    const double taken = static_cast<double>(std::max<std::uint64_t>(clock.taken, 1));
    records.push_back({controller.name,
                       controller.period,
                       clock.taken,
                       clock.computing / taken,
                       clock.longest,
                       {},
                       clock.errors,
                       clock.degrees});
    for (std::size_t k = 0; k < clock.commands.size(); ++k) {
      records.back().commands.push_back(clock.commands[k].until(end));
      records.back().commands.back().input = model_.symbols[controller.commands[k].input].name;
    }
  }
  return records;
}

void SampledRun::arrive(double now, const formulate::Problem& problem, std::span<double> held) {
  const auto later = std::ranges::find_if(
      arrivals_, [&](const Arrival& arrival) { return !is_due(arrival.time, now); });
  for (auto arrival = arrivals_.begin(); arrival != later; ++arrival) {
    held[problem.layout.find({arrival->held, 0}) - problem.first_held_value] = arrival->value;
    note(arrival->held, arrival->time, arrival->value);
  }
  arrivals_.erase(arrivals_.begin(), later);
}

std::string SampledRun::sample(Clock& clock, const formulate::Problem& problem, const double* point,
                               std::span<double> held) {
  const model::Controller& controller = *clock.controller;
  const double time = clock.time();
  Functions& functions = functions_of(clock, problem, point);
  point_.assign(point, point + problem.layout.size());
  point_[0] = time;  // k T, not what steps have added up to: exported controllers count samples
  const auto hold = [&](std::uint32_t position, double value) {
    point_[position] = value;
    held[position - problem.first_held_value] = value;
  };
  for (const std::uint32_t position : functions.states)  // its own, arrivals aside
    point_[position] = held[position - problem.first_held_value];
  for (const std::uint32_t position : functions.measured)
    point_[position] = held[position - problem.first_held_value];
  for (std::size_t k = 0; k < functions.noise.size(); ++k)
    hold(functions.noise[k], drawn(clock, k));
  const auto objection = [&](const char* what, const std::string& name) {
    const std::string own = controller.name + ".";
    return fmt::format("controller '{}': the {} '{}' is not a number at its sample {}",
                       controller.name, what,
                       name.starts_with(own) ? name.substr(own.size()) : name, clock.samples);
  };
  if (functions.measure) {
    rows_.resize(functions.measure->rows());
    (*functions.measure)(point_.data(), rows_.data());
    for (std::size_t k = 0; k < functions.measured.size(); ++k) {
      if (!std::isfinite(rows_[k]))
        return objection("measurement", model_.symbols[controller.measured[k].symbol].name);
      hold(functions.measured[k], rows_[k]);
    }
  }
  if (clock.estimator != nullptr)
    if (std::string why = estimate(clock, problem, held); !why.empty())
      return fmt::format("controller '{}': its observer stops at its sample {}: {}",
                         controller.name, clock.samples, why);
  for (std::size_t k = 0; k < functions.solved.size(); ++k) {
    SolvedQuantities& solved = *functions.solved[k];
    for (const std::uint32_t p : solved.positions()) point_[p] = held[p - problem.first_held_value];
    if (const std::string why = solved.solve(point_.data()); !why.empty())
      return fmt::format("controller '{}': no solution for {} at its sample {}: {}",
                         controller.name, controller.solved[k].law, clock.samples, why);
    for (const std::uint32_t p : solved.positions()) hold(p, point_[p]);
  }
  if (functions.decide) {
    rows_.resize(functions.decide->rows());
    (*functions.decide)(point_.data(), rows_.data());
    const std::size_t states = controller.states.size();
    for (std::size_t k = 0; k < states; ++k) {
      if (!std::isfinite(rows_[k]))
        return objection("state", model_.symbols[controller.states[k].symbol].name);
      hold(functions.states[k], rows_[k]);
    }
    for (std::size_t k = 0; k < controller.commands.size(); ++k) {
      const model::Command& command = controller.commands[k];
      const double value = rows_[states + k];
      if (!std::isfinite(value)) return objection("command", model_.symbols[command.input].name);
      if (command.dead_time > 0) {
        const Arrival arrival{time + command.dead_time, command.held, value};
        const auto after = std::ranges::find_if(
            arrivals_, [&](const Arrival& other) { return other.time > arrival.time; });
        arrivals_.insert(after, arrival);
      } else {
        hold(functions.commands[k], value);
        clock.commands[k].act(time, value);
      }
    }
  }
  ++clock.samples;
  return {};
}

/// The first sample is the start of the estimate. Inputs are those that act when the sample is taken.
std::string SampledRun::estimate(Clock& clock, const formulate::Problem& problem,
                                 std::span<double> held) {
  const model::Observation& observation = *clock.controller->observation;
  const auto position = [&](expr::SymbolId symbol) { return problem.layout.find({symbol, 0}); };
  const auto values_of = [&](const std::vector<expr::SymbolId>& symbols) {
    std::vector<double> values;
    for (const expr::SymbolId symbol : symbols)
      values.push_back(held[position(symbol) - problem.first_held_value]);
    return values;
  };
  if (clock.begun) {
    std::vector<std::uint8_t> fresh;
    for (const expr::SymbolId symbol : observation.fresh)
      fresh.push_back(symbol == 0 || held[position(symbol) - problem.first_held_value] != 0);
    if (std::string why = clock.estimator->sample(clock.time(), values_of(observation.inputs),
                                                  values_of(observation.measured), fresh);
        !why.empty())
      return why;
  }
  clock.begun = true;
  const std::span<const double> estimates = clock.estimator->estimates();
  for (std::size_t k = 0; k < estimates.size(); ++k) {
    if (!std::isfinite(estimates[k])) return "an estimate is not a number";
    point_[position(observation.estimates[k])] = estimates[k];
    held[position(observation.estimates[k]) - problem.first_held_value] = estimates[k];
  }
  return {};
}

SampledRun::Functions& SampledRun::functions_of(const Clock& clock,
                                                const formulate::Problem& problem,
                                                const double* point) {
  const auto [known, is_new] = functions_.try_emplace({&problem, clock.number});
  Functions& made = known->second;
  if (!is_new) return made;
  const model::Controller& controller = *clock.controller;
  std::vector<expr::Expr> measured, decided;
  const auto position = [&](expr::SymbolId symbol) { return problem.layout.find({symbol, 0}); };
  for (const model::Noise& noise : controller.noise) made.noise.push_back(position(noise.symbol));
  for (const model::Update& update : controller.measured) {
    made.measured.push_back(position(update.symbol));
    measured.push_back(update.value);
  }
  for (const model::Update& update : controller.states) {
    made.states.push_back(position(update.symbol));
    decided.push_back(update.value);
  }
  for (const model::Command& command : controller.commands) {
    made.commands.push_back(position(command.held));
    decided.push_back(command.value);
  }
  if (!measured.empty())
    made.measure.emplace(function_of(model_, measured), problem.layout, point, options_);
  for (const model::Solved& solved : controller.solved)
    made.solved.push_back(
        std::make_shared<SolvedQuantities>(model_, solved, problem, point, options_));
  if (!decided.empty())
    made.decide.emplace(function_of(model_, decided), problem.layout, point, options_);
  return made;
}

/// A function of seed, controller, sample and channel: runs of another step size or method draw the same.
double SampledRun::drawn(const Clock& clock, std::size_t channel) const {
  const std::uint64_t stream = mixed(mixed(seed_) + (std::uint64_t{clock.number} << 32) + channel);
  const std::uint64_t bits = mixed(stream + clock.samples);
  const model::Noise& noise = clock.controller->noise[channel];
  if (noise.uniform) return uniform_number(bits);
  return noise.deviation * normal_number(bits);
}

}  // namespace daedal::solve
