// Redundant constraints, in words; and the search for a consistent point, which finds them.
#pragma once

#include "daedal/start/prepare.hpp"
#include "daedal/start/rank.hpp"

#include <string>
#include <variant>
#include <vector>

namespace daedal::solve {

/// Constraints that follow from other constraints at the start and everywhere near it.
struct Redundancy {
  std::vector<std::uint32_t> constraints;  // of the model
  std::vector<Diagnostic> faults;          // that name them
};
/// As consistent_point, but redundant constraints are an answer. They stay a fault (ModelError) when they depend on
/// equations or drives: then their multipliers would decide about the motion.
std::variant<ConsistentPoint, Redundancy> find_consistent_point(const formulate::Problem& problem,
                                                                const ConsistentOptions& options);

/// A constraint in the user's words, and its number in the order of the model.
struct Named {
  std::string name;
  Place place;
  std::uint32_t number = 0;
};
/// "'crank_axis' (line 9) and 'rod_axis' (line 11)"; members of one part together, "'pin.point[1..3]', 'pin.axis[1]' (line 9)".
std::string list_names(const std::vector<Named>& names);

/// "pin" of "pin.point[2]"; empty for a constraint of the model itself.
std::string part_of(const std::string& constraint);

/// What the rank of the constraint Jacobian says: "constraint_jacobian has rank 5 for 6 constraints at t = 0 s (...)".
struct RankFacts {
  std::uint32_t rank = 0, constraints = 0;
  double t = 0, smallest_singular_value = 0, tolerance = 0;
};
std::string describe(const RankFacts& facts);

struct Redundant {
  Named constraint;
  std::vector<Named> follows_from;
};
enum class Handling : std::uint8_t {
  fault,            // nothing can be done but change the model
  can_be_left_out,  // a fault whose help says how to keep them
  left_out          // a warning
};
/// "model 'slider': constraint 'sum' is redundant", with the rank and what it follows from; neighbours of one part together,
/// "model 'loop': 3 constraints of 'pin' are redundant: point[3], axis[1..2]".
std::vector<Diagnostic> redundant_constraints(const std::string& model, const RankFacts& facts,
                                              const std::vector<Redundant>& list,
                                              Handling handling);

}  // namespace daedal::solve
