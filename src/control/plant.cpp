#include "plant.hpp"

#include "daedal/analyse/state_space.hpp"
#include "daedal/base/qr.hpp"
#include "daedal/control/regulator.hpp"
#include "modes.hpp"
#include "refuse.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace daedal::feedback {

using Eigen::Index;
using Eigen::MatrixXd;
using Complex = std::complex<double>;

std::size_t position_of(const derive::Dae& dae, const std::string& option, const std::string& name,
                        const std::vector<std::string>& known, const char* kind) {
  const auto found = std::find(known.begin(), known.end(), name);
  if (found != known.end()) return static_cast<std::size_t>(found - known.begin());
  const std::string near = nearest_name(name, known);
  refuse(dae, fmt::format("`{}`: model '{}' has no {} '{}'", option, dae.model->name, kind, name),
         near.empty() ? fmt::format("there are: {}", fmt::join(known, ", "))
                      : fmt::format("did you mean '{}'?", near));
}

namespace {

std::vector<std::size_t> commanded(const derive::Dae& dae, const analysis::LinearModel& linear,
                                   const std::vector<std::string>& asked) {
  std::vector<std::size_t> columns;
  for (std::size_t k = 0; k < linear.inputs.size() && asked.empty(); ++k) columns.push_back(k);
  for (const std::string& name : asked)
    columns.push_back(position_of(dae, "inputs", name, linear.inputs, "input"));
  if (columns.empty())
    refuse(dae,
           fmt::format("model '{}' has no input: there is nothing to command", dae.model->name),
           "declare one, as in  input u  and  force u on x");
  return columns;
}

/// Without the states of coordinates that other inputs drive: those stay at rest.
void hold_other_drives(const derive::Dae& dae, Plant& plant) {
  std::vector<Index> rows;
  for (const model::Drive& drive : dae.model->drives) {
    if (drive.input == 0) continue;
    const std::string& name = dae.model->symbols[drive.input].name;
    if (std::find(plant.inputs.begin(), plant.inputs.end(), name) != plant.inputs.end()) continue;
    plant.held.push_back(dae.model->symbols[drive.coordinate].name);
    for (std::size_t k = 0; k < plant.leaves.size(); ++k)
      if (plant.leaves[k].symbol == drive.coordinate) rows.push_back(static_cast<Index>(k));
  }
  if (rows.empty()) return;
  MatrixXd moved(static_cast<Index>(rows.size()), plant.basis.cols());
  for (std::size_t k = 0; k < rows.size(); ++k)
    moved.row(static_cast<Index>(k)) = plant.basis.row(rows[k]);
  constexpr double rank_tolerance = 1e-10;
  const MatrixXd rest = null_space_of(moved, rank_tolerance);
  plant.f = (rest.transpose() * plant.f * rest).eval();
  plant.g = (rest.transpose() * plant.g).eval();
  plant.basis = (plant.basis * rest).eval();
  for (const Index row : rows) plant.basis.row(row).setZero();  // but for rounding
}

std::vector<Index> state_columns(const analysis::LinearModel& linear) {
  std::vector<Index> columns;
  for (Index j = 0; j < linear.e.cols(); ++j)
    if (linear.e.col(j).any()) columns.push_back(j);
  std::ranges::stable_sort(
      columns, {}, [&](Index j) { return linear.leaves[static_cast<std::size_t>(j)].order; });
  return columns;
}

}  // namespace

Plant plant_of(const derive::Dae& dae, const analysis::LinearModel& linear,
               const std::vector<std::string>& inputs) {
  const std::vector<std::size_t> columns = commanded(dae, linear, inputs);
  const analysis::StateSpace system = analysis::state_space(linear);
  Plant plant;
  plant.f = system.f;
  plant.g = MatrixXd(system.g.rows(), static_cast<Index>(columns.size()));
  for (std::size_t k = 0; k < columns.size(); ++k) {
    plant.inputs.push_back(linear.inputs[columns[k]]);
    plant.g.col(static_cast<Index>(k)) = system.g.col(static_cast<Index>(columns[k]));
  }
  const std::vector<Index> rows = state_columns(linear);
  for (const Index j : rows) {
    plant.states.push_back(linear.variables[static_cast<std::size_t>(j)]);
    plant.leaves.push_back(linear.leaves[static_cast<std::size_t>(j)]);
  }
  plant.basis = MatrixXd(static_cast<Index>(rows.size()), system.size());
  for (std::size_t k = 0; k < rows.size(); ++k)
    plant.basis.row(static_cast<Index>(k)) = system.basis.row(rows[k]);
  hold_other_drives(dae, plant);
  if (plant.f.rows() == 0)
    refuse(dae, fmt::format("model '{}' has no state that could depart from rest", dae.model->name),
           "its motion is prescribed");
  return plant;
}

std::string movers_of(const Plant& plant, Complex mode) {
  return movers(plant.f, plant.basis, plant.states, plant.leaves, mode);
}

std::vector<Complex> not_decaying(const analysis::Spectrum& hidden, double scale, bool axis) {
  constexpr double rounding = 1e-9;  // of the fastest mode
  std::vector<Complex> found;
  for (const analysis::Cluster& cluster : hidden.clusters) {
    const double margin = std::max(rounding * scale, 10 * cluster.error);
    const double real = cluster.mean.real();
    if (cluster.mean.imag() >= 0 && (axis ? std::abs(real) <= margin : real >= -margin))
      found.push_back(cluster.mean);
  }
  return found;
}

std::vector<expr::Leaf> states_of(const analysis::LinearModel& linear) {
  std::vector<expr::Leaf> leaves;
  for (const Index j : state_columns(linear))
    leaves.push_back(linear.leaves[static_cast<std::size_t>(j)]);
  return leaves;
}

void require_stabilisable(const derive::Dae& dae, const Plant& plant,
                          const analysis::Spectrum& unmoved) {
  const std::string names = fmt::format("{}", fmt::join(plant.inputs, ", "));
  for (const Complex mode : not_decaying(unmoved, plant.f.norm(), false))
    refuse(dae,
           fmt::format("model '{}': {} {} not affect the mode {}, in which {} moves: no feedback "
                       "stabilises it",
                       dae.model->name, names, plant.inputs.size() == 1 ? "does" : "do",
                       text_of(mode), movers_of(plant, mode)),
           "command more inputs, damp that motion, or leave it out of the model");
}

void check_delay(const derive::Dae& dae, double delay, double period) {
  constexpr double most = 1000;  // samples: a gain for each of them
  if (delay == 0) return;
  if (!(delay > 0) || !std::isfinite(delay))
    refuse(dae, fmt::format("`delay = {:g}`: a delay is 0 s or longer", delay), "");
  if (!(period > 0))
    refuse(dae,
           fmt::format("`delay = {:g}`: a continuous feedback would need all that it commanded "
                       "during the delay",
                       delay),
           "give it a clock: with one it keeps its last commands");
  if (delay > most * period)
    refuse(dae, fmt::format("`delay = {:g}` is longer than {:g} samples", delay, most),
           "choose a longer period");
}

}  // namespace daedal::feedback
