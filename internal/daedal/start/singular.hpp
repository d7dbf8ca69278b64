// What is singular at a point, in the user's names.
#pragma once

#include "daedal/formulate/problem.hpp"
#include "daedal/start/rank.hpp"

#include <span>
#include <string>
#include <vector>

namespace daedal::solve {

/// "constraint 'rod'", "equation 'volume'", "drive of x_T".
std::string describe_equation(const formulate::Problem& problem, std::uint32_t equation);

/// Rank of the constraint Jacobian (highest level below the tops, where every constraint has its
/// row) over what reactions can move, columns in their scale. Rows as problem.levels.back().
struct ConstraintRank {
  std::uint32_t constraints = 0;
  RankReport report;
  bool short_of_rank() const { return report.rank < constraints; }
};
ConstraintRank constraint_rank(const formulate::Problem& problem, std::span<const double> point,
                               double tolerance);
/// Lengths of the constraints' gradients, in nominal values of the coordinates. The rank is that of unit gradients: it does not
/// see one that vanishes.
std::vector<double> gradient_lengths(const formulate::Problem& problem,
                                     std::span<const double> point);

/// "'crank_axis' (line 9) and 'rod_axis' (line 11)".
std::string list_rows(const formulate::Problem& problem, const std::vector<std::uint32_t>& rows);

/// Unknowns that the equations leave open at the point (null vector of d residual / d tops) and the
/// equations involved; empty when the matrix is regular or too large to look into.
struct Undetermined {
  std::vector<std::string> unknowns, equations;
};
Undetermined undetermined(const formulate::Problem& problem, std::span<const double> point);

/// "equation 'x'": the equations without a finite value at the point, or a step of length h after it where all have one
/// there; a few of them. Tops that are not finite count as 0.
std::vector<std::string> equations_not_finite(const formulate::Problem& problem,
                                              std::span<const double> point, double h);

/// "x = 0.5 m, u = 0": the states and inputs that an equation of the list contains, a few of them.
std::string values_in(const formulate::Problem& problem, std::span<const double> point,
                      const std::vector<std::string>& described_equations);

}  // namespace daedal::solve
