#include "daedal/control/pole_placement.hpp"

#include "daedal/analyse/reachability.hpp"
#include "daedal/analyse/state_space.hpp"
#include "daedal/control/prediction.hpp"
#include "daedal/control/sampled.hpp"
#include "daedal/pencil/pole_placement.hpp"
#include "modes.hpp"
#include "plant.hpp"
#include "refuse.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace daedal::feedback {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Complex = std::complex<double>;

analysis::Spectrum modes_of(const MatrixXd& f) {
  return analysis::finite_eigenvalues(MatrixXd::Identity(f.rows(), f.rows()), f);
}

/// "-3, 0 (twice), 0 +- 2i 1/s"
std::string list_of(const analysis::Spectrum& modes) {
  std::vector<std::string> texts;
  for (const analysis::Cluster& mode : modes.clusters) {
    if (mode.mean.imag() < 0) continue;
    const int times = mode.multiplicity;
    texts.push_back(analysis::text_of(mode, true) +
                    (times == 1 ? "" : fmt::format(" ({} times)", times)));
  }
  return fmt::format("{} 1/s", fmt::join(texts, ", "));
}

/// A pole for each mode that the inputs affect.
void check_count(const derive::Dae& dae, const Plant& plant, const MatrixXd& moved,
                 const analysis::Spectrum& unmoved, std::size_t poles) {
  if (poles == static_cast<std::size_t>(moved.rows())) return;
  const std::string staying =
      unmoved.values.empty() ? "" : fmt::format("; not affected: {}", list_of(unmoved));
  refuse(dae,
         fmt::format("model '{}': {} {} for {} modes that {} {}: {}{}", dae.model->name, poles,
                     poles == 1 ? "pole" : "poles", moved.rows(), fmt::join(plant.inputs, ", "),
                     plant.inputs.size() == 1 ? "affects" : "affect", list_of(modes_of(moved)),
                     staying),
         "real poles are written  poles = [-1, -2],  complex ones  pairs = [-1, 2; -3, 4],  -1 +- "
         "2i and -3 +- 4i: a pair is two poles");
}

/// Largest distance from an eigenvalue of the loop to a pole of its own.
double distance(std::vector<Complex> found, const std::vector<Complex>& poles) {
  double largest = 0;
  for (const Complex pole : poles) {
    const auto nearest = std::min_element(found.begin(), found.end(), [&](Complex l, Complex r) {
      return std::abs(l - pole) < std::abs(r - pole);
    });
    if (nearest == found.end()) break;
    largest = std::max(largest, std::abs(*nearest - pole));
    found.erase(nearest);
  }
  return largest;
}

}  // namespace

Placed place_poles(const derive::Dae& dae, const analysis::LinearModel& linear,
                   const PlacementOptions& options) {
  check_delay(dae, options.delay, options.period);
  const Plant plant = plant_of(dae, linear, options.inputs);
  analysis::StateSpace system;
  system.f = plant.f;
  system.g = plant.g;
  const analysis::Reachability reach = analysis::controllability(system);
  require_stabilisable(dae, plant, reach.hidden);
  const MatrixXd moves = reach.basis.leftCols(reach.rank);
  MatrixXd f = moves.transpose() * plant.f * moves, g = moves.transpose() * plant.g;
  check_count(dae, plant, f, reach.hidden, options.poles.size());
  std::vector<Complex> poles = options.poles;
  if (options.period > 0) {
    const MatrixXd no_cost = MatrixXd::Zero(f.rows(), f.rows());
    const Sampled s = sampled(
        f, g, {no_cost, MatrixXd::Identity(g.cols(), g.cols()), MatrixXd::Zero(f.rows(), g.cols())},
        options.period);
    f = s.a;
    g = s.b;
    for (Complex& pole : poles) pole = std::exp(pole * options.period);
  }
  const analysis::PolePlacement found = analysis::place_poles(f, g, poles);
  Placed result;
  if (found.placed()) {
    for (const analysis::Eigenvalue& mode : modes_of(f - g * found.gain).values)
      result.closed.push_back(mode.value);
    result.error = distance(result.closed, poles);
  }
  double size = 0;
  for (const Complex pole : poles) size = std::max(size, std::abs(pole));
  constexpr double two_digits = 1e-2;  // poles of multiplicity 4 are known to eps^(1/4)
  if (!found.placed() || !(result.error <= two_digits * size))
    refuse(
        dae,
        fmt::format("model '{}': the poles cannot be placed: {} hardly affect{} one of the modes "
                    "{}",
                    dae.model->name, fmt::join(plant.inputs, ", "),
                    plant.inputs.size() == 1 ? "s" : "", list_of(modes_of(plant.f))),
        "choose poles nearer to the modes, command more inputs, or use lqr");
  result.inputs = plant.inputs;
  result.states = plant.states;
  MatrixXd gain = found.gain * moves.transpose();
  if (options.delay > 0) {
    const Prediction late = prediction(plant.f, plant.g, options.period, options.delay);
    for (const MatrixXd& past : late.past) result.past_gains.emplace_back(gain * past);
    gain = (gain * late.ahead).eval();
  }
  result.gain = gain * plant.basis.transpose();
  return result;
}

}  // namespace daedal::feedback
