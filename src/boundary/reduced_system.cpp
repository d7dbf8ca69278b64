// See daedal/boundary/reduced_system.hpp. The point is laid out as t | states | tops | signals | parameters.
#include "daedal/boundary/reduced_system.hpp"

#include "daedal/base/diagnostic.hpp"
#include "daedal/system/evaluation.hpp"
#include "daedal/system/point.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace daedal::boundary {

namespace {

/// The rows of all levels below the tops, lowest first.
expr::Function all_levels(const formulate::Problem& problem) {
  expr::Function levels;
  for (const formulate::Level& level : problem.levels) levels.rows += level.rows();
  std::uint32_t first = 0;
  for (const formulate::Level& level : problem.levels) {
    std::vector<std::uint32_t> to(level.rows());
    for (std::uint32_t& row : to) row = first++;
    levels = expr::sum(levels, expr::select_rows(level.residual, to, levels.rows));
  }
  return levels;
}

}  // namespace

struct InverseSystem::Kernels {
  solve::Evaluation residual, linearised;
  std::unique_ptr<solve::Evaluation> desired, levels;
};

InverseSystem::InverseSystem(const formulate::Problem& problem, const compile::Options& options)
    : problem_(problem), next_(problem.next), point_(solve::empty_point(problem)) {
  if (!problem.written_out) {
    const int most = *std::max_element(problem.c.begin(), problem.c.end());
    throw ModelError({Severity::error,
                      problem.dae->model->place,
                      fmt::format("model '{}': its equations are differentiated {} times, at most "
                                  "two in a stable inversion",
                                  problem.dae->model->name, most),
                      {},
                      "an input nearer to the output (the velocity or position of a drive instead "
                      "of its force) needs fewer"});
  }
  for (std::uint32_t& position : next_) position -= 1;  // the point begins with t
  for (std::uint32_t i = 0; i < problem.states; ++i)
    nominal_.push_back(solve::nominal_at(problem, problem.state_position(i)));
  const formulate::ImplicitForm form = formulate::implicit_form(problem);
  state_pattern_ = form.state_matrix;
  top_pattern_ = form.top_matrix;
  const expr::Function linearised[] = {form.residual, form.state_matrix.values,
                                       form.top_matrix.values};
  const compile::Layout& layout = problem.layout;
  kernels_ = std::make_unique<Kernels>(
      Kernels{{form.residual, layout, point_.data(), options},
              {std::span<const expr::Function>(linearised), layout, point_.data(), options},
              nullptr,
              nullptr});
  if (problem.inputs.rows > 0)
    kernels_->desired =
        std::make_unique<solve::Evaluation>(problem.inputs, layout, point_.data(), options);
  const expr::Function levels = all_levels(problem);
  levels_ = levels.rows;
  if (levels_ == 0) return;
  const expr::SparseFunction jacobian =
      expr::jacobian(levels, problem.states, [&](expr::Leaf leaf) {
        const std::uint32_t position = layout.find(leaf);
        return position >= 1 && position <= problem.states ? position - 1 : expr::Family::no_row;
      });
  level_pattern_ = jacobian;
  const expr::Function both[] = {levels, jacobian.values};
  kernels_->levels = std::make_unique<solve::Evaluation>(std::span<const expr::Function>(both),
                                                         layout, point_.data(), options);
  scratch_.resize(kernels_->levels->rows());
}

InverseSystem::~InverseSystem() = default;

const double* InverseSystem::point_at(const double* w, const double* s, const double* z) {
  point_[0] = w[0];
  std::copy_n(s, problem_.states, point_.data() + 1);
  std::copy_n(z, problem_.tops, point_.data() + 1 + problem_.states);
  std::copy_n(w + 1, problem_.inputs.rows, point_.data() + problem_.first_input);
  return point_.data();
}

void InverseSystem::linearise(const double* w, const double* s, const double* z, double* values) {
  kernels_->linearised(point_at(w, s, z), values);
}

void InverseSystem::residual(const double* w, const double* s, const double* z, double* r) {
  kernels_->residual(point_at(w, s, z), r);
}

void InverseSystem::level(const double* w, const double* s, double* c, double* jacobian) {
  if (levels_ == 0) return;
  kernels_->levels->operator()(point_at(w, s, point_.data() + 1 + problem_.states),
                               scratch_.data());
  std::copy_n(scratch_.data(), levels_, c);
  std::fill_n(jacobian, std::size_t{levels_} * problem_.states, 0.0);
  for (std::uint32_t i = 0; i < levels_; ++i)
    for (std::uint32_t e = level_pattern_.row_start[i]; e < level_pattern_.row_start[i + 1]; ++e)
      jacobian[i * problem_.states + level_pattern_.column[e]] = scratch_[levels_ + e];
}

void InverseSystem::desired(double t, double* w) {
  w[0] = point_[0] = t;
  if (kernels_->desired) (*kernels_->desired)(point_.data(), w + 1);
}

void InverseSystem::wait_native() const {
  kernels_->residual.kernel().wait_native();
  kernels_->linearised.kernel().wait_native();
  if (kernels_->desired) kernels_->desired->kernel().wait_native();
  if (kernels_->levels) kernels_->levels->kernel().wait_native();
}

}  // namespace daedal::boundary
