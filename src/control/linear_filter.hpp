// Kalman's filter about a state of rest.
#pragma once

#include "filter_parts.hpp"

#include <Eigen/Core>

#include <memory>
#include <vector>

namespace daedal::feedback {

struct LinearFilterModel {
  std::vector<double> rest, rest_inputs, rest_outputs;  // x_0, u_0, y_0
  std::vector<double> begin;                            // x at the start
  std::vector<double> process, noise, start;            // standard deviations
  SmallMatrix a, b, h, j, basis;
};

/// z' = f z + g v, y = y_0 + h z + j v; fills in the matrices. Of its inputs a second half, if `between` is above 0, acts for so
/// long [s] in each period.
std::shared_ptr<const model::ObserverDesign> linear_filter(
    const Eigen::MatrixXd& f, const Eigen::MatrixXd& g, const Eigen::MatrixXd& h,
    const Eigen::MatrixXd& j, const Eigen::MatrixXd& basis, double period, double between,
    LinearFilterModel rest);

}  // namespace daedal::feedback
