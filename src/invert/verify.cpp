// See daedal/invert/verify.hpp.
#include "daedal/invert/verify.hpp"

#include "daedal/system/break_points.hpp"
#include "defect.hpp"
#include "forward_run.hpp"
#include "sampled.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

namespace daedal::inversion {

namespace {

constexpr double ahead = 1e-3;  // [s], so that a joint at the start is seen

Sampled sampled(const InverseModel& inverse, const Table& table) {
  const double first = table.at(0, 0), last = table.at(table.rows() - 1, 0);
  return {table, solve::break_points(inverse.problem, first - ahead, last)};
}

/// Between two rows, where the line through them is 0.
std::optional<double> first_sign_change(const Table& table, std::size_t column, double peak) {
  const double zero = 1e-10 * peak;
  std::size_t last = table.rows();  // the last row that was not 0
  for (std::size_t r = 0; r < table.rows(); ++r) {
    const double value = table.at(r, column);
    if (std::abs(value) <= zero) continue;
    if (last < table.rows() && (value > 0) != (table.at(last, column) > 0)) {
      const double earlier = table.at(last, column), share = earlier / (earlier - value);
      return table.at(last, 0) + share * (table.at(r, 0) - table.at(last, 0));
    }
    last = r;
  }
  return std::nullopt;
}

SignalRange range_of(const Sampled& rows, std::size_t column) {
  const Table& table = rows.table();
  SignalRange range{table.columns()[column].name, table.columns()[column].unit};
  range.smallest = range.largest = table.at(0, column);
  range.smallest_at = range.largest_at = table.at(0, 0);
  for (std::size_t r = 1; r < table.rows(); ++r) {
    const double value = table.at(r, column), t = table.at(r, 0);
    if (value > range.largest) range.largest = value, range.largest_at = t;
    if (value < range.smallest) range.smallest = value, range.smallest_at = t;
  }
  range.sign_change = first_sign_change(table, column, std::abs(range.peak()));
  const std::vector<double>& pieces = rows.pieces();
  for (std::size_t k = 0; k + 1 < pieces.size(); ++k) {
    const double middle = 0.5 * (pieces[k] + pieces[k + 1]);
    const Sampled::Stencil stencil = rows.stencil(middle, middle, 1);
    if (!stencil) continue;
    const double rate = rows.value(column, stencil, 1);
    if (std::abs(rate) > std::abs(range.rate)) range.rate = rate, range.rate_at = middle;
  }
  return range;
}

/// "body.unit" of a spatial_body: what keeps the quaternion on the unit sphere is no force in the mechanism.
bool is_norm_of_quaternion(const model::Model& m, const std::string& constraint) {
  constexpr std::string_view norm = ".unit";
  if (!constraint.ends_with(norm)) return false;
  const std::string body = constraint.substr(0, constraint.size() - norm.size());
  const expr::SymbolId last = m.find(body + ".p[4]");
  return last != 0 && m.symbols[last].kind == model::SymbolKind::coordinate &&
         m.find(body + ".p[5]") == 0;
}

template <class Wanted>
std::vector<SignalRange> ranges(const InverseModel& inverse, const Table& table, Wanted wanted) {
  std::vector<SignalRange> result;
  if (table.rows() == 0) return result;
  const Sampled rows = sampled(inverse, table);
  for (std::size_t c = 1; c < table.width(); ++c)
    if (wanted(table.columns()[c])) result.push_back(range_of(rows, c));
  return result;
}

}  // namespace

Verification verify(const InverseModel& inverse, const solve::Trajectory& trajectory,
                    const VerifyOptions& options) {
  const StopScope stoppable(options.watch.stop);
  Verification result;
  const Table& table = trajectory.table;
  if (table.rows() < 2) return result;
  const Sampled rows = sampled(inverse, table);
  result.defect = defect_between_rows(*inverse.dae, rows, options.compile);
  try {
    result.forward = run_forward(*inverse.dae, rows, options);
  } catch (const ModelError& error) {
    result.forward.status = solve::Status::stopped;
    result.forward.reason = error.what();
  }
  return result;
}

ForwardRun verify_with(const derive::Dae& plant, const InverseModel& inverse,
                       const solve::Trajectory& trajectory, const VerifyOptions& options) {
  const StopScope stoppable(options.watch.stop);
  if (trajectory.table.rows() < 2) return {};
  try {
    return run_other_plant(plant, sampled(inverse, trajectory.table), options);
  } catch (const ModelError& error) {
    ForwardRun failed;
    failed.status = solve::Status::stopped;
    failed.reason = error.what();
    return failed;
  }
}

/// What is computed: the desired motion, an input of the equations that some methods solve, is none of the model's.
std::vector<SignalRange> input_ranges(const InverseModel& inverse, const Table& table) {
  return ranges(inverse, table, [&](const Column& column) {
    return column.kind == ColumnKind::input && inverse.dae->model->find(column.symbol) != 0;
  });
}

std::vector<SignalRange> force_ranges(const InverseModel& inverse, const Table& table) {
  return ranges(inverse, table, [&](const Column& column) {
    return column.kind == ColumnKind::tension ||
           (column.kind == ColumnKind::force &&
            !is_norm_of_quaternion(*inverse.dae->model, column.symbol));
  });
}

std::vector<SignalRange> free_ranges(const InverseModel& inverse, const Table& table) {
  return ranges(inverse, table, [](const Column& column) {
    return column.kind == ColumnKind::output && column.name.starts_with("null_space[");
  });
}

}  // namespace daedal::inversion
