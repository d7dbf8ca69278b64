#include "daedal/analyse/zero_map.hpp"

#include "daedal/analyse/linearise.hpp"
#include "daedal/analyse/poles_zeros.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace daedal::analysis {

namespace {

class Mapping {
 public:
  Mapping(const derive::Dae& asked, const std::vector<VariedParameter>& parameters,
          const ZeroMapOptions& options)
      : asked_(asked), parameters_(parameters), options_(options) {
    const std::vector<expr::Occurrence> occurrences = expr::occurrences(asked.residual);
    moves_pose_ = std::any_of(occurrences.begin(), occurrences.end(), [&](const auto& o) {
      return std::any_of(parameters.begin(), parameters.end(),
                         [&](const VariedParameter& p) { return p.symbol == o.leaf.symbol; });
    });
  }

  ZeroMap run() {
    ZeroMap map;
    try {
      look(map);
    } catch (const Interrupted&) {
      if (map.points.empty()) throw;
    }
    return map;
  }

 private:
  void look(ZeroMap& map) {
    for (int k = 0; k < options_.samples; ++k) {
      map.points.push_back(questioned(at(static_cast<double>(k) / (options_.samples - 1))));
      options_.watch.tell(static_cast<double>(k + 1) / options_.samples, "zeros along the path");
    }
    for (std::size_t k = 1; k < map.points.size(); ++k)
      if (map.points[k - 1].acceptable != map.points[k].acceptable)
        map.crossings.push_back(crossing(map.points[k - 1], map.points[k]));
    map.best = best(map);
  }

  derive::Dae dae_at(double s) const {
    derive::Dae dae = asked_;
    model::Model changed = *asked_.model;
    for (const VariedParameter& p : parameters_) changed.symbols[p.symbol].value = p.at(s);
    dae.model = std::make_shared<const model::Model>(std::move(changed));
    return dae;
  }

  ZeroMapPoint questioned(ZeroMapPoint point) const {
    if (!point.found) return point;
    point.doubt = Nearby(dae_at(point.s), options_.equilibrium).question(point.zeros, true);
    return point;
  }

  ZeroMapPoint at(double s) {
    stop_point();
    ZeroMapPoint point;
    point.s = s;
    const derive::Dae dae = dae_at(s);
    if (moves_pose_ || !pose_) pose_ = equilibrium(dae, options_.equilibrium);
    if (!pose_->found) return point;
    for (const VariedParameter& p : parameters_) pose_->values[p.symbol] = p.at(s);
    point.zeros = poles(linearise(derive::inverse(dae), point_of(*pose_)));
    point.margin = margin(point.zeros);
    point.found = point.zeros.regular();
    point.acceptable = point.found && acceptable(point.zeros);
    return point;
  }

  bool acceptable(const Spectrum& zeros) const {
    return std::all_of(zeros.clusters.begin(), zeros.clusters.end(), [&](const Cluster& c) {
      return c.mean.real() + options_.margin <= doubt(c);
    });
  }

  /// Halves the interval until it is short enough.
  Crossing crossing(ZeroMapPoint before, ZeroMapPoint behind) {
    while (behind.s - before.s > options_.sharpness) {
      ZeroMapPoint middle = at(0.5 * (before.s + behind.s));
      (middle.acceptable == before.acceptable ? before : behind) = std::move(middle);
    }
    const ZeroMapPoint& beyond = before.acceptable ? behind : before;
    Crossing found{0.5 * (before.s + behind.s), before.acceptable, beyond.margin.worst, {}};
    for (const ZeroMapPoint& side : {before, behind})
      if (!found.doubt) found.doubt = questioned(side).doubt;
    return found;
  }

  /// Along the last acceptable stretch, as far towards the end of the path as the reserve allows; of points in doubt only where
  /// there are no others.
  std::optional<ZeroMapPoint> best(const ZeroMap& map) {
    const auto sure = [](const ZeroMapPoint& p) { return p.acceptable && !p.doubt; };
    auto last = std::find_if(map.points.rbegin(), map.points.rend(), sure);
    if (last == map.points.rend())
      last = std::find_if(map.points.rbegin(), map.points.rend(),
                          [](const ZeroMapPoint& p) { return p.acceptable; });
    if (last == map.points.rend()) return std::nullopt;
    const auto end = std::find_if(map.crossings.begin(), map.crossings.end(),
                                  [&](const Crossing& c) { return c.s > last->s; });
    if (end == map.crossings.end()) return *last;
    ZeroMapPoint point = questioned(at(std::max(end->s - options_.reserve, 0.0)));
    return point.acceptable && (!point.doubt || last->doubt) ? point : *last;
  }

  const derive::Dae& asked_;
  const std::vector<VariedParameter>& parameters_;
  const ZeroMapOptions& options_;
  bool moves_pose_ = true;
  std::optional<Equilibrium> pose_;
};

}  // namespace

ZeroMap zero_map(const derive::Dae& asked, const std::vector<VariedParameter>& parameters,
                 const ZeroMapOptions& options) {
  const StopScope stoppable(options.watch.stop);
  const model::Model& m = *asked.model;
  if (m.servos.empty() || m.servos.size() != m.inputs.size())
    throw ModelError({Severity::error,
                      m.place,
                      fmt::format("model '{}' has {} servo-constraint{} for {} input{}: zeros need "
                                  "as many of each",
                                  m.name, m.servos.size(), m.servos.size() == 1 ? "" : "s",
                                  m.inputs.size(), m.inputs.size() == 1 ? "" : "s"),
                      {},
                      "choose others with  `outputs`"});
  return Mapping(asked, parameters, options).run();
}

}  // namespace daedal::analysis
