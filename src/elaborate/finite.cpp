#include "elaborate/finite.hpp"

#include "daedal/expr/graph.hpp"
#include "daedal/model/fault.hpp"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <span>

namespace daedal::model {

namespace {

using expr::Expr;
using expr::Op;

/// An expression of the model and where it is written.
struct Root {
  Expr value;
  std::string what;
  const Place* place = nullptr;
};

std::vector<Root> roots_of(const Model& m) {
  std::vector<Root> roots;
  const auto add = [&](const auto& list, auto value, auto what) {
    for (const auto& item : list) roots.push_back({item.*value, what(item), &item.place});
  };
  const auto fixed = [](const char* text) { return [text](const auto&) { return text; }; };
  const auto by_name = [](const char* kind) {
    return [kind](const auto& item) { return fmt::format("{} '{}'", kind, item.name); };
  };
  add(m.kinetic, &EnergyTerm::value, fixed("the kinetic energy"));
  add(m.potential, &EnergyTerm::value, fixed("the potential energy"));
  add(m.dissipation, &EnergyTerm::value, fixed("the dissipation"));
  add(m.loads, &VirtualWork::force, fixed("a load"));
  add(m.loads, &VirtualWork::displacement, fixed("what a load acts on"));
  for (const LiftedLet& let : m.lifted)
    roots.push_back({let.value, fmt::format("let '{}'", m.symbols[let.symbol].name), &let.place});
  add(m.constraints, &Relation::residual, by_name("constraint"));
  add(m.equations, &Relation::residual, by_name("equation"));
  add(m.servos, &Relation::residual, by_name("servo"));
  add(m.drives, &Drive::residual, fixed("a drive"));
  add(m.outputs, &NamedValue::value, by_name("output"));
  for (const InputDefault& input : m.inputs) {
    const Symbol& symbol = m.symbols[input.input];
    roots.push_back({input.value, fmt::format("input '{}'", symbol.name), &symbol.place});
  }
  return roots;
}

/// Values of the nodes that contain numbers and parameters alone.
class KnownValues {
 public:
  KnownValues(const Model& model, const expr::Graph& graph, const std::vector<Expr>& roots)
      : graph_(graph), known_(graph.size(), false), values_(graph.size(), 0) {
    for (const Expr e : expr::reachable(graph, roots)) {
      const std::optional<double> value = evaluate(model, e);
      known_[e.id] = value.has_value();
      values_[e.id] = value.value_or(0);
    }
  }

  /// A node below the roots that is not finite; the deepest, if there are several.
  std::optional<Expr> culprit(std::span<const Expr> roots) const {
    for (const Expr e : used_below(roots)) {
      const expr::Node& node = graph_.node(e);
      const bool divides_by_zero = node.op == Op::div && known_[node.b] && values_[node.b] == 0;
      if (divides_by_zero || (known_[e.id] && !std::isfinite(values_[e.id]))) return e;
    }
    return std::nullopt;
  }

 private:
  std::optional<double> evaluate(const Model& model, Expr e) const {
    const expr::Node& node = graph_.node(e);
    if (node.op == Op::constant) return graph_.constant_value(e);
    if (node.op == Op::leaf) {
      const Symbol& symbol = model.symbols[node.a];
      if (symbol.kind != SymbolKind::parameter) return std::nullopt;
      return symbol.value;
    }
    if (node.op == Op::select && known_[node.a]) {
      const std::uint32_t taken = values_[node.a] != 0 ? node.b : node.c;
      if (known_[taken]) return values_[taken];
      return std::nullopt;
    }
    const std::uint32_t children[] = {node.a, node.b, node.c};
    for (int i = 0; i < expr::arity(node.op); ++i)
      if (!known_[children[i]]) return std::nullopt;
    const auto value = [&](int i) { return i < expr::arity(node.op) ? values_[children[i]] : 0.0; };
    return expr::apply(graph_, node, value(0), value(1), value(2));
  }

  /// Nodes that can count, children first.
  std::vector<Expr> used_below(std::span<const Expr> roots) const {
    const std::vector<Expr> all = expr::reachable(graph_, roots);
    std::vector<char> used(all.empty() ? 0 : all.back().id + 1, 0);
    for (const Expr root : roots) used[root.id] = 1;
    std::vector<Expr> result;
    for (auto it = all.rbegin(); it != all.rend(); ++it) {
      if (!used[it->id]) continue;
      result.push_back(*it);
      const expr::Node& node = graph_.node(*it);
      if (node.op == Op::select && known_[node.a]) {
        used[node.a] = 1;
        used[values_[node.a] != 0 ? node.b : node.c] = 1;
        continue;
      }
      const std::uint32_t children[] = {node.a, node.b, node.c};
      for (int i = 0; i < expr::arity(node.op); ++i) used[children[i]] = 1;
    }
    return {result.rbegin(), result.rend()};
  }

  const expr::Graph& graph_;
  std::vector<char> known_;
  std::vector<double> values_;
};

/// "k = 2, L = 0"
std::string parameters_in(const Model& model, const expr::Graph& graph, Expr e) {
  std::string text;
  for (const expr::Leaf& leaf : expr::leaves(graph, std::span(&e, 1))) {
    const Symbol& symbol = model.symbols[leaf.symbol];
    if (symbol.kind != SymbolKind::parameter) continue;
    text +=
        fmt::format("{}{} = {}", text.empty() ? "" : ", ", symbol.name, number_text(symbol.value));
  }
  return text;
}

}  // namespace

void check_finite(const Model& model, const expr::Graph& graph, Diagnostics& diagnostics) {
  constexpr std::size_t max_text = 60, max_faults = 20;
  const std::vector<Root> roots = roots_of(model);
  std::vector<Expr> values;
  for (const Root& root : roots) values.push_back(root.value);
  const KnownValues known(model, graph, values);
  if (!known.culprit(values)) return;
  for (const Root& root : roots) {
    const std::optional<Expr> culprit = known.culprit(std::span(&root.value, 1));
    if (!culprit) continue;
    const auto name = [&](expr::Leaf leaf) {
      return name_of(model.symbols[leaf.symbol], leaf.order);
    };
    const std::string parameters = parameters_in(model, graph, *culprit);
    diagnostics.error(*root.place,
                      fmt::format("{} contains {}, which is not finite", root.what,
                                  expr::to_text(graph, *culprit, name, max_text)),
                      parameters.empty() ? "" : "the parameters are " + parameters);
    if (diagnostics.errors() >= max_faults) return;
  }
}

}  // namespace daedal::model
