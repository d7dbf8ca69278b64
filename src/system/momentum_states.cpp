// See momentum_states.hpp.

#include "momentum_states.hpp"

#include <algorithm>
#include <cmath>

namespace daedal::solve {

namespace {

/// Rows by coordinate.
expr::Function of_coordinates(const expr::Function& f, std::size_t coordinates) {
  std::vector<std::uint32_t> row(f.rows, expr::Family::no_row);
  for (std::uint32_t k = 0; k < coordinates; ++k) row[k] = k;
  return expr::select_rows(f, row, static_cast<std::uint32_t>(coordinates));
}

formulate::MomentumForm form_of(const formulate::Problem& problem) {
  formulate::MomentumForm form = formulate::momentum_form(problem, "the formulation hamilton");
  const std::size_t coordinates = problem.dae->mechanics.coordinates.size();
  form.momenta = of_coordinates(form.momenta, coordinates);
  form.rates = of_coordinates(form.rates, coordinates);
  return form;
}

}  // namespace

MomentumStates::MomentumStates(const formulate::Problem& problem, std::span<const double> sample,
                               const compile::Options& options)
    : MomentumStates(problem, form_of(problem), sample, options) {}

MomentumStates::MomentumStates(const formulate::Problem& problem,
                               const formulate::MomentumForm& form, std::span<const double> sample,
                               const compile::Options& options)
    : driven_(problem.dae->mechanics.driven),
      momenta_(form.momenta, problem.layout, sample.data(), options),
      rates_(form.rates, problem.layout, sample.data(), options),
      masses_values_(form.masses.values, problem.layout, sample.data(), options),
      masses_pattern_(form.masses),
      masses_(compile::compile_solver(form.masses, {form.masses.rows, {}}, problem.layout, sample,
                                      options)),
      p_(driven_.size()),
      v_(driven_.size()),
      rows_(driven_.size()),
      entries_(form.masses.column.size()) {
  masses_->prepare(sample.data());
  for (const expr::SymbolId coordinate : problem.dae->mechanics.coordinates)
    velocity_.push_back(problem.layout.find({coordinate, 1}));
}

Failure MomentumStates::to_velocities(double* point) {
  for (std::size_t k = 0; k < velocity_.size(); ++k) p_[k] = point[velocity_[k]];
  return renew_velocities(point);
}

/// M v = p - b, b being the momenta at rest.
Failure MomentumStates::renew_velocities(double* point) {
  for (const std::uint32_t position : velocity_) point[position] = 0;
  momenta_(point, rows_.data());
  for (std::size_t k = 0; k < rows_.size(); ++k) rows_[k] = driven_[k] ? p_[k] : p_[k] - rows_[k];
  if (!masses_->solve(point, v_.data()).ok) return Failure::singular_matrix;
  masses_->resolve(rows_.data(), v_.data());
  for (std::size_t k = 0; k < velocity_.size(); ++k) point[velocity_[k]] = v_[k];
  return Failure::none;
}

void MomentumStates::to_momenta(const double* point, double* s) {
  momenta_(point, rows_.data());
  for (std::size_t k = 0; k < velocity_.size(); ++k)
    s[velocity_[k] - 1] = driven_[k] ? point[velocity_[k]] : rows_[k];
}

void MomentumStates::rates(const double* point, double* ds) {
  rates_(point, rows_.data());
  for (std::size_t k = 0; k < velocity_.size(); ++k)
    if (!driven_[k]) ds[velocity_[k] - 1] = rows_[k];
}

/// |M| times the sizes of the velocities.
void MomentumStates::scale(const double* point, double* nominal) {
  masses_values_(point, entries_.data());
  for (std::size_t k = 0; k < velocity_.size(); ++k) v_[k] = nominal[velocity_[k] - 1];
  for (std::uint32_t k = 0; k < velocity_.size(); ++k) {
    double size = 0;
    for (std::uint32_t e = masses_pattern_.row_start[k]; e < masses_pattern_.row_start[k + 1]; ++e)
      size += std::abs(entries_[e]) * v_[masses_pattern_.column[e]];
    if (size > 0) nominal[velocity_[k] - 1] = size;
  }
}

}  // namespace daedal::solve
