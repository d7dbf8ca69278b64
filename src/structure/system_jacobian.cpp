// Which leaf an equation is differentiated by depends on the equation through c_i, so expr::jacobian does not apply. Each
// shape is differentiated once for every way in which its leaves reach the offsets: a chain of any length has few of them.
#include "daedal/structure/system_jacobian.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace daedal::structure {

using expr::Expr;
using expr::Family;
using expr::Leaf;

namespace {

/// Derivatives of some instances of a family; `family.rows` are still equations.
struct Part {
  Family family;
  std::vector<std::uint32_t> column;  // parallel to family.rows
};

class Differentiation {
 public:
  Differentiation(const derive::Dae& dae, const Offsets& offsets)
      : offsets_(offsets), column_(dae.model->symbols.size(), Family::no_row) {
    for (std::uint32_t j = 0; j < dae.unknowns.size(); ++j) column_[dae.unknowns[j]] = j;
  }

  std::vector<Part> run(const expr::Function& residual) {
    for (const Family& family : residual.families)
      family.identity() ? by_equation(family) : by_pattern(family);
    return std::move(parts_);
  }

 private:
  /// d_j when the leaf, differentiated c times, is the leading derivative of unknown j.
  bool leads(Leaf global, int c) const {
    const std::uint32_t j = column_[global.symbol];
    return j != Family::no_row && global.order + c == offsets_.d[j];
  }

  /// The family in global symbols: outputs of equal c have the same variables.
  void by_equation(const Family& family) {
    std::map<int, std::vector<std::size_t>> outputs_of;  // by c
    for (std::size_t k = 0; k < family.outputs.size(); ++k)
      if (family.rows[k] != Family::no_row) outputs_of[offsets_.c[family.rows[k]]].push_back(k);
    for (const auto& [c, outputs] : outputs_of) {
      std::vector<Expr> functions;
      for (const std::size_t k : outputs) functions.push_back(family.outputs[k]);
      std::vector<Leaf> variables;
      for (const Leaf& leaf : expr::leaves(*family.graph, functions))
        if (leads(leaf, c)) variables.push_back(leaf);
      Part part;
      for (const expr::JacobianEntry& e : differentiate(part, family, functions, variables)) {
        part.family.rows.push_back(family.rows[outputs[e.row]]);
        part.column.push_back(column_[variables[e.column].symbol]);
      }
      keep(std::move(part));
    }
  }

  /// A repeated shape: instances whose leaves reach the offsets in the same way are taken together.
  void by_pattern(const Family& family) {
    for (std::size_t k = 0; k < family.outputs.size(); ++k) {
      const std::span<const Expr> output(&family.outputs[k], 1);
      const std::vector<Leaf> leaves = expr::leaves(*family.graph, output);
      std::map<std::vector<Leaf>, std::vector<std::uint32_t>> instances_of;  // by variables
      for (std::uint32_t i = 0; i < family.instances; ++i) {
        if (family.row(i, k) == Family::no_row) continue;
        std::vector<Leaf> variables;
        for (const Leaf& leaf : leaves)
          if (leads({family.symbol(i, leaf.symbol), leaf.order}, offsets_.c[family.row(i, k)]))
            variables.push_back(leaf);
        instances_of[variables].push_back(i);
      }
      for (const auto& [variables, instances] : instances_of) {
        Part part;
        const auto entries = differentiate(part, family, output, variables);
        part.family.slots = family.slots;
        part.family.instances = static_cast<std::uint32_t>(instances.size());
        for (const std::uint32_t i : instances) {
          const auto symbols = family.symbols.begin() + std::ptrdiff_t{i} * family.slots;
          part.family.symbols.insert(part.family.symbols.end(), symbols, symbols + family.slots);
          for (const expr::JacobianEntry& e : entries) {
            part.family.rows.push_back(family.row(i, k));
            part.column.push_back(column_[family.symbol(i, variables[e.column].symbol)]);
          }
        }
        keep(std::move(part));
      }
    }
  }

  static std::vector<expr::JacobianEntry> differentiate(Part& part, const Family& family,
                                                        std::span<const Expr> functions,
                                                        std::span<const Leaf> variables) {
    const auto graph = std::make_shared<expr::Graph>(family.graph);
    std::vector<expr::JacobianEntry> entries = expr::jacobian(*graph, functions, variables);
    for (const expr::JacobianEntry& e : entries) part.family.outputs.push_back(e.value);
    part.family.graph = graph;
    return entries;
  }

  void keep(Part part) {
    if (!part.family.outputs.empty()) parts_.push_back(std::move(part));
  }

  const Offsets& offsets_;
  std::vector<std::uint32_t> column_;  // by symbol
  std::vector<Part> parts_;
};

/// Compressed rows of all entries; rows of the parts become positions in them.
expr::SparseFunction assemble(std::vector<Part> parts, std::uint32_t rows, std::uint32_t columns) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> entries;
  for (const Part& part : parts)
    for (std::size_t k = 0; k < part.column.size(); ++k)
      entries.emplace_back(part.family.rows[k], part.column[k]);
  std::sort(entries.begin(), entries.end());
  entries.erase(std::unique(entries.begin(), entries.end()), entries.end());

  expr::SparseFunction result;
  result.rows = rows;
  result.columns = columns;
  result.row_start.assign(rows + 1, 0);
  for (const auto& [row, column] : entries) {
    ++result.row_start[row + 1];
    result.column.push_back(column);
  }
  for (std::uint32_t i = 0; i < rows; ++i) result.row_start[i + 1] += result.row_start[i];
  result.values.rows = static_cast<std::uint32_t>(entries.size());
  for (Part& part : parts) {
    for (std::size_t k = 0; k < part.column.size(); ++k) {
      const std::pair entry(part.family.rows[k], part.column[k]);
      const auto place = std::lower_bound(entries.begin(), entries.end(), entry);
      part.family.rows[k] = static_cast<std::uint32_t>(place - entries.begin());
    }
    result.values.families.push_back(std::move(part.family));
  }
  return result;
}

}  // namespace

expr::SparseFunction system_jacobian(const derive::Dae& dae, const Offsets& offsets) {
  return assemble(Differentiation(dae, offsets).run(dae.residual),
                  static_cast<std::uint32_t>(dae.equations.size()),
                  static_cast<std::uint32_t>(dae.unknowns.size()));
}

}  // namespace daedal::structure
