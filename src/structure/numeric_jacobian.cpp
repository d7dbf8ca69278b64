#include "numeric_jacobian.hpp"

#include "daedal/structure/rounding.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace daedal::structure {

Eigen::MatrixXd NumericJacobian::scaled_part(const std::vector<std::uint32_t>& equations,
                                             const std::vector<std::uint32_t>& unknowns) const {
  std::vector<std::pair<std::uint32_t, Eigen::Index>> local;  // column of an unknown in the part
  for (std::size_t k = 0; k < unknowns.size(); ++k)
    local.emplace_back(unknowns[k], static_cast<Eigen::Index>(k));
  std::sort(local.begin(), local.end());
  Eigen::MatrixXd part = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(equations.size()),
                                               static_cast<Eigen::Index>(unknowns.size()));
  for (std::size_t k = 0; k < equations.size(); ++k)
    for (std::uint32_t e = row_start[equations[k]]; e < row_start[equations[k] + 1]; ++e) {
      const auto found =
          std::lower_bound(local.begin(), local.end(), std::pair(column[e], Eigen::Index{0}));
      if (found != local.end() && found->first == column[e])
        part(static_cast<Eigen::Index>(k), found->second) = value[e];
    }
  const auto scale = [](auto line) {
    const double largest = line.cwiseAbs().maxCoeff();
    if (largest > 0) line /= largest;
  };
  for (int turn = 0; turn < 2; ++turn) {
    for (Eigen::Index r = 0; r < part.rows(); ++r) scale(part.row(r));
    for (Eigen::Index c = 0; c < part.cols(); ++c) scale(part.col(c));
  }
  return part;
}

std::optional<NumericJacobian> evaluate(const derive::Dae& dae,
                                        const expr::SparseFunction& jacobian, const Point& point) {
  NumericJacobian result{jacobian.row_start, jacobian.column, {}};
  for (const Rounded& entry : evaluate_rounded(dae, jacobian.values, point)) {
    if (!std::isfinite(entry.value)) return std::nullopt;
    result.value.push_back(entry.cleaned());
  }
  return result;
}

std::optional<RandomJacobian> RandomJacobians::next() {
  constexpr double scales[] = {1, 0.3, 0.1, 0.03, 0.01};
  constexpr std::uint32_t points_of_a_scale = 4;
  while (tried_ < std::size(scales) * points_of_a_scale) {
    const double scale = scales[tried_ / points_of_a_scale];
    Point point = random_point(dae_, ++tried_, scale);
    if (auto values = evaluate(dae_, jacobian_, point))
      return RandomJacobian{std::move(point), std::move(*values)};
  }
  return std::nullopt;
}

}  // namespace daedal::structure
