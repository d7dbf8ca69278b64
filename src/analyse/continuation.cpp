#include "daedal/analyse/continuation.hpp"

#include "curve.hpp"
#include "rest_equations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace daedal::analyse {

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

}  // namespace

Branch follow_equilibria(const DaeAt& dae_at, const ContinuationOptions& options) {
  const Equilibria equilibria(dae_at, options);
  const Curve curve(equilibria.equations());
  const VectorXd first = equilibria.first();
  const VectorXd forward = VectorXd::Unit(first.size(), first.size() - 1);
  std::optional<CurvePoint> here = curve.start(first, forward);
  Branch branch;
  if (!here) {
    branch.stopped = "the equilibrium cannot be followed from its first point";
    return branch;
  }
  branch.points.push_back(equilibria.point(*here, BranchMark::point));
  const double low = std::min(options.from, options.to), high = std::max(options.from, options.to);
  const auto mark = [&](double step, BranchMark what, auto test) {
    branch.points.push_back(equilibria.point(curve.locate(*here, step, test), what));
  };
  const bool ended =
      curve.follow(*here, options.largest_step, [&](const CurvePoint& next, double h) {
        if (slope(next) * slope(*here) < 0)
          mark(h, BranchMark::fold, slope);
        else if (next.orientation * here->orientation < 0)
          mark(h, BranchMark::crossing, [](const CurvePoint& p) { return double(p.orientation); });
        const double p = equilibria.parameter(next.z);
        if (p < low || p > high) {
          mark(h, BranchMark::end, [&](const CurvePoint& at) {
            return equilibria.parameter(at.z) - (p < low ? low : high);
          });
          return false;
        }
        here = next;
        branch.points.push_back(equilibria.point(next, BranchMark::point));
        return static_cast<int>(branch.points.size()) < options.most_points;
      });
  if (!ended)
    branch.stopped = "Newton's method does not follow the branch any further";
  else if (branch.points.back().mark != BranchMark::end)
    branch.stopped = fmt::format("{} points are enough", options.most_points);
  return branch;
}

}  // namespace daedal::analyse
