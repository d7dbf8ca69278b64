// A x = b with the elimination written into the kernel (see elimination.hpp).
//
// One unrolled kernel holds one order of pivots. A crank that turns makes every frozen order bad somewhere, so the solver
// keeps a few of them: when the current one grows, the others are tried, then a new one is made at the very point that
// failed. The call that finds no good order is answered by a dense LU with partial pivoting, which also decides whether
// the matrix is singular. So an answer is either backed by a bounded growth or by a fresh factorisation.
#pragma once

#include "compile/scaled_lu.hpp"
#include "daedal/compile/elimination.hpp"
#include "daedal/compile/kernel.hpp"

#include <memory>
#include <vector>

namespace daedal::compile {

class UnrolledSolver final : public LinearSolver {
 public:
  /// Nothing when the written-out system would exceed `operation_limit` operations.
  static std::unique_ptr<UnrolledSolver> make(const expr::SparseFunction& matrix,
                                              const expr::Function& right_hand_side,
                                              const Layout& layout, std::span<const double> sample,
                                              const Options& options,
                                              std::uint32_t operation_limit);

  std::uint32_t size() const override { return size_; }
  void prepare(const double* point) override;
  SolveOutcome solve(const double* point, double* x) override;
  void resolve(const double* b, double* x) override;
  bool wait_native() const override;
  std::string describe() const override;

 private:
  // One order of pivots. The kernel writes x | monitor | factors; resolve() puts b after them and reads factors | b.
  struct Variant {
    std::shared_ptr<const Kernel> kernel, resolve;
    Workspace work, resolve_work;
    std::vector<double> rows;
    std::uint32_t factors = 0;
  };

  UnrolledSolver(const expr::SparseFunction& matrix, const Layout& layout, const Options& options,
                 std::uint32_t operation_limit);
  bool fits_at(std::span<const double> sample);
  bool add_variant(const double* point);
  std::function<bool(expr::Expr)> fixed_test(const expr::Graph& graph) const;
  bool evaluate(Variant& variant, const double* point, SolveOutcome& outcome);
  bool try_other_variants(const double* point, SolveOutcome& outcome);
  SolveOutcome solve_afresh(const double* point, double* x);

  std::uint32_t size_;
  std::vector<std::uint32_t> row_start_, column_;
  Layout layout_;
  Options options_;
  std::uint32_t operation_limit_;
  std::shared_ptr<expr::Graph> graph_;
  std::vector<expr::Expr> matrix_, right_hand_side_;
  std::shared_ptr<const Kernel> assemble_;  // matrix values | right-hand side
  Workspace assemble_work_;
  std::vector<double> assembled_;
  std::vector<std::unique_ptr<Variant>> variants_;
  std::size_t current_ = 0;
  ScaledLu dense_;
  bool last_was_dense_ = false, dense_is_regular_ = false;
};

}  // namespace daedal::compile
