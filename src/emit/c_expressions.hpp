// Expressions as statements of C99.
#pragma once

#include "daedal/expr/graph.hpp"

#include <functional>
#include <span>
#include <string>

namespace daedal::emit {

/// A number that reads back to the same bits, and is no integer constant.
std::string c_number(double value);

/// One line for each operation, then  target(i) = ...;  for each root; leaves are what `leaf` says.
std::string c_statements(const expr::Graph& graph, std::span<const expr::Expr> roots,
                         const std::function<std::string(expr::Leaf)>& leaf,
                         const std::function<std::string(std::size_t)>& target);

/// Functions that the statements of these roots call and math.h does not have.
std::string c_helpers(const expr::Graph& graph, std::span<const expr::Expr> roots);

/// Whether a spline occurs.
bool contains_spline(const expr::Graph& graph, std::span<const expr::Expr> roots);

}  // namespace daedal::emit
