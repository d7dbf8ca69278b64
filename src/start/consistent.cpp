// Consistent points, see daedal/start/prepare.hpp: levels from the lowest up, then the tops,
// then a check of the rank.

#include "daedal/start/prepare.hpp"
#include "daedal/start/singular.hpp"
#include "daedal/structure/regularity.hpp"
#include "daedal/system/evaluation.hpp"
#include "daedal/system/level_residual.hpp"
#include "daedal/system/noise.hpp"
#include "daedal/system/point.hpp"
#include "level_solver.hpp"
#include "level_start.hpp"
#include "redundancy.hpp"
#include "top_solver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <stdexcept>
#include <utility>

namespace daedal::solve {

namespace {

constexpr double largest_residual_met =
    1e-8;  // relative to the length of the scaled gradient; solved ones are at rounding
// A stated value has moved when it differs by more than what rounding to three digits makes of it.
constexpr double noticeable_share = 5e-3;   // of the value: rounding to three digits
constexpr double noticeable_offset = 1e-6;  // of its nominal size, where the value is 0

/// How often a constraint has been differentiated, in brackets.
std::string derivative_text(int derivative) {
  if (derivative == 0) return "";
  if (derivative == 1) return " (its time derivative)";
  return fmt::format(" (its time derivative of order {})", derivative);
}

class Search {
 public:
  Search(const formulate::Problem& problem, const ConsistentOptions& options)
      : problem_(problem),
        model_(*problem.dae->model),
        options_(options),
        jet_(shared_jet(problem)),
        point_(empty_point(problem)) {
    point_[0] = options.t;
    marks_.fixed.assign(point_.size(), false);
    marks_.stated.assign(point_.size(), false);
    read_start_values();
    evaluate_inputs();
    Scan(problem_, point_.data(), tape_only())(point_.data());
    guess_ = point_;
  }

  std::variant<ConsistentPoint, Redundancy> run() {
    if (options_.values == StartValues::as_given)
      note_violations();
    else
      for (std::size_t k = 0; k < problem_.levels.size(); ++k) {
        solve_level(k);
        follow_formulas(k);
      }
    if (Redundancy redundancy = check_rank(); !redundancy.faults.empty()) return redundancy;
    find_tops();
    check_fixed_tops();
    return result();
  }

 private:
  std::string here() const { return fmt::format("model '{}'", model_.name); }
  std::uint32_t first_top() const { return 1 + problem_.states; }
  std::uint32_t end_of_tops() const { return first_top() + problem_.tops; }

  void read_start_values() {
    std::copy(options_.held.begin(), options_.held.end(),
              point_.begin() + problem_.first_held_value);
    if (!options_.states.empty()) {
      std::copy(options_.states.begin(), options_.states.end(), point_.begin() + 1);
      for (const expr::Leaf leaf : options_.kept)
        if (const std::uint32_t position = problem_.layout.find(leaf); position != compile::absent)
          marks_.fixed[position] = true;
      return;
    }
    for (const model::StartValue& start : model_.starts) {
      const std::uint32_t position = problem_.layout.find(start.leaf);
      if (position == compile::absent || position >= end_of_tops() || forgets(start)) continue;
      point_[position] = start.value;
      marks_.fixed[position] = start.fixed;
      marks_.stated[position] = start.stated;
    }
  }

  /// At rest the velocities of the model do not count.
  bool forgets(const model::StartValue& start) const {
    return options_.values == StartValues::rest && start.leaf.order > 0;
  }

  void evaluate_inputs() {
    if (problem_.inputs.rows == 0) return;
    Evaluation inputs(problem_.inputs, problem_.layout, point_.data(), tape_only());
    inputs(point_.data(), point_.data() + problem_.first_input);
  }

  // ---- levels

  void note_violations() {
    for (const formulate::Level& level : problem_.levels) {
      std::vector<double> residual(level.rows());
      LevelResidual(problem_, level, point_.data(), tape_only(), jet_)(point_.data(),
                                                                       residual.data());
      for (std::uint32_t r = 0; r < level.constraints(); ++r)
        if (residual[r] != 0)
          violations_.push_back({problem_.dae->equations[level.equation[r]].name +
                                     std::string(level.derivative[r], '\''),
                                 residual[r]});
    }
  }

  void solve_level(std::size_t k) {
    const formulate::Level& level = problem_.levels[k];
    const LevelStart start =
        start_of_level(problem_, level, marks_, options_.attempts, point_, jet_);
    if (!start.found) {
      refuse_turn_without_inertia(start.residual);
      throw ModelError(unmet_constraints(level, start.residual));
    }
    if (start.attempt > 0) warn_about_perturbation(level, start.attempt);
    for (std::size_t c = 0; c < start.hindrances.size(); ++c)
      for (const std::uint32_t r : start.hindrances[c])
        hindrances_[level.unknowns[c]].push_back(level.equation[r]);
  }

  /// Start values that are formulas of what the levels up to k have moved; of what they have found nothing changes any more.
  void follow_formulas(std::size_t k) {
    if (!options_.states.empty()) return;
    for (const std::uint32_t position : problem_.levels[k].unknowns) found_.insert(position);
    for (const model::StartValue& start : model_.starts) {
      const std::uint32_t position = problem_.layout.find(start.leaf);
      if (!start.formula || position == compile::absent || position >= end_of_tops() ||
          found_.contains(position) || forgets(start))
        continue;
      const expr::Expr roots[] = {*start.formula};
      point_[position] = guess_[position] =
          expr::evaluate(*model_.graph, roots, [&](expr::Leaf leaf) { return value_of(leaf); })[0];
    }
  }
  double value_of(expr::Leaf leaf) const {
    const std::uint32_t position = problem_.layout.find(leaf);
    if (position != compile::absent) return point_[position];
    return leaf.order == 0 ? model_.symbols[leaf.symbol].value : 0.0;
  }

  /// The velocity of a slender rod about its axis, where it has no inertia, must be held by a joint: else the constraints can be
  /// met, but no velocity is the nearest one, nor are accelerations determined.
  void refuse_turn_without_inertia(const std::vector<double>& residual) const {
    const bool met = std::all_of(residual.begin(), residual.end(),
                                 [](double r) { return std::abs(r) <= largest_residual_met; });
    if (!met) return;
    const Undetermined open = undetermined(problem_, point_);
    if (open.unknowns.empty()) return;
    const std::string& first = open.unknowns.front();
    const std::size_t entry = first.rfind(".p[");
    if (entry == std::string::npos) return;
    const std::string body = first.substr(0, entry);
    if (std::any_of(open.unknowns.begin(), open.unknowns.end(),
                    [&](const std::string& name) { return !name.starts_with(body + ".p["); }))
      return;
    const expr::SymbolId turn = model_.find(body + ".p[1]");
    throw ModelError(
        Diagnostic{Severity::error,
                   turn == 0 ? model_.place : model_.symbols[turn].place,
                   fmt::format("{}: no joint holds the turn of '{}' about the axis in which it has "
                               "no inertia",
                               here(), body),
                   {fmt::format("the equations do not determine {}", quoted_names(open.unknowns))},
                   "hold it by a joint with an axis, revolute or universal instead of spherical, "
                   "or give it a small inertia there"});
  }
  static std::string quoted_names(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names)
      text += fmt::format("{}'{}'", text.empty() ? "" : ", ", name);
    return text;
  }

  void warn_about_perturbation(const formulate::Level& level, int attempt) {
    const derive::Equation& first = problem_.dae->equations[level.equation.front()];
    warnings_.push_back(
        {Severity::warning,
         first.place,
         fmt::format("{}: no convergence from the start values; consistent ones were "
                     "found from guesses moved by {} "
                     "of their size",
                     here(), perturbation(attempt)),
         {},
         "give start values nearer to a possible position"});
  }

  std::vector<Diagnostic> unmet_constraints(const formulate::Level& level,
                                            const std::vector<double>& residual) const {
    std::vector<std::uint32_t> rows(residual.size());
    std::iota(rows.begin(), rows.end(), 0u);
    std::stable_sort(rows.begin(), rows.end(), [&](std::uint32_t a, std::uint32_t b) {
      return std::abs(residual[a]) > std::abs(residual[b]) ||
             (std::isnan(residual[a]) && !std::isnan(residual[b]));
    });
    std::vector<Diagnostic> faults;
    for (const std::uint32_t r : rows) {
      if (std::abs(residual[r]) <= largest_residual_met && !faults.empty()) break;
      const derive::Equation& e = problem_.dae->equations[level.equation[r]];
      Diagnostic fault{
          Severity::error,
          e.place,
          fmt::format("{}: {}{} cannot be met at the start", here(),
                      describe_equation(problem_, level.equation[r]),
                      derivative_text(level.derivative[r])),
          {fmt::format("its sides differ by {:.6g} at t = {:g} s, the least found from {} guesses",
                       residual[r], options_.t, options_.attempts)},
          ""};
      if (const std::string kept = fixed_values(level); !kept.empty()) {
        fault.details.push_back("kept as they are: " + kept);
        fault.help = "make one of the fixed values a guess, or change it";
      } else {
        fault.help =
            "check the constraint and its parameters, or give start values nearer to a possible "
            "position";
      }
      faults.push_back(std::move(fault));
      if (faults.size() == 10) break;
    }
    return faults;
  }

  /// "x = 1 m (fixed), x_T = 15 m (driven)".
  std::string fixed_values(const formulate::Level& level) const {
    std::string text;
    int shown = 0;
    for (std::size_t c = 0; c < level.unknowns.size(); ++c) {
      const std::uint32_t position = level.unknowns[c];
      const bool driven = !level.movable.empty() && !level.movable[c];
      if (!marks_.fixed[position] && !driven) continue;
      if (++shown > 8) return text + ", ...";
      text += fmt::format("{}{} = {} ({})", text.empty() ? "" : ", ", name_at(problem_, position),
                          with_unit(point_[position], unit_at(problem_, position)),
                          marks_.fixed[position] ? "fixed" : "driven");
    }
    return text;
  }

  // ---- rank

  /// Constraints that depend on each other here: everywhere, or in this position alone (which is a fault).
  Redundancy check_rank() const {
    const ConstraintRank rank = constraint_rank(problem_, point_, options_.rank_tolerance);
    if (!rank.short_of_rank()) return {};
    const std::vector<std::uint32_t> everywhere = dependent_nearby(rank);
    const std::vector<std::uint32_t> number = derive::constraints_in(*problem_.dae);
    Redundancy found;
    std::vector<Diagnostic> others;  // that no constraint left out would help
    std::vector<Redundant> redundant;
    bool can_be_left_out = !problem_.dae->inverse;
    for (const DependentRow& row : rank.report.dependent) {
      const bool pose =
          std::find(everywhere.begin(), everywhere.end(), row.row) == everywhere.end();
      // the structure of an inverse model was checked: what depends on each other does so here alone
      const bool affects = problem_.dae->inverse && !follows_from_constraints(row);
      if (affects || pose)
        others.push_back(affects ? not_affected(row, rank) : singular_position(row, rank));
      else
        redundant.push_back({named(row.row), named(row.follows_from)});
      can_be_left_out = can_be_left_out && !pose && follows_from_constraints(row);
      if (can_be_left_out) found.constraints.push_back(number[constraint_index(row.row)]);
    }
    found.faults =
        redundant_constraints(model_.name, facts(rank), redundant,
                              can_be_left_out ? Handling::can_be_left_out : Handling::fault);
    if (!can_be_left_out) {
      found.faults.insert(found.faults.end(), others.begin(), others.end());
      throw ModelError(std::move(found.faults));
    }
    return found;
  }

  std::uint32_t equation_of(std::uint32_t row) const {
    return problem_.levels.back().equation[row];
  }
  Named named(std::uint32_t row) const {
    const derive::Equation& e = problem_.dae->equations[equation_of(row)];
    return {e.name, e.place, equation_of(row)};
  }
  std::vector<Named> named(const std::vector<std::uint32_t>& rows) const {
    std::vector<Named> names;
    for (const std::uint32_t row : rows) names.push_back(named(row));
    return names;
  }
  bool is_constraint(std::uint32_t row) const {
    return problem_.dae->equations[equation_of(row)].kind == derive::EquationKind::constraint;
  }
  bool follows_from_constraints(const DependentRow& row) const {
    return is_constraint(row.row) && !row.follows_from.empty() &&
           std::all_of(row.follows_from.begin(), row.follows_from.end(),
                       [&](std::uint32_t r) { return is_constraint(r); });
  }
  /// Among the equations that are constraints.
  std::size_t constraint_index(std::uint32_t row) const {
    const auto first = problem_.dae->equations.begin();
    return static_cast<std::size_t>(std::count_if(
        first, first + equation_of(row),
        [](const derive::Equation& e) { return e.kind == derive::EquationKind::constraint; }));
  }

  RankFacts facts(const ConstraintRank& rank) const {
    return {rank.report.rank, rank.constraints, options_.t, rank.report.smallest_singular_value,
            options_.rank_tolerance};
  }

  Diagnostic singular_position(const DependentRow& row, const ConstraintRank& rank) const {
    const Named constraint = named(row.row);
    return {Severity::error,
            constraint.place,
            fmt::format("{}: the start is a singular position of constraint '{}'", here(),
                        constraint.name),
            {describe(facts(rank)) + ",", "but full rank in other positions nearby;",
             row.follows_from.empty()
                 ? fmt::format("no coordinate can move to satisfy '{}'", constraint.name)
                 : fmt::format("'{}' loses its effect beside {}", constraint.name,
                               list_names(named(row.follows_from)))},
            "start a little away from this position"};
  }

  /// Of an inverse model: no input reaches the highest derivative of a desired output that it reaches elsewhere. The
  /// relative degree is not defined here [Isidori1995].
  Diagnostic not_affected(const DependentRow& row, const ConstraintRank& rank) const {
    std::vector<Named> all = named(row.follows_from);
    all.push_back(named(row.row));
    std::vector<Named> servos;
    for (const Named& n : all)
      for (const derive::Equation& e : problem_.dae->equations)
        if (e.kind == derive::EquationKind::servo && e.name == n.name) servos.push_back(n);
    const std::vector<Named>& lost = servos.empty() ? all : servos;
    return {
        Severity::error,
        lost.front().place,
        fmt::format("{}: at the start the inputs do not affect {}", here(), list_names(lost)),
        {fmt::format("in this state, {}, {} do{} not determine the inputs,", state_words(),
                     list_names(all), all.size() == 1 ? "es" : ""),
         "while they do in others: the relative degree is not defined here", describe(facts(rank))},
        "start the motion in another state, or choose another output; if every rest is like "
        "this, only an approximate inverse exists"};
  }

  /// "s = 0 m, phi = 0 rad, s' = 0 m/s": what the model moves, not more than a reader wants.
  std::string state_words() const {
    constexpr std::uint32_t shown = 6;
    std::string text;
    for (std::uint32_t k = 0; k < std::min(problem_.states, shown); ++k)
      text += fmt::format("{}{} = {}", k == 0 ? "" : ", ", name_at(problem_, 1 + k),
                          with_unit(point_[1 + k], unit_at(problem_, 1 + k)));
    return problem_.states > shown ? text + ", ..." : text;
  }

  /// Rows that depend on others elsewhere on the constraints too, where the rank is highest: what depends only here makes
  /// this position singular.
  std::vector<std::uint32_t> dependent_nearby(const ConstraintRank& rank_here) const {
    ConstraintRank highest = rank_here;
    for (const std::uint64_t k : {11u, 12u, 13u}) {
      std::vector<double> other = point_;
      bool there = true;
      for (const formulate::Level& level : problem_.levels) {
        LevelSolver solver(problem_, level, std::vector<bool>(point_.size(), false), other, jet_);
        solver.perturb(other, 0.03, k);
        there = there && solver.restore(other);
      }
      if (!there) continue;
      ConstraintRank rank = constraint_rank(problem_, other, options_.rank_tolerance);
      if (rank.report.rank > highest.report.rank) highest = std::move(rank);
    }
    std::vector<std::uint32_t> rows;
    for (const DependentRow& row : highest.report.dependent) rows.push_back(row.row);
    return rows;
  }

  // ---- tops

  /// Newton from the guess; where the equations are not linear in the tops, also from guesses around it: x' z + 2 = 0 is
  /// singular at the guess x' = 0 that was not given.
  TopsOutcome solve_tops_from_guesses() {
    const std::vector<double> guess = point_;
    const TopsOutcome first = solve_tops(problem_, point_, jet_.get());
    if (first.status == TopsStatus::solved || problem_.linear) return first;
    const std::vector<double> end = point_;
    for (int attempt = 1; attempt < options_.attempts; ++attempt) {
      point_ = guess;
      for (std::uint32_t p = first_top(); p < end_of_tops(); ++p)
        point_[p] += perturbation(attempt) * std::max(std::abs(guess[p]), nominal_at(problem_, p)) *
                     noise(1000003 * static_cast<std::uint64_t>(attempt) + p);
      const TopsOutcome outcome = solve_tops(problem_, point_, jet_.get());
      if (outcome.status == TopsStatus::solved) return outcome;
    }
    point_ = end;
    return first;
  }

  void find_tops() {
    const TopsOutcome outcome = solve_tops_from_guesses();
    switch (outcome.status) {
      case TopsStatus::solved:
        return;
      case TopsStatus::singular:
        throw ModelError(not_determined());
      case TopsStatus::not_finite:
        throw ModelError(not_finite(outcome.residual));
      case TopsStatus::diverged:
        throw ModelError(not_solved(outcome.residual));
    }
  }

  /// Whether the equations determine the tops elsewhere: then it is this state that is special.
  bool regular_elsewhere() const {
    const structure::Point here_values = [&](expr::Leaf leaf) { return value_of(leaf); };
    return structure::regularity(*problem_.dae, problem_.offsets, here_values).verdict ==
           structure::Verdict::singular_here;
  }

  /// The character of the equations changes at the start.
  Diagnostic singular_start(const Undetermined& open) const {
    Diagnostic fault{Severity::error,
                     model_.place,
                     fmt::format("{}: the start at t = {:g} s is a singular state of the equations",
                                 here(), options_.t),
                     {fmt::format("they do not determine {} there, though they do elsewhere",
                                  fmt::join(open.unknowns, ", ")),
                      fmt::format("equations involved: {}", fmt::join(open.equations, ", "))},
                     "start from other values, or give another input"};
    if (const std::string values = values_in(problem_, point_, open.equations); !values.empty())
      fault.details.push_back("at " + values);
    return fault;
  }

  Diagnostic not_determined() const {
    const Undetermined open = undetermined(problem_, point_);
    if (!open.unknowns.empty() && regular_elsewhere()) return singular_start(open);
    Diagnostic fault{
        Severity::error,
        model_.place,
        fmt::format(
            "{}: the equations do not determine the accelerations and multipliers at t = {:g} s",
            here(), options_.t),
        {},
        "an unknown without inertia, or equations that say the same thing, are the usual causes"};
    if (!open.unknowns.empty()) {
      fault.details.push_back(fmt::format("open: {}", fmt::join(open.unknowns, ", ")));
      fault.details.push_back(
          fmt::format("equations involved: {}", fmt::join(open.equations, ", ")));
    }
    return fault;
  }

  Diagnostic not_finite(const std::vector<double>& r) const {
    Diagnostic fault{Severity::error,
                     model_.place,
                     fmt::format("{}: the equations have no finite value at the start", here()),
                     {},
                     "look for a division by zero, or a root or logarithm of a negative number"};
    for (std::uint32_t i = 0; i < r.size() && fault.details.size() < 6; ++i)
      if (!std::isfinite(r[i])) {
        fault.details.push_back(fmt::format("{} is {}", describe_equation(problem_, i), r[i]));
        if (i < problem_.dae->equations.size() && fault.details.size() == 1)
          fault.place = problem_.dae->equations[i].place;
      }
    return fault;
  }

  Diagnostic not_solved(const std::vector<double>& r) const {
    const auto worst = static_cast<std::uint32_t>(
        std::max_element(r.begin(), r.end(),
                         [](double a, double b) { return std::abs(a) < std::abs(b); }) -
        r.begin());
    return {
        Severity::error,
        worst < problem_.dae->equations.size() ? problem_.dae->equations[worst].place
                                               : model_.place,
        fmt::format("{}: the equations could not be solved for the accelerations and algebraic "
                    "variables at t = {:g} s",
                    here(), options_.t),
        {fmt::format("largest residual: {}, {:.6g}", describe_equation(problem_, worst), r[worst])},
        "give start values for the algebraic variables"};
  }

  /// A value that the equations determine cannot be kept unless it happens to be right.
  void check_fixed_tops() const {
    std::vector<Diagnostic> faults;
    for (const model::StartValue& start : model_.starts) {
      const std::uint32_t position = problem_.layout.find(start.leaf);
      if (!start.fixed || position == compile::absent || position < first_top() ||
          position >= end_of_tops())
        continue;
      const double wrong = std::abs(point_[position] - start.value);
      if (wrong <= 1e-9 * std::max(std::abs(start.value), nominal_at(problem_, position))) continue;
      faults.push_back(
          {Severity::error,
           start.place,
           fmt::format("{}: {} cannot be fixed at {:g}: the equations determine it", here(),
                       name_at(problem_, position), start.value),
           {fmt::format("from the other start values it is {:.10g}", point_[position])},
           "remove  fixed  and let it follow, or fix other values instead"});
    }
    if (!faults.empty()) throw ModelError(std::move(faults));
  }

  // ---- result

  ConsistentPoint result() {
    ConsistentPoint found;
    found.t = options_.t;
    found.states.assign(point_.begin() + 1, point_.begin() + first_top());
    found.tops.assign(point_.begin() + first_top(),
                      point_.begin() + end_of_tops() + problem_.lifted);
    for (std::uint32_t position = 1; position < first_top(); ++position) {
      const double from = guess_[position], to = point_[position];
      if (std::abs(to - from) <= 1e-12 * std::max(std::abs(from), nominal_at(problem_, position)))
        continue;
      found.moves.push_back({name_at(problem_, position), unit_at(problem_, position), from, to});
    }
    warn_about_stated_values();
    found.violations = std::move(violations_);
    found.warnings = std::move(warnings_);
    return found;
  }

  /// Values that the constraints forbid: the user wrote them, and the run starts from others.
  void warn_about_stated_values() {
    constexpr std::size_t shown = 6;
    if (!options_.states.empty()) return;
    std::vector<std::string> moved;
    std::vector<Named> reasons;
    Place first;
    for (const model::StartValue& start : model_.starts) {
      const std::uint32_t position = problem_.layout.find(start.leaf);
      if (position == compile::absent || position >= first_top() || !marks_.stated[position] ||
          !moved_noticeably(position))
        continue;
      if (moved.empty()) first = start.place;
      moved.push_back(fmt::format("{} starts at {} instead of {}", name_at(problem_, position),
                                  with_unit(point_[position], unit_at(problem_, position)),
                                  with_unit(guess_[position], unit_at(problem_, position))));
      add_forbidding(position, reasons);
    }
    if (moved.empty()) return;
    const std::string forbid = reasons.empty() ? "the constraints forbid"
                                               : fmt::format("{} forbid{}", list_names(reasons),
                                                             reasons.size() == 1 ? "s" : "");
    Diagnostic warning{Severity::warning, first, "", {}, ""};
    if (moved.size() == 1) {
      warning.message = fmt::format("{}: {}, which {}", here(), moved[0], forbid);
    } else {
      warning.message = fmt::format("{}: {} {} stated start values", here(), forbid, moved.size());
      warning.details.assign(moved.begin(), moved.begin() + std::min(moved.size(), shown));
      if (moved.size() > shown)
        warning.details.push_back(fmt::format("and {} more", moved.size() - shown));
    }
    warning.help =
        "give values that satisfy the constraints, or leave out those that may follow from "
        "others; a value marked  fixed  is kept, or the run refused";
    warnings_.push_back(std::move(warning));
  }

  bool moved_noticeably(std::uint32_t position) const {
    const double from = guess_[position];
    return std::abs(point_[position] - from) >
           noticeable_share * std::abs(from) + noticeable_offset * nominal_at(problem_, position);
  }

  /// The constraints that keep a stated value from its place, named once for all their entries; not more than a reader wants.
  void add_forbidding(std::uint32_t position, std::vector<Named>& names) const {
    constexpr std::size_t most = 4;
    const auto found = hindrances_.find(position);
    if (found == hindrances_.end()) return;
    for (const std::uint32_t equation : found->second) {
      const derive::Equation& e = problem_.dae->equations[equation];
      const std::string name =
          e.name.substr(0, e.name.ends_with(']') ? e.name.rfind('[') : e.name.npos);
      const bool known = std::any_of(names.begin(), names.end(),
                                     [&](const Named& other) { return other.name == name; });
      if (!known && names.size() < most) names.push_back({name, e.place});
    }
  }

  const formulate::Problem& problem_;
  const model::Model& model_;
  ConsistentOptions options_;
  std::shared_ptr<EquationJet> jet_;
  std::vector<double> point_, guess_;
  StartMarks marks_;
  std::set<std::uint32_t> found_;  // point positions of the levels solved so far
  std::map<std::uint32_t, std::vector<std::uint32_t>>
      hindrances_;  // by point position: the equations that forbid its stated value
  std::vector<StartViolation> violations_;
  std::vector<Diagnostic> warnings_;
};

/// Formulations in which a violation of the constraints is part of the motion; the others remove it in their first step.
bool keeps_violations(formulate::Kind kind) {
  using formulate::Kind;
  return kind == Kind::index1 || kind == Kind::baumgarte || kind == Kind::penalty ||
         kind == Kind::nonlinear_stabiliser;
}

/// Throws ModelError where a formulation would not keep start values that violate the constraints.
void refuse_lost_violations(const formulate::Problem& problem) {
  const formulate::Kind kind = problem.formulation.kind;
  if (keeps_violations(kind)) return;
  throw ModelError(
      {Severity::error,
       problem.dae->model->place,
       fmt::format("a start off the constraints would be lost in the first step of {}", name(kind)),
       {},
       "take index1, baumgarte(...), penalty(...) or nonlinear_stabiliser(...) with  start = "
       "as_given"});
}

}  // namespace

const std::vector<std::string>& start_values_names() {
  static const std::vector<std::string> names{"consistent", "as_given", "rest", "equilibrium"};
  return names;
}

std::variant<ConsistentPoint, Redundancy> find_consistent_point(const formulate::Problem& problem,
                                                                const ConsistentOptions& options) {
  if (options.values == StartValues::equilibrium)
    throw std::invalid_argument("daedal::solve: an equilibrium is looked for by daedal::simulate");
  if (options.values == StartValues::as_given) refuse_lost_violations(problem);
  return Search(problem, options).run();
}

ConsistentPoint consistent_point(const formulate::Problem& problem,
                                 const ConsistentOptions& options) {
  std::variant<ConsistentPoint, Redundancy> found = find_consistent_point(problem, options);
  if (Redundancy* redundancy = std::get_if<Redundancy>(&found))
    throw ModelError(std::move(redundancy->faults));
  return std::get<ConsistentPoint>(std::move(found));
}

}  // namespace daedal::solve
