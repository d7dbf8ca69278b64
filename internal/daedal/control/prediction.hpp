// A loop whose commands come late: where the states will be when a command of now acts.
//
//   u(t) = v_k  for  k T + delay <= t < (k + 1) T + delay,      z(k T + delay) = ahead z_k + sum_j past_j v_(k-j)
//
// From k T + delay on, the mechanism and its cost are those of the loop without delay, sampled at these moments. So v_k = -K z(k T +
// delay) with the gains K of that loop is the cheapest feedback of the augmented state (z, v_(k-1), ...), and the factors of its loop
// are those of K, and 0 for each command on its way.
//
// `delay` is the time from the moment that a sample shows to the moment at which its command acts: measurements that come late count
// like commands that do, since only their sum is in the equations.
#pragma once

#include "daedal/control/sampled_loop.hpp"

#include <Eigen/Core>

#include <vector>

namespace daedal::feedback {

struct Prediction {
  Eigen::MatrixXd ahead;
  std::vector<Eigen::MatrixXd> past;  // of the command of 1, 2, ... samples ago
};

/// A delay as so many whole periods, and what is left of it [s].
struct WholeSamples {
  int count = 0;
  double rest = 0;
};
WholeSamples samples_of(double delay, double period);

/// Of z' = f z + g u.
Prediction prediction(const Eigen::MatrixXd& f, const Eigen::MatrixXd& g, double period,
                      double delay);

/// v_k = -gain z_k - sum_j past[j - 1] v_(k-j), acting late: from sample to sample.
SampledLoop late_loop(const Eigen::MatrixXd& f, const Eigen::MatrixXd& g,
                      const Eigen::MatrixXd& gain, const std::vector<Eigen::MatrixXd>& past,
                      double period, double delay);

}  // namespace daedal::feedback
