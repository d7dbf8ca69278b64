// Motion in as many coordinates as there are degrees of freedom: the formulations null_space and minimal.
//
// On each level (positions, velocities) directions I are free, the others, D, follow from the constraints: x is moved along D
// until f(x) = 0, by Newton's method with the matrix G D. The vectors that satisfy G n = 0 are then N = I - D (G D)^-1 G I, and
//
//     N^T M N y = N^T (f - M a_p),   a = a_p + N y,   a_p = D (G D)^-1 gamma        (G a = gamma on the level of accelerations)
//
// hold no multipliers, which are found afterwards [KimVanderploeg1986, WehageHaug1982]. The two formulations differ in the
// directions: an orthonormal basis of the rows of G and of their complement, new in every step [HairerWanner1996, VII.2], or
// coordinates themselves, chosen by pivoting and kept as long as they serve.
//
// An integrator steps all states; those along D are replaced before they are used. So the free ones move as if they were
// alone, the others are extrapolated as Newton's guess, and a new choice between two steps interrupts nothing.
//
// Small mechanisms have these matrices, dense. Those of more than `dense_limit` unknowns and constraints have the directions
// of sparse_directions.hpp, and their accelerations and multipliers from
//
//     [ M  -G^T ] [ a ]   [ f     ]
//     [ G    0  ] [ l ] = [ gamma ],
//
// which is the same: this matrix is regular where G has full rank and N^T M N is regular, M or not, and a is a_p + N y.
// Elimination with pivots scales rows, and is the same for any scale of columns: badly scaled constraints do no harm in it.
#pragma once

#include "daedal/formulate/problem.hpp"
#include "daedal/system/evaluation.hpp"
#include "daedal/system/system.hpp"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace daedal::solve {

class Directions;
class ReducedEquations;

class LocalCoordinates {
 public:
  /// Unknowns of the velocities and constraints together: up to here dense matrices are as fast.
  static constexpr std::size_t dense_limit = 24;

  /// Throws ModelError for models that are no mechanisms with ideal constraints. `limit` is for tests.
  LocalCoordinates(const formulate::Problem& problem, std::span<const double> sample,
                   const compile::Options& options, std::size_t limit = dense_limit);
  ~LocalCoordinates();

  /// Moves positions and velocities in `point` along D onto their constraints.
  Failure settle(double* point);
  /// Chooses directions again where necessary: after the last choice, or before the one before it, when steps are taken back;
  /// `point` is settled.
  Failure choose(const double* point);
  /// The next choice is one, whenever its time is.
  void forget();
  /// An error of the states, as steps make it, becomes one of settled states near the last one: along coordinates the dependent
  /// ones multiply that of the free ones.
  void show_error(double* error);
  /// Whether accelerations and multipliers are found here; else from the equations as they are.
  bool solves_tops() const { return reduced_ != nullptr; }
  /// Accelerations and multipliers at a settled point.
  Failure solve_tops(const double* point, double* tops);

  /// Rates depend on the states along the columns of V alone, which are orthonormal: `directions` many.
  std::uint32_t directions() const;
  /// V, by columns, one row for each state.
  void directions(double* v) const;

  struct Switch {
    double t = 0;
    std::vector<std::uint32_t> from, to;  // point positions of the free coordinates
  };
  /// Choices of coordinates (minimal), the one at the start first.
  const std::vector<Switch>& switches() const { return switches_; }

 private:
  void find_rows_and_columns();
  bool choose(Directions& directions, const double* point);
  void refuse_other_reactions(std::span<const double> sample);

  const formulate::Problem& problem_;
  bool by_coordinates_ = false;
  std::unique_ptr<Directions> positions_, velocities_;
  std::unique_ptr<ReducedEquations> reduced_;  // of small mechanisms
  std::vector<std::uint32_t> accelerations_;   // tops, by column of G
  std::vector<std::uint32_t> motion_row_;      // of these; none for driven ones
  std::vector<std::uint32_t> other_states_;    // that are unknowns of no level
  std::vector<std::size_t> before_;            // free columns
  bool chosen_ = false;
  double chosen_at_ = 0, chosen_before_ = 0;  // [s], the last time and the one before
  std::vector<Switch> switches_;
};

}  // namespace daedal::solve
