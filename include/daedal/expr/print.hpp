// Expressions as text (parsable by the model language) and as LaTeX.
#pragma once

#include "daedal/expr/graph.hpp"

#include <functional>
#include <string>

namespace daedal::expr {

/// The name of a leaf as the user would write it: "x", and "x'" for order 1. LaTeX asks for order 0 only and sets the dots.
using LeafName = std::function<std::string(Leaf)>;

/// Text in the model language, fewest brackets: it parses back to the same value, up to rounding. Shared nodes are written out each time they occur; above `limit`
/// characters the rest is replaced by "...", so that printing a large graph stays cheap.
std::string to_text(const Graph& graph, Expr e, const LeafName& name, std::size_t limit = 20000);
std::string to_latex(const Graph& graph, Expr e, const LeafName& name, std::size_t limit = 20000);
/// "phi[2]" with order 1 -> "\dot{\varphi}_{2}", "x_T" -> "x_{T}".
std::string latex_name(const std::string& name, int order);

}  // namespace daedal::expr
