#include "daedal/derive/branches.hpp"

#include "daedal/expr/graph.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

namespace daedal::derive {

namespace {

using expr::Expr;
using expr::Graph;
using expr::Is;
using expr::Leaf;
using expr::Op;
using expr::SymbolId;

/// The parameters made so far: one for each value, whichever family of equations contains it.
class Parameters {
 public:
  explicit Parameters(const Dae& dae)
      : symbols_(dae.model->symbols), graph_(std::make_shared<Graph>(dae.model->graph)) {
    for (std::size_t s = 0; s < symbols_.size(); ++s)
      unknown_.push_back(s != expr::time_symbol &&
                         symbols_[s].kind != model::SymbolKind::parameter &&
                         symbols_[s].kind != model::SymbolKind::input);
    for (const SymbolId s : dae.unknowns) unknown_[s] = true;  // inputs of an inverse model
  }

  Graph& graph() { return *graph_; }

  SymbolId of(Expr value) {
    const auto [it, is_new] = known_.emplace(value.id, 0);
    if (is_new) {
      it->second = static_cast<SymbolId>(symbols_.size());
      model::Symbol symbol;
      symbol.name = expr::to_text(
          *graph_, value,
          [&](Leaf leaf) { return model::name_of(symbols_[leaf.symbol], leaf.order); }, 200);
      symbols_.push_back(std::move(symbol));
      branches_.symbols.push_back(it->second);
      branches_.values.push_back(value);
    }
    return it->second;
  }

  bool is_unknown(SymbolId s) const { return s < unknown_.size() && unknown_[s]; }
  const model::Symbols& symbols() const { return symbols_; }
  bool empty() const { return branches_.symbols.empty(); }

  Branches branches() const {
    Branches result = branches_;
    result.graph = graph_;
    return result;
  }

 private:
  model::Symbols symbols_;
  std::vector<bool> unknown_;     // by symbol of the model: neither time nor a function of it
  std::shared_ptr<Graph> graph_;  // in the symbols of the model
  std::map<std::uint32_t, SymbolId> known_;
  Branches branches_;
};

constexpr bool has_branches(Op op) {
  using enum expr::Operation::Smoothness;
  return expr::facts(op).smoothness == kink || expr::facts(op).smoothness == jump;
}

/// One family with its branches held: each of them is a further slot.
class Rewriting {
 public:
  Rewriting(const expr::Family& family, Parameters& parameters)
      : family_(family), parameters_(parameters), graph_(std::make_shared<Graph>(family.graph)) {}

  expr::Family run() {
    const std::vector<Expr> nodes = expr::reachable(*family_.graph, family_.outputs);
    if (std::none_of(nodes.begin(), nodes.end(),
                     [&](Expr e) { return has_branches(graph_->node(e).op); }))
      return family_;
    std::map<std::uint32_t, Expr> rewritten;
    std::map<std::uint32_t, bool> moves;  // contains an unknown
    for (const Expr e : nodes) {
      const expr::Node& node = graph_->node(e);
      if (node.op == Op::leaf) {
        moves[e.id] = parameters_.is_unknown(family_.symbol(0, graph_->leaf_of(e).symbol));
        rewritten[e.id] = e;
        continue;
      }
      const std::uint32_t children[] = {node.a, node.b, node.c};
      Expr child[3];
      bool moving = false;
      for (int c = 0; c < expr::arity(node.op); ++c) {
        child[c] = rewritten.at(children[c]);
        moving = moving || moves.at(children[c]);
      }
      moves[e.id] = moving;
      rewritten[e.id] = moving ? smooth(node, child[0], child[1], child[2])
                               : graph_->rebuild(node, child[0], child[1], child[2]);
    }
    if (held_.empty()) return family_;
    expr::Family result = family_;
    for (Expr& output : result.outputs) output = rewritten.at(output.id);
    result.graph = graph_;
    if (!family_.identity()) add_slots(result);
    return result;
  }

 private:
  /// The node with held comparisons instead of live ones. Operands are rewritten already.
  Expr smooth(const expr::Node& node, Expr a, Expr b, Expr c) {
    if (!has_branches(node.op)) return graph_->rebuild(node, a, b, c);
    return expr::visit(node.op, [&](auto op) -> Expr {
      if constexpr (!has_branches(op))
        return {};
      else
        return held(op, a, b);
    });
  }

  Expr held(Is<Op::less>, Expr a, Expr b) { return less(a, b); }
  Expr held(Is<Op::less_equal>, Expr a, Expr b) {
    return graph_->unary(Op::logical_not, less(b, a));
  }
  Expr held(Is<Op::abs>, Expr a, Expr) {
    return graph_->select(less(a, graph_->constant(0)), graph_->neg(a), a);
  }
  Expr held(Is<Op::sign>, Expr a, Expr) {
    return graph_->sub(less(graph_->constant(0), a), less(a, graph_->constant(0)));
  }
  Expr held(Is<Op::min>, Expr a, Expr b) { return graph_->select(less(b, a), b, a); }
  Expr held(Is<Op::max>, Expr a, Expr b) { return graph_->select(less(a, b), b, a); }
  Expr held(Is<Op::floor>, Expr a, Expr) { return hold(graph_->unary(Op::floor, a)); }
  Expr held(Is<Op::mod>, Expr a, Expr b) {
    return graph_->sub(a, graph_->mul(b, hold(graph_->unary(Op::floor, graph_->div(a, b)))));
  }

  Expr less(Expr a, Expr b) { return hold(graph_->binary(Op::less, a, b)); }

  /// The leaf of the parameter that holds `value`, an expression in the slots.
  Expr hold(Expr value) {
    if (graph_->is_constant(value)) return value;
    if (const auto known = held_.find(value.id); known != held_.end()) return known->second;
    const std::uint32_t instances = family_.identity() ? 1 : family_.instances;
    std::vector<SymbolId> symbols;
    const Expr roots[] = {value};
    for (std::uint32_t instance = 0; instance < instances; ++instance)
      symbols.push_back(parameters_.of(
          expr::copy(*graph_, roots, parameters_.graph(), [&](Leaf leaf) -> std::optional<Expr> {
            return parameters_.graph().leaf({global(instance, leaf.symbol), leaf.order});
          })[0]));
    const SymbolId slot =
        family_.identity() ? symbols[0] : family_.slots + static_cast<SymbolId>(added_.size());
    added_.push_back(std::move(symbols));
    return held_.emplace(value.id, graph_->leaf({slot, 0})).first->second;
  }

  SymbolId global(std::uint32_t instance, SymbolId slot) const {
    if (family_.identity()) return slot;
    return slot < family_.slots ? family_.symbol(instance, slot)
                                : added_[slot - family_.slots][instance];
  }

  void add_slots(expr::Family& result) const {
    result.slots += static_cast<std::uint32_t>(added_.size());
    result.symbols.clear();
    for (std::uint32_t instance = 0; instance < family_.instances; ++instance) {
      for (std::uint32_t slot = 0; slot < family_.slots; ++slot)
        result.symbols.push_back(family_.symbol(instance, slot));
      for (const std::vector<SymbolId>& symbols : added_)
        result.symbols.push_back(symbols[instance]);
    }
  }

  const expr::Family& family_;
  Parameters& parameters_;
  std::shared_ptr<Graph> graph_;
  std::map<std::uint32_t, Expr> held_;        // by value
  std::vector<std::vector<SymbolId>> added_;  // by further slot: the symbol of each instance
};

}  // namespace

std::optional<Dae> hold_branches(const Dae& dae) {
  Parameters parameters(dae);
  Dae result = dae;
  for (expr::Function* f :
       {&result.residual, &result.mechanics.power, &result.mechanics.drive_force})
    for (expr::Family& family : f->families) family = Rewriting(family, parameters).run();
  if (parameters.empty()) return std::nullopt;
  auto model = std::make_shared<model::Model>(*dae.model);
  model->symbols = parameters.symbols();
  result.model = std::move(model);
  result.branches = parameters.branches();
  return result;
}

}  // namespace daedal::derive
