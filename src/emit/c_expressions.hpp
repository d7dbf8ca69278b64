// Expressions as statements of C99.
#pragma once

#include "daedal/expr/graph.hpp"

#include <functional>
#include <span>
#include <string>

namespace daedal::emit {

/// A number that reads back to the same bits, and is no integer constant.
std::string c_number(double value);

/// Expressions of one function; the tables of its splines are called after it.
struct CFunction {
  std::string name;
  const expr::Graph& graph;
  std::span<const expr::Expr> roots;
  /// Elementary functions by daedal's own operations, which c_helpers then contains (c_elementary.hpp), instead of math.h.
  bool own_elementary = false;
};

/// One line for each operation, then  target(i) = ...;  for each root; leaves are what `leaf` says.
std::string c_statements(const CFunction& function,
                         const std::function<std::string(expr::Leaf)>& leaf,
                         const std::function<std::string(std::size_t)>& target);

/// Functions that these statements call and math.h does not have, and tables. With elementary functions of their own they need
/// math.h, stdint.h and string.h.
std::string c_helpers(std::span<const CFunction> functions);

}  // namespace daedal::emit
