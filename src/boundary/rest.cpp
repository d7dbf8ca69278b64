#include "daedal/boundary/rest.hpp"

#include "daedal/base/diagnostic.hpp"
#include "daedal/base/progress.hpp"
#include "daedal/base/qr.hpp"
#include "daedal/formulate/descriptor_form.hpp"
#include "daedal/start/prepare.hpp"

#include <Eigen/Dense>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace daedal::boundary {

namespace {

constexpr int most_iterations = 30;
constexpr double settled = 1e-11;  // correction over size: Newton's next one would be rounding
constexpr double at_rest = 1e-8;   // residual over the largest of its terms

/// By position (states, then tops): whether it is the derivative of something.
std::vector<bool> derivatives(const ReducedSystem& system) {
  std::vector<bool> result(system.states() + system.tops(), false);
  for (const std::uint32_t next : system.next()) result[next] = true;
  return result;
}

}  // namespace

std::vector<std::uint32_t> positions_of(const ReducedSystem& system) {
  const std::vector<bool> derivative = derivatives(system);
  std::vector<std::uint32_t> positions;
  for (std::uint32_t i = 0; i < system.states(); ++i)
    if (!derivative[i]) positions.push_back(i);
  return positions;
}

StartGuess start_guess(const formulate::Problem& problem) {
  if (!formulate::is_descriptor_form(problem)) {
    const solve::ConsistentPoint start = solve::consistent_point(problem);
    return {start.states, start.tops};
  }
  StartGuess guess{std::vector<double>(problem.states), std::vector<double>(problem.tops)};
  for (const model::StartValue& start : problem.dae->model->starts)
    if (const std::uint32_t position = problem.layout.find(start.leaf);
        position != compile::absent && position <= problem.states)
      guess.states[position - 1] = start.value;
  return guess;
}

Rest rest_at(ReducedSystem& system, const double* w, const std::vector<double>& states,
             const std::vector<double>& tops) {
  const std::uint32_t n = system.states(), nz = system.tops(), levels = system.levels();
  const std::vector<bool> derivative = derivatives(system);
  Rest rest{false, 0, states, tops};
  std::vector<std::uint32_t> free;  // positions, and tops that are forces
  for (std::uint32_t i = 0; i < n + nz; ++i) {
    if (!derivative[i]) free.push_back(i);
    if (derivative[i]) (i < n ? rest.states[i] : rest.tops[i - n]) = 0;
  }
  const solve::SparsePattern &by_states = system.state_pattern(), &by_tops = system.top_pattern();
  std::vector<double> values(nz + by_states.entries() + by_tops.entries());
  std::vector<double> level(levels), level_jacobian(std::size_t{levels} * n);
  Eigen::MatrixXd full(nz + levels, n + nz), a(nz + levels, free.size());
  Eigen::VectorXd r(nz + levels);
  for (int iteration = 0; iteration < most_iterations; ++iteration) {
    stop_point();
    system.linearise(w, rest.states.data(), rest.tops.data(), values.data());
    system.level(w, rest.states.data(), level.data(), level_jacobian.data());
    full.setZero();
    const double* entry = values.data() + nz;
    for (std::uint32_t i = 0; i < nz; ++i) {
      r[i] = values[i];
      for (std::uint32_t e = by_states.row_start[i]; e < by_states.row_start[i + 1]; ++e)
        full(i, by_states.column[e]) = *entry++;
    }
    for (std::uint32_t i = 0; i < nz; ++i)
      for (std::uint32_t e = by_tops.row_start[i]; e < by_tops.row_start[i + 1]; ++e)
        full(i, n + by_tops.column[e]) = *entry++;
    for (std::uint32_t i = 0; i < levels; ++i) {
      r[nz + i] = level[i];
      for (std::uint32_t j = 0; j < n; ++j) full(nz + i, j) = level_jacobian[i * n + j];
    }
    for (std::size_t j = 0; j < free.size(); ++j)
      a.col(static_cast<Eigen::Index>(j)) = full.col(free[j]);
    if (!a.allFinite() || !r.allFinite()) return rest;
    // The nearest of several: translations that nothing holds stay where they are.
    const Eigen::VectorXd change = LeastNorm(a).solve(r);
    double step = 0;
    for (std::size_t j = 0; j < free.size(); ++j) {
      double& value = free[j] < n ? rest.states[free[j]] : rest.tops[free[j] - n];
      value -= change[static_cast<Eigen::Index>(j)];
      step = std::max(
          step, std::abs(change[static_cast<Eigen::Index>(j)]) / std::max(1.0, std::abs(value)));
    }
    rest.residual = r.lpNorm<Eigen::Infinity>();
    if (step > settled) continue;
    // A row may be left over although no step makes it smaller: the outputs move, or ask for what no pose gives.
    const double largest = std::max(1.0, a.lpNorm<Eigen::Infinity>());
    rest.found = rest.residual <= at_rest * largest;
    return rest;
  }
  return rest;
}

Rest rest_along(ReducedSystem& system, const Desired& desired, const std::vector<double>& times,
                const Rest& from) {
  std::vector<double> w(system.signals());
  Rest rest = from;
  for (const double t : times) {
    desired(t, w.data());
    for (std::uint32_t i = 1; i < w.size(); ++i)
      if (system.is_rate(i) && t < times.back()) w[i] = 0;
    Rest next = rest_at(system, w.data(), rest.states, rest.tops);
    if (next.found || t == times.back()) rest = std::move(next);
  }
  return rest;
}

namespace {

/// The first input that r = 0 leaves open at rest.
const model::Symbol* open_input(InverseSystem& system, const double* w, const Rest& rest) {
  const formulate::Problem& problem = system.problem();
  if (!formulate::is_descriptor_form(problem)) return nullptr;
  const solve::SparsePattern& pattern = system.top_pattern();
  std::vector<double> values(system.tops() + system.state_pattern().entries() + pattern.entries());
  system.linearise(w, rest.states.data(), rest.tops.data(), values.data());
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(system.tops(), system.tops());
  const double* entry = values.data() + system.tops() + system.state_pattern().entries();
  for (std::uint32_t i = 0; i < system.tops(); ++i)
    for (std::uint32_t e = pattern.row_start[i]; e < pattern.row_start[i + 1]; ++e)
      matrix(i, pattern.column[e]) = *entry++;
  const Eigen::VectorXd rows = matrix.rowwise().lpNorm<Eigen::Infinity>();
  for (Eigen::Index i = 0; i < matrix.rows(); ++i)
    if (rows[i] > 0) matrix.row(i) /= rows[i];
  const Eigen::MatrixXd kernel = null_space_of(matrix, 1e-10);
  if (kernel.cols() == 0) return nullptr;
  const model::Model& model = *problem.dae->model;
  for (std::uint32_t j = 0; j < system.tops(); ++j) {
    const model::Symbol& symbol =
        model.symbols[problem.layout.leaf(problem.top_position(j)).symbol];
    if (symbol.kind == model::SymbolKind::input && kernel.row(j).lpNorm<Eigen::Infinity>() >= 1e-8)
      return &symbol;
  }
  return nullptr;
}

}  // namespace

bool inputs_are_determined(InverseSystem& system, const double* w, const Rest& rest) {
  return open_input(system, w, rest) == nullptr;
}

void require_determined_inputs(InverseSystem& system, const double* w, const Rest& rest) {
  const model::Symbol* const input = open_input(system, w, rest);
  if (input == nullptr) return;
  const model::Model& model = *system.problem().dae->model;
  throw ModelError(
      {Severity::error,
       model.place,
       fmt::format("model '{}': input '{}' acts on no output within two derivatives; collocation "
                   "finds inputs that positions and velocities determine",
                   model.name, input->name),
       {},
       "leave method and tolerance out: central differences need no more than the forces at their "
       "nodes; or take the velocity of the drive as input, and read the force from the reaction"});
}

}  // namespace daedal::boundary
