// An integrator that steps across singular poses: another one, and a PoseBridge where constraints are about to depend on each
// other.
//
// The smallest singular value of the constraints falls like the distance from the pose, so two values of it predict
// when it will be reached. The integrator is stopped before it, the bridge crosses, and the integrator restarts on
// the other side. Where the bridge finds no smooth motion the integrator continues by itself.
#pragma once

#include "daedal/integrate/independence.hpp"
#include "daedal/integrate/integrator.hpp"
#include "daedal/integrate/pose_bridge.hpp"

#include <memory>
#include <optional>
#include <vector>

namespace daedal::solve {

/// Whether runs cross singular poses: those of mechanisms whose states are projected onto the constraints, with steps under control.
/// Equal steps seldom end near a pose, and have no tolerance to hold.
bool crosses_poses(const formulate::Problem& problem, const Method& method);

class PoseCrossing final : public Integrator {
 public:
  /// Forwards in time, over a system that projects.
  PoseCrossing(const formulate::Problem& problem, ProblemSystem& system,
               std::unique_ptr<Integrator> method, double tolerance);

  StepOutcome start(double t, const double* s, const double* z, double end) override;
  StepOutcome step(double limit) override;

  double previous_time() const override;
  double time() const override;
  std::span<const double> state() const override;
  std::span<const double> tops() const override;
  void interpolate(double t, double* s) const override;
  void interpolate_tops(double t, double* z) const override;
  const StepStatistics& statistics() const override { return statistics_; }
  bool seems_stiff() const override { return method_->seems_stiff(); }
  bool projects_steps() const override { return method_->projects_steps(); }

  bool is_near_pose(double t) const override { return on_bridge_ && bridge_.is_near_pose(t); }
  /// Times of the poses, the first thousand of them.
  std::span<const double> poses() const { return poses_; }

 private:
  void look();
  double time_scale() const;
  bool cross(double begin, const double* s, double pose, double limit);
  bool cross_from_afar(double pose, double limit);
  void count();

  const formulate::Problem& problem_;
  ProblemSystem& system_;
  std::unique_ptr<Integrator> method_;
  PoseBridge bridge_;
  std::optional<Independence> measure_;  // from the first start on
  double end_ = 0;
  bool on_bridge_ = false;  // the last step was the bridge
  double bridge_begin_ = 0, bridge_end_ = 0;
  std::vector<double> bridge_state_, bridge_tops_;  // at bridge_end_
  double looked_at_ = 0, next_look_ = 0;            // [s]
  double independence_ = 0, largest_ = 0;  // of the constraints, at looked_at_ and over the run
  double slope_ = 0, steepest_ = 0;        // of independence_, and over the run
  double not_before_ = 0;                  // [s], when a bridge is tried again
  std::vector<double> probe_, rates_;
  /// States at the last looks, in a ring, since the last start.
  struct Past {
    double t = 0;
    std::vector<double> s;
  };
  std::vector<Past> past_;
  std::size_t past_count_ = 0;
  std::uint64_t bridges_ = 0, probes_ = 0;
  double longest_bridge_ = 0;
  std::vector<double> poses_;  // [s]
  StepStatistics statistics_;
};

}  // namespace daedal::solve
