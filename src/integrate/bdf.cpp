// See bdf.hpp.

#include "bdf.hpp"

#include "daedal/integrate/bdf_formulas.hpp"
#include "step_size.hpp"

#include <algorithm>
#include <cmath>

namespace daedal::solve {

namespace {

constexpr double starting_tolerance = 1e-14;
constexpr int most_starting_steps = 400;

}  // namespace

Bdf::Bdf(System& system, const BdfControl& control)
    : system_(system),
      control_(control),
      newton_(system, control.newton),
      starter_(system, dop853_tableau(),
               {.tolerance = starting_tolerance, .adaptive = true, .max_steps = ~0ull}),
      nodes_(static_cast<std::size_t>(control.order) + 1),
      known_part_(system.states()),
      weights_(newton_.weights()),
      rates_(system.states()) {
  for (Node& each : nodes_) {
    each.s.resize(system.states());
    each.z.resize(system.tops());
  }
}

double Bdf::previous_time() const { return node(known_ > 1 ? current_ + 1 : current_).t; }

StepOutcome Bdf::start(double t, const double* s, const double* z, double) {
  known_ = 1;
  current_ = 0;
  steps_ = {};
  newton_.restart();
  Node& first = nodes_.front();
  first.t = t;
  std::copy_n(s, first.s.size(), first.s.data());
  std::copy_n(z, first.z.size(), first.z.data());
  ++statistics_.evaluations;
  Failure failure = system_.derivative(t, s, first.z.data(), rates_.data());
  if (failure == Failure::none && !all_finite(rates_)) failure = Failure::not_finite;
  return {failure == Failure::none, describe(failure), failure, control_.step};
}

/// The oldest node becomes the newest, to be filled.
Bdf::Node& Bdf::push() {
  std::rotate(nodes_.begin(), nodes_.end() - 1, nodes_.end());
  known_ = std::min(known_ + 1, nodes_.size());
  return nodes_.front();
}

StepOutcome Bdf::step(double limit) {
  if (statistics_.accepted >= control_.max_steps)
    return {false, reason_max_steps, Failure::none, steps_.length()};
  Failure failure = Failure::none;
  if (!steps_.lead_to(limit) || (current_ == 0 && steps_.done()))
    failure = begin(limit);
  else if (current_ > 0)
    --current_;
  else
    failure = advance(control_.order);
  if (failure != Failure::none) return {false, describe(failure), failure, steps_.length()};
  record_step(statistics_, steps_.length(), false);
  return {true, {}, Failure::none, steps_.length()};
}

/// Divides the way to the limit, finds the nodes that the formula looks back to and one more, and returns the first.
Failure Bdf::begin(double limit) {
  origin_ = nodes_[current_];
  steps_.begin(origin_.t, limit, control_.step, control_.order);
  const bool exact_start = start_explicitly();
  for (int order = exact_start ? control_.order : 1; order <= control_.order; ++order)
    if (const Failure failure = advance(order); failure != Failure::none) return failure;
  current_ = known_ - 2;
  return Failure::none;
}

/// The nodes before the first step of the formula. False, and no node, when the problem is stiff.
bool Bdf::start_explicitly() {
  const EqualSteps before = steps_;
  const auto go_back = [&] {
    steps_ = before;
    nodes_.front() = origin_;
    known_ = 1;
    current_ = 0;
  };
  go_back();
  const double end = steps_.end_of(control_.order - 1);
  bool ok =
      control_.order == 1 || starter_.start(origin_.t, origin_.s.data(), origin_.z.data(), end).ok;
  int budget = most_starting_steps;
  for (int k = 1; k < control_.order && ok; ++k) {
    const double t = steps_.next();
    while (ok && starter_.time() < t) ok = --budget > 0 && starter_.step(t).ok;
    Node& next = push();
    next.t = t;
    std::copy_n(starter_.state().data(), next.s.size(), next.s.data());
    std::copy_n(starter_.tops().data(), next.z.size(), next.z.data());
    ok = ok && system_.derivative(t, next.s.data(), next.z.data(), rates_.data()) == Failure::none;
  }
  if (!ok) go_back();
  return ok;
}

/// One step with the formula of an order up to the number of known nodes.
Failure Bdf::advance(int order) {
  const BdfFormula& formula = bdf_formulas[static_cast<std::size_t>(order) - 1];
  const double c = formula.beta * steps_.length() / formula.divisor;
  const Chains& chains = newton_.chains();
  weights_[0] = 1;
  for (std::size_t d = 1; d < weights_.size(); ++d) weights_[d] = weights_[d - 1] * c;
  for (const std::uint32_t i : chains.order) {  // each after its derivative
    double sum = 0;
    for (int j = order; j-- > 0;)
      sum += formula.alpha[static_cast<std::size_t>(j)] * nodes_[static_cast<std::size_t>(j)].s[i];
    const std::uint32_t next = chains.next[i];
    known_part_[i] = sum / formula.divisor + (next < chains.states ? c * known_part_[next] : 0);
  }
  Node& made = push();
  made.t = steps_.next();
  made.z = nodes_[1].z;  // the guess, for one-step methods: all they may know
  if (order > 1)
    for (std::size_t j = 0; j < made.z.size(); ++j) made.z[j] += nodes_[1].z[j] - nodes_[2].z[j];
  const TopNewton::Step step{made.t, known_part_.data(), weights_};
  const Failure failure = control_.linear
                              ? newton_.solve_once(step, made.s.data(), made.z.data(), statistics_)
                              : newton_.solve(step, made.s.data(), made.z.data(), statistics_);
  if (failure != Failure::none) {
    std::rotate(nodes_.begin(), nodes_.begin() + 1, nodes_.end());  // back to the last good one
    known_ = std::min(known_, nodes_.size() - 1);
    return failure;
  }
  if (!system_.projects()) return Failure::none;
  ++statistics_.projections;
  return system_.project(made.t, made.s.data());
}

/// Lagrange's polynomial through the known nodes.
void Bdf::interpolate(double t, std::vector<double> Node::*values, double* result) const {
  const std::size_t size = (nodes_.front().*values).size();
  if (t == time()) {
    std::copy_n((node(current_).*values).data(), size, result);
    return;
  }
  std::fill_n(result, size, 0.0);
  for (std::size_t k = 0; k < known_; ++k) {
    double weight = 1;
    for (std::size_t j = 0; j < known_; ++j)
      if (j != k) weight *= (t - nodes_[j].t) / (nodes_[k].t - nodes_[j].t);
    const std::vector<double>& value = nodes_[k].*values;
    for (std::size_t i = 0; i < size; ++i) result[i] += weight * value[i];
  }
}
void Bdf::interpolate(double t, double* s) const { interpolate(t, &Node::s, s); }
void Bdf::interpolate_tops(double t, double* z) const { interpolate(t, &Node::z, z); }

}  // namespace daedal::solve
