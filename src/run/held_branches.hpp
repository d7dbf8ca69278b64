// A problem whose state-dependent branches are held constant between the times at which they change.
#pragma once

#include "daedal/formulate/problem.hpp"
#include "daedal/start/prepare.hpp"
#include "daedal/system/evaluation.hpp"

#include <memory>
#include <optional>
#include <string>

namespace daedal::solve {

class HeldBranches {
 public:
  /// Null when no branch depends on the state, or when holding it would leave unknowns without equations (an unknown that
  /// occurs in a comparison alone): then methods step across.
  static std::unique_ptr<HeldBranches> of(const formulate::Problem& live);

  /// The problem with all branches as they are at a point of the live one; it has the same states and tops.
  const formulate::Problem& at(const ConsistentPoint& point);

  /// "x' < 0"
  const std::string& name(std::size_t branch) const;
  /// Whether a constraint has branches: where they change, velocities may have to jump.
  bool in_constraints() const { return in_constraints_; }

 private:
  explicit HeldBranches(formulate::Problem held);

  formulate::Problem problem_;
  std::vector<std::size_t> parameter_;  // of each branch, in problem_.parameters
  std::optional<Evaluation> inputs_;
  bool in_constraints_ = false;
};

}  // namespace daedal::solve
