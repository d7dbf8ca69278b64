// Curves on the manifold of a mechanism, see curve.hpp, and a grid whose edges are such curves.
#include "curve.hpp"
#include "daedal/analyse/kinematics.hpp"
#include "pose_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace daedal::analysis {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// z = coordinates in units of their scales, and on a line its parameter, from 0 to 1.
class PosePath {
 public:
  PosePath(const Kinematics& kinematics, std::vector<double> start, const PathOptions& options)
      : kinematics_(kinematics),
        rows_(*kinematics.rows_),
        start_(std::move(start)),
        options_(options) {
    std::vector<std::string> names;
    for (const Given& g : options.held) names.push_back(g.name), first_.push_back(g.value);
    for (const Given& g : options.from) names.push_back(g.name), first_.push_back(g.value);
    rate_.assign(options.held.size(), 0);
    for (std::size_t k = 0; k < options.from.size(); ++k)
      rate_.push_back(options.to.at(k).value - options.from[k].value);
    equations_ = rows_.with_constraints(names);
  }

  PathOfPoses run() {
    const Curve curve(
        [this](const VectorXd& z, VectorXd& f, MatrixXd& j) { return evaluate(z, f, j); });
    const std::optional<CurvePoint> first = curve.start(z_of(start_), direction());
    if (!first) {
      path_.stopped = "the first pose cannot be moved this way";
      return path_;
    }
    path_.poses.push_back(values_of(first->z));
    try {
      follow(curve, *first);
    } catch (const Interrupted&) {
      path_.stopped = "interrupted";
    }
    return path_;
  }

 private:
  void follow(const Curve& curve, const CurvePoint& first) {
    CurvePoint here = first;
    double length = 0;
    const bool ended =
        curve.follow(here, options_.largest_step, [&](const CurvePoint& next, double h) {
          look_for_events(curve, here, next, h, length);
          length += h;
          here = next;
          path_.poses.push_back(values_of(next.z));
          if (line() && next.z[next.z.size() - 1] >= 1) return false;
          if (line() && next.tangent[next.tangent.size() - 1] <= 0) {
            path_.stopped = "the line cannot be followed any further";
            return false;
          }
          path_.closed = !line() && path_.poses.size() > 10 && near(next.z, first.z);
          return !path_.closed && static_cast<int>(path_.poses.size()) < options_.most_points;
        });
    if (!ended) path_.stopped = "Newton's method does not follow the path any further";
  }

  bool line() const { return !options_.from.empty(); }

  VectorXd z_of(const std::vector<double>& values) const {
    VectorXd z(static_cast<Index>(rows_.coordinates.size()) + (line() ? 1 : 0));
    z[z.size() - 1] = 0;
    for (std::size_t c = 0; c < rows_.coordinates.size(); ++c)
      z[static_cast<Index>(c)] = values[rows_.coordinates[c]] / rows_.scale[c];
    return z;
  }
  std::vector<double> values_of(const VectorXd& z) const {
    std::vector<double> values = start_;
    for (std::size_t c = 0; c < rows_.coordinates.size(); ++c)
      values[rows_.coordinates[c]] = z[static_cast<Index>(c)] * rows_.scale[c];
    return values;
  }
  /// Forward along the line; else towards growing coordinates, the first one that can move.
  VectorXd direction() const {
    const Index n = static_cast<Index>(rows_.coordinates.size());
    if (line()) return VectorXd::Unit(n + 1, n);
    VectorXd d(n);
    for (Index k = 0; k < n; ++k) d[k] = std::pow(0.7, static_cast<double>(k));
    return d;
  }

  bool evaluate(const VectorXd& z, VectorXd& f, MatrixXd& j) const {
    const std::vector<double> values = values_of(z);
    const auto n = static_cast<Index>(rows_.coordinates.size());
    f = rows_.evaluate(equations_, values);
    j = MatrixXd::Zero(f.size(), z.size());
    j.leftCols(n) = rows_.jacobian(equations_, values);
    for (Index c = 0; c < n; ++c) j.col(c) *= rows_.scale[static_cast<std::size_t>(c)];
    for (std::size_t k = 0; k < first_.size(); ++k) {
      const auto row = static_cast<Index>(rows_.constraints + k);
      f[row] -= first_[k] + (line() ? z[n] * rate_[k] : 0);
      if (line()) j(row, n) = -rate_[k];
    }
    return f.allFinite() && j.allFinite();
  }

  /// How fast a quantity changes along the path.
  double rate(const std::string& name, const CurvePoint& at) const {
    const MatrixXd j = rows_.jacobian(rows_.rows_of({name}), values_of(at.z));
    double sum = 0;
    for (std::size_t c = 0; c < rows_.coordinates.size(); ++c)
      sum += j(0, static_cast<Index>(c)) * rows_.scale[c] * at.tangent[static_cast<Index>(c)];
    return sum;
  }

  void look_for_events(const Curve& curve, const CurvePoint& here, const CurvePoint& next, double h,
                       double length) {
    std::vector<PathEvent> events;
    const auto look = [&](PathEvent::Kind kind, const std::string& name, auto test) {
      if (test(here) * test(next) >= 0) return;
      const CurvePoint at = curve.locate(here, h, test);
      const double along =
          line() ? at.z[at.z.size() - 1] : length + (at.z - here.z).dot(here.tangent);
      events.push_back({kind, name, values_of(at.z), along});
    };
    for (const std::string& name : options_.turning)
      look(PathEvent::Kind::turn, name, [&](const CurvePoint& p) { return rate(name, p); });
    for (const NamedSet& set : options_.sets)
      look(PathEvent::Kind::singular, set.name, [&](const CurvePoint& p) {
        return kinematics_.determination(set.quantities, values_of(p.z)).determinant;
      });
    if (line())
      look(PathEvent::Kind::unreachable, "the line",
           [](const CurvePoint& p) { return p.tangent[p.tangent.size() - 1]; });
    std::stable_sort(events.begin(), events.end(),
                     [](const PathEvent& a, const PathEvent& b) { return a.along < b.along; });
    path_.events.insert(path_.events.end(), events.begin(), events.end());
  }

  bool near(const VectorXd& a, const VectorXd& b) const {
    double sum = 0;
    for (std::size_t c = 0; c < rows_.coordinates.size(); ++c) {
      double d = (a[static_cast<Index>(c)] - b[static_cast<Index>(c)]) * rows_.scale[c];
      if (rows_.dae->model->symbols[rows_.coordinates[c]].unit == "rad")
        d = std::remainder(d, 2 * std::numbers::pi);
      sum += d * d / (rows_.scale[c] * rows_.scale[c]);
    }
    return std::sqrt(sum) < 0.6 * options_.largest_step;
  }

  const Kinematics& kinematics_;
  const Kinematics::Rows& rows_;
  std::vector<double> start_;
  const PathOptions& options_;
  std::vector<double> first_, rate_;  // of what is held, and of the line
  std::vector<std::size_t> equations_;
  PathOfPoses path_;
};

PathOfPoses follow_poses(const Kinematics& kinematics, const std::vector<double>& start,
                         const PathOptions& options) {
  const StopScope stoppable(options.watch.stop);
  return PosePath(kinematics, start, options).run();
}

namespace {

constexpr double singular_node = 1e-10;  // singular value of a matrix with rows of length 1

/// Node number k of a grid, the last axis running fastest.
std::vector<std::size_t> indices_of(std::size_t k, const std::vector<BoxAxis>& axes) {
  std::vector<std::size_t> index(axes.size());
  for (std::size_t a = axes.size(); a-- > 0;) {
    index[a] = k % static_cast<std::size_t>(axes[a].count);
    k /= static_cast<std::size_t>(axes[a].count);
  }
  return index;
}

std::vector<Given> givens_at(const std::vector<std::size_t>& index,
                             const std::vector<BoxAxis>& axes) {
  std::vector<Given> given;
  for (std::size_t a = 0; a < axes.size(); ++a)
    given.push_back(
        {axes[a].name, axes[a].from + (axes[a].to - axes[a].from) * static_cast<double>(index[a]) /
                                          (axes[a].count - 1)});
  return given;
}

}  // namespace

BoxOfPoses scan_box(const Kinematics& kinematics, const std::vector<double>& start,
                    const std::vector<BoxAxis>& axes, const std::vector<NamedSet>& sets,
                    const Watch& watch) {
  const StopScope stoppable(watch.stop);
  std::size_t count = 1;
  for (const BoxAxis& axis : axes) count *= static_cast<std::size_t>(axis.count);
  BoxOfPoses box;
  box.nodes.resize(count);
  std::vector<Pose> poses(count);
  std::vector<std::vector<double>> determinants(count);
  const auto look_at_node = [&](std::size_t k) {
    watch.tell(static_cast<double>(k) / static_cast<double>(count), "poses of the box");
    const std::vector<std::size_t> index = indices_of(k, axes);
    const std::vector<Given> given = givens_at(index, axes);
    std::vector<std::pair<std::size_t, std::size_t>> before;  // neighbour, axis
    for (std::size_t a = 0, stride = 1; a < axes.size(); ++a) {
      const std::size_t axis = axes.size() - 1 - a;
      if (index[axis] > 0) before.emplace_back(k - stride, axis);
      stride *= static_cast<std::size_t>(axes[axis].count);
    }
    for (const auto& [neighbour, axis] : before)
      if (!poses[k].found && poses[neighbour].found)
        poses[k] = kinematics.pose(given, poses[neighbour].values);
    if (!poses[k].found) poses[k] = kinematics.pose(given, start);
    for (const Given& g : given) box.nodes[k].given.push_back(g.value);
    box.nodes[k].reachable = poses[k].found;
    if (!poses[k].found) return;
    for (const NamedSet& set : sets) {
      const auto d = kinematics.determination(set.quantities, poses[k].values);
      const bool singular = d.smallest_singular_value < singular_node;
      box.nodes[k].smallest.push_back(d.smallest_singular_value);
      determinants[k].push_back(singular ? 0 : d.determinant);
      if (singular)
        box.singular.push_back({PathEvent::Kind::singular, set.name, poses[k].values, 0});
    }
    for (const auto& [neighbour, axis] : before) {
      if (!poses[neighbour].found) continue;
      for (std::size_t s = 0; s < sets.size(); ++s) {
        if (determinants[k][s] * determinants[neighbour][s] >= 0) continue;
        PathOptions edge;
        edge.from = givens_at(indices_of(neighbour, axes), axes);
        edge.to = given;
        edge.sets = {sets[s]};
        for (PathEvent& e : follow_poses(kinematics, poses[neighbour].values, edge).events)
          if (e.kind == PathEvent::Kind::singular) box.singular.push_back(std::move(e));
        stop_point();  // or else the edge was not looked at to its end
      }
    }
  };
  std::size_t k = 0;
  try {
    for (; k < count; ++k) look_at_node(k);
  } catch (const Interrupted&) {
    box.nodes.resize(k);
  }
  return box;
}

}  // namespace daedal::analysis
