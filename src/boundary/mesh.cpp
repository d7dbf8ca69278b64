#include "daedal/boundary/mesh.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace daedal::boundary {

namespace {

/// Of the mean density: nowhere are intervals longer than this allows.
constexpr double thinnest = 0.1;

}  // namespace

std::vector<double> even_mesh(std::span<const double> joints, std::size_t intervals,
                              std::size_t least) {
  const double length = joints.back() - joints.front();
  std::vector<double> mesh;
  for (std::size_t piece = 0; piece + 1 < joints.size(); ++piece) {
    const double begin = joints[piece], end = joints[piece + 1];
    const auto count =
        std::max(least, static_cast<std::size_t>(
                            std::lround(static_cast<double>(intervals) * (end - begin) / length)));
    for (std::size_t k = 0; k < count; ++k)
      mesh.push_back(std::lerp(begin, end, static_cast<double>(k) / static_cast<double>(count)));
  }
  mesh.push_back(joints.back());
  return mesh;
}

std::vector<double> equidistributed(std::span<const double> mesh, std::span<const double> errors,
                                    double order, std::span<const double> joints,
                                    std::size_t intervals, std::size_t least) {
  const std::size_t count = mesh.size() - 1;
  std::vector<double> wanted(count);  // intervals that each interval would like to be
  for (std::size_t k = 0; k < count; ++k) wanted[k] = std::pow(errors[k], 1 / order);
  std::vector<double> smooth =
      wanted;  // an error that is small by chance must not make a long interval
  for (std::size_t k = 0; k < count; ++k)
    smooth[k] = std::max(
        {wanted[k], 0.5 * wanted[k > 0 ? k - 1 : k], 0.5 * wanted[k + 1 < count ? k + 1 : k]});
  const double length = mesh.back() - mesh.front();
  const double total = std::accumulate(smooth.begin(), smooth.end(), 0.0);
  std::vector<double> sum(count + 1, 0.0);
  for (std::size_t k = 0; k < count; ++k)
    sum[k + 1] = sum[k] + std::max(smooth[k], thinnest * total * (mesh[k + 1] - mesh[k]) / length);
  const auto at = [&](double t) {
    const auto next = std::upper_bound(mesh.begin(), mesh.end(), t);
    const auto k = static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(
        next - mesh.begin() - 1, 0, static_cast<std::ptrdiff_t>(count) - 1));
    return std::lerp(sum[k], sum[k + 1], (t - mesh[k]) / (mesh[k + 1] - mesh[k]));
  };
  std::vector<double> result;
  for (std::size_t piece = 0; piece + 1 < joints.size(); ++piece) {
    const double begin = joints[piece], end = joints[piece + 1];
    const double low = at(begin), high = at(end);
    const auto parts =
        std::max(least, static_cast<std::size_t>(std::lround(static_cast<double>(intervals) *
                                                             (high - low) / sum.back())));
    std::size_t k = 0;
    for (std::size_t j = 0; j < parts; ++j) {
      const double target =
          std::lerp(low, high, static_cast<double>(j) / static_cast<double>(parts));
      while (k + 1 < count && sum[k + 1] <= target) ++k;
      const double share = (target - sum[k]) / (sum[k + 1] - sum[k]);
      result.push_back(j == 0 ? begin : std::lerp(mesh[k], mesh[k + 1], share));
    }
  }
  result.push_back(joints.back());
  return result;
}

}  // namespace daedal::boundary
