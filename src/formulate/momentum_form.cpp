// The equations of motion as d/dt p = f with the momenta p = dT/dv.
//
// Lagrange's equations r = d/dt p - dL/dq - Q - G^T lambda = 0 hold dp/dt within r: with the accelerations at 0 in both,
// f = dp/dt - r is what remains, for they enter both by the same masses.

#include "daedal/formulate/problem.hpp"
#include "formulate/functions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace daedal::formulate {

using derive::EquationKind;
using expr::Family;
using expr::Function;
using expr::Leaf;

namespace {

class MomentumFormulator {
 public:
  MomentumFormulator(const Problem& problem, std::string_view asker)
      : problem_(problem), dae_(*problem.dae), model_(*dae_.model), asker_(asker) {}

  MomentumForm run() {
    refuse_unless_quadratic();
    find_rows();
    const std::uint32_t rows = problem_.tops;
    MomentumForm form;
    form.momenta = expr::select_rows(dae_.mechanics.momenta, row_, rows);
    form.rates =
        expr::time_derivative(form.momenta, [&](expr::SymbolId s) { return model_.varies(s); });
    const Function balanced = rows_where(problem_.residual, [&](std::uint32_t i) {
      return i < problem_.c.size() && problem_.c[i] == 0;
    });
    form.forces = with_zeros(expr::sum(form.rates, scaled(balanced, -1)),
                             [&](Leaf leaf) { return is_acceleration(leaf); });
    form.masses = free_masses();
    const auto leaves = leaves_of(form.masses.values);
    form.constant_masses = std::none_of(leaves.begin(), leaves.end(),
                                        [&](Leaf leaf) { return model_.varies(leaf.symbol); });
    return form;
  }

  void require_holonomic() {
    refuse_other_unknowns();
    find_rows();
    refuse_other_equations();
  }

 private:
  bool is_coordinate(expr::SymbolId s) const {
    return s < model_.symbols.size() && model_.symbols[s].kind == model::SymbolKind::coordinate;
  }
  bool is_acceleration(Leaf leaf) const { return leaf.order == 2 && is_coordinate(leaf.symbol); }

  [[noreturn]] void refuse(const Place& place, std::string message) const {
    throw ModelError({Severity::error,
                      place,
                      fmt::format("{} needs {}", asker_, message),
                      {},
                      "take the formulation projection with rk45 or radau5"});
  }

  void refuse_other_unknowns() const {
    for (std::uint32_t j = 0; j < dae_.unknowns.size(); ++j) {
      const model::Symbol& symbol = model_.symbols[dae_.unknowns[j]];
      const bool mechanical = problem_.d[j] == 2 && is_coordinate(dae_.unknowns[j]);
      if (!mechanical && problem_.d[j] != 0)
        refuse(symbol.place.known() ? symbol.place : model_.place,
               fmt::format("a mechanism: '{}' is no coordinate with an acceleration", symbol.name));
    }
  }

  void refuse_unless_quadratic() const {
    for (std::uint32_t k = 0; k < dae_.mechanics.coordinates.size(); ++k)
      if (problem_.d[k] != 2)
        refuse(model_.place,
               fmt::format("coordinates with accelerations; '{}' has derivatives of order {}",
                           model_.symbols[dae_.mechanics.coordinates[k]].name, problem_.d[k]));
    for (const Leaf& leaf : leaves_of(dae_.mechanics.mass_matrix.values))
      if (leaf.order > 0 && is_coordinate(leaf.symbol))
        refuse(model_.place,
               fmt::format("a kinetic energy that is quadratic in the velocities; that of model "
                           "'{}' is not, in {}",
                           model_.name, model::name_of(model_.symbols[leaf.symbol], leaf.order)));
  }

  /// Rows of the momenta: those of the equations of motion. A driven coordinate has one where its force is asked for.
  void find_rows() {
    const derive::Mechanics& mechanics = dae_.mechanics;
    row_.assign(mechanics.coordinates.size(), Family::no_row);
    for (std::uint32_t k = 0; k < row_.size(); ++k)
      if (dae_.equations[k].kind == EquationKind::motion) row_[k] = k;
    auto force = model_.drive_forces.begin();
    for (auto i = static_cast<std::uint32_t>(row_.size()); i < dae_.equations.size(); ++i) {
      if (dae_.equations[i].kind != EquationKind::drive || problem_.c[i] != 0) continue;
      const auto coordinate = std::find(mechanics.coordinates.begin(), mechanics.coordinates.end(),
                                        (force++)->coordinate);
      row_[static_cast<std::size_t>(coordinate - mechanics.coordinates.begin())] = i;
    }
  }

  void refuse_other_equations() const {
    for (std::uint32_t i = 0; i < dae_.equations.size(); ++i) {
      const derive::Equation& e = dae_.equations[i];
      if (problem_.c[i] == 1)
        refuse(e.place, fmt::format("constraints of positions: '{}' is one of velocities", e.name));
      if (problem_.c[i] > 0 && e.kind != EquationKind::constraint && e.kind != EquationKind::drive)
        refuse(e.place, fmt::format("a mechanism: '{}' is no constraint but restricts it", e.name));
    }
    for (const expr::Occurrence& o : expr::occurrences(dae_.residual))
      if (problem_.c[o.row] == 0 && is_acceleration(o.leaf) &&
          std::find(row_.begin(), row_.end(), o.row) == row_.end())
        refuse(dae_.equations[o.row].place,
               fmt::format("accelerations in the equations of motion alone: '{}' has one",
                           dae_.equations[o.row].name));
  }

  /// dp/dv on the rows of motion, 1 on the others: a driven coordinate keeps its velocity.
  expr::SparseFunction free_masses() const {
    const expr::SparseFunction& all = dae_.mechanics.mass_matrix;
    const std::vector<bool>& driven = dae_.mechanics.driven;
    expr::SparseFunction result{{all.rows, all.columns, {0}, {}}, {}};
    std::vector<std::uint32_t> to(all.column.size(), Family::no_row);
    auto graph = std::make_shared<expr::Graph>(model_.graph);
    std::vector<expr::Term> ones;
    for (std::uint32_t r = 0; r < all.rows; ++r) {
      for (std::uint32_t e = all.row_start[r]; e < all.row_start[r + 1] && !driven[r]; ++e) {
        to[e] = static_cast<std::uint32_t>(result.column.size());
        result.column.push_back(all.column[e]);
      }
      if (driven[r]) {
        ones.push_back({graph->constant(1), static_cast<std::uint32_t>(result.column.size())});
        result.column.push_back(r);
      }
      result.row_start.push_back(static_cast<std::uint32_t>(result.column.size()));
    }
    result.values =
        expr::select_rows(all.values, to, static_cast<std::uint32_t>(result.column.size()));
    if (!ones.empty()) result.values.families.push_back(expr::identity_family(graph, ones));
    return result;
  }

  const Problem& problem_;
  const derive::Dae& dae_;
  const model::Model& model_;
  std::string_view asker_;
  std::vector<std::uint32_t> row_;  // of each coordinate's momentum
};

}  // namespace

MomentumForm momentum_form(const Problem& problem, std::string_view asker) {
  return MomentumFormulator(problem, asker).run();
}

void require_holonomic(const Problem& problem, std::string_view asker) {
  MomentumFormulator(problem, asker).require_holonomic();
}

}  // namespace daedal::formulate
