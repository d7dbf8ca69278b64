// Extended and unscented Kalman filters on a constraint manifold.
//
// A filter has a mean m on the constraints and a covariance P. T is an orthonormal basis of the null spaces of the constraint
// Jacobians at m, and P_z = T^T P T = L L^T. Points depend on the factor T L, beyond second order: T is lower trapezoidal
// (small_matrices.hpp), so that T L is the factor of T P_z T^T by Cholesky's method in the order of the states.
// From one sample to the next:
//
//   unscented   points x_0 = m, x_i = m +- sqrt(n + lambda) T L_i, each back on the constraints, each moved by Runge-Kutta;
//               m = sum w_i x_i,  P = sum w'_i (x_i - m)(x_i - m)^T + Q
//   extended    m is moved; P = F P_z F^T + Q, F by central differences of moved points along T
//
// and with new points (or differences H along T) what is measured there:
//
//   K = C S^-1,   S = cov(y) + R,   C = cov(x, y),   m += K (measured - mean of y),   P = cov(x) - K S K^T
//
// [JulierUhlmann2004; Druecker2022, section 4.2.3]. cov(x) is that of the new points: with the predicted P instead, which has
// parts off the constraints, the difference becomes indefinite.
#include "daedal/base/lu.hpp"
#include "daedal/control/nonlinear_filter_numbers.hpp"
#include "daedal/system/evaluation.hpp"
#include "daedal/system/point.hpp"
#include "daedal/system/problem_system.hpp"
#include "filter_parts.hpp"
#include "refuse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace daedal::feedback {

namespace {

using Vector = std::vector<double>;

class NonlinearFilter final : public model::Estimator {
 public:
  explicit NonlinearFilter(std::shared_ptr<const NonlinearFilterNumbers> numbers)
      : numbers_(std::move(numbers)),
        options_(numbers_->options),
        problem_(numbers_->problem()),
        position_(numbers_->states),
        point_(numbers_->point),
        rates_(problem_.states),
        process_(SmallMatrix::squares(options_.process)),
        noise_(SmallMatrix::squares(options_.noise)),
        covariance_(SmallMatrix::squares(options_.start)) {
    const double* const sample = numbers_->point.data();
    if (problem_.inputs.rows > 0)
      inputs_.emplace(problem_.inputs, problem_.layout, sample, compile::Options{});
    if (numbers_->motion)
      motion_.emplace(problem_, *numbers_->motion, sample);
    else
      system_.emplace(problem_, numbers_->prepared->start.t, numbers_->prepared->start.states,
                      numbers_->prepared->start.tops,
                      solve::ProblemSystem::Options{.implicit = false, .series = false});
    measurement_.emplace(numbers_->dae->outputs, problem_.layout, sample, compile::Options{});
    for (const FilterLevel& level : numbers_->levels) tangents_.emplace_back(*this, level);
    mean_ = given();
    estimates_ = shown(mean_, covariance_, 1);
  }

  std::string sample(double t, std::span<const double> inputs, std::span<const double> measured,
                     std::span<const std::uint8_t> fresh) override {
    time_ = t;
    give(inputs);
    const bool unscented = options_.kind == FilterKind::unscented;
    try {
      unscented ? predict_points(t) : predict_differences(t);
      Correction correction;
      correction.rows = fresh_rows(fresh);
      if (!correction.rows.empty())
        unscented ? correct_points(t, measured, correction)
                  : correct_differences(t, measured, correction);
    } catch (const BreakDown& fault) {
      return fault.why;
    }
    estimates_ = shown(mean_, covariance_, normalised_);
    return {};
  }

  std::span<const double> estimates() const override { return estimates_; }

  model::EstimationError error_of(std::span<const double> states) override {
    const SmallMatrix basis = tangent_basis(time_);
    Vector error(basis.columns());
    for (std::size_t j = 0; j < error.size(); ++j)
      for (std::size_t i = 0; i < states.size(); ++i)
        error[j] += basis(i, j) * (states[i] - mean_[i]);
    return normalised_error(basis.transposed() * (covariance_ * basis), std::move(error));
  }

  /// By central differences of what it does itself from one sample to the next. Throws ModelError.
  model::LinearObserver linear_at(std::span<const double> x, std::span<const double> v) {
    try {
      return differences_at(x, v);
    } catch (const BreakDown& fault) {
      refuse(*problem_.dae,
             fmt::format("model '{}': at rest its motion is not defined: {}",
                         problem_.dae->model->name, fault.why),
             "");
    }
  }

 private:
  struct BreakDown {
    std::string why;
  };
  static void require(bool well, const char* why) {
    if (!well) throw BreakDown{why};
  }
  static void require(solve::Failure failure, const char* where) {
    if (failure != solve::Failure::none)
      throw BreakDown{fmt::format("{} {}", solve::describe(failure), where)};
  }
  static constexpr const char* indefinite = "its covariance is no longer positive definite";

  // ---- the mechanism

  struct Tangent {
    Tangent(const NonlinearFilter& filter, const FilterLevel& held)
        : level(held.level),
          states(held.states),
          jacobian(level->jacobian.values, filter.problem_.layout, filter.point_.data(), {}),
          residual(level->residual, filter.problem_.layout, filter.point_.data(), {}),
          entries(level->jacobian.column.size()) {
      if (filter.options_.kind == FilterKind::extended && level->metric.entries() > 0)
        metric.emplace(level->metric.values, filter.problem_.layout, filter.point_.data(),
                       compile::Options{});
    }
    const formulate::Level* level;
    std::vector<std::size_t> states;  // that may move on it
    solve::Evaluation jacobian, residual;
    std::optional<solve::Evaluation> metric;
    Vector entries;
  };

  void take(const Vector& x) {
    for (std::size_t i = 0; i < x.size(); ++i) point_[position_[i]] = x[i];
  }
  Vector given() const {
    Vector x(position_.size());
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = point_[position_[i]];
    return x;
  }
  /// The point, with time and inputs in place.
  const double* at(double t) {
    point_[0] = t;
    if (inputs_) (*inputs_)(point_.data(), point_.data() + problem_.first_input);
    return point_.data();
  }

  Vector on_constraints(double t, const Vector& x) {
    take(x);
    put_back(t, "at a point near its estimate");
    return given();
  }

  /// Points of the unscented filter along the normals, x -= J^T (J J^T)^-1 c, positions first [Druecker2022, section 4.2.3]:
  /// that is the metric in which the basis is orthonormal. The extended filter takes the metric of the masses, in which driven
  /// coordinates stay, as a run does.
  void put_back(double t, const char* where) {
    for (Tangent& tangent : tangents_) {
      double largest = std::numeric_limits<double>::infinity();
      for (int k = 0; largest > near_constraints; ++k) {
        if (k == most_returns) require(solve::Failure::cannot_project, where);
        const double* const point = at(t);
        const SmallMatrix j = jacobian_of(tangent, point);
        Vector c(j.rows());
        tangent.residual(point, c.data());
        const Vector correction = options_.kind == FilterKind::extended
                                      ? by_masses(tangent, point, j, c, where)
                                      : along_normals(j, c, where);
        largest = 0;
        for (std::size_t i = 0; i < correction.size(); ++i) {
          double& x = point_[position_[tangent.states[i]]];
          largest = std::max(largest, std::abs(correction[i]) / std::max(1.0, std::abs(x)));
          x -= correction[i];
        }
        if (!std::isfinite(largest)) require(solve::Failure::not_finite, where);
      }
    }
  }

  static Vector along_normals(const SmallMatrix& j, Vector& c, const char* where) {
    SmallMatrix normal = j * j.transposed();
    if (!factor(normal)) require(solve::Failure::singular_matrix, where);
    feedback::solve(normal, c);
    Vector correction(j.columns());
    for (std::size_t i = 0; i < correction.size(); ++i)
      for (std::size_t row = 0; row < c.size(); ++row) correction[i] += j(row, i) * c[row];
    return correction;
  }

  /// [W J^T; J 0] (x, mu) = (0, c), see daedal/system/level_projection.hpp.
  Vector by_masses(Tangent& tangent, const double* point, const SmallMatrix& j, const Vector& c,
                   const char* where) {
    const formulate::Level& level = *tangent.level;
    const std::vector<std::uint32_t> free = movable_columns(level);
    const std::vector<double> diagonal = unweighted_diagonal(problem_, level);
    const auto n = static_cast<Eigen::Index>(free.size()), m = static_cast<Eigen::Index>(c.size());
    Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(n + m, n + m);
    Eigen::VectorXd right = Eigen::VectorXd::Zero(n + m);
    Vector entries(level.metric.entries());
    if (tangent.metric) (*tangent.metric)(point, entries.data());
    SmallMatrix metric(j.columns(), j.columns());
    for (std::uint32_t i = 0; i < level.metric.rows; ++i)
      for (std::uint32_t e = level.metric.row_start[i]; e < level.metric.row_start[i + 1]; ++e)
        metric(i, level.metric.column[e]) = entries[e];
    for (std::size_t i = 0; i < diagonal.size(); ++i)
      if (diagonal[i] != 0) metric(i, i) = diagonal[i];
    for (Eigen::Index i = 0; i < n; ++i) {
      const std::uint32_t row = free[static_cast<std::size_t>(i)];
      for (Eigen::Index k = 0; k < n; ++k)
        matrix(i, k) = metric(row, free[static_cast<std::size_t>(k)]);
      for (Eigen::Index k = 0; k < m; ++k)
        matrix(i, n + k) = matrix(n + k, i) = j(static_cast<std::size_t>(k), row);
    }
    for (Eigen::Index k = 0; k < m; ++k) right[n + k] = c[static_cast<std::size_t>(k)];
    if (!solve_scaled(matrix, right)) require(solve::Failure::singular_matrix, where);
    Vector correction(j.columns());
    for (Eigen::Index i = 0; i < n; ++i) correction[free[static_cast<std::size_t>(i)]] = right[i];
    return correction;
  }

  /// Rates of all states but the integral of the power, at the point.
  void rates_at(double t) {
    constexpr const char* where = "at a point near its estimate";
    at(t);
    if (!motion_) {
      require(system_->derivative(t, point_.data() + problem_.state_position(0),
                                  point_.data() + problem_.top_position(0), rates_.data()),
              where);
      return;
    }
    require((*motion_)(point_.data()), where);
    for (std::uint32_t i = 0; i < problem_.states; ++i) rates_[i] = point_[problem_.next[i]];
  }

  /// The commands that act after the delay within a period, and those that act until then.
  void give(std::span<const double> inputs) {
    later_ = inputs.first(numbers_->inputs.size());
    if (numbers_->between > 0) before_ = inputs.last(numbers_->inputs.size());
    act(later_);
  }
  void act(std::span<const double> inputs) {
    for (std::size_t k = 0; k < inputs.size(); ++k) point_[numbers_->inputs[k]] = inputs[k];
    if (system_)
      system_->hold({point_.data() + problem_.first_held_value, problem_.held_values.size()});
  }

  /// From the sample before t, with the inputs that act.
  Vector moved(double t, const Vector& x) {
    take(x);
    const int steps = std::max(1, options_.substeps);
    const double begin = t - options_.period, between = numbers_->between;
    if (between == 0) {
      move(begin, options_.period, steps);
      return given();
    }
    const double part = between / options_.period * steps;
    act(before_);
    move(begin, between, std::max(1, static_cast<int>(std::ceil(part))));
    act(later_);
    move(begin + between, options_.period - between,
         std::max(1, static_cast<int>(std::ceil(steps - part))));
    return given();
  }

  /// The classical method of order 4, with the inputs held.
  void move(double begin, double duration, int steps) {
    const double h = duration / steps;
    double* const states = point_.data() + problem_.state_position(0);
    for (int k = 0; k < steps; ++k) {
      const double from = begin + k * h;
      const Vector s(states, states + problem_.states);
      Vector sum(s.size());
      constexpr double nodes[] = {0, 0.5, 0.5, 1}, weights[] = {1, 2, 2, 1};
      for (std::size_t i = 0; i < 4; ++i) {
        if (i > 0)
          for (std::size_t j = 0; j < s.size(); ++j) states[j] = s[j] + nodes[i] * h * rates_[j];
        rates_at(from + nodes[i] * h);
        for (std::size_t j = 0; j < s.size(); ++j) sum[j] += weights[i] * rates_[j];
      }
      for (std::size_t j = 0; j < s.size(); ++j) states[j] = s[j] + h / 6 * sum[j];
      put_back(from + h, "at a point that it predicts");
    }
  }

  Vector measured_at(double t, const Vector& x) {
    take(x);
    rates_at(t);
    Vector y(measurement_->rows());
    (*measurement_)(point_.data(), y.data());
    for (const double entry : y)
      require(std::isfinite(entry), "what it expects to measure is not a number");
    return y;
  }

  static SmallMatrix jacobian_of(Tangent& tangent, const double* point) {
    tangent.jacobian(point, tangent.entries.data());
    const expr::SparseFunction& pattern = tangent.level->jacobian;
    SmallMatrix j(pattern.rows, tangent.states.size());
    for (std::uint32_t i = 0; i < pattern.rows; ++i)
      for (std::uint32_t e = pattern.row_start[i]; e < pattern.row_start[i + 1]; ++e)
        j(i, pattern.column[e]) = tangent.entries[e];
    return j;
  }

  /// Columns span the directions in which errors lie.
  SmallMatrix tangent_basis(double t) {
    const std::size_t n = mean_.size();
    std::vector<bool> free(n, true);
    take(mean_);
    std::vector<std::pair<const Tangent*, SmallMatrix>> blocks;
    std::size_t columns = n;
    for (Tangent& tangent : tangents_) {
      const SmallMatrix j = jacobian_of(tangent, at(t));
      for (const std::size_t state : tangent.states) free[state] = false;
      columns -= j.rows();
      blocks.emplace_back(&tangent, null_space(j));
    }
    SmallMatrix basis(n, columns);
    std::size_t column = 0;
    for (std::size_t i = 0; i < n; ++i)
      if (free[i]) basis(i, column++) = 1;
    for (const auto& [tangent, block] : blocks)
      for (std::size_t c = 0; c < block.columns(); ++c, ++column)
        for (std::size_t i = 0; i < block.rows(); ++i)
          basis(tangent->states[i], column) = block(i, c);
    return blocks.empty() ? basis : trapezoidal(basis);
  }

  // ---- unscented

  /// The mean first.
  std::vector<Vector> points(double t) {
    const SmallMatrix basis = tangent_basis(t);
    SmallMatrix root = basis.transposed() * (covariance_ * basis);
    require(factor(root), indefinite);
    const SmallMatrix directions = basis * root;
    const double reach = unscented_weights(options_, basis.columns()).reach;
    std::vector<Vector> found{mean_};
    for (const double sign : {1.0, -1.0})
      for (std::size_t c = 0; c < directions.columns(); ++c) {
        Vector x = mean_;
        for (std::size_t i = 0; i < x.size(); ++i) x[i] += sign * reach * directions(i, c);
        found.push_back(on_constraints(t, x));
      }
    return found;
  }

  static Vector mean_of(const std::vector<Vector>& x, const UnscentedWeights& w) {
    Vector mean(x[0].size());
    for (std::size_t i = 0; i < mean.size(); ++i) {
      double sum = 0;
      for (std::size_t k = 1; k < x.size(); ++k) sum += x[k][i];
      mean[i] = w.mean * x[0][i] + w.other * sum;
    }
    return mean;
  }

  static SmallMatrix covariance_of(const std::vector<Vector>& x, const Vector& x_mean,
                                   const std::vector<Vector>& y, const Vector& y_mean,
                                   const UnscentedWeights& w) {
    SmallMatrix p(x_mean.size(), y_mean.size());
    Vector dx(x_mean.size()), dy(y_mean.size());
    for (std::size_t k = 0; k < x.size(); ++k) {
      for (std::size_t i = 0; i < dx.size(); ++i) dx[i] = x[k][i] - x_mean[i];
      for (std::size_t i = 0; i < dy.size(); ++i) dy[i] = y[k][i] - y_mean[i];
      add_product(p, k == 0 ? w.covariance : w.other, dx, dy);
    }
    return p;
  }

  void predict_points(double t) {
    std::vector<Vector> x = points(t - options_.period);
    const UnscentedWeights w = unscented_weights(options_, (x.size() - 1) / 2);
    for (Vector& point : x) point = moved(t, point);
    mean_ = on_constraints(t, mean_of(x, w));
    covariance_ = covariance_of(x, mean_, x, mean_, w) + process_;
  }

  void correct_points(double t, std::span<const double> measured, Correction& correction) {
    const std::vector<Vector> x = points(t);
    const UnscentedWeights w = unscented_weights(options_, (x.size() - 1) / 2);
    std::vector<Vector> y;
    for (const Vector& point : x) y.push_back(of_rows(measured_at(t, point), correction.rows));
    const Vector y_mean = mean_of(y, w);
    finish(t, measured, y_mean, covariance_of(y, y_mean, y, y_mean, w),
           covariance_of(x, mean_, y, y_mean, w), covariance_of(x, mean_, x, mean_, w), correction);
  }

  // ---- extended

  /// Columns: how `of` changes along those of `basis`.
  template <class Of>
  SmallMatrix differences(double t, const SmallMatrix& basis, std::size_t rows, Of of) {
    SmallMatrix result(rows, basis.columns());
    for (std::size_t c = 0; c < basis.columns(); ++c) {
      Vector sides[2];
      for (std::size_t side = 0; side < 2; ++side) {
        Vector x = mean_;
        for (std::size_t i = 0; i < x.size(); ++i)
          x[i] += (side == 0 ? difference_reach : -difference_reach) * basis(i, c);
        sides[side] = of(on_constraints(t, x));
      }
      for (std::size_t i = 0; i < rows; ++i)
        result(i, c) = (sides[0][i] - sides[1][i]) / (2 * difference_reach);
    }
    return result;
  }

  void predict_differences(double t) {
    const double before = t - options_.period;
    const SmallMatrix basis = tangent_basis(before);
    const SmallMatrix errors = basis.transposed() * (covariance_ * basis);
    const SmallMatrix f =
        differences(before, basis, mean_.size(), [&](const Vector& x) { return moved(t, x); });
    mean_ = moved(t, mean_);
    covariance_ = f * (errors * f.transposed()) + process_;
    make_symmetric(covariance_);
  }

  void correct_differences(double t, std::span<const double> measured, Correction& correction) {
    const SmallMatrix basis = tangent_basis(t);
    const SmallMatrix errors = basis.transposed() * (covariance_ * basis);
    const SmallMatrix h = differences(t, basis, correction.rows.size(), [&](const Vector& x) {
      return of_rows(measured_at(t, x), correction.rows);
    });
    const SmallMatrix along = basis * errors;
    finish(t, measured, of_rows(measured_at(t, mean_), correction.rows),
           h * (errors * h.transposed()), along * h.transposed(), along * basis.transposed(),
           correction);
  }

  // ---- linear

  static Vector entries_of(const SmallMatrix& m) {
    return m.rows() == 0 ? Vector() : Vector(m.row(0), m.row(0) + m.rows() * m.columns());
  }

  /// How what `of` finds changes with each input.
  template <class Of>
  SmallMatrix along_inputs(std::span<const double> v, std::size_t rows, Of of) {
    SmallMatrix result(rows, v.size());
    Vector inputs(v.begin(), v.end());
    for (std::size_t c = 0; c < v.size(); ++c) {
      Vector sides[2];
      for (std::size_t side = 0; side < 2; ++side) {
        inputs[c] = v[c] + (side == 0 ? difference_reach : -difference_reach);
        give(inputs);
        sides[side] = of();
      }
      inputs[c] = v[c];
      for (std::size_t i = 0; i < rows; ++i)
        result(i, c) = (sides[0][i] - sides[1][i]) / (2 * difference_reach);
    }
    give(v);
    return result;
  }

  model::LinearObserver differences_at(std::span<const double> x, std::span<const double> v) {
    const double t = numbers_->prepared->start.t + options_.period;
    give(v);
    mean_ = on_constraints(t, Vector(x.begin(), x.end()));
    const SmallMatrix basis = tangent_basis(t), to_s = basis.transposed();
    const Vector after = moved(t, mean_), seen = measured_at(t, mean_);
    const std::size_t n = mean_.size(), outputs = seen.size();
    model::LinearObserver made;
    made.states = basis.columns();
    made.a =
        entries_of(to_s * differences(t, basis, n, [&](const Vector& at) { return moved(t, at); }));
    made.b = entries_of(to_s * along_inputs(v, n, [&] { return moved(t, mean_); }));
    made.h = entries_of(
        differences(t, basis, outputs, [&](const Vector& at) { return measured_at(t, at); }));
    made.j = entries_of(along_inputs(v, outputs, [&] { return measured_at(t, mean_); }));
    made.basis = entries_of(basis);
    made.process = entries_of(to_s * (process_ * basis));
    made.noise = entries_of(noise_);
    made.x = mean_;
    made.v.assign(v.begin(), v.end());
    made.y = seen;
    for (std::size_t k = 0; k < made.states; ++k) {
      double drift = 0;
      for (std::size_t i = 0; i < n; ++i) drift += basis(i, k) * (after[i] - mean_[i]);
      made.drift.push_back(drift);
    }
    return made;
  }

  // ---- both

  static Vector of_rows(const Vector& y, const std::vector<std::size_t>& rows) {
    Vector chosen;
    for (const std::size_t row : rows) chosen.push_back(y[row]);
    return chosen;
  }

  void finish(double t, std::span<const double> measured, const Vector& expected, SmallMatrix own,
              const SmallMatrix& cross, const SmallMatrix& of_points, Correction& correction) {
    for (std::size_t i = 0; i < correction.rows.size(); ++i) {
      const std::size_t row = correction.rows[i];
      own(i, i) += noise_(row, row);
      correction.innovation.push_back(measured[row] - expected[i]);
    }
    require(correct(correction, own, cross), indefinite);
    Vector x = mean_;
    for (std::size_t i = 0; i < x.size(); ++i)
      for (std::size_t j = 0; j < correction.innovation.size(); ++j)
        x[i] += correction.gain(i, j) * correction.innovation[j];
    mean_ = on_constraints(t, x);
    covariance_ = of_points;
    reduce(covariance_, correction);
    normalised_ = correction.normalised;
  }

  std::shared_ptr<const NonlinearFilterNumbers> numbers_;
  std::span<const double> later_, before_;  // of the sample
  const FilterOptions& options_;
  const formulate::Problem& problem_;
  const std::vector<std::uint32_t>& position_;  // in the point, by entry of the mean
  Vector point_, rates_;                        // as the problem lays them out
  std::optional<solve::Evaluation> inputs_, measurement_;
  std::optional<MotionSolver> motion_;
  std::optional<solve::ProblemSystem> system_;  // where equations are too large for that
  std::vector<Tangent> tangents_;
  Vector mean_, estimates_;
  SmallMatrix process_, noise_, covariance_;
  double normalised_ = 1;
  double time_ = 0;  // [s], of the last sample
};

class NonlinearDesign final : public model::ObserverDesign {
 public:
  explicit NonlinearDesign(NonlinearFilterNumbers numbers)
      : numbers_(std::make_shared<const NonlinearFilterNumbers>(std::move(numbers))) {}
  std::unique_ptr<model::Estimator> begin() const override {
    return std::make_unique<NonlinearFilter>(numbers_);
  }
  model::LinearObserver linear_at(std::span<const double> x,
                                  std::span<const double> v) const override {
    return NonlinearFilter(numbers_).linear_at(x, v);
  }
  const NonlinearFilterNumbers& numbers() const { return *numbers_; }

 private:
  std::shared_ptr<const NonlinearFilterNumbers> numbers_;
};

/// t, states and tops of the start, parameters, and inputs that follow from these.
Vector start_point(const solve::Prepared& prepared) {
  const formulate::Problem& problem = prepared.problem;
  Vector point = solve::empty_point(problem);
  const solve::ConsistentPoint& start = prepared.start;
  point[0] = start.t;
  std::ranges::copy(start.states, point.begin() + problem.state_position(0));
  std::ranges::copy(start.tops, point.begin() + problem.top_position(0));
  if (problem.inputs.rows > 0)
    solve::Evaluation(problem.inputs, problem.layout, point.data(), solve::tape_only())(
        point.data(), point.data() + problem.first_input);
  return point;
}

std::vector<FilterLevel> levels_of(const formulate::Problem& problem,
                                   const std::vector<std::uint32_t>& states) {
  std::vector<FilterLevel> levels;
  for (const formulate::Level& level : problem.levels) {
    if (level.rows() == 0) continue;
    levels.push_back({&level, {}});
    for (const std::uint32_t position : level.unknowns)
      levels.back().states.push_back(
          static_cast<std::size_t>(std::ranges::find(states, position) - states.begin()));
  }
  std::ranges::sort(levels, {}, [](const FilterLevel& level) { return level.level->level; });
  return levels;
}

}  // namespace

std::vector<std::uint32_t> movable_columns(const formulate::Level& level) {
  std::vector<std::uint32_t> columns;
  for (std::uint32_t c = 0; c < level.unknowns.size(); ++c)
    if (level.movable.empty() || level.movable[c]) columns.push_back(c);
  return columns;
}

std::vector<double> unweighted_diagonal(const formulate::Problem& problem,
                                        const formulate::Level& level) {
  std::vector<double> diagonal(level.unknowns.size());
  for (std::uint32_t i = 0; i < diagonal.size(); ++i) {
    const bool weighted =
        i < level.metric.rows && level.metric.row_start[i + 1] > level.metric.row_start[i];
    const double nominal = solve::nominal_at(problem, level.unknowns[i]);
    if (!weighted) diagonal[i] = 1 / (nominal * nominal);
  }
  return diagonal;
}

UnscentedWeights unscented_weights(const FilterOptions& options, std::size_t n) {
  const double a2 = options.alpha * options.alpha, size = static_cast<double>(n);
  const double whole = a2 * (size + options.kappa), lambda = whole - size;
  return {lambda / whole, lambda / whole + 1 - a2 + options.beta, 1 / (2 * whole),
          std::sqrt(whole)};
}

const NonlinearFilterNumbers* nonlinear_filter_numbers(const model::ObserverDesign& design) {
  const auto* const nonlinear = dynamic_cast<const NonlinearDesign*>(&design);
  return nonlinear == nullptr ? nullptr : &nonlinear->numbers();
}

std::shared_ptr<const model::ObserverDesign> nonlinear_filter(
    const FilterPlant& plant, const FilterOptions& options, double between,
    const std::shared_ptr<const solve::Prepared>& prepared) {
  const formulate::Problem& problem = prepared->problem;
  NonlinearFilterNumbers numbers;
  numbers.options = options;
  numbers.options.substeps = std::max(1, options.substeps);
  numbers.between = between;
  numbers.dae = plant.dae;
  numbers.prepared = prepared;
  for (const expr::Leaf& leaf : plant.states) numbers.states.push_back(problem.layout.find(leaf));
  for (const expr::SymbolId symbol : plant.held)
    numbers.inputs.push_back(problem.layout.find({symbol, 0}));
  numbers.point = start_point(*prepared);
  numbers.levels = levels_of(problem, numbers.states);
  numbers.motion = filter_motion(problem, numbers.point);
  return std::make_shared<NonlinearDesign>(std::move(numbers));
}

}  // namespace daedal::feedback
