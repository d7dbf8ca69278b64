// See monitor.hpp.

#include "monitor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace daedal::solve {

// ---- drift

namespace {

/// Levels as a mechanist calls them; plain equations are counted by their derivatives.
std::string level_name(const formulate::Problem& problem, int level) {
  if (problem.dae->mechanics.coordinates.empty()) {
    const int derivative = level - problem.levels.front().level;
    return derivative == 0 ? "equations" : fmt::format("derivative {}", derivative);
  }
  switch (level) {
    case 0:
      return "acceleration";
    case -1:
      return "velocity";
    case -2:
      return "position";
    default:
      return fmt::format("level {}", level);
  }
}

}  // namespace

DriftMonitor::DriftMonitor(const formulate::Problem& problem, const double* point,
                           const compile::Options& options)
    : problem_(problem) {
  const formulate::Level *lowest = nullptr, *highest = nullptr;  // with more than definitions
  for (const formulate::Level& level : problem.levels)
    if (level.constraints() > 0) {
      if (lowest == nullptr) lowest = &level;
      highest = &level;
    }
  if (highest == nullptr) return;
  std::vector<expr::Function> residuals;
  std::size_t rows = problem.tops;
  for (const formulate::Level& level : problem.levels) {
    residuals.push_back(level.residual);
    rows += level.rows();
  }
  residuals_.resize(rows);
  first_level_ = lowest->level;
  if (!problem.watched.empty())
    first_level_ = std::min(first_level_, problem.watched.front().level);
  largest_.resize(static_cast<std::size_t>(1 - first_level_));
  for (const formulate::Level& level : problem.levels)
    if (level.constraints() > 0) of_level(level.level).name = &equation(level.equation.front());
  of_level(0).name = undifferentiated_.name = &equation(highest->equation.front());
  watch_left_out(point, options);
  if (!problem.written_out) {
    jet_ = std::make_shared<EquationJet>(problem);
    return;
  }
  const model::Model& model = *problem.dae->model;
  const expr::Function accelerations = expr::time_derivative(
      problem.levels.back().residual, [&](expr::SymbolId s) { return model.varies(s); });
  levels_.emplace(residuals, problem.layout, point, options);
  accelerations_.emplace(accelerations, problem.layout, point, options);
}

void DriftMonitor::watch_left_out(const double* point, const compile::Options& options) {
  if (problem_.watched.empty()) return;
  std::vector<expr::Function> below;
  std::size_t rows = problem_.watched.back().constraint.size();
  for (const formulate::WatchedLevel& level : problem_.watched) {
    if (of_level(level.level).name == nullptr)
      of_level(level.level).name = &constraint(level.constraint.front());
    if (level.level == 0) continue;
    below.push_back(level.residual);
    rows += level.constraint.size();
  }
  watched_residuals_.resize(rows);
  watched_.emplace(below, problem_.layout, point, options);
  watched_accelerations_.emplace(problem_.watched.back().residual, problem_.layout, point, options);
}

void DriftMonitor::update(Largest& largest, double residual, double t, const std::string& name) {
  const double size = std::abs(residual);
  largest.here = std::max(largest.here, size);
  if (size > largest.value) largest = {size, t, &name, largest.here};
}

void DriftMonitor::evaluate_levels(const double* point) {
  if (!jet_) return (*levels_)(point, residuals_.data());
  double* rows = residuals_.data();
  for (const formulate::Level& level : problem_.levels) {
    jet_->evaluate(point, level.level, rows);
    rows += level.rows();
  }
}

void DriftMonitor::evaluate_accelerations(const double* point) {
  if (!jet_) return (*accelerations_)(point, residuals_.data());
  const formulate::Level& last = problem_.levels.back();
  jet_->evaluate(point, last.level + 1,
                 residuals_.data());  // all equations: those of the last level in place
  if (last.level + 1 < 0) return;
  for (std::size_t r = 0; r < last.equation.size(); ++r)
    residuals_[r] = residuals_[last.equation[r]];
}

void DriftMonitor::look_at_step(const double* point) {
  if (largest_.empty()) return;
  for (Largest& level : largest_) level.here = 0;
  evaluate_levels(point);
  const double* residual = residuals_.data();
  for (const formulate::Level& level : problem_.levels) {
    for (std::uint32_t r = 0; r < level.constraints(); ++r) {
      const std::string& name = equation(level.equation[r]);
      update(of_level(level.level), residual[r], point[0], name);
      if (level.derivative[r] != 0) continue;
      update(undifferentiated_, residual[r], point[0], name);
      largest_of_solved_ = std::max(largest_of_solved_, std::abs(residual[r]));
    }
    residual += level.rows();
  }
  if (watched_) look_at_watched(point);
}

void DriftMonitor::look_at_watched(const double* point) {
  (*watched_)(point, watched_residuals_.data());
  const double* residual = watched_residuals_.data();
  for (const formulate::WatchedLevel& level : problem_.watched) {
    if (level.level == 0) continue;
    for (std::size_t r = 0; r < level.constraint.size(); ++r, ++residual) {
      const std::string& name = constraint(level.constraint[r]);
      update(of_level(level.level), *residual, point[0], name);
      if (level.derivative[r] == 0) update(undifferentiated_, *residual, point[0], name);
    }
  }
}

LevelDrift DriftMonitor::undifferentiated() const {
  if (largest_.empty()) return {};
  return {"constraints", undifferentiated_.value, *undifferentiated_.name, undifferentiated_.at};
}

void DriftMonitor::look_at_row(const double* point) {
  look_at_step(point);
  if (largest_.empty()) return;
  evaluate_accelerations(point);
  const formulate::Level& last = problem_.levels.back();
  for (std::uint32_t r = 0; r < last.constraints(); ++r)
    update(of_level(0), residuals_[r], point[0], equation(last.equation[r]));
  if (!watched_accelerations_) return;
  (*watched_accelerations_)(point, watched_residuals_.data());
  const std::vector<std::uint32_t>& constraints = problem_.watched.back().constraint;
  for (std::size_t r = 0; r < constraints.size(); ++r)
    update(of_level(0), watched_residuals_[r], point[0], constraint(constraints[r]));
}

std::vector<LevelDrift> DriftMonitor::result() const {
  std::vector<LevelDrift> drift;
  for (std::size_t k = 0; k < largest_.size(); ++k)
    drift.push_back({level_name(problem_, first_level_ + static_cast<int>(k)), largest_[k].value,
                     *largest_[k].name, largest_[k].at});
  return drift;
}

// ---- energy

EnergyMonitor::EnergyMonitor(const formulate::Problem& problem, const double* point,
                             const compile::Options& options) {
  const derive::Mechanics& mechanics = problem.dae->mechanics;
  if (mechanics.coordinates.empty() || mechanics.energy.rows == 0) return;
  if (!mechanics.conservative && !problem.has_work) return;  // the work is not computed
  const expr::Function energies[] = {mechanics.energy, mechanics.kinetic};
  energies_.emplace(energies, problem.layout, point, options);
  if (problem.has_work) work_position_ = problem.state_position(problem.states - 1);
}

void EnergyMonitor::look_at_row(const double* point) {
  if (!energies_) return;
  double energies[2] = {0, 0};
  (*energies_)(point, energies);
  const double work = work_position_ == 0 ? 0 : point[work_position_];
  if (!balance_.known) {
    balance_.known = true;
    balance_.initial = energies[0];
    initial_work_ = work;
  }
  balance_.final = energies[0];
  balance_.work = work - initial_work_ + work_of_jumps_;
  balance_.scale = std::max(balance_.scale, std::abs(energies[1]));
  const double error = std::abs(energies[0] - balance_.initial - balance_.work);
  row_ = {energies[0], energies[1], balance_.work, error};
  if (error > balance_.largest_error) {
    balance_.largest_error = error;
    balance_.at = point[0];
  }
}

void EnergyMonitor::look_at_step(const double* point) {
  if (!energies_) return;
  double energies[2] = {0, 0};
  (*energies_)(point, energies);
  balance_.scale = std::max(balance_.scale, std::abs(energies[1]));
}

void EnergyMonitor::look_before_jump(const double* point) {
  if (!energies_) return;
  double energies[2] = {0, 0};
  (*energies_)(point, energies);
  before_jump_ = energies[0];
}

void EnergyMonitor::look_after_jump(const double* point) {
  if (!energies_) return;
  double energies[2] = {0, 0};
  (*energies_)(point, energies);
  work_of_jumps_ += energies[0] - before_jump_;
}

// ---- singular states

RegularityMonitor::RegularityMonitor(const formulate::Problem& problem, const double* point,
                                     const compile::Options& options)
    : problem_(problem) {
  constexpr std::uint32_t largest = 40;  // a determinant costs some 10 us there
  const expr::SparseFunction& f = problem.top_matrix;
  if (f.rows == 0 || f.rows > largest) return;
  values_.emplace(f.values, problem.layout, point, options);
  rows_.resize(f.column.size());
  for (std::uint32_t r = 0; r < f.rows; ++r)
    row_of_.insert(row_of_.end(), f.row_start[r + 1] - f.row_start[r], r);
  matrix_.resize(f.rows, f.columns);
  lu_ = Eigen::PartialPivLU<Eigen::MatrixXd>(f.rows);
}

void RegularityMonitor::look_at_row(const double* point) {
  if (!values_ || !warnings_.empty()) return;
  (*values_)(point, rows_.data());
  matrix_.setZero();
  for (std::size_t k = 0; k < rows_.size(); ++k)
    matrix_(row_of_[k], problem_.top_matrix.column[k]) = rows_[k];
  lu_.compute(matrix_);
  auto sign = static_cast<double>(lu_.permutationP().determinant());
  for (Eigen::Index i = 0; i < matrix_.rows(); ++i) {
    const double pivot = lu_.matrixLU()(i, i);
    sign *= static_cast<double>((pivot > 0) - (pivot < 0));
  }
  if (sign * sign_ < 0)
    warnings_.push_back(
        {Severity::warning,
         problem_.dae->model->place,
         fmt::format("model '{}' passes a singular state between t = {:.6g} s and t = {:.6g} s",
                     problem_.dae->model->name, last_time_, point[0]),
         {"the equations do not determine the highest derivatives there: their character changes, "
          "and the motion "
          "after it may be one of several"},
         "`explain()` shows which equations determine which unknowns"});
  if (sign != 0) sign_ = sign;
  last_time_ = point[0];
}

// ---- limits

LimitMonitor::LimitMonitor(const formulate::Problem& problem, const double* point,
                           const compile::Options& options)
    : problem_(problem) {
  const model::Model& model = *problem.dae->model;
  if (model.limits.empty()) return;
  std::vector<expr::Term> terms;
  for (const model::LimitRange& limit : model.limits)
    for (const expr::Expr e : {limit.value, limit.low, limit.high})
      terms.push_back({e, static_cast<std::uint32_t>(terms.size())});
  const expr::Function values{static_cast<std::uint32_t>(terms.size()),
                              {expr::identity_family(model.graph, terms)}};
  values_.emplace(values, problem.layout, point, options);
  rows_.resize(terms.size());
  violated_.assign(model.limits.size(), false);
}

void LimitMonitor::look_at_row(const double* point) {
  if (!values_) return;
  (*values_)(point, rows_.data());
  const auto& limits = problem_.dae->model->limits;
  for (std::size_t i = 0; i < limits.size(); ++i) {
    const double value = rows_[3 * i], low = rows_[3 * i + 1], high = rows_[3 * i + 2];
    if (violated_[i] || (value >= low && value <= high)) continue;
    violated_[i] = true;
    warnings_.push_back(
        {Severity::warning,
         limits[i].place,
         fmt::format("limit '{}' is violated first at t = {:.6g} s", limits[i].text, point[0]),
         {fmt::format("value {:.6g}, allowed from {:g} to {:g}", value, low, high)},
         ""});
  }
}

}  // namespace daedal::solve
