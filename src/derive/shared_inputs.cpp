// More inputs than servo-constraints [Druecker2022, Section 3.3.1]: the motion is determined, the inputs are not. Of all inputs u and
// reactions y that produce the motion, f(u, y) = 0, those nearest to the inputs' own values u0 are chosen at each time,
//     min 1/2 sum ((u_i - u0_i)/n_i)^2   subject to   f(u, y) = 0,      n_i the nominal size of an input,
// by the conditions of Lagrange with one multiplier p_k for each equation that contains inputs or reactions:
//     u_i - u0_i + n_i^2 sum p_k df_k/du_i = 0,      sum p_k df_k/dy_j = 0.
// They are algebraic: the inverse stays an ordinary Dae of the same index. A held input has  u_i = value  in place of its
// condition; with the right times these are the conditions of the choice within limits.
#include "derive/shared_inputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <memory>

namespace daedal::derive {

namespace {

using expr::Expr;
using expr::Leaf;
using expr::SymbolId;
using model::SymbolKind;

std::vector<SymbolId> inputs_of(const model::Model& m) {
  std::vector<SymbolId> inputs;
  for (SymbolId s = 0; s < m.symbols.size(); ++s)
    if (m.symbols[s].kind == SymbolKind::input) inputs.push_back(s);
  return inputs;
}

/// What the rows of a forward Dae contain.
struct Parts {
  std::vector<std::uint32_t> rows;  // with inputs or unknowns that adapt
  std::vector<SymbolId> adapting;   // reactions, and variables without rates
};

Parts parts_of(const Dae& dae, const std::vector<SymbolId>& inputs) {
  const model::Model& m = *dae.model;
  std::vector<int> highest(m.symbols.size(), -1);
  const std::vector<expr::Occurrence> occurrences = expr::occurrences(dae.residual);
  for (const expr::Occurrence& o : occurrences)
    highest[o.leaf.symbol] = std::max<int>(highest[o.leaf.symbol], o.leaf.order);
  std::vector<bool> adapts(m.symbols.size(), false);
  Parts parts;
  for (const SymbolId s : dae.unknowns)
    if (!m.symbols[s].is_position() && highest[s] == 0) {
      adapts[s] = true;
      parts.adapting.push_back(s);
    }
  for (const SymbolId s : inputs) adapts[s] = true;
  std::vector<bool> with(dae.equations.size(), false);
  for (const expr::Occurrence& o : occurrences)
    if (adapts[o.leaf.symbol]) with[o.row] = true;
  for (std::uint32_t i = 0; i < with.size(); ++i)
    if (with[i]) parts.rows.push_back(i);
  return parts;
}

/// "x, phi, ..."
std::string names_of(const model::Model& m, const std::vector<SymbolId>& symbols) {
  constexpr std::size_t shown = 6;
  std::string text;
  for (std::size_t k = 0; k < symbols.size() && k < shown; ++k)
    text += (k == 0 ? "" : ", ") + m.symbols[symbols[k]].name;
  return symbols.size() > shown ? text + ", ..." : text;
}

/// A value held from one time until another, `otherwise` before and after.
Expr during(expr::Graph& graph, const HeldInput& held, Expr value, Expr before, Expr after) {
  const Expr t = graph.leaf({expr::time_symbol, 0});
  const auto earlier_than = [&](double time) {
    return graph.binary(expr::Op::less, t, graph.constant(time));
  };
  Expr result =
      std::isfinite(held.until) ? graph.select(earlier_than(held.until), value, after) : value;
  return std::isfinite(held.from) ? graph.select(earlier_than(held.from), before, result) : result;
}

/// Takes the limits of inputs alone out of the model: the choice is made within them, exactly, and rounding is no violation.
std::vector<SharedInputs::Bound> take_bounds(model::Model& m, const std::vector<SymbolId>& inputs) {
  std::vector<SharedInputs::Bound> bounds;
  std::erase_if(m.limits, [&](const model::LimitRange& limit) {
    if (m.graph->node(limit.value).op != expr::Op::leaf) return false;
    const Leaf bounded = m.graph->leaf_of(limit.value);
    if (std::find(inputs.begin(), inputs.end(), bounded.symbol) == inputs.end()) return false;
    const Expr ends[] = {limit.low, limit.high};
    for (const Leaf& leaf : expr::leaves(*m.graph, ends))
      if (leaf.symbol != expr::time_symbol && m.varies(leaf.symbol)) return false;
    bounds.push_back({bounded.symbol, limit.low, limit.high});
    return true;
  });
  return bounds;
}

}  // namespace

std::string why_not_shared(const Dae& forward) {
  const model::Model& m = *forward.model;
  const std::vector<SymbolId> inputs = inputs_of(m);
  const Parts parts = parts_of(forward, inputs);
  const std::size_t given = forward.equations.size() - parts.rows.size() + m.servos.size();
  std::vector<SymbolId> moving;
  for (const SymbolId s : forward.unknowns)
    if (std::find(parts.adapting.begin(), parts.adapting.end(), s) == parts.adapting.end())
      moving.push_back(s);
  std::vector<Expr> wanted;
  for (const model::Relation& servo : m.servos) wanted.push_back(servo.residual);
  for (const Leaf& leaf : expr::leaves(*m.graph, wanted))
    if (m.symbols[leaf.symbol].kind == SymbolKind::input ||
        std::find(parts.adapting.begin(), parts.adapting.end(), leaf.symbol) !=
            parts.adapting.end())
      return fmt::format(
          "a servo-constraint contains '{}', which the others do not determine: "
          "inputs can share the work only where the motion alone is prescribed",
          m.symbols[leaf.symbol].name);
  if (given == moving.size()) return "";
  return fmt::format(
      "inputs share the work where constraints and servo-constraints determine the whole motion: "
      "here they are {} for {} unknowns, {}",
      given, moving.size(), names_of(m, moving));
}

Dae with_shared_inputs(const Dae& dae, const std::vector<SymbolId>& inputs,
                       std::span<const HeldInput> held) {
  auto m = std::make_shared<model::Model>(*dae.model);
  const auto graph = std::make_shared<expr::Graph>(m->graph);
  Parts parts = parts_of(dae, inputs);
  Dae result = dae;
  result.shared = {parts.rows, inputs, parts.adapting, {}, take_bounds(*m, inputs)};
  const std::vector<Expr> residuals = expr::expand(dae.residual, *graph);
  std::vector<Leaf> chosen;
  for (const SymbolId s : parts.adapting) chosen.push_back({s, 0});
  for (const SymbolId s : inputs) chosen.push_back({s, 0});
  std::vector<Expr> conditions(chosen.size(), graph->constant(0));
  for (const std::uint32_t row : parts.rows) {
    const auto multiplier = static_cast<SymbolId>(m->symbols.size());
    m->symbols.push_back({"multiplier of " + dae.equations[row].name, SymbolKind::multiplier, "",
                          "", dae.equations[row].place, 0, 1});
    result.shared.multipliers.push_back(multiplier);
    result.unknowns.push_back(multiplier);
    const Expr p = graph->leaf({multiplier, 0});
    const std::vector<Expr> slopes = expr::gradient(*graph, residuals[row], chosen);
    for (std::size_t k = 0; k < chosen.size(); ++k)
      conditions[k] = graph->add(conditions[k], graph->mul(p, slopes[k]));
  }
  std::map<SymbolId, Expr> own;
  for (const model::InputDefault& input : m->inputs) own.emplace(input.input, input.value);
  std::vector<expr::Term> terms;
  for (std::size_t k = 0; k < chosen.size(); ++k) {
    const model::Symbol& symbol = m->symbols[chosen[k].symbol];
    Expr condition = conditions[k];
    if (symbol.kind == SymbolKind::input) {
      const Expr u = graph->leaf(chosen[k]);
      const Expr scaled = graph->mul(graph->constant(symbol.nominal * symbol.nominal), condition);
      const Expr free = graph->add(graph->sub(u, own.at(chosen[k].symbol)), scaled);
      condition = free;
      for (const HeldInput& h : std::vector(held.rbegin(), held.rend()))
        if (h.input == chosen[k].symbol)
          condition = during(*graph, h, graph->sub(u, h.value), free, condition);
    }
    terms.push_back({condition, static_cast<std::uint32_t>(result.equations.size())});
    result.equations.push_back(
        {"least norm of " + symbol.name, EquationKind::equation, symbol.place});
  }
  m->graph = graph;
  const auto rows = static_cast<std::uint32_t>(result.equations.size());
  result.residual.rows = rows;
  result.residual =
      expr::sum(result.residual,
                expr::gather(m->graph, terms, rows, static_cast<std::uint32_t>(m->symbols.size()),
                             [&](SymbolId s) { return m->varies(s); }));
  result.model = std::move(m);
  return result;
}

}  // namespace daedal::derive
