// From weights in the user's coordinates to gains: reduce, judge the modes, solve, expand, judge the loops.
#include "daedal/control/regulator.hpp"

#include "cost.hpp"
#include "daedal/analyse/model_reduction.hpp"
#include "daedal/analyse/reachability.hpp"
#include "daedal/base/symmetric_eigen.hpp"
#include "daedal/control/prediction.hpp"
#include "daedal/control/sampled.hpp"
#include "daedal/pencil/riccati.hpp"
#include "modes.hpp"
#include "plant.hpp"
#include "refuse.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <utility>

namespace daedal::feedback {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using Complex = std::complex<double>;

using Named = std::vector<std::pair<std::string, double>>;

VectorXd weights(const derive::Dae& dae, const char* option, const Named& given, double others,
                 const std::vector<std::string>& names, const char* kind, bool zero_allowed) {
  VectorXd result = VectorXd::Constant(static_cast<Index>(names.size()), others);
  for (const auto& [name, value] : given)
    result[static_cast<Index>(position_of(dae, option, name, names, kind))] = value;
  for (Index k = 0; k < result.size(); ++k) {
    const double w = result[k];
    if (std::isfinite(w) && (w > 0 || (w == 0 && zero_allowed))) continue;
    refuse(dae,
           fmt::format("`{}`: the weight of '{}' is {:g}", option,
                       names[static_cast<std::size_t>(k)], w),
           zero_allowed ? "a weight of a state is 0 or more" : "a weight of an input is above 0");
  }
  return result;
}

/// Symmetric, with eigenvalues of 0 or more, of R above 0.
void check_weight(const derive::Dae& dae, const char* name, const MatrixXd& weight, Index size,
                  bool singular_allowed) {
  constexpr double rounding = 1e-12;  // of the largest entry
  if (weight.rows() != size || weight.cols() != size)
    refuse(dae,
           fmt::format("`{}` is {} x {} and weighs {} quantities", name, weight.rows(),
                       weight.cols(), size),
           "give a number, as many numbers as quantities, or a square matrix");
  if (!weight.allFinite()) refuse(dae, fmt::format("`{}` is not finite", name), "");
  const double largest = weight.cwiseAbs().maxCoeff();
  if ((weight - weight.transpose()).cwiseAbs().maxCoeff() > rounding * largest)
    refuse(dae, fmt::format("`{}` is not symmetric", name), "");
  const double least = symmetric_eigenvalues(weight)[0];
  if (singular_allowed ? least < -rounding * largest : !(least > rounding * largest))
    refuse(dae, fmt::format("`{}` has the eigenvalue {:.3g}: the cost has no minimum", name, least),
           singular_allowed ? "weights of states are positive semidefinite"
                            : "weights of inputs and of integrals are positive definite");
}

}  // namespace

Cost cost_of(const derive::Dae& dae, const Plant& plant, const RegulatorOptions& options) {
  Cost cost;
  const auto states = static_cast<Index>(plant.states.size());
  const auto inputs = static_cast<Index>(plant.inputs.size());
  if (options.q) {
    cost.q = *options.q;
    check_weight(dae, "Q", cost.q, states, true);
  } else {
    const double others = options.other_states.value_or(options.states.empty() ? 1 : 0);
    cost.q = weights(dae, "state_weights", options.states, others, plant.states, "state", true)
                 .asDiagonal();
  }
  if (options.r) {
    cost.r = *options.r;
    check_weight(dae, "R", cost.r, inputs, false);
  } else {
    cost.r = weights(dae, "input_weights", options.commands, options.other_commands, plant.inputs,
                     "input", false)
                 .asDiagonal();
  }
  cost.n = options.n.value_or(MatrixXd::Zero(states, inputs));
  if (cost.n.rows() != states || cost.n.cols() != inputs || !cost.n.allFinite())
    refuse(dae,
           fmt::format("`N` is {} x {} for {} states and {} inputs", cost.n.rows(), cost.n.cols(),
                       states, inputs),
           "its rows are the states, its columns the inputs");
  MatrixXd whole(states + inputs, states + inputs);
  whole << cost.q, cost.n, cost.n.transpose(), cost.r;
  if (!cost.n.isZero(0)) check_weight(dae, "[Q N; N' R]", whole, states + inputs, true);
  return cost;
}

namespace {

/// C with C^T C = q.
MatrixXd root_of(const MatrixXd& q) {
  const SymmetricEigen eigen = symmetric_eigen(q);
  return eigen.values.cwiseMax(0).cwiseSqrt().asDiagonal() * eigen.vectors.transpose();
}

/// A mode that no input moves and that does not decay cannot be stabilised; one that neither decays nor grows and that no
/// weight sees is left alone by the cheapest feedback.
void judge_modes(const derive::Dae& dae, const Plant& plant, const MatrixXd& q) {
  const double scale = plant.f.norm();
  analysis::StateSpace system;
  system.f = plant.f;
  system.g = plant.g;
  system.h = root_of(q) * plant.basis;
  require_stabilisable(dae, plant, analysis::controllability(system).hidden);
  for (const Complex mode : not_decaying(analysis::observability(system).hidden, scale, true))
    refuse(dae,
           fmt::format("model '{}': no weight sees the mode {}, in which {} moves: the cheapest "
                       "feedback would leave it as it is",
                       dae.model->name, text_of(mode), movers_of(plant, mode)),
           fmt::format("give one of them a weight: state_weights = {}=1",
                       movers_of(plant, mode).substr(0, movers_of(plant, mode).find(','))));
}

/// The plant with the integrals as further states.
Plant extended(const derive::Dae& dae, Plant plant, const Integrals& integrals) {
  const Index n = plant.f.rows(), states = plant.basis.rows(), k = integrals.of.rows();
  if (integrals.of.cols() != states)
    refuse(dae, fmt::format("quantities of {} states, not {}", integrals.of.cols(), states), "");
  MatrixXd f = MatrixXd::Zero(n + k, n + k), basis = MatrixXd::Zero(states + k, n + k);
  f.topLeftCorner(n, n) = plant.f;
  f.bottomLeftCorner(k, n) = integrals.of * plant.basis;
  basis.topLeftCorner(states, n) = plant.basis;
  basis.bottomRightCorner(k, k).setIdentity();
  plant.f = f;
  plant.basis = basis;
  plant.g.conservativeResize(n + k, Eigen::NoChange);
  plant.g.bottomRows(k).setZero();
  for (const std::string& name : integrals.names) {
    plant.states.push_back(fmt::format("the integral of {}", name));
    plant.leaves.push_back({});
  }
  return plant;
}

Cost extended(const derive::Dae& dae, Cost cost, const Integrals& integrals) {
  const Index n = cost.q.rows(), k = integrals.of.rows();
  check_weight(dae, "integral", integrals.weight, k, false);
  cost.q.conservativeResize(n + k, n + k);
  cost.q.rightCols(k).setZero();
  cost.q.bottomRows(k).setZero();
  cost.q.bottomRightCorner(k, k) = integrals.weight;
  cost.n.conservativeResize(n + k, Eigen::NoChange);
  cost.n.bottomRows(k).setZero();
  return cost;
}

/// With a clock the last states are sums of what is sampled, and their weights count once in a period.
Sampled with_sums(Sampled exact, const MatrixXd& f, const MatrixXd& q, Index sums, double period) {
  const Index n = exact.a.rows() - sums;
  exact.a.bottomRows(sums).setZero();
  exact.a.bottomLeftCorner(sums, n) = period * f.bottomLeftCorner(sums, n);
  exact.a.bottomRightCorner(sums, sums).setIdentity();
  exact.b.bottomRows(sums).setZero();
  exact.q.rightCols(sums).setZero();
  exact.q.bottomRows(sums).setZero();
  exact.q.bottomRightCorner(sums, sums) = period * q.bottomRightCorner(sums, sums);
  exact.s.bottomRows(sums).setZero();
  return exact;
}

/// On the constraint manifold, x = T z: T^T Q T, T^T N. Q - N R^-1 N^T is what the cost makes of the states where the cheapest
/// command of each instant is subtracted; over a period the input is held, and N joins Q and R there.
analysis::RiccatiSolution solve(const Plant& plant, const Cost& cost, double period, Index sums) {
  const MatrixXd q = plant.basis.transpose() * cost.q * plant.basis;
  const MatrixXd n = plant.basis.transpose() * cost.n;
  if (period <= 0) {
    if (n.isZero(0)) return analysis::continuous_riccati({plant.f, plant.g, q, cost.r});
    return analysis::continuous_riccati({plant.f, plant.g, q, cost.r, n});
  }
  MatrixXd of_states = q;
  of_states.rightCols(sums).setZero();
  of_states.bottomRows(sums).setZero();
  Sampled s = sampled(plant.f, plant.g, {sums == 0 ? q : of_states, cost.r, n}, period);
  if (sums > 0) s = with_sums(std::move(s), plant.f, q, sums, period);
  return analysis::discrete_riccati({s.a, s.b, s.q, s.r, s.s});
}

[[noreturn]] void no_solution(const derive::Dae& dae, const analysis::RiccatiSolution& found) {
  std::string where;
  for (const Complex value : found.boundary)
    if (value.imag() >= 0) where += fmt::format("{}{}", where.empty() ? "" : ", ", text_of(value));
  refuse(
      dae,
      fmt::format("model '{}': the Riccati equation has no stabilising solution{}", dae.model->name,
                  where.empty() ? "" : fmt::format(": modes at {} stay where they are", where)),
      "weights differ by too much, or an input hardly moves one of the modes");
}

/// The loop opened at one input, the others closed: from that input to what the feedback answers.
analysis::LinearModel opened_at(const Plant& plant, const MatrixXd& gain, Index input) {
  analysis::LinearModel loop;
  const Index n = plant.f.rows();
  MatrixXd others = gain;
  others.row(input).setZero();
  loop.e = MatrixXd::Identity(n, n);
  loop.a = plant.f - plant.g * others;
  loop.b = plant.g.col(input);
  loop.c = gain.row(input);
  loop.d = MatrixXd::Zero(1, 1);
  loop.inputs = {"u"};
  loop.outputs = {"answer"};
  return loop;
}

/// The same of a controller with a clock, its image.
analysis::LinearModel opened_at(const Plant& plant, const MatrixXd& gain, Index input,
                                double period) {
  if (period == 0) return opened_at(plant, gain, input);
  const Index n = plant.f.rows(), m = gain.rows();
  MatrixXd others = gain;
  others.row(input).setZero();
  const Sampled over = sampled(
      plant.f, plant.g, {MatrixXd::Zero(n, n), MatrixXd::Zero(m, m), MatrixXd::Zero(n, m)}, period);
  return bilinear(
      {over.a - over.b * others, over.b.col(input), gain.row(input), MatrixXd::Zero(1, 1)}, period);
}

/// What the gains are designed on, and where its states are among those of the whole plant.
struct Designed {
  Plant plant;
  MatrixXd left;
};

Designed reduced(const derive::Dae& dae, const Plant& plant, const Cost& cost, int order) {
  analysis::StateSpace weighted;  // the cost as outputs
  weighted.f = plant.f;
  weighted.g = plant.g;
  weighted.h = root_of(cost.q) * plant.basis;
  weighted.basis = plant.basis;
  weighted.feedthrough = {MatrixXd::Zero(weighted.h.rows(), plant.g.cols())};
  try {
    const analysis::ReducedModel small = analysis::balanced_truncation(weighted, order);
    Designed made{plant, small.left};
    made.plant.f = small.system.f;
    made.plant.g = small.system.g;
    made.plant.basis = small.system.basis;
    return made;
  } catch (const std::invalid_argument&) {
    refuse(dae,
           fmt::format(
               "`reduce = {}`: model '{}' has {} states, of which those that do not decay stay",
               order, dae.model->name, plant.f.rows()),
           "choose a number between them");
  }
}

/// Poles of the whole with these gains; factors from sample to sample with a period.
std::vector<Complex> closed_poles(const Plant& plant, const MatrixXd& gain, double period) {
  const Index n = plant.f.rows(), m = plant.g.cols();
  MatrixXd closed = plant.f - plant.g * gain;
  if (period > 0) {
    const Sampled over =
        sampled(plant.f, plant.g,
                {MatrixXd::Zero(n, n), MatrixXd::Zero(m, m), MatrixXd::Zero(n, m)}, period);
    closed = over.a - over.b * gain;
  }
  std::vector<Complex> poles;
  for (const analysis::Eigenvalue& pole :
       analysis::finite_eigenvalues(MatrixXd::Identity(n, n), closed).values)
    poles.push_back(pole.value);
  return poles;
}

/// The loop opened at each input, and what it tolerates.
void add_loops(Regulator& result, const Plant& plant, const MatrixXd& gain,
               const RegulatorOptions& options, Index sums) {
  if (options.delay > 0) {
    result.sampled =
        late_loop(plant.f, plant.g, gain, result.past_gains, options.period, options.delay);
  } else if (options.period > 0 && sums > 0) {
    const Index n = plant.f.rows(), m = plant.g.cols();
    const MatrixXd no_cost = MatrixXd::Zero(n, n);
    const Sampled s = with_sums(
        sampled(plant.f, plant.g, {no_cost, MatrixXd::Identity(m, m), MatrixXd::Zero(n, m)},
                options.period),
        plant.f, no_cost, sums, options.period);
    result.sampled = SampledLoop{s.a, s.b, -gain};
  }
  for (Index k = 0; k < plant.g.cols(); ++k) {
    result.loops.push_back(result.sampled ? opened(*result.sampled, k, options.period)
                                          : opened_at(plant, gain, k, options.period));
    result.margins.push_back(loop_margins(result.loops.back(), options.period));
  }
  result.f = plant.f;
  result.g = plant.g;
  result.basis = plant.basis;
  result.reduced_gain = gain;
}

/// Gains that are designed on a part may leave the rest unstable.
void judge_whole(const derive::Dae& dae, const std::vector<Complex>& closed,
                 const RegulatorOptions& options) {
  for (const Complex pole : closed)
    if (options.period > 0 ? std::abs(pole) >= 1 : pole.real() >= 0)
      refuse(dae,
             fmt::format(
                 "`reduce = {}`: with gains designed on so many states the loop of model '{}' is "
                 "unstable, {}",
                 *options.reduce, dae.model->name, text_of(pole)),
             "keep more states");
}

}  // namespace

Regulator regulator(const derive::Dae& dae, const analysis::LinearModel& linear,
                    const RegulatorOptions& options) {
  if (!(options.period >= 0) || !std::isfinite(options.period))
    refuse(dae,
           fmt::format("`period = {:g}`: the time between samples is above 0 s", options.period),
           "");
  check_delay(dae, options.delay, options.period);
  if (options.delay > 0 && options.integrals)
    refuse(dae, "integrals of errors are not predicted over a delay",
           "leave the delay out, or take  lqr(delay = ...)  and a disturbance_observer");
  Plant plant = plant_of(dae, linear, options.inputs);
  Regulator result;
  result.inputs = plant.inputs;
  result.states = plant.states;
  result.held = plant.held;
  result.open =
      analysis::finite_eigenvalues(MatrixXd::Identity(plant.f.rows(), plant.f.rows()), plant.f);
  Cost cost = cost_of(dae, plant, options);
  result.state_weights = cost.q.diagonal();
  result.input_weights = cost.r.diagonal();
  const Index states = plant.basis.rows(),
              sums = options.integrals ? options.integrals->of.rows() : 0;
  if (options.integrals) {
    cost = extended(dae, std::move(cost), *options.integrals);
    plant = extended(dae, std::move(plant), *options.integrals);
  }
  judge_modes(dae, plant, cost.q);
  std::optional<Designed> part;
  if (options.reduce) part = reduced(dae, plant, cost, *options.reduce);
  const Plant& designed = part ? part->plant : plant;
  const analysis::RiccatiSolution found = solve(designed, cost, options.period, sums);
  if (!found.solved()) no_solution(dae, found);
  MatrixXd gain = part ? MatrixXd(found.gain * part->left) : found.gain;
  result.closed = part ? closed_poles(plant, gain, options.period) : found.closed;
  if (part) judge_whole(dae, result.closed, options);
  if (options.delay > 0) {
    const Prediction late = prediction(plant.f, plant.g, options.period, options.delay);
    for (const MatrixXd& past : late.past) result.past_gains.emplace_back(gain * past);
    gain = (gain * late.ahead).eval();
  }
  const MatrixXd of_all = gain * plant.basis.transpose();
  result.gain = of_all.leftCols(states);
  result.integral_gain = of_all.rightCols(sums);
  result.cost = designed.basis * found.x * designed.basis.transpose();
  result.residual = found.residual;
  result.condition = found.condition;
  add_loops(result, plant, gain, options, sums);
  return result;
}

Regulator judged(const derive::Dae& dae, const analysis::LinearModel& linear,
                 const RegulatorOptions& options, Regulator gains) {
  const Plant plant = plant_of(dae, linear, options.inputs);
  gains.inputs = plant.inputs;
  gains.states = plant.states;
  gains.held = plant.held;
  gains.open =
      analysis::finite_eigenvalues(MatrixXd::Identity(plant.f.rows(), plant.f.rows()), plant.f);
  add_loops(gains, plant, gains.gain * plant.basis, options, 0);
  return gains;
}

}  // namespace daedal::feedback
