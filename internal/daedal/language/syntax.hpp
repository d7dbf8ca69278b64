// The syntax tree of a .daedal file: the text as written, before names are resolved.
//
// Chains (a + b - c, a * b / c) are flat, and the parser bounds the nesting of everything else, so walks over the tree
// may recurse.
#pragma once

#include "daedal/base/diagnostic.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace daedal::model::syntax {

struct Expression;
using ExpressionPtr = std::shared_ptr<const Expression>;

/// k in first..last
struct Binder {
  std::string name;
  Place place;
  ExpressionPtr first, last;
};

struct Argument {  // of a call; `name` is empty for positional arguments
  std::string name;
  Place place;
  ExpressionPtr value;
};

struct Number {
  double value = 0;
};
struct Text {
  std::string value;
};
struct Name {
  std::string value;
};
struct Index {
  ExpressionPtr base;
  std::vector<ExpressionPtr> indices;
};  // a[i], a[i, j], a[1..3]
struct Member {
  ExpressionPtr base;
  std::string name;
};  // arm[1].tip, rod.force
struct Derivative {
  ExpressionPtr base;
  int order = 1;
};  // x', x''
struct Range {
  ExpressionPtr first, last;
};  // 1..N, only as an index or in a declaration
struct Negate {
  ExpressionPtr operand;
};
struct Not {
  ExpressionPtr operand;
};
enum class ChainOp : std::uint8_t { add, subtract, multiply, divide, logical_and, logical_or };
/// first op[0] rest[0] op[1] rest[1] ..., all operators of one precedence, evaluated from left to right.
struct Chain {
  ExpressionPtr first;
  std::vector<std::pair<ChainOp, ExpressionPtr>> rest;
};
struct Power {
  ExpressionPtr base, exponent;
};
enum class CompareOp : std::uint8_t { less, less_equal, greater, greater_equal, equal, not_equal };
struct Compare {
  CompareOp op = CompareOp::less;
  ExpressionPtr left, right;
};
struct Matrix {
  std::vector<std::vector<ExpressionPtr>> rows;
};  // one row: a vector
struct Call {
  std::string function;
  Place function_place;
  std::vector<Argument> arguments;
  ExpressionPtr part = nullptr;  // whose function it is, as in rod.point([1, 0]); null: our own
};
struct Sum {
  Binder binder;
  ExpressionPtr body;
};  // sum(k in 1..N: body)
struct If {
  ExpressionPtr condition, when_true, when_false;
};
/// mass = 250 [g]: an argument or a bound with a unit of its own
struct Quantity {
  ExpressionPtr value;
  std::string unit;
  Place unit_place;
};

struct Expression {
  Place place;
  std::variant<Number, Text, Name, Index, Member, Derivative, Range, Negate, Not, Chain, Power,
               Compare, Matrix, Call, Sum, If, Quantity>
      node;
  int levels = 0;  // of nesting below this node; the parser keeps it under its bound
};

// ---- statements

/// name "doc" [ranges] = value [unit] (options) fixed
struct Declaration {
  std::string name;
  Place place;
  std::string doc;
  std::vector<ExpressionPtr> dimensions;  // each a Range, or an expression n for 1..n
  ExpressionPtr value;                    // null: none given
  bool fixed = false;
  std::string unit;               // text between the brackets, "" when none
  Place unit_place;               // of that text
  std::vector<Argument> options;  // (nominal = 1e-3)
};
enum class DeclarationKind : std::uint8_t { size, parameter, coordinate, variable, input, signal };
struct Declare {
  DeclarationKind kind = DeclarationKind::parameter;
  std::vector<Declaration> items;
};

/// let name = e;  let name[0] = e;  let name[k in 1..N] = e;  let f(a, b) = e
struct Let {
  std::string name;
  Place place;
  std::string doc;
  std::vector<std::string> parameters;  // of a function
  bool function = false;
  ExpressionPtr at;              // let P[0] = ...
  std::optional<Binder> binder;  // let P[k in 1..N] = ...
  ExpressionPtr value;
  std::string unit;
  Place unit_place;
};
enum class EnergyKind : std::uint8_t { kinetic, potential, dissipation };
struct Energy {
  EnergyKind kind = EnergyKind::kinetic;
  ExpressionPtr value;
};
/// force F on q | force F at P | torque tau about angle
enum class LoadKind : std::uint8_t { on, at, about };
struct Load {
  LoadKind kind = LoadKind::on;
  ExpressionPtr load, target;
};
/// constraint name[k in 1..N] "doc": lhs = rhs (nonlinear);  equation and servo alike. Name and binder may be absent.
enum class RelationKind : std::uint8_t { constraint, equation, servo };
struct Relation {
  RelationKind kind = RelationKind::constraint;
  std::string name;
  Place place;
  std::string doc;
  std::optional<Binder> binder;
  ExpressionPtr left, right;
  bool nonlinear = false;
};
struct Output {
  std::string name;
  Place place;
  std::string doc;
  ExpressionPtr value;
  std::string unit;
  Place unit_place;
};
/// drive x by u velocity(lag = tau)
struct Drive {
  ExpressionPtr target, input;
  std::string law;
  Place law_place;
  std::vector<Argument> options;
};
struct InitialItem {
  ExpressionPtr target;
  ExpressionPtr value;
  bool fixed = false;
};
struct Initial {
  std::vector<InitialItem> items;
};
struct LimitItem {
  ExpressionPtr value, low, high;
};  // value in [low, high]
struct Limit {
  std::vector<LimitItem> items;
};
struct EventAction {
  enum class Kind : std::uint8_t { release, attach, set } kind = Kind::release;
  Place place;
  ExpressionPtr target;           // constraint, or the variable that is set
  ExpressionPtr value;            // of set
  std::vector<Argument> options;  // restitution = e
};
struct Event {
  std::string name;
  Place place;
  std::string doc;
  ExpressionPtr condition;
  std::vector<EventAction> actions;
};
/// draw line a -> b, disc p radius r, ...: shape, points joined by ->, then option words with values
struct DrawItem {
  std::string shape;
  Place place;
  std::vector<ExpressionPtr> points;
  std::vector<Argument> options;  // radius 0.05 -> name "radius"
};
struct Draw {
  std::vector<DrawItem> items;
};
struct Experiment {
  std::string name;
  Place place;
  std::string doc;
  ExpressionPtr call;
};
struct Part {
  std::string name;
  Place place;
  std::string doc;
  std::optional<Binder> binder;
  ExpressionPtr call;
};
struct Statement;
struct Model;
/// for k in 1..N: statement
struct For {
  Binder binder;
  std::shared_ptr<const Statement> body;
};

// ---- statements of a controller

/// controller name "doc" every T: a block, up to the next controller, experiment or model. It has name and doc.
struct Controller {
  std::shared_ptr<const Model> block;
  ExpressionPtr period;  // null: continuous
  std::string unit;      // of the period: "s", "ms", "us"; "": s
};
/// measure y = x + noise(1e-3), x': `name` may be absent
struct Measurement {
  std::string name;
  Place place;
  ExpressionPtr value;
};
struct Measure {
  std::vector<Measurement> items;
};
/// state i "doc" = 0 next i + T*e
struct State {
  std::string name;
  Place place;
  std::string doc;
  ExpressionPtr start, next;
};
/// command [u, v] = e
struct Command {
  ExpressionPtr target, value;
};
/// observe ukf(...)
struct Observe {
  ExpressionPtr call;
};

struct Statement {
  Place place;
  std::variant<Declare, Let, Energy, Load, Relation, Output, Drive, Initial, Limit, Event, Draw,
               Experiment, Part, For, Controller, Measure, State, Command, Observe>
      node;
};

/// import "robot.urdf" (base = free): options of files that are not models.
struct ImportOption {
  std::string name, value;
  Place place, value_place;
};
struct Import {
  std::string path;
  Place place;
  std::vector<ImportOption> options;
};
struct Model {
  std::string name;
  Place place;
  std::string doc;
  std::vector<Statement> statements;
};
struct File {
  std::shared_ptr<const SourceFile> source;
  std::vector<Import> imports;
  std::vector<Model> models;
  std::vector<Diagnostic>
      notes;  // of a file that was made into a model: what became of its content
};

}  // namespace daedal::model::syntax
