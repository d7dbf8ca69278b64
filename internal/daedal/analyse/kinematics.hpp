// Kinematics: poses that satisfy the constraints, their Jacobians, and singular poses.
//
//   c(q) = 0,   g(q) = v
//
// Forward kinematics computes the outputs from the motors' coordinates, inverse kinematics the other way round: the same
// equations with another g, solved by Newton's method from the current pose. On the manifold c(q) = 0 a set of quantities g,
// as many as there are degrees of freedom, determines the pose near it unless
//
//   det [ dc/dq; dg/dq ] = 0.
//
// With the outputs as g that is a singular pose of the first kind (the outputs lose a direction), with the motors'
// coordinates one of the second kind (locked motors do not hold the mechanism) [GosselinAngeles1990].
#pragma once

#include "daedal/base/diagnostic.hpp"
#include "daedal/base/progress.hpp"
#include "daedal/derive/dae.hpp"

#include <Eigen/Core>

#include <memory>
#include <string>
#include <vector>

namespace daedal::analysis {

/// A coordinate, or an output made of coordinates, and the value it shall have.
struct Given {
  std::string name;
  double value = 0;
};

struct Pose {
  bool found = false;
  int iterations = 0;          // of Newton's method
  std::vector<double> values;  // by symbol
  double residual = 0;         // largest one left
  std::string worst;           // whose: a constraint, or what was given
};

/// What holds a pose at rest.
struct Compensation {
  bool holds = false;  // inputs and reactions balance all forces
  std::vector<std::pair<std::string, double>> inputs;
  std::string worst;  // otherwise: the equation that is left, and by how much
  double residual = 0;
};

class Kinematics {
 public:
  /// Throws ModelError for a model without coordinates.
  explicit Kinematics(std::shared_ptr<const derive::Dae> dae, double t = 0);
  ~Kinematics();
  Kinematics(Kinematics&&) noexcept;

  const derive::Dae& dae() const;
  int degrees_of_freedom(
      const std::vector<double>& values) const;  // coordinates less rank of dc/dq
  /// "platform" means all entries platform[1], platform[2], ... Throws ModelError for names that are none, and for
  /// outputs that contain velocities.
  std::vector<std::string> resolve(const std::vector<std::string>& names) const;
  /// Start values of the model, by symbol.
  std::vector<double> start() const;
  double value(const std::string& name, const std::vector<double>& values) const;

  /// The pose nearest to `from` (where less is given than is free), and on its branch when `from` is near enough.
  Pose pose(const std::vector<Given>& given, const std::vector<double>& from) const;
  /// Different poses for the same values: from `attempts` guesses spread by the coordinates' scales, always alike; the one
  /// reached from `from` itself first, then by distance.
  std::vector<Pose> branches(const std::vector<Given>& given, const std::vector<double>& from,
                             int attempts = 200) const;

  /// d of / d by on the manifold, all else following the constraints; entries that are not determined are NaN.
  Eigen::MatrixXd jacobian(const std::vector<std::string>& of, const std::vector<std::string>& by,
                           const std::vector<double>& values) const;
  /// det [dc/dq; dg/dq] with rows of length 1 and its smallest singular value; as many names as degrees of freedom
  /// (std::invalid_argument otherwise).
  struct Determination {
    double determinant = 0, smallest_singular_value = 0;
  };
  Determination determination(const std::vector<std::string>& names,
                              const std::vector<double>& values) const;

  /// Inputs that hold this pose against gravity and springs.
  Compensation gravity_compensation(const std::vector<double>& values) const;

 private:
  friend class PosePath;
  struct Rows;
  std::unique_ptr<Rows> rows_;
};

/// A quantity that turns back, or a set that stops determining the pose.
struct PathEvent {
  enum class Kind { turn, singular, unreachable } kind = Kind::turn;
  std::string name;            // of the quantity, or of the set
  std::vector<double> values;  // the pose, by symbol
  double along = 0;            // where on the path: its length, or the part of a line
};
struct NamedSet {
  std::string name;  // "motors", "outputs"
  std::vector<std::string> quantities;
};
struct PathOptions {
  std::vector<Given> held;  // stay as they are on the way
  std::vector<Given> from,
      to;  // a straight line between these values; empty: wherever the mechanism can go
  std::vector<std::string> turning;  // quantities whose limits are computed
  std::vector<NamedSet> sets;        // whose singular poses are located
  double largest_step = 0.05;        // of the coordinates' scales
  int most_points = 4000;
  Watch watch;  // asked to stop, the path ends there
};
struct PathOfPoses {
  std::vector<std::vector<double>> poses;  // by symbol
  std::vector<PathEvent> events;           // in order
  bool closed = false;                     // back at the start, angles modulo a turn
  std::string stopped;                     // why it ended early
};
/// From the pose `start`. Without a line the mechanism must have one degree of freedom left (`held` takes the others), and is
/// moved until it is back, or goes no further. Throws ModelError for names that are none.
PathOfPoses follow_poses(const Kinematics& kinematics, const std::vector<double>& start,
                         const PathOptions& options);

/// Over a box of given values: where poses exist, and singular poses between neighbours of a grid.
struct BoxAxis {
  std::string name;
  double from = 0, to = 1;
  int count = 11;  // >= 2
};
struct BoxOfPoses {
  struct Node {
    std::vector<double> given;
    bool reachable = false;
    std::vector<double> smallest;  // singular value of each set
  };
  std::vector<Node> nodes;
  std::vector<PathEvent> singular;  // located on the edges of the grid
};
/// Asked to stop, the nodes until then.
BoxOfPoses scan_box(const Kinematics& kinematics, const std::vector<double>& start,
                    const std::vector<BoxAxis>& axes, const std::vector<NamedSet>& sets,
                    const Watch& watch = {});

}  // namespace daedal::analysis
