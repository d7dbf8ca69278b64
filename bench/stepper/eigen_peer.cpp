// The crane's inverse model, index 5, by BDF of order 4 with 10 ms, written by hand: Newton's method on
// (x_T, L, x_P, z_P)'', cable force and two inputs, with Eigen's fixed-size LU. Prints the median time of a step.
#include "bench/support/timing.hpp"

#include <Eigen/LU>

#include <array>
#include <cmath>
#include <vector>

namespace {

constexpr double h = 0.01, gamma = 12.0 / 25 * h, m = 18.9, g = 9.81, tau_T = 0.03, tau_L = 0.02;
using Vector4 = Eigen::Vector4d;
using Vector7 = Eigen::Matrix<double, 7, 1>;
using Matrix7 = Eigen::Matrix<double, 7, 7>;

struct Node {
  Vector4 q, v;
  Vector7 z;  // accelerations, cable, u_T, u_L
};

struct Crane {
  std::array<Node, 4> past;  // newest first

  void start() {
    for (Node& node : past) {
      node.q << 15, 4, 15, 4;
      node.v.setZero();
      node.z << 0, 0, 0, 0, -m * g / 8, 0, 0;
    }
  }

  bool step(double x_d, double z_d) {
    const Vector4 known_v = (48 * past[0].v - 36 * past[1].v + 16 * past[2].v - 3 * past[3].v) / 25;
    const Vector4 known_q =
        (48 * past[0].q - 36 * past[1].q + 16 * past[2].q - 3 * past[3].q) / 25 + gamma * known_v;
    Vector7 z = 3 * past[0].z - 3 * past[1].z + past[2].z;
    Vector4 q, v;
    for (int iteration = 0; iteration < 6; ++iteration) {
      q = known_q + gamma * gamma * z.head<4>();
      v = known_v + gamma * z.head<4>();
      const double dx = q[2] - q[0], g2 = gamma * gamma;
      Vector7 r;
      r << tau_T * z[0] + v[0] - z[5], tau_L * z[1] + v[1] - z[6], m * z[2] - 2 * dx * z[4],
          m * z[3] - m * g - 2 * q[3] * z[4], (q[3] * q[3] + dx * dx - q[1] * q[1]) / g2,
          (q[2] - x_d) / g2, (q[3] - z_d) / g2;
      Matrix7 j = Matrix7::Zero();
      j(0, 0) = tau_T + gamma, j(0, 5) = -1;
      j(1, 1) = tau_L + gamma, j(1, 6) = -1;
      j(2, 0) = 2 * g2 * z[4], j(2, 2) = m - 2 * g2 * z[4], j(2, 4) = -2 * dx;
      j(3, 3) = m - 2 * g2 * z[4], j(3, 4) = -2 * q[3];
      j(4, 0) = -2 * dx, j(4, 1) = -2 * q[1], j(4, 2) = 2 * dx, j(4, 3) = 2 * q[3];
      j(5, 2) = 1, j(6, 3) = 1;
      const Vector7 correction = j.partialPivLu().solve(-r);
      z += correction;
      if (g2 * correction.head<4>().cwiseAbs().maxCoeff() < 1e-9) {
        for (std::size_t k = 3; k > 0; --k) past[k] = past[k - 1];
        past[0] = {known_q + g2 * z.head<4>(), known_v + gamma * z.head<4>(), z};
        return true;
      }
    }
    return false;
  }
};

/// s_4(t/10)
double path(double t) {
  const double s = t / 10;
  return std::pow(s, 5) * (126 + s * (-420 + s * (540 + s * (-315 + s * 70))));
}

}  // namespace

int main() {
  constexpr int steps = 1000;
  std::vector<double> desired;
  for (int n = 1; n <= steps; ++n) desired.push_back(path(n * h));
  Crane crane;
  bool ok = true;
  const double seconds = bench::median_seconds([&] {
    crane.start();
    for (const double s : desired) ok = crane.step(15 - 4 * s, 4 + 3 * s) && ok;
  });
  bench::print_json({{"seconds", seconds / steps}, {"u_T", crane.past[0].z[5]}});
  return ok ? 0 : 1;
}
