#include "sampled.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace daedal::inversion {

namespace {

/// Joints are found by bisection.
double nearly(double t) { return 1e-9 * std::max(1.0, std::abs(t)); }

}  // namespace

std::vector<double> difference_weights(double t, std::span<const double> times, int order) {
  const std::size_t n = times.size(), m = static_cast<std::size_t>(order);
  std::vector<double> weights((m + 1) * n, 0.0);
  const auto w = [&](std::size_t k, std::size_t i) -> double& { return weights[k * n + i]; };
  w(0, 0) = 1;
  double product = 1;
  for (std::size_t i = 1; i < n; ++i) {  // the polynomial through one more value
    const std::size_t highest = std::min(i, m);
    const double before = times[i - 1] - t, here = times[i] - t;
    double next_product = 1;
    for (std::size_t j = 0; j < i; ++j) {
      const double distance = times[i] - times[j];
      next_product *= distance;
      if (j + 1 == i)
        for (std::size_t k = highest + 1; k-- > 0;)
          w(k, i) =
              product *
              ((k > 0 ? static_cast<double>(k) * w(k - 1, i - 1) : 0.0) - before * w(k, i - 1)) /
              next_product;
      for (std::size_t k = highest + 1; k-- > 0;)
        w(k, j) =
            (here * w(k, j) - (k > 0 ? static_cast<double>(k) * w(k - 1, j) : 0.0)) / distance;
    }
    product = next_product;
  }
  return weights;
}

Sampled::Sampled(const Table& table, std::vector<double> joints)
    : table_(table), times_(table.column(0)), joints_(std::move(joints)) {
  pieces_ = times_;
  for (const double joint : joints_)
    if (!times_.empty() && joint > times_.front() + nearly(joint) &&
        joint < times_.back() - nearly(joint) &&
        std::none_of(times_.begin(), times_.end(),
                     [&](double t) { return std::abs(t - joint) <= nearly(joint); }))
      pieces_.push_back(joint);
  std::sort(pieces_.begin(), pieces_.end());
}

Sampled::Stencil Sampled::stencil(double inside, double at, int order) const {
  double low = -std::numeric_limits<double>::infinity(), high = -low;
  for (const double joint : joints_) {
    if (joint <= inside) low = joint + nearly(joint);
    if (joint > inside) {
      high = joint - nearly(joint);
      break;
    }
  }
  const auto begin = std::upper_bound(times_.begin(), times_.end(), low);
  const auto end = std::lower_bound(begin, times_.end(), high);
  const auto rows = static_cast<std::size_t>(end - begin);
  const std::size_t wanted = std::max(stencil_rows, static_cast<std::size_t>(order) + 4);
  if (rows == 0) return {};
  const std::size_t count = std::min(rows, wanted);
  const auto after = static_cast<std::size_t>(std::lower_bound(begin, end, at) - begin);
  const std::size_t from = std::min(after > count / 2 ? after - count / 2 : 0, rows - count);
  Stencil result{static_cast<std::size_t>(begin - times_.begin()) + from, count, {}};
  result.weights = difference_weights(at, {times_.data() + result.first, count}, order);
  return result;
}

double Sampled::value(std::size_t column, const Stencil& stencil, int derivative) const {
  const double* const weights =
      stencil.weights.data() + static_cast<std::size_t>(derivative) * stencil.count;
  double sum = 0;
  for (std::size_t i = 0; i < stencil.count; ++i)
    sum += weights[i] * table_.at(stencil.first + i, column);
  return sum;
}

}  // namespace daedal::inversion
