// See problem_system.hpp. The point is laid out as t | states | tops | lifted | inputs | parameters.

#include "daedal/system/problem_system.hpp"

#include "daedal/system/break_points.hpp"
#include "daedal/system/equation_jet.hpp"
#include "daedal/system/evaluation.hpp"
#include "daedal/system/level_projection.hpp"
#include "daedal/system/local_coordinates.hpp"
#include "daedal/system/point.hpp"
#include "daedal/system/scan.hpp"
#include "daedal/system/series.hpp"
#include "momentum_states.hpp"
#include "problem_momenta.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace daedal::solve {

ProblemSystem::ProblemSystem(const formulate::Problem& problem, double t,
                             std::span<const double> states, std::span<const double> tops,
                             const Options& options)
    : problem_(problem),
      next_(problem.next),
      point_(empty_point(problem)),
      scratch_(problem.tops),
      right_hand_side_(problem.tops),
      low_(problem.layout.size()),
      compile_(options.compile),
      has_series_(options.series),
      break_points_(options.break_points) {
  for (std::uint32_t& position : next_) position -= 1;  // the point begins with t
  for (std::uint32_t i = 0; i < problem.states; ++i)
    nominal_.push_back(nominal_at(problem, problem.state_position(i)));

  const compile::Layout& layout = problem.layout;
  if (problem.inputs.rows > 0)
    inputs_ = std::make_unique<Evaluation>(problem.inputs, layout, point_.data(), options.compile);
  scan_ = std::make_unique<Scan>(problem, point_.data(), options.compile);
  point_at(t, states.data(), tops.data());
  hold_multipliers(tops.data());
  jet_ = shared_jet(problem);
  compile::Options of_tops = options.compile;
  of_tops.keep_factors = options.series || jet_;
  tops_solver_ = compile::compile_solver(problem.top_matrix,
                                         jet_             ? expr::Function{problem.tops, {}}
                                         : problem.linear ? problem.right_hand_side
                                                          : problem.residual,
                                         layout, point_, of_tops);
  tops_solver_->prepare(point_.data());
  if (options.implicit && !jet_) {
    const formulate::ImplicitForm form = formulate::implicit_form(problem);
    residual_ = std::make_unique<Evaluation>(form.residual, layout, point_.data(), options.compile);
    missing_ = form.missing;
    state_pattern_ = form.state_matrix;
    top_pattern_ = form.top_matrix;
    const expr::Function matrices[] = {form.state_matrix.values, form.top_matrix.values};
    jacobians_ = std::make_unique<Evaluation>(matrices, layout, point_.data(), options.compile);
  }
  using formulate::Kind;
  const Kind kind = problem.formulation.kind;
  if ((kind == Kind::null_space || kind == Kind::minimal) && !problem.levels.empty())
    local_ = std::make_unique<LocalCoordinates>(problem, point_, options.compile);
  if (kind == Kind::hamilton) {
    for (const formulate::Level& level : problem.levels) add_projection(projections_, level);
    momentum_states_ = std::make_unique<MomentumStates>(problem, point_, options.compile);
    momentum_states_->scale(point_.data(), nominal_.data());
  }
  if (kind != Kind::projection) return;
  derived_.assign(problem.states, 0);
  for (const formulate::Level& level : problem.levels) {
    add_projection(projections_, level);
    for (const std::uint32_t position : projections_.back()->derived())
      if (!problem.is_lifted(position)) derived_[position - 1] = 1;
  }
}

ProblemSystem::~ProblemSystem() = default;

Failure ProblemSystem::set_time_and_states(double t, const double* s) {
  point_[0] = t;
  std::copy_n(s, problem_.states, point_.data() + 1);
  if (inputs_) (*inputs_)(point_.data(), point_.data() + problem_.first_input);
  return momentum_states_ ? momentum_states_->to_velocities(point_.data()) : Failure::none;
}

void ProblemSystem::hold(std::span<const double> values) {
  std::copy(values.begin(), values.end(), point_.begin() + problem_.first_held_value);
}

std::vector<double> ProblemSystem::integrated(double t, std::span<const double> states) {
  std::vector<double> result(states.begin(), states.end());
  if (!momentum_states_) return result;
  point_[0] = t;
  std::copy(states.begin(), states.end(), point_.data() + 1);
  if (inputs_) (*inputs_)(point_.data(), point_.data() + problem_.first_input);
  momentum_states_->to_momenta(point_.data(), result.data());
  return result;
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
  Failure failure = set_time_and_states(t, s);
  if (failure == Failure::none && local_) failure = local_->settle(point_.data());
  if (failure == Failure::none) failure = solve_lifted_and_tops(z);
  if (failure != Failure::none) return failure;
  const std::uint32_t n = problem_.states;
  for (std::uint32_t i = 0; i < n; ++i)
    ds[i] = next_[i] < n ? point_[1 + next_[i]] : z[next_[i] - n];
  if (momentum_states_) {
    std::copy_n(z, problem_.tops, point_.data() + 1 + n);
    momentum_states_->rates(point_.data(), ds);
  }
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
  if (local_ && local_->solves_tops()) return local_->solve_tops(point_.data(), z);
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

/// A solution satisfies lambda - held + stiffness c = 0, which gives c.
bool ProblemSystem::hold_multipliers(const double* z) {
  const formulate::AugmentedLagrangian& augmented = problem_.formulation.augmented;
  bool moved = false;
  for (const formulate::HeldMultiplier& h : problem_.held) {
    const double multiplier = z[h.multiplier - 1 - problem_.states];
    const double violation = (point_[h.held] - multiplier) / augmented.stiffness;
    moved = moved || !(std::abs(violation) <= augmented.tolerance);
    point_[h.held] = multiplier;
  }
  return moved;
}

void ProblemSystem::add_projection(Projections& projections, const formulate::Level& level) {
  projections.push_back(std::make_unique<LevelProjection>(problem_, level, point_, compile_, jet_));
}

Failure ProblemSystem::project_onto(const Projections& levels, double t, double* s, double* low) {
  set_time_and_states(t, s);
  for (const auto& level : levels) {
    (*scan_)(point_.data());
    const Failure failure = level->project(point_.data(), low);
    if (failure != Failure::none)
      return failure == Failure::not_finite ? Failure::cannot_project : failure;
  }
  std::copy_n(point_.data() + 1, problem_.states, s);
  return Failure::none;
}

/// Along the directions that are not free.
Failure ProblemSystem::project_locally(double t, double* s) {
  set_time_and_states(t, s);
  Failure failure = local_->settle(point_.data());
  if (failure == Failure::none) failure = local_->choose(point_.data());
  if (failure == Failure::none) std::copy_n(point_.data() + 1, problem_.states, s);
  return failure;
}

/// Positions; then momenta, by the reactions that put their velocities onto the constraints: smallest in the metric M^-1.
Failure ProblemSystem::project_momenta(double t, double* s) {
  Failure failure = set_time_and_states(t, s);
  for (std::size_t k = 0; k < projections_.size() && failure == Failure::none; ++k) {
    failure = projections_[k]->project(point_.data());
    if (failure == Failure::none && problem_.levels[k].level < -1)
      failure = momentum_states_->renew_velocities(point_.data());
  }
  if (failure != Failure::none)
    return failure == Failure::not_finite ? Failure::cannot_project : failure;
  std::copy_n(point_.data() + 1, problem_.states, s);
  momentum_states_->to_momenta(point_.data(), s);
  return Failure::none;
}

void ProblemSystem::show_error(double* error) {
  if (local_) local_->show_error(error);
}

Failure ProblemSystem::project(double t, double* s) {
  if (local_) return project_locally(t, s);
  return momentum_states_ ? project_momenta(t, s) : project_onto(projections_, t, s, nullptr);
}

Failure ProblemSystem::project(double t, double* s, double* low) {
  std::copy_n(low, problem_.states, low_.data() + 1);
  std::fill_n(low_.data() + problem_.first_lifted(), problem_.lifted, 0.0);
  const Failure failure = project_onto(projections_, t, s, low_.data());
  std::copy_n(low_.data() + 1, problem_.states, low);
  return failure;
}

void ProblemSystem::return_from_later_states() {
  if (local_) local_->forget();
}

/// Velocities in index 2, positions in index 3, both in ggl. Polynomials through steps leave them by their own error, of which
/// step control sees nothing in the directions that constraints forbid.
void ProblemSystem::settle_between_steps(double t, double* s) {
  using formulate::Kind;
  const Kind kind = problem_.formulation.kind;
  if (!between_steps_) {
    between_steps_.emplace();
    for (const formulate::Level& level : problem_.levels)
      if (kind == Kind::ggl || (kind == Kind::index2 && level.level == -1) ||
          (kind == Kind::index3 && level.level == -2))
        add_projection(*between_steps_, level);
  }
  if (!between_steps_->empty()) project_onto(*between_steps_, t, s, nullptr);
}

Failure ProblemSystem::expand(double t, const double* s, double* z, int order,
                              double* coefficients) {
  const formulate::Kind kind = problem_.formulation.kind;
  if (!has_series_ || (kind != formulate::Kind::projection && kind != formulate::Kind::index1))
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

bool ProblemSystem::has_flat_functions() const {
  using expr::Op;
  const auto is_flat = [](Op op) {
    return op == Op::exp || op == Op::tanh || op == Op::sinh || op == Op::cosh;
  };
  for (const expr::Family& family : problem_.equations.families)
    for (const expr::Expr e : expr::reachable(*family.graph, family.outputs))
      if (is_flat(family.graph->node(e).op)) return true;
  return false;
}

Canonical* ProblemSystem::canonical() {
  if (!momenta_) momenta_ = std::make_unique<ProblemMomenta>(problem_, *this, point_, compile_);
  return momenta_.get();
}

std::vector<double> ProblemSystem::break_points(double t0, double t1) const {
  if (break_points_ == nullptr) return solve::break_points(problem_, t0, t1);
  return {std::lower_bound(break_points_->begin(), break_points_->end(), t0),
          std::upper_bound(break_points_->begin(), break_points_->end(), t1)};
}

void ProblemSystem::wait_native() const {
  tops_solver_->wait_native();
  scan_->wait_native();
  for (const Evaluation* evaluation : {inputs_.get(), residual_.get(), jacobians_.get()})
    if (evaluation != nullptr) evaluation->kernel().wait_native();
  for (const auto& level : projections_) level->wait_native();
}

std::unique_ptr<System> make_system(const formulate::Problem& problem, double t,
                                    std::span<const double> states, std::span<const double> tops) {
  return std::make_unique<ProblemSystem>(problem, t, states, tops, ProblemSystem::Options{});
}

}  // namespace daedal::solve
