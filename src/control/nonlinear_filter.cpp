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
#include "daedal/system/evaluation.hpp"
#include "daedal/system/problem_system.hpp"
#include "filter_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace daedal::feedback {

namespace {

using Vector = std::vector<double>;

class NonlinearFilter final : public model::Estimator {
 public:
  NonlinearFilter(const FilterPlant& plant, const FilterOptions& options,
                  std::shared_ptr<const solve::Prepared> prepared)
      : options_(options),
        prepared_(std::move(prepared)),
        problem_(prepared_->problem),
        system_(problem_, prepared_->start.t, prepared_->start.states, prepared_->start.tops,
                {.implicit = false, .series = false}),
        held_(problem_.held_values),
        states_(prepared_->start.states),
        tops_(prepared_->start.tops),
        rates_(problem_.states),
        process_(SmallMatrix::squares(options.process)),
        noise_(SmallMatrix::squares(options.noise)),
        covariance_(SmallMatrix::squares(options.start)) {
    for (const expr::SymbolId symbol : plant.held)
      inputs_.push_back(problem_.layout.find({symbol, 0}) - problem_.first_held_value);
    for (const expr::Leaf& leaf : plant.states)
      position_.push_back(problem_.layout.find(leaf) - problem_.state_position(0));
    for (const std::uint32_t position : position_) mean_.push_back(states_[position]);
    compile_measurement(plant);
    estimates_ = shown(mean_, covariance_, 1);
  }

  std::string sample(double t, std::span<const double> inputs, std::span<const double> measured,
                     std::span<const std::uint8_t> fresh) override {
    time_ = t;
    for (std::size_t k = 0; k < inputs.size(); ++k) held_[inputs_[k]] = inputs[k];
    system_.hold(held_);
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

  void compile_measurement(const FilterPlant& plant) {
    const double* const sample = system_.point_at(prepared_->start.t, states_.data(), tops_.data());
    const std::vector<double> here(sample, sample + problem_.layout.size());
    measurement_.emplace(plant.dae->outputs, problem_.layout, here.data(), compile::Options{});
    for (const formulate::Level& level : problem_.levels) {
      if (level.rows() == 0) continue;
      Tangent tangent{&level,
                      {},
                      {level.jacobian.values, problem_.layout, here.data(), {}},
                      {},
                      {level.residual, problem_.layout, here.data(), {}}};
      for (const std::uint32_t position : level.unknowns) {
        const auto state =
            std::find(position_.begin(), position_.end(), position - problem_.state_position(0));
        tangent.states.push_back(static_cast<std::size_t>(state - position_.begin()));
      }
      tangent.entries.resize(level.jacobian.column.size());
      tangents_.push_back(std::move(tangent));
    }
    std::ranges::sort(tangents_, {}, [](const Tangent& tangent) { return tangent.level->level; });
  }

  void take(const Vector& x) {
    for (std::size_t i = 0; i < x.size(); ++i) states_[position_[i]] = x[i];
  }
  Vector given() const {
    Vector x(position_.size());
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = states_[position_[i]];
    return x;
  }

  Vector on_constraints(double t, const Vector& x) {
    take(x);
    put_back(t, "at a point near its estimate");
    return given();
  }

  /// Points of the unscented filter along the normals, x -= J^T (J J^T)^-1 c, positions first [Druecker2022, section 4.2.3]:
  /// that is the metric in which the basis is orthonormal. A run, and the mean of the extended filter, take the metric of the
  /// masses, in which driven coordinates stay.
  void put_back(double t, const char* where) {
    if (options_.kind == FilterKind::extended) {
      if (system_.projects()) require(system_.project(t, states_.data()), where);
      return;
    }
    constexpr double near = 1e-9;  // relative: the next correction would be its square
    constexpr int most = 20;
    for (Tangent& tangent : tangents_) {
      double largest = std::numeric_limits<double>::infinity();
      for (int k = 0; largest > near; ++k) {
        if (k == most) require(solve::Failure::cannot_project, where);
        const double* const point = system_.point_at(t, states_.data(), tops_.data());
        const SmallMatrix j = jacobian_of(tangent, point);
        Vector c(j.rows());
        tangent.residual(point, c.data());
        SmallMatrix normal = j * j.transposed();
        if (!factor(normal)) require(solve::Failure::singular_matrix, where);
        feedback::solve(normal, c);
        largest = 0;
        for (std::size_t i = 0; i < tangent.states.size(); ++i) {
          double correction = 0;
          for (std::size_t row = 0; row < c.size(); ++row) correction += j(row, i) * c[row];
          double& x = states_[position_[tangent.states[i]]];
          largest = std::max(largest, std::abs(correction) / std::max(1.0, std::abs(x)));
          x -= correction;
        }
        if (!std::isfinite(largest)) require(solve::Failure::not_finite, where);
      }
    }
  }

  void rates_at(double t, const Vector& s) {
    require(system_.derivative(t, s.data(), tops_.data(), rates_.data()),
            "at a point near its estimate");
  }

  /// The classical method of order 4, with the inputs held.
  Vector moved(double t, const Vector& x) {
    take(x);
    const int steps = std::max(1, options_.substeps);
    const double h = options_.period / steps;
    const double begin = t - options_.period;
    for (int k = 0; k < steps; ++k) {
      const double from = begin + k * h;
      const Vector s = states_;
      Vector sum(s.size()), stage = s;
      constexpr double nodes[] = {0, 0.5, 0.5, 1}, weights[] = {1, 2, 2, 1};
      for (std::size_t i = 0; i < 4; ++i) {
        if (i > 0)
          for (std::size_t j = 0; j < s.size(); ++j) stage[j] = s[j] + nodes[i] * h * rates_[j];
        rates_at(from + nodes[i] * h, stage);
        for (std::size_t j = 0; j < s.size(); ++j) sum[j] += weights[i] * rates_[j];
      }
      for (std::size_t j = 0; j < s.size(); ++j) states_[j] = s[j] + h / 6 * sum[j];
      put_back(from + h, "at a point that it predicts");
    }
    return given();
  }

  Vector measured_at(double t, const Vector& x) {
    take(x);
    rates_at(t, states_);
    Vector y(measurement_->rows());
    (*measurement_)(system_.point_at(t, states_.data(), tops_.data()), y.data());
    for (const double entry : y)
      require(std::isfinite(entry), "what it expects to measure is not a number");
    return y;
  }

  struct Tangent {
    const formulate::Level* level;
    std::vector<std::size_t> states;  // that may move on it
    solve::Evaluation jacobian;
    Vector entries;
    solve::Evaluation residual;
  };

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
      const SmallMatrix j = jacobian_of(tangent, system_.point_at(t, states_.data(), tops_.data()));
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

  /// Of n directions: the weights of the mean in means and in covariances, that of each other point, and how far these are.
  struct Weights {
    double mean, covariance, other, reach;
  };
  Weights weights(std::size_t n) const {
    const double a2 = options_.alpha * options_.alpha, size = static_cast<double>(n);
    const double whole = a2 * (size + options_.kappa), lambda = whole - size;
    return {lambda / whole, lambda / whole + 1 - a2 + options_.beta, 1 / (2 * whole),
            std::sqrt(whole)};
  }

  /// The mean first.
  std::vector<Vector> points(double t) {
    const SmallMatrix basis = tangent_basis(t);
    SmallMatrix root = basis.transposed() * (covariance_ * basis);
    require(factor(root), indefinite);
    const SmallMatrix directions = basis * root;
    const double reach = weights(basis.columns()).reach;
    std::vector<Vector> found{mean_};
    for (const double sign : {1.0, -1.0})
      for (std::size_t c = 0; c < directions.columns(); ++c) {
        Vector x = mean_;
        for (std::size_t i = 0; i < x.size(); ++i) x[i] += sign * reach * directions(i, c);
        found.push_back(on_constraints(t, x));
      }
    return found;
  }

  static Vector mean_of(const std::vector<Vector>& x, const Weights& w) {
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
                                   const Weights& w) {
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
    const Weights w = weights((x.size() - 1) / 2);
    for (Vector& point : x) point = moved(t, point);
    mean_ = on_constraints(t, mean_of(x, w));
    covariance_ = covariance_of(x, mean_, x, mean_, w) + process_;
  }

  void correct_points(double t, std::span<const double> measured, Correction& correction) {
    const std::vector<Vector> x = points(t);
    const Weights w = weights((x.size() - 1) / 2);
    std::vector<Vector> y;
    for (const Vector& point : x) y.push_back(of_rows(measured_at(t, point), correction.rows));
    const Vector y_mean = mean_of(y, w);
    finish(t, measured, y_mean, covariance_of(y, y_mean, y, y_mean, w),
           covariance_of(x, mean_, y, y_mean, w), covariance_of(x, mean_, x, mean_, w), correction);
  }

  // ---- extended

  /// Central differences lose no more than that to rounding and curvature.
  static constexpr double relative_reach = 1e-5;

  /// Columns: how `of` changes along those of `basis`.
  template <class Of>
  SmallMatrix differences(double t, const SmallMatrix& basis, std::size_t rows, Of of) {
    SmallMatrix result(rows, basis.columns());
    for (std::size_t c = 0; c < basis.columns(); ++c) {
      Vector sides[2];
      for (std::size_t side = 0; side < 2; ++side) {
        Vector x = mean_;
        for (std::size_t i = 0; i < x.size(); ++i)
          x[i] += (side == 0 ? relative_reach : -relative_reach) * basis(i, c);
        sides[side] = of(on_constraints(t, x));
      }
      for (std::size_t i = 0; i < rows; ++i)
        result(i, c) = (sides[0][i] - sides[1][i]) / (2 * relative_reach);
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

  FilterOptions options_;
  std::shared_ptr<const solve::Prepared> prepared_;
  const formulate::Problem& problem_;
  solve::ProblemSystem system_;
  Vector held_, states_, tops_, rates_;  // as the problem lays them out
  std::vector<std::size_t> inputs_;      // of held_
  std::vector<std::uint32_t> position_;  // of states_, by entry of the mean
  std::optional<solve::Evaluation> measurement_;
  std::vector<Tangent> tangents_;
  Vector mean_, estimates_;
  SmallMatrix process_, noise_, covariance_;
  double normalised_ = 1;
  double time_ = 0;  // [s], of the last sample
};

class NonlinearDesign final : public model::ObserverDesign {
 public:
  NonlinearDesign(FilterPlant plant, FilterOptions options,
                  std::shared_ptr<const solve::Prepared> prepared)
      : plant_(std::move(plant)), options_(std::move(options)), prepared_(std::move(prepared)) {}
  std::unique_ptr<model::Estimator> begin() const override {
    return std::make_unique<NonlinearFilter>(plant_, options_, prepared_);
  }

 private:
  FilterPlant plant_;
  FilterOptions options_;
  std::shared_ptr<const solve::Prepared> prepared_;
};

}  // namespace

std::shared_ptr<const model::ObserverDesign> nonlinear_filter(
    const FilterPlant& plant, const FilterOptions& options,
    const std::shared_ptr<const solve::Prepared>& prepared) {
  return std::make_shared<NonlinearDesign>(plant, options, prepared);
}

}  // namespace daedal::feedback
