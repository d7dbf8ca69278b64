// Links of trees of joints: what elements/links.daedal cannot say in the language itself.
//
// Velocities are formed in axes whose z is the joint's (own axes). With T from own axes to the link's, O the joint's orientation
// in the parent, the rotation from own axes at rest to the parent's own is T_parent^T O T: constant, computed here once, and
// entries that only rounding keeps from 0, 1 or -1 become that. cos(pi/2) = 6e-17 would cost a quarter more operations in every
// evaluation of a robot whose axes are at right angles.
//
// A fixed link has the own axes and the origin of its parent, which carries its inertia.
#include "daedal/base/diagnostic.hpp"
#include "elaborate/elaborator.hpp"
#include "elaborate/elements.hpp"

#include <Eigen/Geometry>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace daedal::model {

namespace {

using Rotation = Eigen::Matrix3d;

constexpr double rounded_entry = 1e-12;   // of a rotation: closer to 0, 1 or -1 is meant
constexpr double given_to_digits = 1e-6;  // rows of a matrix that was typed in

Rotation with_rounded_entries(Rotation R) {
  for (double& entry : R.reshaped())
    for (const double exact : {0.0, 1.0, -1.0})
      if (std::abs(entry - exact) <= rounded_entry) entry = exact;
  return R;
}

/// The orthogonal matrix next to R, by Newton's iteration for the polar factor, which leaves rows such as (0, 0, 1) as they are.
Rotation orthogonal(Rotation R) {
  R = with_rounded_entries(R);
  for (int k = 0; k < 3; ++k) R = R * (3 * Rotation::Identity() - R.transpose() * R) / 2;
  return with_rounded_entries(R);
}

bool is_rotation(const Rotation& R) {
  const bool orthonormal =
      (R.transpose() * R - Rotation::Identity()).cwiseAbs().maxCoeff() <= given_to_digits;
  return orthonormal && R.col(0).cross(R.col(1)).dot(R.col(2)) > 0;
}

/// Right-handed axes with z along a unit vector; permuted where it is one of the axes.
Rotation axes_along(const Eigen::Vector3d& z) {
  Eigen::Index far = 0;  // the axis that z is farthest from
  z.cwiseAbs().minCoeff(&far);
  Eigen::Index near = 0;
  if (z.cwiseAbs().maxCoeff(&near) == 1) far = (near + 1) % 3;
  Eigen::Vector3d x = Eigen::Vector3d::Unit(far);
  if (z.cwiseAbs().maxCoeff() != 1) x = x.cross(z).normalized();
  Rotation axes;
  axes << x, z.cross(x), z;
  return orthogonal(axes);
}

Rotation of_quaternion(const std::array<double, 4>& given) {
  const double length = std::sqrt(given[0] * given[0] + given[1] * given[1] + given[2] * given[2] +
                                  given[3] * given[3]);
  const double s = given[0] / length, x = given[1] / length, y = given[2] / length,
               z = given[3] / length;
  Rotation R;
  R << 1 - 2 * (y * y + z * z), 2 * (x * y - s * z), 2 * (x * z + s * y),  //
      2 * (x * y + s * z), 1 - 2 * (x * x + z * z), 2 * (y * z - s * x),   //
      2 * (x * z - s * y), 2 * (y * z + s * x), 1 - 2 * (x * x + y * y);
  return R;
}

Value value_of_rotation(expr::Graph& graph, const Rotation& R) {
  Value value{Shape::matrix(3, 3), {}};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) value.entries.push_back(graph.constant(R(i, j)));
  return value;
}

std::string link_name(const Instance& link) {
  return link.prefix.substr(0, link.prefix.size() - 1);
}

/// Gives a name of an element its meaning, whatever its text says.
void settle(Instance& link, const std::string& name, Value value) {
  Entry& entry = link.names.at(name);
  entry.thing = {Thing::Role::plain, std::move(value)};
  entry.state = Entry::State::done;
}

const Value& settled_value(const Instance& link, const std::string& name) {
  return *link.names.at(name).thing.value();
}

}  // namespace

/// The numbers that a value consists of; none: it contains symbols.
std::optional<std::vector<double>> Elaborator::constants(const Value& value) const {
  std::vector<double> numbers;
  for (const expr::Expr e : value.entries) {
    if (!graph_->is_constant(e)) return std::nullopt;
    numbers.push_back(graph_->constant_value(e));
  }
  return numbers;
}

/// A rotation of numbers, rounded; else the formula as it stands, which may contain parameters and nothing that moves.
Value Elaborator::orientation_of(const Instance& link) {
  const auto given = link.given.find("orientation");
  if (given == link.given.end()) return value_of_rotation(*graph_, Rotation::Identity());
  const Value& value = given->second.value;
  const Place& place = given->second.place;
  const bool quaternion = value.shape == Shape::vector(4);
  if (!quaternion && value.shape != Shape::matrix(3, 3))
    fault(place,
          fmt::format("the orientation of '{}' must be a rotation matrix or a quaternion, not {}",
                      link_name(link), value.shape.text()),
          "write  orientation = rpy(0, 0, pi/2)");
  std::vector<double> numbers;
  for (const expr::Expr e : value.entries)
    numbers.push_back(
        evaluator_.number(e, place, fmt::format("the orientation of '{}'", link_name(link))));
  Rotation R = Rotation::Zero();
  if (quaternion) {
    const std::array<double, 4> q{numbers[0], numbers[1], numbers[2], numbers[3]};
    if (std::all_of(q.begin(), q.end(), [](double entry) { return entry == 0; }))
      fault(place, "'orientation' is zero and points nowhere");
    R = of_quaternion(q);
  } else {
    R = Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(numbers.data());
  }
  if (!is_rotation(R))
    fault(
        place,
        fmt::format("the orientation of '{}' is no rotation: the columns must be at right angles, "
                    "of length 1 and right-handed",
                    link_name(link)),
        "write  orientation = rpy(0, 0, pi/2)");
  if (constants(value).has_value()) return value_of_rotation(*graph_, orthogonal(R));
  if (quaternion)
    fault(place, "a quaternion of a link is made of numbers",
          "rpy(...), rotx(...), roty(...) and rotz(...) may contain parameters");
  return value;
}

/// The unit quaternion of a rotation, by the largest of its entries at the numbers of now: sqrt never comes near 0.
Value Elaborator::quaternion_of(const Value& rotation, const Place& place) {
  const auto now = [&](std::uint32_t i) {
    return evaluator_.number(rotation(i, i), place, "the orientation");
  };
  const double diagonal[] = {now(0), now(1), now(2)};
  const double trace = diagonal[0] + diagonal[1] + diagonal[2];
  const auto largest =
      static_cast<std::uint32_t>(std::max_element(diagonal, diagonal + 3) - diagonal);
  expr::Graph& g = *graph_;
  std::vector<expr::Expr> q(4);  // 4 q_k q, with q_k the largest
  if (trace >= diagonal[largest]) {
    q[0] = g.add(g.constant(1), g.add(rotation(0, 0), g.add(rotation(1, 1), rotation(2, 2))));
    for (std::uint32_t i = 0; i < 3; ++i) {
      const std::uint32_t j = (i + 1) % 3, k = (i + 2) % 3;
      q[i + 1] = g.sub(rotation(k, j), rotation(j, k));
    }
  } else {
    const std::uint32_t i = largest, j = (i + 1) % 3, k = (i + 2) % 3;
    q[0] = g.sub(rotation(k, j), rotation(j, k));
    q[i + 1] = g.sub(g.add(g.constant(1), rotation(i, i)), g.add(rotation(j, j), rotation(k, k)));
    q[j + 1] = g.add(rotation(i, j), rotation(j, i));
    q[k + 1] = g.add(rotation(i, k), rotation(k, i));
  }
  const Value row = Value::vector(std::move(q));
  return algebra_.divide(row, Value::scalar(algebra_.norm(row, place)), place);
}

/// Own axes of a link, of which z is its axis.
Value Elaborator::axes_of(Instance& link) {
  const auto given = link.given.find("axis");
  Eigen::Vector3d axis = Eigen::Vector3d::UnitZ();
  if (given != link.given.end()) {
    const Place& place = given->second.place;
    const auto numbers = constants(given->second.value);
    if (given->second.value.shape != Shape::vector(3) || !numbers)
      fault(place, fmt::format("the axis of '{}' is a vector of 3 numbers", link_name(link)),
            "parameters turn the joint by its  orientation");
    axis = Eigen::Vector3d((*numbers)[0], (*numbers)[1], (*numbers)[2]);
    if (!(axis.norm() > 0)) fault(place, "'axis' is zero and points nowhere");
  }
  axis.normalize();
  for (double& entry : axis)
    for (const double exact : {0.0, 1.0, -1.0})
      if (std::abs(entry - exact) <= rounded_entry) entry = exact;
  Value unit{Shape::vector(3), {}};
  for (const double entry : axis) unit.entries.push_back(graph_->constant(entry));
  settle(link, "axis", std::move(unit));
  return value_of_rotation(*graph_, axes_along(axis));
}

/// Own axes, placement and gravity of a new link, whose arguments have been read; a fixed one is added to what its parent
/// carries.
void Elaborator::prepare_link(Instance& link) {
  const auto given = link.given.find("parent");
  Instance* parent = given == link.given.end() ? nullptr : given->second.part;
  if (given != link.given.end() &&
      (parent == nullptr || !parent->names.contains("point") || !parent->names.contains("p")))
    fault(given->second.place,
          fmt::format("the parent of '{}' is not a body in space", link_name(link)),
          "without 'parent' a link is attached to the ground");
  const bool inner = parent != nullptr && Elements::all().is_link(*parent->model);
  const bool fixed = link.model->name == "fixed_link" && inner;
  settle(link, "inner", algebra_.number(inner ? 1 : 0));
  settle(link, "merged", algebra_.number(fixed ? 1 : 0));
  const Value orientation = orientation_of(link);
  settle(link, "rest_p", quaternion_of(orientation, link.use));
  settle(link, "orientation", orientation);
  const auto outer_axes = [&] {
    return inner ? settled_value(*parent, "own_axes")
                 : value_of_rotation(*graph_, Rotation::Identity());
  };
  const auto product = [&](const Value& a, const Value& b) {
    Value result = algebra_.multiply(a, b, link.use);
    if (const auto numbers = constants(result))
      result = value_of_rotation(
          *graph_, orthogonal(Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(
                       numbers->data())));
    return result;
  };
  const auto transposed = [&](const Value& a) { return algebra_.transpose(a, link.use); };
  if (link.model->name == "free_link") {
    settle(link, "own_axes", value_of_rotation(*graph_, Rotation::Identity()));
  } else if (fixed) {
    settle(link, "own_axes", product(transposed(orientation), outer_axes()));
    settle(link, "placement", value_of_rotation(*graph_, Rotation::Identity()));
    Instance* carrier = parent;
    while (carrier->carried_by != nullptr) carrier = carrier->carried_by;
    link.carried_by = carrier;
  } else {
    const Value own = link.names.contains("axis")
                          ? axes_of(link)
                          : value_of_rotation(*graph_, Rotation::Identity());
    settle(link, "own_axes", own);
    settle(link, "placement", product(product(transposed(outer_axes()), orientation), own));
  }
  inherit_gravity(link, parent);
}

/// Gravity is that of the base, so that a change there reaches the tree.
void Elaborator::inherit_gravity(Instance& link, Instance* parent) {
  if (parent == nullptr || !parent->names.contains("gravity")) return;
  const Thing& gravity = resolve(*parent, parent->names.at("gravity"), link.use);
  if (gravity.value() == nullptr) return;
  const auto own = link.given.find("gravity");
  if (own != link.given.end() && own->second.value.entries != gravity.value()->entries)
    fault(own->second.place,
          fmt::format("the gravity of '{}' is that of its parent '{}'", link_name(link),
                      link_name(*parent)),
          "give it to the base of the tree");
  link.given["gravity"] = {*gravity.value(), link.use};
}

/// What fixed links add to the mass, moment or inertia of the link that carries them.
void Elaborator::add_carried(Instance& link, const Entry& entry, Value& value) {
  for (Instance* part : link.carries) {
    Entry& own = part->names.find(std::string(entry.name))->second;
    const Thing& more = resolve(*part, own, part->use);
    if (more.value() == nullptr) follow_up_fault();
    value = algebra_.add(value, *more.value(), part->use);
  }
}

/// Joints of a link's frame are places that do not move: v of a link has no term for one that does.
void Elaborator::check_link(const Instance& link) const {
  for (const char* name : {"position", "orientation", "centre", "mass", "inertia"}) {
    const auto known = link.names.find(name);
    if (known == link.names.end() || known->second.thing.value() == nullptr) continue;
    for (const expr::Leaf& leaf : expr::leaves(*graph_, known->second.thing.value()->entries)) {
      if (model_.symbols[leaf.symbol].kind == SymbolKind::parameter) continue;
      fault(place_of_parameter(link, name),
            fmt::format("'{}' of '{}' contains {}, and does not change with time", name,
                        link_name(link), describe(model_.symbols[leaf.symbol])),
            "a  coupled_link  turns and slides as its  angle  and  displacement  say");
    }
  }
}

}  // namespace daedal::model
