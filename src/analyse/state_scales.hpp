// Units for the states of z' = F z: powers of two that make every row of F as large as its column [ParlettReinsch1969].
#pragma once

#include <Eigen/Core>

namespace daedal::analysis {

/// diag(s)^-1 F diag(s) is balanced: ranks in it are no question of units.
Eigen::VectorXd state_scales(const Eigen::MatrixXd& f);

}  // namespace daedal::analysis
