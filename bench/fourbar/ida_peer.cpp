// Peer: the four-bar in its index-1 form, residual and Jacobian by hand, SUNDIALS IDA, 5 s.    ida_peer TOLERANCE
//     y = (q, v, lambda):   q' - v = 0,   M v' - Q - G^T lambda = 0,   G v' + gamma(q, v) = 0
#include "bench/fourbar/fourbar_by_hand.hpp"
#include "bench/support/ida_run.hpp"
#include "bench/support/timing.hpp"

#include <array>
#include <cmath>
#include <cstdlib>

namespace {

using fourbar::ends, fourbar::pin_of_end, fourbar::mass, fourbar::inertia;

struct Fourbar {
  static constexpr int size = 26, v0 = 9, l0 = 18;

  static bool is_differential(int i) { return i < l0; }

  static void start(double* y, double* yp) {
    const auto s = fourbar::start();
    std::array<double, fourbar::states> rate;
    fourbar::derivative(s.data(), rate.data());
    for (int i = 0; i < fourbar::states; ++i) {
      y[i] = s[i];
      yp[i] = rate[i];
    }
    for (int i = l0; i < size; ++i) y[i] = yp[i] = 0;
    solve_multipliers(y);
  }

  static void residual(double, const double* y, const double* yp, double* r) {
    const double *v = y + v0, *a = yp + v0, *lambda = y + l0;
    for (int i = 0; i < 9; ++i) r[i] = yp[i] - v[i];
    for (int k = 0; k < 3; ++k) {
      r[v0 + 3 * k] = mass[k] * a[3 * k];
      r[v0 + 3 * k + 1] = mass[k] * (a[3 * k + 1] + fourbar::gravity);
      r[v0 + 3 * k + 2] = inertia(k) * a[3 * k + 2] - (k == 0 ? fourbar::torque : 0);
    }
    for (int i = l0; i < size; ++i) r[i] = 0;
    for (int e = 0; e < 6; ++e) {
      const auto& [k, sign, arm] = ends[e];
      const double c = arm * std::cos(y[3 * k + 2]), s = arm * std::sin(y[3 * k + 2]);
      const double *l = lambda + 2 * pin_of_end[e], w = v[3 * k + 2], dw = a[3 * k + 2];
      r[v0 + 3 * k] -= sign * l[0];
      r[v0 + 3 * k + 1] -= sign * l[1];
      r[v0 + 3 * k + 2] -= c * l[1] - s * l[0];
      r[l0 + 2 * pin_of_end[e]] += sign * a[3 * k] - s * dw - c * w * w;
      r[l0 + 2 * pin_of_end[e] + 1] += sign * a[3 * k + 1] + c * dw - s * w * w;
    }
  }

  template <class Add>
  static void jacobian(double, double cj, const double* y, const double* yp, Add&& add) {
    for (int i = 0; i < 9; ++i) {
      add(i, i, cj);
      add(i, v0 + i, -1);
    }
    for (int k = 0; k < 3; ++k) {
      add(v0 + 3 * k, v0 + 3 * k, cj * mass[k]);
      add(v0 + 3 * k + 1, v0 + 3 * k + 1, cj * mass[k]);
      add(v0 + 3 * k + 2, v0 + 3 * k + 2, cj * inertia(k));
    }
    for (int e = 0; e < 6; ++e) {
      const auto& [k, sign, arm] = ends[e];
      const int th = 3 * k + 2, lx = l0 + 2 * pin_of_end[e], ly = lx + 1;
      const double c = arm * std::cos(y[th]), s = arm * std::sin(y[th]), w = y[v0 + th],
                   dw = yp[v0 + th];
      add(v0 + 3 * k, lx, -sign);
      add(v0 + 3 * k + 1, ly, -sign);
      add(v0 + th, lx, s);
      add(v0 + th, ly, -c);
      add(v0 + th, th, c * y[lx] + s * y[ly]);
      add(lx, v0 + 3 * k, cj * sign);
      add(lx, v0 + th, -cj * s - 2 * c * w);
      add(lx, th, -c * dw + s * w * w);
      add(ly, v0 + 3 * k + 1, cj * sign);
      add(ly, v0 + th, cj * c - 2 * s * w);
      add(ly, th, -s * dw - c * w * w);
    }
  }

 private:
  /// lambda = S^-1 (-gamma - G M^-1 Q)
  static void solve_multipliers(double* y) {
    const fourbar::Pose pose(y);
    std::array<fourbar::Vector2, fourbar::pins> lambda = pose.centripetal(y + v0);
    double free[9] = {0, -fourbar::gravity, fourbar::torque / inertia(0),
                      0, -fourbar::gravity, 0,
                      0, -fourbar::gravity, 0};
    const auto rate = pose.jacobian_times(free);
    for (int j = 0; j < fourbar::pins; ++j) lambda[j] = lambda[j] - rate[j];
    pose.solve(lambda);
    for (int j = 0; j < fourbar::pins; ++j) {
      y[l0 + 2 * j] = lambda[j].x;
      y[l0 + 2 * j + 1] = lambda[j].y;
    }
  }
};

}  // namespace

int main(int count, char** arguments) {
  bench::IdaRun<Fourbar> ida(count > 1 ? std::atof(arguments[1]) : 1e-9);
  const double* y = nullptr;
  const double seconds = bench::median_seconds([&] { y = ida.run(5); });
  const bench::IdaCount run = ida.count();
  bench::print_json({{"seconds", seconds},
                     {"evaluations", double(run.evaluations)},
                     {"steps", double(run.steps)},
                     {"jacobians", double(run.jacobians)},
                     {"th1", y[2]},
                     {"th2", y[5]},
                     {"th3", y[8]}});
}
