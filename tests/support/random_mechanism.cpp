#include "support/random_mechanism.hpp"

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <vector>

namespace daedal::test {

namespace {

using Eigen::Quaterniond;
using Eigen::Vector3d;

struct Body {
  Vector3d r = Vector3d::Zero();
  Quaterniond p = Quaterniond::Identity();
  double angle = 0;  // in the plane
};

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed) {}

  RandomMechanism make() {
    RandomMechanism m;
    planar_ = whole(0, 1) == 0;
    m.dimension = planar_ ? 2 : 3;
    m.bodies = planar_ ? whole(1, 6) : whole(1, 4);
    text_ = fmt::format("model random \"{} bodies\"\n", m.bodies);
    bodies_.emplace_back();  // the ground
    freedom_above_.push_back(0);
    for (int k = 1; k <= m.bodies; ++k) add_body(k);
    for (int k = 1; k <= m.bodies; ++k) hang(k);
    const int wanted = whole(0, 4);
    for (int tries = 0; tries < 40 && loops_ < wanted; ++tries) close_loop();
    if (whole(0, 1) == 1) add_spring();
    m.loops = loops_;
    m.freedoms = freedoms_;
    m.text = text_;
    return m;
  }

 private:
  double real(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random_);
  }
  int whole(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
  Vector3d point(double size) {
    return {real(-size, size), real(-size, size), planar_ ? 0 : real(-size, size)};
  }
  Vector3d direction() {
    Vector3d v;
    do v = point(1);
    while (v.norm() < 0.1);
    return v.normalized();
  }

  std::string vector(const Vector3d& v) const {
    return planar_ ? fmt::format("[{:.17g}, {:.17g}]", v.x(), v.y())
                   : fmt::format("[{:.17g}, {:.17g}, {:.17g}]", v.x(), v.y(), v.z());
  }
  static std::string quaternion(const Quaterniond& q) {
    return fmt::format("[{:.17g}, {:.17g}, {:.17g}, {:.17g}]", q.w(), q.x(), q.y(), q.z());
  }
  Vector3d inside(int body, const Vector3d& in_world) const {
    return bodies_[body].p.conjugate() * (in_world - bodies_[body].r);
  }
  Vector3d turned(int body, const Vector3d& in_world) const {
    return bodies_[body].p.conjugate() * in_world;
  }
  static std::string name(int body) { return fmt::format("body{}", body); }

  void add_body(int k) {
    Body body;
    body.r = point(1.5);
    const double mass = std::pow(10, real(-3, 3));
    const Vector3d box(real(0.1, 1), real(0.1, 1), real(0.1, 1));
    const Vector3d square = box.cwiseProduct(box);
    const Vector3d inertia =
        mass / 12 *
        Vector3d(square.y() + square.z(), square.z() + square.x(), square.x() + square.y());
    if (planar_) {
      body.angle = real(-3, 3);
      body.p = Eigen::AngleAxisd(body.angle, Vector3d::UnitZ());
      text_ += fmt::format(
          "part {} = planar_body(mass = {:.17g}, inertia = {:.17g}, position = {}, angle = "
          "{:.17g})\n",
          name(k), mass, inertia.z(), vector(body.r), body.angle);
    } else {
      body.p = Quaterniond(real(-1, 1), real(-1, 1), real(-1, 1), real(0.1, 1)).normalized();
      text_ += fmt::format(
          "part {} = spatial_body(mass = {:.17g}, inertia = {}, position = {}, orientation = {})\n",
          name(k), mass, vector(inertia), vector(body.r), quaternion(body.p));
    }
    bodies_.push_back(body);
    freedoms_ += planar_ ? 3 : 6;
  }

  /// Joins b to a by an element, and returns the number of its equations.
  int join(const std::string& element, int a, int b) {
    const Vector3d pivot = (bodies_[a].r + bodies_[b].r) / 2 + point(0.5), axis = direction();
    Vector3d point_b = pivot;
    std::string more;
    int equations = planar_ ? 2 : 3;
    const Quaterniond relative = bodies_[a].p.conjugate() * bodies_[b].p;
    if (element == "prismatic" || element == "point_on_line") {
      point_b += real(-0.5, 0.5) * axis;
      more = fmt::format(", axis_a = {}", vector(turned(a, axis)));
      equations = planar_ ? 1 : 2;
    }
    if (element == "prismatic" || element == "fixed") {
      more += planar_ ? fmt::format(", angle = {:.17g}", bodies_[b].angle - bodies_[a].angle)
                      : fmt::format(", orientation = {}", quaternion(relative));
      equations += planar_ ? 1 : 3;
    }
    if (element == "revolute" && !planar_) {
      more = fmt::format(", axis_a = {}, axis_b = {}", vector(turned(a, axis)),
                         vector(turned(b, axis)));
      equations = 5;
    }
    if (element == "universal") {
      const Vector3d other = axis.cross(direction()).normalized();
      more = fmt::format(", axis_a = {}, axis_b = {}", vector(turned(a, axis)),
                         vector(turned(b, other)));
      equations = 4;
    }
    if (element == "distance") {
      point_b += real(0.3, 1) * axis;
      more = fmt::format(", length = {:.17g}", (point_b - pivot).norm());
      equations = 1;
    }
    text_ += fmt::format("part joint{} = {}({}b = {}, point_a = {}, point_b = {}{})\n", ++joints_,
                         element, a == 0 ? "" : fmt::format("a = {}, ", name(a)), name(b),
                         vector(inside(a, pivot)), vector(inside(b, point_b)), more);
    joined_.insert({std::min(a, b), std::max(a, b)});
    freedoms_ -= equations;
    return equations;
  }

  void hang(int k) {
    static const std::vector<std::string> in_plane{"revolute", "revolute", "revolute", "prismatic",
                                                   "point_on_line"},
        in_space{"spherical", "spherical",     "revolute", "revolute",
                 "universal", "point_on_line", "prismatic"};
    const std::vector<std::string>& joints = planar_ ? in_plane : in_space;
    const int parent = whole(0, k - 1);
    const int equations = join(joints[whole(0, static_cast<int>(joints.size()) - 1)], parent, k);
    freedom_above_.push_back((planar_ ? 3 : 6) - equations);
    parent_.push_back(parent);
  }

  /// Freedoms of the joints on the way from a to b, over the body at which the ways to the ground meet.
  int freedoms_between(int a, int b) const {
    int sum = 0;
    while (a != b) {
      int& lower = a > b ? a : b;  // a parent has a smaller number
      sum += freedom_above_[lower];
      lower = parent_[lower - 1];
    }
    return sum;
  }

  void close_loop() {
    const int count = static_cast<int>(bodies_.size()) - 1;
    const int a = whole(0, count), b = whole(1, count);
    if (a == b || joined_.contains({std::min(a, b), std::max(a, b)})) return;
    const std::vector<std::string> kinds =
        planar_ ? std::vector<std::string>{"revolute", "distance", "point_on_line"}
                : std::vector<std::string>{"spherical", "distance", "point_on_line"};
    const std::string kind = kinds[whole(0, 2)];
    const int equations = kind == "distance"        ? 1
                          : kind == "point_on_line" ? (planar_ ? 1 : 2)
                                                    : (planar_ ? 2 : 3);
    // A freedom stays, in the loop and in the whole, for loops that share joints with this one as well.
    if (freedoms_between(a, b) <= equations + loops_ || freedoms_ <= equations) return;
    join(kind, a, b);
    ++loops_;
  }

  void add_spring() {
    const int b = whole(1, static_cast<int>(bodies_.size()) - 1), a = whole(0, b - 1);
    text_ += fmt::format(
        "part pull = spring({}b = {}, stiffness = {:.17g}, length = 0.4, point_a = {}, point_b = "
        "{})\n",
        a == 0 ? "" : fmt::format("a = {}, ", name(a)), name(b), real(1, 50), vector(point(0.3)),
        vector(point(0.3)));
  }

  std::mt19937_64 random_;
  bool planar_ = true;
  std::vector<Body> bodies_;
  std::vector<int> freedom_above_, parent_;
  std::set<std::pair<int, int>> joined_;
  int joints_ = 0, loops_ = 0, freedoms_ = 0;
  std::string text_;
};

}  // namespace

RandomMechanism random_mechanism(std::uint64_t seed) { return Generator(seed).make(); }

}  // namespace daedal::test
