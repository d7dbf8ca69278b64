#include "daedal/run/row_writer.hpp"

#include "daedal/run/columns.hpp"
#include "daedal/system/point.hpp"
#include "daedal/units/dimension.hpp"
#include "run/tensions.hpp"

namespace daedal::solve {

RowWriter::RowWriter(const formulate::Problem& problem, const double* point,
                     const compile::Options& options)
    : problem_(problem) {
  const derive::Dae& dae = *problem.dae;
  const model::Model& model = *dae.model;
  const auto kind_of = [&](expr::SymbolId s) { return model.symbols[s].kind; };
  const auto is_value = [&](expr::SymbolId s) {
    return kind_of(s) == model::SymbolKind::coordinate || kind_of(s) == model::SymbolKind::variable;
  };
  add(0);
  for (const expr::SymbolId s : dae.unknowns)
    if (is_value(s)) add(problem.layout.find({s, 0}));
  const auto is_state = [&](std::uint32_t position) { return position <= problem.states; };
  for (const expr::SymbolId s : dae.unknowns) {
    const std::uint32_t rate = problem.layout.find({s, 1});
    if (kind_of(s) == model::SymbolKind::coordinate ||
        (kind_of(s) == model::SymbolKind::variable && is_state(rate)))
      add(rate);
  }
  for (const model::Relation& constraint : model.constraints)  // also those left out
    add(problem.layout.find({constraint.multiplier, 0}));
  for (const model::DriveForce& force : model.drive_forces)
    add(problem.layout.find({force.symbol, 0}));
  for (const expr::SymbolId multiplier : dae.shared.multipliers)
    add(problem.layout.find({multiplier, 0}));
  for (const expr::SymbolId s : dae.unknowns)
    if (kind_of(s) == model::SymbolKind::input) add(problem.layout.find({s, 0}));
  for (expr::SymbolId s = 0; s < model.symbols.size(); ++s)
    if (const std::uint32_t position = problem.layout.find({s, 0});
        kind_of(s) == model::SymbolKind::input && position != compile::absent &&
        position >= problem.first_input)
      add(position);
  for (const model::NamedValue& output : model.outputs)
    columns_.push_back(column_of(model, output));
  if (!model.outputs.empty()) outputs_.emplace(dae.outputs, problem.layout, point, options);
  if (Tensions tensions = tensions_of(model, problem.layout); !tensions.columns.empty()) {
    columns_.insert(columns_.end(), tensions.columns.begin(), tensions.columns.end());
    tensions_.emplace(tensions.values, problem.layout, point, options);
  }
  if (problem.formulation.kind == formulate::Kind::hamilton) add_momenta(point, options);
}

/// "p(x)" of the coordinates that have an equation of motion.
void RowWriter::add_momenta(const double* point, const compile::Options& options) {
  const derive::Mechanics& mechanics = problem_.dae->mechanics;
  std::vector<std::uint32_t> row(mechanics.coordinates.size(), expr::Family::no_row);
  std::uint32_t rows = 0;
  for (std::size_t k = 0; k < row.size(); ++k) {
    if (mechanics.driven[k]) continue;
    const model::Symbol& symbol = problem_.dae->model->symbols[mechanics.coordinates[k]];
    row[k] = rows++;
    columns_.push_back({"p(" + symbol.name + ")",
                        model::conjugate_unit(model::derivative_unit(symbol.unit, 1)),
                        ColumnKind::momentum});
  }
  momenta_.emplace(expr::select_rows(mechanics.momenta, row, rows), problem_.layout, point,
                   options);
}

void RowWriter::add(std::uint32_t position) {
  if (position == compile::absent) return;
  positions_.push_back(position);
  columns_.push_back(column_of(*problem_.dae->model, problem_.layout.leaf(position)));
}

Table RowWriter::empty_table(std::size_t rows) const {
  Table table(columns_);
  table.reserve(rows);
  return table;
}

void RowWriter::write(const double* point, Table& table) {
  const std::span<double> row = table.append();
  for (std::size_t c = 0; c < positions_.size(); ++c) row[c] = value(point, c);
  if (outputs_) (*outputs_)(point, row.data() + positions_.size());
  if (tensions_) {
    const std::size_t outputs = outputs_ ? outputs_->rows() : 0;
    const std::span<double> tensions = row.subspan(positions_.size() + outputs, tensions_->rows());
    (*tensions_)(point, tensions.data());
    for (double& tension : tensions) tension += 0;  // no -0
  }
  if (momenta_) (*momenta_)(point, row.data() + row.size() - momenta_->rows());
}

}  // namespace daedal::solve
