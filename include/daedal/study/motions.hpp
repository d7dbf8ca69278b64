// Away from rest: linearised in motion, normal form, zero dynamics, the linearised motion beside the real one, Lyapunov functions.
#pragma once

#include "daedal/base/progress.hpp"
#include "daedal/run/simulate.hpp"
#include "daedal/start/prepare.hpp"
#include "daedal/study/analyse.hpp"
#include "daedal/task/answer.hpp"

#include <complex>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace daedal {
inline namespace task {

// --- linearised in motion

struct AtStartOptions {
  std::vector<std::string> outputs;  // default: the servo lines, else all outputs
  std::optional<Grid> response;      // frequency response [rad/s], evenly on a logarithmic scale
  bool nyquist = false;              // with `response`: Nyquist's curve in summary and report
  bool directions = false;           // inputs, motion and outputs at each zero
  solve::RedundantConstraints redundant_constraints = solve::RedundantConstraints::error;
  Watch watch;
};

class StartLinearisation : public Answer {
 public:
  using Answer::Answer;

  std::vector<NamedNumber> values;  // states, then accelerations and multipliers
  LinearModel linear;               // of small departures from the motion, at this instant
  std::vector<std::complex<double>> poles, zeros;  // frozen [1/s], rightmost first
  Table response;                                  // as in Analysis

  std::vector<Fact> facts() const override;
  const Table* table() const override { return response.width() > 0 ? &response : nullptr; }

 private:
  struct Details;
  std::shared_ptr<const Details> details_;
  friend StartLinearisation at_start(const Model&, const AtStartOptions&);

  std::string summary() const override;
  Json json() const override;
  void illustrate(emit::Report& page) const override;
};

/// At the start values, which must satisfy every constraint on every level: throws ModelError that names those that are violated.
StartLinearisation at_start(const Model& model, const AtStartOptions& options = {});

struct AlongOptions {
  Grid times{0, 1, 11};              // [s]
  std::vector<std::string> outputs;  // default: the servo lines, else all outputs
  solve::RedundantConstraints redundant_constraints = solve::RedundantConstraints::error;
  Watch watch;
};

class MotionLinearisation : public Answer {
 public:
  using Answer::Answer;

  std::vector<std::vector<std::complex<double>>> poles;  // frozen [1/s], at each time
  Table points;                                          // time, values, rightmost pole

  const Table* table() const override { return &points; }

 private:
  struct Details;
  std::shared_ptr<const Details> details_;
  friend MotionLinearisation along(const Model&, const AlongOptions&);

  std::string summary() const override;
  Json json() const override;
  void illustrate(emit::Report& page) const override;
};

/// Along the simulated motion. Throws ModelError when it cannot be simulated to the end.
MotionLinearisation along(const Model& model, const AlongOptions& options);

// --- inverse dynamics away from rest

struct NormalFormOptions {
  std::vector<std::string> internal;  // states that complete the outputs and their derivatives
  std::vector<NamedNumber> disturb;   // states with other values than those of the start
  std::vector<std::string> outputs;   // default: the servo lines, else all outputs
  solve::RedundantConstraints redundant_constraints = solve::RedundantConstraints::error;
  Watch watch;
};

/// y_i^(r_i) = b_i + A_i u, eta' = q + P u.
class NormalForm : public Answer {
 public:
  using Answer::Answer;

  std::vector<std::string> outputs, internal;
  std::vector<int> relative_degree;
  Matrix xi;  // by output: y, y', ..., y^(r-1)
  std::vector<double> b, eta, q;
  Matrix a, p;
  int rank = 0;  // of A, the decoupling matrix: as many outputs can be moved one by one
  /// u that holds the outputs' highest derivatives at 0, and what eta does then; empty where A is singular.
  std::vector<double> holding_input, eta_rate;

 private:
  std::string summary() const override;
  Json json() const override;
  void illustrate(emit::Report& page) const override;
};

NormalForm normal_form(const Model& model, const NormalFormOptions& options = {});

struct ZeroDynamicsOptions {
  double until = 10;                 // [s], > 0
  std::vector<NamedNumber> disturb;  // states moved away from rest
  std::vector<std::string> free;     // inputs that take the values that hold the pose; "all"
  std::vector<std::string> outputs;  // default: the servo lines, else all outputs
  solve::RedundantConstraints redundant_constraints = solve::RedundantConstraints::error;
  Watch watch;
};

class ZeroDynamics : public Answer {
 public:
  using Answer::Answer;

  std::vector<NamedNumber> rest;  // what moves, at rest
  solve::Trajectory trajectory;

  const Table* table() const override { return &trajectory.table; }

 private:
  struct Details;
  std::shared_ptr<const Details> details_;
  friend ZeroDynamics zero_dynamics(const Model&, const ZeroDynamicsOptions&);

  std::string summary() const override;
  Json json() const override;
  void illustrate(emit::Report& page) const override;
};

/// What moves while the outputs are held at their values at rest. A run that does not come to its end does not hold.
ZeroDynamics zero_dynamics(const Model& model, const ZeroDynamicsOptions& options = {});

// --- near rest

struct LinearMotionOptions {
  double until = 10;                 // [s], > 0
  std::vector<NamedNumber> disturb;  // states moved away from rest
  std::vector<std::string> free;     // inputs that take the values that hold the pose; "all"
  solve::RedundantConstraints redundant_constraints = solve::RedundantConstraints::error;
  Watch watch;
};

class LinearMotion : public Answer {
 public:
  using Answer::Answer;

  struct Coordinate {
    std::string name;
    double largest = 0;     // departure from rest
    double difference = 0;  // largest, of the two motions
    double at = 0;          // [s], where
  };
  double until = 0;  // [s]
  std::vector<Coordinate> coordinates;
  Table rows;  // t, each position by the equations and linear

  const Table* table() const override { return &rows; }

 private:
  std::string summary() const override;
  Json json() const override;
  void illustrate(emit::Report& page) const override;
};

/// The motion from a disturbed rest, by the equations and by their linearisation.
LinearMotion linear_motion(const Model& model, const LinearMotionOptions& options = {});

enum class LyapunovFunction : std::uint8_t {
  quadratic,  // of the linearised motion
  energy      // with a term that makes it fall where nothing moves
};

struct LyapunovOptions {
  LyapunovFunction function = LyapunovFunction::quadratic;
  std::optional<double> epsilon;  // [1/s], of the energy's term; default: half of its bound
  double radius = 0.1;  // > 0, of the samples: largest change of a position over its nominal value
  std::vector<std::string> free;  // inputs that take the values that hold the pose; "all"
  solve::RedundantConstraints redundant_constraints = solve::RedundantConstraints::error;
  Watch watch;
};

class LyapunovRegion : public Answer {
 public:
  using Answer::Answer;

  LyapunovFunction function = LyapunovFunction::quadratic;
  double radius = 0;
  int samples = 0;
  bool decreases = false;                 // V > 0 and V' < 0 at every sample
  double level = 0;                       // up to this value of V it does
  double worst_rate = 0;                  // [1/s], largest V'/V
  std::vector<NamedNumber> worst;         // where
  double epsilon = 0, epsilon_bound = 0;  // [1/s], of the energy
  Table rows;                             // states, V, V'

  const Table* table() const override { return holds ? &rows : nullptr; }

 private:
  std::string summary() const override;
  Json json() const override;
  void illustrate(emit::Report& page) const override;
};

/// Where a Lyapunov function decreases near rest. Where there is none the answer does not hold.
LyapunovRegion lyapunov(const Model& model, const LyapunovOptions& options = {});

// Kinematics: poses with given coordinates or outputs, what moves what there, and where that breaks down.

// --- one pose

struct PoseOptions {
  std::vector<NamedNumber> given;    // coordinates and outputs, and the values they shall have
  bool branches = false;             // all poses with these values that can be found
  std::vector<std::string> motors;   // their coordinates; default: where inputs act
  std::vector<std::string> outputs;  // default: all that are made of coordinates
  solve::RedundantConstraints redundant_constraints = solve::RedundantConstraints::error;
  Watch watch;
};

class Pose : public Answer {
 public:
  using Answer::Answer;

  int degrees_of_freedom = 0;
  int iterations = 0;                    // of Newton's method, from the start values
  std::vector<NamedNumber> coordinates;  // there
  std::vector<NamedNumber> outputs;
  std::vector<std::string> motors;
  Matrix
      jacobian;  // of outputs by motors, on the manifold; empty without either; NaN: not determined
  /// Distance from a singular pose, where there are as many of them as degrees of freedom: "outputs", "motors".
  std::vector<NamedNumber> smallest_singular_values;
  bool held = false;                               // inputs and reactions balance all forces
  std::vector<NamedNumber> inputs;                 // that hold it, as well as they can
  std::vector<std::vector<NamedNumber>> branches;  // coordinates of each pose found

  std::vector<Fact> facts() const override;

 private:
  struct Details;
  std::shared_ptr<const Details> details_;
  friend Pose pose(const Model&, const PoseOptions&);

  std::string summary() const override;
  Json json() const override;
  void illustrate(emit::Report& page) const override;
};

/// Throws ModelError when there is no such pose near the start values.
Pose pose(const Model& model, const PoseOptions& options);

// --- a line of poses

/// A quantity that turns back, a pose in which a set of quantities does not determine the pose, or the end of reach.
struct PoseEvent {
  std::string kind;  // "turn", "singular", "end of reach"
  std::string name;  // of the quantity; "outputs", "motors"
  std::string what;  // in words
  double along = 0;  // where on the path: its length, or the part of a line
  std::vector<NamedNumber> coordinates;
};

struct PathOptions {
  std::vector<Range> line;  // coordinates and outputs from first to last, in a straight line
  std::vector<std::string> motors;   // their coordinates; default: where inputs act
  std::vector<std::string> outputs;  // default: all that are made of coordinates
  solve::RedundantConstraints redundant_constraints = solve::RedundantConstraints::error;
  Watch watch;
};
struct LimitsOptions {
  std::vector<std::string> hold;     // coordinates and outputs that stay: all but one direction
  std::vector<std::string> motors;   // their coordinates; default: where inputs act
  std::vector<std::string> outputs;  // default: all that are made of coordinates
  solve::RedundantConstraints redundant_constraints = solve::RedundantConstraints::error;
  Watch watch;
};

class PosePath : public Answer {
 public:
  using Answer::Answer;

  Table poses;  // coordinates
  std::vector<PoseEvent> events;
  bool closed = false;  // back at the start, angles modulo a turn

  const Table* table() const override { return &poses; }

 private:
  struct Details;
  std::shared_ptr<const Details> details_;
  friend PosePath path(const Model&, const PathOptions&);
  friend PosePath limits(const Model&, const LimitsOptions&);
  void take(std::shared_ptr<const Details> details);

  std::string summary() const override;
  Json json() const override;
  void illustrate(emit::Report& page) const override;
};

/// Singular poses on a straight line. A path that ends early does not hold.
PosePath path(const Model& model, const PathOptions& options);
/// How far coordinates and outputs go, with one direction free. Throws ModelError where there are more, or none.
PosePath limits(const Model& model, const LimitsOptions& options = {});

// --- a box of poses

struct BoxOptions {
  static constexpr int values = 11;  // of a range without a count
  std::vector<Range> axes;           // coordinates and outputs; a million poses at most
  std::vector<std::string> motors;   // their coordinates; default: where inputs act
  std::vector<std::string> outputs;  // default: all that are made of coordinates
  solve::RedundantConstraints redundant_constraints = solve::RedundantConstraints::error;
  Watch watch;
};

class PoseBox : public Answer {
 public:
  using Answer::Answer;

  std::vector<Range> axes;
  std::size_t reachable = 0;        // of the poses
  Table nodes;                      // axes, reachable, smallest singular values
  std::vector<PoseEvent> singular;  // between neighbours of the grid

  const Table* table() const override { return &nodes; }

 private:
  std::string summary() const override;
  Json json() const override;
  void illustrate(emit::Report& page) const override;
};

PoseBox box(const Model& model, const BoxOptions& options);

}  // namespace task
}  // namespace daedal
