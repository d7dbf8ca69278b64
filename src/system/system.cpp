#include "daedal/system/system.hpp"

namespace daedal::solve {

std::string_view describe(Failure failure) {
  switch (failure) {
    case Failure::none:
      return "nothing failed";
    case Failure::singular_matrix:
      return "the equations do not determine the accelerations and multipliers (singular matrix)";
    case Failure::newton_diverged:
      return "the equations could not be solved for the accelerations and multipliers";
    case Failure::not_finite:
      return "a value is not finite";
    case Failure::cannot_project:
      return "the state could not be moved back onto the constraints";
    case Failure::inaccurate:
      return "the Taylor series does not describe the motion over the step";
    case Failure::no_series:
      return "the system has no Taylor series";
    case Failure::not_redundant:
      return "a constraint that was redundant at the start is violated";
    case Failure::interrupted:
      return "the run was interrupted";
    case Failure::multipliers_move:
      return "the multipliers of the augmented Lagrangian do not settle within a step";
  }
  return "";
}

}  // namespace daedal::solve
