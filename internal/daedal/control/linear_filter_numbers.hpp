// What a linear filter is made of, for code that runs elsewhere (daedal/emit/c_controller.hpp).
#pragma once

#include "daedal/model/estimator.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace daedal::feedback {

/// z <- a z + b v, y = y_0 + h z + j v, x = x_0 + basis z with v = u - u_0. Matrices row by row.
struct LinearFilterNumbers {
  std::size_t modes = 0;  // entries of z
  std::vector<double> a, b, h, j, basis;
  std::vector<double> rest, rest_inputs, rest_outputs;  // x_0, u_0, y_0
  std::vector<double> process;                          // covariance that a period adds to z
  std::vector<double> variances;                        // of measurements
  std::vector<double> start, start_covariance;          // of z
};

/// Nothing when it is another filter.
std::optional<LinearFilterNumbers> linear_filter_numbers(const model::ObserverDesign& design);

}  // namespace daedal::feedback
