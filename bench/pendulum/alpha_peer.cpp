// alpha_peer lu|eliminated STEP UNTIL: the pendulum in Cartesian coordinates, index 3, by the generalised-alpha method
// [ArnoldBruels2007] written by hand: Newton's method on the accelerations and the multiplier, with Eigen's fixed-size LU or with
// the elimination by hand as well. Prints the time of a step and where the bob ends.
#include "bench/support/timing.hpp"

#include <Eigen/LU>

#include <cmath>
#include <cstdlib>
#include <string>

namespace {

constexpr double m = 1, length = 1, g = 9.81, spectral_radius = 0.9;
constexpr double alpha_m = (2 * spectral_radius - 1) / (spectral_radius + 1);
constexpr double alpha_f = spectral_radius / (spectral_radius + 1);
constexpr double gamma_ = 0.5 + alpha_f - alpha_m;
constexpr double beta = 0.25 * (1 + alpha_f - alpha_m) * (1 + alpha_f - alpha_m);
constexpr double share = (1 - alpha_f) / (1 - alpha_m);
using Eigen::Matrix3d, Eigen::Vector2d, Eigen::Vector3d;

/// Of (x'', y'', lambda), from the residuals and x, y, lambda; b: how much of x'' is in x.
struct Lu {
  static Vector3d solve(const Vector3d& r, double x, double y, double lambda, double b) {
    Matrix3d j;
    j << m - 2 * b * lambda, 0, -2 * x, 0, m - 2 * b * lambda, -2 * y, 2 * x, 2 * y, 0;
    return j.partialPivLu().solve(r);
  }
};
struct Eliminated {
  static Vector3d solve(const Vector3d& r, double x, double y, double lambda, double b) {
    const double d = 1 / (m - 2 * b * lambda);
    const double mu = (r[2] - 2 * d * (x * r[0] + y * r[1])) / (4 * d * (x * x + y * y));
    return {d * (r[0] + 2 * x * mu), d * (r[1] + 2 * y * mu), mu};
  }
};

struct State {
  Vector2d q{length, 0}, v{0, 0}, a{0, -g}, w{0, -g};  // w: the algorithmic accelerations
  double lambda = 0;
};

template <class Matrix>
bool step(State& s, double h) {
  const double b = h * h * beta * share, c = h * gamma_ * share;
  const Vector2d rest = (alpha_f * s.a - alpha_m * s.w) / (1 - alpha_m);
  const Vector2d q0 = s.q + h * s.v + h * h * ((0.5 - beta) * s.w + beta * rest);
  const Vector2d v0 = s.v + h * ((1 - gamma_) * s.w + gamma_ * rest);
  Vector2d a = s.a, q;
  double lambda = s.lambda;
  for (int iteration = 0; iteration < 10; ++iteration) {
    q = q0 + b * a;
    const Vector3d r(m * a[0] - 2 * q[0] * lambda, m * a[1] + m * g - 2 * q[1] * lambda,
                     (q.squaredNorm() - length * length) / b);
    const Vector3d change = Matrix::solve(r, q[0], q[1], lambda, b);
    a -= change.head<2>();
    lambda -= change[2];
    if (b * change.head<2>().cwiseAbs().maxCoeff() > 1e-12) continue;
    s.q = q0 + b * a;
    s.v = v0 + c * a;
    s.w = share * a + rest;
    s.a = a;
    s.lambda = lambda;
    return true;
  }
  return false;
}

template <class Matrix>
int measure(double h, double until) {
  const auto steps = static_cast<long>(until / h + 0.5);
  State s;
  bool ok = true;
  const double seconds = bench::median_seconds([&] {
    s = State();
    for (long n = 0; n < steps; ++n) ok = step<Matrix>(s, h) && ok;
  });
  bench::print_json({{"seconds", seconds / static_cast<double>(steps)},
                     {"x", s.q[0]},
                     {"drift", std::abs(s.q.squaredNorm() - length * length)}});
  return ok ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const double h = std::atof(argv[2]), until = std::atof(argv[3]);
  return std::string(argv[1]) == "lu" ? measure<Lu>(h, until) : measure<Eliminated>(h, until);
}
