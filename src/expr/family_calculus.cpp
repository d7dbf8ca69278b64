// Derivatives of Functions: each shape is differentiated once, in a child arena, for all its
// instances.
#include "daedal/expr/graph.hpp"
#include "prune.hpp"

#include <algorithm>

namespace daedal::expr {
namespace {

// The family with other outputs, each made from output `source[k]` of the old one and added to the
// same row.
Family with_outputs(const Family& family, std::shared_ptr<const Graph> graph,
                    std::vector<Expr> outputs, std::span<const std::uint32_t> source) {
  Family result;
  result.graph = std::move(graph);
  result.outputs = std::move(outputs);
  result.slots = family.slots;
  result.instances = family.instances;
  result.symbols = family.symbols;
  result.rows.reserve(source.size() * family.instances);
  for (std::uint32_t i = 0; i < family.instances; ++i) {
    for (const std::uint32_t k : source) result.rows.push_back(family.row(i, k));
  }
  return result;
}

// ---- Jacobian

// Columns of a shape's leaves: variables are the leaves that have one in some instance.
struct FamilyColumns {
  std::vector<Leaf> variables;
  std::vector<std::uint32_t> column;  // [instance * variables + variable], or no_row
};

FamilyColumns columns_of(const Family& family,
                         const std::function<std::uint32_t(Leaf)>& column_of) {
  const std::vector<Leaf> all = leaves(*family.graph, family.outputs);
  const auto column = [&](std::uint32_t instance, Leaf leaf) {
    return column_of({family.symbol(instance, leaf.symbol), leaf.order});
  };
  FamilyColumns result;
  for (const Leaf leaf : all) {
    for (std::uint32_t i = 0; i < family.instances; ++i) {
      if (column(i, leaf) == Family::no_row) continue;
      result.variables.push_back(leaf);
      break;
    }
  }
  result.column.reserve(result.variables.size() * family.instances);
  for (std::uint32_t i = 0; i < family.instances; ++i) {
    for (const Leaf leaf : result.variables) result.column.push_back(column(i, leaf));
  }
  return result;
}

// A differentiated family whose rows are still those of f, and the column each output of an
// instance belongs to.
struct DifferentiatedFamily {
  Family family;
  std::vector<std::uint32_t> column;  // parallel to family.rows
};

DifferentiatedFamily differentiate(const Family& family,
                                   const std::function<std::uint32_t(Leaf)>& column_of) {
  const FamilyColumns columns = columns_of(family, column_of);
  const auto graph = std::make_shared<Graph>(family.graph);
  const std::vector<JacobianEntry> entries = jacobian(*graph, family.outputs, columns.variables);

  std::vector<Expr> outputs;
  std::vector<std::uint32_t> source;
  for (const JacobianEntry& entry : entries) {
    outputs.push_back(entry.value);
    source.push_back(entry.row);
  }
  DifferentiatedFamily result{with_outputs(family, graph, std::move(outputs), source), {}};
  result.column.reserve(result.family.rows.size());
  for (std::uint32_t i = 0; i < family.instances; ++i) {
    for (const JacobianEntry& entry : entries) {
      result.column.push_back(columns.column[i * columns.variables.size() + entry.column]);
    }
  }
  return result;
}

bool is_entry(const DifferentiatedFamily& part, std::size_t i) {
  return part.family.rows[i] != Family::no_row && part.column[i] != Family::no_row;
}

// Compressed rows of all entries: counted, filled, then sorted and made unique row by row.
void collect_pattern(const std::vector<DifferentiatedFamily>& parts, SparseFunction& jacobian) {
  std::vector<std::uint32_t> fill(jacobian.rows + 1, 0);
  for (const DifferentiatedFamily& part : parts) {
    for (std::size_t i = 0; i < part.column.size(); ++i) {
      if (is_entry(part, i)) ++fill[part.family.rows[i] + 1];
    }
  }
  for (std::uint32_t row = 0; row < jacobian.rows; ++row) fill[row + 1] += fill[row];
  const std::vector<std::uint32_t> start = fill;
  std::vector<std::uint32_t> column(start.back());
  for (const DifferentiatedFamily& part : parts) {
    for (std::size_t i = 0; i < part.column.size(); ++i) {
      if (is_entry(part, i)) column[fill[part.family.rows[i]]++] = part.column[i];
    }
  }
  jacobian.row_start.assign(1, 0);
  for (std::uint32_t row = 0; row < jacobian.rows; ++row) {
    const auto begin = column.begin() + start[row], end = column.begin() + start[row + 1];
    std::sort(begin, end);
    jacobian.column.insert(jacobian.column.end(), begin, std::unique(begin, end));
    jacobian.row_start.push_back(static_cast<std::uint32_t>(jacobian.column.size()));
  }
}

std::uint32_t position_of(const SparseFunction& jacobian, std::uint32_t row, std::uint32_t column) {
  const auto begin = jacobian.column.begin() + jacobian.row_start[row];
  const auto end = jacobian.column.begin() + jacobian.row_start[row + 1];
  return static_cast<std::uint32_t>(std::lower_bound(begin, end, column) - jacobian.column.begin());
}

}  // namespace

Function time_derivative(const Function& f, const VariesInTime& varies) {
  Function result{f.rows, {}};
  for (const Family& family : f.families) {
    const auto graph = std::make_shared<Graph>(family.graph);
    // All instances agree on what varies: it is part of the shape.
    const VariesInTime slot_varies = [&](SymbolId slot) { return varies(family.symbol(0, slot)); };
    const std::vector<Expr> rates = time_derivative(*graph, family.outputs, slot_varies);
    std::vector<Expr> outputs;
    std::vector<std::uint32_t> source;
    for (std::uint32_t k = 0; k < rates.size(); ++k) {
      if (graph->is_constant(rates[k], 0)) continue;
      outputs.push_back(rates[k]);
      source.push_back(k);
    }
    if (!outputs.empty()) {
      result.families.push_back(with_outputs(family, graph, std::move(outputs), source));
    }
  }
  return result;
}

std::vector<Occurrence> occurrences(const Function& f) {
  std::vector<Occurrence> found;
  for (const Family& family : f.families) {
    for (std::size_t k = 0; k < family.outputs.size(); ++k) {
      const std::vector<Leaf> in_output = leaves(*family.graph, std::span(&family.outputs[k], 1));
      for (std::uint32_t i = 0; i < family.instances; ++i) {
        const std::uint32_t row = family.row(i, k);
        if (row == Family::no_row) continue;
        for (const Leaf leaf : in_output)
          found.push_back({row, {family.symbol(i, leaf.symbol), leaf.order}});
      }
    }
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

SparseFunction jacobian(const Function& f, std::uint32_t columns,
                        const std::function<std::uint32_t(Leaf)>& column_of) {
  std::vector<DifferentiatedFamily> parts;
  parts.reserve(f.families.size());
  for (const Family& family : f.families) parts.push_back(differentiate(family, column_of));

  SparseFunction result;
  result.rows = f.rows;
  result.columns = columns;
  collect_pattern(parts, result);
  result.values.rows = static_cast<std::uint32_t>(result.column.size());
  for (DifferentiatedFamily& part : parts) {
    for (std::size_t i = 0; i < part.column.size(); ++i) {
      std::uint32_t& row = part.family.rows[i];
      row = is_entry(part, i) ? position_of(result, row, part.column[i]) : Family::no_row;
    }
    result.values.families.push_back(std::move(part.family));
  }
  prune(result.values);
  return result;
}

}  // namespace daedal::expr
