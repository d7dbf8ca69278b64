// Equations of motion along the free directions of velocities, dense:
//
//     N^T M N y = N^T (f - M a_p),   a = a_p + N y,   a_p = D (G D)^-1 gamma        (G a = gamma on the level of accelerations).
//
// They hold no multipliers, which are found afterwards, with whatever else is no acceleration, by least squares.
#pragma once

#include "dense_directions.hpp"

#include <cstdint>
#include <vector>

namespace daedal::solve {

class ReducedEquations {
 public:
  /// `motion_row`: of each acceleration, by column of G; none for driven ones.
  ReducedEquations(const formulate::Problem& problem, DenseDirections& velocities,
                   std::vector<std::uint32_t> accelerations, std::vector<std::uint32_t> motion_row,
                   std::span<const double> sample, const compile::Options& options);

  /// Accelerations and multipliers at a point that the velocities are settled at.
  Failure solve(const double* point, double* tops);

 private:
  const formulate::Problem& problem_;
  DenseDirections& velocities_;
  std::vector<std::uint32_t> accelerations_, motion_row_;
  std::vector<std::uint32_t> others_;      // tops that are no accelerations
  std::vector<std::uint32_t> other_rows_;  // of the equations that are no constraints
  Evaluation matrix_values_, right_side_values_;
  std::vector<double> entries_, right_side_;
  DenseMatrix matrix_, mass_times_null_;
  base::DenseLu<double> reduced_mass_;
  Householder reactions_;
  std::vector<double> constraint_rows_, particular_, reduced_, acceleration_, balance_,
      other_values_;
};

}  // namespace daedal::solve
