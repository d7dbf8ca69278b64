// Structural equality of syntax trees, places aside.
#include "daedal/language/parse.hpp"

#include <algorithm>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace daedal::model {

using namespace syntax;

namespace {

// The members of a class see each other whatever their order; the names of different kinds of node
// do not collide.
struct Trees {
  static bool equal(const ExpressionPtr& a, const ExpressionPtr& b) {
    if (a == nullptr || b == nullptr) return a == b;
    return a == b || equal(*a, *b);
  }

  template <class T>
  static bool equal(const std::optional<T>& a, const std::optional<T>& b) {
    return a.has_value() == b.has_value() && (!a || equal(*a, *b));
  }

  static bool equal(const Binder& a, const Binder& b) {
    return a.name == b.name && equal(a.first, b.first) && equal(a.last, b.last);
  }
  static bool equal(const Argument& a, const Argument& b) {
    return a.name == b.name && equal(a.value, b.value);
  }
  static bool equal(const std::pair<ChainOp, ExpressionPtr>& a,
                    const std::pair<ChainOp, ExpressionPtr>& b) {
    return a.first == b.first && equal(a.second, b.second);
  }

  // ---- expressions

  static bool equal(const Number& a, const Number& b) { return a.value == b.value; }
  static bool equal(const Text& a, const Text& b) { return a.value == b.value; }
  static bool equal(const Name& a, const Name& b) { return a.value == b.value; }
  static bool equal(const Index& a, const Index& b) {
    return equal(a.base, b.base) && equal(a.indices, b.indices);
  }
  static bool equal(const Member& a, const Member& b) {
    return a.name == b.name && equal(a.base, b.base);
  }
  static bool equal(const Derivative& a, const Derivative& b) {
    return a.order == b.order && equal(a.base, b.base);
  }
  static bool equal(const Range& a, const Range& b) {
    return equal(a.first, b.first) && equal(a.last, b.last);
  }
  static bool equal(const Negate& a, const Negate& b) { return equal(a.operand, b.operand); }
  static bool equal(const Not& a, const Not& b) { return equal(a.operand, b.operand); }
  static bool equal(const Chain& a, const Chain& b) {
    return equal(a.first, b.first) && equal(a.rest, b.rest);
  }
  static bool equal(const Power& a, const Power& b) {
    return equal(a.base, b.base) && equal(a.exponent, b.exponent);
  }
  static bool equal(const Compare& a, const Compare& b) {
    return a.op == b.op && equal(a.left, b.left) && equal(a.right, b.right);
  }
  static bool equal(const Matrix& a, const Matrix& b) { return equal(a.rows, b.rows); }
  static bool equal(const Call& a, const Call& b) {
    return a.function == b.function && equal(a.arguments, b.arguments) && equal(a.part, b.part);
  }
  static bool equal(const Sum& a, const Sum& b) {
    return equal(a.binder, b.binder) && equal(a.body, b.body);
  }
  static bool equal(const If& a, const If& b) {
    return equal(a.condition, b.condition) && equal(a.when_true, b.when_true) &&
           equal(a.when_false, b.when_false);
  }

  static bool equal(const Quantity& a, const Quantity& b) {
    return a.unit == b.unit && equal(a.value, b.value);
  }

  // ---- statements

  static bool equal(const Declaration& a, const Declaration& b) {
    return a.name == b.name && a.doc == b.doc && equal(a.dimensions, b.dimensions) &&
           equal(a.value, b.value) && a.fixed == b.fixed && a.unit == b.unit &&
           equal(a.options, b.options);
  }
  static bool equal(const Declare& a, const Declare& b) {
    return a.kind == b.kind && equal(a.items, b.items);
  }
  static bool equal(const Let& a, const Let& b) {
    return a.name == b.name && a.doc == b.doc && a.parameters == b.parameters &&
           a.function == b.function && equal(a.at, b.at) && equal(a.binder, b.binder) &&
           equal(a.value, b.value) && a.unit == b.unit;
  }
  static bool equal(const Energy& a, const Energy& b) {
    return a.kind == b.kind && equal(a.value, b.value);
  }
  static bool equal(const Load& a, const Load& b) {
    return a.kind == b.kind && equal(a.load, b.load) && equal(a.target, b.target);
  }
  static bool equal(const Relation& a, const Relation& b) {
    return a.kind == b.kind && a.name == b.name && a.doc == b.doc && equal(a.binder, b.binder) &&
           equal(a.left, b.left) && equal(a.right, b.right) && a.nonlinear == b.nonlinear;
  }
  static bool equal(const Output& a, const Output& b) {
    return a.name == b.name && a.doc == b.doc && equal(a.value, b.value) && a.unit == b.unit;
  }
  static bool equal(const Drive& a, const Drive& b) {
    return equal(a.target, b.target) && equal(a.input, b.input) && a.law == b.law &&
           equal(a.options, b.options);
  }
  static bool equal(const InitialItem& a, const InitialItem& b) {
    return equal(a.target, b.target) && equal(a.value, b.value) && a.fixed == b.fixed;
  }
  static bool equal(const Initial& a, const Initial& b) { return equal(a.items, b.items); }
  static bool equal(const LimitItem& a, const LimitItem& b) {
    return equal(a.value, b.value) && equal(a.low, b.low) && equal(a.high, b.high);
  }
  static bool equal(const Limit& a, const Limit& b) { return equal(a.items, b.items); }
  static bool equal(const EventAction& a, const EventAction& b) {
    return a.kind == b.kind && equal(a.target, b.target) && equal(a.value, b.value) &&
           equal(a.options, b.options);
  }
  static bool equal(const Event& a, const Event& b) {
    return a.name == b.name && a.doc == b.doc && equal(a.condition, b.condition) &&
           equal(a.actions, b.actions);
  }
  static bool equal(const DrawItem& a, const DrawItem& b) {
    return a.shape == b.shape && equal(a.points, b.points) && equal(a.options, b.options);
  }
  static bool equal(const Draw& a, const Draw& b) { return equal(a.items, b.items); }
  static bool equal(const Experiment& a, const Experiment& b) {
    return a.name == b.name && a.doc == b.doc && equal(a.call, b.call);
  }
  static bool equal(const Part& a, const Part& b) {
    return a.name == b.name && a.doc == b.doc && equal(a.binder, b.binder) && equal(a.call, b.call);
  }
  static bool equal(const For& a, const For& b) {
    return equal(a.binder, b.binder) && equal(*a.body, *b.body);
  }

  static bool equal(const Controller& a, const Controller& b) {
    return equal(*a.block, *b.block) && equal(a.period, b.period) && a.unit == b.unit;
  }
  static bool equal(const Measurement& a, const Measurement& b) {
    return a.name == b.name && equal(a.value, b.value);
  }
  static bool equal(const Measure& a, const Measure& b) { return equal(a.items, b.items); }
  static bool equal(const State& a, const State& b) {
    return a.name == b.name && a.doc == b.doc && equal(a.start, b.start) && equal(a.next, b.next);
  }
  static bool equal(const Command& a, const Command& b) {
    return equal(a.target, b.target) && equal(a.value, b.value);
  }
  static bool equal(const Observe& a, const Observe& b) { return equal(a.call, b.call); }

  static bool equal(const ImportOption& a, const ImportOption& b) {
    return a.name == b.name && a.value == b.value;
  }
  static bool equal(const Import& a, const Import& b) {
    return a.path == b.path && equal(a.options, b.options);
  }
  static bool equal(const Model& a, const Model& b) {
    return a.name == b.name && a.doc == b.doc && equal(a.statements, b.statements);
  }

  // Two variants are equal when they hold the same alternative and that is equal.
  template <class Variant>
  static bool equal_nodes(const Variant& a, const Variant& b) {
    if (a.index() != b.index()) return false;
    return std::visit(
        [&b](const auto& node) { return equal(node, std::get<std::decay_t<decltype(node)>>(b)); },
        a);
  }

  static bool equal(const Expression& a, const Expression& b) {
    return equal_nodes(a.node, b.node);
  }
  static bool equal(const Statement& a, const Statement& b) { return equal_nodes(a.node, b.node); }

  template <class T>
  static bool equal(const std::vector<T>& a, const std::vector<T>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const T& x, const T& y) { return equal(x, y); });
  }
};

}  // namespace

bool same(const File& a, const File& b) {
  return Trees::equal(a.imports, b.imports) && Trees::equal(a.models, b.models);
}

}  // namespace daedal::model
