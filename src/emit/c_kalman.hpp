// Kalman's filter about a rest as C99: the operations of control/linear_filter.cpp, sums in the same order.
#pragma once

#include "daedal/control/linear_filter_numbers.hpp"

#include <string>

namespace daedal::emit {

/// Members of the type NAME_estimate, and the functions
///   void begin_estimate(NAME_estimate* e)
///   NAME_status estimate(NAME_estimate* e, double t, const double* inputs, const double* measured, const int* fresh)
/// of which the second goes on to the sample at t. Estimates are e->x.
struct CKalman {
  std::string members, text;
};
CKalman c_kalman(const feedback::LinearFilterNumbers& filter);

}  // namespace daedal::emit
