// One step across a singular pose: collocation with the pose between its nodes.
//
//     s(t) = s_0 + int f dt,    f(t_i) = F(t_i, P s(t_i))   at the Gauss points t_i of [t_0, t_0 + 2 d],
//
// f a polynomial, F the derivative of the states, P their projection onto the constraints, t_0 + d the time of the pose.
// At the pose constraints depend on each other, and neither F nor P can be evaluated; on its branch the motion is a smooth
// function of time nevertheless. Near it, at the distance x, rounding of size eps displaces positions by eps/x, velocities by
// eps/x^2 and accelerations by eps/x^3 in the direction of the other branch (as for the constraint x y = 0), so that shorter
// steps make matters worse. The nodes keep their distance from the pose: with ten of them the nearest are 0.15 d away, and
// the order is 20 [HairerNorsettWanner1993, II.7]. The equations are solved by iteration, as the problem is not stiff over a
// step this short; where it is, that does not converge and there is no bridge.
#pragma once

#include "daedal/integrate/independence.hpp"
#include "daedal/system/system.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace daedal::solve {

class PoseBridge {
 public:
  PoseBridge(System& system, double tolerance);

  /// From (t, s), z a guess of the tops, over the pose that is expected at t + half. False when the motion is not smooth over
  /// it within the tolerance.
  bool cross(double t, const double* s, const double* z, double half, Independence& independence);

  double pose_time() const { return begin_ + half_; }
  double end() const { return begin_ + 2 * half_; }
  /// At end(), projected.
  std::span<const double> state() const { return end_state_; }
  /// Of the last node: a guess of those at end().
  std::span<const double> tops() const { return tops_.back(); }
  void interpolate(double t, double* s) const;
  /// Accelerations are smooth; reactions may grow like 1/(t - pose_time()).
  void interpolate_tops(double t, double* z) const;
  /// Between the two nodes next to the pose, where nothing is solved for.
  bool is_near_pose(double t) const;

  std::uint64_t evaluations() const { return evaluations_; }
  std::uint64_t projections() const { return projections_; }

 private:
  static constexpr int nodes = 10;
  using Row = std::array<double, nodes + 1>;  // the start, then the nodes

  void make_tables();
  bool predict_nodes(int first, int last);
  bool iterate();
  bool evaluate(int node);
  bool pose_is_in_the_middle(double& half, Independence& independence);
  bool is_accurate();
  double norm(const double* change, const double* s) const;

  System& system_;
  double tolerance_;
  std::size_t n_ = 0;
  std::vector<double> nominal_;
  std::array<double, nodes + 1> at_{};                // the start and the nodes within [-1, 1]
  std::array<Row, nodes + 1> predictor_{}, table_{};  // of int f up to each node, over 2 d
  std::array<Row, nodes> transform_{};                // from values to Legendre coefficients
  std::vector<std::vector<double>> rates_, states_, tops_, coefficients_;
  std::vector<std::vector<double>> tops_coefficients_, pole_coefficients_;  // of z, (t - t_pose) z
  std::vector<double> trial_, end_state_;
  double begin_ = 0, half_ = 0;
  std::uint64_t evaluations_ = 0, projections_ = 0;
};

}  // namespace daedal::solve
