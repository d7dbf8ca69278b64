// The directions of one level of constraints f(x) = 0, G = df/dx: I, along which x moves freely, and D, along which it follows.
//
// Two ways to find the same directions: DenseDirections has D and I as matrices; a step costs the cube of the coordinates,
// with small constants. Those of sparse_directions.hpp have G alone and cost as much as G has entries.
#pragma once

#include "daedal/formulate/problem.hpp"
#include "daedal/system/evaluation.hpp"
#include "daedal/system/system.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace daedal::solve {

class Directions {
 public:
  Directions(const formulate::Problem& problem, const formulate::Level& level,
             std::span<const double> sample, const compile::Options& options);
  virtual ~Directions() = default;

  /// Chooses again, where necessary, at the settled `point`. False where the constraints depend on each other.
  virtual bool choose(const double* point) = 0;
  /// Moves the unknowns of the level in `point` along D onto the constraints.
  virtual Failure settle(double* point) = 0;
  /// An error of stepped states becomes one of settled states near the last ones.
  virtual void show_error(double* error) { (void)error; }
  /// I, orthonormal, by columns; valid until the next choice.
  virtual const double* free_basis() = 0;
  /// Of a force, along the motions that the constraints allow: the largest over those possible for its size.
  virtual double work(const double* force) = 0;

  std::size_t unknowns() const { return n_; }
  std::size_t free() const { return n_ - m_; }
  const formulate::Level& level() const { return level_; }
  /// Ascending; empty where directions are no coordinates.
  const std::vector<std::size_t>& free_columns() const { return free_columns_; }

 protected:
  static constexpr double rank_tolerance = 1e-10;  // of the constraints against each other
  /// Coordinates are chosen again when another choice is so much better conditioned. A switch costs nothing, but errors
  /// grow like powers of the inverse: waiting for 0.1 costs rk4 three digits on the pendulum.
  static constexpr double worn = 0.5;
  /// The same, of how far dependent coordinates move with free ones.
  static constexpr double steep = 4;
  /// Of Newton's method: assumed bound of |G'| |x| / |G|.
  static constexpr double curvature = 10;
  static constexpr int most_iterations = 20;

  const formulate::Level& level_;
  std::size_t m_, n_;
  Evaluation residual_, jacobian_;
  bool linear_ = false;  // G does not contain the unknowns of the level
  std::vector<double> nominal_, entries_, rows_;
  std::vector<std::size_t> free_columns_;
};

}  // namespace daedal::solve
