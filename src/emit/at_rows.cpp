#include "at_rows.hpp"

#include "daedal/expr/graph.hpp"

#include <limits>
#include <map>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace daedal::emit {

namespace {

using expr::Expr;
using expr::Leaf;

/// The expressions in coordinates alone: lifted positions are no columns, so their definitions take their place.
std::vector<Expr> without_lifted(const model::Model& m, const std::vector<Expr>& values,
                                 expr::Graph& graph) {
  std::unordered_map<expr::SymbolId, Expr> known;
  const expr::LeafMap map = [&](Leaf leaf) -> std::optional<Expr> {
    const auto it = known.find(leaf.symbol);
    return leaf.order == 0 && it != known.end() ? std::optional(it->second) : std::nullopt;
  };
  for (const model::LiftedLet& let : m.lifted)
    known[let.symbol] = expr::copy(*m.graph, std::vector{let.value}, graph, map).front();
  return expr::copy(*m.graph, values, graph, map);
}

}  // namespace

AtRows::AtRows(const model::Model& m, const Table& rows, const std::vector<Expr>& values)
    : rows_(rows) {
  if (values.empty()) return;
  const auto graph = std::make_shared<expr::Graph>();
  const std::vector<Expr> written = without_lifted(m, values, *graph);
  std::map<std::pair<std::string_view, int>, std::size_t> column_of;  // symbol, order
  for (std::size_t c = 0; c < rows.width(); ++c)
    if (const Column& column = rows.columns()[c]; !column.is_of_observer())
      column_of.emplace(std::pair(std::string_view(column.symbol), column.order), c);
  compile::Layout layout;
  const std::vector<Leaf> leaves = expr::leaves(*graph, written);
  for (const bool parameters : {false, true}) {
    if (parameters) layout.first_parameter = layout.size();
    for (const Leaf leaf : leaves) {
      const model::Symbol& symbol = m.symbols[leaf.symbol];
      if ((symbol.kind == model::SymbolKind::parameter) != parameters) continue;
      const std::uint32_t position = layout.add(leaf);
      point_.push_back(parameters ? symbol.value : std::numeric_limits<double>::quiet_NaN());
      if (leaf.symbol == expr::time_symbol) {
        columns_.emplace_back(position, 0);
        continue;
      }
      const auto column = column_of.find({symbol.name, leaf.order});
      if (!parameters && column != column_of.end()) columns_.emplace_back(position, column->second);
    }
  }
  std::vector<expr::Term> terms;
  for (const Expr e : written) terms.push_back({e, static_cast<std::uint32_t>(terms.size())});
  const expr::Function function{static_cast<std::uint32_t>(terms.size()),
                                {expr::identity_family(graph, terms)}};
  kernel_ = compile::compile(function, layout, {.backend = compile::Backend::tape});
  work_ = kernel_->workspace();
  kernel_->prepare(point_.data(), work_);
}

void AtRows::evaluate(std::size_t row, double* values) {
  if (kernel_ == nullptr) return;
  for (const auto& [position, column] : columns_)
    point_[position] = rows_.columns()[column].turned(rows_.at(row, column));
  kernel_->evaluate(point_.data(), values, work_);
}

}  // namespace daedal::emit
