#include "compile/klu_solver.hpp"

#include "daedal/base/sparsity.hpp"

#include <fmt/format.h>
#include <klu.h>

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
  ~KluSolver() override;
  KluSolver(const KluSolver&) = delete;
  KluSolver& operator=(const KluSolver&) = delete;

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
  // KLU wants compressed columns; these are the rows, so KLU sees the transpose and solves with its transpose.
  std::vector<int> start_, index_;
  bool constant_matrix_;  // depends on parameters alone: factored by prepare()
  std::shared_ptr<const Kernel> matrix_,
      right_hand_side_;  // one kernel for both unless the matrix is constant
  Workspace matrix_work_, right_hand_side_work_;
  std::vector<double> values_;  // matrix | right-hand side
  klu_common common_;
  klu_symbolic* symbolic_ = nullptr;
  klu_numeric* numeric_ = nullptr;
  SolveOutcome factored_;
};

KluSolver::KluSolver(const expr::SparseFunction& matrix, const expr::Function& right_hand_side,
                     const Layout& layout, std::span<const double> sample, const Options& options)
    : size_(matrix.rows),
      start_(matrix.row_start.begin(), matrix.row_start.end()),
      index_(matrix.column.begin(), matrix.column.end()),
      constant_matrix_(depends_on_parameters_only(matrix.values, layout)),
      values_(matrix.column.size() + matrix.rows) {
  if (constant_matrix_) {
    matrix_ = compile(matrix.values, layout, options);
    right_hand_side_ = compile(right_hand_side, layout, options);
    right_hand_side_work_ = right_hand_side_->workspace();
  } else {
    const expr::Function both[] = {matrix.values, right_hand_side};
    matrix_ = compile(both, layout, options);
  }
  matrix_work_ = matrix_->workspace();
  klu_defaults(&common_);
  common_.btf = base::is_structurally_symmetric({start_, index_}) ? 0 : 1;
  symbolic_ = klu_analyze(static_cast<int>(size_), start_.data(), index_.data(), &common_);
  if (!symbolic_) throw std::invalid_argument("the matrix is structurally singular");
  prepare(sample.data());
}

KluSolver::~KluSolver() {
  klu_free_numeric(&numeric_, &common_);
  klu_free_symbolic(&symbolic_, &common_);
}

void KluSolver::prepare(const double* point) {
  matrix_->prepare(point, matrix_work_);
  if (!constant_matrix_) return;
  right_hand_side_->prepare(point, right_hand_side_work_);
  matrix_->evaluate(point, values_.data(), matrix_work_);
  factored_ = factor();
}

SolveOutcome KluSolver::solve(const double* point, double* x) {
  double* const b = values_.data() + index_.size();
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
  klu_tsolve(symbolic_, numeric_, static_cast<int>(size_), 1, x, &common_);
}

SolveOutcome KluSolver::factor() {
  if (numeric_ &&
      klu_refactor(start_.data(), index_.data(), values_.data(), symbolic_, numeric_, &common_)) {
    const SolveOutcome outcome = judge();
    if (outcome.ok && outcome.growth < pivot_growth_limit) return outcome;
  }
  klu_free_numeric(&numeric_, &common_);
  numeric_ = klu_factor(start_.data(), index_.data(), values_.data(), symbolic_, &common_);
  return numeric_ ? judge() : SolveOutcome{false, HUGE_VAL};
}

SolveOutcome KluSolver::judge() {
  if (!klu_rgrowth(start_.data(), index_.data(), values_.data(), symbolic_, numeric_, &common_) ||
      !klu_rcond(symbolic_, numeric_, &common_))
    return {false, HUGE_VAL};
  const bool regular = common_.rcond > std::numeric_limits<double>::epsilon();  // false for NaN
  return {regular && common_.rgrowth > 0, 1 / common_.rgrowth};
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
