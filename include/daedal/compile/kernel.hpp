// Kernels: Functions compiled for repeated evaluation at a point.
//
// A point is one flat array: every leaf (t, states, top derivatives, inputs with their derivatives, parameters) has a
// place in it, given by the Layout. A kernel reads a point and writes rows. It is immutable and may be shared between
// threads; scratch lives in a Workspace, one per thread, and nothing allocates after it exists.
//
// Every back end (level-grouped tape, LLVM JIT, vector lanes) performs the same IEEE operations in the graph's order, so
// a kernel may change its back end between two calls without changing a bit of the result.
#pragma once

#include "daedal/expr/graph.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace daedal::compile {

inline constexpr std::uint32_t absent = 0xffffffff;

class Layout {
 public:
  /// Appends a leaf and returns its position.
  std::uint32_t add(expr::Leaf leaf);
  std::uint32_t find(expr::Leaf leaf) const;  // `absent` when the leaf has no place
  std::uint32_t size() const { return static_cast<std::uint32_t>(leaves_.size()); }
  expr::Leaf leaf(std::uint32_t position) const { return leaves_[position]; }
  /// Positions at or above this one hold values that change only with the parameters (parameters themselves): what
  /// depends on them alone is computed once, by Kernel::prepare.
  std::uint32_t first_parameter = absent;

 private:
  std::vector<expr::Leaf> leaves_;
  std::unordered_map<std::uint64_t, std::uint32_t> position_;
};

enum class Backend {
  tape,
  native,
  automatic
};  // automatic: tape at once, native code when it is ready

struct Options {
  Backend backend = Backend::automatic;
  std::uint64_t expand_limit =
      4000;  // operations up to which a Function is written out as one straight line
  std::uint32_t chunk =
      250;  // operations per native function above 2000 in all: compile time explodes otherwise
  bool keep_factors = true;  // solvers: store the factors, so that resolve() works
};

/// Scratch of one thread for one kernel: created by Kernel::workspace(), never resized.
class Workspace {
 public:
  std::vector<double> values;  // back end's registers and lanes, parameter-only values first
};

class Kernel {
 public:
  virtual ~Kernel() = default;
  virtual std::uint32_t rows() const = 0;
  virtual Workspace workspace() const = 0;
  /// Computes what depends on parameters alone; call once per workspace and again when parameters in the point change.
  virtual void prepare(const double* point, Workspace& work) const = 0;
  /// rows[0 .. rows()) = function at point.
  virtual void evaluate(const double* point, double* rows, Workspace& work) const = 0;
  /// Which back end runs now: Backend::tape or Backend::native.
  virtual Backend running() const = 0;
  /// Waits until background compilation is done (tests, benchmarks); false when there is no native back end.
  virtual bool wait_native() const = 0;
  virtual std::uint64_t operations() const = 0;
};

/// Every leaf must have a place in the layout (std::invalid_argument otherwise).
std::shared_ptr<const Kernel> compile(const expr::Function& f, const Layout& layout,
                                      const Options& options = {});
/// The rows of several Functions one after another in one kernel (shared subexpressions are computed once).
std::shared_ptr<const Kernel> compile(std::span<const expr::Function> functions,
                                      const Layout& layout, const Options& options = {});

// ---- linear systems

/// Solves A(point) x = b(point). Small or sparse systems: the elimination is unrolled into the kernel with a pivot order
/// chosen at a sample point; larger ones: KLU on the assembled matrix, its symbolic analysis done once. A's entries that
/// are parameters only are factored once.
struct SolveOutcome {
  bool ok = true;
  double growth =
      1;  // of multipliers and pivots against the sample point; bounded, else the pivots are chosen again
};
class LinearSolver {
 public:
  virtual ~LinearSolver() = default;
  virtual std::uint32_t size() const = 0;
  virtual void prepare(const double* point) = 0;  // parameters changed
  /// x[0..size()); re-pivots when the frozen pivots grow; ok = false when the matrix is singular to rounding (or not
  /// finite), and x is then unchanged.
  virtual SolveOutcome solve(const double* point, double* x) = 0;
  /// Solves A x = b with the matrix of the last solve(), which must have been ok, and another right-hand side.
  virtual void resolve(const double* b, double* x) = 0;
  virtual bool wait_native() const = 0;
  /// How it works, for reports: "unrolled, 412 operations", "KLU, 5000 unknowns".
  virtual std::string describe() const = 0;
};
/// One solver per thread (it owns its scratch). `sample` is a point where the matrix is representative.
std::unique_ptr<LinearSolver> compile_solver(const expr::SparseFunction& matrix,
                                             const expr::Function& right_hand_side,
                                             const Layout& layout, std::span<const double> sample,
                                             const Options& options = {});

/// The step of Newton's method in one call: x = -J(point)^-1 r(point).
std::unique_ptr<LinearSolver> compile_newton(const expr::Function& residual,
                                             const expr::SparseFunction& jacobian,
                                             const Layout& layout, std::span<const double> sample,
                                             const Options& options = {});

}  // namespace daedal::compile
