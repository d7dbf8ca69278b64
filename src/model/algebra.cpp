#include "daedal/model/algebra.hpp"

#include <fmt/format.h>

#include <cmath>

namespace daedal::model {

using expr::Expr;
using expr::Op;

void Algebra::charge(std::size_t operations, const Place& place) {
  const auto left = static_cast<std::size_t>(limits_.work - work_);
  if (operations > left) {
    fault(place, fmt::format("the model needs more than {} operations to write out", limits_.work),
          "are its sizes, loops and functions as large as they should be?");
  }
  work_ += static_cast<long>(operations);
}

Expr Algebra::finite(Expr e, const Place& place) const {
  if (!graph_.is_constant(e)) return e;
  const double value = graph_.constant_value(e);
  if (!std::isfinite(value))
    fault(place, fmt::format("the value is not a finite number ({})", number_text(value)));
  return e;
}

template <class Operation>
Value Algebra::entrywise(const Value& a, const Place& place, Operation operation) {
  charge(a.entries.size(), place);
  Value result{a.shape, {}};
  result.entries.reserve(a.entries.size());
  for (const Expr e : a.entries) result.entries.push_back(finite(operation(e), place));
  return result;
}

template <class Operation>
Value Algebra::entrywise(const Value& a, const Value& b, const Place& place, Operation operation) {
  std::size_t next = 0;
  return entrywise(a, place, [&](Expr x) { return operation(x, b.entries[next++]); });
}

// ---- arithmetic

Value Algebra::add(const Value& a, const Value& b, const Place& place) {
  if (a.shape != b.shape)
    fault(place, fmt::format("cannot add {} and {}", a.shape.text(), b.shape.text()));
  return entrywise(a, b, place, [&](Expr x, Expr y) { return graph_.add(x, y); });
}

Value Algebra::subtract(const Value& a, const Value& b, const Place& place) {
  if (a.shape != b.shape)
    fault(place, fmt::format("cannot subtract {} from {}", b.shape.text(), a.shape.text()));
  return entrywise(a, b, place, [&](Expr x, Expr y) { return graph_.sub(x, y); });
}

Value Algebra::multiply(const Value& a, const Value& b, const Place& place) {
  if (a.is_scalar())
    return entrywise(b, place, [&](Expr x) { return graph_.mul(a.entries[0], x); });
  if (b.is_scalar())
    return entrywise(a, place, [&](Expr x) { return graph_.mul(x, b.entries[0]); });
  const bool vectors = a.is_vector() && b.is_vector();
  if (!vectors && a.shape.columns == b.shape.rows) return matrix_product(a, b, place);
  fault(place, fmt::format("cannot multiply {} by {}", a.shape.text(), b.shape.text()),
        vectors ? "use dot(a, b) or cross(a, b)" : "");
}

// A vector on the left is a column, so that a*transpose(b) is the outer product.
Value Algebra::matrix_product(const Value& a, const Value& b, const Place& place) {
  charge(a.shape.size() * b.shape.columns, place);
  Value result{
      b.is_vector() ? Shape::vector(a.shape.rows) : Shape::matrix(a.shape.rows, b.shape.columns),
      {}};
  result.entries.reserve(result.shape.size());
  for (std::uint32_t i = 0; i < a.shape.rows; ++i) {
    for (std::uint32_t j = 0; j < b.shape.columns; ++j) {
      Expr sum = graph_.constant(0);
      for (std::uint32_t k = 0; k < a.shape.columns; ++k)
        sum = graph_.add(sum, graph_.mul(a(i, k), b(k, j)));
      result.entries.push_back(finite(sum, place));
    }
  }
  return result;
}

Value Algebra::divide(const Value& a, const Value& b, const Place& place) {
  if (!b.is_scalar()) fault(place, fmt::format("cannot divide by {}", b.shape.text()));
  if (graph_.is_constant(b.entries[0], 0)) fault(place, "division by zero");
  return entrywise(a, place, [&](Expr x) { return graph_.div(x, b.entries[0]); });
}

Value Algebra::negate(const Value& a, const Place& place) {
  return entrywise(a, place, [&](Expr x) { return graph_.neg(x); });
}

Value Algebra::power(const Value& base, const Value& exponent, const Place& place) {
  if (!base.is_scalar()) {
    fault(place, fmt::format("the base of a power must be a number, not {}", base.shape.text()),
          base.is_vector() ? "use dot(v, v) for the square of a vector's length" : "");
  }
  const Expr e = require_scalar(exponent, place, "the exponent");
  return Value::scalar(binary(Op::pow, base.entries[0], e, place));
}

Value Algebra::select(Expr condition, const Value& yes, const Value& no, const Place& place) {
  if (yes.shape != no.shape) {
    fault(place,
          fmt::format("the branches of 'if' differ: {} and {}", yes.shape.text(), no.shape.text()));
  }
  return entrywise(yes, no, place, [&](Expr a, Expr b) { return graph_.select(condition, a, b); });
}

Expr Algebra::unary(Op op, Expr a, const Place& place) {
  charge(1, place);
  return finite(graph_.unary(op, a), place);
}

Expr Algebra::binary(Op op, Expr a, Expr b, const Place& place) {
  charge(1, place);
  return finite(graph_.binary(op, a, b), place);
}

// ---- vectors and matrices

Expr Algebra::dot(const Value& a, const Value& b, const Place& place) {
  if (!a.is_vector() || a.shape != b.shape) {
    fault(place, fmt::format("dot takes two vectors of one length, not {} and {}", a.shape.text(),
                             b.shape.text()));
  }
  charge(a.entries.size(), place);
  Expr sum = graph_.constant(0);
  for (std::size_t i = 0; i < a.entries.size(); ++i)
    sum = graph_.add(sum, graph_.mul(a.entries[i], b.entries[i]));
  return finite(sum, place);
}

Expr Algebra::norm(const Value& a, const Place& place) {
  return unary(Op::sqrt, dot(a, a, place), place);
}

Value Algebra::cross(const Value& a, const Value& b, const Place& place) {
  charge(6, place);
  const auto minor = [&](std::size_t i, std::size_t j) {
    return finite(
        graph_.sub(graph_.mul(a.entries[i], b.entries[j]), graph_.mul(a.entries[j], b.entries[i])),
        place);
  };
  return Value::vector({minor(1, 2), minor(2, 0), minor(0, 1)});
}

Value Algebra::transpose(const Value& a, const Place& place) {
  charge(a.entries.size(), place);
  Value result{Shape::matrix(a.shape.columns, a.shape.rows), {}};
  result.entries.reserve(a.entries.size());
  for (std::uint32_t j = 0; j < a.shape.columns; ++j)
    for (std::uint32_t i = 0; i < a.shape.rows; ++i) result.entries.push_back(a(i, j));
  return result;
}

Value Algebra::diagonal(const Value& a, const Place& place) {
  if (a.is_matrix() && a.shape.rows == a.shape.columns) return a;
  if (!a.is_vector()) fault(place, fmt::format("diagonal takes a vector, not {}", a.shape.text()));
  const std::uint32_t n = a.shape.rows;
  charge(a.entries.size() * n, place);
  Value result{Shape::matrix(n, n), std::vector<Expr>(a.entries.size() * n, graph_.constant(0))};
  for (std::uint32_t i = 0; i < n; ++i) result.entries[std::size_t{i} * (n + 1)] = a.entries[i];
  return result;
}

Value Algebra::cat(const std::vector<Value>& parts, const Place& place) {
  std::vector<Expr> entries;
  for (const Value& part : parts) {
    if (part.is_matrix())
      fault(place, fmt::format("cat joins numbers and vectors, not {}", part.shape.text()));
    charge(part.entries.size(), place);
    entries.insert(entries.end(), part.entries.begin(), part.entries.end());
  }
  if (static_cast<long>(entries.size()) > limits_.entries) {
    fault(place, fmt::format("a vector of {} entries; at most {} are accepted", entries.size(),
                             limits_.entries));
  }
  return Value::vector(std::move(entries));
}

Value Algebra::rotation(Expr angle, int axis, const Place& place) {
  const Expr zero = graph_.constant(0), one = graph_.constant(1);
  const Expr c = unary(Op::cos, angle, place), s = unary(Op::sin, angle, place);
  const Expr minus_s = graph_.neg(s);
  Value m{Shape::matrix(3, 3), {}};
  if (axis == 0) m.entries = {one, zero, zero, zero, c, minus_s, zero, s, c};
  if (axis == 1) m.entries = {c, zero, s, zero, one, zero, minus_s, zero, c};
  if (axis == 2) m.entries = {c, minus_s, zero, s, c, zero, zero, zero, one};
  return m;
}

Value Algebra::differentiate(Value a, int order, const expr::VariesInTime& varies,
                             const Place& place) {
  // walked through, differentiated and written: about 0.5 us for each node, where an operation takes some 0.05
  constexpr std::size_t operations_per_node = 10;
  for (int k = 0; k < order; ++k) {
    charge(operations_per_node * expr::reachable(graph_, a.entries).size(), place);
    const std::uint32_t nodes = graph_.size();
    a.entries = expr::time_derivative(graph_, a.entries, varies);
    charge(graph_.size() - nodes, place);
  }
  return a;
}

}  // namespace daedal::model
