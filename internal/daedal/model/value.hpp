// Values of the model language: scalars, vectors and matrices of expressions.
#pragma once

#include "daedal/expr/graph.hpp"
#include "daedal/model/fault.hpp"

#include <string>
#include <utility>
#include <vector>

namespace daedal::model {

struct Shape {
  enum class Kind : std::uint8_t { scalar, vector, matrix } kind = Kind::scalar;
  std::uint32_t rows = 1, columns = 1;

  static Shape scalar() { return {}; }
  static Shape vector(std::uint32_t n) { return {Kind::vector, n, 1}; }
  static Shape matrix(std::uint32_t m, std::uint32_t n) { return {Kind::matrix, m, n}; }
  std::size_t size() const { return std::size_t{rows} * columns; }
  /// "a number", "a vector of 3", "a 2 x 3 matrix"
  std::string text() const;
  /// How entry number `i` (from 0, row by row) is indexed: "", "[2]" or "[1,2]".
  std::string suffix(std::size_t i) const;
  friend bool operator==(const Shape&, const Shape&) = default;
};

struct Value {
  Shape shape;
  std::vector<expr::Expr> entries;  // row by row

  static Value scalar(expr::Expr e) { return {Shape::scalar(), {e}}; }
  static Value vector(std::vector<expr::Expr> e) {
    const auto n = static_cast<std::uint32_t>(e.size());
    return {Shape::vector(n), std::move(e)};
  }
  bool is_scalar() const { return shape.kind == Shape::Kind::scalar; }
  bool is_vector() const { return shape.kind == Shape::Kind::vector; }
  bool is_matrix() const { return shape.kind == Shape::Kind::matrix; }
  expr::Expr operator()(std::uint32_t row, std::uint32_t column) const {
    return entries[std::size_t{row} * shape.columns + column];
  }
};

/// The scalar in `value`, or a fault "`what` must be a number, not a vector of 3".
expr::Expr require_scalar(const Value& value, const Place& place, const std::string& what);

/// `value` as one expression per entry of `shape`; a number applies to all entries.
std::vector<expr::Expr> broadcast(const Value& value, const Shape& shape, const Place& place,
                                  const std::string& what);

}  // namespace daedal::model
