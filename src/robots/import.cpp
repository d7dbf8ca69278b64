// A robot as model text: a part for every link, in the order of the joints of the file; limits, motors and pictures.
#include "daedal/robots/import.hpp"

#include "daedal/base/utf8.hpp"
#include "daedal/language/lexer.hpp"
#include "robots/urdf.hpp"

#include <Eigen/Geometry>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <utility>

namespace daedal::robots {

namespace {

constexpr double rounded_entry = 1e-12;  // of a rotation: closer to 0, 1 or -1 is meant

std::string text_of(double number) { return fmt::format("{}", number == 0 ? 0.0 : number); }

std::string text_of(const Eigen::Vector3d& v) {
  return fmt::format("[{}, {}, {}]", text_of(v[0]), text_of(v[1]), text_of(v[2]));
}

Eigen::Vector3d eigen(const Vector3& v) { return {v[0], v[1], v[2]}; }

Eigen::Matrix3d rotation(const Vector3& rpy) {
  Eigen::Matrix3d R = (Eigen::AngleAxisd(rpy[2], Eigen::Vector3d::UnitZ()) *
                       Eigen::AngleAxisd(rpy[1], Eigen::Vector3d::UnitY()) *
                       Eigen::AngleAxisd(rpy[0], Eigen::Vector3d::UnitX()))
                          .toRotationMatrix();
  for (double& entry : R.reshaped())
    for (const double exact : {0.0, 1.0, -1.0})
      if (std::abs(entry - exact) <= rounded_entry) entry = exact;
  return R;
}

struct Placement {
  Eigen::Matrix3d R = Eigen::Matrix3d::Identity();
  Eigen::Vector3d r = Eigen::Vector3d::Zero();
};

class Writer {
 public:
  Writer(const Robot& robot, const ImportOptions& options, const SourceFile& source,
         Diagnostics& diagnostics)
      : robot_(robot), options_(options), source_(source), diagnostics_(diagnostics) {}

  std::string write() {
    choose_names();
    text_ = fmt::format("model {} \"imported from {}, {}\"\n", model_, quotable(file_name()),
                        base_in_words());
    root();
    for (const UrdfJoint& joint : robot_.joints) part(joint);
    for (std::size_t i = 0; i < robot_.joints.size(); ++i)
      if (joint_names_[i] != link_names_[robot_.joints[i].child])
        text_ += fmt::format("let {} = {}\n", joint_names_[i], link_names_[robot_.joints[i].child]);
    for (const UrdfJoint& joint : robot_.joints) limits(joint);
    for (std::size_t i = 0; i < robot_.joints.size(); ++i) motor(i);
    for (std::size_t i = 0; i < robot_.links.size(); ++i)
      for (const Visual& visual : robot_.links[i].visuals) draw(i, visual);
    return std::move(text_);
  }

 private:
  // ---- names

  std::string file_name() const {
    const std::string& path = source_.path();
    return path.substr(path.rfind('/') + 1);
  }
  static std::string quotable(const std::string& text) {
    std::string plain;
    for (const char c : visible(text)) plain += c == '"' || c == '\\' || c == '\n' ? '_' : c;
    return plain;
  }

  /// A name of the language: letters, digits and underscores, and no word that means something.
  static std::string identifier(const std::string& name, const char* kind) {
    std::string made;
    for (std::size_t at = 0; at < name.size();) {
      const CodePoint c = decode_utf8(name, at);
      const bool plain = c.value < 0x80 && c.valid;
      const bool digit = plain && c.value >= '0' && c.value <= '9';
      const bool letter = plain ? (c.value >= 'a' && c.value <= 'z') ||
                                      (c.value >= 'A' && c.value <= 'Z') || c.value == '_'
                                : is_letter(c);
      if (digit && made.empty()) made = fmt::format("{}_", kind);
      if (digit || letter)
        made.append(name, at, c.bytes);
      else
        made += '_';
      at += c.bytes;
    }
    static const std::set<std::string, std::less<>> taken{
        "t",     "pi",   "sum",    "der",   "fixed", "nonlinear", "radius", "width", "height",
        "label", "line", "spring", "arrow", "disc",  "ring",      "box",    "text",  "in",
        "at",    "on",   "about",  "by",    "when",  "every",     "true",   "false"};
    if (made.empty() || taken.contains(made) || model::is_statement_keyword(made) ||
        model::is_operator_word(made))
      made += fmt::format("{}{}", made.empty() ? "" : "_", kind);
    return made;
  }

  std::string unique(const std::string& wanted) {
    std::string made = wanted;
    for (int k = 2; !taken_.insert(made).second; ++k) made = fmt::format("{}_{}", wanted, k);
    return made;
  }

  void told_name(const Place& place, const char* what, const std::string& name,
                 const std::string& made) {
    if (made != name)
      diagnostics_.add({Severity::note,
                        place,
                        fmt::format("{} '{}' is called {} here", what, name, made),
                        {},
                        {}});
  }

  void choose_names() {
    std::string name = robot_.name;
    if (name.empty()) name = file_name().substr(0, file_name().rfind('.'));
    model_ = identifier(name, "robot");
    for (const UrdfLink& link : robot_.links) {
      link_names_.push_back(unique(identifier(link.name, "link")));
      told_name(link.place, "link", link.name, link_names_.back());
    }
    // The other name of its child: a joint has that of its link, or one of its own, or says what it is
    for (const UrdfJoint& joint : robot_.joints) {
      const std::string wanted = identifier(joint.name, "joint");
      const bool same = wanted == link_names_[joint.child];
      joint_names_.push_back(same ? wanted
                                  : unique(taken_.contains(wanted) ? wanted + "_joint" : wanted));
      told_name(joint.place, "joint", joint.name, joint_names_.back());
    }
  }

  // ---- the base

  bool root_is_world() const {
    return robot_.links[robot_.root].name == "world" && !robot_.links[robot_.root].inertial;
  }

  std::string base_in_words() const {
    const std::string& name = link_names_[robot_.root];
    if (root_is_world()) return fmt::format("link '{}' is the ground", name);
    return fmt::format("base '{}' {}", name, options_.base == Base::free ? "free" : "fixed");
  }

  void root() {
    const UrdfLink& root = robot_.links[robot_.root];
    if (root_is_world()) {
      if (options_.base == Base::free)
        diagnostics_.error(root.place,
                           "the base is 'world', which is the ground and cannot be free",
                           "leave  base = free  out: a joint of type floating frees what it holds");
      text_ += fmt::format("part {} = fixed_link()\n", link_names_[robot_.root]);
      return;
    }
    if (options_.base == Base::unstated)
      diagnostics_.add(
          {Severity::note,
           root.place,
           fmt::format("the base '{}' is fixed: the description does not say whether it is",
                       link_names_[robot_.root]),
           {},
           fmt::format(
               "import \"{}\" (base = free)  lets it move, (base = fixed) says that it does not",
               quotable(file_name()))});
    const bool free = options_.base == Base::free;
    text_ +=
        fmt::format("part {} = {}({})\n", link_names_[robot_.root],
                    free ? "free_link" : "fixed_link", body(root).substr(root.inertial ? 2 : 0));
  }

  // ---- links

  /// ", mass = ..., centre = ..., inertia = ...", in the axes of the link.
  static std::string body(const UrdfLink& link) {
    if (!link.inertial) return {};
    const Inertial& own = *link.inertial;
    const auto& t = own.tensor;
    Eigen::Matrix3d J;
    J << t[0], t[1], t[2], t[1], t[3], t[4], t[2], t[4], t[5];
    if (own.at.rpy != Vector3{}) {
      const Eigen::Matrix3d R = rotation(own.at.rpy);
      J = R * J * R.transpose();
      J = (J + J.transpose()).eval() / 2;
    }
    std::string made = fmt::format(", mass = {}", text_of(own.mass));
    if (own.at.xyz != Vector3{}) made += fmt::format(", centre = {}", text_of(eigen(own.at.xyz)));
    const bool diagonal = J(0, 1) == 0 && J(0, 2) == 0 && J(1, 2) == 0;
    if (J.isZero(0)) return made;
    if (diagonal) return made + fmt::format(", inertia = {}", text_of(J.diagonal()));
    made += ", inertia = [";
    for (int i = 0; i < 3; ++i)
      made += fmt::format("{}, {}, {}{}", text_of(J(i, 0)), text_of(J(i, 1)), text_of(J(i, 2)),
                          i < 2 ? "; " : "]");
    return made;
  }

  static std::string placed(const Pose& pose) {
    std::string made;
    if (pose.xyz != Vector3{}) made += fmt::format(", position = {}", text_of(eigen(pose.xyz)));
    if (pose.rpy != Vector3{})
      made += fmt::format(", orientation = rpy({}, {}, {})", text_of(pose.rpy[0]),
                          text_of(pose.rpy[1]), text_of(pose.rpy[2]));
    return made;
  }

  static std::string along(const Vector3& axis) {
    return axis == Vector3{0, 0, 1} ? "" : fmt::format(", axis = {}", text_of(eigen(axis)));
  }

  const std::string& child(const UrdfJoint& joint) const { return link_names_[joint.child]; }

  /// "hand.angle" or "slider.displacement"
  std::string coordinate(const UrdfJoint& joint) const {
    return child(joint) + (joint.slides() ? ".displacement" : ".angle");
  }

  void part(const UrdfJoint& joint) {
    const UrdfLink& link = robot_.links[joint.child];
    const auto line = [&](const std::string& name, const char* element, const std::string& parent,
                          const std::string& arguments) {
      text_ += fmt::format("part {} = {}(parent = {}{})\n", name, element, parent, arguments);
    };
    const std::string& parent = link_names_[joint.parent];
    const std::string where = placed(joint.at), axis = along(joint.axis);
    const std::string damping =
        joint.damping != 0 ? fmt::format(", damping = {}", text_of(joint.damping)) : "";
    if (joint.mimic)
      return line(child(joint), "coupled_link", parent,
                  where + axis + followed(joint) + body(link));
    switch (joint.type) {
      case JointType::revolute:
      case JointType::continuous:
        return line(child(joint), "revolute_link", parent, where + axis + damping + body(link));
      case JointType::prismatic:
        return line(child(joint), "prismatic_link", parent, where + axis + damping + body(link));
      case JointType::fixed:
        return line(child(joint), "fixed_link", parent, where + body(link));
      case JointType::floating:
        return floating(joint);
      case JointType::planar:
        return planar(joint);
    }
  }

  /// ", angle = 2*left.angle + 0.1"
  std::string followed(const UrdfJoint& joint) const {
    const UrdfJoint& leader = robot_.joints[joint.mimic->joint];
    std::string made = fmt::format(", {} = {}*{}", joint.slides() ? "displacement" : "angle",
                                   text_of(joint.mimic->multiplier), coordinate(leader));
    if (joint.mimic->offset != 0) made += fmt::format(" + ({})", text_of(joint.mimic->offset));
    return made;
  }

  /// A body that a floating joint frees starts where its parent is with all coordinates 0.
  void floating(const UrdfJoint& joint) {
    const Placement at = placement(joint.child);
    std::string arguments;
    if (!at.r.isZero(0)) arguments += fmt::format(", position = {}", text_of(at.r));
    if (!at.R.isIdentity(0)) {
      arguments += ", orientation = [";
      for (int i = 0; i < 3; ++i)
        arguments += fmt::format("{}, {}, {}{}", text_of(at.R(i, 0)), text_of(at.R(i, 1)),
                                 text_of(at.R(i, 2)), i < 2 ? "; " : "]");
    }
    arguments += body(robot_.links[joint.child]);
    text_ += fmt::format("part {} = free_link({})\n", child(joint),
                         arguments.substr(arguments.empty() ? 0 : 2));
    diagnostics_.add(
        {Severity::note,
         joint.place,
         fmt::format("joint '{}' is floating: '{}' has coordinates in the world, not in '{}'",
                     joint.name, child(joint), link_names_[joint.parent]),
         {},
         {}});
  }

  /// Two slides and a turn about the normal, with links that have no inertia in between.
  void planar(const UrdfJoint& joint) {
    const Eigen::Vector3d normal = eigen(joint.axis).normalized();
    Eigen::Index far = 0;
    normal.cwiseAbs().minCoeff(&far);
    const Eigen::Vector3d x = (Eigen::Vector3d::Unit(far) - normal[far] * normal).normalized();
    const std::string first = unique(child(joint) + "_x"), second = unique(child(joint) + "_y");
    const std::string damping =
        joint.damping != 0 ? fmt::format(", damping = {}", text_of(joint.damping)) : "";
    text_ += fmt::format("part {} = prismatic_link(parent = {}{}, axis = {}{})\n", first,
                         link_names_[joint.parent], placed(joint.at), text_of(x), damping);
    text_ += fmt::format("part {} = prismatic_link(parent = {}, axis = {}{})\n", second, first,
                         text_of(Eigen::Vector3d(normal.cross(x))), damping);
    text_ += fmt::format("part {} = revolute_link(parent = {}{}{})\n", child(joint), second,
                         along(joint.axis), body(robot_.links[joint.child]));
    diagnostics_.add({Severity::note,
                      joint.place,
                      fmt::format("joint '{}' is planar: '{}' slides on {} and {} and turns",
                                  joint.name, child(joint), first, second),
                      {},
                      {}});
  }

  Placement placement(std::size_t link) const {
    std::vector<const UrdfJoint*> path;
    for (std::size_t at = link; robot_.links[at].joint; at = path.back()->parent)
      path.push_back(&robot_.joints[*robot_.links[at].joint]);
    Placement made;
    for (auto joint = path.rbegin(); joint != path.rend(); ++joint) {
      made.r += made.R * eigen((*joint)->at.xyz);
      made.R = made.R * rotation((*joint)->at.rpy);
    }
    return made;
  }

  // ---- limits and motors

  void limits(const UrdfJoint& joint) {
    if (!joint.turns() && !joint.slides()) return;
    if (joint.limit)
      text_ += fmt::format("limit {} in [{}, {}]\n", coordinate(joint), text_of(joint.limit->lower),
                           text_of(joint.limit->upper));
    if (joint.velocity > 0)
      text_ += fmt::format("limit {}' in [{}, {}]\n", coordinate(joint), text_of(-joint.velocity),
                           text_of(joint.velocity));
    if (joint.mimic && joint.damping != 0)
      text_ += fmt::format("dissipation {}/2*{}'^2\n", text_of(joint.damping), coordinate(joint));
    if (joint.friction > 0)
      diagnostics_.add(
          {Severity::note,
           joint.place,
           fmt::format("friction {} of joint '{}' is left out", text_of(joint.friction),
                       joint.name),
           {},
           fmt::format("a smooth law is  torque -{}*tanh({}'/0.01) about {}",
                       text_of(joint.friction), coordinate(joint), coordinate(joint))});
  }

  void motor(std::size_t number) {
    const UrdfJoint& joint = robot_.joints[number];
    if (!options_.motors || joint.mimic || (!joint.turns() && !joint.slides())) return;
    const std::string input = unique("u_" + joint_names_[number]);
    text_ += fmt::format("input {} \"{} of joint {}\" [{}]\n", input,
                         joint.slides() ? "force" : "torque", quotable(joint.name),
                         joint.slides() ? "N" : "N*m");
    text_ += joint.slides() ? fmt::format("force {} on {}\n", input, coordinate(joint))
                            : fmt::format("torque {} about {}\n", input, coordinate(joint));
    if (joint.effort > 0)
      text_ += fmt::format("limit {} in [{}, {}]\n", input, text_of(-joint.effort),
                           text_of(joint.effort));
  }

  // ---- pictures

  void draw(std::size_t link, const Visual& visual) {
    const Eigen::Matrix3d R = rotation(visual.at.rpy);
    const Eigen::Vector3d centre = eigen(visual.at.xyz);
    const auto at = [&](const Eigen::Vector3d& s) {
      return fmt::format("{}.point({})", link_names_[link],
                         text_of(Eigen::Vector3d(centre + R * s)));
    };
    if (visual.shape == Shape::sphere) {
      text_ += fmt::format("draw disc {} radius {}\n", at(Eigen::Vector3d::Zero()),
                           text_of(visual.size[0]));
      return;
    }
    if (visual.shape == Shape::cylinder) {
      const Eigen::Vector3d half(0, 0, visual.size[1] / 2);
      text_ += fmt::format("draw line {} -> {}\n", at(-half), at(half));
      return;
    }
    // A closed walk along all twelve edges of a box passes four of them twice.
    static constexpr std::array<int, 17> walk{0, 1, 3, 2, 0, 4, 5, 1, 5, 7, 3, 7, 6, 2, 6, 4, 0};
    text_ += "draw line ";
    for (std::size_t k = 0; k < walk.size(); ++k) {
      const auto side = [&](int bit) { return ((walk[k] >> bit) & 1) == 0 ? -0.5 : 0.5; };
      const Eigen::Vector3d corner(side(0) * visual.size[0], side(1) * visual.size[1],
                                   side(2) * visual.size[2]);
      text_ += (k == 0 ? "" : " -> ") + at(corner);
    }
    text_ += "\n";
  }

  const Robot& robot_;
  const ImportOptions& options_;
  const SourceFile& source_;
  Diagnostics& diagnostics_;
  std::string model_, text_;
  std::vector<std::string> link_names_, joint_names_;
  std::set<std::string> taken_;
};

}  // namespace

bool is_robot_description(std::string_view path) {
  const std::size_t dot = path.rfind('.');
  if (dot == std::string_view::npos) return false;
  std::string ending(path.substr(dot));
  std::transform(ending.begin(), ending.end(), ending.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return ending == ".urdf" || ending == ".xacro";
}

ImportedRobot import_robot(const std::shared_ptr<const SourceFile>& source,
                           const ImportOptions& options) {
  Diagnostics diagnostics;
  const XmlElement document = read_xml(source);
  const Robot robot = read_urdf(document, diagnostics);
  diagnostics.throw_if_errors();
  ImportedRobot made;
  made.text = Writer(robot, options, *source, diagnostics).write();
  diagnostics.throw_if_errors();
  made.notes = diagnostics.list();
  return made;
}

}  // namespace daedal::robots
