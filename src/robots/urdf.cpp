#include "robots/urdf.hpp"

#include "daedal/base/symmetric_eigen.hpp"

#include <Eigen/Core>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <initializer_list>
#include <map>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

namespace daedal::robots {

namespace {

constexpr std::size_t max_links = 10000;
constexpr std::size_t max_warnings = 20;

std::string line_of(const Place& place) { return fmt::format("line {}", place.line); }

class UrdfReader {
 public:
  explicit UrdfReader(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  Robot read(const XmlElement& document) {
    if (document.name != "robot") {
      diagnostics_.error(
          document.place,
          fmt::format("a robot description starts with <robot>, not <{}>", document.name),
          document.name == "sdf" || document.name == "mujoco"
              ? "SDF and MJCF are not read; both have tools that write URDF"
              : "");
      return {};
    }
    know(document, {"name", "version"}, {"link", "joint"},
         {"material", "transmission", "gazebo", "ros2_control"});
    if (const XmlAttribute* name = document.attribute("name")) robot_.name = name->value;
    for (const XmlElement& child : document.children)
      if (child.name == "link") link(child);
    if (robot_.links.empty()) diagnostics_.error(document.place, "this robot has no links");
    for (const XmlElement& child : document.children)
      if (child.name == "joint") joint(child);
    if (!diagnostics_.has_errors()) mimics();
    if (!diagnostics_.has_errors()) tree();
    if (!diagnostics_.has_errors()) tips();
    if (hidden_ > 0) note(document.place, fmt::format("{} more warnings are not shown", hidden_));
    return std::move(robot_);
  }

 private:
  // ---- what is known, passed over, unknown

  void note(const Place& place, std::string message, std::string help = {}) {
    diagnostics_.add({Severity::note, place, std::move(message), {}, std::move(help)});
  }
  void warn(const Place& place, std::string message, std::string help = {}) {
    if (++warnings_ > max_warnings)
      ++hidden_;
    else
      diagnostics_.warning(place, std::move(message), std::move(help));
  }

  /// Attributes and children that are read; `passed_over` is named once for the whole file; anything else is a warning.
  void know(const XmlElement& element, const std::vector<std::string>& attributes,
            const std::vector<std::string>& children,
            std::initializer_list<std::string_view> passed_over = {}) {
    for (const XmlAttribute& given : element.attributes) {
      if (given.value.find("${") != std::string::npos ||
          given.value.find("$(") != std::string::npos)
        xacro(given.value_place);
      if (given.name.starts_with("xmlns")) continue;
      if (std::find(attributes.begin(), attributes.end(), given.name) != attributes.end()) continue;
      warn(given.place,
           fmt::format("<{}> has no attribute '{}': it is not read", element.name, given.name),
           guess(given.name, attributes));
    }
    for (const XmlElement& given : element.children) {
      if (given.name.starts_with("xacro:")) xacro(given.place);
      if (std::find(children.begin(), children.end(), given.name) != children.end()) continue;
      if (std::find(passed_over.begin(), passed_over.end(), given.name) != passed_over.end()) {
        if (passed_over_.insert(given.name).second)
          note(given.place, fmt::format("<{}> is passed over, here and everywhere", given.name));
        continue;
      }
      warn(given.place,
           fmt::format("<{}> in <{}> is unknown: it is not read", given.name, element.name),
           guess(given.name, children));
    }
  }
  static std::string guess(const std::string& name, const std::vector<std::string>& known) {
    const std::string near = nearest_name(name, known);
    return near.empty() ? "" : fmt::format("did you mean '{}'?", near);
  }
  void xacro(const Place& place) {
    if (xacro_) return;
    xacro_ = true;
    diagnostics_.error(place, "this is a xacro file, from which a robot description is made",
                       "run xacro first, and import what it prints");
  }

  // ---- numbers

  static std::string_view trimmed(std::string_view text) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    return text;
  }

  /// Whatever the language of the machine: std::from_chars knows no locale.
  bool number(std::string_view word, double& value) const {
    if (word.starts_with('+')) word.remove_prefix(1);
    const auto [end, fault] = std::from_chars(word.data(), word.data() + word.size(), value);
    return fault == std::errc{} && end == word.data() + word.size() && std::isfinite(value);
  }

  template <std::size_t count>
  std::array<double, count> numbers(const XmlAttribute& given) {
    std::array<double, count> values{};
    std::string_view rest = trimmed(given.value);
    for (std::size_t i = 0;; ++i) {
      if (rest.empty() && i == count) return values;
      const std::string_view word = rest.substr(0, rest.find(' '));
      if (i == count || rest.empty()) {
        diagnostics_.error(given.value_place, fmt::format("'{}' has {} number{}, not {}",
                                                          given.name, count, count == 1 ? "" : "s",
                                                          i == count ? "more" : std::to_string(i)));
        return values;
      }
      if (!number(word, values[i])) {
        diagnostics_.error(
            given.value_place,
            fmt::format("'{}' is not a finite number", std::string(word.substr(0, 40))),
            word.find(',') != std::string_view::npos
                ? "numbers have a decimal point and stand apart by blanks"
                : "");
        return values;
      }
      rest = trimmed(rest.substr(word.size()));
    }
  }

  double one(const XmlElement& element, const char* name, double missing) {
    const XmlAttribute* given = element.attribute(name);
    return given == nullptr ? missing : numbers<1>(*given)[0];
  }
  double required(const XmlElement& element, const char* name) {
    if (element.attribute(name) == nullptr)
      diagnostics_.error(element.place, fmt::format("<{}> has no '{}'", element.name, name));
    return one(element, name, 0);
  }
  Vector3 vector(const XmlElement& element, const char* name, Vector3 missing) {
    const XmlAttribute* given = element.attribute(name);
    return given == nullptr ? missing : numbers<3>(*given);
  }

  /// The child of that name; a second one is a fault.
  const XmlElement* only(const XmlElement& element, const char* name) {
    const XmlElement* found = nullptr;
    for (const XmlElement& child : element.children) {
      if (child.name != name) continue;
      if (found != nullptr)
        diagnostics_.error(child.place, fmt::format("a second <{}> in <{}>: the first is on {}",
                                                    name, element.name, line_of(found->place)));
      else
        found = &child;
    }
    return found;
  }

  Pose origin(const XmlElement& element) {
    const XmlElement* given = only(element, "origin");
    if (given == nullptr) return {};
    know(*given, {"xyz", "rpy"}, {});
    return {vector(*given, "xyz", {}), vector(*given, "rpy", {})};
  }

  std::string named(const XmlElement& element, std::map<std::string, std::size_t>& known,
                    std::size_t index, const std::function<Place(std::size_t)>& place_of) {
    const XmlAttribute* name = element.attribute("name");
    if (name == nullptr || trimmed(name->value).empty()) {
      diagnostics_.error(element.place, fmt::format("this <{}> has no name", element.name));
      return {};
    }
    const auto [first, fresh] = known.emplace(name->value, index);
    if (!fresh)
      diagnostics_.error(name->value_place,
                         fmt::format("a second {} is named '{}'", element.name, name->value),
                         fmt::format("the first is on {}", line_of(place_of(first->second))));
    return name->value;
  }

  // ---- links

  void link(const XmlElement& element) {
    if (robot_.links.size() == max_links) {
      if (!too_many_)
        diagnostics_.error(element.place, fmt::format("a robot has at most {} links", max_links));
      too_many_ = true;
      return;
    }
    know(element, {"name", "type"}, {"inertial", "visual"},
         {"collision", "material", "sensor", "self_collision_checking", "contact"});
    UrdfLink made;
    made.place = element.place;
    made.name = named(element, link_numbers_, robot_.links.size(),
                      [&](std::size_t i) { return robot_.links[i].place; });
    if (const XmlElement* inertial = only(element, "inertial"))
      made.inertial = read_inertial(*inertial, made.name);
    for (const XmlElement& child : element.children)
      if (child.name == "visual") visual(child, made);
    robot_.links.push_back(std::move(made));
  }

  Inertial read_inertial(const XmlElement& element, const std::string& link) {
    know(element, {}, {"origin", "mass", "inertia"});
    Inertial made;
    made.at = origin(element);
    const XmlElement* mass = only(element, "mass");
    if (mass == nullptr) {
      diagnostics_.error(element.place, fmt::format("the inertial of '{}' has no <mass>", link));
    } else {
      know(*mass, {"value"}, {});
      made.mass = required(*mass, "value");
      if (made.mass < 0)
        diagnostics_.error(mass->place,
                           fmt::format("the mass of '{}' is negative: {}", link, made.mass));
    }
    const XmlElement* inertia = only(element, "inertia");
    if (inertia == nullptr) {
      warn(element.place,
           fmt::format("the inertial of '{}' has no <inertia>: it is a point mass", link));
      return made;
    }
    static const std::vector<std::string> entries{"ixx", "ixy", "ixz", "iyy", "iyz", "izz"};
    know(*inertia, entries, {});
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const bool diagonal = i == 0 || i == 3 || i == 5;
      made.tensor[i] =
          diagonal ? required(*inertia, entries[i].c_str()) : one(*inertia, entries[i].c_str(), 0);
    }
    const auto& t = made.tensor;
    Eigen::Matrix3d J;
    J << t[0], t[1], t[2], t[1], t[3], t[4], t[2], t[4], t[5];
    constexpr double rounded = 1e-12;  // of the trace
    if (J.allFinite() && symmetric_eigenvalues(J)[0] < -rounded * std::abs(J.trace()))
      diagnostics_.error(inertia->place,
                         fmt::format("the inertia of '{}' has a negative principal moment: {:.4g}",
                                     link, symmetric_eigenvalues(J)[0]),
                         "the tensor is about the centre of mass");
    return made;
  }

  void visual(const XmlElement& element, UrdfLink& link) {
    know(element, {"name"}, {"origin", "geometry"}, {"material"});
    Visual made;
    made.at = origin(element);
    const XmlElement* geometry = only(element, "geometry");
    if (geometry == nullptr)
      return warn(element.place, fmt::format("a visual of '{}' has no <geometry>", link.name));
    know(*geometry, {}, {"box", "cylinder", "sphere", "mesh", "capsule"});
    for (const XmlElement& shape : geometry->children) {
      if (shape.name == "box") {
        know(shape, {"size"}, {});
        made.shape = Shape::box;
        made.size = vector(shape, "size", {});
      } else if (shape.name == "cylinder" || shape.name == "capsule") {
        know(shape, {"radius", "length"}, {});
        made.shape = Shape::cylinder;
        made.size = {required(shape, "radius"), required(shape, "length"), 0};
      } else if (shape.name == "sphere") {
        know(shape, {"radius"}, {});
        made.shape = Shape::sphere;
        made.size = {required(shape, "radius"), 0, 0};
      } else {
        if (shape.name == "mesh") {
          const XmlAttribute* file = shape.attribute("filename");
          note(shape.place,
               fmt::format("the mesh '{}' of '{}' is not drawn",
                           file == nullptr ? "" : file->value.substr(0, 200), link.name));
        }
        continue;
      }
      link.visuals.push_back(made);
    }
  }

  // ---- joints

  void joint(const XmlElement& element) {
    if (robot_.joints.size() == max_links)
      return;  // more joints than links have been reported, or will be
    know(element, {"name", "type"},
         {"origin", "parent", "child", "axis", "limit", "dynamics", "mimic"},
         {"calibration", "safety_controller", "hardwareInterface"});
    UrdfJoint made;
    made.place = element.place;
    made.name = named(element, joint_numbers_, robot_.joints.size(),
                      [&](std::size_t i) { return robot_.joints[i].place; });
    read_type(element, made);
    made.at = origin(element);
    const bool held = end(element, "child", made.child);  // both are looked at: each has its faults
    const bool ends = end(element, "parent", made.parent) && held;
    read_axis(element, made);
    read_limit(element, made);
    if (const XmlElement* dynamics = only(element, "dynamics")) {
      know(*dynamics, {"damping", "friction"}, {});
      made.damping = one(*dynamics, "damping", 0);
      made.friction = one(*dynamics, "friction", 0);
      if (made.damping < 0 || made.friction < 0)
        diagnostics_.error(dynamics->place,
                           fmt::format("the {} of '{}' is negative",
                                       made.damping < 0 ? "damping" : "friction", made.name));
    }
    mimic_of_.push_back(only(element, "mimic"));
    robot_.joints.push_back(made);
    if (ends) hold(element, robot_.joints.size() - 1);
  }

  void read_type(const XmlElement& element, UrdfJoint& joint) {
    static const std::map<std::string, JointType> types{
        {"revolute", JointType::revolute},   {"continuous", JointType::continuous},
        {"prismatic", JointType::prismatic}, {"fixed", JointType::fixed},
        {"floating", JointType::floating},   {"planar", JointType::planar}};
    const XmlAttribute* type = element.attribute("type");
    if (type == nullptr)
      return diagnostics_.error(element.place, fmt::format("joint '{}' has no type", joint.name));
    if (const auto known = types.find(type->value); known != types.end()) {
      joint.type = known->second;
      return;
    }
    std::vector<std::string> names;
    for (const auto& [name, value] : types) names.push_back(name);
    const std::string near = guess(type->value, names);
    diagnostics_.error(type->value_place,
                       fmt::format("there is no joint of type '{}'", type->value),
                       near.empty() ? fmt::format("types are {}", fmt::join(names, ", ")) : near);
  }

  bool end(const XmlElement& element, const char* which, std::size_t& link) {
    const std::string name =
        element.attribute("name") == nullptr ? "" : element.attribute("name")->value;
    const XmlElement* given = only(element, which);
    if (given == nullptr) {
      diagnostics_.error(element.place, fmt::format("joint '{}' has no <{}>", name, which));
      return false;
    }
    know(*given, {"link"}, {});
    const XmlAttribute* of = given->attribute("link");
    if (of == nullptr) {
      diagnostics_.error(given->place, fmt::format("<{}> of joint '{}' names no link", which, name),
                         fmt::format("write  <{} link=\"...\"/>", which));
      return false;
    }
    const auto known = link_numbers_.find(of->value);
    if (known == link_numbers_.end()) {
      if (too_many_) return false;
      std::vector<std::string> names;
      for (const auto& [other, number] : link_numbers_)
        if (names.size() < 1000) names.push_back(other);
      diagnostics_.error(of->value_place,
                         fmt::format("joint '{}': there is no link '{}'", name, of->value),
                         guess(of->value, names));
      return false;
    }
    link = known->second;
    return true;
  }

  void hold(const XmlElement& element, std::size_t number) {
    const UrdfJoint& joint = robot_.joints[number];
    UrdfLink& child = robot_.links[joint.child];
    if (joint.parent == joint.child)
      return diagnostics_.error(
          element.place, fmt::format("joint '{}' joins '{}' to itself", joint.name, child.name));
    if (child.joint) {
      const UrdfJoint& first = robot_.joints[*child.joint];
      return diagnostics_.error(
          element.place,
          fmt::format("link '{}' has two parents: joint '{}' on {} holds it, too", child.name,
                      first.name, line_of(first.place)),
          "a description is a tree; close the loop in a model that imports it, with  part closing "
          "= "
          "spherical(a = ..., b = ...)");
    }
    child.joint = number;
  }

  void read_axis(const XmlElement& element, UrdfJoint& joint) {
    const XmlElement* axis = only(element, "axis");
    if (axis == nullptr) return;
    know(*axis, {"xyz"}, {});
    joint.axis = vector(*axis, "xyz", {1, 0, 0});
    if (joint.type == JointType::fixed || joint.type == JointType::floating) return;
    if (joint.axis == Vector3{0, 0, 0})
      diagnostics_.error(
          axis->place,
          fmt::format("the axis of joint '{}' is zero and points nowhere", joint.name));
  }

  void read_limit(const XmlElement& element, UrdfJoint& joint) {
    const XmlElement* limit = only(element, "limit");
    const bool bounded = joint.type == JointType::revolute || joint.type == JointType::prismatic;
    if (limit == nullptr) {
      if (bounded)
        note(element.place,
             fmt::format("joint '{}' has no <limit>: its range is not checked", joint.name));
      return;
    }
    know(*limit, {"lower", "upper", "effort", "velocity"}, {});
    const Range range{one(*limit, "lower", 0), one(*limit, "upper", 0)};
    joint.effort = one(*limit, "effort", 0);
    joint.velocity = one(*limit, "velocity", 0);
    if (!bounded) return;
    if (range.lower == 0 && range.upper == 0)
      note(limit->place,
           fmt::format("the limits of joint '{}' are 0 and 0: its range is not checked",
                       joint.name));
    else if (range.lower > range.upper)
      warn(limit->place,
           fmt::format("the limits of joint '{}' are {} and {}: its range is not checked",
                       joint.name, range.lower, range.upper));
    else
      joint.limit = range;
  }

  void mimics() {
    for (std::size_t i = 0; i < robot_.joints.size(); ++i) {
      if (mimic_of_[i] == nullptr) continue;
      const XmlElement& element = *mimic_of_[i];
      UrdfJoint& joint = robot_.joints[i];
      know(element, {"joint", "multiplier", "offset"}, {});
      const XmlAttribute* other = element.attribute("joint");
      if (other == nullptr) {
        diagnostics_.error(element.place,
                           fmt::format("<mimic> of joint '{}' names no joint", joint.name));
        continue;
      }
      const auto known = joint_numbers_.find(other->value);
      if (known == joint_numbers_.end()) {
        diagnostics_.error(other->value_place,
                           fmt::format("joint '{}' follows joint '{}', which does not exist",
                                       joint.name, other->value));
        continue;
      }
      const UrdfJoint& leader = robot_.joints[known->second];
      for (const UrdfJoint* one_of : {static_cast<const UrdfJoint*>(&joint), &leader})
        if (!one_of->turns() && !one_of->slides())
          diagnostics_.error(
              element.place,
              fmt::format("joint '{}' neither turns nor slides: it cannot be part of a <mimic>",
                          one_of->name));
      joint.mimic = Mimic{known->second, one(element, "multiplier", 1), one(element, "offset", 0)};
    }
    for (std::size_t i = 0; i < robot_.joints.size(); ++i) {
      std::size_t steps = 0;
      for (std::size_t at = i; robot_.joints[at].mimic; at = robot_.joints[at].mimic->joint)
        if (++steps > robot_.joints.size()) {
          diagnostics_.error(robot_.joints[i].place,
                             fmt::format("joint '{}' follows itself", robot_.joints[i].name),
                             "one of the joints that follow each other moves by itself");
          return;
        }
    }
  }

  void tree() {
    std::vector<std::size_t> roots;
    for (std::size_t i = 0; i < robot_.links.size(); ++i)
      if (!robot_.links[i].joint) roots.push_back(i);
    if (roots.size() > 1) {
      const UrdfLink& second = robot_.links[roots[1]];
      return diagnostics_.error(
          second.place,
          fmt::format("links '{}' and '{}' both have no parent: this is more than one robot",
                      robot_.links[roots[0]].name, second.name),
          "hold one of them by a joint of type fixed");
    }
    if (roots.empty()) return report_cycle(0);
    robot_.root = roots[0];
    std::vector<std::vector<std::size_t>> children(robot_.links.size());
    for (const UrdfJoint& joint : robot_.joints) children[joint.parent].push_back(joint.child);
    std::vector<bool> reached(robot_.links.size());
    for (std::vector<std::size_t> open{robot_.root}; !open.empty();) {
      const std::size_t at = open.back();
      open.pop_back();
      reached[at] = true;
      open.insert(open.end(), children[at].begin(), children[at].end());
    }
    for (std::size_t i = 0; i < robot_.links.size(); ++i)
      if (!reached[i]) return report_cycle(i);
  }

  void report_cycle(std::size_t link) {
    std::set<std::size_t> seen;
    std::size_t at = link;
    while (seen.insert(at).second) at = robot_.joints[*robot_.links[at].joint].parent;
    std::vector<std::string> circle{robot_.links[at].name};
    for (std::size_t next = robot_.joints[*robot_.links[at].joint].parent;
         next != at && circle.size() < 10; next = robot_.joints[*robot_.links[next].joint].parent)
      circle.push_back(robot_.links[next].name);
    diagnostics_.error(
        robot_.links[at].place,
        fmt::format("links hold each other in a circle: {}", fmt::join(circle, " -> ")),
        "a description is a tree; close the loop in a model that imports it");
  }

  /// A link that moves by itself and carries no inertia: nothing determines its acceleration.
  void tips() {
    std::vector<bool> heavy(robot_.links.size());
    const auto has_inertia = [](const UrdfLink& link) {
      if (!link.inertial) return false;
      const auto& t = link.inertial->tensor;
      return link.inertial->mass > 0 || t[0] > 0 || t[3] > 0 || t[5] > 0;
    };
    for (std::size_t i = 0; i < robot_.links.size(); ++i) {
      if (!has_inertia(robot_.links[i])) continue;
      for (std::size_t at = i; !heavy[at]; at = robot_.joints[*robot_.links[at].joint].parent) {
        heavy[at] = true;
        if (!robot_.links[at].joint) break;
      }
    }
    for (const UrdfJoint& joint : robot_.joints)
      if (joint.type != JointType::fixed && !joint.mimic && !heavy[joint.child])
        warn(joint.place,
             fmt::format(
                 "joint '{}' moves link '{}', which has no inertia, nor has any link beyond it",
                 joint.name, robot_.links[joint.child].name),
             "nothing determines its acceleration unless a model attaches a body to it; give it an "
             "<inertial>, or fix the joint");
  }

  Diagnostics& diagnostics_;
  Robot robot_;
  std::map<std::string, std::size_t> link_numbers_, joint_numbers_;
  std::vector<const XmlElement*> mimic_of_;  // by joint
  std::set<std::string> passed_over_;
  std::size_t warnings_ = 0, hidden_ = 0;
  bool xacro_ = false, too_many_ = false;
};

}  // namespace

Robot read_urdf(const XmlElement& document, Diagnostics& diagnostics) {
  return UrdfReader(diagnostics).read(document);
}

}  // namespace daedal::robots
