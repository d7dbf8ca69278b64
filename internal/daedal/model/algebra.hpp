// Linear algebra on values, over one expression graph.
//
// Shapes follow linear algebra: equal shapes add, a number scales anything, a matrix times a vector
// is a vector. `place` is where a fault is reported. Numbers stay finite: an operation on constants
// that gives infinity or no number at all is a fault where it happens, before it spreads.
//
// All work is counted, because a short text can ask for much of it (functions that call each other
// twice, vectors that double, nested loops): beyond the limit the model is refused.
#pragma once

#include "daedal/expr/graph.hpp"
#include "daedal/model/model.hpp"
#include "daedal/model/value.hpp"

namespace daedal::model {

class Algebra {
 public:
  Algebra(expr::Graph& graph, const Limits& limits) : graph_(graph), limits_(limits) {}

  expr::Graph& graph() { return graph_; }
  const Limits& limits() const { return limits_; }
  /// Counts work: one for every scalar operation.
  void charge(std::size_t operations, const Place& place);

  Value number(double value) { return Value::scalar(graph_.constant(value)); }
  Value time() { return Value::scalar(graph_.leaf({expr::time_symbol, 0})); }

  Value add(const Value& a, const Value& b, const Place& place);
  Value subtract(const Value& a, const Value& b, const Place& place);
  Value multiply(const Value& a, const Value& b, const Place& place);
  Value divide(const Value& a, const Value& b, const Place& place);
  Value negate(const Value& a, const Place& place);
  Value power(const Value& base, const Value& exponent, const Place& place);
  Value select(expr::Expr condition, const Value& yes, const Value& no, const Place& place);
  expr::Expr unary(expr::Op op, expr::Expr a, const Place& place);
  expr::Expr binary(expr::Op op, expr::Expr a, expr::Expr b, const Place& place);

  expr::Expr dot(const Value& a, const Value& b, const Place& place);
  expr::Expr norm(const Value& a, const Place& place);
  Value cross(const Value& a, const Value& b, const Place& place);  // both of length 3
  Value transpose(const Value& a, const Place& place);
  /// The matrix with a vector on its diagonal; a square matrix stays what it is.
  Value diagonal(const Value& a, const Place& place);
  Value cat(const std::vector<Value>& parts, const Place& place);
  /// The rotation matrix about axis 0, 1 or 2.
  Value rotation(expr::Expr angle, int axis, const Place& place);

  /// The time derivative of order `order`.
  Value differentiate(Value a, int order, const expr::VariesInTime& varies, const Place& place);

 private:
  template <class Operation>
  Value entrywise(const Value& a, const Place& place, Operation operation);
  template <class Operation>
  Value entrywise(const Value& a, const Value& b, const Place& place, Operation operation);
  Value matrix_product(const Value& a, const Value& b, const Place& place);
  expr::Expr finite(expr::Expr e, const Place& place) const;

  expr::Graph& graph_;
  Limits limits_;
  long work_ = 0;
};

}  // namespace daedal::model
