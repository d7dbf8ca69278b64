// See redundancy.hpp.

#include "redundancy.hpp"

#include <fmt/format.h>

namespace daedal::solve {

std::string list_names(const std::vector<Named>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " and " : ", ";
    text += fmt::format("'{}'", names[i].name);
    if (names[i].place.known()) text += fmt::format(" (line {})", names[i].place.line);
  }
  return text;
}

std::string describe(const RankFacts& facts) {
  return fmt::format(
      "constraint_jacobian has rank {} for {} constraints at t = {:g} s (smallest singular value "
      "{:.1e}, tolerance {:.0e})",
      facts.rank, facts.constraints, facts.t, facts.smallest_singular_value, facts.tolerance);
}

Diagnostic redundant_constraint(const std::string& model, const Named& constraint,
                                const RankFacts& facts, const std::vector<Named>& follows_from) {
  return {Severity::error,
          constraint.place,
          fmt::format("model '{}': constraint '{}' is redundant", model, constraint.name),
          {describe(facts) + ";",
           follows_from.empty()
               ? fmt::format("no coordinate can move to satisfy '{}'", constraint.name)
               : fmt::format("'{}' follows from {}", constraint.name, list_names(follows_from))},
          fmt::format("remove '{}'", constraint.name)};
}

}  // namespace daedal::solve
