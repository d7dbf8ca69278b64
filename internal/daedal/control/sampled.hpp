// What a controller with a clock sees of a linear model: from one sample to the next, the input held between them.
#pragma once

#include <Eigen/Core>

namespace daedal::feedback {

/// e^m, by scaling, squaring and Pade's approximation of degree 13 [Higham2005].
Eigen::MatrixXd exponential(Eigen::MatrixXd m);

/// x_(k+1) = a x_k + b u_k, and the integral of the cost over a period as x_k^T q x_k + 2 x_k^T s u_k + u_k^T r u_k.
struct Sampled {
  Eigen::MatrixXd a, b, q, r, s;
};

/// x^T q x + 2 x^T n u + u^T r u
struct Weights {
  Eigen::MatrixXd q, r, n;
};

/// Of x' = f x + g u with such a cost [VanLoan1978]; period > 0 [s].
Sampled sampled(const Eigen::MatrixXd& f, const Eigen::MatrixXd& g, const Weights& weights,
                double period);

}  // namespace daedal::feedback
