// Expressions of a model, its residual, its matrices, its accelerations, as compiled functions of plain numbers.
#pragma once

#include "daedal/compile/kernel.hpp"
#include "daedal/expr/graph.hpp"
#include "daedal/task/model.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace daedal {
inline namespace task {

/// Immutable; called from several threads it evaluates for each of them in turn where it solves equations, else at once. Once it
/// has been called, a call allocates nothing.
class ModelFunction {
 public:
  /// Of what: "residual" of the equations, "mass_matrix", "constraint_jacobian", "accelerations" (with multipliers), or an
  /// expression in the model's language, a number or a vector. Of which arguments, in their order: "t", "x", "x'", "u"; none
  /// named: all that occur. Parameters have their values.
  /// Throws ModelError for faults in the expression, for arguments that are none, and where one that occurs is not named.
  static ModelFunction of(const Model& model, const std::string& what,
                          const std::vector<std::string>& arguments = {});

  const std::vector<std::string>& arguments() const { return arguments_; }
  const std::vector<std::string>& rows() const { return rows_; }
  const std::vector<std::string>& columns() const { return columns_; }  // of a matrix; else empty
  std::size_t size() const { return rows_.size() * (columns_.empty() ? 1 : columns_.size()); }

  /// Of a vector: rows, and the arguments as columns. Throws ModelError for matrices and for what is solved.
  ModelFunction jacobian() const;

  /// values[k * size() ..) at points[k * arguments().size() ..) for k < count. What has no finite value is NaN.
  void evaluate(const double* points, std::size_t count, double* values) const;

 private:
  struct Solved;   // accelerations: a linear system, one at a time
  struct Scratch;  // of calls that run now, and of earlier ones, to be used again

  void take_arguments(const std::vector<std::string>& names);
  void compile();

  std::shared_ptr<const model::Model> model_;
  std::vector<std::string> arguments_, rows_, columns_;
  std::vector<expr::Leaf> leaves_;  // of the arguments
  expr::Function function_;         // its rows are entries
  std::vector<std::size_t> place_;  // of each entry among the values; empty: as they are
  std::vector<double> parameters_;  // after the arguments in a point
  std::shared_ptr<const compile::Kernel> kernel_;
  std::shared_ptr<Solved> solved_;
  std::shared_ptr<Scratch> scratch_;
};

}  // namespace task
}  // namespace daedal
