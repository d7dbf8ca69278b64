// Fewer states, nearly the same outputs.
//
// Uncontrollable and unobservable modes are removed without error. Beyond, Hankel singular values s_1 >= s_2 >= ... say
// how much a state takes part in what inputs do to outputs [Moore1981]; with the first k of n states kept,
//   balanced truncation          |G - G_k|_inf <= 2 (s_(k+1) + ... + s_n)   every distinct value counted once
//   Hankel-norm approximation    |G - G_k|_H = s_(k+1), the least there is, and |G - G_k|_inf <= s_(k+1) + 2 (s_(k+2) + ...)
//                                [Glover1984]
// An unstable or undamped part has no Hankel singular values: it is split off and kept as it is.
#pragma once

#include "daedal/analyse/state_space.hpp"

#include <Eigen/Core>

namespace daedal::analysis {

/// The controllable and observable part, in the states' own metric.
StateSpace minimal_part(const StateSpace& system);

struct ReducedModel {
  StateSpace
      system;  // its states are combinations; `basis` maps them to the variables where that has a meaning
  Eigen::MatrixXd left;    // reduced states = left * states of the whole; of a balanced truncation
  Eigen::VectorXd hankel;  // singular values of the stable part
  int unstable = 0;        // states kept because they are not stable
  double bound = 0;        // of the largest gain of the difference over all frequencies
};

/// `order` states in all, at least as many as are not stable; no more than are stable and minimal. std::invalid_argument
/// otherwise, when the system is not proper, or with poles on the imaginary axis.
ReducedModel balanced_truncation(const StateSpace& system, int order);
ReducedModel hankel_approximation(const StateSpace& system, int order);

}  // namespace daedal::analysis
