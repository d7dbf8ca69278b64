// Evaluates expressions of the syntax tree into values over the model's graph.
#pragma once

#include "daedal/model/algebra.hpp"
#include "daedal/model/instance.hpp"

#include <cmath>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace daedal::model {

/// What an evaluation needs from the surrounding model.
class Surroundings {
 public:
  virtual ~Surroundings() = default;
  /// The meaning of a name of `instance`; throws a fault when it has none or is part of a cycle.
  virtual const Thing& resolve(Instance& instance, Entry& entry, const Place& use) = 0;
  /// The symbol of the force that the drive of a coordinate delivers.
  virtual expr::SymbolId drive_force(expr::SymbolId coordinate, const Place& use) = 0;
  /// In a controller: what a quantity is measured as, or null.
  virtual const Value* measured(const syntax::Expression& quantity, const Scope& scope) {
    (void)quantity, (void)scope;
    return nullptr;
  }
  /// In a controller: a law, such as lqr(...) or path.u; nothing where there is none of that name.
  virtual std::optional<Value> law(const syntax::Expression& e, const Scope& scope) {
    (void)e, (void)scope;
    return std::nullopt;
  }
  /// In a controller: refuses the time derivative of what is held between samples.
  virtual void check_derivative(const Value& value, const Place& place) const {
    (void)value, (void)place;
  }
};

/// A function being written out, and the part it belongs to.
using ActiveFunction = std::pair<const syntax::Let*, const Instance*>;

class Evaluator {
 public:
  Evaluator(Algebra& algebra, const Symbols& symbols, Surroundings& surroundings)
      : algebra_(algebra), symbols_(symbols), surroundings_(surroundings) {}

  Value value(const syntax::Expression& e, const Scope& scope);
  expr::Expr scalar(const syntax::Expression& e, const Scope& scope, const std::string& what);
  /// A truth value: a comparison, or several joined by and, or, not.
  expr::Expr condition(const syntax::Expression& e, const Scope& scope);
  /// A value, an array or a part.
  Thing thing(const syntax::Expression& e, const Scope& scope);
  /// A whole number made of numbers and sizes.
  long integer(const syntax::Expression& e, const Scope& scope, const std::string& what) {
    return integer(value(e, scope), e.place, what);
  }
  long integer(const Value& value, const Place& place, const std::string& what) const;
  /// The number an expression of parameters and sizes has now; `place` is where it is reported that it
  /// is not finite or contains something else.
  double number(expr::Expr e, const Place& place, const std::string& what) const;
  double number(const syntax::Expression& e, const Scope& scope, const std::string& what) {
    return number(scalar(e, scope, what), e.place, what);
  }

  /// First and last index; an end before the start is an empty range.
  std::pair<long, long> range(const syntax::Binder& binder, const Scope& scope);
  /// Calls body(k, scope with the index k) for k = first..last; an end before the start is an
  /// empty range.
  template <class Body>
  void loop(const syntax::Binder& binder, const Scope& scope, Body body);

 private:
  /// Something found in place, or made on the way.
  class Found;
  class Level;   // counts nesting
  class Passes;  // counts the passes of nested loops

  Value evaluate(const syntax::Expression& e, const syntax::Number& node, const Scope& scope);
  Value evaluate(const syntax::Expression& e, const syntax::Text& node, const Scope& scope);
  Value evaluate(const syntax::Expression& e, const syntax::Name& node, const Scope& scope);
  Value evaluate(const syntax::Expression& e, const syntax::Index& node, const Scope& scope);
  Value evaluate(const syntax::Expression& e, const syntax::Member& node, const Scope& scope);
  Value evaluate(const syntax::Expression& e, const syntax::Derivative& node, const Scope& scope);
  Value evaluate(const syntax::Expression& e, const syntax::Range& node, const Scope& scope);
  Value evaluate(const syntax::Expression& e, const syntax::Negate& node, const Scope& scope);
  Value evaluate(const syntax::Expression& e, const syntax::Not& node, const Scope& scope);
  Value evaluate(const syntax::Expression& e, const syntax::Chain& node, const Scope& scope);
  Value evaluate(const syntax::Expression& e, const syntax::Power& node, const Scope& scope);
  Value evaluate(const syntax::Expression& e, const syntax::Compare& node, const Scope& scope);
  Value evaluate(const syntax::Expression& e, const syntax::Matrix& node, const Scope& scope);
  Value evaluate(const syntax::Expression& e, const syntax::Call& node, const Scope& scope);
  Value evaluate(const syntax::Expression& e, const syntax::Sum& node, const Scope& scope);
  Value evaluate(const syntax::Expression& e, const syntax::If& node, const Scope& scope);
  Value evaluate(const syntax::Expression& e, const syntax::Quantity& node, const Scope& scope);

  // references.cpp: names, members and entries
  Found find(const syntax::Expression& e, const Scope& scope);
  Found find_name(const syntax::Expression& e, const std::string& name, const Scope& scope);
  Found find_member(const syntax::Expression& e, const syntax::Member& node, const Scope& scope);
  Found find_entry(const syntax::Expression& e, const syntax::Index& node, const Scope& scope);
  Value force_of(const Thing& thing, const Place& place);
  Value entries_of(const Value& value, const syntax::Expression& e, const syntax::Index& node,
                   const Scope& scope);
  void refuse_foreign_module(const syntax::Expression& module, const syntax::Expression& e,
                             const std::string& used, const Scope& scope) const;
  [[noreturn]] void unknown_name(const std::string& name, const Place& place,
                                 const Scope& scope) const;

  Value apply(const syntax::Let& function, Instance& home, const Place& place,
              const syntax::Call& call, const Scope& scope);
  Value apply_of_part(const syntax::Expression& e, const syntax::Call& call, const Scope& scope);
  Value apply_builtin(const syntax::Expression& e, const syntax::Call& call, const Scope& scope);
  Value derivative(const syntax::Expression& e, const syntax::Call& call, const Scope& scope);
  Value differentiate(Value value, int order, const Place& place);

  Algebra& algebra_;
  const Symbols& symbols_;
  Surroundings& surroundings_;
  int level_ = 0;
  double passes_ = 1;  // of the loops that are running, multiplied
  std::vector<ActiveFunction> active_functions_;
};

class Evaluator::Passes {
 public:
  Passes(Evaluator& evaluator, long count, const Place& place);
  ~Passes() { passes_ = outer_; }
  Passes(const Passes&) = delete;
  Passes& operator=(const Passes&) = delete;

 private:
  double& passes_;
  double outer_;
};

template <class Body>
void Evaluator::loop(const syntax::Binder& binder, const Scope& scope, Body body) {
  const auto [first, last] = range(binder, scope);
  const Passes passes(*this, last - first + 1, binder.place);
  Local index{binder.name, {}, scope.locals};
  const Scope inner{scope.instance, scope.context, &index, scope.command_line};
  for (long k = first; k <= last; ++k) {
    algebra_.charge(1, binder.place);
    index.thing.what = algebra_.number(static_cast<double>(k));
    body(k, inner);
  }
}

}  // namespace daedal::model
