// See level_start.hpp.

#include "level_start.hpp"

#include "daedal/system/point.hpp"
#include "level_solver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace daedal::solve {

namespace {

class StatedLast {
 public:
  StatedLast(const formulate::Problem& problem, const formulate::Level& level,
             const StartMarks& marks, int attempts, std::vector<double>& point,
             std::shared_ptr<EquationJet> jet)
      : problem_(problem),
        level_(level),
        marks_(marks),
        attempts_(attempts),
        point_(point),
        guess_(point),
        jet_(std::move(jet)) {
    for (std::size_t c = 0; c < level.unknowns.size(); ++c) {
      const std::uint32_t p = level.unknowns[c];
      if (marks.fixed[p] || (!level.movable.empty() && !level.movable[c])) continue;
      if (problem.is_lifted(p)) continue;
      (marks.stated[p] ? stated_ : others_).push_back(c);
    }
  }

  LevelStart run() {
    if (mixed() && hold_stated()) return std::move(result_);
    if (!find_any()) return std::move(result_);
    if (mixed()) {
      spare_stated();
      keep_what_holds();
      settle_others();
    } else {
      LevelSolver all = solver(marks_.fixed, guess_);
      all.approach(point_);
      if (moved_stated()) result_.hindrances = all.hindrances(point_);
    }
    return std::move(result_);
  }

 private:
  bool mixed() const { return !stated_.empty() && !others_.empty(); }
  LevelSolver solver(const std::vector<bool>& kept, const std::vector<double>& guess) const {
    return {problem_, level_, kept, guess, jet_};
  }
  std::vector<bool> fixed_and_stated() const {
    std::vector<bool> kept = marks_.fixed;
    for (const std::size_t c : stated_) kept[level_.unknowns[c]] = true;
    return kept;
  }
  /// A differentiated equation is linear in the level's unknowns: another guess does not help.
  bool linear() const {
    return std::all_of(level_.derivative.begin(), level_.derivative.end(),
                       [](std::uint16_t d) { return d > 0; });
  }

  /// All stated values as they are, the others as near to their guesses as that allows.
  bool hold_stated() {
    LevelSolver others = solver(fixed_and_stated(), guess_), all = solver(marks_.fixed, guess_);
    for (int attempt = 0; attempt < (linear() ? 1 : attempts_); ++attempt) {
      point_ = guess_;
      if (attempt > 0)
        others.perturb(point_, perturbation(attempt), static_cast<std::uint64_t>(attempt));
      if (!others.restore(point_) || !all.holds(point_)) continue;
      others.approach(point_);
      result_.found = true;
      result_.attempt = attempt;
      return true;
    }
    point_ = guess_;
    return false;
  }

  /// Some point of the level near the guess.
  bool find_any() {
    LevelSolver all = solver(marks_.fixed, guess_);
    std::vector<double> best = guess_;
    double smallest = std::numeric_limits<double>::infinity();
    for (int attempt = 0; attempt < attempts_; ++attempt) {
      point_ = guess_;
      if (attempt > 0)
        all.perturb(point_, perturbation(attempt), static_cast<std::uint64_t>(attempt));
      if (all.restore(point_)) {
        result_.found = true;
        result_.attempt = attempt;
        return true;
      }
      if (const double violation = all.violation(point_); violation < smallest) {
        smallest = violation;
        best = point_;
      }
    }
    point_ = best;
    result_.residual = all.residual(best);
    return false;
  }

  /// Proximal steps from a point of the level to one whose stated values are nearest to what was stated.
  void spare_stated() {
    constexpr int most_steps = 20;
    constexpr double settled = 1e-13;  // of a step, in units of the scales
    for (int step = 0; step < most_steps; ++step) {
      std::vector<double> target = point_;
      for (const std::size_t c : stated_) target[level_.unknowns[c]] = guess_[level_.unknowns[c]];
      LevelSolver all = solver(marks_.fixed, target);
      all.spare(marks_.stated);
      const std::vector<double> before = point_;
      all.approach(point_);
      if (farthest_step(before) > settled && step + 1 < most_steps) continue;
      if (moved_stated()) result_.hindrances = all.hindrances(point_);
      return;
    }
  }

  /// Stated values that have come back to where they were, up to the accuracy of the nearest point, are restored to the bit.
  void keep_what_holds() {
    constexpr double back = 1e-9;  // in units of the scales
    std::vector<bool> kept = marks_.fixed;
    std::vector<double> there = point_;
    for (const std::size_t c : stated_) {
      const std::uint32_t p = level_.unknowns[c];
      if (std::abs(there[p] - guess_[p]) > back * scale(p)) continue;
      there[p] = guess_[p];
      kept[p] = true;
    }
    if (solver(kept, there).restore(there) && solver(marks_.fixed, there).holds(there))
      point_ = there;
  }

  /// With the stated values where they have come to, the others near their guesses.
  void settle_others() {
    std::vector<double> target = guess_, there = point_;
    for (const std::size_t c : stated_) target[level_.unknowns[c]] = point_[level_.unknowns[c]];
    LevelSolver others = solver(fixed_and_stated(), target), all = solver(marks_.fixed, target);
    if (!others.restore(there) || !all.holds(there)) return;
    others.approach(there);
    if (all.holds(there)) point_ = there;
  }

  double scale(std::uint32_t position) const {
    return std::max(std::abs(guess_[position]), nominal_at(problem_, position));
  }
  double farthest_step(const std::vector<double>& before) const {
    double farthest = 0;
    for (const std::size_t c : stated_) {
      const std::uint32_t p = level_.unknowns[c];
      farthest = std::max(farthest, std::abs(point_[p] - before[p]) / scale(p));
    }
    return farthest;
  }
  bool moved_stated() const { return farthest_step(guess_) > 0; }

  const formulate::Problem& problem_;
  const formulate::Level& level_;
  const StartMarks& marks_;
  int attempts_;
  std::vector<double>& point_;
  const std::vector<double> guess_;
  std::shared_ptr<EquationJet> jet_;
  std::vector<std::size_t> stated_, others_;  // columns of the level that may move
  LevelStart result_;
};

}  // namespace

double perturbation(int attempt) {
  const double sizes[] = {0, 0.01, 0.1, 0.3, 1, 1, 2, 2};
  return sizes[std::min<std::size_t>(static_cast<std::size_t>(attempt), std::size(sizes) - 1)];
}

LevelStart start_of_level(const formulate::Problem& problem, const formulate::Level& level,
                          const StartMarks& marks, int attempts, std::vector<double>& point,
                          const std::shared_ptr<EquationJet>& jet) {
  return StatedLast(problem, level, marks, attempts, point, jet).run();
}

}  // namespace daedal::solve
