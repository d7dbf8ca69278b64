// The start on one level, as near to the guesses as the constraints allow; stated values move last.
//
// A hierarchy of two problems of least squares, over the stated values x and the others y,
//     1.  min |x - x0|_W  over all x for which some y solves f(x, y) = 0,
//     2.  min |y - y0|_W  subject to  f(x, y) = 0  with that x.
// Most often x = x0 solves the first, and x does not move by a bit: that is tried before anything else. Otherwise x is found
// by proximal steps [Rockafellar1976],
//     (x, y)_{k+1} = argmin |x - x0|^2 + share |y - y_k|^2  subject to  f(x, y) = 0,
// whose limit solves 1; each is a problem of the nearest point (level_solver.hpp), so that far guesses stay in their assembly.
#pragma once

#include "daedal/formulate/problem.hpp"
#include "daedal/system/equation_jet.hpp"

#include <memory>
#include <vector>

namespace daedal::solve {

/// By point position.
struct StartMarks {
  std::vector<bool> fixed;   // must not move
  std::vector<bool> stated;  // move last; none or all of a level: they move together
};

struct LevelStart {
  bool found = false;
  int attempt = 0;               // whose guess led there: 0 is the guess itself
  std::vector<double> residual;  // the smallest, when none was found
  /// By column of the level: the rows that forbid its stated value; empty when all hold.
  std::vector<std::vector<std::uint32_t>> hindrances;
};

/// How far perturbed guesses go, in units of each variable's scale.
double perturbation(int attempt);

/// Moves the level's unknowns in `point`, which is the guess.
LevelStart start_of_level(const formulate::Problem& problem, const formulate::Level& level,
                          const StartMarks& marks, int attempts, std::vector<double>& point,
                          const std::shared_ptr<EquationJet>& jet);

}  // namespace daedal::solve
