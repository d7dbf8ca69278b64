// Rows of a trajectory: which columns there are and how a point fills them.
#pragma once

#include "daedal/base/table.hpp"
#include "daedal/formulate/problem.hpp"
#include "evaluation.hpp"

#include <optional>
#include <vector>

namespace daedal::solve {

/// t; coordinates and variables; velocities, of variables too where they are of second order; multipliers and forces; inputs;
/// outputs; momenta (hamilton).
class RowWriter {
 public:
  RowWriter(const formulate::Problem& problem, const double* point,
            const compile::Options& options);

  std::size_t width() const { return columns_.size(); }
  /// In the point, of the first columns.
  const std::vector<std::uint32_t>& positions() const { return positions_; }
  Table empty_table(std::size_t rows) const;
  void write(const double* point, Table& table);

 private:
  void add(std::uint32_t position);
  void add_momenta(const double* point, const compile::Options& options);

  const formulate::Problem& problem_;
  std::vector<Column> columns_;
  std::vector<std::uint32_t> positions_;  // of the columns that stand in the point
  std::optional<Evaluation> outputs_;     // the columns after these
  std::optional<Evaluation> momenta_;     // the last columns
};

}  // namespace daedal::solve
