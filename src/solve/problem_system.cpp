// See problem_system.hpp. The point is laid out as t | states | tops | lifted | inputs | parameters.

#include "daedal/solve/problem_system.hpp"

#include "daedal/solve/break_points.hpp"
#include "equation_jet.hpp"
#include "evaluation.hpp"
#include "level_projection.hpp"
#include "point.hpp"
#include "scan.hpp"
#include "series.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace daedal::solve {

namespace {

SparsePattern pattern_of(const expr::SparseFunction& f) {
  return {f.rows, f.columns, f.row_start, f.column};
}

}  // namespace

ProblemSystem::ProblemSystem(const formulate::Problem& problem, double t,
                             std::span<const double> states, std::span<const double> tops,
                             const Options& options)
    : problem_(problem),
      next_(problem.next),
      point_(empty_point(problem)),
      scratch_(problem.tops),
      right_hand_side_(problem.tops),
      low_(problem.layout.size()) {
  for (std::uint32_t& position : next_) position -= 1;  // the point begins with t
  for (std::uint32_t i = 0; i < problem.states; ++i)
    nominal_.push_back(nominal_at(problem, problem.state_position(i)));

  const compile::Layout& layout = problem.layout;
  if (problem.inputs.rows > 0)
    inputs_ = std::make_unique<Evaluation>(problem.inputs, layout, point_.data(), options.compile);
  scan_ = std::make_unique<Scan>(problem, point_.data(), options.compile);
  point_at(t, states.data(), tops.data());
  jet_ = shared_jet(problem);
  tops_solver_ = compile::compile_solver(problem.top_matrix,
                                         jet_             ? expr::Function{problem.tops, {}}
                                         : problem.linear ? problem.right_hand_side
                                                          : problem.residual,
                                         layout, point_, options.compile);
  tops_solver_->prepare(point_.data());
  if (options.implicit && !jet_) {
    const formulate::ImplicitForm form = formulate::implicit_form(problem);
    residual_ = std::make_unique<Evaluation>(form.residual, layout, point_.data(), options.compile);
    missing_ = form.missing;
    state_pattern_ = pattern_of(form.state_matrix);
    top_pattern_ = pattern_of(form.top_matrix);
    const expr::Function matrices[] = {form.state_matrix.values, form.top_matrix.values};
    jacobians_ = std::make_unique<Evaluation>(matrices, layout, point_.data(), options.compile);
  }
  if (problem.formulation.kind != formulate::Kind::projection) return;
  derived_.assign(problem.states, 0);
  for (const formulate::Level& level : problem.levels) {
    projections_.push_back(
        std::make_unique<LevelProjection>(problem, level, point_, options.compile, jet_));
    for (const std::uint32_t position : projections_.back()->derived())
      if (!problem.is_lifted(position)) derived_[position - 1] = 1;
  }
}

ProblemSystem::~ProblemSystem() = default;

void ProblemSystem::set_time_and_states(double t, const double* s) {
  point_[0] = t;
  std::copy_n(s, problem_.states, point_.data() + 1);
  if (inputs_) (*inputs_)(point_.data(), point_.data() + problem_.first_input);
}

const double* ProblemSystem::point_at(double t, const double* s, const double* z) {
  newton_point(t, s, z);
  (*scan_)(point_.data());
  return point_.data();
}

/// What is lifted comes from z: Newton's method of an implicit step solves for it.
const double* ProblemSystem::newton_point(double t, const double* s, const double* z) {
  set_time_and_states(t, s);
  std::copy_n(z, problem_.algebraic(), point_.data() + 1 + problem_.states);
  return point_.data();
}

Failure ProblemSystem::derivative(double t, const double* s, double* z, double* ds) {
  set_time_and_states(t, s);
  const Failure failure = solve_lifted_and_tops(z);
  if (failure != Failure::none) return failure;
  const std::uint32_t n = problem_.states;
  for (std::uint32_t i = 0; i < n; ++i) ds[i] = next_[i] < n ? s[next_[i]] : z[next_[i] - n];
  return Failure::none;
}

/// The correction that Newton's method subtracts from the tops in the point.
bool ProblemSystem::newton_step(double* correction) {
  if (!tops_solver_->solve(point_.data(), correction).ok) return false;
  if (jet_) {
    jet_->evaluate(point_.data(), 0, right_hand_side_.data());
    tops_solver_->resolve(right_hand_side_.data(), correction);
  }
  return true;
}

/// z at the point's time and states.
Failure ProblemSystem::solve_lifted_and_tops(double* z) {
  (*scan_)(point_.data());
  std::copy_n(point_.data() + problem_.first_lifted(), problem_.lifted, z + problem_.tops);
  return solve_tops(z);
}

/// The equations at the point's time and states, solved for the tops in z: at once when linear, else by Newton
/// from the guess in z.
Failure ProblemSystem::solve_tops(double* z) {
  if (problem_.linear && !jet_)
    return tops_solver_->solve(point_.data(), z).ok ? Failure::none : Failure::singular_matrix;

  constexpr int most_iterations = 25;
  constexpr double settled =
      1e-9;  // convergence is quadratic: the next correction is about the square of this one
  double* const tops = point_.data() + 1 + problem_.states;
  std::copy_n(z, problem_.tops, tops);
  for (int iteration = 0; iteration < most_iterations; ++iteration) {
    if (!newton_step(scratch_.data())) return Failure::singular_matrix;
    double correction = 0, size = 1;
    for (std::uint32_t i = 0; i < problem_.tops; ++i) {
      tops[i] -= scratch_[i];
      correction = std::max(correction, std::abs(scratch_[i]));
      size = std::max(size, std::abs(tops[i]));
    }
    if (!std::isfinite(correction) || !std::isfinite(size)) return Failure::newton_diverged;
    if (correction <= settled * size) {
      std::copy_n(tops, problem_.tops, z);
      return Failure::none;
    }
  }
  return Failure::newton_diverged;
}

void ProblemSystem::residual(double t, const double* s, const double* z, double* r) {
  if (jet_)
    jet_->evaluate(newton_point(t, s, z), 0, r);
  else
    (*residual_)(newton_point(t, s, z), r);
}

void ProblemSystem::jacobians(double t, const double* s, const double* z, double* values) {
  (*jacobians_)(newton_point(t, s, z), values);
}

Failure ProblemSystem::project_levels(double t, double* s, double* low) {
  set_time_and_states(t, s);
  for (const auto& level : projections_) {
    (*scan_)(point_.data());
    const Failure failure = level->project(point_.data(), low);
    if (failure != Failure::none)
      return failure == Failure::not_finite ? Failure::cannot_project : failure;
  }
  std::copy_n(point_.data() + 1, problem_.states, s);
  return Failure::none;
}

Failure ProblemSystem::project(double t, double* s) { return project_levels(t, s, nullptr); }

Failure ProblemSystem::project(double t, double* s, double* low) {
  std::copy_n(low, problem_.states, low_.data() + 1);
  std::fill_n(low_.data() + problem_.first_lifted(), problem_.lifted, 0.0);
  const Failure failure = project_levels(t, s, low_.data());
  std::copy_n(low_.data() + 1, problem_.states, low);
  return failure;
}

Failure ProblemSystem::expand(double t, const double* s, double* z, int order,
                              double* coefficients) {
  const formulate::Kind kind = problem_.formulation.kind;
  if (kind == formulate::Kind::baumgarte || kind == formulate::Kind::penalty)
    return Failure::no_series;  // the series are those of the equations themselves
  if (!series_ || series_->order() != order)
    series_ = std::make_unique<Series<double>>(problem_, formulate::jet_program(problem_), order);
  set_time_and_states(t, s);
  Failure failure = solve_lifted_and_tops(z);
  if (failure != Failure::none) return failure;
  point_at(t, s, z);
  if (!(problem_.linear && !jet_) && !tops_solver_->solve(point_.data(), scratch_.data()).ok)
    return Failure::singular_matrix;  // Newton's last matrix belongs to the point before the last
  series_->set_point(t, s, z);
  series_->evaluate_point(*tops_solver_, z);
  failure = series_->extend(*tops_solver_);
  const std::size_t width = problem_.states + problem_.algebraic();
  for (int n = 0; n <= order; ++n)
    series_->coefficients(n, coefficients + static_cast<std::size_t>(n) * width);
  return failure;
}

std::vector<double> ProblemSystem::break_points(double t0, double t1) const {
  return solve::break_points(problem_, t0, t1);
}

void ProblemSystem::wait_native() const {
  tops_solver_->wait_native();
  scan_->wait_native();
  for (const Evaluation* evaluation : {inputs_.get(), residual_.get(), jacobians_.get()})
    if (evaluation != nullptr) evaluation->kernel().wait_native();
  for (const auto& level : projections_) level->wait_native();
}

}  // namespace daedal::solve
