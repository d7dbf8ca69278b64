#include "elaborate/elements.hpp"

#include "daedal/base/symmetric_eigen.hpp"
#include "daedal/expr/graph.hpp"
#include "daedal/language/parse.hpp"
#include "elaborate/elaborator.hpp"
#include "element_texts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>

namespace daedal::model {

namespace {

syntax::File read(const char* name, const char* text) {
  Diagnostics diagnostics;
  syntax::File file = parse(std::make_shared<const SourceFile>(name, text), diagnostics);
  assert(!diagnostics.has_errors());
  return file;
}

const syntax::Model* find_in(const syntax::File& file, std::string_view name) {
  const auto found = std::find_if(file.models.begin(), file.models.end(),
                                  [&](const syntax::Model& model) { return model.name == name; });
  return found == file.models.end() ? nullptr : &*found;
}

/// Every link has the statements of `rigid_link`, and all but the free one those of `joined_link`.
syntax::File links_read() {
  syntax::File file = read("elements/links.daedal", links_text);
  const std::vector<syntax::Statement> rigid = find_in(file, "rigid_link")->statements;
  const std::vector<syntax::Statement> joined = find_in(file, "joined_link")->statements;
  std::erase_if(file.models, [](const syntax::Model& model) {
    return model.name == "rigid_link" || model.name == "joined_link";
  });
  for (syntax::Model& model : file.models) {
    std::vector<syntax::Statement> all;  // the parent comes before the joint's coordinate
    if (model.name != "free_link") all.insert(all.end(), joined.begin(), joined.end());
    all.insert(all.end(), rigid.begin(), rigid.end());
    all.insert(all.end(), model.statements.begin(), model.statements.end());
    model.statements = std::move(all);
  }
  return file;
}

}  // namespace

Elements::Elements()
    : planar_(read("elements/planar.daedal", planar_text)),
      ancf_(read("elements/ancf.daedal", ancf_text)),
      spatial_(read("elements/spatial.daedal", spatial_text)),
      links_(links_read()),
      lines_(read("elements/lines.daedal", lines_text)) {}

const Elements& Elements::all() {
  static const Elements elements;
  return elements;
}

const syntax::Model* Elements::find(std::string_view name, long dimension) const {
  const syntax::Model* own = find_in(dimension == 2 ? planar_ : spatial_, name);
  if (own == nullptr) own = find_in(dimension == 2 ? ancf_ : links_, name);
  return own != nullptr ? own : find_in(lines_, name);
}

bool Elements::known(std::string_view name) const {
  return find(name, 2) != nullptr || find(name, 3) != nullptr;
}

std::vector<std::string> Elements::names() const {
  std::vector<std::string> list;
  for (const syntax::File* file : {&planar_, &ancf_, &spatial_, &links_, &lines_})
    for (const syntax::Model& model : file->models) list.push_back(model.name);
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
  return list;
}

bool Elements::joins_bodies(std::string_view name) const {
  return name != "gear" && name != "rack_and_pinion";
}

bool Elements::holds(const Place& place) const {
  return dimension(place) != 0 || place.file == lines_.source;
}

long Elements::dimension(const Place& place) const {
  if (place.file == planar_.source || place.file == ancf_.source) return 2;
  return place.file == spatial_.source || place.file == links_.source ? 3 : 0;
}

// ---- which element a part means

/// Given by the argument `dimension`, by the body that is joined, or by the text of the element around
/// it; 0 when unknown.
long Elaborator::element_dimension(const syntax::Call& call, const Scope& scope) {
  for (const syntax::Argument& argument : call.arguments) {
    if (argument.name != "dimension") continue;
    const long dimension = evaluator_.integer(*argument.value, scope, "dimension");
    if (dimension == 2 || dimension == 3) return dimension;
    fault(argument.value->place, fmt::format("dimension is 2 or 3, not {}", dimension));
  }
  long dimension = 0;
  for (const syntax::Argument& argument : call.arguments) {
    if (argument.name != "a" && argument.name != "b") continue;
    if (!Elements::all().joins_bodies(call.function) && !names_a_body(*argument.value, scope))
      continue;
    const long of_body = dimension_of(*body_of(*argument.value, scope));
    if (dimension != 0 && dimension != of_body)
      fault(argument.value->place, "a body in the plane is joined to one in space");
    dimension = of_body;
  }
  if (dimension != 0) return dimension;
  return Elements::all().dimension(call.function_place);
}

/// The part that an argument names, which must be a body, a support or the ground.
Instance* Elaborator::body_of(const syntax::Expression& e, const Scope& scope) {
  Instance* body = evaluator_.thing(e, scope).part();
  if (body == nullptr || !body->names.contains("dimension") || !body->names.contains("point")) {
    const bool has_nodes = body != nullptr && body->names.contains("node");
    fault(e.place, fmt::format("'{}' is not a body", print(e)),
          has_nodes ? fmt::format("joints hold its nodes:  {}.node[1]", print(e))
                    : "bodies are parts:  part rod = planar_body(mass = 1, inertia = 0.1)");
  }
  return body;
}

/// Wheels are bodies or angles.
bool Elaborator::names_a_body(const syntax::Expression& e, const Scope& scope) {
  if (!std::holds_alternative<syntax::Name>(e.node) &&
      !std::holds_alternative<syntax::Index>(e.node) &&
      !std::holds_alternative<syntax::Member>(e.node))
    return false;
  const Instance* part = evaluator_.thing(e, scope).part();
  return part != nullptr && part->names.contains("dimension") && part->names.contains("point");
}

long Elaborator::dimension_of(Instance& body) {
  const Thing& thing = resolve(body, body.names.at("dimension"), body.use);
  if (thing.value() == nullptr) follow_up_fault();
  return evaluator_.integer(*thing.value(), body.use, "dimension");
}

const syntax::Model& Elaborator::element_of_part(const syntax::Call& call, const Scope& scope) {
  const Elements& elements = Elements::all();
  const long told = element_dimension(call, scope);
  if (told == 3 && !elements.joins_bodies(call.function))
    fault(call.function_place, "wheels in space turn about the axes of their joints",
          fmt::format("give the angles of the joints:  {}(a = shaft.angle, b = axle.angle, ...)",
                      call.function));
  if (told == 0 && !elements.joins_bodies(call.function)) return *elements.find(call.function, 3);
  if (told == 0) {
    const syntax::Model* planar = elements.find(call.function, 2);
    return planar != nullptr ? *planar : *elements.find(call.function, 3);
  }
  if (const syntax::Model* element = elements.find(call.function, told)) return *element;
  const char* where = told == 2 ? "in the plane" : "in space";
  fault(call.function_place, fmt::format("there is no element '{}' {}", call.function, where),
        told == 2 ? "bodies in the plane turn in a  revolute" : "");
}

// ---- values that make no mechanism

namespace {

const Value* value_of(const Instance& part, const std::string& name) {
  const auto known = part.names.find(name);
  if (known == part.names.end() || known->second.kind != NameKind::parameter) return nullptr;
  return known->second.thing.value();
}

}  // namespace

/// The place of a parameter's value as the user sees it.
Place Elaborator::place_of_parameter(const Instance& part, const std::string& name) const {
  const auto given = part.given.find(name);
  return seen(given != part.given.end() ? *part.parent : part,
              given != part.given.end() ? given->second.place : part.use);
}

/// The value of a parameter that is made of numbers; empty for one that moves, or is not there.
std::vector<double> Elaborator::numbers_of(const Instance& part, const std::string& name) const {
  const Value* value = value_of(part, name);
  if (value == nullptr) return {};
  for (const expr::Leaf& leaf : expr::leaves(*graph_, value->entries))
    if (model_.symbols[leaf.symbol].kind != SymbolKind::parameter) return {};
  std::vector<double> numbers;
  for (const expr::Expr e : value->entries)
    numbers.push_back(evaluator_.number(e, place_of_parameter(part, name), name));
  return numbers;
}

namespace {

/// What is wrong with the moments of inertia J, or "". No mass distribution has a principal moment above the sum of the others: J1 + J2 - J3 is twice an integral of squares. That
/// is what the smallest eigenvalue of trace(J)/2 - J says; plates, where it is 0, may be rounded.
std::string fault_of_moments(const std::string& name, const Eigen::MatrixXd& J) {
  constexpr double rounded = 1e-6;  // of the trace
  const Eigen::VectorXd moments = symmetric_eigenvalues(J);
  if (moments[0] + moments[1] - moments[2] >= -rounded * moments.sum()) return {};
  return fmt::format(
      "the inertia of '{}' has principal moments {}, {} and {}: no body has one above the sum of "
      "the others",
      name, number_text(moments[0]), number_text(moments[1]), number_text(moments[2]));
}

}  // namespace

/// A body has inertia in every direction, or its equations of motion have no solution.
void Elaborator::check_inertia(const Instance& body) {
  const std::vector<double> mass = numbers_of(body, "mass"), inertia = numbers_of(body, "inertia");
  const std::string name = body.prefix.substr(0, body.prefix.size() - 1);
  const bool link = Elements::all().is_link(*body.model);  // may be a frame alone
  if (link && !mass.empty() && !(mass[0] >= 0))
    fault(
        place_of_parameter(body, "mass"),
        fmt::format("the mass of '{}' must not be negative, as {} is", name, number_text(mass[0])));
  if (!link && !mass.empty() && !(mass[0] > 0)) {
    fault(place_of_parameter(body, "mass"),
          fmt::format("the mass of '{}' must be positive, not {}", name, number_text(mass[0])),
          "a rod without mass is a  distance");
  }
  if (inertia.empty()) return;
  const Place place = place_of_parameter(body, "inertia");
  const Shape shape = value_of(body, "inertia")->shape;
  const bool planar = body.names.contains("phi");
  const bool principal = shape == Shape::vector(3), tensor = shape == Shape::matrix(3, 3);
  if (planar ? shape != Shape::scalar() : !principal && !tensor) {
    fault(place,
          fmt::format("the inertia of '{}' must be {}, not {}", name,
                      planar ? "a number" : "a vector of 3 or a 3 x 3 matrix", shape.text()));
  }
  Eigen::MatrixXd J;
  if (tensor) {
    J = Eigen::Map<const Eigen::MatrixXd>(inertia.data(), 3, 3);
  } else {
    J = Eigen::Map<const Eigen::VectorXd>(inertia.data(), planar ? 1 : 3).asDiagonal();
  }
  if (!J.isApprox(J.transpose()))
    fault(place, fmt::format("the inertia of '{}' is not symmetric", name));
  // 0 is possible about the axis of a slender rod: where no joint holds that turn, the start says so
  const double smallest = planar ? inertia[0] : symmetric_eigenvalues(J)[0];
  constexpr double rounded = 1e-12;  // of the trace: eigenvalues of products such as R J R^T
  if (!(smallest >= -rounded * J.trace()) || !std::isfinite(J.trace())) {
    fault(place,
          fmt::format(
              "the inertia of '{}' must not be negative{}", name,
              planar ? fmt::format(", as {} is", number_text(inertia[0])) : " about any axis"),
          planar ? "a point mass has 0" : "a thin rod along x has [0, J, J]");
  }
  if (planar) return;
  const std::string moments = fault_of_moments(name, J);
  if (moments.empty()) return;
  const std::string help = "a thin rod has 0, J and J, a plate J1, J2 and J1 + J2";
  if (!link) fault(place, moments, help);
  diagnostics_.warning(place, moments, help);  // many robots are described so
}

void Elaborator::check_joined_bodies(const Instance& joint) const {
  const auto body = [&](const char* name) -> const Instance* {
    const auto known = joint.names.find(name);
    if (known == joint.names.end() || known->second.kind != NameKind::parameter) return nullptr;
    return known->second.thing.part();
  };
  const Instance* a = body("a");
  const Instance* b = body("b");
  if (a == nullptr || b == nullptr) return;
  if (a != b) return;
  fault(place_of_parameter(joint, "a"),
        fmt::format("'{}' joins '{}' to itself", joint.prefix.substr(0, joint.prefix.size() - 1),
                    a->prefix.substr(0, a->prefix.size() - 1)),
        "leave 'a' out for the ground");
}

void Elaborator::check_beam(const Instance& beam) const {
  const std::string name = beam.prefix.substr(0, beam.prefix.size() - 1);
  if (const auto elements = model_.sizes.find(beam.prefix + "elements");
      elements != model_.sizes.end() && elements->second < 1) {
    fault(place_of_parameter(beam, "elements"),
          fmt::format("'{}' has at least one element, not {}", name, elements->second));
  }
  for (const char* quantity : {"length", "area", "height", "density", "E"}) {
    const std::vector<double> number = numbers_of(beam, quantity);
    if (!number.empty() && !(number[0] > 0))
      fault(place_of_parameter(beam, quantity),
            fmt::format("'{}' of '{}' must be positive, not {}", quantity, name,
                        number_text(number[0])));
  }
  const std::vector<double> nu = numbers_of(beam, "nu");
  if (!nu.empty() && !(nu[0] > -1 && nu[0] < 0.5))
    fault(place_of_parameter(beam, "nu"),
          fmt::format("Poisson's ratio of '{}' must lie between -1 and 0.5, not be {}", name,
                      number_text(nu[0])),
          "at 0.5 a material is incompressible, which these beams cannot be");
}

/// Whether the angle of a joint in space is part of a parameter: it jumps by 2 pi after a turn.
bool Elaborator::jumps_after_a_turn(const Instance& part, const std::string& name) const {
  const Value* value = value_of(part, name);
  if (value == nullptr) return false;
  const std::vector<expr::Expr> nodes = expr::reachable(*graph_, value->entries);
  return std::any_of(nodes.begin(), nodes.end(),
                     [&](expr::Expr e) { return graph_->node(e).op == expr::Op::atan2; });
}

/// teeth*(a - ratio*b) counts modulo 2 pi. A jump of a by 2 pi leaves it as it is, one of b only if teeth*ratio is whole.
void Elaborator::check_gear(const Instance& gear) const {
  const std::string name = gear.prefix.substr(0, gear.prefix.size() - 1);
  const long teeth =
      model_.sizes.contains(gear.prefix + "teeth") ? model_.sizes.at(gear.prefix + "teeth") : 1;
  if (teeth < 1)
    fault(place_of_parameter(gear, "teeth"),
          fmt::format("the wheel of 'a' of '{}' has at least one tooth, not {}", name, teeth));
  const std::vector<double> ratio = numbers_of(gear, "ratio");
  if (ratio.empty() || !jumps_after_a_turn(gear, "b")) return;
  const double other = static_cast<double>(teeth) * ratio[0];
  const double whole = std::round(other);
  if (std::abs(other - whole) <= 1e-12 * std::max(1.0, std::abs(other))) return;
  fault(place_of_parameter(gear, "ratio"),
        fmt::format("'{}' has wheels of {} and {} teeth: the angle of a joint in space jumps by 2 "
                    "pi after a turn, and a fraction of a tooth with it",
                    name, teeth, number_text(other)),
        "give the number of teeth of the wheel of a: with  teeth = 20  and  ratio = 1.55  that of "
        "b has 31");
}

/// Lengths that divide, or that nothing is left of at 0.
void Elaborator::check_not_zero(const Instance& part, const std::string& name,
                                const std::string& help) const {
  const std::vector<double> number = numbers_of(part, name);
  if (number.empty() || number[0] != 0) return;
  fault(place_of_parameter(part, name),
        fmt::format("the {} of '{}' must not be 0", name,
                    part.prefix.substr(0, part.prefix.size() - 1)),
        help);
}

/// A number would fill all entries: right for 0, and for families of parameters, not for a point.
void Elaborator::check_vectors(const Instance& part) const {
  for (const char* name : {"point_a", "point_b", "axis_a", "axis_b", "position", "velocity",
                           "angular_velocity", "gravity", "anchor"}) {
    const Value* value = value_of(part, name);
    const auto given = part.given.find(name);
    if (value == nullptr || !value->is_vector() || given == part.given.end()) continue;
    const Value& number = given->second.value;
    if (!number.is_scalar() || graph_->is_constant(number.entries[0], 0)) continue;
    fault(place_of_parameter(part, name),
          fmt::format("'{}' is {}, not a number", name, value->shape.text()),
          fmt::format("write  {} = {}", name, value->shape.rows == 2 ? "[1, 0]" : "[1, 0, 0]"));
  }
}

void Elaborator::check_element(const Instance& part) {
  check_joined_bodies(part);
  check_vectors(part);
  if (Elements::all().is_link(*part.model)) check_link(part);
  if (value_of(part, "mass") != nullptr && part.names.contains("r")) check_inertia(part);
  for (const char* name : {"axis_a", "axis_b", "orientation"}) {
    const std::vector<double> numbers = numbers_of(part, name);
    const auto zero = std::count(numbers.begin(), numbers.end(), 0.0);
    if (zero > 0 && static_cast<std::size_t>(zero) == numbers.size())
      fault(place_of_parameter(part, name), fmt::format("'{}' is zero and points nowhere", name),
            "its length does not matter, its direction does");
  }
  const auto size = [&](const char* name) {  // 1 for one whose own fault was reported
    const auto known = model_.sizes.find(part.prefix + name);
    return known != model_.sizes.end() ? known->second : 1L;
  };
  if (part.model->name == "serial_links") {
    if (size("n") < 1)
      fault(place_of_parameter(part, "n"),
            fmt::format("a chain has at least one link, not {}", size("n")));
    if (size("closed") != 0 && size("closed") != 1)
      fault(place_of_parameter(part, "closed"),
            fmt::format("closed is 0 or 1, not {}", size("closed")));
  }
  if (part.model->name == "ancf_beam" || part.model->name == "ancf_cable") check_beam(part);
  if (part.model->name == "gear") check_gear(part);
  if (part.model->name == "screw")
    check_not_zero(part, "pitch",
                   "bodies that turn about an axis and do not slide are held by a  revolute");
  if (part.model->name == "rack_and_pinion") check_not_zero(part, "radius", "");
  if (part.model->name == "rope") {
    if (size("pulleys") < 1)
      fault(place_of_parameter(part, "pulleys"),
            fmt::format("a rope runs over at least one pulley, not {}", size("pulleys")),
            "a rope without pulleys is a  distance");
    const std::vector<double> length = numbers_of(part, "length");
    if (!length.empty() && !(length[0] > 0))
      fault(place_of_parameter(part, "length"),
            fmt::format("the length of a rope must be positive, not {}", number_text(length[0])));
  }
  if (part.model->name == "cam") {
    const auto profile = part.names.find("profile");
    if (profile != part.names.end() && profile->second.thing.function() == nullptr)
      fault(place_of_parameter(part, "profile"), "the profile of a cam is a function",
            "write  let curve(angle) = 0.05 + 0.01*cos(angle)  and  profile = curve");
  }
  if (part.model->name == "distance") {
    const std::vector<double> length = numbers_of(part, "length");
    if (!length.empty() && !(length[0] > 0)) {
      fault(
          place_of_parameter(part, "length"),
          fmt::format("the length of a distance must be positive, not {}", number_text(length[0])),
          "points that coincide are held by a  revolute  or  spherical  joint");
    }
  }
}

}  // namespace daedal::model
