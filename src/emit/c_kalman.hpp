// Kalman's filter about a rest as C99: the operations of control/linear_filter.cpp, sums in the same order.
#pragma once

#include "daedal/control/linear_filter_numbers.hpp"

#include <string>

namespace daedal::emit {

/// Members of the type NAME_estimate, and the functions
///   void begin_estimate(NAME_estimate* e)
///   int estimate(NAME_estimate* e, const double* inputs, const double* measured, const int* fresh)
/// of which the second goes on to a sample; 0 where the covariance is no longer positive definite. Estimates are e->x.
struct CKalman {
  std::string members, text;
};
CKalman c_kalman(const feedback::LinearFilterNumbers& filter);

}  // namespace daedal::emit
