// Rows of a trajectory: which columns there are and how a point fills them.
#pragma once

#include "daedal/base/table.hpp"
#include "daedal/formulate/problem.hpp"
#include "daedal/system/evaluation.hpp"

#include <optional>
#include <vector>

namespace daedal::solve {

/// t; coordinates and variables; velocities, of variables too where they are of second order; forces of constraints, which are
/// minus their multipliers, and of drives; inputs; outputs; tensions of lengths (tensions.hpp); momenta (hamilton).
class RowWriter {
 public:
  RowWriter(const formulate::Problem& problem, const double* point,
            const compile::Options& options);

  std::size_t width() const { return columns_.size(); }
  /// The first columns are contained in the point; the others are computed from it.
  std::size_t contained() const { return positions_.size(); }
  double value(const double* point, std::size_t column) const {
    return columns_[column].turned(point[positions_[column]]);
  }
  Table empty_table(std::size_t rows) const;
  void write(const double* point, Table& table);

 private:
  void add(std::uint32_t position);
  void add_momenta(const double* point, const compile::Options& options);

  const formulate::Problem& problem_;
  std::vector<Column> columns_;
  std::vector<std::uint32_t> positions_;  // of the columns contained in the point
  std::optional<Evaluation> outputs_;     // the columns after these
  std::optional<Evaluation> tensions_;    // those after the outputs
  std::optional<Evaluation> momenta_;     // the last columns
};

}  // namespace daedal::solve
