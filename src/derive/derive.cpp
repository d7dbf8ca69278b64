// Model -> Dae.
#include "daedal/derive/dae.hpp"
#include "derive/fold_parameters.hpp"
#include "derive/lagrange.hpp"
#include "derive/modes.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace daedal::derive {

using expr::Expr;
using expr::Family;
using expr::Function;
using expr::Leaf;
using expr::SymbolId;
using model::SymbolKind;

namespace {

Coordinates collect_coordinates(const model::Model& m) {
  Coordinates c;
  c.model = &m;
  c.row.assign(m.symbols.size(), Family::no_row);
  for (const SymbolKind kind : {SymbolKind::coordinate, SymbolKind::lifted})
    for (SymbolId s = 0; s < m.symbols.size(); ++s)
      if (m.symbols[s].kind == kind) c.row[s] = c.count++;
  c.driven.assign(c.count, false);
  for (const model::Drive& drive : m.drives) c.driven[c.row[drive.coordinate]] = true;
  return c;
}

/// The reaction of a velocity-level constraint acts along dc/dv, which must not depend on v: G^T lambda would not be
/// d'Alembert's reaction. Accelerations in a constraint have no reaction at all.
void check_constraints(const model::Model& m, const Coordinates& c) {
  Diagnostics diagnostics;
  expr::Graph scratch(m.graph);
  for (const model::Relation& constraint : m.constraints) {
    const Expr roots[] = {constraint.residual};
    std::vector<Leaf> velocities;
    bool touches_coordinate = false;
    for (const Leaf& leaf : expr::leaves(scratch, roots)) {
      if (!c.is_coordinate(leaf.symbol)) continue;
      touches_coordinate = true;
      if (leaf.order == 1) velocities.push_back(leaf);
      if (leaf.order > 1)
        diagnostics.error(
            constraint.place,
            fmt::format("constraint '{}' contains the acceleration {}", constraint.name,
                        model::name_of(m.symbols[leaf.symbol], leaf.order)),
            "write it as an  equation, which has no reaction");
    }
    if (!touches_coordinate)
      diagnostics.error(
          constraint.place,
          fmt::format("constraint '{}' contains no coordinate, so nothing can react to it",
                      constraint.name),
          "write it as an  equation");
    if (velocities.empty() || constraint.nonlinear) continue;
    const std::vector<Expr> direction = expr::gradient(scratch, constraint.residual, velocities);
    for (const Leaf& leaf : expr::leaves(scratch, direction))
      if (leaf.order > 0 && c.is_coordinate(leaf.symbol)) {
        diagnostics.error(
            constraint.place,
            fmt::format("constraint '{}' is not linear in the velocities", constraint.name),
            "mark it  nonlinear  if its reaction shall act along the derivative by the velocities");
        break;
      }
  }
  diagnostics.throw_if_errors();
}

/// Terms of one kind of relation, numbered from `first_row`.
void add_terms(std::vector<expr::Term>& terms, const std::vector<model::Relation>& relations,
               std::uint32_t first_row) {
  for (std::size_t i = 0; i < relations.size(); ++i)
    terms.push_back({relations[i].residual, first_row + static_cast<std::uint32_t>(i)});
}

/// Constraints as their reactions see them: differentiated once unless they contain velocities, so that G is their
/// derivative by the velocities.
Function on_velocity_level(const Function& constraints, const Coordinates& c,
                           const expr::VariesInTime& varies) {
  std::vector<std::uint32_t> holonomic(constraints.rows), others(constraints.rows, Family::no_row);
  for (std::uint32_t i = 0; i < constraints.rows; ++i) holonomic[i] = i;
  for (const expr::Occurrence& o : expr::occurrences(constraints))
    if (o.leaf.order == 1 && c.is_coordinate(o.leaf.symbol)) {
      holonomic[o.row] = Family::no_row;
      others[o.row] = o.row;
    }
  return expr::sum(
      expr::time_derivative(expr::select_rows(constraints, holonomic, constraints.rows), varies),
      expr::select_rows(constraints, others, constraints.rows));
}

/// Collects equations and unknowns in one order: motion or drive of every coordinate, plain equations, constraints, and
/// the forces of drives that something refers to.
class Builder {
 public:
  /// `left_out`: numbers of constraints, ascending.
  Builder(std::shared_ptr<const model::Model> model, std::vector<SymbolId> folded,
          std::vector<std::uint32_t> left_out)
      : m_(*model), c_(collect_coordinates(m_)), graph_(std::make_shared<expr::Graph>(m_.graph)) {
    dae_.model = std::move(model);
    dae_.folded = std::move(folded);
    dae_.left_out.constraints = std::move(left_out);
    varies_ = [this](SymbolId s) { return m_.varies(s); };
  }

  Dae build() {
    check_constraints(m_, c_);
    std::vector<expr::Term> terms;
    add_terms(terms, m_.constraints, 0);
    const Function all_constraints = gather(m_.graph, terms, m_.constraints.size());
    const Function constraints = keep_left_out(all_constraints);
    const Function definitions = lifted_definitions();
    const Reacting reacting[] = {{constraints, multipliers_of(m_.constraints)},
                                 {definitions, multipliers_of(m_.lifted)}};
    Lagrange equations_of_motion = lagrange(c_, reacting);
    const Function motion = expr::sum(equations_of_motion.inertial, equations_of_motion.forces);
    add_unknowns();
    add_motion(motion);
    add_drives();
    add_equations();
    add_constraints(constraints);
    add_drive_forces(motion);
    add_definitions(definitions);
    assemble();
    keep_mechanics(std::move(equations_of_motion), motion);
    add_outputs();
    return std::move(dae_);
  }

 private:
  Function gather(const std::shared_ptr<const expr::Graph>& graph,
                  std::span<const expr::Term> terms, std::size_t rows) const {
    return expr::gather(graph, terms, static_cast<std::uint32_t>(rows),
                        static_cast<std::uint32_t>(m_.symbols.size()), varies_);
  }
  std::uint32_t next_row() const { return static_cast<std::uint32_t>(dae_.equations.size()); }

  bool is_left_out(std::uint32_t constraint) const {
    const std::vector<std::uint32_t>& out = dae_.left_out.constraints;
    return std::binary_search(out.begin(), out.end(), constraint);
  }

  /// Puts aside what is left out; returns the constraints that stay, at their rows.
  Function keep_left_out(const Function& constraints) {
    LeftOut& out = dae_.left_out;
    if (out.constraints.empty()) return constraints;
    std::vector<std::uint32_t> stays(constraints.rows), goes(constraints.rows, Family::no_row);
    std::uint32_t gone = 0;
    for (std::uint32_t i = 0; i < constraints.rows; ++i) {
      stays[i] = is_left_out(i) ? Family::no_row : i;
      if (is_left_out(i)) goes[i] = gone++;
    }
    out.residual = expr::select_rows(constraints, goes, gone);
    out.reactions = expr::jacobian(
        on_velocity_level(constraints, c_, varies_), c_.count,
        [&](Leaf leaf) { return leaf.order == 1 ? c_.row[leaf.symbol] : Family::no_row; });
    return expr::select_rows(constraints, stays, constraints.rows);
  }

  /// Rows: lifted position - its definition. They react like constraints do; the multipliers are the forces that pass
  /// through the definitions, from one body of a chain to the next.
  Function lifted_definitions() const {
    const auto graph = std::make_shared<expr::Graph>(m_.graph);
    std::vector<expr::Term> definitions;
    for (const model::LiftedLet& let : m_.lifted)
      definitions.push_back({graph->sub(graph->leaf({let.symbol, 0}), let.value),
                             static_cast<std::uint32_t>(definitions.size())});
    return gather(graph, definitions, definitions.size());
  }

  static std::vector<SymbolId> multipliers_of(const auto& equations) {
    std::vector<SymbolId> multipliers;
    for (const auto& equation : equations) multipliers.push_back(equation.multiplier);
    return multipliers;
  }

  void add_unknowns() {
    for (const SymbolKind kind : {SymbolKind::coordinate, SymbolKind::lifted, SymbolKind::variable})
      for (SymbolId s = 0; s < m_.symbols.size(); ++s)
        if (m_.symbols[s].kind == kind) dae_.unknowns.push_back(s);
    for (std::uint32_t i = 0; i < m_.constraints.size(); ++i)
      if (!is_left_out(i)) dae_.unknowns.push_back(m_.constraints[i].multiplier);
    for (const model::DriveForce& force : m_.drive_forces) dae_.unknowns.push_back(force.symbol);
    for (const model::LiftedLet& let : m_.lifted) dae_.unknowns.push_back(let.multiplier);
  }

  /// A driven coordinate's equation of motion is replaced by its drive's.
  void add_motion(const Function& motion) {
    std::vector<std::uint32_t> row(c_.count);
    for (std::uint32_t i = 0; i < c_.count; ++i) row[i] = c_.driven[i] ? Family::no_row : i;
    parts_.emplace_back(motion, row);
    for (std::uint32_t i = 0; i < c_.count; ++i) {
      const model::Symbol& symbol = m_.symbols[dae_.unknowns[i]];
      dae_.equations.push_back(
          {fmt::format("motion of {}", symbol.name), EquationKind::motion, symbol.place});
    }
  }

  void add_drives() {
    for (const model::Drive& drive : m_.drives) {
      const std::uint32_t row = c_.row[drive.coordinate];
      dae_.equations[row] = {fmt::format("drive of {}", m_.symbols[drive.coordinate].name),
                             EquationKind::drive, drive.place};
      terms_.push_back({drive.residual, row});
    }
  }

  void add_equations() {
    add_terms(terms_, m_.equations, next_row());
    for (const model::Relation& equation : m_.equations)
      dae_.equations.push_back({equation.name, EquationKind::equation, equation.place});
  }

  void add_constraints(const Function& constraints) {
    std::vector<std::uint32_t> row(m_.constraints.size(), Family::no_row);
    for (std::uint32_t i = 0; i < row.size(); ++i) {
      if (is_left_out(i)) continue;
      const model::Relation& constraint = m_.constraints[i];
      row[i] = next_row();
      dae_.equations.push_back({constraint.name, EquationKind::constraint, constraint.place});
    }
    parts_.emplace_back(constraints, row);
  }

  /// x.force is an unknown with the equation: residual of the replaced equation of motion - x.force = 0.
  void add_drive_forces(const Function& motion) {
    std::vector<std::uint32_t> row(c_.count, Family::no_row);
    for (const model::DriveForce& force : m_.drive_forces) {
      const std::uint32_t coordinate = c_.row[force.coordinate];
      const std::string& name = m_.symbols[force.symbol].name;
      if (!c_.driven[coordinate])
        throw ModelError(Diagnostic{Severity::error,
                                    force.place,
                                    fmt::format("'{}' has no drive, so there is no '{}'",
                                                m_.symbols[force.coordinate].name, name),
                                    {},
                                    "constraints and driven coordinates have a force"});
      row[coordinate] = next_row();
      terms_.push_back({graph_->neg(graph_->leaf({force.symbol, 0})), row[coordinate]});
      dae_.equations.push_back({name, EquationKind::drive, force.place});
    }
    if (!m_.drive_forces.empty()) parts_.emplace_back(motion, row);
  }

  void add_definitions(const Function& definitions) {
    std::vector<std::uint32_t> row;
    for (const model::LiftedLet& let : m_.lifted) {
      row.push_back(next_row());
      dae_.equations.push_back({fmt::format("definition of {}", m_.symbols[let.symbol].name),
                                EquationKind::definition, let.place});
    }
    parts_.emplace_back(definitions, row);
  }

  void assemble() {
    const std::uint32_t rows = next_row();
    dae_.residual = gather(graph_, terms_, rows);
    for (const auto& [function, row] : parts_)
      dae_.residual = expr::sum(dae_.residual, expr::select_rows(function, row, rows));
  }

  void keep_mechanics(Lagrange lagrange, const Function& motion) {
    Mechanics& mechanics = dae_.mechanics;
    mechanics.coordinates.assign(dae_.unknowns.begin(), dae_.unknowns.begin() + c_.count);
    mechanics.driven = c_.driven;
    mechanics.mass_matrix = expr::jacobian(lagrange.momenta, c_.count, [&](Leaf leaf) {
      return leaf.order == 1 ? c_.row[leaf.symbol] : Family::no_row;
    });
    mechanics.momenta = std::move(lagrange.momenta);
    std::vector<std::uint32_t> row(c_.count, Family::no_row);
    std::uint32_t drives = 0;
    for (std::uint32_t i = 0; i < c_.count; ++i)
      if (c_.driven[i]) row[i] = drives++;
    mechanics.drive_force = expr::select_rows(motion, row, drives);
    mechanics.energy = std::move(lagrange.energy);
    mechanics.kinetic = std::move(lagrange.kinetic);
    mechanics.power = std::move(lagrange.power);
    mechanics.conservative = mechanics.power.families.empty();
  }

  void add_outputs() {
    std::vector<expr::Term> terms;
    for (std::size_t i = 0; i < m_.outputs.size(); ++i)
      terms.push_back({m_.outputs[i].value, static_cast<std::uint32_t>(i)});
    dae_.outputs = gather(m_.graph, terms, m_.outputs.size());
  }

  const model::Model& m_;
  Coordinates c_;
  std::shared_ptr<expr::Graph> graph_;
  expr::VariesInTime varies_;
  std::vector<expr::Term> terms_;                                       // of the rows of the Dae
  std::vector<std::pair<Function, std::vector<std::uint32_t>>> parts_;  // with the rows they go to
  Dae dae_;
};

}  // namespace

Dae derive(const std::shared_ptr<const model::Model>& model) {
  std::vector<SymbolId> folded;
  auto without_zeros = std::make_shared<model::Model>(fold_zero_parameters(*model, folded));
  const auto all_active =
      std::make_shared<const Dae>(Builder(std::move(without_zeros), std::move(folded), {}).build());
  return in_mode(all_active, released_at_start(*all_active->model));
}

std::vector<std::uint32_t> constraints_in(const Dae& dae) {
  const std::vector<std::uint32_t>& out = dae.left_out.constraints;
  std::vector<std::uint32_t> numbers;
  for (std::uint32_t i = 0; i < dae.model->constraints.size(); ++i)
    if (!std::binary_search(out.begin(), out.end(), i)) numbers.push_back(i);
  return numbers;
}

Dae without_constraints(const Dae& dae, std::span<const std::uint32_t> constraints) {
  std::vector<std::uint32_t> left_out = dae.left_out.constraints;
  left_out.insert(left_out.end(), constraints.begin(), constraints.end());
  std::sort(left_out.begin(), left_out.end());
  left_out.erase(std::unique(left_out.begin(), left_out.end()), left_out.end());
  const Dae forward = in_mode(
      std::make_shared<const Dae>(Builder(dae.model, dae.folded, std::move(left_out)).build()),
      dae.released);
  return dae.inverse ? inverse(forward) : forward;
}

}  // namespace daedal::derive
