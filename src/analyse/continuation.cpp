#include "daedal/analyse/continuation.hpp"

#include "curve.hpp"
#include "rest_equations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>

namespace daedal::analysis {

namespace {

using Eigen::Index;
using Eigen::VectorXd;

/// Unknowns of the curve: positions, actions, and last the parameter, each in units of its scale.
class Equilibria {
 public:
  Equilibria(const DaeAt& dae_at, const ContinuationOptions& options)
      : dae_at_(dae_at), options_(options) {
    const Place p = place(options.from);
    Equilibrium first = equilibrium(*p.dae, options.equilibrium);
    if (!first.found) throw ModelError(no_equilibrium(*p.dae, first));
    values_ = first.values;
    unknowns_ = p.equations.positions();
    unknowns_.insert(unknowns_.end(), p.equations.actions().begin(), p.equations.actions().end());
    double largest_action = 0;
    for (const expr::SymbolId s : p.equations.actions())
      largest_action = std::max(largest_action, std::abs(values_[s]));
    for (std::size_t k = 0; k < unknowns_.size(); ++k) {
      const double nominal = p.dae->model->symbols[unknowns_[k]].nominal;
      const bool position = k < p.equations.positions().size();
      scale_.push_back(position             ? std::max(std::abs(values_[unknowns_[k]]), nominal)
                       : largest_action > 0 ? largest_action
                                            : 1.0);
    }
    scale_.push_back(options.to - options.from);
  }

  VectorXd first() const {
    VectorXd z(static_cast<Index>(scale_.size()));
    for (std::size_t k = 0; k < unknowns_.size(); ++k)
      z[static_cast<Index>(k)] = values_[unknowns_[k]] / scale_[k];
    z[z.size() - 1] = options_.from / scale_.back();
    return z;
  }

  CurveEquations equations() const {
    return [this](const VectorXd& z, VectorXd& f, Eigen::MatrixXd& jacobian) {
      return evaluate(z, f, jacobian);
    };
  }

  double parameter(const VectorXd& z) const { return z[z.size() - 1] * scale_.back(); }

  BranchPoint point(const CurvePoint& at, BranchMark mark) const {
    const Place p = place(parameter(at.z));
    BranchPoint result{parameter(at.z), {}, mark, {}};
    result.equilibrium.found = true;
    result.equilibrium.t = options_.equilibrium.t;
    result.equilibrium.values = values_at(at.z, p);
    result.stability = static_stability(*p.dae, result.equilibrium);
    return result;
  }

 private:
  struct Place {
    std::shared_ptr<const derive::Dae> dae;
    RestEquations equations;
  };
  Place place(double parameter) const {
    std::shared_ptr<const derive::Dae> dae = dae_at_(std::span(&parameter, 1));
    RestEquations equations(*dae, options_.equilibrium.free_inputs);
    return {std::move(dae), std::move(equations)};
  }

  std::vector<double> values_at(const VectorXd& z, const Place& p) const {
    std::vector<double> values = start_values(*p.dae->model, options_.equilibrium.t);
    for (std::size_t k = 0; k < unknowns_.size(); ++k)
      values[unknowns_[k]] = z[static_cast<Index>(k)] * scale_[k];
    return values;
  }

  /// The derivative by the parameter is a central difference: it turns the tangent, no result rests on it.
  bool evaluate(const VectorXd& z, VectorXd& f, Eigen::MatrixXd& jacobian) const {
    constexpr double step = 1e-5;  // of the range
    const double p = parameter(z);
    const Place here = place(p);
    const std::vector<double> values = values_at(z, here);
    const RestEquations::Value value = here.equations.evaluate(values);
    if (!value.finite) return false;
    f = value.residual;
    jacobian.resize(f.size(), z.size());
    jacobian.leftCols(z.size() - 1) = here.equations.jacobian(values);
    for (Index k = 0; k + 1 < z.size(); ++k) jacobian.col(k) *= scale_[static_cast<std::size_t>(k)];
    VectorXd difference = VectorXd::Zero(f.size());
    for (const double side : {1.0, -1.0}) {
      const Place beside = place(p + side * step * scale_.back());
      const RestEquations::Value moved = beside.equations.evaluate(values_at(z, beside));
      if (!moved.finite) return false;
      difference += side * moved.residual;
    }
    jacobian.col(z.size() - 1) = difference / (2 * step);
    return true;
  }

  const DaeAt& dae_at_;
  const ContinuationOptions& options_;
  std::vector<double> values_, scale_;
  std::vector<expr::SymbolId> unknowns_;
};

double slope(const CurvePoint& p) { return p.tangent[p.tangent.size() - 1]; }

/// All branches that hang together by crossings.
class Branches {
 public:
  Branches(const DaeAt& dae_at, const ContinuationOptions& options)
      : equilibria_(dae_at, options), curve_(equilibria_.equations()), options_(options) {}

  std::vector<Branch> follow() {
    const VectorXd first = equilibria_.first();
    const std::optional<CurvePoint> start =
        curve_.start(first, VectorXd::Unit(first.size(), first.size() - 1));
    if (!start)
      return {{{}, "the equilibrium cannot be followed from its first point", std::nullopt}};
    Branch main;
    main.points.push_back(equilibria_.point(*start, BranchMark::point));
    follow_from(*start, std::move(main));
    try {
      follow_sides();
    } catch (const Interrupted&) {  // before the next branch was found
    }
    return std::move(branches_);
  }

 private:
  struct Side {
    std::size_t branch, crossing;
    int sense;
  };
  struct Arrival {
    std::size_t crossing;
    VectorXd back;  // the way it came
  };

  void follow_sides() {
    while (!sides_.empty() && static_cast<int>(branches_.size()) < options_.most_branches) {
      stop_point();
      const Side side = sides_.front();
      sides_.pop_front();
      const CurvePoint crossing = crossings_[side.crossing];
      const std::optional<CurvePoint> beside =
          curve_.other_branch(crossing, options_.largest_step / 4, side.sense);
      if (!beside || arrived_before(side.crossing, beside->z - crossing.z)) continue;
      Branch branch;
      branch.leaves = side.branch;
      branch.points.push_back(equilibria_.point(crossing, BranchMark::crossing));
      branch.points.push_back(equilibria_.point(*beside, BranchMark::point));
      follow_from(*beside, std::move(branch));
    }
  }

  bool arrived_before(std::size_t crossing, const VectorXd& direction) const {
    return std::any_of(arrivals_.begin(), arrivals_.end(), [&](const Arrival& a) {
      return a.crossing == crossing && a.back.dot(direction.normalized()) > 0.7;
    });
  }

  /// False where a branch ends at a crossing that is known: its continuation is followed from there.
  bool pass(const CurvePoint& crossing, bool leaves) {
    constexpr double same = 1e-3;  // in the scales of the curve, whose steps are some 1e-2
    for (std::size_t k = 0; k < crossings_.size(); ++k)
      if ((crossings_[k].z - crossing.z).norm() < same) {
        arrivals_.push_back({k, -crossing.tangent});
        return !leaves;
      }
    for (const int sense : {1, -1}) sides_.push_back({branches_.size(), crossings_.size(), sense});
    crossings_.push_back(crossing);
    return true;
  }

  void tell(double parameter) {
    farthest_ = std::max(farthest_, std::abs(parameter - options_.from));
    if (options_.watch.progress)
      options_.watch.progress(
          {(static_cast<double>(branches_.size()) +
            farthest_ / std::abs(options_.to - options_.from)) /
               static_cast<double>(branches_.size() + 1 + sides_.size()),
           fmt::format("branch {}, parameter {:.4g}", branches_.size() + 1, parameter)});
  }

  void follow_from(CurvePoint here, Branch branch) {
    const double low = std::min(options_.from, options_.to),
                 high = std::max(options_.from, options_.to);
    bool done = false;
    farthest_ = 0;
    const auto mark = [&](double step, BranchMark what, auto test) {
      const CurvePoint at = curve_.locate(here, step, test);
      branch.points.push_back(equilibria_.point(at, what));
      return at;
    };
    const auto outside = [&](double p) { return p < low || p > high; };
    if (outside(equilibria_.parameter(here.z)))
      done = true;  // one side of a branch at the end of the range
    const auto follow_curve = [&] {
      return curve_.follow(here, options_.largest_step, [&](const CurvePoint& next, double h) {
        if (next.orientation * here.orientation < 0)  // and perhaps the parameter turns there
          done = !pass(mark(h, BranchMark::crossing,
                            [](const CurvePoint& p) { return double(p.orientation); }),
                       branch.leaves.has_value());
        else if (slope(next) * slope(here) < 0)
          mark(h, BranchMark::fold, slope);
        const double p = equilibria_.parameter(next.z);
        if (!done && outside(p)) {
          mark(h, BranchMark::end, [&](const CurvePoint& at) {
            return equilibria_.parameter(at.z) - (p < low ? low : high);
          });
          done = true;
        }
        if (done) return false;
        here = next;
        branch.points.push_back(equilibria_.point(next, BranchMark::point));
        tell(p);
        return static_cast<int>(branch.points.size()) < options_.most_points;
      });
    };
    try {
      if (!done && !follow_curve())
        branch.stopped = "Newton's method does not follow the branch any further";
      else if (!done)
        branch.stopped = fmt::format("{} points are enough", options_.most_points);
    } catch (const Interrupted&) {
      branch.stopped = "interrupted";
    }
    branches_.push_back(std::move(branch));
  }

  Equilibria equilibria_;
  Curve curve_;
  const ContinuationOptions& options_;
  std::vector<Branch> branches_;
  std::vector<CurvePoint> crossings_;
  std::deque<Side> sides_;
  std::vector<Arrival> arrivals_;
  double farthest_ = 0;
};

}  // namespace

std::vector<Branch> follow_equilibria(const DaeAt& dae_at, const ContinuationOptions& options) {
  const StopScope stoppable(options.watch.stop);
  return Branches(dae_at, options).follow();
}

}  // namespace daedal::analysis
