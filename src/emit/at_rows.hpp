// Expressions of a model, evaluated at the rows of a trajectory.
#pragma once

#include "daedal/base/table.hpp"
#include "daedal/compile/kernel.hpp"
#include "daedal/model/model.hpp"

#include <memory>
#include <vector>

namespace daedal::emit {

class AtRows {
 public:
  /// The first column is the time. Leaves that are neither columns of the table nor parameters nor lifted positions are NaN.
  AtRows(const model::Model& model, const Table& rows, const std::vector<expr::Expr>& values);

  std::size_t width() const { return kernel_ == nullptr ? 0 : kernel_->rows(); }
  void evaluate(std::size_t row, double* values);

 private:
  const Table& rows_;
  std::vector<std::pair<std::uint32_t, std::size_t>> columns_;  // position in the point, column
  std::vector<double> point_;
  std::shared_ptr<const compile::Kernel> kernel_;
  compile::Workspace work_;
};

}  // namespace daedal::emit
