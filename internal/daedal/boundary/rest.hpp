// States of rest of a reduced system: where the desired outputs are constant, everything may be.
#pragma once

#include "daedal/boundary/boundary_value.hpp"
#include "daedal/boundary/reduced_system.hpp"
#include "daedal/formulate/problem.hpp"

#include <vector>

namespace daedal::boundary {

/// States whose chains begin with them: no other state has them as its derivative.
std::vector<std::uint32_t> positions_of(const ReducedSystem& system);

/// Where to look for rest: consistent start values; those of the model as they are in a descriptor form, whose tops the
/// states alone do not determine.
struct StartGuess {
  std::vector<double> states, tops;
};
StartGuess start_guess(const formulate::Problem& problem);

struct Rest {
  bool found = false;
  double residual = 0;  // of r and c, where Newton's method ended
  std::vector<double> states, tops;
};

/// r(w, s, z) = 0 and c(w, s) = 0 with s' = 0, nearest to the guesses, by Gauss-Newton steps.
Rest rest_at(ReducedSystem& system, const double* w, const std::vector<double>& states,
             const std::vector<double>& tops);

/// Rest at the last of some times, their outputs stopped, followed from another one: of several poses, the one that the
/// motion leads to.
Rest rest_along(ReducedSystem& system, const Desired& desired, const std::vector<double>& times,
                const Rest& from);

/// Whether r = 0 determines all inputs at rest. (Not the torque of a drive that reaches no output within two derivatives, in a
/// descriptor form: at the nodes of central differences it still has a value, between Gauss points nothing would determine it.)
bool inputs_are_determined(InverseSystem& system, const double* w, const Rest& rest);
/// Throws ModelError where they are not.
void require_determined_inputs(InverseSystem& system, const double* w, const Rest& rest);

}  // namespace daedal::boundary
