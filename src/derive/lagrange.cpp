#include "derive/lagrange.hpp"

#include <algorithm>
#include <utility>

namespace daedal::derive {

using expr::Expr;
using expr::Family;
using expr::Function;
using expr::Graph;
using expr::Leaf;
using expr::SymbolId;

namespace {

/// A family under construction: the instances and slots of `source`, new outputs in a graph that extends its graph.
class Derived {
 public:
  Derived(const Family& source, std::shared_ptr<Graph> graph) {
    family_.graph = std::move(graph);
    family_.slots = source.slots;
    family_.instances = source.instances;
    family_.symbols = source.symbols;
  }
  /// One output; `row(instance)` is where it is added.
  template <class Row>
  void add(Expr value, Row row) {
    if (family_.graph->is_constant(value, 0)) return;
    family_.outputs.push_back(value);
    for (std::uint32_t i = 0; i < family_.instances; ++i) rows_by_output_.push_back(row(i));
  }
  void append_to(Function& f) {
    const std::size_t outputs = family_.outputs.size();
    const bool used = std::any_of(rows_by_output_.begin(), rows_by_output_.end(),
                                  [](std::uint32_t row) { return row != Family::no_row; });
    if (!used) return;
    family_.rows.resize(rows_by_output_.size());
    for (std::size_t k = 0; k < outputs; ++k)
      for (std::uint32_t i = 0; i < family_.instances; ++i)
        family_.rows[i * outputs + k] = rows_by_output_[k * family_.instances + i];
    f.families.push_back(std::move(family_));
  }

 private:
  Family family_;
  std::vector<std::uint32_t> rows_by_output_;
};

/// `family` with one more slot that denotes `symbols[instance]`.
Family widened(const Family& family, const std::vector<SymbolId>& symbols) {
  Family wide = family;
  wide.slots = family.slots + 1;
  wide.symbols.clear();
  wide.symbols.reserve(std::size_t{wide.instances} * wide.slots);
  for (std::uint32_t i = 0; i < family.instances; ++i) {
    const auto first = family.symbols.begin() + std::ptrdiff_t{i} * family.slots;
    wide.symbols.insert(wide.symbols.end(), first, first + family.slots);
    wide.symbols.push_back(symbols[i]);
  }
  return wide;
}

/// A contribution to the equation of the coordinate in `slot`.
struct Contribution {
  SymbolId slot = 0;
  Expr value;
};
enum class Energetics { conservative, working };

class Derivation {
  // --- rows of outputs

  static std::uint32_t row_zero(std::uint32_t) { return 0; }
  auto row_of(const Family& family, SymbolId slot) const {
    return [this, &family, slot](std::uint32_t i) { return c_.row[family.symbol(i, slot)]; };
  }
  auto row_zero_if(const Family& family, SymbolId slot, bool driven) const {
    return [this, &family, slot, driven](std::uint32_t i) {
      const std::uint32_t row = c_.row[family.symbol(i, slot)];
      return row != Family::no_row && c_.driven[row] == driven ? 0u : Family::no_row;
    };
  }

 public:
  explicit Derivation(const Coordinates& coordinates) : c_(coordinates) {
    for (Function* f : {&result_.inertial, &result_.forces, &result_.momenta}) f->rows = c_.count;
    for (Function* f : {&result_.energy, &result_.kinetic, &result_.power}) f->rows = 1;
  }

  void kinetic(const Family& family) {
    const auto graph = std::make_shared<Graph>(family.graph);
    Graph& g = *graph;
    const Expr kinetic_energy = total(family, g);
    const std::vector<SymbolId> slots = coordinate_slots(family);
    const std::vector<Expr> p = expr::gradient(g, kinetic_energy, leaves_of(slots, 1));
    const std::vector<Expr> dp = expr::time_derivative(
        g, p, [&](SymbolId slot) { return c_.varies(family.symbol(0, slot)); });
    const std::vector<Expr> dq = expr::gradient(g, kinetic_energy, leaves_of(slots, 0));
    std::vector<Contribution> contributions;
    Derived momenta(family, graph), energy(family, graph), value(family, graph);
    Expr jacobi = g.neg(kinetic_energy);  // v . dT/dv - T
    for (std::size_t k = 0; k < slots.size(); ++k) {
      contributions.push_back({slots[k], g.sub(dp[k], dq[k])});
      momenta.add(p[k], row_of(family, slots[k]));
      jacobi = g.add(jacobi, g.mul(g.leaf({slots[k], 1}), p[k]));
    }
    energy.add(jacobi, row_zero);
    value.add(kinetic_energy, row_zero);
    contribute(result_.inertial, contributions, family, graph, Energetics::conservative);
    momenta.append_to(result_.momenta);
    energy.append_to(result_.energy);
    value.append_to(result_.kinetic);
    explicit_time(kinetic_energy, family, graph, -1);
  }

  void potential(const Family& family) {
    const auto graph = std::make_shared<Graph>(family.graph);
    const Expr potential_energy = total(family, *graph);
    contribute(result_.inertial, gradient(family, *graph, potential_energy, 0), family, graph,
               Energetics::conservative);
    Derived energy(family, graph);
    energy.add(potential_energy, row_zero);
    energy.append_to(result_.energy);
    explicit_time(potential_energy, family, graph, 1);
  }

  void dissipation(const Family& family) {
    const auto graph = std::make_shared<Graph>(family.graph);
    contribute(result_.forces, gradient(family, *graph, total(family, *graph), 1), family, graph,
               Energetics::working);
  }

  /// Loads act along arbitrary displacements: F dP/dq is written out term by term, then gathered.
  void loads(const expr::VariesInTime& varies) {
    const model::Model& m = *c_.model;
    const auto symbols = static_cast<std::uint32_t>(m.symbols.size());
    const auto graph = std::make_shared<Graph>(m.graph);
    std::vector<expr::Term> forces, power;
    for (const model::VirtualWork& load : m.loads) {
      const Expr displacement[] = {load.displacement};
      std::vector<Leaf> positions;
      for (const Leaf& leaf : expr::leaves(*graph, displacement))
        if (c_.is_coordinate(leaf.symbol)) positions.push_back(leaf);
      const std::vector<Expr> direction = expr::gradient(*graph, load.displacement, positions);
      for (std::size_t k = 0; k < positions.size(); ++k) {
        const std::uint32_t row = c_.row[positions[k].symbol];
        const Expr generalized_force = graph->mul(load.force, direction[k]);
        forces.push_back({graph->neg(generalized_force), row});
        if (!c_.driven[row])
          power.push_back(
              {graph->mul(graph->leaf({positions[k].symbol, 1}), generalized_force), 0});
      }
    }
    result_.forces =
        expr::sum(result_.forces, expr::gather(graph, forces, c_.count, symbols, varies));
    result_.power = expr::sum(result_.power, expr::gather(graph, power, 1, symbols, varies));
  }

  /// Reactions -G^T lambda with G = dc/dq, or dc/dv for a constraint that contains velocities.
  void reactions(const Family& family, const std::vector<SymbolId>& multiplier) {
    if (family.identity()) {
      for (std::size_t k = 0; k < family.outputs.size(); ++k) {
        Family one = family;
        one.outputs = {family.outputs[k]};
        one.rows = {family.rows[k]};
        reaction(one, {multiplier[family.rows[k]], 0});
      }
      return;
    }
    std::vector<SymbolId> multipliers;
    for (std::uint32_t i = 0; i < family.instances; ++i)
      multipliers.push_back(multiplier[family.row(i, 0)]);
    reaction(widened(family, multipliers), {family.slots, 0});
  }

  Lagrange finish() { return std::move(result_); }

 private:
  void reaction(const Family& family, Leaf multiplier) {
    const auto graph = std::make_shared<Graph>(family.graph);
    Graph& g = *graph;
    const Expr c = family.outputs[0];
    const std::vector<SymbolId> slots = coordinate_slots(family);
    const std::vector<Leaf> leaves = expr::leaves(g, family.outputs);
    const bool velocity_level = std::any_of(leaves.begin(), leaves.end(), [&](const Leaf& leaf) {
      return leaf.order > 0 && std::binary_search(slots.begin(), slots.end(), leaf.symbol);
    });
    std::vector<Contribution> contributions = gradient(family, g, c, velocity_level ? 1 : 0);
    for (Contribution& contribution : contributions)
      contribution.value = g.neg(g.mul(g.leaf(multiplier), contribution.value));
    // A holonomic constraint among free coordinates alone does no work: lambda G v = 0 on the manifold.
    const bool workless =
        !velocity_level && movers(family).empty() && !touches_driven(family, slots);
    contribute(result_.forces, contributions, family, graph,
               workless ? Energetics::conservative : Energetics::working);
  }

  /// Adds contributions to the rows of their coordinates, and their power: a working force on a free coordinate changes
  /// the energy by -v times its residual; a drive has to deliver v times the inertial residual of its coordinate (a
  /// working force there is balanced by the drive, and no energy enters).
  void contribute(Function& rows, const std::vector<Contribution>& contributions,
                  const Family& family, const std::shared_ptr<Graph>& graph,
                  Energetics energetics) {
    Graph& g = *graph;
    Derived residual(family, graph), power(family, graph);
    for (const Contribution& contribution : contributions) {
      residual.add(contribution.value, row_of(family, contribution.slot));
      const Expr v_times_residual = g.mul(g.leaf({contribution.slot, 1}), contribution.value);
      const bool conservative = energetics == Energetics::conservative;
      power.add(conservative ? v_times_residual : g.neg(v_times_residual),
                row_zero_if(family, contribution.slot, conservative));
    }
    residual.append_to(rows);
    power.append_to(result_.power);
  }

  /// Power of what moves by itself (t, inputs, variables) inside an energy: sign * sum of de/dx x'.
  void explicit_time(Expr e, const Family& family, const std::shared_ptr<Graph>& graph, int sign) {
    Graph& g = *graph;
    Derived power(family, graph);
    for (const Leaf& leaf : movers(family)) {
      const Expr rate = leaf.symbol == expr::time_symbol
                            ? g.constant(1)
                            : g.leaf({leaf.symbol, static_cast<std::uint16_t>(leaf.order + 1)});
      const Expr change = g.mul(expr::gradient(g, e, std::span(&leaf, 1))[0], rate);
      power.add(sign < 0 ? g.neg(change) : change, [&](std::uint32_t i) {
        const SymbolId symbol = family.symbol(i, leaf.symbol);
        return !c_.is_coordinate(symbol) && c_.varies(symbol) ? 0u : Family::no_row;
      });
    }
    power.append_to(result_.power);
  }

  // --- reading families

  static Expr total(const Family& family, Graph& g) {
    Expr sum = family.outputs[0];
    for (std::size_t k = 1; k < family.outputs.size(); ++k) sum = g.add(sum, family.outputs[k]);
    return sum;
  }

  template <class Predicate>
  static bool any_instance(const Family& family, SymbolId slot, Predicate predicate) {
    const std::uint32_t instances = family.identity() ? 1 : family.instances;
    for (std::uint32_t i = 0; i < instances; ++i)
      if (predicate(family.symbol(i, slot))) return true;
    return false;
  }

  /// Slots that denote a coordinate in some instance, sorted.
  std::vector<SymbolId> coordinate_slots(const Family& family) const {
    std::vector<SymbolId> slots;
    for (const Leaf& leaf : expr::leaves(*family.graph, family.outputs))
      if ((slots.empty() || slots.back() != leaf.symbol) &&
          any_instance(family, leaf.symbol, [&](SymbolId s) { return c_.is_coordinate(s); }))
        slots.push_back(leaf.symbol);
    return slots;
  }
  /// Leaves that change with time and are no coordinates in some instance.
  std::vector<Leaf> movers(const Family& family) const {
    std::vector<Leaf> result;
    for (const Leaf& leaf : expr::leaves(*family.graph, family.outputs))
      if (any_instance(family, leaf.symbol,
                       [&](SymbolId s) { return c_.varies(s) && !c_.is_coordinate(s); }))
        result.push_back(leaf);
    return result;
  }
  bool touches_driven(const Family& family, const std::vector<SymbolId>& slots) const {
    return std::any_of(slots.begin(), slots.end(), [&](SymbolId slot) {
      return any_instance(family, slot,
                          [&](SymbolId s) { return c_.is_coordinate(s) && c_.driven[c_.row[s]]; });
    });
  }
  static std::vector<Leaf> leaves_of(const std::vector<SymbolId>& slots, std::uint16_t order) {
    std::vector<Leaf> leaves;
    for (const SymbolId slot : slots) leaves.push_back({slot, order});
    return leaves;
  }
  std::vector<Contribution> gradient(const Family& family, Graph& g, Expr e,
                                     std::uint16_t order) const {
    const std::vector<SymbolId> slots = coordinate_slots(family);
    const std::vector<Expr> partials = expr::gradient(g, e, leaves_of(slots, order));
    std::vector<Contribution> result;
    for (std::size_t k = 0; k < slots.size(); ++k) result.push_back({slots[k], partials[k]});
    return result;
  }

  const Coordinates& c_;
  Lagrange result_;
};

}  // namespace

Lagrange lagrange(const Coordinates& coordinates, std::span<const Reacting> reacting) {
  const model::Model& m = *coordinates.model;
  const auto symbols = static_cast<std::uint32_t>(m.symbols.size());
  const expr::VariesInTime varies = [&](SymbolId s) { return m.varies(s); };
  const auto families = [&](const std::vector<model::EnergyTerm>& energy) {
    std::vector<expr::Term> terms;
    for (const model::EnergyTerm& term : energy) terms.push_back({term.value, 0});
    return expr::gather(m.graph, terms, 1, symbols, varies).families;
  };
  Derivation derivation(coordinates);
  for (const Family& family : families(m.kinetic)) derivation.kinetic(family);
  for (const Family& family : families(m.potential)) derivation.potential(family);
  for (const Family& family : families(m.dissipation)) derivation.dissipation(family);
  derivation.loads(varies);
  for (const Reacting& equations : reacting)
    for (const Family& family : equations.residual.families)
      derivation.reactions(family, equations.multipliers);
  return derivation.finish();
}

}  // namespace daedal::derive
