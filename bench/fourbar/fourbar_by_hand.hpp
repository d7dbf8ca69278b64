// The four-bar of models/fourbar, written by hand in its index-1 form:
//     M a = Q + G^T lambda,   G a = -gamma(q, v).
// M is diagonal, so the accelerations are eliminated first; what remains, S = G M^-1 G^T, couples each pin with its neighbours
// only: four 2x2 blocks on the diagonal and three beside it, eliminated in one sweep.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

namespace fourbar {

inline constexpr int coordinates = 9, pins = 4, constraints = 8, states = 18;
inline constexpr double gravity = 9.81, torque = 0.5, ground = 1.3;
inline constexpr std::array<double, 3> length = {0.5, 1.2, 1.0}, mass = {1, 2, 1.5};
inline constexpr double inertia(int k) { return mass[k] * length[k] * length[k] / 12; }

struct Vector2 {
  double x = 0, y = 0;
  friend Vector2 operator+(Vector2 a, Vector2 b) { return {a.x + b.x, a.y + b.y}; }
  friend Vector2 operator-(Vector2 a, Vector2 b) { return {a.x - b.x, a.y - b.y}; }
  friend Vector2 operator*(double f, Vector2 a) { return {f * a.x, f * a.y}; }
};
inline double dot(Vector2 a, Vector2 b) { return a.x * b.x + a.y * b.y; }

/// How a link enters a pin: sign * (x, y) + arm * (cos th, sin th).
struct End {
  int link = 0;
  double sign = 1, arm = 0;
};
/// Pin j joins the ends of links j-1 and j; the outer pins join one link to the ground.
inline constexpr std::array<End, 6> ends = {End{0, 1, -length[0] / 2}, {0, 1, length[0] / 2},
                                            {1, -1, length[1] / 2},    {1, 1, length[1] / 2},
                                            {2, -1, -length[2] / 2},   {2, 1, -length[2] / 2}};
inline constexpr std::array<int, 6> pin_of_end = {0, 1, 1, 2, 2, 3};

struct Symmetric2 {
  double xx = 0, xy = 0, yy = 0;
};
inline Vector2 operator*(const Symmetric2& m, Vector2 a) {
  return {m.xx * a.x + m.xy * a.y, m.xy * a.x + m.yy * a.y};
}
inline Symmetric2 inverse(const Symmetric2& m) {
  const double scale = 1 / (m.xx * m.yy - m.xy * m.xy);
  return {scale * m.yy, -scale * m.xy, scale * m.xx};
}

/// Directions of the links and the factored Schur complement at a pose.
class Pose {
 public:
  explicit Pose(const double* q) {
    for (int k = 0; k < 3; ++k) along_[k] = {std::cos(q[3 * k + 2]), std::sin(q[3 * k + 2])};
    std::array<Symmetric2, pins> diagonal;
    for (int e = 0; e < 6; ++e) add(diagonal[pin_of_end[e]], coupling(ends[e], ends[e]));
    for (int k = 0; k < 3; ++k) beside_[k] = coupling(ends[2 * k], ends[2 * k + 1]);
    pivot_[0] = inverse(diagonal[0]);
    for (int j = 1; j < pins; ++j) {
      subtract_congruence(diagonal[j], beside_[j - 1], pivot_[j - 1]);
      pivot_[j] = inverse(diagonal[j]);
    }
  }

  /// Solves S x = b in place.
  void solve(std::array<Vector2, pins>& b) const {
    for (int j = 1; j < pins; ++j) b[j] = b[j] - beside_[j - 1] * (pivot_[j - 1] * b[j - 1]);
    b[3] = pivot_[3] * b[3];
    for (int j = pins - 2; j >= 0; --j) b[j] = pivot_[j] * (b[j] - beside_[j] * b[j + 1]);
  }

  /// G x for a vector over the coordinates.
  std::array<Vector2, pins> jacobian_times(const double* x) const {
    std::array<Vector2, pins> result;
    for (int e = 0; e < 6; ++e) {
      const auto& [k, sign, arm] = ends[e];
      Vector2& r = result[pin_of_end[e]];
      r.x += sign * x[3 * k] - arm * along_[k].y * x[3 * k + 2];
      r.y += sign * x[3 * k + 1] + arm * along_[k].x * x[3 * k + 2];
    }
    return result;
  }

  /// x += factor * M^-1 G^T lambda.
  void add_reactions(const std::array<Vector2, pins>& lambda, double factor, double* x) const {
    for (int e = 0; e < 6; ++e) {
      const auto& [k, sign, arm] = ends[e];
      const Vector2 l = lambda[pin_of_end[e]];
      x[3 * k] += factor * sign / mass[k] * l.x;
      x[3 * k + 1] += factor * sign / mass[k] * l.y;
      x[3 * k + 2] += factor * arm / inertia(k) * (along_[k].x * l.y - along_[k].y * l.x);
    }
  }

  std::array<Vector2, pins> violation(const double* q) const {
    std::array<Vector2, pins> c;
    for (int e = 0; e < 6; ++e) {
      const auto& [k, sign, arm] = ends[e];
      Vector2& r = c[pin_of_end[e]];
      r.x += sign * q[3 * k] + arm * along_[k].x;
      r.y += sign * q[3 * k + 1] + arm * along_[k].y;
    }
    c[3].x -= ground;
    return c;
  }

  /// -gamma: what G a must be.
  std::array<Vector2, pins> centripetal(const double* v) const {
    std::array<Vector2, pins> result;
    for (int e = 0; e < 6; ++e) {
      const auto& [k, sign, arm] = ends[e];
      const double w = v[3 * k + 2];
      result[pin_of_end[e]] = result[pin_of_end[e]] + (arm * w * w) * along_[k];
    }
    return result;
  }

 private:
  Symmetric2 coupling(const End& a, const End& b) const {
    const int k = a.link;
    const double linear = a.sign * b.sign / mass[k], angular = a.arm * b.arm / inertia(k);
    const double c = along_[k].x, s = along_[k].y;
    return {linear + angular * s * s, -angular * s * c, linear + angular * c * c};
  }
  static void add(Symmetric2& to, const Symmetric2& m) {
    to.xx += m.xx;
    to.xy += m.xy;
    to.yy += m.yy;
  }
  /// d -= b p b for symmetric b and p.
  static void subtract_congruence(Symmetric2& d, const Symmetric2& b, const Symmetric2& p) {
    const Vector2 row_x = p * Vector2{b.xx, b.xy}, row_y = p * Vector2{b.xy, b.yy};
    d.xx -= b.xx * row_x.x + b.xy * row_x.y;
    d.xy -= b.xx * row_y.x + b.xy * row_y.y;
    d.yy -= b.xy * row_y.x + b.yy * row_y.y;
  }

  std::array<Vector2, 3> along_;
  std::array<Symmetric2, 3> beside_;
  std::array<Symmetric2, pins> pivot_;
};

/// (v, a) at (q, v).
inline void derivative(const double* state, double* rate) {
  const double *q = state, *v = state + coordinates;
  const Pose pose(q);
  double* a = rate + coordinates;
  for (int i = 0; i < coordinates; ++i) rate[i] = v[i];
  for (int k = 0; k < 3; ++k) {
    a[3 * k] = 0;
    a[3 * k + 1] = -gravity;
    a[3 * k + 2] = k == 0 ? torque / inertia(0) : 0;
  }
  std::array<Vector2, pins> lambda = pose.centripetal(v);
  const std::array<Vector2, pins> free = pose.jacobian_times(a);
  for (int j = 0; j < pins; ++j) lambda[j] = lambda[j] - free[j];
  pose.solve(lambda);
  pose.add_reactions(lambda, 1, a);
}

/// Nearest state in the mass metric that satisfies the constraints on position and velocity level.
inline void project(double* state) {
  double *q = state, *v = state + coordinates;
  const Pose before(q);
  Pose pose = before;
  constexpr double epsilon = 2.2e-16;
  double moved = 0, previous = 1;
  for (int iteration = 0; iteration < 12; ++iteration) {
    std::array<Vector2, pins> c = pose.violation(q);
    before.solve(c);
    double correction[coordinates] = {};
    before.add_reactions(c, -1, correction);
    double largest = 0;
    for (int i = 0; i < coordinates; ++i) {
      q[i] += correction[i];
      largest = std::max(largest, std::abs(correction[i]));
    }
    moved += largest;
    pose = Pose(q);
    const bool stalled = largest > 0.1 * previous;
    if (largest <= 4 * epsilon || 10 * moved * largest <= epsilon || stalled) break;
    previous = largest;
  }
  std::array<Vector2, pins> rate = pose.jacobian_times(v);
  pose.solve(rate);
  pose.add_reactions(rate, -1, v);
}

/// Released from rest at th1 = pi/3.
inline std::array<double, states> start() {
  std::array<double, states> s = {0.125,           0.2165063509461, 1.047197551197,
                                  0.7788095872011, 0.7164918377808, 0.4920857926373,
                                  1.303809587201,  0.4999854868347, 1.563177078673};
  s[2] = std::acos(-1.0) / 3;
  for (int i = 0; i < 3; ++i) project(s.data());
  return s;
}

}  // namespace fourbar
