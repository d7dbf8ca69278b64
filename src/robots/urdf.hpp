// A robot as its URDF file describes it: links, joints, checked to be a tree.
//
// Angles are in rad, lengths in m. The frame of a link is that of its joint; rpy are angles about fixed axes,
// R = Rz(yaw) Ry(pitch) Rx(roll).
#pragma once

#include "daedal/base/diagnostic.hpp"
#include "robots/xml.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace daedal::robots {

using Vector3 = std::array<double, 3>;

struct Pose {
  Vector3 xyz{}, rpy{};
};

struct Inertial {
  Pose at;  // centre of mass, and the axes of the tensor
  double mass = 0;
  std::array<double, 6> tensor{};  // xx, xy, xz, yy, yz, zz about the centre of mass
};

enum class Shape { box, cylinder, sphere };

struct Visual {
  Pose at;
  Shape shape = Shape::box;
  Vector3 size{};  // edges; radius and length; radius
};

struct UrdfLink {
  std::string name;
  Place place;
  std::optional<Inertial> inertial;
  std::vector<Visual> visuals;
  std::optional<std::size_t> joint;  // that holds it; none: the root
};

enum class JointType { revolute, continuous, prismatic, fixed, floating, planar };

struct Range {
  double lower = 0, upper = 0;
};

struct Mimic {
  std::size_t joint = 0;
  double multiplier = 1, offset = 0;
};

struct UrdfJoint {
  std::string name;
  Place place;
  JointType type = JointType::fixed;
  std::size_t parent = 0, child = 0;  // links
  Pose at;
  Vector3 axis{1, 0, 0};
  std::optional<Range> limit;
  double effort = 0, velocity = 0;  // 0: no limit
  double damping = 0, friction = 0;
  std::optional<Mimic> mimic;

  bool turns() const { return type == JointType::revolute || type == JointType::continuous; }
  bool slides() const { return type == JointType::prismatic; }
};

struct Robot {
  std::string name;
  std::vector<UrdfLink> links;
  std::vector<UrdfJoint> joints;  // in the order of the file
  std::size_t root = 0;           // of the links
};

/// Faults, warnings and notes are added to `diagnostics`; with errors the robot is incomplete.
Robot read_urdf(const XmlElement& document, Diagnostics& diagnostics);

}  // namespace daedal::robots
