// Index-reduced variants of an inverse model [Druecker2022, section 3.2.5]: the same motion, equations of a lower index.
//
//   original            s = h(q) - z_d = 0 with the equations of motion
//   baumgarte           s'' + 2 p s' + p^2 s = 0 instead of s = 0, and of geometric constraints [Baumgarte1972]
//   projection          the equations of motion along the servo-constraints; across them, accelerations are the desired
//                       ones [BlajerKolodziejczyk2004]
//   substitution        the desired motion is substituted for coordinates: for outputs that are coordinates, and for any coordinate
//                       that an output contains linearly, whose place the output takes
//   minimal_extension   s, s' and s'' together, with as many derivatives of coordinates as additional unknowns
//                       [AltmannBetschYang2016]
//
// All start from the equations with the desired outputs as signals; the variant determines which of their derivatives occur.
#pragma once

#include "daedal/invert/inverse_model.hpp"
#include "daedal/structure/regularity.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace daedal::inversion {

enum class Reduction : std::uint8_t {
  original,
  baumgarte,
  projection,
  substitution,
  minimal_extension
};
/// "original", "baumgarte", ...
const std::vector<std::string>& reduction_names();

struct ReductionOptions {
  Reduction reduction = Reduction::original;
  double pole = 10;  // [1/s], > 0: of Baumgarte's terms, -pole is where they put both eigenvalues
};

/// An inverse model in one variant.
struct ReducedModel {
  std::shared_ptr<const derive::Dae> dae;
  /// Unknowns that replace derivatives of coordinates (minimal extension).
  std::vector<std::pair<expr::SymbolId, expr::Leaf>> stand_ins;
  /// Coordinates that are no longer unknowns, as functions of unknowns and desired outputs (substitution).
  std::vector<std::pair<expr::Leaf, expr::Expr>> replaced;
  std::shared_ptr<const expr::Graph> graph;  // of `replaced`
  std::vector<std::string> words;            // what was done: "'z[1]' takes the place of x_T"
};

/// `start` gives the leaves of the inverse model at a consistent point; it decides which coordinates depend on the outputs.
/// Throws ModelError when a variant does not exist: the obstacle and a remedy.
ReducedModel reduce(const InverseModel& inverse, const structure::Point& start,
                    const ReductionOptions& options);

/// The leaves of `reduced` at the same point: those of the inverse model, of replacements, and the derivatives of
/// desired outputs. Refers to all three, which must outlive it.
structure::Point point_of(const ReducedModel& reduced, const structure::Point& start);

/// Condition number (2-norm) of Newton's matrix E/(beta step) - A of a step, E x' = A x linearised at `start`: in the unknowns
/// as they are, coordinates, velocities, multipliers, inputs, nothing scaled. `beta`: 1 for implicit Euler.
double newton_condition(const derive::Dae& dae, const structure::Point& start, double step,
                        double beta = 1);

}  // namespace daedal::inversion
