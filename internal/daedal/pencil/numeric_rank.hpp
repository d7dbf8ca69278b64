// The rank of a small matrix in numbers.
#pragma once

#include <Eigen/Core>

namespace daedal::analysis {

/// Rows and columns are scaled to length 1 first: outputs and inputs have units of their own.
int numeric_rank(Eigen::MatrixXd m);

}  // namespace daedal::analysis
