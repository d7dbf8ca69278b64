// Jets: Taylor coefficients of functions of time, stage by stage [GriewankWalther2008, chapter 13; Pryce2001].
//
// Rows f_i(t, x_j, x_j', ...) of a graph are expanded along x_j(t0 + h) = sum x_j[n] h^n. At stage k = ..., -1, 0, 1, ...
// unknown j has reached its coefficient k + d_j and row i its coefficient k + c_i, with the offsets c, d of the
// Sigma-method (any valid ones will do). Each node is computed once a stage, at the one coefficient some row needs: by a
// convolution over what is known already. From stage 1 on the rows are linear in the tops x_j[k + d_j], so that after a
// solution `correct` updates every node that contains them in constant time.
#pragma once

#include "daedal/expr/graph.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace daedal::compile {

/// 34 digits, for reference computations.
__extension__ using Quad = __float128;

struct JetSpec {
  std::shared_ptr<const expr::Graph> graph;
  std::vector<expr::Expr> rows;
  std::vector<int> c;  // per row, >= 0
  std::vector<expr::SymbolId> unknowns;
  std::vector<int> d;  // per unknown: d_j - c_i >= the order of unknown j in row i
  std::vector<expr::SymbolId> parameters;
  std::vector<std::pair<expr::SymbolId, expr::Expr>> signals;  // known functions of time (inputs)
};

/// The graph in the order of computation; immutable, shared by jets of any precision and order.
class JetProgram;
/// Throws std::invalid_argument when a leaf is neither time, unknown, parameter nor signal, or offsets are not valid.
std::shared_ptr<const JetProgram> make_jet_program(const JetSpec& spec);

/// One expansion with its storage; nothing allocates after construction. T is double or Quad.
template <class T>
class Jet {
 public:
  /// Stages up to `last_stage` >= 0.
  Jet(std::shared_ptr<const JetProgram> program, int last_stage,
      std::span<const double> parameters);
  ~Jet();
  Jet(Jet&&) noexcept;
  Jet& operator=(Jet&&) noexcept;

  int last_stage() const;
  /// The stage at which evaluation begins, <= 0.
  int first_stage() const;

  void set_time(T t);
  /// x_j[n], n <= last_stage + d_j; setting it does not touch the nodes.
  T& coefficient(std::uint32_t unknown, int n) {
    return coefficients_[static_cast<std::size_t>(n) * unknowns_ + unknown];
  }
  T coefficient(std::uint32_t unknown, int n) const {
    return coefficients_[static_cast<std::size_t>(n) * unknowns_ + unknown];
  }

  /// Every node at its coefficient of this stage; the stages before must have been evaluated, with the coefficients
  /// they have now.
  void evaluate(int stage);
  /// Coefficient stage + c_i of row i, after evaluate(stage) and before the next stage; 0 when it is negative.
  T row(std::uint32_t i, int stage) const;
  /// After evaluate(stage), stage >= 1: every x_j[stage + d_j] moves by change[j], and all nodes with it; the rows only
  /// when they are to be looked at `again` in this stage.
  void correct(int stage, const T* change, bool again);

 private:
  struct Storage;
  std::shared_ptr<const JetProgram> program_;
  std::unique_ptr<Storage> storage_;
  T* coefficients_ =
      nullptr;  // coefficient 0 of all unknowns, coefficient 1 of all, ...: in storage_
  std::size_t unknowns_ = 0;
};

extern template class Jet<double>;
extern template class Jet<Quad>;

}  // namespace daedal::compile
