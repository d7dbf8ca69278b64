// See second_order_form.hpp. The point is that of the problem: t | states | tops | signals | parameters.
#include "daedal/boundary/second_order_form.hpp"

#include "daedal/system/evaluation.hpp"
#include "daedal/system/point.hpp"

#include <algorithm>
#include <map>

namespace daedal::boundary {

namespace {

expr::SparseFunction derivative(const derive::Dae& dae,
                                const std::map<expr::SymbolId, std::uint32_t>& number, int order) {
  return expr::jacobian(
      dae.residual, static_cast<std::uint32_t>(dae.unknowns.size()), [&](expr::Leaf leaf) {
        const auto found = number.find(leaf.symbol);
        return leaf.order == order && found != number.end() ? found->second : expr::Family::no_row;
      });
}

bool lies_in_layout(const derive::Dae& dae, const compile::Layout& layout,
                    const std::map<expr::SymbolId, std::uint32_t>& number) {
  bool all = true;
  // asks for every leaf of the residual once; the derivative itself is not wanted
  expr::jacobian(dae.residual, 1, [&](expr::Leaf leaf) {
    all = all && layout.find(leaf) != compile::absent &&
          (leaf.order < SecondOrderForm::orders || !number.contains(leaf.symbol));
    return expr::Family::no_row;
  });
  return all;
}

}  // namespace

struct SecondOrderForm::Kernels {
  solve::Evaluation residual, linearised;
};

std::unique_ptr<SecondOrderForm> SecondOrderForm::make(const formulate::Problem& problem,
                                                       const compile::Options& options) {
  const derive::Dae& dae = *problem.dae;
  std::map<expr::SymbolId, std::uint32_t> number;
  for (std::uint32_t j = 0; j < dae.unknowns.size(); ++j) number[dae.unknowns[j]] = j;
  if (problem.lifted > 0 || !problem.auxiliaries.empty() ||
      !lies_in_layout(dae, problem.layout, number))
    return nullptr;
  std::unique_ptr<SecondOrderForm> form(new SecondOrderForm(problem, options));
  if (form->core_unknowns_.empty()) return nullptr;
  return form;
}

SecondOrderForm::SecondOrderForm(const formulate::Problem& problem, const compile::Options& options)
    : problem_(problem), point_(solve::empty_point(problem)) {
  const derive::Dae& dae = *problem.dae;
  std::map<expr::SymbolId, std::uint32_t> number;
  for (std::uint32_t j = 0; j < dae.unknowns.size(); ++j) {
    number[dae.unknowns[j]] = j;
    std::array<std::uint32_t, orders> at{};
    for (std::uint16_t k = 0; k < orders; ++k) at[k] = problem.layout.find({dae.unknowns[j], k});
    position_.push_back(at);
    nominal_.push_back(solve::nominal_at(problem, at[0]));
  }
  std::vector<expr::Function> linearised{dae.residual};
  order_.assign(position_.size(), 0);
  for (int k = 0; k < orders; ++k) {
    const expr::SparseFunction matrix = derivative(dae, number, k);
    pattern_[static_cast<std::size_t>(k)] = {matrix.rows, matrix.columns, matrix.row_start,
                                             matrix.column};
    for (const std::uint32_t j : matrix.column) order_[j] = std::max(order_[j], k);
    linearised.push_back(matrix.values);
  }
  find_core();
  const compile::Layout& layout = problem.layout;
  kernels_ = std::make_unique<Kernels>(
      Kernels{{dae.residual, layout, point_.data(), options},
              {std::span<const expr::Function>(linearised), layout, point_.data(), options}});
}

SecondOrderForm::~SecondOrderForm() = default;

/// Equations with one unknown and unknowns in one equation are taken away until none is left.
void SecondOrderForm::find_core() {
  const std::uint32_t n = unknowns();
  std::vector<bool> equation_left(n, true), unknown_left(n, true);
  const auto occurs = [&](std::uint32_t i, std::uint32_t j) {
    return std::any_of(pattern_.begin(), pattern_.end(), [&](const solve::SparsePattern& p) {
      return std::binary_search(p.column.begin() + p.row_start[i],
                                p.column.begin() + p.row_start[i + 1], j);
    });
  };
  const auto only = [&](std::uint32_t& found, auto&& is_there) {
    std::uint32_t count = 0;
    for (std::uint32_t k = 0; k < n; ++k)
      if (is_there(k)) found = k, ++count;
    return count == 1;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (std::uint32_t i = 0; i < n; ++i) {
      std::uint32_t j = 0;
      if (!equation_left[i] ||
          !only(j, [&](std::uint32_t k) { return unknown_left[k] && occurs(i, k); }))
        continue;
      const solve::SparsePattern &rates = pattern_[1], &accelerations = pattern_[2];
      if (rates.row_start[i] != rates.row_start[i + 1] ||
          accelerations.row_start[i] != accelerations.row_start[i + 1])
        continue;  // no value at a node, but a differential equation
      equation_left[i] = unknown_left[j] = false;
      fixed_.push_back({j, i});
      changed = true;
    }
    for (std::uint32_t j = 0; j < n; ++j) {
      std::uint32_t i = 0;
      if (!unknown_left[j] || order_[j] > 0 ||
          !only(i, [&](std::uint32_t k) { return equation_left[k] && occurs(k, j); }))
        continue;
      equation_left[i] = unknown_left[j] = false;
      followers_.push_back({j, i});
      changed = true;
    }
  }
  std::reverse(followers_.begin(), followers_.end());  // the last one taken knows all the others
  for (std::uint32_t k = 0; k < n; ++k) {
    if (equation_left[k]) core_equations_.push_back(k);
    if (unknown_left[k]) core_unknowns_.push_back(k);
  }
}

bool SecondOrderForm::is_rate(std::uint32_t signal) const {
  return signal > 0 && problem_.layout.leaf(problem_.first_input + signal - 1).order > 0;
}

std::size_t SecondOrderForm::values() const {
  return unknowns() + pattern_[0].entries() + pattern_[1].entries() + pattern_[2].entries();
}

const double* SecondOrderForm::point_at(const double* w, const double* const y[orders]) {
  point_[0] = w[0];
  for (std::size_t j = 0; j < position_.size(); ++j)
    for (int k = 0; k <= order_[j]; ++k)
      point_[position_[j][static_cast<std::size_t>(k)]] = y[k][j];
  std::copy_n(w + 1, problem_.inputs.rows, point_.data() + problem_.first_input);
  return point_.data();
}

void SecondOrderForm::linearise(const double* w, const double* const y[orders], double* values) {
  kernels_->linearised(point_at(w, y), values);
}

void SecondOrderForm::residual(const double* w, const double* const y[orders], double* r) {
  kernels_->residual(point_at(w, y), r);
}

void SecondOrderForm::wait_native() const {
  kernels_->residual.kernel().wait_native();
  kernels_->linearised.kernel().wait_native();
}

void SecondOrderForm::to_point(const double* const y[orders], double* states, double* tops) const {
  for (std::size_t j = 0; j < position_.size(); ++j)
    for (std::size_t k = 0; k < orders; ++k)
      if (const std::uint32_t at = position_[j][k]; at != compile::absent) {
        if (at <= problem_.states)
          states[at - 1] = y[k][j];
        else
          tops[at - 1 - problem_.states] = y[k][j];
      }
}

void SecondOrderForm::rates_from_point(const double* states, const double* tops,
                                       double* rates) const {
  for (std::size_t j = 0; j < position_.size(); ++j) {
    const std::uint32_t at = position_[j][1];
    rates[j] = order_[j] == 0          ? 0
               : at <= problem_.states ? states[at - 1]
                                       : tops[at - 1 - problem_.states];
  }
}

void SecondOrderForm::from_point(const double* states, const double* tops, double* y) const {
  for (std::size_t j = 0; j < position_.size(); ++j) {
    const std::uint32_t at = position_[j][0];
    y[j] = at <= problem_.states ? states[at - 1] : tops[at - 1 - problem_.states];
  }
}

}  // namespace daedal::boundary
