// See daedal/run/reference.hpp.

#include "daedal/run/reference.hpp"

#include "daedal/system/level_projection.hpp"
#include "daedal/system/point.hpp"
#include "daedal/system/problem_system.hpp"
#include "daedal/system/series.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

namespace daedal::solve {

namespace {

using compile::Quad;

constexpr int order = 50;  // near -ln(1e-30) * 3/4
constexpr Quad quad_rounding = 1e-33;
/// A correction below this one that does not lessen any more is what rounding leaves in badly conditioned equations.
constexpr Quad quad_stalled = 1e-27;

Quad magnitude(Quad a) { return a < 0 ? -a : a; }

class ReferenceRun {
 public:
  ReferenceRun(const formulate::Problem& problem, const ConsistentPoint& start, double tolerance)
      : problem_(problem),
        tolerance_(tolerance),
        system_(problem, start.t, start.states, start.tops,
                {.implicit = false, .compile = {compile::Backend::tape}}),
        series_(problem, formulate::jet_program(problem), order),
        t_(start.t),
        s_(start.states.begin(), start.states.end()),
        z_(start.tops.begin(), start.tops.end()),
        coefficients_((order + 1) * (problem.states + problem.algebraic())) {
    const double* const point = point_here();
    const std::span<const double> sample(point, problem.layout.size());
    const compile::Options tape{compile::Backend::tape};
    solver_ = compile::compile_solver(problem.top_matrix, {problem.tops, {}}, problem.layout,
                                      sample, tape);
    solver_->prepare(point);
    if (problem.formulation.kind == formulate::Kind::projection)
      for (const formulate::Level& level : problem.levels)
        projections_.push_back(
            std::make_unique<LevelProjection>(problem, level, sample, tape, shared_jet(problem)));
  }

  ReferenceTrajectory run(std::span<const double> times) {
    ReferenceTrajectory result;
    result.failure = settle();
    for (const double time : times) {
      while (result.failure == Failure::none && t_ < time) result.failure = step(time);
      if (result.failure != Failure::none) break;
      result.rows.push_back({time, s_, z_});
    }
    return result;
  }

 private:
  const double* point_here() {
    const std::vector<double> s(s_.begin(), s_.end()), z(z_.begin(), z_.end());
    return system_.point_at(static_cast<double>(t_), s.data(), z.data());
  }

  /// Constraints, tops and series at (t_, s_).
  Failure settle() {
    for (std::size_t k = 0; k < projections_.size(); ++k)
      if (const Failure failure = project(k); failure != Failure::none) return failure;
    for (int round = 0; round < 8; ++round) {
      const double* const point = point_here();
      if (!solver_->solve(point, std::vector<double>(problem_.tops).data()).ok)
        return Failure::singular_matrix;
      series_.set_point(t_, s_.data(), z_.data());
      const std::vector<Quad> before = z_;
      series_.evaluate_point(*solver_, z_.data());
      Quad moved = 0, size = 1;
      for (std::size_t j = 0; j < z_.size(); ++j) {
        moved = std::max(moved, magnitude(z_[j] - before[j]));
        size = std::max(size, magnitude(z_[j]));
      }
      if (moved <= quad_rounding * size) break;
    }
    const Failure failure = series_.extend(*solver_);
    const std::size_t width = s_.size() + z_.size();
    for (int n = 0; n <= order; ++n)
      series_.coefficients(n, coefficients_.data() + static_cast<std::size_t>(n) * width);
    return failure;
  }

  Failure project(std::size_t k) {
    const formulate::Level& level = problem_.levels[k];
    std::vector<Quad> rows(level.rows());
    std::vector<double> residual(level.rows()), correction(problem_.layout.size());
    Quad before = 1;
    for (int round = 0; round < 12; ++round) {
      series_.set_point(t_, s_.data(), z_.data());
      series_.residual(level.level, rows.data());
      std::copy(rows.begin(), rows.end(), residual.begin());
      const Failure failure =
          projections_[k]->correction(point_here(), residual.data(), correction.data());
      if (failure != Failure::none) return failure;
      Quad moved = 0, size = 1;  // of the whole level: a high derivative may be 0 but for noise
      for (const std::uint32_t position : level.unknowns) {
        const std::size_t i = position - 1;  // the point begins with t
        Quad& value = i < s_.size() ? s_[i] : z_[i - s_.size()];
        value -= correction[position];
        moved = std::max(moved, magnitude(correction[position]));
        size = std::max(size, magnitude(value));
      }
      if (moved <= quad_rounding * size) return Failure::none;
      if (moved <= quad_stalled * size && moved > before / 2) return Failure::none;
      before = moved;
    }
    return Failure::cannot_project;
  }

  Failure step(double limit) {
    const std::size_t width = s_.size() + z_.size();
    const auto row = [&](int n) {
      return coefficients_.data() + static_cast<std::size_t>(n) * width;
    };
    double h = std::numeric_limits<double>::infinity();
    for (const int n : {order - 1, order}) {
      double size = 0;
      for (std::size_t i = 0; i < s_.size(); ++i)
        if (problem_.layout.leaf(problem_.state_position(static_cast<std::uint32_t>(i))).order <= 1)
          size = std::max(size, static_cast<double>(magnitude(row(n)[i]) / (1 + magnitude(s_[i]))));
      if (size > 0) h = std::min(h, std::pow(size / tolerance_, -1.0 / n));
    }
    if (!(h > 1e-12)) return Failure::inaccurate;
    const bool last = t_ + 1.01 * h >= limit;
    const Quad length = last ? limit - t_ : Quad(h);
    for (std::size_t p = 0; p < width; ++p) {
      Quad sum = 0;
      for (int n = order; n >= 0; --n) sum = sum * length + row(n)[p];
      (p < s_.size() ? s_[p] : z_[p - s_.size()]) = sum;
    }
    t_ = last ? Quad(limit) : t_ + length;
    return settle();
  }

  const formulate::Problem& problem_;
  double tolerance_ = 0;
  ProblemSystem system_;
  Series<Quad> series_;
  std::unique_ptr<compile::LinearSolver> solver_;
  std::vector<std::unique_ptr<LevelProjection>> projections_;
  Quad t_ = 0;
  std::vector<Quad> s_, z_, coefficients_;
};

}  // namespace

ReferenceTrajectory reference_trajectory(const formulate::Problem& problem,
                                         const ConsistentPoint& start,
                                         std::span<const double> times, double tolerance) {
  return ReferenceRun(problem, start, tolerance).run(times);
}

}  // namespace daedal::solve
