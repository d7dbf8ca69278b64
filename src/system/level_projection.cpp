// See level_projection.hpp.

#include "daedal/system/level_projection.hpp"

#include "daedal/system/no_row.hpp"
#include "daedal/system/point.hpp"
#include "derived.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace daedal::solve {

namespace {

constexpr std::size_t large =
    60;  // unknowns from which a factorisation costs much more than a solution

/// The entries of the KKT matrix, each from one entry of W, J or J^T, or a constant.
class KktAssembly {
 public:
  KktAssembly(const formulate::Problem& problem, const formulate::Level& level,
              std::span<const std::uint32_t> columns)
      : problem_(problem), level_(level), free_(static_cast<std::uint32_t>(columns.size())) {
    number_of_column_.assign(level.unknowns.size(), no_row);
    for (std::uint32_t c = 0; c < columns.size(); ++c) number_of_column_[columns[c]] = c;
    add_metric();
    add_jacobian();
  }

  expr::SparseFunction matrix() {
    const std::uint32_t size = free_ + level_.rows();
    std::sort(entries_.begin(), entries_.end());
    expr::SparseFunction matrix{{size, size, std::vector<std::uint32_t>(size + 1, 0), {}}, {}};
    std::vector<std::uint32_t> row_of[sources];
    row_of[metric].assign(level_.metric.column.size(), no_row);
    row_of[jacobian].assign(level_.jacobian.column.size(), no_row);
    row_of[transposed] = row_of[jacobian];
    std::vector<expr::Term> constants;
    const auto graph = std::make_shared<expr::Graph>();
    for (std::uint32_t k = 0; k < entries_.size(); ++k) {
      const Entry& entry = entries_[k];
      ++matrix.row_start[entry.row + 1];
      matrix.column.push_back(entry.column);
      if (entry.source == diagonal)
        constants.push_back({graph->constant(diagonal_value_[entry.index]), k});
      else
        row_of[entry.source][entry.index] = k;
    }
    for (std::uint32_t r = 0; r < size; ++r) matrix.row_start[r + 1] += matrix.row_start[r];

    const auto count = static_cast<std::uint32_t>(entries_.size());
    matrix.values = {count, {}};
    const auto add = [&](const expr::Function& from, Source source) {
      if (from.rows > 0)
        matrix.values = expr::sum(matrix.values, expr::select_rows(from, row_of[source], count));
    };
    add(level_.metric.values, metric);
    add(level_.jacobian.values, jacobian);
    add(level_.jacobian.values, transposed);
    if (!constants.empty())
      matrix.values.families.push_back(expr::identity_family(graph, constants));
    return matrix;
  }

 private:
  enum Source : std::uint8_t { metric, jacobian, transposed, diagonal };
  static constexpr int sources = 3;  // that are Functions
  struct Entry {
    std::uint32_t row = 0, column = 0, index = 0;
    Source source = metric;
    friend auto operator<=>(const Entry&, const Entry&) = default;
  };

  void add_metric() {
    std::vector<bool> weighted(free_, false);
    for (std::uint32_t i = 0; i < level_.metric.rows; ++i) {
      const std::uint32_t row = number_of_column_[i];
      if (row == no_row) continue;
      for (std::uint32_t k = level_.metric.row_start[i]; k < level_.metric.row_start[i + 1]; ++k) {
        const std::uint32_t column = number_of_column_[level_.metric.column[k]];
        if (column == no_row) continue;
        entries_.push_back({row, column, k, metric});
        weighted[row] = true;
      }
    }
    for (std::uint32_t i = 0; i < level_.unknowns.size();
         ++i) {  // what has no inertia moves least in its own scale
      const std::uint32_t row = number_of_column_[i];
      if (row == no_row || weighted[row]) continue;
      const double nominal = nominal_at(problem_, level_.unknowns[i]);
      entries_.push_back({row, row, static_cast<std::uint32_t>(diagonal_value_.size()), diagonal});
      diagonal_value_.push_back(1 / (nominal * nominal));
    }
  }

  void add_jacobian() {
    const expr::SparseFunction& j = level_.jacobian;
    for (std::uint32_t i = 0; i < j.rows; ++i)
      for (std::uint32_t k = j.row_start[i]; k < j.row_start[i + 1]; ++k) {
        const std::uint32_t column = number_of_column_[j.column[k]];
        if (column == no_row) continue;
        entries_.push_back({free_ + i, column, k, jacobian});
        entries_.push_back({column, free_ + i, k, transposed});
      }
  }

  const formulate::Problem& problem_;
  const formulate::Level& level_;
  std::uint32_t free_ = 0;
  std::vector<std::uint32_t>
      number_of_column_;  // of each unknown of the level, `no_row` when it may not move
  std::vector<double> diagonal_value_;
  std::vector<Entry> entries_;
};

std::vector<std::uint32_t> movable_columns(const formulate::Level& level) {
  std::vector<std::uint32_t> columns;
  for (std::uint32_t c = 0; c < level.unknowns.size(); ++c)
    if (level.movable.empty() || level.movable[c]) columns.push_back(c);
  return columns;
}

/// Whether the constraint is linear in its level's unknowns: velocity levels usually are.
bool jacobian_is_constant(const formulate::Problem& problem, const formulate::Level& level) {
  std::vector<bool> unknown(problem.layout.size(), false);
  for (const std::uint32_t position : level.unknowns) unknown[position] = true;
  for (const expr::Occurrence& o : expr::occurrences(level.jacobian.values)) {
    const std::uint32_t position = problem.layout.find(o.leaf);
    if (position != compile::absent && unknown[position]) return false;
  }
  return true;
}

/// f below the rows of the corrections: the right-hand side (0, f); zero where f is not written out.
expr::Function shifted_residual(const formulate::Level& level, std::uint32_t shift) {
  std::vector<std::uint32_t> new_row(level.residual.rows);
  for (std::uint32_t i = 0; i < new_row.size(); ++i) new_row[i] = shift + i;
  return expr::select_rows(level.residual, new_row, shift + level.rows());
}

}  // namespace

LevelProjection::LevelProjection(const formulate::Problem& problem, const formulate::Level& level,
                                 std::span<const double> sample, const compile::Options& options,
                                 std::shared_ptr<EquationJet> jet)
    : problem_(problem),
      level_(level),
      linear_(jacobian_is_constant(problem, level)),
      fused_(problem.written_out),
      residual_(problem, level, sample.data(), options, std::move(jet)) {
  const std::vector<std::uint32_t> columns = movable_columns(level);
  const std::vector<bool> derived = derived_columns(problem, level);
  for (const std::uint32_t c : columns) {
    derived_.push_back(derived[c]);
    columns_.push_back(level.unknowns[c]);
    nominal_.push_back(nominal_at(problem, level.unknowns[c]));
  }
  solution_.resize(columns.size() + level.rows());
  right_hand_side_.resize(solution_.size());
  keep_matrix_ =
      solution_.size() >= large && std::none_of(derived_.begin(), derived_.end(), std::identity());
  solver_ =
      compile::compile_solver(KktAssembly(problem, level, columns).matrix(),
                              shifted_residual(level, static_cast<std::uint32_t>(columns.size())),
                              problem.layout, sample, options);
  solver_->prepare(sample.data());
}

/// solution_ = the correction, with the matrix at `point` or the one at hand.
bool LevelProjection::solve(double* point, bool reuse) {
  if (!reuse) factored_ = solver_->solve(point, solution_.data()).ok;
  if (!factored_) return false;
  if (reuse || !fused_) {
    residual_(point, right_hand_side_.data() + columns_.size());
    solver_->resolve(right_hand_side_.data(), solution_.data());
  }
  return true;
}

/// Applies the correction; its largest part relative to the size of what it corrects. What follows from the levels below
/// is right after one step with a new matrix, and may be rounding of the large terms it is the difference of: it shows
/// nothing about convergence.
double LevelProjection::move(double* point, double* low) const {
  double largest = 0, all = 0;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    double& x = point[columns_[i]];
    const double change = std::abs(solution_[i]), size = std::max(std::abs(x), nominal_[i]);
    all += change;
    if (change > largest * size && !derived_[i]) largest = change / size;  // rarely divides
    if (low == nullptr) {
      x -= solution_[i];
      continue;
    }
    double& rest = low[columns_[i]];
    const double step = rest - solution_[i], sum = x + step;
    rest = step - (sum - x);
    x = sum;
  }
  return std::isfinite(all) ? largest : std::numeric_limits<double>::quiet_NaN();
}

/// Simplified Newton: a matrix is kept while it contracts well, in large systems over many calls,
/// where factoring costs far more than a few more iterations.
Failure LevelProjection::project(double* point, double* low) {
  constexpr double epsilon = std::numeric_limits<double>::epsilon();
  constexpr int most_iterations = 20;
  constexpr double curvature =
      10;  // assumed bound of |J'| |x| / |J|: a new matrix contracts by curvature * way since
  double way = 0;  // moved since the matrix was new
  double previous = std::numeric_limits<double>::infinity();
  bool reuse = keep_matrix_ && factored_, stale = reuse;
  for (int iteration = 0; iteration < most_iterations; ++iteration) {
    if (!solve(point, reuse)) return Failure::singular_matrix;
    if (!reuse) {
      stale = false;
      way = 0;
    }
    const double correction = move(point, low);
    if (!std::isfinite(correction)) return Failure::not_finite;
    way += correction;
    const double seen = iteration == 0 ? 1.0 : correction / previous;
    const double contraction = stale ? seen : linear_ ? 0 : curvature * way;
    if (correction <= 4 * epsilon || contraction * correction <= epsilon) return Failure::none;
    const bool stalled = correction > 0.1 * previous;
    if (stalled && !stale && correction < 1e-10)
      return Failure::none;  // rounding in f, not in x, sets the limit
    reuse = !stalled && (stale || correction < 1e-3);
    previous = correction;
  }
  factored_ = false;
  return Failure::cannot_project;
}

std::vector<std::uint32_t> LevelProjection::derived() const {
  std::vector<std::uint32_t> positions;
  for (std::size_t i = 0; i < columns_.size(); ++i)
    if (derived_[i]) positions.push_back(columns_[i]);
  return positions;
}

Failure LevelProjection::correction(const double* point, const double* residual, double* dx) {
  factored_ = solver_->solve(point, solution_.data()).ok;
  if (!factored_) return Failure::singular_matrix;
  const std::size_t free = columns_.size();
  std::copy_n(residual, right_hand_side_.size() - free, right_hand_side_.data() + free);
  solver_->resolve(right_hand_side_.data(), solution_.data());
  for (std::size_t i = 0; i < free; ++i) dx[columns_[i]] = solution_[i];
  return Failure::none;
}

/// row_length_: of J over what may move, in the scale of the unknowns.
void LevelProjection::measure_rows(const double* point) {
  const expr::SparseFunction& j = level_.jacobian;
  std::vector<double> values(j.column.size());
  Evaluation(j.values, problem_.layout, point, tape_only())(point, values.data());
  row_length_.assign(j.rows, 0.0);
  for (std::uint32_t i = 0; i < j.rows; ++i) {
    for (std::uint32_t k = j.row_start[i]; k < j.row_start[i + 1]; ++k) {
      if (!level_.movable.empty() && !level_.movable[j.column[k]]) continue;
      const double entry = values[k] * nominal_at(problem_, level_.unknowns[j.column[k]]);
      row_length_[i] += entry * entry;
    }
    row_length_[i] = row_length_[i] > 0 ? std::sqrt(row_length_[i]) : 1.0;
  }
}

double LevelProjection::independence(const double* point) {
  constexpr int iterations = 3;
  const std::size_t free = columns_.size(), rows = solution_.size() - free;
  if (weakest_.empty()) {
    weakest_.assign(rows, 1.0);
    measure_rows(point);
  }
  factored_ = solver_->solve(point, solution_.data()).ok;
  if (!factored_) return 0;
  double size = 0;
  std::fill_n(right_hand_side_.begin(), free, 0.0);
  for (int iteration = 0; iteration < iterations; ++iteration) {
    double length = 0;
    for (const double w : weakest_) length += w * w;
    length = std::sqrt(length);
    if (!std::isfinite(length) || length == 0) return 0;
    for (std::size_t i = 0; i < rows; ++i)
      right_hand_side_[free + i] = row_length_[i] * (weakest_[i] / length);
    solver_->resolve(right_hand_side_.data(), solution_.data());
    size = 0;
    for (std::size_t i = 0; i < rows; ++i) {
      weakest_[i] = row_length_[i] * solution_[free + i];
      size += weakest_[i] * weakest_[i];
    }
  }
  return size > 0 ? 1 / std::sqrt(std::sqrt(size)) : 0;
}

void LevelProjection::wait_native() const {
  solver_->wait_native();
  residual_.wait_native();
}

}  // namespace daedal::solve
