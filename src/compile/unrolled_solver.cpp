#include "compile/unrolled_solver.hpp"

#include "daedal/compile/straight_kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace daedal::compile {
namespace {

using expr::Expr;

// Largest accepted growth of frozen pivots: an elimination loses about log10(growth) of the 16 digits, so 11 remain.
constexpr double growth_limit = 1e5;
// Each order costs a kernel and, where the current one fails, an evaluation. Beyond, the dense LU answers.
constexpr std::size_t most_variants = 6;
// The dense LU that backs it up must stay affordable in time and memory.
constexpr std::uint32_t most_unknowns = 300;
// An order chosen where the matrix is this close to singular would be made of rounding errors.
constexpr double worth_pivoting = 1e-12;

}  // namespace

UnrolledSolver::UnrolledSolver(const expr::SparseFunction& matrix, const Layout& layout,
                               const Options& options, std::uint32_t operation_limit)
    : size_(matrix.rows),
      row_start_(matrix.row_start),
      column_(matrix.column),
      layout_(layout),
      options_(options),
      operation_limit_(operation_limit),
      graph_(std::make_shared<expr::Graph>()),
      dense_(matrix.rows) {}

std::unique_ptr<UnrolledSolver> UnrolledSolver::make(
    const expr::SparseFunction& matrix, const expr::Function& right_hand_side, const Layout& layout,
    std::span<const double> sample, const Options& options, std::uint32_t operation_limit) {
  if (matrix.rows > most_unknowns) return nullptr;
  if (expr::operation_count(matrix.values) + expr::operation_count(right_hand_side) >
      operation_limit)
    return nullptr;
  std::unique_ptr<UnrolledSolver> solver(
      new UnrolledSolver(matrix, layout, options, operation_limit));
  solver->matrix_ = expr::expand(matrix.values, *solver->graph_);
  solver->right_hand_side_ = expr::expand(right_hand_side, *solver->graph_);

  std::vector<Expr> rows = solver->matrix_;
  rows.insert(rows.end(), solver->right_hand_side_.begin(), solver->right_hand_side_.end());
  Options on_tape = options;
  on_tape.backend = Backend::tape;  // used at set-up and where pivots fail only
  solver->assemble_ = std::make_shared<StraightKernel>(
      lower(*solver->graph_, rows, point_source(*solver->graph_, solver->layout_)), on_tape);
  solver->assemble_work_ = solver->assemble_->workspace();
  solver->assembled_.resize(rows.size());
  return solver->fits_at(sample) ? std::move(solver) : nullptr;
}

// Where the sample itself is singular, the first regular point will choose the pivots; until then the LU is dense.
bool UnrolledSolver::fits_at(std::span<const double> sample) {
  assemble_->prepare(sample.data(), assemble_work_);
  assemble_->evaluate(sample.data(), assembled_.data(), assemble_work_);
  const bool regular = dense_.factor(row_start_, column_, assembled_.data());
  return !regular || add_variant(sample.data());
}

// Which nodes depend on parameters alone, extended as the graph grows.
std::function<bool(Expr)> UnrolledSolver::fixed_test(const expr::Graph& graph) const {
  return [this, &graph, fixed = std::vector<bool>()](Expr e) mutable {
    for (auto id = static_cast<std::uint32_t>(fixed.size()); id <= e.id; ++id) {
      const expr::Node& node = graph.node({id});
      bool all =
          node.op != expr::Op::leaf || layout_.find(graph.leaf_of({id})) >= layout_.first_parameter;
      const std::uint32_t children[] = {node.a, node.b, node.c};
      for (int k = 0; k < arity(node.op); ++k) all = all && fixed[children[k]];
      fixed.push_back(all);
    }
    return static_cast<bool>(fixed[e.id]);
  };
}

// Needs the matrix at `point` in assembled_.
bool UnrolledSolver::add_variant(const double* point) {
  expr::Graph graph(graph_);
  const SymbolicSystem system{
      size_,   row_start_,       column_,
      matrix_, right_hand_side_, std::span(assembled_).first(column_.size())};
  const std::optional<Elimination> elimination =
      eliminate(graph, system, fixed_test(graph), operation_limit_);
  if (!elimination) return false;

  std::vector<Expr> rows = elimination->solution;
  rows.push_back(elimination->monitor);
  if (options_.keep_factors)
    rows.insert(rows.end(), elimination->factors.begin(), elimination->factors.end());
  auto variant = std::make_unique<Variant>();
  variant->kernel =
      std::make_shared<StraightKernel>(lower(graph, rows, point_source(graph, layout_)), options_);
  variant->work = variant->kernel->workspace();
  variant->rows.resize(rows.size());
  variant->kernel->prepare(point, variant->work);

  if (options_.keep_factors) {
    variant->factors = static_cast<std::uint32_t>(elimination->factors.size());
    expr::Graph substitution;
    const std::vector<Expr> x = resolve_solution(*elimination, graph, substitution);
    Layout inputs;
    for (std::uint32_t k = 0; k < variant->factors + size_; ++k) inputs.add({k, 0});
    variant->resolve = std::make_shared<StraightKernel>(
        lower(substitution, x, point_source(substitution, inputs)), options_);
    variant->resolve_work = variant->resolve->workspace();
    variant->rows.resize(rows.size() + size_);
  }
  variants_.push_back(std::move(variant));
  current_ = variants_.size() - 1;
  return true;
}

void UnrolledSolver::prepare(const double* point) {
  assemble_->prepare(point, assemble_work_);
  for (const auto& variant : variants_) variant->kernel->prepare(point, variant->work);
}

bool UnrolledSolver::evaluate(Variant& variant, const double* point, SolveOutcome& outcome) {
  variant.kernel->evaluate(point, variant.rows.data(), variant.work);
  const double monitor = variant.rows[size_];
  outcome = {true, std::sqrt(monitor)};
  return monitor < growth_limit * growth_limit;  // false for NaN
}

SolveOutcome UnrolledSolver::solve(const double* point, double* x) {
  SolveOutcome outcome;
  if (variants_.empty() ||
      !(evaluate(*variants_[current_], point, outcome) || try_other_variants(point, outcome)))
    return solve_afresh(point, x);
  std::copy_n(variants_[current_]->rows.data(), size_, x);
  last_was_dense_ = false;
  return outcome;
}

bool UnrolledSolver::try_other_variants(const double* point, SolveOutcome& outcome) {
  for (std::size_t i = 0; i < variants_.size(); ++i) {
    if (i == current_ || !evaluate(*variants_[i], point, outcome)) continue;
    current_ = i;
    return true;
  }
  return false;
}

SolveOutcome UnrolledSolver::solve_afresh(const double* point, double* x) {
  assemble_->evaluate(point, assembled_.data(), assemble_work_);
  last_was_dense_ = true;
  dense_is_regular_ = dense_.factor(row_start_, column_, assembled_.data());
  if (!dense_is_regular_) return {false, HUGE_VAL};
  dense_.solve(assembled_.data() + column_.size(), x);
  if (variants_.size() < most_variants && dense_.reciprocal_condition() > worth_pivoting)
    add_variant(point);
  return {true, 1};
}

void UnrolledSolver::resolve(const double* b, double* x) {
  if (last_was_dense_ && !dense_is_regular_)
    throw std::logic_error("resolve() after a singular matrix");
  if (last_was_dense_) return dense_.solve(b, x);
  if (!options_.keep_factors) throw std::logic_error("resolve() needs Options::keep_factors");
  Variant& variant = *variants_[current_];
  double* const factors = variant.rows.data() + size_ + 1;
  std::copy_n(b, size_, factors + variant.factors);
  variant.resolve->evaluate(factors, x, variant.resolve_work);
}

bool UnrolledSolver::wait_native() const {
  bool native = !variants_.empty();
  for (const auto& variant : variants_) {
    native = variant->kernel->wait_native() && native;
    if (variant->resolve) native = variant->resolve->wait_native() && native;
  }
  return native;
}

std::string UnrolledSolver::describe() const {
  if (variants_.empty()) return fmt::format("dense LU, {} unknowns", size_);
  return fmt::format("unrolled, {} operations", variants_[current_]->kernel->operations());
}

}  // namespace daedal::compile
