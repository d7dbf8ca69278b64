// See central_differences.hpp.
#include "daedal/boundary/central_differences.hpp"

#include "daedal/base/progress.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace daedal::boundary {

namespace {

constexpr double chain_settled = 1e-8;  // of W after so many blocks of a chain at rest
constexpr double even = 1e-5;           // W changes less: two groups of modes, apart
constexpr double least_blocks = 20, most_blocks = 400;

}  // namespace

const Stencil& Stencil::of_order(int order) {
  static const Stencil second{1, {0, 1.0 / 2}, {-2, 1}},
      fourth{2, {0, 2.0 / 3, -1.0 / 12}, {-5.0 / 2, 4.0 / 3, -1.0 / 12}},
      sixth{3, {0, 3.0 / 4, -3.0 / 20, 1.0 / 60}, {-49.0 / 18, 3.0 / 2, -3.0 / 20, 1.0 / 90}},
      eighth{4,
             {0, 4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280},
             {-205.0 / 72, 8.0 / 5, -1.0 / 5, 8.0 / 315, -1.0 / 560}};
  switch (order) {
    case 2:
      return second;
    case 4:
      return fourth;
    case 6:
      return sixth;
    case 8:
      return eighth;
    default:
      throw std::invalid_argument("central differences have order 2, 4, 6 or 8");
  }
}

CentralDifferences::CentralDifferences(SecondOrderForm& form, std::size_t nodes, std::size_t left,
                                       std::size_t right)
    : form_(form),
      nodes_(nodes),
      left_(left),
      right_(right),
      n_(form.unknowns()),
      core_(form.core_unknowns().size()),
      y_(nodes * n_),
      signals_(nodes * form.signals()),
      rates_(n_),
      accelerations_(n_),
      values_(form.values()),
      size_(core_),
      change_((nodes - left - right) * core_),
      assembly_(form),
      blocks_(nodes - left - right, assembly_.coupling()) {}

void CentralDifferences::sample(const Desired& desired) {
  for (std::size_t node = 0; node < nodes_; ++node) desired(time(node), signals(node));
}

/// Of lower order where there are not enough nodes at both sides.
const Stencil& CentralDifferences::stencil(std::size_t node, int of_order) const {
  const std::size_t room = std::min(node, nodes_ - 1 - node);
  return Stencil::of_order(
      std::min(of_order, 2 * static_cast<int>(std::min<std::size_t>(room, 4))));
}

void CentralDifferences::derivatives(std::size_t node, double* rates, double* accelerations) const {
  const Stencil& s = stencil(node, order);
  const double *const here = y(node), rate = 1 / step, acceleration = rate * rate;
  for (std::size_t j = 0; j < n_; ++j) {
    rates[j] = 0;
    accelerations[j] = acceleration * s.second[0] * here[j];
  }
  for (int k = 1; k <= s.half; ++k) {
    const double *const before = here - static_cast<std::size_t>(k) * n_,
                        *const behind = here + static_cast<std::size_t>(k) * n_;
    const double first = rate * s.first[k], second = acceleration * s.second[k];
    for (std::size_t j = 0; j < n_; ++j) {
      rates[j] += first * (behind[j] - before[j]);
      accelerations[j] += second * (behind[j] + before[j]);
    }
  }
}

void CentralDifferences::evaluate(std::size_t node, bool matrices) {
  derivatives(node, rates_.data(), accelerations_.data());
  const double* const at[] = {y(node), rates_.data(), accelerations_.data()};
  const std::size_t block = node - left_;
  if (matrices) {
    form_.linearise(signals(node), at, values_.data());
    assembly_.fill(values_.data(), step, blocks_, block);
  } else {
    form_.residual(signals(node), at, values_.data());
  }
  double* const r = change_.data() + block * core_;
  for (std::size_t k = 0; k < core_; ++k) r[k] = -values_[form_.core_equations()[k]];
}

Correction CentralDifferences::newton() {
  Correction failed;
  failed.ok = false;
  for (std::size_t node = left_; node < last(); ++node) {
    stop_point();
    failed.interval = node;
    evaluate(node, true);
    if (!blocks_.eliminate(node - left_)) return failed;
  }
  return solve_and_move();
}

Correction CentralDifferences::chord() {
  stop_point();
  for (std::size_t node = left_; node < last(); ++node) evaluate(node, false);
  return solve_and_move();
}

/// Positions change by the step that the higher order asks for, velocities also by their own stencil, which feels the
/// joints of a motion most.
double CentralDifferences::error(std::size_t margin) {
  const int kept = order;
  order += 2;
  for (std::size_t node = left_; node < last(); ++node) evaluate(node, false);
  order = kept;
  blocks_.solve(change_.data());
  double largest = 0;
  for (std::size_t k = 0; k < core_; ++k) {
    const std::uint32_t j = form_.core_unknowns()[k];
    if (form_.order(j) == 0) continue;
    double size = small * form_.nominal(j), rate_size = size, off = 0, rate_off = 0;
    for (std::size_t node = left_ + 1 + margin; node + 1 + margin < last(); ++node) {
      const double* const c = change_.data() + (node - left_) * core_ + k;
      const double rate = rate_of(node, j, kept);
      size = std::max(size, std::abs(y(node)[j]));
      off = std::max(off, std::abs(*c));
      rate_size = std::max(rate_size, std::abs(rate));
      rate_off = std::max(rate_off, std::abs(rate_of(node, j, kept + 2) - rate +
                                             0.5 / step * (c[core_] - *(c - core_))));
    }
    largest = std::max({largest, off / size, rate_off / rate_size});
  }
  return largest;
}

double CentralDifferences::rate_of(std::size_t node, std::uint32_t j, int of_order) const {
  const Stencil& s = stencil(node, of_order);
  double rate = 0;
  for (int k = 1; k <= s.half; ++k)
    rate += s.first[k] *
            (y(node + static_cast<std::size_t>(k))[j] - y(node - static_cast<std::size_t>(k))[j]);
  return rate / step;
}

Correction CentralDifferences::solve_and_move() {
  Correction correction;
  const std::vector<std::uint32_t>& core = form_.core_unknowns();
  for (std::size_t k = 0; k < core_; ++k) size_[k] = small * form_.nominal(core[k]);
  for (std::size_t node = left_; node < last(); ++node)
    for (std::size_t k = 0; k < core_; ++k)
      size_[k] = std::max(size_[k], std::abs(y(node)[core[k]]));
  blocks_.solve(change_.data());
  double largest = 0;  // of what moves: forces follow
  for (std::size_t node = left_; node < last(); ++node)
    for (std::size_t k = 0; k < core_; ++k) {
      const double share = std::abs(change_[(node - left_) * core_ + k]) / size_[k];
      if (!std::isfinite(share)) {
        correction.ok = false;
        correction.interval = node;
        return correction;
      }
      correction.step = std::max(correction.step, share);
      if (share <= largest || form_.order(core[k]) == 0) continue;
      largest = share;
      correction.largest_state = core[k];
      correction.largest_node = node;
    }
  for (std::size_t node = left_; node < last(); ++node)
    for (std::size_t k = 0; k < core_; ++k) y(node)[core[k]] += change_[(node - left_) * core_ + k];
  return correction;
}

double CentralDifferences::correction_at(std::size_t node) const {
  double largest = 0;
  for (std::size_t k = 0; k < core_; ++k)
    largest = std::max(largest, std::abs(change_[(node - left_) * core_ + k]) / size_[k]);
  return largest;
}

bool CentralDifferences::splits_evenly(SecondOrderForm& form, const double* w, const double* rest,
                                       double step, double slowest) {
  const std::vector<double> still(form.unknowns());
  const double* const at[] = {rest, still.data(), still.data()};
  std::vector<double> values(form.values());
  form.linearise(w, at, values.data());
  const CoreAssembly assembly(form);
  const auto blocks = static_cast<std::size_t>(
      std::clamp(std::log(1 / chain_settled) / (2 * slowest * step), least_blocks, most_blocks));
  BlockTridiagonal chain(blocks, assembly.coupling());
  for (std::size_t i = 0; i < blocks; ++i) {
    assembly.fill(values.data(), step, chain, i);
    if (!chain.eliminate(i)) return false;
  }
  double change = 0, size = 0;
  for (std::size_t r = 0; r < chain.size(); ++r)
    for (std::size_t j = 0; j < chain.size(); ++j) {
      size = std::max(size, std::abs(chain.step(blocks - 2, r)[j]));
      change =
          std::max(change, std::abs(chain.step(blocks - 2, r)[j] - chain.step(blocks - 3, r)[j]));
    }
  return std::isfinite(size) && change <= even * size;
}

}  // namespace daedal::boundary
