// Random trees of links against the same trees of bodies and joints in absolute coordinates: two derivations that share neither
// coordinates nor energies. Some have a free base, a spring, a rod or a ball that closes a loop, loads and friction.
#include "daedal/elaborate/elaborate.hpp"
#include "daedal/model/model.hpp"
#include "support/bounds.hpp"
#include "support/model_point.hpp"

#include <Eigen/Geometry>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace daedal::test {
namespace {

enum class Kind { revolute, prismatic, ball, fixed };

struct RandomLink {
  Kind kind = Kind::revolute;
  int parent = -1;  // -1: the ground
  Eigen::Vector3d position, axis, centre, rpy, moments;
  double mass = 1;
};

class RandomTree {
 public:
  RandomTree(unsigned seed, int size) : random_(seed), free_base_(seed % 3 == 0) {
    for (int k = 0; k < size; ++k) {
      RandomLink link;
      const int kind = pick(10);
      link.kind = kind < 5   ? Kind::revolute
                  : kind < 7 ? Kind::prismatic
                  : kind < 8 ? Kind::ball
                             : Kind::fixed;
      link.parent = k == 0 ? -1 : std::max(0, k - 1 - pick(3));
      link.position = vector(0.5);
      link.axis = vector(1);
      link.rpy = pick(2) == 0 ? Eigen::Vector3d(1.5707963267948966 * pick(4), 0,
                                                1.5707963267948966 * pick(4))
                              : vector(2);
      if (pick(2) == 0) link.axis = Eigen::Vector3d::Unit(pick(3)) * (pick(2) == 0 ? 1 : -1);
      link.centre = vector(0.2);
      link.mass = 0.5 + number(0.4);
      const Eigen::Vector3d m = (vector(0.04).array() + 0.1).matrix();
      link.moments =
          Eigen::Vector3d(m[1] + m[2], m[0] + m[2], m[0] + m[1]);  // of masses on the axes
      links_.push_back(link);
    }
    links_[0].kind = free_base_ ? Kind::fixed : Kind::revolute;  // something moves
    first_ = pick(size);
    second_ = pick(size);
    closing_ = first_ == second_ ? 0 : pick(4);
    point_ = vector(0.3);
  }

  /// Links in joint coordinates; with outputs of every coordinate of the bodies and their derivatives.
  std::string joint_coordinates() const {
    std::string text = "model m\n";
    for (std::size_t k = 0; k < links_.size(); ++k) {
      const RandomLink& link = links_[k];
      const std::string inertial = fmt::format("mass = {}, centre = {}, inertia = {}", link.mass,
                                               list(link.centre), list(link.moments));
      if (k == 0 && free_base_) {
        text += fmt::format("part b0 = free_link({})\n", inertial);
        continue;
      }
      static constexpr const char* elements[] = {"revolute_link", "prismatic_link", "ball_link",
                                                 "fixed_link"};
      text +=
          fmt::format("part b{} = {}({}position = {}, orientation = rpy({}, {}, {}){}, {})\n", k,
                      elements[static_cast<int>(link.kind)],
                      link.parent < 0 ? "" : fmt::format("parent = b{}, ", link.parent),
                      list(link.position), link.rpy[0], link.rpy[1], link.rpy[2],
                      link.kind <= Kind::prismatic ? ", axis = " + list(link.axis) : "", inertial);
    }
    const auto point = [&](int k, const Eigen::Vector3d& s) {
      return list(s + links_[static_cast<std::size_t>(k)].centre);
    };
    text += closing(point);
    for (std::size_t k = 0; k < links_.size(); ++k) {
      for (const auto& [name, e] :
           {std::pair{std::string("r"), fmt::format("b{}.point({})", k, list(links_[k].centre))},
            std::pair{std::string("p"), fmt::format("b{}.p", k)}})
        text += fmt::format("output {0}{1} = {2}, {0}{1}_d = der({2}), {0}{1}_dd = der({2}, 2)\n",
                            name, k, e);
    }
    return text;
  }

  std::string absolute_coordinates() const {
    std::string text = "model m\n";
    for (std::size_t k = 0; k < links_.size(); ++k)
      text += fmt::format("part b{} = spatial_body(mass = {}, inertia = {})\n", k, links_[k].mass,
                          list(links_[k].moments));
    for (std::size_t k = free_base_ ? 1 : 0; k < links_.size(); ++k) {
      const RandomLink& link = links_[k];
      const Eigen::Quaterniond turn = Eigen::AngleAxisd(link.rpy[2], Eigen::Vector3d::UnitZ()) *
                                      Eigen::AngleAxisd(link.rpy[1], Eigen::Vector3d::UnitY()) *
                                      Eigen::AngleAxisd(link.rpy[0], Eigen::Vector3d::UnitX());
      const Eigen::Vector3d at =
          link.parent < 0 ? link.position
                          : Eigen::Vector3d(link.position -
                                            links_[static_cast<std::size_t>(link.parent)].centre);
      const std::string ends =
          fmt::format("{}b = b{}, point_a = {}, point_b = {}",
                      link.parent < 0 ? "" : fmt::format("a = b{}, ", link.parent), k, list(at),
                      list(-link.centre));
      const std::string oriented =
          fmt::format(", orientation = [{}, {}, {}, {}]", turn.w(), turn.x(), turn.y(), turn.z());
      const std::string along = ", axis_a = " + list(turn * link.axis);
      switch (link.kind) {
        case Kind::revolute:
          text += fmt::format("part j{} = revolute({}{}, axis_b = {})\n", k, ends, along,
                              list(link.axis));
          break;
        case Kind::prismatic:
          text += fmt::format("part j{} = prismatic({}{}{})\n", k, ends, along, oriented);
          break;
        case Kind::ball:
          text += fmt::format("part j{} = spherical({})\n", k, ends);
          break;
        case Kind::fixed:
          text += fmt::format("part j{} = fixed({}{})\n", k, ends, oriented);
          break;
      }
    }
    return text + closing([](int, const Eigen::Vector3d& s) { return list(s); });
  }

  std::size_t size() const { return links_.size(); }

 private:
  /// What stands around a tree is the same text in both: links are bodies. `point`: of body k, from its centre of mass.
  template <class Point>
  std::string closing(const Point& point) const {
    const std::string a = point(first_, point_), b = point(second_, -point_);
    std::string text = fmt::format("force [1, -2, 0.5] at b{}.point({})\n", second_, b);
    if (closing_ == 0) return text;
    const std::string ends =
        fmt::format("a = b{}, b = b{}, point_a = {}, point_b = {}", first_, second_, a, b);
    text += fmt::format(
        "part s = spring({}, stiffness = 30, length = 0.4)\npart d = damper({}, damping = 2)\n",
        ends, ends);
    if (closing_ == 2) text += fmt::format("part rod = distance({}, length = 1)\n", ends);
    if (closing_ == 3)
      text += fmt::format("part m = couple(a = b{}, b = b{}, moment = [0.3, 0.1, -0.2])\n", first_,
                          second_);
    return text;
  }

  static std::string list(const Eigen::Vector3d& v) {
    return fmt::format("[{}, {}, {}]", v[0], v[1], v[2]);
  }
  int pick(int count) { return static_cast<int>(random_() % static_cast<unsigned>(count)); }
  double number(double size) {
    return std::uniform_real_distribution<double>(-size, size)(random_);
  }
  Eigen::Vector3d vector(double size) {
    const double x = number(size), y = number(size), z = number(size);
    return {x, y, z};
  }

  std::mt19937 random_;
  bool free_base_;
  std::vector<RandomLink> links_;
  int first_ = 0, second_ = 0, closing_ = 0;
  Eigen::Vector3d point_;
};

model::Model tree_model(const std::string& text) {
  return model::elaborate(model::load_text(text, "m.daedal"));
}

/// Accelerations at a random state, of both.
void compare_tree(unsigned seed, int size) {
  const RandomTree tree(seed, size);
  const std::string text = tree.joint_coordinates();
  SCOPED_TRACE(fmt::format("seed {}\n{}\n{}", seed, text, tree.absolute_coordinates()));
  ModelPoint links(tree_model(text)), bodies(tree_model(tree.absolute_coordinates()));
  std::mt19937 random(seed + 1000);
  std::uniform_real_distribution<double> number(-1, 1);
  for (const model::Symbol& symbol : links.model().symbols) {
    if (symbol.kind != model::SymbolKind::coordinate) continue;
    const bool quaternion = symbol.name.ends_with("4]") ||
                            symbol.name.find(".q[") != std::string::npos ||
                            symbol.name.find(".p[") != std::string::npos;
    if (!quaternion)
      links.set({{symbol.name, number(random)}, {symbol.name + "'", number(random)}});
    if (!quaternion || !symbol.name.ends_with("[1]")) continue;
    // a unit quaternion and a velocity at right angles to it
    const Eigen::Vector4d p =
        Eigen::Vector4d(number(random), number(random), number(random), number(random))
            .normalized();
    Eigen::Vector4d v(number(random), number(random), number(random), number(random));
    v -= p * p.dot(v);
    const std::string name = symbol.name.substr(0, symbol.name.size() - 3);
    for (int k = 0; k < 4; ++k)
      links.set({{fmt::format("{}[{}]", name, k + 1), p[k]},
                 {fmt::format("{}[{}]'", name, k + 1), v[k]}});
  }
  links.solve();
  std::vector<std::pair<std::string, std::string>> entries;  // of the bodies, and their outputs
  for (std::size_t b = 0; b < tree.size(); ++b) {
    for (int k = 1; k <= 3; ++k)
      entries.emplace_back(fmt::format("b{}.r[{}]", b, k), fmt::format("r{}{{}}[{}]", b, k));
    for (int k = 1; k <= 4; ++k)
      entries.emplace_back(fmt::format("b{}.p[{}]", b, k), fmt::format("p{}{{}}[{}]", b, k));
  }
  for (const auto& [name, output] : entries)
    bodies.set({{name, links.output(fmt::format(fmt::runtime(output), ""))},
                {name + "'", links.output(fmt::format(fmt::runtime(output), "_d"))}});
  const auto solution = bodies.solve();
  double largest = 1;
  for (const auto& [name, output] : entries)
    largest = std::max(largest, std::abs(solution.at(name + "''")));
  const double condition =
      1e4;  // of the equations in absolute coordinates; some hundred operations for each entry
  for (const auto& [name, output] : entries)
    EXPECT_NEAR(solution.at(name + "''"), links.output(fmt::format(fmt::runtime(output), "_dd")),
                rounding(200, condition * largest))
        << name;
}

TEST(RandomTrees, accelerate_as_in_absolute_coordinates) {
  for (unsigned seed = 0; seed < 60; ++seed) compare_tree(seed, 2 + static_cast<int>(seed % 6));
}

TEST(RandomTrees, Slow_accelerate_as_in_absolute_coordinates) {
  for (unsigned seed = 1000; seed < 1060; ++seed)
    compare_tree(seed, 6 + static_cast<int>(seed % 12));
}

}  // namespace
}  // namespace daedal::test
