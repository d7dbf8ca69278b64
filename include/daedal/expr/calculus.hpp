// Exact derivatives, substitution, evaluation: functions on graphs.
#pragma once

#include "daedal/expr/graph.hpp"

#include <functional>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

namespace daedal::expr {

/// Nodes reachable from `roots`, in increasing (topological) order.
std::vector<Expr> reachable(const Graph& graph, std::span<const Expr> roots);
/// Leaves occurring in `roots`, sorted.
std::vector<Leaf> leaves(const Graph& graph, std::span<const Expr> roots);

/// Whether a symbol changes with time: parameters do not, everything else does.
using VariesInTime = std::function<bool(SymbolId)>;

/// Total time derivatives d/dt of `roots`: leaf (s, k) becomes (s, k+1), time becomes 1, constants and parameters 0.
std::vector<Expr> time_derivative(Graph& graph, std::span<const Expr> roots,
                                  const VariesInTime& varies);

/// Gradient of a scalar by reverse mode: d root / d leaf for each leaf of `with_respect_to`.
std::vector<Expr> gradient(Graph& graph, Expr root, std::span<const Leaf> with_respect_to);

/// One structurally nonzero entry of a Jacobian.
struct JacobianEntry {
  std::uint32_t row = 0;     // index into the functions
  std::uint32_t column = 0;  // index into the leaves
  Expr value;
};
/// Sparse Jacobian by forward mode, entries sorted by row, then column; entries that are identically zero are left out.
std::vector<JacobianEntry> jacobian(Graph& graph, std::span<const Expr> functions,
                                    std::span<const Leaf> with_respect_to);

/// Copies `roots` of `from` into `to`, with leaves mapped. When `from` is `to` (or its parent) it is a substitution.
using LeafMap = std::function<std::optional<Expr>(Leaf)>;  // nullopt: the same leaf in `to`
std::vector<Expr> copy(const Graph& from, std::span<const Expr> roots, Graph& to,
                       const LeafMap& map);

/// Values by plain double evaluation with the same elementary functions as the kernels (slow; for set-up and tests).
std::vector<double> evaluate(const Graph& graph, std::span<const Expr> roots,
                             const std::function<double(Leaf)>& value);

}  // namespace daedal::expr
