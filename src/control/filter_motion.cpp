#include "daedal/control/filter_motion.hpp"

#include "daedal/base/lu.hpp"
#include "daedal/compile/elimination.hpp"
#include "daedal/compile/straight_kernel.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace daedal::feedback {

namespace {

using expr::Expr;

// As the solvers of module compile: what is larger is assembled and factored there.
constexpr std::uint32_t most_operations = 20000;

std::vector<Expr> joined(std::vector<Expr> first, const std::vector<Expr>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

/// Whether an expression depends on parameters alone, extended as the graph grows.
std::function<bool(Expr)> fixed_test(const expr::Graph& graph, const compile::Layout& layout) {
  return [&graph, &layout, fixed = std::vector<bool>()](Expr e) mutable {
    for (auto id = static_cast<std::uint32_t>(fixed.size()); id <= e.id; ++id) {
      const expr::Node& node = graph.node({id});
      bool all =
          node.op != expr::Op::leaf || layout.find(graph.leaf_of({id})) >= layout.first_parameter;
      const std::uint32_t children[] = {node.a, node.b, node.c};
      for (int k = 0; k < arity(node.op); ++k) all = all && fixed[children[k]];
      fixed.push_back(all);
    }
    return static_cast<bool>(fixed[e.id]);
  };
}

/// A kernel with its scratch.
struct Straight {
  Straight(const expr::Graph& graph, std::span<const Expr> roots, const compile::Layout& layout,
           const double* point, compile::Backend backend)
      : kernel(compile::lower(graph, roots, compile::point_source(graph, layout)), {backend}),
        work(kernel.workspace()),
        rows(roots.size()) {
    kernel.prepare(point, work);
  }
  const std::vector<double>& operator()(const double* point) {
    kernel.evaluate(point, rows.data(), work);
    return rows;
  }
  compile::StraightKernel kernel;
  compile::Workspace work;
  std::vector<double> rows;
};

Eigen::MatrixXd matrix_of(const formulate::Problem& problem, std::uint32_t size,
                          std::span<const double> entries) {
  const auto n = static_cast<Eigen::Index>(size);
  Eigen::MatrixXd a = Eigen::MatrixXd::Zero(n, n);
  const expr::SparseFunction& pattern = problem.top_matrix;
  for (std::uint32_t i = 0; i < size; ++i)
    for (std::uint32_t k = pattern.row_start[i]; k < pattern.row_start[i + 1]; ++k)
      if (pattern.column[k] < size)
        a(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(pattern.column[k])) = entries[k];
  return a;
}

bool is_regular(const formulate::Problem& problem, std::uint32_t size,
                std::span<const double> entries) {
  Eigen::MatrixXd a = matrix_of(problem, size, entries);
  Eigen::VectorXd b = Eigen::VectorXd::Zero(a.rows());
  return solve_scaled(a, b);
}

}  // namespace

std::optional<FilterMotion> filter_motion(const formulate::Problem& problem,
                                          std::span<const double> point) {
  const expr::SparseFunction& matrix = problem.top_matrix;
  const expr::Function& right = problem.linear ? problem.right_hand_side : problem.residual;
  if (expr::operation_count(matrix.values) + expr::operation_count(right) > most_operations)
    return std::nullopt;
  auto graph = std::make_shared<expr::Graph>();
  FilterMotion motion;
  motion.size = problem.has_work ? problem.tops - 1 : problem.tops;
  motion.matrix = expr::expand(matrix.values, *graph);
  motion.right_hand_side = expr::expand(right, *graph);
  const std::vector<double> sample = Straight(*graph, motion.matrix, problem.layout, point.data(),
                                              compile::Backend::tape)(point.data());
  if (std::ranges::all_of(sample, [](double entry) { return std::isfinite(entry); })) {
    const compile::SymbolicSystem system{matrix.rows,   matrix.row_start,       matrix.column,
                                         motion.matrix, motion.right_hand_side, sample};
    std::optional<compile::Elimination> elimination =
        compile::eliminate(*graph, system, fixed_test(*graph, problem.layout), most_operations);
    if (!elimination && is_regular(problem, motion.size, sample)) return std::nullopt;
    if (elimination) {
      motion.solution = std::move(elimination->solution);
      motion.solution.resize(motion.size);
      motion.monitor = elimination->monitor;
    }
  }
  motion.graph = std::move(graph);
  return motion;
}

struct MotionSolver::Kernels {
  Kernels(const formulate::Problem& problem, const FilterMotion& motion, const double* point)
      : assembled(*motion.graph, joined(motion.matrix, motion.right_hand_side), problem.layout,
                  point, compile::Backend::tape) {
    if (!motion.solution.empty())
      solved.emplace(*motion.graph, joined(motion.solution, {motion.monitor}), problem.layout,
                     point, compile::Backend::automatic);
  }
  Straight assembled;  // rarely evaluated
  std::optional<Straight> solved;
};

MotionSolver::MotionSolver(const formulate::Problem& problem, const FilterMotion& motion,
                           const double* point)
    : problem_(problem),
      size_(motion.size),
      kernels_(std::make_unique<Kernels>(problem, motion, point)),
      z_(motion.size) {}

MotionSolver::~MotionSolver() = default;

bool MotionSolver::solve(const double* point, double* z) {
  constexpr double limit = FilterMotion::growth_limit * FilterMotion::growth_limit;
  if (kernels_->solved) {
    const std::vector<double>& rows = (*kernels_->solved)(point);
    if (rows[size_] < limit) {  // not when it is not a number
      std::copy_n(rows.data(), size_, z);
      return true;
    }
  }
  return solve_with_exchanges(point, z);
}

bool MotionSolver::solve_with_exchanges(const double* point, double* z) {
  const std::vector<double>& rows = kernels_->assembled(point);
  Eigen::MatrixXd a = matrix_of(problem_, size_, rows);
  Eigen::VectorXd b(a.rows());
  for (std::uint32_t i = 0; i < size_; ++i)
    b[static_cast<Eigen::Index>(i)] = rows[problem_.top_matrix.column.size() + i];
  if (!solve_scaled(a, b)) return false;
  std::copy_n(b.data(), size_, z);
  return true;
}

solve::Failure MotionSolver::operator()(double* point) {
  double* const z = point + problem_.top_position(0);
  if (problem_.linear)
    return solve(point, z) ? solve::Failure::none : solve::Failure::singular_matrix;
  for (int iteration = 0; iteration < FilterMotion::most_iterations; ++iteration) {
    if (!solve(point, z_.data())) return solve::Failure::singular_matrix;
    double correction = 0, size = 1;
    for (std::uint32_t i = 0; i < size_; ++i) {
      z[i] -= z_[i];
      correction = std::max(correction, std::abs(z_[i]));
      size = std::max(size, std::abs(z[i]));
    }
    if (!std::isfinite(correction) || !std::isfinite(size)) break;
    if (correction <= FilterMotion::settled * size) return solve::Failure::none;
  }
  return solve::Failure::newton_diverged;
}

}  // namespace daedal::feedback
