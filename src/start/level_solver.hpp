// The nearest point of one constraint level:  min |x - x0|_W  subject to  f(x) = 0.
//
// Both parts of a step come from one matrix,
//     [ W   J^T  ] [ d  ]     [ -W (x - x0) ]                     [  0 ]
//     [ J  -eps  ] [ mu ]  =  [      0      ]   (tangential),     [ -f ]   (normal),
// in columns scaled by max(|x0|, nominal) and rows scaled to unit length. The tiny eps keeps it
// regular when constraints are redundant; it makes Newton's convergence linear with factor eps,
// which does not matter. Normal steps restore f = 0; tangential steps, of Barzilai and Borwein's length
// [BarzilaiBorwein1988], then reduce the distance along the level: plain Gauss-Newton steps
// overshoot when the guess is farther away than the level's radius of curvature.
//
// W is diag(1/max(|x0|, nominal)^2) for positions and the level's metric (mass matrix) for
// velocities. Where some unknowns are to move last, the way back to the guess weighs the others less.
#pragma once

#include "daedal/formulate/problem.hpp"
#include "daedal/system/evaluation.hpp"
#include "daedal/system/klu.hpp"
#include "daedal/system/level_residual.hpp"
#include "daedal/system/scan.hpp"

#include <optional>
#include <vector>

namespace daedal::solve {

class LevelSolver {
 public:
  /// `guess` is a point with all values in place; `fixed` marks, by point position, what must not
  /// move besides what the level itself holds still; `jet` as for LevelResidual.
  LevelSolver(const formulate::Problem& problem, const formulate::Level& level,
              const std::vector<bool>& fixed, const std::vector<double>& guess,
              std::shared_ptr<EquationJet> jet);

  /// Newton from `point` until the level holds; false when it does not come to that. The level's
  /// unknowns move in place.
  bool restore(std::vector<double>& point);
  /// Moves along the level to the point nearest to the guess. False: on the level, but perhaps not
  /// the nearest.
  bool approach(std::vector<double>& point);
  /// From now on `approach` spares what is marked (by point position): the rest has almost no weight.
  void spare(const std::vector<bool>& marked);
  /// The guess moved by `size` times its scale, in a direction that depends on nothing but `k`.
  void perturb(std::vector<double>& point, double size, std::uint64_t k);

  /// f at the point.
  const std::vector<double>& residual(const std::vector<double>& point);
  /// Root mean square of f_i / |gradient of f_i| in scaled columns, relative to the size of what is in it: how far x is
  /// from the level, roughly.
  double violation(const std::vector<double>& point);
  /// Whether the level holds at the point up to rounding.
  bool holds(const std::vector<double>& point);
  /// By column of the level: the rows that keep the point, the nearest one to the guess, away from it there.
  std::vector<std::vector<std::uint32_t>> hindrances(const std::vector<double>& point);

 private:
  struct Place {  // of one entry of the matrix
    std::uint32_t row = 0, column = 0;
  };
  std::uint32_t free() const { return static_cast<std::uint32_t>(columns_.size()); }
  std::uint32_t rows() const { return level_.rows(); }
  static std::vector<Place> places_of(const expr::SparseFunction& f,
                                      const std::vector<std::uint32_t>& row_number,
                                      const std::vector<std::uint32_t>& column_number);
  void place_entries();
  void build_pattern();
  void evaluate_jacobian(const std::vector<double>& point);
  void evaluate_metric(const std::vector<double>& point);
  double share(std::uint32_t i, std::uint32_t j) const;
  void assemble(bool sparing);
  bool normal_step(const std::vector<double>& point);
  bool tangential_step(const std::vector<double>& point);
  void move(std::vector<double>& point, double fraction);
  void measure(const std::vector<double>& point);
  std::vector<double> offset(const std::vector<double>& point) const;
  double weighted_product(const std::vector<double>& a, const std::vector<double>& b) const;

  const formulate::Problem& problem_;
  const formulate::Level& level_;
  std::vector<double> guess_;
  std::vector<std::uint32_t> columns_;  // of the level, those that may move
  std::vector<std::uint32_t> number_;   // of each column of the level among these
  std::vector<double> scale_, row_length_;
  std::vector<double> row_size_, column_size_;  // how large their unknowns are, in units of scale_
  Scan scan_;
  LevelResidual residual_;
  Evaluation jacobian_, metric_;
  std::vector<double> f_, jacobian_values_, metric_values_;
  std::vector<double> diagonal_;  // of W where the metric has nothing to say, scaled
  std::vector<Place> metric_place_,
      jacobian_place_;  // of each of their entries; row no_row: not used
  std::vector<std::uint32_t> metric_target_, jacobian_target_, transposed_target_, diagonal_target_;
  std::vector<bool> spared_;  // of the columns that may move; empty: all alike
  double metric_size_ = 1;
  std::vector<double> matrix_values_, solution_;
  std::optional<Klu<double>> matrix_;
};

}  // namespace daedal::solve
