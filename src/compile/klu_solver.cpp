#include "compile/klu_solver.hpp"

#include "daedal/compile/klu.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

namespace daedal::compile {
namespace {

// Growth of frozen pivots above which they are chosen again (see growth_limit of the unrolled solver).
constexpr double pivot_growth_limit = 1e5;

bool depends_on_parameters_only(const expr::Function& f, const Layout& layout) {
  const std::vector<expr::Occurrence> all = expr::occurrences(f);
  return std::all_of(all.begin(), all.end(), [&](const expr::Occurrence& o) {
    return layout.find(o.leaf) >= layout.first_parameter;
  });
}

class KluSolver final : public LinearSolver {
 public:
  KluSolver(const expr::SparseFunction& matrix, const expr::Function& right_hand_side,
            const Layout& layout, std::span<const double> sample, const Options& options);

  std::uint32_t size() const override { return size_; }
  void prepare(const double* point) override;
  SolveOutcome solve(const double* point, double* x) override;
  void resolve(const double* b, double* x) override;
  bool wait_native() const override;
  std::string describe() const override;

 private:
  SolveOutcome factor();
  SolveOutcome judge();

  std::uint32_t size_;
  bool constant_matrix_;  // depends on parameters alone: factored by prepare()
  std::shared_ptr<const Kernel> matrix_,
      right_hand_side_;  // one kernel for both unless the matrix is constant
  Workspace matrix_work_, right_hand_side_work_;
  std::vector<double> values_;  // matrix | right-hand side
  // KLU wants compressed columns; these are the rows, so KLU sees the transpose and solves with its transpose.
  Klu transpose_;
  SolveOutcome factored_;
};

KluSolver::KluSolver(const expr::SparseFunction& matrix, const expr::Function& right_hand_side,
                     const Layout& layout, std::span<const double> sample, const Options& options)
    : size_(matrix.rows),
      constant_matrix_(depends_on_parameters_only(matrix.values, layout)),
      values_(matrix.entries() + matrix.rows),
      transpose_({{matrix.row_start.begin(), matrix.row_start.end()},
                  {matrix.column.begin(), matrix.column.end()}}) {
  if (constant_matrix_) {
    matrix_ = compile(matrix.values, layout, options);
    right_hand_side_ = compile(right_hand_side, layout, options);
    right_hand_side_work_ = right_hand_side_->workspace();
  } else {
    const expr::Function both[] = {matrix.values, right_hand_side};
    matrix_ = compile(both, layout, options);
  }
  matrix_work_ = matrix_->workspace();
  if (transpose_.structurally_singular())
    throw std::invalid_argument("the matrix is structurally singular");
  prepare(sample.data());
}

void KluSolver::prepare(const double* point) {
  matrix_->prepare(point, matrix_work_);
  if (!constant_matrix_) return;
  right_hand_side_->prepare(point, right_hand_side_work_);
  matrix_->evaluate(point, values_.data(), matrix_work_);
  factored_ = factor();
}

SolveOutcome KluSolver::solve(const double* point, double* x) {
  double* const b = values_.data() + values_.size() - size_;
  if (constant_matrix_) {
    right_hand_side_->evaluate(point, b, right_hand_side_work_);
  } else {
    matrix_->evaluate(point, values_.data(), matrix_work_);
    factored_ = factor();
  }
  if (factored_.ok) resolve(b, x);
  return factored_;
}

void KluSolver::resolve(const double* b, double* x) {
  if (!factored_.ok) throw std::logic_error("resolve() after a singular matrix");
  std::copy_n(b, size_, x);
  transpose_.solve_transposed(x);
}

SolveOutcome KluSolver::factor() {
  if (transpose_.refactor(values_.data())) {
    const SolveOutcome outcome = judge();
    if (outcome.ok && outcome.growth < pivot_growth_limit) return outcome;
  }
  return transpose_.factor(values_.data()) ? judge() : SolveOutcome{false, HUGE_VAL};
}

SolveOutcome KluSolver::judge() {
  const bool regular =
      transpose_.pivot_ratio() > std::numeric_limits<double>::epsilon();  // false for NaN
  const double growth = transpose_.reciprocal_growth(values_.data());
  return {regular && growth > 0, 1 / growth};
}

bool KluSolver::wait_native() const {
  const bool native = matrix_->wait_native();
  return right_hand_side_ ? right_hand_side_->wait_native() && native : native;
}

std::string KluSolver::describe() const { return fmt::format("KLU, {} unknowns", size_); }

}  // namespace

std::unique_ptr<LinearSolver> make_klu_solver(const expr::SparseFunction& matrix,
                                              const expr::Function& right_hand_side,
                                              const Layout& layout, std::span<const double> sample,
                                              const Options& options) {
  return std::make_unique<KluSolver>(matrix, right_hand_side, layout, sample, options);
}

}  // namespace daedal::compile
