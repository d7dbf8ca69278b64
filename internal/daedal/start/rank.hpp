// Which rows of a matrix follow from the rows before them.
#pragma once

#include <cstdint>
#include <vector>

namespace daedal::solve {

/// A sparse matrix by rows: what the rank decision needs.
struct RowMatrix {
  std::uint32_t rows = 0, columns = 0;
  std::vector<std::uint32_t> row_start, column;
  std::vector<double> values;
};

struct DependentRow {
  std::uint32_t row = 0;
  std::vector<std::uint32_t>
      follows_from;  // rows with a notable part in it, in their order; empty: a row of zeros
};

struct RankReport {
  std::uint32_t rank = 0;
  double smallest_singular_value = 0;  // of unit rows; only known when the rank is short
  std::vector<DependentRow> dependent;
  bool full(const RowMatrix& m) const { return rank == m.rows; }
};

/// Rows are scaled to unit length; a row nearer than `tolerance` to the span of the rows before it
/// is dependent. Small matrices by orthogonalisation in the given order; large ones first by sparse
/// elimination, and only where its pivots leave a doubt by sparse QR, whose dependent rows are then
/// the ones it could not use.
RankReport rank_of_rows(const RowMatrix& matrix, double tolerance);

}  // namespace daedal::solve
