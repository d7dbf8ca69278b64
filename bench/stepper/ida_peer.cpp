// Peer: the crane's inverse model with the load's motion put in (index 3), residual and Jacobian by hand, SUNDIALS IDA, 10 s.
//     y = (x_T, L, v_T, v_L, cable, u_T, u_L):   x_T' = v_T,  L' = v_L,  tau v' + v = u,
//     m x'' = 2 cable (x - x_T),   m z'' = m g + 2 cable z,   z^2 + (x - x_T)^2 = L^2
// As in a control loop: the inputs every 10 ms, the motion known up to then. Prints the time of a sample, the steps it takes, and
// u_T at 5 s.                                                                                          ida_peer TOLERANCE
#include "bench/support/ida_run.hpp"
#include "bench/support/timing.hpp"

#include <cstdlib>

namespace {

constexpr double m = 18.9, g = 9.81, tau_T = 0.03, tau_L = 0.02, tf = 10;

struct Path {
  double x, z, ax, az;
};

Path path(double t) {
  const double s = t / tf, r = 1 - s, p = s * r;
  const double value = s * s * s * s * s * (1 + r * (5 + r * (15 + r * (35 + r * 70))));
  const double second = 2520 * p * p * p * (1 - 2 * s) / (tf * tf);
  return {15 - 4 * value, 4 + 3 * value, -4 * second, 3 * second};
}

struct Crane {
  static constexpr int size = 7;

  static bool is_differential(int i) { return i < 2; }

  static void start(double* y, double* yp) {
    for (int i = 0; i < size; ++i) y[i] = yp[i] = 0;
    y[0] = 15;
    y[1] = 4;
    y[4] = -m * g / 8;
  }

  static void residual(double t, const double* y, const double* yp, double* r) {
    const Path d = path(t);
    r[0] = yp[0] - y[2];
    r[1] = yp[1] - y[3];
    r[2] = tau_T * yp[2] + y[2] - y[5];
    r[3] = tau_L * yp[3] + y[3] - y[6];
    r[4] = m * d.ax - 2 * y[4] * (d.x - y[0]);
    r[5] = m * (d.az - g) - 2 * y[4] * d.z;
    r[6] = d.z * d.z + (d.x - y[0]) * (d.x - y[0]) - y[1] * y[1];
  }

  template <class Add>
  static void jacobian(double t, double cj, const double* y, const double*, Add&& add) {
    const Path d = path(t);
    add(0, 0, cj);
    add(0, 2, -1);
    add(1, 1, cj);
    add(1, 3, -1);
    add(2, 2, cj * tau_T + 1);
    add(2, 5, -1);
    add(3, 3, cj * tau_L + 1);
    add(3, 6, -1);
    add(4, 0, 2 * y[4]);
    add(4, 4, -2 * (d.x - y[0]));
    add(5, 4, -2 * d.z);
    add(6, 0, -2 * (d.x - y[0]));
    add(6, 1, -2 * y[1]);
  }
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  bench::IdaRun<Crane> ida(std::atof(argv[1]));
  constexpr int samples = 1000;
  double u = 0;
  const double seconds = bench::median_seconds([&] {
    int n = 0;
    ida.run_sampled(tf / samples, samples, [&](const double* y) {
      if (++n == samples / 2) u = y[5];
    });
  });
  bench::print_json({{"seconds", seconds / samples},
                     {"steps", static_cast<double>(ida.count().steps) / samples},
                     {"u", u}});
  return 0;
}
