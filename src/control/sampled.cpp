// With the input as a state that stays, z = (x, u), z' = h z, the cost over a period is  int e^(h^T t) w e^(h t) dt, and
//   exp([ -h^T  w ] T) = [ ...  e12 ]      e22 = e^(h T),   cost = e22^T e12.
//      ([  0    h ]  )   [  0   e22 ]
#include "daedal/control/sampled.hpp"

#include "daedal/base/lu.hpp"
#include "daedal/base/progress.hpp"

#include <cmath>

namespace daedal::feedback {

using Eigen::Index;
using Eigen::MatrixXd;

MatrixXd exponential(MatrixXd m) {
  // coefficients of the numerator; the denominator has them with alternating signs
  constexpr double c[] = {64764752532480000.0,
                          32382376266240000.0,
                          7771770303897600.0,
                          1187353796428800.0,
                          129060195264000.0,
                          10559470521600.0,
                          670442572800.0,
                          33522128640.0,
                          1323241920.0,
                          40840800.0,
                          960960.0,
                          16380.0,
                          182.0,
                          1.0};
  constexpr double largest =
      5.371920351148152;  // norm up to which the approximation is exact to rounding
  const Index n = m.rows();
  if (n == 0) return m;
  const double norm = m.cwiseAbs().colwise().sum().maxCoeff();
  const int halvings = norm > largest ? static_cast<int>(std::ceil(std::log2(norm / largest))) : 0;
  m *= std::ldexp(1.0, -halvings);
  const MatrixXd one = MatrixXd::Identity(n, n), m2 = m * m, m4 = m2 * m2, m6 = m4 * m2;
  const MatrixXd odd = m * (m6 * (c[13] * m6 + c[11] * m4 + c[9] * m2) + c[7] * m6 + c[5] * m4 +
                            c[3] * m2 + c[1] * one);
  const MatrixXd even =
      m6 * (c[12] * m6 + c[10] * m4 + c[8] * m2) + c[6] * m6 + c[4] * m4 + c[2] * m2 + c[0] * one;
  MatrixXd result = Lu(even - odd).solve(MatrixXd(even + odd));
  for (int k = 0; k < halvings; ++k) {
    stop_point();
    result = (result * result).eval();
  }
  return result;
}

Sampled sampled(const MatrixXd& f, const MatrixXd& g, const Weights& weights, double period) {
  const Index n = f.rows(), m = g.cols(), both = n + m;
  MatrixXd h = MatrixXd::Zero(both, both), w = h;
  h.topLeftCorner(n, n) = f;
  h.topRightCorner(n, m) = g;
  w.topLeftCorner(n, n) = weights.q;
  w.topRightCorner(n, m) = weights.n;
  w.bottomLeftCorner(m, n) = weights.n.transpose();
  w.bottomRightCorner(m, m) = weights.r;
  MatrixXd whole = MatrixXd::Zero(2 * both, 2 * both);
  whole.topLeftCorner(both, both) = -h.transpose();
  whole.topRightCorner(both, both) = w;
  whole.bottomRightCorner(both, both) = h;
  const MatrixXd over = exponential(period * whole);
  const MatrixXd step = over.bottomRightCorner(both, both);
  MatrixXd cost = step.transpose() * over.topRightCorner(both, both);
  cost = (0.5 * (cost + cost.transpose())).eval();
  return {step.topLeftCorner(n, n), step.topRightCorner(n, m), cost.topLeftCorner(n, n),
          cost.bottomRightCorner(m, m), cost.topRightCorner(n, m)};
}

}  // namespace daedal::feedback
