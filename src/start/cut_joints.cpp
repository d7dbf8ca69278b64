// Trial by trial: a joint is replaced in the syntax tree, the model derived again, and the replacement kept when the rank of
// the constraints is the same. Of those, the one that removes most equations.

#include "daedal/start/cut_joints.hpp"

#include "daedal/derive/dae.hpp"
#include "daedal/elaborate/elaborate.hpp"
#include "daedal/language/parse.hpp"
#include "daedal/start/prepare.hpp"
#include "redundancy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

namespace daedal::solve {

namespace {

using model::syntax::Argument;
using model::syntax::Call;
using model::syntax::Expression;
using model::syntax::ExpressionPtr;
using model::syntax::Part;
using model::syntax::Statement;

constexpr std::size_t largest_tried = 400;  // coordinates; each trial derives the equations again

using AxisVector = std::array<double, 3>;

AxisVector cross_product(const AxisVector& a, const AxisVector& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

const Argument* argument_named(const Call& call, const std::string& name) {
  for (const Argument& a : call.arguments)
    if (a.name == name) return &a;
  return nullptr;
}

/// [0, -1, 2] as numbers; nullopt for anything else.
std::optional<AxisVector> numbers_of(const ExpressionPtr& e) {
  const auto* matrix = std::get_if<model::syntax::Matrix>(&e->node);
  if (matrix == nullptr || matrix->rows.size() != 1 || matrix->rows[0].size() != 3)
    return std::nullopt;
  AxisVector v{};
  for (std::size_t k = 0; k < 3; ++k) {
    const Expression* entry = matrix->rows[0][k].get();
    double sign = 1;
    if (const auto* negate = std::get_if<model::syntax::Negate>(&entry->node))
      sign = -1, entry = negate->operand.get();
    const auto* number = std::get_if<model::syntax::Number>(&entry->node);
    if (number == nullptr) return std::nullopt;
    v[k] = sign * number->value;
  }
  return v;
}

ExpressionPtr expression_of(const std::string& text) {
  Diagnostics diagnostics;
  return model::parse_expression(std::make_shared<const SourceFile>("proposal", text), diagnostics);
}

/// A call of another joint with those arguments of the first that it knows, and more.
Call call_of(const std::string& joint, const Call& from, std::span<const std::string_view> kept,
             const std::vector<std::pair<std::string, std::string>>& more = {}) {
  Call call = from;
  call.function = joint;
  call.arguments.clear();
  for (const Argument& a : from.arguments)
    if (std::find(kept.begin(), kept.end(), a.name) != kept.end()) call.arguments.push_back(a);
  for (const auto& [name, text] : more)
    call.arguments.push_back({name, from.function_place, expression_of(text)});
  return call;
}

/// Two directions at right angles to the axis, along the body's own axes where they can be.
std::vector<AxisVector> directions_across(const AxisVector& axis) {
  const auto units = {AxisVector{1, 0, 0}, AxisVector{0, 1, 0}, AxisVector{0, 0, 1}};
  std::vector<AxisVector> found;
  for (const AxisVector& u : units)
    if (u[0] * axis[0] + u[1] * axis[1] + u[2] * axis[2] == 0) found.push_back(u);
  if (found.empty()) found.push_back(cross_product(axis, {1, 0, 0}));
  if (found.size() == 1) found.push_back(cross_product(axis, found[0]));
  return found;
}

constexpr std::array<std::string_view, 6> joint_arguments{"a",       "b",      "point_a",
                                                          "point_b", "axis_a", "axis_b"};
constexpr std::span<const std::string_view> ends_and_axes(joint_arguments);
constexpr std::span<const std::string_view> ends_and_line = ends_and_axes.first<5>();
constexpr std::span<const std::string_view> ends = ends_and_axes.first<4>();

/// Of a revolute joint: the equation that tilts about one direction is given up.
void add_universals(std::vector<Call>& list, const Call& revolute) {
  AxisVector axis{0, 0, 1};
  if (const Argument* a = argument_named(revolute, "axis_a")) {
    const std::optional<AxisVector> written = numbers_of(a->value);
    if (!written) return;
    axis = *written;
  }
  const Argument* own = argument_named(revolute, "axis_b");
  const std::string axis_b =
      own != nullptr ? model::print(*own->value) : fmt::format("[{}]", fmt::join(axis, ", "));
  for (const AxisVector& across : directions_across(axis))
    list.push_back(
        call_of("universal", revolute, ends,
                {{"axis_a", fmt::format("[{}]", fmt::join(across, ", "))}, {"axis_b", axis_b}}));
}

/// Joints with some of a joint's equations.
std::vector<Call> weaker(const Call& joint) {
  std::vector<Call> list;
  if (joint.function == "revolute" && argument_named(joint, "planar") == nullptr) {
    list.push_back(call_of("revolute", joint, ends_and_axes, {{"planar", "1"}}));
    list.push_back(call_of("planar", joint, ends_and_axes));
    list.push_back(call_of("spherical", joint, ends));
    list.push_back(call_of("cylindrical", joint, ends_and_axes));
    add_universals(list, joint);
  }
  if (joint.function == "prismatic") {
    list.push_back(call_of("point_on_line", joint, ends_and_line));
    if (argument_named(joint, "orientation") == nullptr)
      list.push_back(call_of("cylindrical", joint, ends_and_line));
  }
  if (joint.function == "screw" && argument_named(joint, "guided") == nullptr) {
    std::array<std::string_view, 7> with_pitch{"pitch"};
    std::copy(joint_arguments.begin(), joint_arguments.end(), with_pitch.begin() + 1);
    list.push_back(call_of("screw", joint, with_pitch, {{"guided", "1"}}));
    list.push_back(call_of("cylindrical", joint, ends_and_axes));
  }
  if (joint.function == "cylindrical" || joint.function == "screw")
    list.push_back(call_of("point_on_line", joint, ends_and_line));
  if (joint.function == "universal" || joint.function == "fixed")
    list.push_back(call_of("spherical", joint, ends));
  return list;
}

bool is_joint(const std::string& function) {
  const std::array joints{"revolute",    "prismatic", "spherical", "universal",      "fixed",
                          "cylindrical", "planar",    "screw",     "point_on_line",  "distance",
                          "gear",        "cam",       "rope",      "rack_and_pinion"};
  return std::find(joints.begin(), joints.end(), function) != joints.end();
}

/// What the constraints of a model are like.
struct ConstraintCount {
  std::size_t constraints = 0, redundant = 0;
  std::vector<std::string> parts;  // that redundant ones belong to
};

class Trials {
 public:
  Trials(model::Library library, const model::Overrides& overrides)
      : library_(std::move(library)), overrides_(overrides) {
    overrides_.lifting = model::Lifting::never;
  }

  std::vector<CutJoint> run() {
    const model::Library given = library_;
    const std::optional<ConstraintCount> start = rank();
    if (!start) return {};
    ConstraintCount now = *start;
    std::vector<CutJoint> found;
    while (now.redundant > 0) {
      if (improve(now, found)) continue;
      library_ = given;
      return cure_at_once(*start);
    }
    return found;
  }

 private:
  model::syntax::Model* chosen_model() {
    std::vector<model::syntax::Model>& models = library_.files.back().models;
    if (models.empty()) return nullptr;
    if (overrides_.model.empty()) return &models.back();
    for (model::syntax::Model& m : models)
      if (m.name == overrides_.model) return &m;
    return nullptr;
  }
  bool is_element(const std::string& function) const {
    for (const model::syntax::File& file : library_.files)
      for (const model::syntax::Model& m : file.models)
        if (m.name == function) return false;
    return is_joint(function);
  }

  /// How many there are; nullopt when it is no model.
  std::optional<std::size_t> constraints() const {
    try {
      return model::elaborate(library_, overrides_).constraints.size();
    } catch (const ModelError&) {
      return std::nullopt;
    }
  }

  std::optional<ConstraintCount> rank() const {
    try {
      const auto m = std::make_shared<const model::Model>(model::elaborate(library_, overrides_));
      const auto whole = std::make_shared<const derive::Dae>(derive::derive(m));
      if (whole->mechanics.coordinates.size() > largest_tried) return std::nullopt;
      const Prepared prepared =
          prepare(whole, {}, {.redundant_constraints = RedundantConstraints::least_norm});
      const std::vector<model::Relation>& constraints = prepared.dae->model->constraints;
      ConstraintCount result{constraints.size(), prepared.dae->left_out.constraints.size(), {}};
      for (const std::uint32_t i : prepared.dae->left_out.constraints)
        result.parts.push_back(part_of(constraints[i].name));
      return result;
    } catch (const ModelError&) {
      return std::nullopt;
    }
  }

  /// Statements with a joint: those with redundant constraints first, then the others from the last to the first.
  std::vector<std::size_t> joints(const model::syntax::Model& m, const ConstraintCount& now) const {
    std::vector<std::size_t> named, others;
    for (std::size_t i = m.statements.size(); i-- > 0;) {
      const auto* part = std::get_if<Part>(&m.statements[i].node);
      if (part == nullptr || part->binder) continue;
      const auto* call = std::get_if<Call>(&part->call->node);
      if (call == nullptr || call->part != nullptr || !is_element(call->function)) continue;
      const bool redundant =
          std::find(now.parts.begin(), now.parts.end(), part->name) != now.parts.end();
      (redundant ? named : others).push_back(i);
    }
    named.insert(named.end(), others.begin(), others.end());
    return named;
  }

  /// Replaces one joint in library_, and says so in `found`.
  bool improve(ConstraintCount& now, std::vector<CutJoint>& found) {
    model::syntax::Model* m = chosen_model();
    if (m == nullptr) return false;
    for (const std::size_t i : joints(*m, now)) {
      if (std::optional<Trial> best = best_of(i, now)) {
        library_ = std::move(best->library);
        found.push_back(std::move(best->joint));
        now = std::move(best->rank);
        return true;
      }
    }
    return false;
  }

  /// One joint with all redundant equations less, where the joints that messages name cannot give up all of theirs.
  std::vector<CutJoint> cure_at_once(const ConstraintCount& now) {
    const model::syntax::Model* m = chosen_model();
    if (m == nullptr) return {};
    const model::Library given = library_;
    for (const std::size_t i : joints(*m, now)) {
      for (Trial& trial : trials(i, now)) {
        if (static_cast<std::size_t>(trial.joint.equations_less) != now.redundant) continue;
        library_ = trial.library;
        const std::optional<ConstraintCount> then = rank();
        library_ = given;
        if (then && keeps_rank(now, *then)) return {std::move(trial.joint)};
      }
    }
    return {};
  }

  struct Trial {
    model::Library library;
    ConstraintCount rank;
    CutJoint joint;
  };

  /// Same rank: as many redundant equations less as there are equations less.
  static bool keeps_rank(const ConstraintCount& before, const ConstraintCount& after) {
    return after.constraints < before.constraints &&
           before.constraints - after.constraints == before.redundant - after.redundant;
  }

  /// The joint left out, or with fewer equations.
  std::vector<Trial> trials(std::size_t statement, const ConstraintCount& now) {
    const model::Library given = library_;
    const Statement before = chosen_model()->statements[statement];
    const Part& part = std::get<Part>(before.node);
    std::vector<Trial> list;
    const auto add = [&](std::string text) {
      const std::optional<std::size_t> left = constraints();
      if (left && *left < now.constraints && now.constraints - *left <= now.redundant)
        list.push_back({library_,
                        {},
                        {part.name, before.place, std::move(text),
                         static_cast<int>(now.constraints - *left)}});
      library_ = given;
    };
    std::vector<Statement>& own = chosen_model()->statements;
    own.erase(own.begin() + static_cast<std::ptrdiff_t>(statement));
    add("");
    for (Call& call : weaker(std::get<Call>(part.call->node))) {
      auto replaced = std::make_shared<Expression>(*part.call);
      replaced->node = std::move(call);
      Part other = part;
      other.call = replaced;
      chosen_model()->statements[statement].node = std::move(other);
      add(fmt::format("part {}{} = {}", part.name, part.doc.empty() ? "" : " \"" + part.doc + "\"",
                      model::print(*replaced)));
    }
    std::stable_sort(list.begin(), list.end(), [](const Trial& x, const Trial& y) {
      return x.joint.equations_less > y.joint.equations_less;
    });
    return list;
  }

  /// Deriving is the work: the first that keeps the rank removes most.
  std::optional<Trial> best_of(std::size_t statement, const ConstraintCount& now) {
    const model::Library given = library_;
    for (Trial& trial : trials(statement, now)) {
      library_ = trial.library;
      const std::optional<ConstraintCount> then = rank();
      library_ = given;
      if (!then || !keeps_rank(now, *then)) continue;
      trial.rank = *then;
      return std::move(trial);
    }
    return std::nullopt;
  }

  model::Library library_;
  model::Overrides overrides_;
};

}  // namespace

std::vector<CutJoint> cut_joints(const model::Library& library, const model::Overrides& overrides) {
  return Trials(library, overrides).run();
}

}  // namespace daedal::solve
