// Peer: the delta robot (parameter set A) in its index-1 form, residual and Jacobian by hand, SUNDIALS IDA, 2 s.
//     ida_peer TOLERANCE
//     y = (q, v, lambda):   q' - v = 0,   m(q_i) v_i' + c + g + damping - J_i^T f_i = (u_i, 0, 0),
//     tip_1'' - R(+-2 pi/3) tip_i'' = 0,   f_1 = lambda_2 + lambda_3,   f_i = -R(+-2 pi/3)^T lambda_i
#include "bench/delta/delta_arm_by_hand.hpp"
#include "bench/support/ida_run.hpp"
#include "bench/support/timing.hpp"

#include <array>
#include <cmath>
#include <cstdlib>

namespace {

using Vector3 = std::array<double, 3>;

const double half = 0.5, root = std::sqrt(3.0) / 2;

/// Rotation of arm i (2 or 3, here 1 or 2) about the axis: cosine -1/2, sine +-sqrt(3)/2.
double sine(int arm) { return arm == 1 ? root : -root; }
Vector3 turned(int arm, const Vector3& x) {
  return {-half * x[0] - sine(arm) * x[1], sine(arm) * x[0] - half * x[1], x[2]};
}
Vector3 turned_back(int arm, const Vector3& x) {
  return {-half * x[0] + sine(arm) * x[1], -sine(arm) * x[0] - half * x[1], x[2]};
}

struct Delta {
  static constexpr int size = 24, v0 = 9, l0 = 18;
  static constexpr std::array<double, 3> torque = {-1.9, -1.95, -1.93};

  static bool is_differential(int i) { return i < l0; }

  static Vector3 tip_force(int arm, const double* lambda) {
    if (arm == 0) return {lambda[0] + lambda[3], lambda[1] + lambda[4], lambda[2] + lambda[5]};
    const double* l = lambda + 3 * (arm - 1);
    const Vector3 f = turned_back(arm, {l[0], l[1], l[2]});
    return {-f[0], -f[1], -f[2]};
  }

  static void residual(double, const double* y, const double* yp, double* r) {
    for (int i = 0; i < 9; ++i) r[i] = yp[i] - y[v0 + i];
    std::array<Vector3, 3> tip;
    for (int arm = 0; arm < 3; ++arm) {
      const Vector3 f = tip_force(arm, y + l0);
      delta::arm_residual(y + 3 * arm, y + v0 + 3 * arm, yp + v0 + 3 * arm, f.data(),
                          r + v0 + 3 * arm, tip[arm].data());
      r[v0 + 3 * arm] -= torque[arm];
    }
    for (int arm = 1; arm < 3; ++arm) {
      const Vector3 other = turned(arm, tip[arm]);
      for (int i = 0; i < 3; ++i) r[l0 + 3 * (arm - 1) + i] = tip[0][i] - other[i];
    }
  }

  template <class Add>
  static void jacobian(double, double cj, const double* y, const double* yp, Add&& add) {
    for (int i = 0; i < 9; ++i) {
      add(i, i, cj);
      add(i, v0 + i, -1);
    }
    for (int arm = 0; arm < 3; ++arm) {
      const int q = 3 * arm, v = v0 + q;
      const Vector3 f = tip_force(arm, y + l0);
      std::array<double, 9> eq_q, eq_v, mass, jac, tip_q, tip_v;
      delta::arm_jacobian(y + q, y + v, yp + v, f.data(), eq_q.data(), eq_v.data(), mass.data(),
                          jac.data(), tip_q.data(), tip_v.data());
      for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
          add(v + i, q + j, eq_q[3 * i + j]);
          add(v + i, v + j, eq_v[3 * i + j] + cj * mass[3 * i + j]);
        }
      }
      for (int j = 0; j < 3; ++j) {  // columns of the tip's derivatives
        const Vector3 by_q = {tip_q[j], tip_q[3 + j], tip_q[6 + j]};
        const Vector3 by_a = {jac[j], jac[3 + j], jac[6 + j]};
        const Vector3 by_v = {tip_v[j] + cj * jac[j], tip_v[3 + j] + cj * jac[3 + j],
                              tip_v[6 + j] + cj * jac[6 + j]};
        for (int closure = 1; closure < 3; ++closure) {
          if (arm != 0 && arm != closure) continue;
          const int row = l0 + 3 * (closure - 1);
          const Vector3 q_column = arm == 0 ? by_q : turned(arm, by_q),
                        v_column = arm == 0 ? by_v : turned(arm, by_v);
          const Vector3 reaction = arm == 0 ? by_a : turned(arm, by_a);
          const double sign = arm == 0 ? 1 : -1;
          for (int i = 0; i < 3; ++i) {
            add(row + i, q + j, sign * q_column[i]);
            add(row + i, v + j, sign * v_column[i]);
            add(v + j, row + i, -sign * reaction[i]);  // -J^T df/dlambda
          }
        }
      }
    }
  }

  static void start(double* y, double* yp);
};

/// Level arms at rest; accelerations and multipliers from the residual, which is linear in them: dense elimination.
void Delta::start(double* y, double* yp) {
  for (int i = 0; i < size; ++i) y[i] = yp[i] = 0;
  for (int arm = 0; arm < 3; ++arm) y[3 * arm + 1] = std::acos(-2.0 / 3);
  constexpr int n = 15;
  std::array<std::array<double, n + 1>, n> system{};
  std::array<double, size> rest{}, column{};
  residual(0, y, yp, rest.data());
  for (int j = 0; j < n; ++j) {
    double& unknown = j < 9 ? yp[v0 + j] : y[l0 + j - 9];
    unknown = 1;
    residual(0, y, yp, column.data());
    unknown = 0;
    for (int i = 0; i < n; ++i) system[i][j] = column[v0 + i] - rest[v0 + i];
  }
  for (int i = 0; i < n; ++i) system[i][n] = -rest[v0 + i];
  for (int k = 0; k < n; ++k) {
    int pivot = k;
    for (int i = k + 1; i < n; ++i) {
      if (std::abs(system[i][k]) > std::abs(system[pivot][k])) pivot = i;
    }
    std::swap(system[k], system[pivot]);
    for (int i = 0; i < n; ++i) {
      if (i == k) continue;
      const double factor = system[i][k] / system[k][k];
      for (int j = k; j <= n; ++j) system[i][j] -= factor * system[k][j];
    }
  }
  for (int j = 0; j < n; ++j) (j < 9 ? yp[v0 + j] : y[l0 + j - 9]) = system[j][n] / system[j][j];
}

}  // namespace

int main(int count, char** arguments) {
  bench::IdaRun<Delta> ida(count > 1 ? std::atof(arguments[1]) : 1e-9);
  const double* y = nullptr;
  const double seconds = bench::median_seconds([&] { y = ida.run(2); });
  const bench::IdaCount run = ida.count();
  bench::print_json({{"seconds", seconds},
                     {"evaluations", double(run.evaluations)},
                     {"steps", double(run.steps)},
                     {"jacobians", double(run.jacobians)},
                     {"arm[1].q[1]", y[0]},
                     {"arm[2].q[1]", y[3]},
                     {"arm[3].q[1]", y[6]}});
}
