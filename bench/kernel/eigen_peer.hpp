// The peer of the fused Newton iteration: Eigen's LU of fixed size, compiled with -O2 -march=native.
#pragma once

namespace daedal::bench {

/// dx = -J^-1 r, J dense 7 x 7 by rows.
void eigen_newton_direction(const double* jacobian, const double* residual, double* dx);

}  // namespace daedal::bench
