// Which filter, and what its measurements show at rest.
#include "daedal/control/filter.hpp"

#include "daedal/analyse/equilibrium.hpp"
#include "daedal/analyse/linearise.hpp"
#include "daedal/analyse/reachability.hpp"
#include "daedal/analyse/state_space.hpp"
#include "daedal/control/prediction.hpp"
#include "linear_filter.hpp"
#include "modes.hpp"
#include "plant.hpp"
#include "refuse.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

namespace daedal::feedback {

// ---- parts

std::vector<std::size_t> fresh_rows(std::span<const std::uint8_t> fresh) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < fresh.size(); ++i)
    if (fresh[i] != 0) rows.push_back(i);
  return rows;
}

bool correct(Correction& c, const SmallMatrix& covariance, const SmallMatrix& cross) {
  c.factor = covariance;
  if (!factor(c.factor)) return false;
  c.gain = cross;
  for (std::size_t i = 0; i < c.gain.rows(); ++i)
    solve(c.factor, {c.gain.row(i), c.gain.columns()});
  std::vector<double> weighed = c.innovation;
  solve(c.factor, weighed);
  c.normalised = 0;
  for (std::size_t i = 0; i < weighed.size(); ++i) c.normalised += c.innovation[i] * weighed[i];
  c.normalised /= static_cast<double>(weighed.size());
  return true;
}

void reduce(SmallMatrix& p, const Correction& c) {
  const SmallMatrix root = c.gain * c.factor;  // K S K^T = (K L)(K L)^T stays symmetric
  for (std::size_t i = 0; i < p.rows(); ++i)
    for (std::size_t j = 0; j < p.columns(); ++j) {
      double sum = 0;
      for (std::size_t k = 0; k < root.columns(); ++k) sum += root(i, k) * root(j, k);
      p(i, j) -= sum;
    }
}

void make_symmetric(SmallMatrix& p) {
  for (std::size_t i = 0; i < p.rows(); ++i)
    for (std::size_t j = 0; j < i; ++j) p(i, j) = p(j, i) = (p(i, j) + p(j, i)) / 2;
}

model::EstimationError normalised_error(SmallMatrix p, std::vector<double> error) {
  if (!factor(p)) return {std::numeric_limits<double>::quiet_NaN(), error.size()};
  std::vector<double> weighed = error;
  solve(p, weighed);
  double sum = 0;
  for (std::size_t i = 0; i < error.size(); ++i) sum += error[i] * weighed[i];
  return {sum, error.size()};
}

std::vector<double> shown(std::span<const double> mean, const SmallMatrix& p, double normalised) {
  std::vector<double> numbers(mean.begin(), mean.end());
  for (std::size_t i = 0; i < mean.size(); ++i)
    numbers.push_back(std::sqrt(std::max(0.0, p(i, i))));
  numbers.push_back(normalised);
  return numbers;
}

std::shared_ptr<const solve::Prepared> prepared_for(const FilterPlant& plant) {
  solve::PrepareOptions options;
  options.redundant_constraints = solve::RedundantConstraints::least_norm;
  return std::make_shared<const solve::Prepared>(solve::prepare(plant.dae, {}, options));
}

namespace {

using Eigen::Index;
using Eigen::MatrixXd;

/// The mechanism at rest, linear.
struct AtRest {
  analysis::Equilibrium rest;
  analysis::StateSpace system;
  MatrixXd basis;  // rows: the filter's states
};

std::optional<AtRest> at_rest(const FilterPlant& plant) {
  analysis::EquilibriumOptions options;
  options.free_inputs = plant.inputs;
  AtRest found;
  found.rest = analysis::equilibrium(*plant.dae, options);
  if (!found.rest.found) return std::nullopt;
  std::vector<analysis::NamedOutput> outputs;
  for (const model::NamedValue& output : plant.dae->model->outputs)
    outputs.push_back({output.name, output.value});
  const analysis::LinearModel linear =
      analysis::linearise(*plant.dae, analysis::point_of(found.rest), outputs);
  std::optional<analysis::StateSpace> system = analysis::find_state_space(linear);
  if (!system) return std::nullopt;
  found.system = std::move(*system);
  found.basis = MatrixXd(static_cast<Index>(plant.states.size()), found.system.size());
  for (std::size_t k = 0; k < plant.states.size(); ++k) {
    const auto column = std::find(linear.leaves.begin(), linear.leaves.end(), plant.states[k]);
    if (column == linear.leaves.end()) return std::nullopt;
    found.basis.row(static_cast<Index>(k)) =
        found.system.basis.row(static_cast<Index>(column - linear.leaves.begin()));
  }
  return found;
}

std::string name_of(const FilterPlant& plant, const expr::Leaf& leaf) {
  return plant.dae->model->symbols[leaf.symbol].name +
         std::string(static_cast<std::size_t>(leaf.order), '\'');
}

std::vector<Diagnostic> unseen_modes(const FilterPlant& plant, const AtRest& at) {
  std::vector<std::string> names;
  for (const expr::Leaf& leaf : plant.states) names.push_back(name_of(plant, leaf));
  std::vector<Diagnostic> warnings;
  for (const analysis::Cluster& cluster : analysis::observability(at.system).hidden.clusters) {
    if (cluster.mean.imag() < 0) continue;
    const std::string moving = movers(at.system.f, at.basis, names, plant.states, cluster.mean);
    warnings.push_back(
        {Severity::warning,
         plant.dae->model->place,
         fmt::format("at rest the measurements do not show the mode {}, in which {} moves",
                     text_of(cluster.mean), moving),
         {},
         "its estimate follows from motion alone: measure what moves in it, or what its forces "
         "do"});
  }
  return warnings;
}

/// Nonlinear filters need no rest, but then nothing is known about what the measurements show, nor about the fastest mode.
Diagnostic nothing_known(const FilterPlant& plant, const FilterOptions& options) {
  return {Severity::warning,
          plant.dae->model->place,
          "the model has no rest near its start about which it is linear: whether the measurements "
          "show every mode is not examined",
          {},
          options.substeps == 0
              ? "the filter takes one Runge-Kutta step a sample: write  substeps = ...  for more"
              : "start it near a rest,  at = rest(...),  to know more"};
}

/// Runge-Kutta's method of order 4 is accurate and stable for the fastest mode.
int substeps_for(const AtRest& at, double period) {
  const analysis::Spectrum modes = analysis::finite_eigenvalues(
      MatrixXd::Identity(at.system.f.rows(), at.system.f.rows()), at.system.f);
  double fastest = 0;
  for (const analysis::Eigenvalue& mode : modes.values)
    fastest = std::max(fastest, std::abs(mode.value));
  constexpr double reach = 1;  // |mode| times step; unstable from 2.8 on
  constexpr double most = 10000;
  return static_cast<int>(std::clamp(std::ceil(fastest * period / reach), 1.0, most));
}

LinearFilterModel linear_model(const FilterPlant& plant, const FilterOptions& options,
                               const AtRest& at, std::vector<double> begin) {
  LinearFilterModel made;
  const structure::Point rest = analysis::point_of(at.rest);
  for (const expr::Leaf& leaf : plant.states) made.rest.push_back(rest(leaf));
  for (const expr::SymbolId input : plant.inputs) made.rest_inputs.push_back(rest({input, 0}));
  std::vector<expr::Expr> outputs;
  for (const model::NamedValue& output : plant.dae->model->outputs) outputs.push_back(output.value);
  made.rest_outputs = expr::evaluate(*plant.dae->model->graph, outputs, rest);
  made.begin = std::move(begin);
  made.process = options.process;
  made.noise = options.noise;
  made.start = options.start;
  return made;
}

/// Columns of the inputs that the filter is given.
MatrixXd of_inputs(const FilterPlant& plant, const analysis::StateSpace& system,
                   const MatrixXd& matrix) {
  MatrixXd chosen(matrix.rows(), static_cast<Index>(plant.inputs.size()));
  for (std::size_t k = 0; k < plant.inputs.size(); ++k) {
    const std::string& name = plant.dae->model->symbols[plant.inputs[k]].name;
    const auto column = std::find(system.inputs.begin(), system.inputs.end(), name);
    chosen.col(static_cast<Index>(k)) = matrix.col(column - system.inputs.begin());
  }
  return chosen;
}

std::vector<double> start_of(const FilterPlant& plant, const solve::Prepared& prepared) {
  const formulate::Problem& problem = prepared.problem;
  std::vector<double> values;
  for (const expr::Leaf& leaf : plant.states) {
    const std::uint32_t position = problem.layout.find(leaf);
    if (position < problem.state_position(0) || position >= problem.state_position(problem.states))
      refuse(*plant.dae,
             fmt::format("model '{}': a filter does not support the state '{}'",
                         plant.dae->model->name, name_of(plant, leaf)),
             "constraints of velocities that prescribe it: write the model without it");
    values.push_back(prepared.start.states[position - problem.state_position(0)]);
  }
  return values;
}

void require_supported(const FilterPlant& plant, const solve::Prepared& prepared) {
  if (!plant.dae->model->events.empty())
    refuse(*plant.dae,
           fmt::format("model '{}' has events, which a filter does not follow",
                       plant.dae->model->name),
           "estimate with a model without them");
  if (!prepared.problem.written_out)
    refuse(*plant.dae,
           fmt::format("model '{}': its hidden constraints are too deep for a filter",
                       plant.dae->model->name),
           "constraints up to index 3 are supported");
}

}  // namespace

FilterDesign design_filter(const FilterPlant& plant, const FilterOptions& given) {
  FilterOptions options = given;
  const auto prepared = prepared_for(plant);
  require_supported(plant, *prepared);
  const std::vector<double> begin = start_of(plant, *prepared);
  const std::optional<AtRest> at = at_rest(plant);
  FilterDesign design;
  check_delay(*plant.dae, options.delay, options.period);
  const WholeSamples late = samples_of(options.delay, options.period);
  design.samples = late.count;
  design.between = late.rest > 0;
  if (at)
    design.warnings = unseen_modes(plant, *at);
  else if (options.kind != FilterKind::linear)
    design.warnings = {nothing_known(plant, options)};
  if (options.kind == FilterKind::linear) {
    if (!at)
      refuse(*plant.dae,
             fmt::format("model '{}' has no rest near its start, about which kalman is linear",
                         plant.dae->model->name),
             "ekf and ukf need none");
    design.design =
        linear_filter(at->system.f, of_inputs(plant, at->system, at->system.g), at->system.h,
                      of_inputs(plant, at->system, at->system.feedthrough[0]), at->basis,
                      options.period, late.rest, linear_model(plant, options, *at, begin));
  } else {
    if (options.substeps == 0) options.substeps = at ? substeps_for(*at, options.period) : 1;
    design.design = nonlinear_filter(plant, options, late.rest, prepared);
  }
  const auto first = design.design->begin();
  design.start.assign(first->estimates().begin(), first->estimates().end());
  return design;
}

}  // namespace daedal::feedback
