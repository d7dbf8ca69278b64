#include "defect.hpp"

#include "daedal/base/progress.hpp"
#include "parameter_value.hpp"

#include <algorithm>
#include <cmath>

namespace daedal::inversion {

namespace {

/// Of a quantity's nominal size: where it is smaller, it does not make its equation small.
constexpr double small_part = 1e-3;

/// The equations and their linear terms as one kernel over  t | unknowns and derivatives | parameters.
class Equations {
 public:
  Equations(const derive::Dae& dae, const Sampled& rows, const compile::Options& options)
      : dae_(dae), rows_(rows) {
    const model::Model& m = *dae.model;
    layout_.add({expr::time_symbol, 0});
    std::vector<expr::Leaf> parameters;
    for (const expr::Occurrence& o : expr::occurrences(dae.residual)) {
      if (layout_.find(o.leaf) != compile::absent) continue;
      if (m.varies(o.leaf.symbol))
        layout_.add(o.leaf);
      else
        parameters.push_back(o.leaf);
    }
    const std::uint32_t unknowns = layout_.size() - 1;
    layout_.first_parameter = layout_.size();
    for (const expr::Leaf leaf : parameters)
      if (layout_.find(leaf) == compile::absent) layout_.add(leaf);
    terms_ = expr::jacobian(dae.residual, unknowns, [&](expr::Leaf leaf) {
      const std::uint32_t position = layout_.find(leaf);
      return position >= 1 && position <= unknowns ? position - 1 : expr::Family::no_row;
    });
    const expr::Function functions[] = {dae.residual, terms_.values};
    kernel_ = compile::compile(functions, layout_, options);
    values_.resize(kernel_->rows());
    point_.resize(layout_.size());
    for (std::uint32_t p = 1; p < layout_.size(); ++p) {
      const expr::Leaf leaf = layout_.leaf(p);
      if (p >= layout_.first_parameter)
        point_[p] = parameter_value(m, leaf);
      else
        columns_.push_back({*rows.table().find(m.symbols[leaf.symbol].name, 0), leaf.order,
                            small_part * m.symbols[leaf.symbol].nominal}),
            highest_ = std::max<int>(highest_, leaf.order);
    }
    work_ = kernel_->workspace();
    kernel_->prepare(point_.data(), work_);
    size_.resize(dae.equations.size());
    residual_.resize(size_.size());
    at_.resize(size_.size());
  }

  void look_at(double t) {
    const Sampled::Stencil stencil = rows_.stencil(t, t, highest_);
    if (stencil.count <= static_cast<std::size_t>(highest_)) return;
    const double* const row = rows_.times().data() + stencil.first;
    if (t < row[0] || t > row[stencil.count - 1]) return;  // beside a joint: not between rows
    point_[0] = t;
    for (std::size_t k = 0; k < columns_.size(); ++k)
      point_[1 + k] = rows_.table().columns()[columns_[k].column].turned(
          rows_.value(columns_[k].column, stencil, columns_[k].order));
    kernel_->evaluate(point_.data(), values_.data(), work_);
    const double* const term = values_.data() + size_.size();
    for (std::uint32_t i = 0; i < size_.size(); ++i) {
      for (std::uint32_t e = terms_.row_start[i]; e < terms_.row_start[i + 1]; ++e) {
        const std::uint32_t k = terms_.column[e];
        const double leaf = std::max(std::abs(point_[1 + k]), columns_[k].small);
        size_[i] = std::max(size_[i], std::abs(term[e]) * leaf);
      }
      if (!(std::abs(values_[i]) <= residual_[i])) {
        residual_[i] = std::abs(values_[i]);
        at_[i] = t;
      }
    }
    seen_ = true;
  }

  Defect largest() const {
    Defect worst;
    if (!seen_) return worst;
    for (std::size_t i = 0; i < size_.size(); ++i) {
      const double relative = size_[i] > 0 ? residual_[i] / size_[i] : residual_[i];
      if (worst.equation.empty() || !(relative <= worst.largest))
        worst = {relative, dae_.equations[i].name, at_[i]};
    }
    return worst;
  }

 private:
  struct Source {
    std::size_t column = 0;
    int order = 0;
    double small = 0;
  };
  const derive::Dae& dae_;
  const Sampled& rows_;
  compile::Layout layout_;
  expr::SparseFunction terms_;  // d f_i / d leaf
  std::shared_ptr<const compile::Kernel> kernel_;
  compile::Workspace work_;
  std::vector<Source> columns_;
  int highest_ = 0;  // derivative that occurs
  std::vector<double> point_, values_;
  std::vector<double> size_, residual_, at_;  // by equation
  bool seen_ = false;
};

}  // namespace

Defect defect_between_rows(const derive::Dae& dae, const Sampled& rows,
                           const compile::Options& options) {
  Equations equations(dae, rows, options);
  const std::vector<double>& pieces = rows.pieces();
  for (std::size_t k = 0; k + 1 < pieces.size(); ++k) {
    stop_point();
    equations.look_at(0.5 * (pieces[k] + pieces[k + 1]));
  }
  return equations.largest();
}

}  // namespace daedal::inversion
