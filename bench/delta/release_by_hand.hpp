// The run of release.daedal by hand: accelerations of the delta robot (parameter set A) under constant torques.
//
// An arm alone answers a force F on its tip, in the frame of the robot, with
//     tip'' = W F + b,   W = R J M^-1 J^T R^T,   b = R (J M^-1 (u - bias) + drift).
// The three tips are one point and the forces of the arms on it add up to zero, sum_i W_i^-1 (tip'' - b_i) = 0: three
// unknowns instead of the nine accelerations and six multipliers of the equations of motion.
#pragma once

#include "bench/delta/delta_arm_by_hand.hpp"

#include <array>
#include <cmath>

namespace delta {

using Vector3 = std::array<double, 3>;
using Matrix3 = std::array<double, 9>;  // row by row

inline Vector3 operator+(const Vector3& a, const Vector3& b) {
  return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}
inline Vector3 operator-(const Vector3& a, const Vector3& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
inline Vector3 operator*(const Matrix3& m, const Vector3& x) {
  return {m[0] * x[0] + m[1] * x[1] + m[2] * x[2], m[3] * x[0] + m[4] * x[1] + m[5] * x[2],
          m[6] * x[0] + m[7] * x[1] + m[8] * x[2]};
}
inline Vector3 transposed_times(const Matrix3& m, const Vector3& x) {
  return {m[0] * x[0] + m[3] * x[1] + m[6] * x[2], m[1] * x[0] + m[4] * x[1] + m[7] * x[2],
          m[2] * x[0] + m[5] * x[1] + m[8] * x[2]};
}
inline Matrix3 inverse_of_symmetric(const Matrix3& m) {
  const double xx = m[4] * m[8] - m[5] * m[5], xy = m[2] * m[5] - m[1] * m[8],
               xz = m[1] * m[5] - m[2] * m[4];
  const double scale = 1 / (m[0] * xx + m[1] * xy + m[2] * xz);
  const double yy = scale * (m[0] * m[8] - m[2] * m[2]), yz = scale * (m[1] * m[2] - m[0] * m[5]),
               zz = scale * (m[0] * m[4] - m[1] * m[1]);
  return {scale * xx, scale * xy, scale * xz, scale * xy, yy, yz, scale * xz, yz, zz};
}

/// Into the frame of the robot, and back: arms 1 and 2 are at +-120 degrees.
inline double sine(int arm) { return arm == 0 ? 0 : arm == 1 ? std::sqrt(0.75) : -std::sqrt(0.75); }
inline double cosine(int arm) { return arm == 0 ? 1 : -0.5; }
inline Vector3 turned(int arm, const Vector3& x) {
  return {cosine(arm) * x[0] - sine(arm) * x[1], sine(arm) * x[0] + cosine(arm) * x[1], x[2]};
}

/// (v, a) at (q, v).
inline void derivative(const double* state, double* rate) {
  constexpr double torque = -1.970409824811;
  const double *q = state, *v = state + 9;
  std::array<Matrix3, 3> inverse_mass, jacobian, stiff;  // stiff: W^-1
  std::array<Vector3, 3> free, b;  // acceleration of the joints, of the tip, without F
  Matrix3 sum{};
  Vector3 pull{};
  for (int arm = 0; arm < 3; ++arm) {
    Matrix3 mass;
    Vector3 bias, drift;
    arm_dynamics(q + 3 * arm, v + 3 * arm, mass.data(), jacobian[arm].data(), bias.data(),
                 drift.data());
    inverse_mass[arm] = inverse_of_symmetric(mass);
    free[arm] = inverse_mass[arm] * Vector3{torque - bias[0], -bias[1], -bias[2]};
    b[arm] = turned(arm, jacobian[arm] * free[arm] + drift);
    std::array<Vector3, 3> row;  // of R J
    for (int j = 0; j < 3; ++j)
      row[j] = turned(arm, {jacobian[arm][j], jacobian[arm][3 + j], jacobian[arm][6 + j]});
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) jacobian[arm][3 * i + j] = row[j][i];
    Matrix3 soft;
    for (int j = 0; j < 3; ++j) {
      const Vector3 line = {jacobian[arm][3 * j], jacobian[arm][3 * j + 1],
                            jacobian[arm][3 * j + 2]};
      const Vector3 column = jacobian[arm] * (inverse_mass[arm] * line);
      for (int i = 0; i < 3; ++i) soft[3 * i + j] = column[i];
    }
    stiff[arm] = inverse_of_symmetric(soft);
    for (int k = 0; k < 9; ++k) sum[k] += stiff[arm][k];
    pull = pull + stiff[arm] * b[arm];
  }
  const Vector3 tip = inverse_of_symmetric(sum) * pull;
  for (int i = 0; i < 9; ++i) rate[i] = v[i];
  for (int arm = 0; arm < 3; ++arm) {
    const Vector3 force = stiff[arm] * (tip - b[arm]);
    const Vector3 a = free[arm] + inverse_mass[arm] * transposed_times(jacobian[arm], force);
    for (int j = 0; j < 3; ++j) rate[9 + 3 * arm + j] = a[j];
  }
}

inline Vector3 cross(const Vector3& a, const Vector3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
inline double dot(const Vector3& a, const Vector3& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
inline Vector3 operator*(double f, const Vector3& a) { return {f * a[0], f * a[1], f * a[2]}; }

/// At rest, motors at 45, 25 and 35 degrees. The tip is the lower of the two points that have the distance l2 from all
/// three elbows (shifted by the radius of the platform): on the normal of their plane, above their circumcentre.
inline std::array<double, 18> start() {
  constexpr double l1 = 0.25, l2 = 0.6, radius = 0.15, degree = 3.14159265358979323846 / 180;
  constexpr Vector3 motor = {45 * degree, 25 * degree, 35 * degree};
  std::array<Vector3, 3> elbow;
  for (int arm = 0; arm < 3; ++arm)
    elbow[arm] = turned(arm, {0, radius + l1 * std::cos(motor[arm]), l1 * std::sin(motor[arm])});
  const Vector3 a = elbow[1] - elbow[0], b = elbow[2] - elbow[0], normal = cross(a, b);
  const double area2 = dot(normal, normal);
  const Vector3 centre = 0.5 / area2 * cross(dot(a, a) * b - dot(b, b) * a, normal);
  const double height = std::sqrt((l2 * l2 - dot(centre, centre)) / area2);
  const Vector3 tip = elbow[0] + centre + (normal[2] > 0 ? height : -height) * normal;
  std::array<double, 18> state{};
  for (int arm = 0; arm < 3; ++arm) {
    const Vector3 rod = turned((3 - arm) % 3, tip - elbow[arm]);  // turned back
    state[3 * arm] = motor[arm];
    state[3 * arm + 1] = std::acos(rod[1] / l2);
    state[3 * arm + 2] = std::atan2(rod[0], rod[2]);
  }
  return state;
}

}  // namespace delta
