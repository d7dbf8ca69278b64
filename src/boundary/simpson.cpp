#include "daedal/boundary/simpson.hpp"

#include "daedal/base/progress.hpp"

#include <Eigen/SparseLU>

#include <algorithm>
#include <cmath>

namespace daedal::boundary {

namespace {

constexpr double simpson_settled = 1e-11;

/// Length of what `linearise` writes.
std::size_t linearised_size(const ReducedSystem& system) {
  return system.tops() + system.state_pattern().entries() + system.top_pattern().entries();
}

Eigen::VectorXd newton_correction(const SimpsonEquations& equations) {
  Eigen::SparseMatrix<double> jacobian(equations.rows(), equations.unknowns());
  jacobian.setFromTriplets(equations.jacobian().begin(), equations.jacobian().end());
  jacobian.prune(0.0);
  Eigen::SparseLU<Eigen::SparseMatrix<double>> lu(jacobian);
  return lu.info() == Eigen::Success
             ? Eigen::VectorXd(lu.solve(equations.residual()))
             : Eigen::VectorXd::Constant(equations.unknowns(), std::nan(""));
}

}  // namespace

SimpsonEquations::SimpsonEquations(ReducedSystem& equations, ReducedSystem& reduced,
                                   const std::vector<double>& times, const Desired& desired,
                                   const SimpsonEnds& ends)
    : inner_(equations),
      reduced_(reduced),
      times_(times),
      desired_(desired),
      ends_(ends),
      n_(equations.states()),
      nz_(equations.tops()),
      first_node_row_(reduced.levels() + static_cast<std::size_t>(ends.left.rows())),
      w_(equations.signals()),
      middle_(n_),
      values_(std::max(linearised_size(equations), linearised_size(reduced))) {}

Eigen::VectorXd SimpsonEquations::everywhere(const std::vector<double>& states,
                                             const std::vector<double>& tops) const {
  Eigen::VectorXd x(unknowns());
  for (std::size_t k = 0; k < times_.size(); ++k) {
    std::copy(states.begin(), states.end(), x.data() + state(k));
    std::copy(tops.begin(), tops.end(), x.data() + top(k));
    if (k < intervals()) std::copy(tops.begin(), tops.end(), x.data() + middle_top(k));
  }
  return x;
}

void SimpsonEquations::follow(const RestPath& path, Eigen::VectorXd& x) const {
  std::vector<double> before(path.states()), here(path.states()), behind(path.states());
  for (std::size_t k = 0; k < times_.size(); ++k) {
    const double first = times_[k > 0 ? k - 1 : k], last = times_[std::min(k + 1, intervals())];
    path.at(first, before.data());
    path.at(times_[k], here.data());
    path.at(last, behind.data());
    std::copy(here.begin(), here.end(), x.data() + state(k));
    for (std::size_t a = 0; a < path.states(); ++a)
      if (const std::uint32_t next = inner_.next()[a]; next < path.states())
        x[static_cast<Eigen::Index>(state(k) + next)] = (behind[a] - before[a]) / (last - first);
  }
}

void SimpsonEquations::hand_over(const Eigen::VectorXd& x, SimpsonSolution& solution) const {
  solution.unknowns = static_cast<std::size_t>(unknowns());
  for (std::size_t k = 0; k < times_.size(); ++k) {
    const double* const s = x.data() + state(k);
    const double* const z = x.data() + top(k);
    solution.states.insert(solution.states.end(), s, s + n_);
    solution.tops.insert(solution.tops.end(), z, z + nz_);
  }
}

void SimpsonEquations::evaluate(const Eigen::VectorXd& x) {
  triplets_.clear();
  residual_.setZero(rows());
  row_ = 0;
  left_end(x);
  for (std::size_t k = 0; k < intervals(); ++k) {
    const double h = times_[k + 1] - times_[k];
    simpson(x, k, h);
    in_the_middle(x, k, h);
    at_node(inner_, x, k + 1);
  }
  const double* const last = x.data() + state(intervals());
  linear_rows(ends_.right, ends_.right_target, last, state(intervals()));
}

void SimpsonEquations::entry(std::size_t row, std::size_t column, double value) {
  triplets_.emplace_back(static_cast<int>(row), static_cast<int>(column), value);
}
/// Position of the derivative of state a at a node.
std::size_t SimpsonEquations::slope(std::size_t node, std::size_t a) const {
  const std::uint32_t next = inner_.next()[a];
  return next < n_ ? state(node) + next : top(node) + next - n_;
}

void SimpsonEquations::linear_rows(const Eigen::MatrixXd& rows, const std::vector<double>& target,
                                   const double* s, std::size_t first) {
  for (Eigen::Index i = 0; i < rows.rows(); ++i, ++row_)
    for (std::size_t a = 0; a < n_; ++a) {
      const double c = rows(i, static_cast<Eigen::Index>(a));
      residual_[static_cast<Eigen::Index>(row_)] += c * (s[a] - target[a]);
      entry(row_, first + a, c);
    }
}

void SimpsonEquations::left_end(const Eigen::VectorXd& x) {
  const std::size_t levels = reduced_.levels();
  std::vector<double> c(levels), jacobian(levels * n_);
  desired_(times_[0], w_.data());
  reduced_.level(w_.data(), x.data(), c.data(), jacobian.data());
  for (std::size_t i = 0; i < levels; ++i, ++row_) {
    residual_[static_cast<Eigen::Index>(row_)] = c[i];
    for (std::size_t a = 0; a < n_; ++a) entry(row_, a, jacobian[i * n_ + a]);
  }
  linear_rows(ends_.left, ends_.left_target, x.data(), 0);
  at_node(reduced_, x, 0);
}

void SimpsonEquations::at_node(ReducedSystem& system, const Eigen::VectorXd& x, std::size_t node) {
  desired_(times_[node], w_.data());
  system.linearise(w_.data(), x.data() + state(node), x.data() + top(node), values_.data());
  const double* value = values_.data() + nz_;
  const solve::SparsePattern &by_states = system.state_pattern(), &by_tops = system.top_pattern();
  for (std::size_t i = 0; i < nz_; ++i) {
    residual_[static_cast<Eigen::Index>(row_ + i)] = values_[i];
    for (std::uint32_t e = by_states.row_start[i]; e < by_states.row_start[i + 1]; ++e)
      entry(row_ + i, state(node) + by_states.column[e], *value++);
  }
  for (std::size_t i = 0; i < nz_; ++i)
    for (std::uint32_t e = by_tops.row_start[i]; e < by_tops.row_start[i + 1]; ++e)
      entry(row_ + i, top(node) + by_tops.column[e], *value++);
  row_ += nz_;
}

void SimpsonEquations::simpson(const Eigen::VectorXd& x, std::size_t k, double h) {
  for (std::size_t a = 0; a < n_; ++a, ++row_) {
    const auto term = [&](std::size_t position, double weight) {
      residual_[static_cast<Eigen::Index>(row_)] += weight * x[static_cast<Eigen::Index>(position)];
      entry(row_, position, weight);
    };
    term(state(k + 1) + a, 1);
    term(state(k) + a, -1);
    term(slope(k, a), -h / 6);
    term(slope(k + 1, a), -h / 6);
    const std::uint32_t next = inner_.next()[a];
    if (next < n_)
      middle(k, h, next, [&](std::size_t p, double weight) { term(p, -2 * h / 3 * weight); });
    else
      term(middle_top(k) + next - n_, -2 * h / 3);
  }
}

void SimpsonEquations::in_the_middle(const Eigen::VectorXd& x, std::size_t k, double h) {
  desired_(times_[k] + h / 2, w_.data());
  for (std::size_t a = 0; a < n_; ++a) {
    middle_[a] = 0;
    middle(k, h, a, [&](std::size_t p, double weight) {
      middle_[a] += weight * x[static_cast<Eigen::Index>(p)];
    });
  }
  inner_.linearise(w_.data(), middle_.data(), x.data() + middle_top(k), values_.data());
  const double* value = values_.data() + nz_;
  const solve::SparsePattern &by_states = inner_.state_pattern(), &by_tops = inner_.top_pattern();
  for (std::size_t i = 0; i < nz_; ++i) {
    residual_[static_cast<Eigen::Index>(row_ + i)] = values_[i];
    for (std::uint32_t e = by_states.row_start[i]; e < by_states.row_start[i + 1]; ++e, ++value)
      middle(k, h, by_states.column[e],
             [&](std::size_t p, double weight) { entry(row_ + i, p, weight * *value); });
  }
  for (std::size_t i = 0; i < nz_; ++i)
    for (std::uint32_t e = by_tops.row_start[i]; e < by_tops.row_start[i + 1]; ++e)
      entry(row_ + i, middle_top(k) + by_tops.column[e], *value++);
  row_ += nz_;
}

SimpsonSolution solve_simpson(SimpsonEquations& equations, Eigen::VectorXd x, int most_iterations) {
  SimpsonSolution solution;
  while (solution.iterations < most_iterations && !solution.converged) {
    stop_point();
    equations.evaluate(x);
    const Eigen::VectorXd change = newton_correction(equations);
    if (!change.allFinite()) return solution;
    x -= change;
    ++solution.iterations;
    solution.step = change.lpNorm<Eigen::Infinity>() / x.lpNorm<Eigen::Infinity>();
    solution.converged = solution.step <= simpson_settled;
  }
  equations.hand_over(x, solution);
  return solution;
}

}  // namespace daedal::boundary
