// See levels.hpp.
#include "formulate/levels.hpp"

#include "daedal/base/progress.hpp"
#include "formulate/dae_index.hpp"

#include <algorithm>
#include <map>
#include <span>
#include <utility>

namespace daedal::formulate {

using derive::Dae;
using expr::Family;
using expr::Function;
using expr::Leaf;
using expr::SymbolId;
using model::SymbolKind;

namespace {

class LevelMaker {
 public:
  LevelMaker(const Problem& problem, const std::vector<Function>& derivative,
             const expr::SparseFunction& system_jacobian)
      : problem_(problem),
        derivative_(derivative),
        system_jacobian_(system_jacobian),
        dae_(*problem.dae),
        model_(*problem.dae->model),
        index_(unknown_index(dae_)) {}

  std::vector<Level> run() {
    std::vector<Level> levels;
    int deepest = 0;
    for (std::uint32_t j = 0; j < size(dae_); ++j) deepest = std::max(deepest, d(j));
    for (int level = -deepest; level < 0; ++level) {
      stop_point();
      Level made;
      made.level = level;
      for (std::uint32_t i = 0; i < size(dae_); ++i)
        if (c(i) + level >= 0) {
          made.equation.push_back(i);
          made.derivative.push_back(static_cast<std::uint16_t>(c(i) + level));
          made.definitions += is_definition(dae_, i);
        }
      if (!made.equation.empty()) levels.push_back(finish_level(std::move(made)));
    }
    return levels;
  }

 private:
  int c(std::uint32_t equation) const { return problem_.offsets.c[equation]; }
  int d(std::uint32_t unknown) const { return problem_.offsets.d[unknown]; }

  /// f_i^(k) of the level, written out.
  Function level_residual(const Level& level) const {
    const auto rows = static_cast<std::uint32_t>(level.equation.size());
    Function residual{rows, {}};
    for (std::size_t k = 0; k < derivative_.size(); ++k) {
      std::vector<std::uint32_t> to(size(dae_), Family::no_row);
      for (std::uint32_t r = 0; r < rows; ++r)
        if (level.derivative[r] == k) to[level.equation[r]] = r;
      residual = expr::sum(residual, expr::select_rows(derivative_[k], to, rows));
    }
    return residual;
  }

  /// d f_i^(c_i + k) / d x_j^(d_j + k): the rows and columns of the system Jacobian that have come this far, by
  /// Griewank's lemma.
  expr::SparseFunction level_jacobian(const Level& level,
                                      const std::vector<std::uint32_t>& column_of) const {
    const expr::SparseFunction& all = system_jacobian_;
    expr::SparseFunction result;
    result.columns = static_cast<std::uint32_t>(level.unknowns.size());
    result.rows = static_cast<std::uint32_t>(level.equation.size());
    result.row_start.push_back(0);
    std::vector<std::uint32_t> to(all.column.size(), Family::no_row);
    for (const std::uint32_t i : level.equation) {
      for (std::uint32_t e = all.row_start[i]; e < all.row_start[i + 1]; ++e) {
        if (all.column[e] >= size(dae_) || column_of[all.column[e]] == Family::no_row) continue;
        to[e] = static_cast<std::uint32_t>(result.column.size());
        result.column.push_back(column_of[all.column[e]]);
      }
      result.row_start.push_back(static_cast<std::uint32_t>(result.column.size()));
    }
    result.values =
        expr::select_rows(all.values, to, static_cast<std::uint32_t>(result.column.size()));
    return result;
  }

  Level finish_level(Level level) {
    if (problem_.written_out) level.residual = level_residual(level);
    std::vector<std::uint32_t> column_of(size(dae_), Family::no_row);  // by unknown
    std::map<SymbolId, std::uint32_t> drive_equation;
    for (const model::Drive& drive : model_.drives)
      drive_equation[drive.coordinate] = index_[drive.coordinate];
    for (std::uint32_t j = 0; j < size(dae_); ++j) {
      const int order = d(j) + level.level;
      if (order < 0) continue;
      column_of[j] = static_cast<std::uint32_t>(level.unknowns.size());
      level.unknowns.push_back(
          problem_.layout.find({dae_.unknowns[j], static_cast<std::uint16_t>(order)}));
      // A driven coordinate follows its drive: it moves only where the drive itself is a constraint on this level.
      const auto drive = drive_equation.find(dae_.unknowns[j]);
      level.movable.push_back(dae_.inverse || drive == drive_equation.end() ||
                              c(drive->second) + level.level >= 0);
    }
    level.jacobian = level_jacobian(level, column_of);
    level.metric = metric(level, column_of);
    return level;
  }

  /// By symbol: lifted positions, and positions with inertia, of their own or of a lifted position that contains them.
  /// All false without lifted positions.
  std::vector<bool> moving_with_others() const {
    const derive::Mechanics& mechanics = dae_.mechanics;
    std::vector<bool> inertia(model_.symbols.size(), false);
    if (model_.lifted.empty()) return inertia;
    for (std::size_t k = 0; k < mechanics.coordinates.size(); ++k)
      inertia[mechanics.coordinates[k]] =
          mechanics.mass_matrix.row_start[k] < mechanics.mass_matrix.row_start[k + 1];
    for (auto let = model_.lifted.rbegin(); let != model_.lifted.rend(); ++let)
      if (inertia[let->symbol])
        for (const Leaf& leaf : expr::leaves(*model_.graph, std::span(&let->value, 1)))
          inertia[leaf.symbol] = true;
    for (const model::LiftedLet& let : model_.lifted) inertia[let.symbol] = true;
    return inertia;
  }

  /// Mass matrix on free coordinates, 1/nominal^2 on plain variables. What moves with lifted positions alone has a weight
  /// of 0 that is written down: it is not free to move, and its inertia is theirs.
  expr::SparseFunction metric(const Level& level,
                              const std::vector<std::uint32_t>& column_of) const {
    const derive::Mechanics& mechanics = dae_.mechanics;
    const auto size_of_level = static_cast<std::uint32_t>(level.unknowns.size());
    std::vector<std::uint32_t> of_coordinate(mechanics.coordinates.size(), Family::no_row);
    for (std::size_t k = 0; k < mechanics.coordinates.size(); ++k) {
      if (!mechanics.driven[k]) of_coordinate[k] = column_of[index_[mechanics.coordinates[k]]];
    }
    expr::SparseFunction result;
    result.rows = result.columns = size_of_level;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t>
        mass_entry;  // (row, column) -> entry of the mass matrix
    const expr::SparseFunction& mass = mechanics.mass_matrix;
    for (std::uint32_t r = 0; r < mass.rows; ++r)
      for (std::uint32_t e = mass.row_start[r]; e < mass.row_start[r + 1]; ++e)
        if (of_coordinate[r] != Family::no_row && of_coordinate[mass.column[e]] != Family::no_row)
          mass_entry[{of_coordinate[r], of_coordinate[mass.column[e]]}] = e;
    std::vector<double> constant(size_of_level, 0);
    for (std::uint32_t k = 0; k < size_of_level; ++k) {
      const model::Symbol& symbol = model_.symbols[problem_.layout.leaf(level.unknowns[k]).symbol];
      if (symbol.kind == SymbolKind::variable ||
          (symbol.kind == SymbolKind::coordinate &&
           is_driven(problem_.layout.leaf(level.unknowns[k]).symbol)))
        constant[k] = 1 / (symbol.nominal * symbol.nominal);
    }
    std::vector<std::uint32_t> to(mass.column.size(), Family::no_row);
    auto graph = std::make_shared<expr::Graph>(model_.graph);
    std::vector<expr::Term> diagonal;
    result.row_start.push_back(0);
    auto entry = mass_entry.begin();
    const std::vector<bool> with_others = moving_with_others();
    for (std::uint32_t k = 0; k < size_of_level; ++k) {
      const bool weightless = (entry == mass_entry.end() || entry->first.first != k) &&
                              with_others[problem_.layout.leaf(level.unknowns[k]).symbol];
      if (constant[k] != 0 || weightless) {
        diagonal.push_back(
            {graph->constant(constant[k]), static_cast<std::uint32_t>(result.column.size())});
        result.column.push_back(k);
      }
      for (; entry != mass_entry.end() && entry->first.first == k; ++entry) {
        to[entry->second] = static_cast<std::uint32_t>(result.column.size());
        result.column.push_back(entry->first.second);
      }
      result.row_start.push_back(static_cast<std::uint32_t>(result.column.size()));
    }
    const auto entries = static_cast<std::uint32_t>(result.column.size());
    result.values = expr::select_rows(mass.values, to, entries);
    if (!diagonal.empty()) result.values.families.push_back(expr::identity_family(graph, diagonal));
    return result;
  }

  bool is_driven(SymbolId coordinate) const {
    return std::any_of(model_.drives.begin(), model_.drives.end(),
                       [&](const model::Drive& drive) { return drive.coordinate == coordinate; });
  }

  const Problem& problem_;
  const std::vector<Function>& derivative_;
  const expr::SparseFunction& system_jacobian_;
  const Dae& dae_;
  const model::Model& model_;
  const std::vector<std::uint32_t> index_;
};

}  // namespace

std::vector<Level> levels_of(const Problem& problem, const std::vector<Function>& derivative,
                             const expr::SparseFunction& system_jacobian) {
  return LevelMaker(problem, derivative, system_jacobian).run();
}

}  // namespace daedal::formulate
