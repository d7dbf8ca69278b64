// The system Jacobian in numbers.
#pragma once

#include "daedal/structure/regularity.hpp"

#include <Eigen/Core>

#include <optional>

namespace daedal::structure {

/// Entries that are zero to rounding are zero; nullopt when some entry is not finite.
struct NumericJacobian {
  std::vector<std::uint32_t> row_start, column;
  std::vector<double> value;

  /// Rows `equations` and columns `unknowns`, scaled to a largest entry of 1 by turns.
  Eigen::MatrixXd scaled_part(const std::vector<std::uint32_t>& equations,
                              const std::vector<std::uint32_t>& unknowns) const;
};
std::optional<NumericJacobian> evaluate(const derive::Dae& dae,
                                        const expr::SparseFunction& jacobian, const Point& point);

struct RandomJacobian {
  Point point;
  NumericJacobian values;
};
/// Random points at which the Jacobian is finite, one after the other: large ones first, then nearer to the start values,
/// where square roots and logarithms have their domain.
class RandomJacobians {
 public:
  RandomJacobians(const derive::Dae& dae, const expr::SparseFunction& jacobian)
      : dae_(dae), jacobian_(jacobian) {}
  /// nullopt when there are no more.
  std::optional<RandomJacobian> next();

 private:
  const derive::Dae& dae_;
  const expr::SparseFunction& jacobian_;
  std::uint32_t tried_ = 0;
};

/// Below this, a singular value of a scaled matrix is zero: rounding leaves 1e-16 times the size, and random points do not
/// make the matrices of mechanisms worse conditioned than this by chance.
inline constexpr double zero_singular_value = 1e-11;

}  // namespace daedal::structure
