// See nonlinear_stabiliser.hpp.

#include "daedal/integrate/nonlinear_stabiliser.hpp"

#include "daedal/base/dense_lu.hpp"
#include "daedal/integrate/combination.hpp"
#include "daedal/integrate/explicit_form.hpp"
#include "daedal/system/evaluation.hpp"
#include "daedal/system/point.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

namespace daedal::solve {

namespace {

/// Another choice of dependent coordinates replaces the one at hand when its determinant is so many times larger. Errors of
/// the independent ones grow by about that factor in the dependent ones, and a long step must not reach the pose where the
/// choice fails: with 10, rk4 with 1/32 s fell off a pendulum's circle at the bottom.
constexpr double much_better = 2;

/// Which columns of a matrix with few rows make its best square part, by Gaussian elimination with complete pivoting.
class ColumnChoice {
 public:
  ColumnChoice(std::size_t rows, std::size_t columns)
      : rows_(rows), columns_(columns), matrix_(rows * columns), chosen_(rows) {}

  double& at(std::size_t row, std::size_t column) { return matrix_[row * columns_ + column]; }
  void clear() { std::fill(matrix_.begin(), matrix_.end(), 0.0); }

  /// log |det| of the part found; consumes the matrix.
  double choose() {
    double volume = 0;
    for (std::size_t k = 0; k < rows_; ++k) {
      std::size_t row = k, column = 0;
      for (std::size_t i = k; i < rows_; ++i)
        for (std::size_t j = 0; j < columns_; ++j)
          if (std::abs(at(i, j)) > std::abs(at(row, column))) row = i, column = j;
      for (std::size_t j = 0; j < columns_; ++j) std::swap(at(k, j), at(row, j));
      chosen_[k] = static_cast<std::uint32_t>(column);
      const double pivot = at(k, column);
      volume += std::log(std::abs(pivot));
      for (std::size_t i = k + 1; i < rows_; ++i) {
        const double factor = at(i, column) / pivot;
        for (std::size_t j = 0; j < columns_; ++j) at(i, j) -= factor * at(k, j);
        at(i, column) = 0;
      }
      for (std::size_t i = k; i < rows_; ++i) at(i, column) = 0;  // chosen once
    }
    return volume;
  }
  const std::vector<std::uint32_t>& chosen() const { return chosen_; }

 private:
  std::size_t rows_, columns_;
  std::vector<double> matrix_;
  std::vector<std::uint32_t> chosen_;
};

/// One level f(x) = xi, solved for its dependent unknowns.
class SplitLevel {
 public:
  SplitLevel(const formulate::Problem& problem, const formulate::Level& level, const double* point,
             const compile::Options& options)
      : level_(level),
        rows_(level.rows()),
        evaluation_(std::vector<expr::Function>{level.residual, level.jacobian.values},
                    problem.layout, point, options),
        values_(evaluation_.rows()),
        correction_(rows_),
        lu_(rows_) {
    for (std::uint32_t c = 0; c < level.unknowns.size(); ++c)
      if (level.movable.empty() || level.movable[c]) columns_.push_back(c);
    number_of_column_.assign(level.unknowns.size(), columns_.size());
    for (std::size_t k = 0; k < columns_.size(); ++k) number_of_column_[columns_[k]] = k;
    dependent_of_column_.resize(level.unknowns.size());
    for (const std::uint32_t position : level.unknowns)
      nominal_.push_back(nominal_at(problem, position));
  }

  std::size_t candidates() const { return columns_.size(); }
  std::uint32_t position(std::uint32_t candidate) const {
    return level_.unknowns[columns_[candidate]];
  }
  /// Point positions of the dependent unknowns; entry k holds xi_k in the normal form.
  const std::vector<std::uint32_t>& dependent() const { return dependent_; }

  void take(const std::vector<std::uint32_t>& candidates) {
    dependent_.clear();
    size_.clear();
    std::fill(dependent_of_column_.begin(), dependent_of_column_.end(), rows_);
    for (std::size_t k = 0; k < candidates.size(); ++k) {
      dependent_of_column_[columns_[candidates[k]]] = k;
      dependent_.push_back(position(candidates[k]));
      size_.push_back(nominal_[columns_[candidates[k]]]);
    }
  }

  /// f at the point.
  const double* residual(const double* point) {
    evaluation_(point, values_.data());
    return values_.data();
  }

  /// The Jacobian at the point of the last residual, columns scaled by the sizes of the unknowns.
  void put_into(ColumnChoice& choice) const {
    choice.clear();
    for_entries([&](std::size_t row, std::uint32_t column, double value) {
      if (number_of_column_[column] < columns_.size())
        choice.at(row, number_of_column_[column]) += value * nominal_[column];
    });
  }
  /// log |det| of the dependent part of that matrix.
  double volume() {
    if (!factor()) return -std::numeric_limits<double>::infinity();
    double volume = lu_.log_volume();
    for (std::size_t c = 0; c < nominal_.size(); ++c)
      if (dependent_of_column_[c] < rows_) volume += std::log(nominal_[c]);
    return volume;
  }

  /// Sign of the determinant of the dependent part, at the last solution. It changes where two solutions meet.
  int orientation() const { return lu_.orientation(); }

  /// Moves the dependent unknowns within `point` until f = xi; Newton's method. Where a correction is not half of the one before,
  /// the solution it ends at may be another one than that nearby [Deuflhard2004, ch. 2]: diverged.
  Failure solve(double* point, const double* xi) {
    constexpr double epsilon = std::numeric_limits<double>::epsilon();
    constexpr int most_iterations = 20;
    constexpr double curvature = 10;  // assumed bound of |J'| |x| / |J|
    double previous = std::numeric_limits<double>::infinity();
    for (int iteration = 0; iteration < most_iterations; ++iteration) {
      residual(point);
      if (!factor()) return Failure::singular_matrix;
      for (std::size_t k = 0; k < rows_; ++k) correction_[k] = values_[k] - xi[k];
      lu_.solve(correction_.data());
      double size = 0;
      for (std::size_t k = 0; k < rows_; ++k) {
        double& x = point[dependent_[k]];
        x -= correction_[k];
        const double part = std::abs(correction_[k]) / std::max(std::abs(x), size_[k]);
        size = part > size || std::isnan(part) ? part : size;
      }
      if (!std::isfinite(size)) return Failure::not_finite;
      if (size <= 4 * epsilon || curvature * size * size <= epsilon) return Failure::none;
      if (size > 0.1 * previous && size < 1e-10) return Failure::none;  // rounding in f
      if (size > 0.5 * previous) return Failure::newton_diverged;
      previous = size;
    }
    return Failure::cannot_project;
  }

  /// Places of dependent unknowns hold an error of xi, and get what errors make of the unknowns at the point of the last
  /// solution: G_d e_d = e_xi - G_i e_i.
  void show_error(double* error) {
    for (std::size_t k = 0; k < rows_; ++k) correction_[k] = error[dependent_[k] - 1];
    for_entries([&](std::size_t row, std::uint32_t column, double value) {
      if (dependent_of_column_[column] == rows_)
        correction_[row] -= value * error[level_.unknowns[column] - 1];
    });
    lu_.solve(correction_.data());
    for (std::size_t k = 0; k < rows_; ++k) error[dependent_[k] - 1] = correction_[k];
  }

 private:
  /// (row, column of the level, value) of the Jacobian.
  template <class Visit>
  void for_entries(const Visit& visit) const {
    const expr::SparseFunction& j = level_.jacobian;
    for (std::size_t row = 0; row < rows_; ++row)
      for (std::uint32_t e = j.row_start[row]; e < j.row_start[row + 1]; ++e)
        visit(row, j.column[e], values_[rows_ + e]);
  }

  bool factor() {
    std::fill_n(lu_.data(), lu_.entries(), 0.0);
    for_entries([&](std::size_t row, std::uint32_t column, double value) {
      if (const std::size_t k = dependent_of_column_[column]; k < rows_)
        lu_.data()[k * rows_ + row] += value;
    });
    return lu_.factor();
  }

  const formulate::Level& level_;
  std::size_t rows_;
  Evaluation evaluation_;
  std::vector<double> values_;  // f, then the entries of its Jacobian
  std::vector<double> correction_, nominal_;
  base::DenseLu<double> lu_;
  std::vector<std::uint32_t> columns_;            // that may move: the candidates
  std::vector<std::size_t> number_of_column_;     // among them, by column
  std::vector<std::size_t> dependent_of_column_;  // among the dependent ones, by column
  std::vector<std::uint32_t> dependent_;
  std::vector<double> size_;  // nominal values of these
};

}  // namespace

/// The problem in the coordinates y. The places of dependent states hold the constraints' values instead.
class NormalForm final : public System {
 public:
  NormalForm(const formulate::Problem& problem, ProblemSystem& system,
             const compile::Options& options)
      : problem_(problem),
        system_(system),
        rate_(problem.formulation.stabiliser.rate),
        s_(problem.states),
        guess_(problem.states),
        anchor_(problem.states),
        anchor_normal_(problem.states),
        way_(problem.states),
        tops_(problem.tops),
        point_(empty_point(problem)) {
    for (const formulate::Level& level : problem.levels) {
      levels_.push_back(std::make_unique<SplitLevel>(problem, level, point_.data(), options));
      xi_.emplace_back(level.rows());
    }
    if (!levels_.empty()) choice_.emplace(xi_[0].size(), levels_[0]->candidates());
  }

  /// The best choice of dependent coordinates at (t, s).
  void choose(double t, const double* s) {
    set_point(t, s);
    if (levels_.empty()) return;
    levels_[0]->residual(point_.data());
    levels_[0]->put_into(*choice_);
    choice_->choose();
    for (const auto& level : levels_) level->take(choice_->chosen());
    levels_[0]->volume();
    orientation_ = levels_[0]->orientation();
  }
  bool has_much_better_choice(double t, const double* s) {
    if (levels_.empty()) return false;
    set_point(t, s);
    levels_[0]->residual(point_.data());
    levels_[0]->put_into(*choice_);
    return choice_->choose() > levels_[0]->volume() + std::log(much_better);
  }

  /// y = Phi(t, s)
  void from_states(double t, const double* s, double* y) {
    set_point(t, s);
    std::copy_n(s, problem_.states, y);
    for (const auto& level : levels_) {
      const double* const f = level->residual(point_.data());
      for (std::size_t k = 0; k < level->dependent().size(); ++k)
        y[level->dependent()[k] - 1] = f[k];
    }
  }
  /// From here on Newton's method starts at s = Phi^-1(t, y): at what a step has reached, never at a trial that was rejected and
  /// may lie on another branch.
  void stay_near(double t, const double* s, const double* y) {
    anchor_time_ = t;
    std::copy_n(s, anchor_.size(), anchor_.data());
    std::copy_n(y, anchor_normal_.size(), anchor_normal_.data());
  }

  /// s = Phi^-1(t, y) on the branch of the anchor: a long way is walked in pieces that Newton's method takes without doubt, and
  /// a solution beyond a pose where two of them meet is refused.
  Failure to_states(double t, const double* y, double* s) {
    constexpr int most_pieces = 64;
    Failure failure = Failure::newton_diverged;
    for (int pieces = 1; pieces <= most_pieces && failure != Failure::none; pieces *= 2)
      failure = walk(t, y, pieces);
    if (failure == Failure::none) std::copy_n(point_.data() + 1, guess_.size(), s);
    return failure == Failure::not_finite ? Failure::cannot_project : failure;
  }

  std::uint32_t states() const override { return problem_.states; }
  std::uint32_t tops() const override { return problem_.tops; }
  std::span<const std::uint32_t> next() const override { return system_.next(); }
  std::span<const double> nominal() const override { return system_.nominal(); }

  Failure derivative(double t, const double* y, double* z, double* dy) override {
    if (const Failure failure = to_states(t, y, s_.data()); failure != Failure::none)
      return failure;
    if (const Failure failure = system_.derivative(t, s_.data(), z, dy); failure != Failure::none)
      return failure;
    for (std::size_t l = 0; l < levels_.size(); ++l)
      for (std::size_t k = 0; k < xi_[l].size(); ++k) {
        const bool has_rate = l + 1 < levels_.size();  // xi1 has xi2 above it
        dy[levels_[l]->dependent()[k] - 1] = (has_rate ? xi_[l + 1][k] : 0) - rate_ * xi_[l][k];
      }
    return Failure::none;
  }

  /// An error of the independent coordinates alone would not show what the dependent ones make of it.
  void show_error(double* error) override {
    for (const auto& level : levels_) level->show_error(error);
  }

  // Explicit methods ask for nothing else.
  void residual(double, const double*, const double*, double*) override {}
  const SparsePattern& state_pattern() const override { return none_; }
  const SparsePattern& top_pattern() const override { return none_; }
  void jacobians(double, const double*, const double*, double*) override {}
  bool projects() const override { return false; }
  Failure project(double, double*) override { return Failure::none; }
  std::vector<double> break_points(double t0, double t1) const override {
    return system_.break_points(t0, t1);
  }

 private:
  /// From the anchor to (t, y), into point_.
  Failure walk(double t, const double* y, int pieces) {
    std::copy_n(anchor_.data(), guess_.size(), guess_.data());
    for (int piece = 1; piece <= pieces; ++piece) {
      const double part = static_cast<double>(piece) / pieces;
      for (std::size_t i = 0; i < way_.size(); ++i)
        way_[i] = std::lerp(anchor_normal_[i], y[i], part);
      const Failure failure = to_states_nearby(std::lerp(anchor_time_, t, part));
      if (failure != Failure::none) return failure;
      if (!levels_.empty() && levels_[0]->orientation() != orientation_)
        return Failure::newton_diverged;
      std::copy_n(point_.data() + 1, guess_.size(), guess_.data());
    }
    return Failure::none;
  }

  /// Phi^-1(t, way_) from dependent states in guess_, into point_.
  Failure to_states_nearby(double t) {
    for (std::size_t l = 0; l < levels_.size(); ++l)
      for (std::size_t k = 0; k < xi_[l].size(); ++k) {
        const std::uint32_t i = levels_[l]->dependent()[k] - 1;
        xi_[l][k] = std::exchange(way_[i], guess_[i]);
      }
    set_point(t, way_.data());
    for (std::size_t l = 0; l < levels_.size(); ++l)
      if (const Failure failure = levels_[l]->solve(point_.data(), xi_[l].data());
          failure != Failure::none)
        return failure;
    return Failure::none;
  }

  void set_point(double t, const double* s) {
    const double* const point = system_.point_at(t, s, tops_.data());
    std::copy_n(point, point_.size(), point_.data());
  }

  const formulate::Problem& problem_;
  ProblemSystem& system_;
  const double rate_;
  double anchor_time_ = 0;
  int orientation_ = 1;  // of the dependent part of the constraints, from one choice to the next
  std::vector<double> s_, guess_, anchor_, anchor_normal_, way_, tops_, point_;
  std::vector<std::unique_ptr<SplitLevel>> levels_;  // positions, velocities
  std::vector<std::vector<double>> xi_;
  std::optional<ColumnChoice> choice_;
  SparsePattern none_;
};

NonlinearStabiliser::NonlinearStabiliser(const formulate::Problem& problem, ProblemSystem& system,
                                         const Method& method, const compile::Options& options)
    : form_(std::make_unique<NormalForm>(problem, system, options)),
      method_(make_integrator_on_rates(method, *form_)),
      state_(problem.states),
      tops_(problem.tops),
      normal_(problem.states),
      is_explicit_(!is_implicit(method)) {}

NonlinearStabiliser::~NonlinearStabiliser() = default;

StepOutcome NonlinearStabiliser::start(double t, const double* s, const double* z, double end) {
  std::copy_n(s, state_.size(), state_.data());
  std::copy_n(z, tops_.size(), tops_.data());
  end_ = end;
  return begin(t, end);
}

/// From state_, with the best choice of independent coordinates there.
StepOutcome NonlinearStabiliser::begin(double t, double end) {
  form_->choose(t, state_.data());
  form_->from_states(t, state_.data(), normal_.data());
  form_->stay_near(t, state_.data(), normal_.data());
  return method_->start(t, normal_.data(), tops_.data(), end);
}

StepOutcome NonlinearStabiliser::step(double limit) {
  if (form_->has_much_better_choice(time(), state_.data())) {
    std::copy_n(method_->tops().data(), tops_.size(), tops_.data());
    // The motion has not changed: the first step after a restart is no longer than the last one. A guess would be,
    // and once was tenfold, so large that an estimated error was meaningless.
    const double end = is_explicit_ ? time() + (time() - previous_time()) : end_;
    if (const StepOutcome outcome = begin(time(), end); !outcome.ok) return outcome;
  }
  const StepOutcome outcome = method_->step(limit);
  if (!outcome.ok) return outcome;
  if (const Failure failure = form_->to_states(time(), method_->state().data(), state_.data());
      failure != Failure::none)
    return {false, describe(failure), failure, outcome.step};
  form_->stay_near(time(), state_.data(), method_->state().data());
  return outcome;
}

void NonlinearStabiliser::interpolate(double t, double* s) const {
  method_->interpolate(t, normal_.data());
  if (form_->to_states(t, normal_.data(), s) != Failure::none)
    std::fill_n(s, state_.size(), std::numeric_limits<double>::quiet_NaN());
}

}  // namespace daedal::solve
