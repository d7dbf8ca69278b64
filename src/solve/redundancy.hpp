// Redundant constraints, in words; and the search for a consistent point, which finds them.
#pragma once

#include "daedal/solve/consistent.hpp"
#include "rank.hpp"

#include <string>
#include <variant>
#include <vector>

namespace daedal::solve {

/// Constraints that follow from other constraints at the start and everywhere near it.
struct Redundancy {
  std::vector<std::uint32_t> constraints;  // of the model
  std::vector<Diagnostic> faults;          // one for each
};
/// As consistent_point, but redundant constraints are an answer. They stay a fault (ModelError) when they depend on
/// equations or drives: then their multipliers would decide about the motion.
std::variant<ConsistentPoint, Redundancy> find_consistent_point(const formulate::Problem& problem,
                                                                const ConsistentOptions& options);

/// "'crank_axis' (line 9) and 'rod_axis' (line 11)".
struct Named {
  std::string name;
  Place place;
};
std::string list_names(const std::vector<Named>& names);

/// What the rank of the constraint Jacobian says: "constraint_jacobian has rank 5 for 6 constraints at t = 0 s (...)".
struct RankFacts {
  std::uint32_t rank = 0, constraints = 0;
  double t = 0, smallest_singular_value = 0, tolerance = 0;
};
std::string describe(const RankFacts& facts);

/// "model 'slider': constraint 'sum' is redundant", with the rank and what it follows from.
Diagnostic redundant_constraint(const std::string& model, const Named& constraint,
                                const RankFacts& facts, const std::vector<Named>& follows_from);

}  // namespace daedal::solve
