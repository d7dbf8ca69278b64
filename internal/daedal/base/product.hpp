// Products of dense matrices that can be asked to stop: of 1000 rows one takes a second.
#pragma once

#include <Eigen/Core>

namespace daedal {

/// a b, the same bits as Eigen's; 0 where there is nothing to add up.
Eigen::MatrixXd product(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b);

}  // namespace daedal
