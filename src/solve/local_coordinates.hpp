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
#pragma once

#include "daedal/formulate/problem.hpp"
#include "daedal/solve/system.hpp"
#include "dense_lu.hpp"
#include "evaluation.hpp"
#include "householder.hpp"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace daedal::solve {

class LocalCoordinates {
 public:
  /// Throws ModelError for models that are no mechanisms with ideal constraints.
  LocalCoordinates(const formulate::Problem& problem, std::span<const double> sample,
                   const compile::Options& options);

  /// Moves positions and velocities in `point` along D onto their constraints.
  Failure settle(double* point);
  /// Chooses directions anew where that is due: after the last choice, or before the one before it, when steps are taken back;
  /// `point` is settled.
  Failure choose(const double* point);
  /// An error of the states, as steps make it, becomes one of settled states near the last one: along coordinates the dependent
  /// ones multiply that of the free ones. (Tangents are orthonormal: nothing grows.)
  void show_error(double* error);
  /// Accelerations and multipliers at a settled point.
  Failure solve_tops(const double* point, double* tops);

  struct Switch {
    double t = 0;
    std::vector<std::uint32_t> from, to;  // point positions of the free coordinates
  };
  /// Choices of coordinates (minimal), the one at the start first.
  const std::vector<Switch>& switches() const { return switches_; }

 private:
  /// Column-major.
  struct Matrix {
    std::size_t rows = 0, columns = 0;
    std::vector<double> values;
    Matrix(std::size_t r = 0, std::size_t c = 0) : rows(r), columns(c), values(r * c) {}
    double& operator()(std::size_t i, std::size_t j) { return values[j * rows + i]; }
    double operator()(std::size_t i, std::size_t j) const { return values[j * rows + i]; }
    double* column(std::size_t j) { return values.data() + j * rows; }
    const double* column(std::size_t j) const { return values.data() + j * rows; }
  };
  struct Directions {
    Directions(const formulate::Problem& problem, const formulate::Level& level,
               std::span<const double> sample, const compile::Options& options);
    void evaluate(const double* point);  // G, and the factors of G D
    Failure settle(double* point);
    void show_error(double* error);
    bool along_coordinates();
    bool along_tangent();
    double weakest_pivot();

    const formulate::Level& level;
    std::size_t m, n;
    Evaluation residual, jacobian;
    bool linear = false;  // G does not contain the unknowns of the level
    Matrix g, dependent, free;
    std::vector<std::size_t> free_columns;  // ascending, when directions are coordinates
    std::vector<double> nominal, entries, rows;
    DenseLu<double> reduced;  // G D
    bool regular = false;
    Householder by_coordinates, by_rows, of_dependent;
  };

  void find_rows_and_columns();
  bool choose(Directions& directions, const double* point);
  void refuse_other_reactions(const double* point);
  void make_null_space();

  const formulate::Problem& problem_;
  bool by_coordinates_ = false;
  std::optional<Directions> positions_, velocities_;
  std::vector<std::uint32_t> accelerations_;  // tops, by column of G
  std::vector<std::uint32_t> motion_row_;     // of these; none for driven ones
  std::vector<std::uint32_t> others_;         // tops that are no accelerations
  std::vector<std::uint32_t> other_rows_;     // of the equations that are no constraints
  Evaluation matrix_values_, right_side_values_;
  std::vector<double> entries_, right_side_;
  Matrix matrix_, null_space_, mass_times_null_;
  DenseLu<double> reduced_mass_;
  Householder reactions_;
  std::vector<double> particular_, reduced_, acceleration_, balance_, other_values_;
  bool chosen_ = false;
  double chosen_at_ = 0, chosen_before_ = 0;  // [s], the last time and the one before
  std::vector<Switch> switches_;
};

}  // namespace daedal::solve
