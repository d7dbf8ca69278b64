#include "daedal/analyse/linearise.hpp"
#include "daedal/analyse/stability_region.hpp"
#include "daedal/run/simulate.hpp"
#include "daedal/system/point.hpp"
#include "disturbed_start.hpp"
#include "manifold_states.hpp"

#include <fmt/format.h>
#include <unsupported/Eigen/MatrixFunctions>

#include <cmath>

namespace daedal::analysis {

using Eigen::Index;

MotionComparison compare_motions(const std::shared_ptr<const derive::Dae>& dae,
                                 const Equilibrium& rest,
                                 const std::map<std::string, double>& disturbance, double until) {
  constexpr int rows = 200;
  Flow at_rest(starting_at(*dae, rest, {}));
  const ManifoldStates states(at_rest, linearise(*dae, point_of(rest)));
  Flow moved(starting_at(*dae, rest, disturbance));
  solve::SimulateOptions options;
  options.until = until;
  options.every = until / rows;
  options.global_error = false;
  const solve::Trajectory run = solve::simulate(moved.problem(), moved.start(), options);
  stop_point();
  if (run.status != solve::Status::completed)
    throw ModelError({Severity::error,
                      dae->model->place,
                      fmt::format("model '{}': {}", dae->model->name, run.reason),
                      {},
                      "choose a shorter motion or a smaller disturbance"});
  if (states.system.f.size() == 0)
    throw ModelError(
        {Severity::error,
         dae->model->place,
         fmt::format("model '{}' has no free initial values: there is no motion to compare",
                     dae->model->name),
         {},
         "its unknowns follow from its inputs and from time alone"});
  MotionComparison result;
  std::vector<Column> columns{{"t", "s"}};
  std::vector<std::size_t> column, basis_row;
  for (std::size_t k = 0; k < states.leaves.size(); ++k) {
    if (states.leaves[k].order > 0) continue;
    const std::string name = dae->model->symbols[states.leaves[k].symbol].name,
                      unit = dae->model->symbols[states.leaves[k].symbol].unit;
    columns.push_back({name, unit});
    columns.push_back({name + " linear", unit});
    column.push_back(*run.table.find(name));
    basis_row.push_back(k);
    result.coordinates.push_back({name, 0, 0, 0});
  }
  result.table = Table(std::move(columns));
  const Eigen::MatrixXd step = (states.system.f * options.every).exp();
  Eigen::VectorXd z = states.departure(moved.start().states);
  for (std::size_t r = 0; r < run.table.rows(); ++r, z = step * z) {
    const Eigen::VectorXd x = states.basis * z;
    std::span<double> row = result.table.append();
    row[0] = run.table.at(r, 0);
    for (std::size_t k = 0; k < column.size(); ++k) {
      const double zero = states.rest[static_cast<std::size_t>(states.positions[basis_row[k]])];
      const double exact = run.table.at(r, column[k]),
                   linear = zero + x[static_cast<Index>(basis_row[k])];
      row[2 * k + 1] = exact;
      row[2 * k + 2] = linear;
      MotionComparison::Coordinate& c = result.coordinates[k];
      c.largest = std::max(c.largest, std::abs(exact - zero));
      if (std::abs(exact - linear) > c.difference)
        c.difference = std::abs(exact - linear), c.at = row[0];
    }
  }
  return result;
}

}  // namespace daedal::analysis
