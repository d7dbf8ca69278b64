// See local_coordinates.hpp.

#include "daedal/system/local_coordinates.hpp"

#include "daedal/system/no_row.hpp"
#include "daedal/system/point.hpp"
#include "dense_directions.hpp"
#include "reduced_equations.hpp"
#include "sparse_directions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace daedal::solve {

namespace {

[[noreturn]] void refuse(const formulate::Problem& problem, const std::string& message) {
  throw ModelError({Severity::error,
                    problem.dae->model->place,
                    fmt::format("the formulation {} needs {}",
                                formulate::name(problem.formulation.kind), message),
                    {},
                    "take the formulation projection"});
}

std::unique_ptr<Directions> directions_of(const formulate::Problem& problem,
                                          const formulate::Level& level,
                                          std::span<const double> sample,
                                          const compile::Options& options, bool dense) {
  const bool by_coordinates = problem.formulation.kind == formulate::Kind::minimal;
  if (dense)
    return std::make_unique<DenseDirections>(problem, level, sample, options, by_coordinates);
  if (by_coordinates) return std::make_unique<SparseCoordinates>(problem, level, sample, options);
  return std::make_unique<SparseTangent>(problem, level, sample, options);
}

}  // namespace

LocalCoordinates::LocalCoordinates(const formulate::Problem& problem,
                                   std::span<const double> sample, const compile::Options& options,
                                   std::size_t limit)
    : problem_(problem), by_coordinates_(problem.formulation.kind == formulate::Kind::minimal) {
  const formulate::Level& last = problem.levels.back();
  const bool dense = last.unknowns.size() + last.rows() <= limit;
  for (const formulate::Level& level : problem.levels) {
    if (level.level < -2)
      refuse(problem, "accelerations as the highest derivatives of constrained coordinates");
    (level.level == -2 ? positions_ : velocities_) =
        directions_of(problem, level, sample, options, dense);
  }
  find_rows_and_columns();
  if (choose(sample.data()) != Failure::none)
    refuse(problem, "constraints that are independent of each other at the start");
  refuse_other_reactions(sample);
  if (dense)
    reduced_ =
        std::make_unique<ReducedEquations>(problem, static_cast<DenseDirections&>(*velocities_),
                                           accelerations_, motion_row_, sample, options);
}

LocalCoordinates::~LocalCoordinates() = default;

void LocalCoordinates::find_rows_and_columns() {
  const derive::Dae& dae = *problem_.dae;
  if (!problem_.linear)
    refuse(problem_, "equations that are linear in the accelerations and multipliers");
  for (const std::uint32_t position : velocities_->level().unknowns) {
    const std::uint32_t top = problem_.next[position - 1] - problem_.top_position(0);
    const expr::SymbolId symbol = problem_.layout.leaf(position).symbol;
    if (dae.model->symbols[symbol].kind != model::SymbolKind::coordinate)
      refuse(problem_,
             fmt::format("a mechanism: '{}' is no coordinate", dae.model->symbols[symbol].name));
    accelerations_.push_back(top);
    // coordinates are the first unknowns, their equations of motion the first rows
    motion_row_.push_back(dae.equations[top].kind == derive::EquationKind::motion ? top : no_row);
  }
  std::vector<bool> held(problem_.states, false);
  for (const Directions* directions : {positions_.get(), velocities_.get()}) {
    if (directions == nullptr) continue;
    for (const std::uint32_t position : directions->level().unknowns) held[position - 1] = true;
  }
  for (std::uint32_t i = 0; i < problem_.states; ++i)
    if (!held[i]) other_states_.push_back(i);
}

Failure LocalCoordinates::choose(const double* point) {
  const bool within_last_step = point[0] <= chosen_at_ && point[0] >= chosen_before_;
  if (chosen_ && within_last_step) return Failure::none;  // a row
  for (Directions* directions : {positions_.get(), velocities_.get()})
    if (directions != nullptr && !choose(*directions, point)) return Failure::singular_matrix;
  chosen_ = true;
  chosen_before_ = std::min(chosen_at_, point[0]);
  chosen_at_ = point[0];
  return Failure::none;
}

void LocalCoordinates::forget() {
  chosen_at_ = chosen_before_ = -std::numeric_limits<double>::infinity();
}

bool LocalCoordinates::choose(Directions& directions, const double* point) {
  const bool reported =
      by_coordinates_ && &directions == (positions_ ? positions_.get() : velocities_.get());
  if (!reported) return directions.choose(point);
  before_ = directions.free_columns();
  const bool independent = directions.choose(point);
  if (independent && (!chosen_ || before_ != directions.free_columns())) {
    Switch& made = switches_.emplace_back();
    made.t = point[0];
    for (const std::size_t c : before_)
      if (chosen_) made.from.push_back(directions.level().unknowns[c]);
    for (const std::size_t c : directions.free_columns())
      made.to.push_back(directions.level().unknowns[c]);
  }
  return independent;
}

Failure LocalCoordinates::settle(double* point) {
  for (Directions* directions : {positions_.get(), velocities_.get()})
    if (directions != nullptr)
      if (const Failure failure = directions->settle(point); failure != Failure::none)
        return failure;
  return Failure::none;
}

void LocalCoordinates::show_error(double* error) {
  for (Directions* directions : {positions_.get(), velocities_.get()})
    if (directions != nullptr) directions->show_error(error);
}

Failure LocalCoordinates::solve_tops(const double* point, double* tops) {
  return reduced_->solve(point, tops);
}

std::uint32_t LocalCoordinates::directions() const {
  std::size_t count = other_states_.size();
  for (const Directions* directions : {positions_.get(), velocities_.get()})
    if (directions != nullptr) count += directions->free();
  return static_cast<std::uint32_t>(count);
}

void LocalCoordinates::directions(double* v) const {
  const std::size_t n = problem_.states;
  std::fill_n(v, n * directions(), 0.0);
  for (Directions* directions : {positions_.get(), velocities_.get()}) {
    if (directions == nullptr) continue;
    const std::size_t unknowns = directions->unknowns();
    const double* const basis = directions->free_basis();
    for (std::size_t j = 0; j < directions->free(); ++j, v += n)
      for (std::size_t k = 0; k < unknowns; ++k)
        v[directions->level().unknowns[k] - 1] = basis[j * unknowns + k];
  }
  for (const std::uint32_t i : other_states_) {
    v[i] = 1;
    v += n;
  }
}

/// Reactions along G do no work in motions that the constraints allow; others (friction that depends on reactions) do.
/// Those of released constraints are 0.
void LocalCoordinates::refuse_other_reactions(std::span<const double> sample) {
  const expr::SparseFunction& matrix = problem_.top_matrix;
  std::vector<double> entries(matrix.column.size()), force(accelerations_.size());
  Evaluation(matrix.values, problem_.layout, sample.data(), tape_only())(sample.data(),
                                                                         entries.data());
  std::vector<bool> accelerates(problem_.tops, false);
  for (const std::uint32_t top : accelerations_) accelerates[top] = true;
  const derive::Dae& dae = *problem_.dae;
  const auto released = [&](std::uint32_t top) {
    const expr::SymbolId symbol = problem_.layout.leaf(problem_.top_position(top)).symbol;
    return std::any_of(dae.released.begin(), dae.released.end(), [&](std::size_t constraint) {
      return dae.model->constraints[constraint].multiplier == symbol;
    });
  };
  std::vector<std::vector<std::pair<std::size_t, double>>> forces(problem_.tops);  // by top
  for (std::size_t k = 0; k < motion_row_.size(); ++k) {
    if (motion_row_[k] == no_row) continue;
    for (std::uint32_t e = matrix.row_start[motion_row_[k]];
         e < matrix.row_start[motion_row_[k] + 1]; ++e)
      if (!accelerates[matrix.column[e]]) forces[matrix.column[e]].emplace_back(k, entries[e]);
  }
  for (std::uint32_t j = 0; j < problem_.tops; ++j) {
    if (forces[j].empty() || released(j)) continue;
    for (const auto& [k, value] : forces[j]) force[k] = value;
    if (velocities_->work(force.data()) > 1e-9)
      refuse(problem_, fmt::format("reactions that do no work: {} does",
                                   name_at(problem_, problem_.top_position(j))));
    for (const auto& [k, value] : forces[j]) force[k] = 0;
  }
}

}  // namespace daedal::solve
