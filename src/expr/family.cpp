// Functions as sums of families: making, selecting, adding, writing out.
#include "daedal/expr/graph.hpp"
#include "prune.hpp"
#include "substitute.hpp"

#include <algorithm>
#include <stdexcept>

namespace daedal::expr {
namespace {

bool needed(const Family& family, std::uint32_t instance) {
  const std::size_t outputs = family.outputs.size();
  const auto first = family.rows.begin() + static_cast<std::ptrdiff_t>(instance * outputs);
  return std::any_of(first, first + static_cast<std::ptrdiff_t>(outputs),
                     [](std::uint32_t row) { return row != Family::no_row; });
}

void prune_outputs(Family& family) {
  const std::size_t outputs = family.outputs.size();
  std::vector<bool> used(outputs, false);
  for (std::size_t i = 0; i < family.rows.size(); ++i) {
    if (family.rows[i] != Family::no_row) used[i % outputs] = true;
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < family.rows.size(); ++i) {
    if (used[i % outputs]) family.rows[kept++] = family.rows[i];
  }
  family.rows.resize(kept);
  kept = 0;
  for (std::size_t k = 0; k < outputs; ++k) {
    if (used[k]) family.outputs[kept++] = family.outputs[k];
  }
  family.outputs.resize(kept);
}

void prune_instances(Family& family) {
  const std::size_t outputs = family.outputs.size();
  std::uint32_t kept = 0;
  for (std::uint32_t i = 0; i < family.instances; ++i) {
    if (!needed(family, i)) continue;
    std::copy_n(family.rows.begin() + static_cast<std::ptrdiff_t>(i * outputs), outputs,
                family.rows.begin() + static_cast<std::ptrdiff_t>(kept * outputs));
    if (!family.identity()) {
      std::copy_n(family.symbols.begin() + std::ptrdiff_t{i} * family.slots, family.slots,
                  family.symbols.begin() + std::ptrdiff_t{kept} * family.slots);
    }
    ++kept;
  }
  family.instances = kept;
  family.rows.resize(kept * outputs);
  if (!family.identity()) family.symbols.resize(std::size_t{kept} * family.slots);
}

}  // namespace

void prune(Function& f) {
  for (Family& family : f.families) {
    prune_instances(family);
    if (family.instances > 0) prune_outputs(family);
  }
  std::erase_if(f.families, [](const Family& family) {
    return family.instances == 0 || family.outputs.empty();
  });
}

Family identity_family(std::shared_ptr<const Graph> graph, std::span<const Term> terms) {
  Family family;
  family.graph = std::move(graph);
  for (const Term& term : terms) {
    family.outputs.push_back(term.value);
    family.rows.push_back(term.row);
  }
  return family;
}

std::vector<Expr> expand(const Function& f, Graph& to, const LeafMap& map) {
  std::vector<Expr> rows(f.rows, to.constant(0));
  for (const Family& family : f.families) {
    const Walk walk(*family.graph, family.outputs);
    for (std::uint32_t i = 0; i < family.instances; ++i) {
      const LeafMap to_global = [&](Leaf leaf) {
        const Leaf global{family.symbol(i, leaf.symbol), leaf.order};
        const std::optional<Expr> replacement = map ? map(global) : std::nullopt;
        return replacement ? *replacement : to.leaf(global);
      };
      const std::vector<Expr> values = copy(walk, *family.graph, family.outputs, to, to_global);
      for (std::size_t k = 0; k < values.size(); ++k) {
        const std::uint32_t row = family.row(i, k);
        if (row != Family::no_row) rows[row] = to.add(rows[row], values[k]);
      }
    }
  }
  return rows;
}

std::uint64_t operation_count(const Function& f) {
  std::uint64_t count = 0;
  for (const Family& family : f.families) {
    const std::vector<Expr> nodes = reachable(*family.graph, family.outputs);
    const auto operations = std::count_if(
        nodes.begin(), nodes.end(), [&](Expr e) { return arity(family.graph->node(e).op) > 0; });
    count += static_cast<std::uint64_t>(operations) * family.instances;
  }
  return count;
}

Function select_rows(const Function& f, std::span<const std::uint32_t> new_row,
                     std::uint32_t rows) {
  if (new_row.size() != f.rows)
    throw std::invalid_argument("select_rows needs a new row for every row");
  Function result{rows, f.families};
  for (Family& family : result.families) {
    for (std::uint32_t& row : family.rows) {
      if (row != Family::no_row) row = new_row[row];
    }
  }
  prune(result);
  return result;
}

Function sum(const Function& a, const Function& b) {
  if (a.rows != b.rows)
    throw std::invalid_argument("functions of different numbers of rows cannot be added");
  Function result = a;
  result.families.insert(result.families.end(), b.families.begin(), b.families.end());
  return result;
}

}  // namespace daedal::expr
