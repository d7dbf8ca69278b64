#include "c_nonlinear_filter.hpp"

#include "c_matrices.hpp"
#include "c_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

namespace daedal::emit {

namespace {

constexpr const char* point_text = R"(
static void take(double* p, const double* x) {
  int k;
  for (k = 0; k < N; ++k) p[state_at[k]] = x[k];
}

static void at(double* p, double t) {
  p[0] = t;
  INPUTS_AT
}

/* the highest derivatives at a point; the pivots of the start, or others where these lose digits */
static int solve_motion(const double* p, double* z) {
  double a[Z*Z];
  WITH_PIVOTS
  assemble(p, a, z);
  return solve_scaled(a, z, Z);
}
)";

constexpr const char* with_pivots_text = R"(double r[Z + 1];
  int k;
  motion(p, r);
  if (r[Z] < GROWTH) {
    for (k = 0; k < Z; ++k) z[k] = r[k];
    return 1;
  })";

constexpr const char* linear_rates_text = R"(
static int rates_at(double* p, double t, double* rates) {
  int k;
  at(p, t);
  if (!solve_motion(p, p + FIRST_TOP)) return 0;
  for (k = 0; k < N; ++k) rates[k] = p[next_at[k]];
  return 1;
}
)";

constexpr const char* newton_rates_text = R"(
static int rates_at(double* p, double t, double* rates) {
  double* const z = p + FIRST_TOP;
  double step[Z];
  int iteration, k;
  at(p, t);
  for (iteration = 0; iteration < 25; ++iteration) {
    double correction = 0.0, size = 1.0;
    if (!solve_motion(p, step)) return 0;
    for (k = 0; k < Z; ++k) {
      z[k] -= step[k];
      if (correction < fabs(step[k])) correction = fabs(step[k]);
      if (size < fabs(z[k])) size = fabs(z[k]);
    }
    if (!isfinite(correction) || !isfinite(size)) return 0;
    if (correction <= SETTLED*size) {
      for (k = 0; k < N; ++k) rates[k] = p[next_at[k]];
      return 1;
    }
  }
  return 0;
}
)";

constexpr const char* free_text = R"(
static int put_back(double* p, double t, double* x) {
  (void)t;
  take(p, x);
  return 1;
}

static void tangent_basis(double* p, double t, const double* x, double* basis) {
  int k;
  (void)p;
  (void)t;
  (void)x;
  for (k = 0; k < N*D; ++k) basis[k] = 0.0;
  for (k = 0; k < N; ++k) basis[k*D + k] = 1.0;
}
)";

constexpr const char* masses_text = R"(
/* the smallest correction in the metric of the masses: [W J^T; J 0] (x, mu) = (0, c) */
static int correction_of(int level, const double* p, double* correction) {
  double j[ROWS*COLUMNS], c[ROWS], w[COLUMNS*COLUMNS], m[(COLUMNS + ROWS)*(COLUMNS + ROWS)], b[COLUMNS + ROWS];
  const int rows = level_rows[level], columns = level_columns[level], n = level_free[level];
  const int* const movable = free_column + level*COLUMNS;
  const int size = n + rows;
  int i, k;
  constraints(level, p, c, j);
  metric(level, p, w);
  for (i = 0; i < size*size; ++i) m[i] = 0.0;
  for (i = 0; i < n; ++i) {
    for (k = 0; k < n; ++k) m[i*size + k] = w[movable[i]*columns + movable[k]];
    for (k = 0; k < rows; ++k)
      m[i*size + n + k] = m[(n + k)*size + i] = j[k*columns + movable[i]];
    b[i] = 0.0;
  }
  for (k = 0; k < rows; ++k) b[n + k] = c[k];
  if (!solve_scaled(m, b, size)) return 0;
  for (i = 0; i < columns; ++i) correction[i] = 0.0;
  for (i = 0; i < n; ++i) correction[movable[i]] = b[i];
  return 1;
}
)";

constexpr const char* constrained_text = R"(
/* x, which becomes that of the point, back onto the constraints, positions first */
static int put_back(double* p, double t, double* x) {
  double correction[COLUMNS];
  int level, k, i;
  take(p, x);
  for (level = 0; level < LEVELS; ++level) {
    const int columns = level_columns[level];
    const int* const held = level_states + level*COLUMNS;
    double largest = HUGE_VAL;
    for (k = 0; largest > NEAR; ++k) {
      if (k == MOST) return 0;
      at(p, t);
      if (!correction_of(level, p, correction)) return 0;
      largest = 0.0;
      for (i = 0; i < columns; ++i) {
        double* const state = x + held[i];
        const double size = 1.0 < fabs(*state) ? fabs(*state) : 1.0;
        if (largest < fabs(correction[i])/size) largest = fabs(correction[i])/size;
        *state -= correction[i];
        p[state_at[held[i]]] = *state;
      }
      if (!isfinite(largest)) return 0;
    }
  }
  return 1;
}

/* columns: the directions in which errors lie */
static void tangent_basis(double* p, double t, const double* x, double* basis) {
  double j[ROWS*COLUMNS], c[ROWS], scales[ROWS], block[COLUMNS*COLUMNS], across[D*N], v[D];
  int level, i, k, row = 0;
  for (k = 0; k < D*N; ++k) across[k] = 0.0;
  for (i = 0; i < N; ++i)
    if (!is_held[i]) across[row++*N + i] = 1.0;
  take(p, x);
  at(p, t);
  for (level = 0; level < LEVELS; ++level) {
    const int rows = level_rows[level], columns = level_columns[level];
    constraints(level, p, c, j);
    null_space(j, block, scales, rows, columns);
    for (k = 0; k < columns - rows; ++k, ++row)
      for (i = 0; i < columns; ++i)
        across[row*N + level_states[level*COLUMNS + i]] = block[k*columns + i];
  }
  trapezoidal(across, v, D, N);
  transpose(across, basis, D, N);
}
)";

constexpr const char* filter_text = R"(
/* a period later, by the classical method of Runge and Kutta with held inputs */
static int move(double* p, double t, double* x) {
  static const double nodes[] = {0.0, 0.5, 0.5, 1.0}, weights[] = {1.0, 2.0, 2.0, 1.0};
  const double h = SUBSTEP, begin = t - PERIOD_VALUE;
  double s[N], sum[N], rates[N] = {0.0};
  int i, j, k;
  for (k = 0; k < SUBSTEPS; ++k) {
    const double from = begin + k*h;
    for (j = 0; j < N; ++j) {
      s[j] = x[j];
      sum[j] = 0.0;
    }
    for (i = 0; i < 4; ++i) {
      for (j = 0; j < N; ++j) p[state_at[j]] = i > 0 ? s[j] + nodes[i]*h*rates[j] : s[j];
      if (!rates_at(p, from + nodes[i]*h, rates)) return 0;
      for (j = 0; j < N; ++j) sum[j] += weights[i]*rates[j];
    }
    for (j = 0; j < N; ++j) x[j] = s[j] + h/6.0*sum[j];
    if (!put_back(p, from + h, x)) return 0;
  }
  return 1;
}

/* what is measured at x; a number that is none is noticed in `estimate` */
static int seen_at(double* p, double t, const double* x, double* y) {
  double rates[N];
  take(p, x);
  if (!rates_at(p, t, rates)) return 0;
  expected(p, y);
  return 1;
}

/* P in the directions of the basis */
static void errors_of(const NAME_estimate* e, const double* basis, double* errors) {
  double across[D*N], half[N*D];
  multiply(e->covariance, basis, half, N, N, D);
  transpose(basis, across, N, D);
  multiply(across, half, errors, D, N, D);
}

/* m += K (measured - expected) and P = of_points - K S K^T with K = cross S^-1, S = own + noise */
static NAME_status finish(NAME_estimate* e, double* p, double t, const double* measured, const int* row,
                          int rows, const double* expectation, double* own, double* gain,
                          const double* of_points) {
  double innovation[Y], root[N*Y];
  int i, j, k;
  for (i = 0; i < rows; ++i) {
    own[i*rows + i] += variances[row[i]];
    innovation[i] = measured[row[i]] - expectation[i];
  }
  if (!factor_of(own, rows)) return GUARD_INDEFINITE;
  for (i = 0; i < N; ++i) solve_with(own, gain + i*rows, rows);
  for (i = 0; i < N; ++i)
    for (j = 0; j < rows; ++j) e->x[i] += gain[i*rows + j]*innovation[j];
  if (!put_back(p, t, e->x)) return GUARD_NO_SOLUTION;
  multiply(gain, own, root, N, rows, rows);
  for (i = 0; i < N; ++i)
    for (j = 0; j < N; ++j) {
      double sum = 0.0;
      for (k = 0; k < rows; ++k) sum += root[i*rows + k]*root[j*rows + k];
      e->covariance[i*N + j] = of_points[i*N + j] - sum;
    }
  return GUARD_OK;
}

static void begin_estimate(NAME_estimate* e) {
  int k;
  e->begun = 0;
  for (k = 0; k < N; ++k) e->x[k] = start_point[state_at[k]];
  for (k = 0; k < N*N; ++k) e->covariance[k] = 0.0;
  for (k = 0; k < N; ++k) e->covariance[k*N + k] = start_covariance[k];
BEGIN_GUESS}
)";

constexpr const char* unscented_text = R"(
/* the mean, and points around it on the constraints */
static NAME_status points(const NAME_estimate* e, double* p, double t, double* x) {
  double basis[N*D], root[D*D], directions[N*D];
  int side, c, i;
  tangent_basis(p, t, e->x, basis);
  errors_of(e, basis, root);
  if (!factor_of(root, D)) return GUARD_INDEFINITE;
  multiply(basis, root, directions, N, D, D);
  for (i = 0; i < N; ++i) x[i] = e->x[i];
  for (side = 0; side < 2; ++side)
    for (c = 0; c < D; ++c) {
      double* const point = x + (1 + side*D + c)*N;
      for (i = 0; i < N; ++i)
        point[i] = e->x[i] + (side == 0 ? REACH : -REACH)*directions[i*D + c];
      if (!put_back(p, t, point)) return GUARD_NO_SOLUTION;
    }
  return GUARD_OK;
}

static void mean_of(const double* x, double* mean, int size) {
  int i, k;
  for (i = 0; i < size; ++i) {
    double sum = 0.0;
    for (k = 1; k < POINTS; ++k) sum += x[k*size + i];
    mean[i] = MEAN_WEIGHT*x[i] + OTHER_WEIGHT*sum;
  }
}

/* c = sum of weights times (x - x_mean) (y - y_mean)^T, of sizes n and m */
static void covariance_of(const double* x, const double* x_mean, int n, const double* y,
                          const double* y_mean, int m, double* c) {
  double dy[N + Y];
  int i, j, k;
  for (i = 0; i < n*m; ++i) c[i] = 0.0;
  for (k = 0; k < POINTS; ++k) {
    for (j = 0; j < m; ++j) dy[j] = y[k*m + j] - y_mean[j];
    for (i = 0; i < n; ++i) {
      const double scaled = (k == 0 ? COVARIANCE_WEIGHT : OTHER_WEIGHT)*(x[k*n + i] - x_mean[i]);
      for (j = 0; j < m; ++j) c[i*m + j] += scaled*dy[j];
    }
  }
}

static NAME_status estimate(NAME_estimate* e, double t, const double* inputs, const double* measured,
                            const int* fresh) {
  double p[P], x[POINTS*N], y[POINTS*Y], all[Y], y_mean[Y], own[Y*Y], cross[N*Y], of_points[N*N];
  NAME_status status;
  int row[Y], rows = 0, i, k;
  for (k = 0; k < P; ++k) p[k] = start_point[k];
  for (k = 0; k < U; ++k) p[input_at[k]] = inputs[k];
TAKE_GUESS  status = points(e, p, t - PERIOD_VALUE, x);
  if (status != GUARD_OK) return status;
  for (k = 0; k < POINTS; ++k)
    if (!move(p, t, x + k*N)) return GUARD_NO_SOLUTION;
  mean_of(x, e->x, N);
  if (!put_back(p, t, e->x)) return GUARD_NO_SOLUTION;
  covariance_of(x, e->x, N, x, e->x, N, e->covariance);
  for (i = 0; i < N; ++i)
    for (k = 0; k < N; ++k)
      e->covariance[i*N + k] = e->covariance[i*N + k] + (i == k ? process[i] : 0.0);
  for (k = 0; k < Y; ++k)
    if (fresh[k]) row[rows++] = k;
  if (rows > 0) {
    status = points(e, p, t, x);
    if (status != GUARD_OK) return status;
    for (k = 0; k < POINTS; ++k) {
      if (!seen_at(p, t, x + k*N, all)) return GUARD_NO_SOLUTION;
      for (i = 0; i < Y; ++i)
        if (!isfinite(all[i])) return GUARD_NOT_FINITE;
      for (i = 0; i < rows; ++i) y[k*rows + i] = all[row[i]];
    }
    mean_of(y, y_mean, rows);
    covariance_of(y, y_mean, rows, y, y_mean, rows, own);
    covariance_of(x, e->x, N, y, y_mean, rows, cross);
    covariance_of(x, e->x, N, x, e->x, N, of_points);
    status = finish(e, p, t, measured, row, rows, y_mean, own, cross, of_points);
    if (status != GUARD_OK) return status;
  }
KEEP_GUESS  return GUARD_OK;
}
)";

constexpr const char* extended_text = R"(
static NAME_status estimate(NAME_estimate* e, double t, const double* inputs, const double* measured,
                            const int* fresh) {
  double p[P], basis[N*D], errors[D*D], f[N*D], f_across[D*N], half[D*N], sides[2][N + Y];
  double h[Y*D], h_across[D*Y], through[D*Y], own[Y*Y], along[N*D], cross[N*Y], across[D*N];
  double of_points[N*N], here[Y];
  const double before = t - PERIOD_VALUE;
  NAME_status status;
  int row[Y], rows = 0, side, c, i, k;
  for (k = 0; k < P; ++k) p[k] = start_point[k];
  for (k = 0; k < U; ++k) p[input_at[k]] = inputs[k];
TAKE_GUESS  tangent_basis(p, before, e->x, basis);
  errors_of(e, basis, errors);
  for (c = 0; c < D; ++c) {
    for (side = 0; side < 2; ++side) {
      for (i = 0; i < N; ++i)
        sides[side][i] = e->x[i] + (side == 0 ? REACH : -REACH)*basis[i*D + c];
      if (!put_back(p, before, sides[side]) || !move(p, t, sides[side])) return GUARD_NO_SOLUTION;
    }
    for (i = 0; i < N; ++i) f[i*D + c] = (sides[0][i] - sides[1][i])/(2.0*REACH);
  }
  if (!move(p, t, e->x)) return GUARD_NO_SOLUTION;
  transpose(f, f_across, N, D);
  multiply(errors, f_across, half, D, D, N);
  multiply(f, half, e->covariance, N, D, N);
  for (i = 0; i < N; ++i)
    for (k = 0; k < N; ++k)
      e->covariance[i*N + k] = e->covariance[i*N + k] + (i == k ? process[i] : 0.0);
  for (i = 0; i < N; ++i)
    for (k = 0; k < i; ++k)
      e->covariance[i*N + k] = e->covariance[k*N + i] =
          (e->covariance[i*N + k] + e->covariance[k*N + i])/2.0;
  for (k = 0; k < Y; ++k)
    if (fresh[k]) row[rows++] = k;
  if (rows > 0) {
    tangent_basis(p, t, e->x, basis);
    errors_of(e, basis, errors);
    for (c = 0; c < D; ++c) {
      for (side = 0; side < 2; ++side) {
        double x[N];
        for (i = 0; i < N; ++i) x[i] = e->x[i] + (side == 0 ? REACH : -REACH)*basis[i*D + c];
        if (!put_back(p, t, x) || !seen_at(p, t, x, sides[side])) return GUARD_NO_SOLUTION;
        for (i = 0; i < Y; ++i)
          if (!isfinite(sides[side][i])) return GUARD_NOT_FINITE;
      }
      for (i = 0; i < rows; ++i)
        h[i*D + c] = (sides[0][row[i]] - sides[1][row[i]])/(2.0*REACH);
    }
    multiply(basis, errors, along, N, D, D);
    if (!seen_at(p, t, e->x, sides[0])) return GUARD_NO_SOLUTION;
    for (i = 0; i < Y; ++i)
      if (!isfinite(sides[0][i])) return GUARD_NOT_FINITE;
    for (i = 0; i < rows; ++i) here[i] = sides[0][row[i]];
    transpose(h, h_across, rows, D);
    multiply(errors, h_across, through, D, D, rows);
    multiply(h, through, own, rows, D, rows);
    multiply(along, h_across, cross, N, D, rows);
    transpose(basis, across, N, D);
    multiply(along, across, of_points, N, D, N);
    status = finish(e, p, t, measured, row, rows, here, own, cross, of_points);
    if (status != GUARD_OK) return status;
  }
KEEP_GUESS  return GUARD_OK;
}
)";

class NonlinearFilterCode {
 public:
  explicit NonlinearFilterCode(const feedback::NonlinearFilterNumbers& numbers)
      : numbers_(numbers),
        problem_(numbers.problem()),
        extended_(numbers.options.kind == feedback::FilterKind::extended),
        point_size_(std::min(problem_.layout.first_parameter, problem_.layout.size())) {
    for (const feedback::FilterLevel& level : numbers.levels) {
      rows_ = std::max<std::size_t>(rows_, level.level->rows());
      columns_ = std::max(columns_, level.states.size());
      directions_ -= level.level->rows();
    }
    directions_ += states();
    add_inputs();
    add_motion();
    add(expanded("expected", numbers.dae->outputs), "double* r", "r");
    for (std::size_t l = 0; l < numbers.levels.size(); ++l) add_level(l);
  }

  CNonlinearFilter made() {
    CNonlinearFilter result;
    result.members =
        fmt::format("  int begun;\n  double x[{0}], covariance[{1}]; /* the states */\n", states(),
                    states() * states());
    if (!problem_.linear)
      result.members += fmt::format("  double z[{}]; /* where Newton's method begins */\n", tops());
    result.text = text();
    result.largest = tops() + (extended_ ? rows_ + columns_ : 0);
    result.functions = std::move(functions_);
    return result;
  }

 private:
  std::size_t states() const { return numbers_.states.size(); }
  std::uint32_t tops() const { return numbers_.motion->size; }
  bool constrained() const { return !numbers_.levels.empty(); }

  CStraight expanded(const std::string& name, const expr::Function& f) const {
    auto graph = std::make_shared<expr::Graph>();
    std::vector<expr::Expr> roots = expr::expand(f, *graph);
    return {name, std::move(graph), std::move(roots), {}};
  }

  std::string place_of(expr::Leaf leaf) const {
    const std::uint32_t position = problem_.layout.find(leaf);
    return position < point_size_ ? fmt::format("p[{}]", position)
                                  : c_number(numbers_.point[position]);
  }

  void add(CStraight straight, const std::string& results,
           const std::function<std::string(std::size_t)>& target, const std::string& first = "") {
    straight.text =
        fmt::format("\nstatic void {}(const double* p, {}) {{\n", straight.name, results) + first +
        c_statements(
            straight.function(), [this](expr::Leaf leaf) { return place_of(leaf); }, target) +
        "  (void)p;\n}\n";
    functions_.push_back(std::move(straight));
  }
  void add(CStraight straight, const std::string& results, const std::string& array) {
    add(std::move(straight), results,
        [&](std::size_t i) { return fmt::format("{}[{}]", array, i); });
  }

  void add_inputs() {
    if (problem_.inputs.rows > 0) add(expanded("inputs_at", problem_.inputs), "double* r", "r");
  }

  static std::string zeros(const char* array, std::size_t size) {
    return fmt::format("  int i;\n  for (i = 0; i < {}; ++i) {}[i] = 0.0;\n", size, array);
  }

  void add_motion() {
    const feedback::FilterMotion& motion = *numbers_.motion;
    if (!motion.solution.empty()) {
      std::vector<expr::Expr> roots = motion.solution;
      roots.push_back(motion.monitor);
      add({"motion", motion.graph, std::move(roots), {}}, "double* r", "r");
    }
    CStraight assemble{"assemble", motion.graph, {}, {}};
    std::vector<std::string> targets;
    const expr::SparseFunction& pattern = problem_.top_matrix;
    for (std::uint32_t i = 0; i < tops(); ++i)
      for (std::uint32_t k = pattern.row_start[i]; k < pattern.row_start[i + 1]; ++k)
        if (pattern.column[k] < tops()) {
          assemble.roots.push_back(motion.matrix[k]);
          targets.push_back(fmt::format("a[{}]", i * tops() + pattern.column[k]));
        }
    for (std::uint32_t i = 0; i < tops(); ++i) {
      assemble.roots.push_back(motion.right_hand_side[i]);
      targets.push_back(fmt::format("b[{}]", i));
    }
    add(
        std::move(assemble), "double* a, double* b", [&](std::size_t i) { return targets[i]; },
        zeros("a", std::size_t{tops()} * tops()));
  }

  void add_level(std::size_t number) {
    const formulate::Level& level = *numbers_.levels[number].level;
    const std::size_t columns = numbers_.levels[number].states.size();
    auto graph = std::make_shared<expr::Graph>();
    std::vector<expr::Expr> roots = expr::expand(level.residual, *graph);
    std::vector<std::string> targets;
    for (std::size_t i = 0; i < roots.size(); ++i) targets.push_back(fmt::format("c[{}]", i));
    const std::vector<expr::Expr> entries = expr::expand(level.jacobian.values, *graph);
    add_entries(level.jacobian, entries, columns, "j", roots, targets);
    add(
        {fmt::format("constraints_{}", number), std::move(graph), std::move(roots), {}},
        "double* c, double* j", [&](std::size_t i) { return targets[i]; },
        zeros("j", level.rows() * columns));
    if (extended_)
      add_metric(number);
    else
      add_correction(number);
  }

  /// J^T (J J^T)^-1 c, entries that are zero left out.
  void add_correction(std::size_t number) {
    const formulate::Level& level = *numbers_.levels[number].level;
    const expr::SparsePattern& pattern = level.jacobian;
    const std::size_t rows = level.rows(), columns = numbers_.levels[number].states.size();
    std::vector<std::vector<bool>> there(rows, std::vector<bool>(columns));
    for (std::uint32_t i = 0; i < rows; ++i)
      for (std::uint32_t k = pattern.row_start[i]; k < pattern.row_start[i + 1]; ++k)
        there[i][pattern.column[k]] = true;
    std::string text = fmt::format(
        "\n/* J^T (J J^T)^-1 c */\nstatic int correction_{0}(const double* p, double* correction) "
        "{{\n  double c[{1}], j[{2}], normal[{3}];\n  constraints_{0}(p, c, j);\n",
        number, rows, rows * columns, rows * rows);
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t k = 0; k < rows; ++k) {
        text += fmt::format("  normal[{}] = 0.0", i * rows + k);
        for (std::size_t l = 0; l < columns && k <= i; ++l)
          if (there[i][l] && there[k][l])
            text += fmt::format(" + j[{}]*j[{}]", i * columns + l, k * columns + l);
        text += ";\n";
      }
    text += fmt::format("  if (!factor_of(normal, {0})) return 0;\n  solve_with(normal, c, {0});\n",
                        rows);
    for (std::size_t l = 0; l < columns; ++l) {
      text += fmt::format("  correction[{}] = 0.0", l);
      for (std::size_t i = 0; i < rows; ++i)
        if (there[i][l]) text += fmt::format(" + j[{}]*c[{}]", i * columns + l, i);
      text += ";\n";
    }
    functions_.back().text += text + "  return 1;\n}\n";
  }

  static void add_entries(const expr::SparsePattern& pattern,
                          const std::vector<expr::Expr>& entries, std::size_t columns,
                          const char* array, std::vector<expr::Expr>& roots,
                          std::vector<std::string>& targets) {
    for (std::uint32_t i = 0; i < pattern.rows; ++i)
      for (std::uint32_t k = pattern.row_start[i]; k < pattern.row_start[i + 1]; ++k) {
        roots.push_back(entries[k]);
        targets.push_back(fmt::format("{}[{}]", array, i * columns + pattern.column[k]));
      }
  }

  void add_metric(std::size_t number) {
    const formulate::Level& level = *numbers_.levels[number].level;
    const std::size_t columns = numbers_.levels[number].states.size();
    auto graph = std::make_shared<expr::Graph>();
    std::vector<expr::Expr> roots;
    std::vector<std::string> targets;
    if (level.metric.entries() > 0)
      add_entries(level.metric, expr::expand(level.metric.values, *graph), columns, "w", roots,
                  targets);
    const std::vector<double> diagonal = feedback::unweighted_diagonal(problem_, level);
    for (std::size_t i = 0; i < columns; ++i)
      if (diagonal[i] != 0) {
        roots.push_back(graph->constant(diagonal[i]));
        targets.push_back(fmt::format("w[{}]", i * columns + i));
      }
    add(
        {fmt::format("metric_{}", number), std::move(graph), std::move(roots), {}}, "double* w",
        [&](std::size_t i) { return targets[i]; }, zeros("w", columns * columns));
  }

  std::string sizes() const {
    return fmt::format(
        "\nenum {{\n  N = {}, /* states */\n  Z = {}, /* highest derivatives */\n  D = {}, /* "
        "directions of errors */\n  U = {}, /* inputs */\n  Y = {}, /* measurements */\n  P = {}, "
        "/* "
        "of a point: time, states, ... */\n  FIRST_TOP = {},\n  SUBSTEPS = {}\n}};\n",
        states(), tops(), directions_, std::max<std::size_t>(numbers_.inputs.size(), 1),
        numbers_.options.noise.size(), point_size_, problem_.top_position(0),
        numbers_.options.substeps);
  }

  static std::vector<double> squares(const std::vector<double>& values) {
    std::vector<double> squared;
    for (const double value : values) squared.push_back(value * value);
    return squared;
  }

  std::string tables() const {
    const feedback::FilterOptions& options = numbers_.options;
    std::vector<std::uint32_t> next;
    for (const std::uint32_t position : numbers_.states)
      next.push_back(problem_.next[position - problem_.state_position(0)]);
    return c_table("int", "state_at", numbers_.states) + c_table("int", "next_at", next) +
           c_table("int", "input_at", numbers_.inputs) +
           start_table("start_point", std::vector<double>(numbers_.point.begin(),
                                                          numbers_.point.begin() + point_size_)) +
           c_table("double", "variances", squares(options.noise)) +
           c_table("double", "process", squares(options.process)) +
           start_table("start_covariance", squares(options.start));
  }

  std::string level_tables() const {
    std::vector<int> rows, columns, states_of, held(states(), 0), free_count, free_columns;
    for (const feedback::FilterLevel& level : numbers_.levels) {
      rows.push_back(static_cast<int>(level.level->rows()));
      columns.push_back(static_cast<int>(level.states.size()));
      const std::vector<std::uint32_t> movable = feedback::movable_columns(*level.level);
      free_count.push_back(static_cast<int>(movable.size()));
      for (std::size_t i = 0; i < columns_; ++i) {
        const bool there = i < level.states.size();
        states_of.push_back(there ? static_cast<int>(level.states[i]) : 0);
        free_columns.push_back(i < movable.size() ? static_cast<int>(movable[i]) : 0);
        if (there) held[level.states[i]] = 1;
      }
    }
    return fmt::format("enum {{ LEVELS = {}, ROWS = {}, COLUMNS = {}, MOST = {} }};\n", rows.size(),
                       rows_, columns_, feedback::most_returns) +
           c_table("int", "level_rows", rows) + c_table("int", "level_columns", columns) +
           c_table("int", "level_states", states_of) + c_table("int", "is_held", held) +
           (extended_ ? c_table("int", "level_free", free_count) +
                            c_table("int", "free_column", free_columns)
                      : "");
  }

  /// Which level: its own function.
  std::string choices(const char* type, const char* name, const char* of, const char* parameters,
                      const char* arguments) const {
    std::string text =
        fmt::format("\nstatic {} {}(int level, const double* p, {}) {{\n", type, name, parameters);
    const bool returns = type == std::string("int");
    if (returns) text += "  (void)level;\n";
    for (std::size_t l = 0; l < numbers_.levels.size(); ++l) {
      const bool last = l + 1 == numbers_.levels.size();
      if (returns)
        text += fmt::format("  {}return {}_{}(p, {});\n",
                            last ? "" : fmt::format("if (level == {}) ", l), of, l, arguments);
      else
        text += fmt::format("  if (level == {}) {}_{}(p, {});\n", l, of, l, arguments);
    }
    return text + "}\n";
  }

  std::string text() {
    std::string text = sizes() + tables() + (constrained() ? level_tables() : "");
    for (const CStraight& straight : functions_) text += straight.text;
    text += point_text;
    text += problem_.linear ? linear_rates_text : newton_rates_text;
    if (constrained()) {
      text += bases_text +
              choices("void", "constraints", "constraints", "double* c, double* j", "c, j");
      text += extended_ ? choices("void", "metric", "metric", "double* w", "w") + masses_text
                        : choices("int", "correction_of", "correction", "double* correction",
                                  "correction");
      text += constrained_text;
    } else {
      text += free_text;
    }
    text += filter_text;
    text += extended_ ? extended_text : unscented_text;
    const feedback::FilterOptions& options = numbers_.options;
    std::map<std::string, std::string> words{
        {"INPUTS_AT", problem_.inputs.rows > 0
                          ? fmt::format("inputs_at(p, p + {});", problem_.first_input)
                          : ""},
        {"GROWTH",
         c_number(feedback::FilterMotion::growth_limit * feedback::FilterMotion::growth_limit)},
        {"SETTLED", c_number(feedback::FilterMotion::settled)},
        {"NEAR", c_number(feedback::near_constraints)},
        {"SUBSTEP", c_number(options.period / options.substeps)},
        {"BEGIN_GUESS", problem_.linear
                            ? ""
                            : "  for (k = 0; k < Z; ++k) e->z[k] = start_point[FIRST_TOP + k];\n"},
        {"TAKE_GUESS",
         problem_.linear ? "" : "  for (k = 0; k < Z; ++k) p[FIRST_TOP + k] = e->z[k];\n"},
        {"KEEP_GUESS",
         problem_.linear ? "" : "  for (k = 0; k < Z; ++k) e->z[k] = p[FIRST_TOP + k];\n"},
        {"REACH", c_number(feedback::difference_reach)}};
    if (!extended_) {
      const feedback::UnscentedWeights w = feedback::unscented_weights(options, directions_);
      words["REACH"] = c_number(w.reach);
      words["MEAN_WEIGHT"] = c_number(w.mean);
      words["COVARIANCE_WEIGHT"] = c_number(w.covariance);
      words["OTHER_WEIGHT"] = c_number(w.other);
      words["POINTS"] = "(2*D + 1)";
    }
    const std::map<std::string, std::string> first{
        {"WITH_PIVOTS", numbers_.motion->solution.empty() ? "" : with_pivots_text}};
    return filled(filled(std::move(text), first), words);
  }

  const feedback::NonlinearFilterNumbers& numbers_;
  const formulate::Problem& problem_;
  bool extended_;
  std::uint32_t point_size_;
  std::size_t rows_ = 0, columns_ = 0, directions_ = 0;
  std::vector<CStraight> functions_;
};

}  // namespace

CNonlinearFilter c_nonlinear_filter(const feedback::NonlinearFilterNumbers& numbers) {
  return NonlinearFilterCode(numbers).made();
}

}  // namespace daedal::emit
