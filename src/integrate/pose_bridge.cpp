// See pose_bridge.hpp.

#include "daedal/integrate/pose_bridge.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace daedal::solve {

namespace {

/// Gauss points and weights of [-1, 1], the positive half, from the middle [AbramowitzStegun1964, 25.4.30].
constexpr int half_count = 5;
constexpr double gauss_point[half_count] = {0.1488743389816312108848, 0.4333953941292471907993,
                                            0.6794095682990244062343, 0.8650633666889845107321,
                                            0.9739065285171717200780};
constexpr double gauss_weight[half_count] = {0.2955242247147528701739, 0.2692667193099963550912,
                                             0.2190863625159820439955, 0.1494513491505805931458,
                                             0.0666713443086881375936};
constexpr int gauss_count = 2 * half_count;

double point_of_node(int i) {
  return i < half_count ? -gauss_point[half_count - 1 - i] : gauss_point[i - half_count];
}
double weight_of_node(int i) {
  return gauss_weight[i < half_count ? half_count - 1 - i : i - half_count];
}

/// Legendre's polynomials P_0 .. P_gauss_count at x.
using Legendre = std::array<double, gauss_count + 1>;
Legendre legendre(double x) {
  Legendre p{1, x};
  for (int k = 1; k < gauss_count; ++k)
    p[k + 1] = ((2 * k + 1) * x * p[k] - k * p[k - 1]) / (k + 1);
  return p;
}

/// int P_k / 2 from -1 to x, k < gauss_count: times 2 d it is the integral over time.
std::array<double, gauss_count> legendre_integrals(double x) {
  const Legendre p = legendre(x);
  std::array<double, gauss_count> integral{(x + 1) / 2};
  for (int k = 1; k < gauss_count; ++k) integral[k] = (p[k + 1] - p[k - 1]) / (2 * (2 * k + 1));
  return integral;
}

/// Rounding near the pose is no reason to refuse a bridge: without one the steps come nearer to it.
constexpr double least_tolerance = 1e-10;

}  // namespace

PoseBridge::PoseBridge(System& system, double tolerance)
    : system_(system),
      tolerance_(std::max(tolerance, least_tolerance)),
      n_(system.states()),
      nominal_(n_, 1.0),
      rates_(nodes + 1, std::vector<double>(n_)),
      states_(nodes + 1, std::vector<double>(n_)),
      tops_(nodes + 1, std::vector<double>(system.tops())),
      coefficients_(nodes, std::vector<double>(n_)),
      tops_coefficients_(nodes, std::vector<double>(system.tops())),
      pole_coefficients_(nodes, std::vector<double>(system.tops())),
      trial_(n_),
      end_state_(n_) {
  static_assert(nodes == gauss_count);
  std::copy(system.nominal().begin(), system.nominal().end(), nominal_.begin());
  make_tables();
}

/// predictor_[j]: the polynomial through the start and the nodes before j, integrated up to node j. table_[j]: the one through
/// all nodes.
void PoseBridge::make_tables() {
  at_[0] = -1;
  for (int i = 1; i <= nodes; ++i) at_[i] = point_of_node(i - 1);
  for (int k = 0; k < nodes; ++k)
    for (int i = 1; i <= nodes; ++i)
      transform_[k][i] = (2 * k + 1) * weight_of_node(i - 1) / 2 * legendre(at_[i])[k];
  for (int j = 1; j <= nodes; ++j) {
    const auto integral = legendre_integrals(at_[j]);
    for (int i = 1; i <= nodes; ++i)
      for (int k = 0; k < nodes; ++k) table_[j][i] += transform_[k][i] * integral[k];
    for (int i = 0; i < j; ++i)
      for (int q = 0; q < nodes;
           ++q) {  // Gauss's rule on [-1, at_j] is exact for Lagrange's polynomial i
        const double x = -1 + (at_[j] + 1) * (point_of_node(q) + 1) / 2;
        double value = 1;
        for (int l = 0; l < j; ++l)
          if (l != i) value *= (x - at_[l]) / (at_[i] - at_[l]);
        predictor_[j][i] += (at_[j] + 1) / 4 * weight_of_node(q) * value;
      }
  }
}

/// Root mean square over the accepted error of a step.
double PoseBridge::norm(const double* change, const double* s) const {
  double sum = 0;
  for (std::size_t k = 0; k < n_; ++k) {
    const double ratio = change[k] / (tolerance_ * (std::abs(s[k]) + nominal_[k]));
    sum += ratio * ratio;
  }
  return n_ == 0 ? 0 : std::sqrt(sum / static_cast<double>(n_));
}

/// Projects states_[node] and evaluates its rates.
bool PoseBridge::evaluate(int node) {
  const double t = begin_ + half_ * (1 + at_[node]);
  ++projections_, ++evaluations_;
  return system_.project(t, states_[node].data()) == Failure::none &&
         system_.derivative(t, states_[node].data(), tops_[node].data(), rates_[node].data()) ==
             Failure::none;
}

bool PoseBridge::predict_nodes(int first, int last) {
  for (int j = first; j <= last; ++j) {
    states_[j] = states_[0];
    for (int i = 0; i < j; ++i)
      for (std::size_t k = 0; k < n_; ++k)
        states_[j][k] += 2 * half_ * predictor_[j][i] * rates_[i][k];
    tops_[j] = tops_[j - 1];
    if (!evaluate(j)) return false;
  }
  return true;
}

/// How the constraints approach dependence at the two nodes before the pose says where it is. False when that is not the
/// middle; `half` is then improved.
bool PoseBridge::pose_is_in_the_middle(double& half, Independence& independence) {
  constexpr double centred = 0.05;
  const int last = nodes / 2;
  const auto distance = [&](int node) {
    return independence(begin_ + half_ * (1 + at_[node]), states_[node].data());
  };
  const double before = distance(last - 1), after = distance(last);
  if (!(after < before)) return false;
  const double pose = at_[last] + after * (at_[last] - at_[last - 1]) / (before - after);
  half *= 1 + pose;
  return std::abs(pose) <= centred;
}

bool PoseBridge::cross(double t, const double* s, const double* z, double half,
                       Independence& independence) {
  constexpr int most_attempts = 4;
  begin_ = t;
  std::copy_n(s, n_, states_[0].data());
  std::copy_n(z, tops_[0].size(), tops_[0].data());
  half_ = half;
  if (!evaluate(0)) return false;
  for (int attempt = 0;; ++attempt) {
    if (attempt == most_attempts || !predict_nodes(1, nodes / 2)) return false;
    double better = half_;
    if (pose_is_in_the_middle(better, independence)) break;
    if (!(better > 0.2 * half_ && better < 5 * half_)) return false;
    half_ = better;
  }
  return predict_nodes(nodes / 2 + 1, nodes) && iterate() && is_accurate();
}

/// Each node from the latest rates of all.
bool PoseBridge::iterate() {
  constexpr int most_iterations = 40;
  constexpr double settled = 1e-3, harmless = 1;  // of the accepted error
  double previous = std::numeric_limits<double>::infinity();
  for (int iteration = 0; iteration < most_iterations; ++iteration) {
    double change = 0;
    for (int j = 1; j <= nodes; ++j) {
      std::swap(trial_, states_[j]);
      states_[j] = states_[0];
      for (int i = 1; i <= nodes; ++i)
        for (std::size_t k = 0; k < n_; ++k)
          states_[j][k] += 2 * half_ * table_[j][i] * rates_[i][k];
      if (!evaluate(j)) return false;
      for (std::size_t k = 0; k < n_; ++k) trial_[k] -= states_[j][k];
      const double moved = norm(trial_.data(), states_[j].data());
      if (!(moved <= change)) change = moved;  // keeps NaN
    }
    if (change <= settled) return true;
    if (!(change < 0.5 * previous)) return change <= harmless;  // rounding
    previous = change;
  }
  return false;
}

/// The polynomial, the projected end, and whether the last coefficient is small.
bool PoseBridge::is_accurate() {
  const auto transform = [&](const std::vector<std::vector<double>>& values, bool pole,
                             std::vector<std::vector<double>>& result) {
    for (int k = 0; k < nodes; ++k) {
      std::fill(result[k].begin(), result[k].end(), 0.0);
      for (int i = 1; i <= nodes; ++i) {
        const double factor = transform_[k][i] * (pole ? at_[i] : 1);
        for (std::size_t c = 0; c < result[k].size(); ++c) result[k][c] += factor * values[i][c];
      }
    }
  };
  transform(rates_, false, coefficients_);
  transform(tops_, false, tops_coefficients_);
  transform(tops_, true, pole_coefficients_);
  interpolate(end(), end_state_.data());
  ++projections_;
  if (system_.project(end(), end_state_.data()) != Failure::none) return false;
  // of the next term, were it as large as the last: int P_k is at most 1/(2 k + 1)
  for (std::size_t k = 0; k < n_; ++k)
    trial_[k] = 2 * half_ / (2 * nodes + 1) * coefficients_[nodes - 1][k];
  return norm(trial_.data(), end_state_.data()) < 1;
}

void PoseBridge::interpolate(double t, double* s) const {
  const auto integral = legendre_integrals((t - begin_) / half_ - 1);
  std::copy_n(states_[0].data(), n_, s);
  for (int k = 0; k < nodes; ++k)
    for (std::size_t i = 0; i < n_; ++i) s[i] += 2 * half_ * integral[k] * coefficients_[k][i];
}

void PoseBridge::interpolate_tops(double t, double* z) const {
  constexpr double no_pole = 1e-6;  // of the largest value
  constexpr double at_pole = 1e-3;
  const double x = (t - begin_) / half_ - 1;
  const Legendre here = legendre(x), middle = legendre(0);
  for (std::size_t c = 0; c < tops_[0].size(); ++c) {
    double plain = 0, times_x = 0, residue = 0, largest = 0;
    for (int k = 0; k < nodes; ++k) {
      plain += tops_coefficients_[k][c] * here[k];
      times_x += pole_coefficients_[k][c] * here[k];
      residue += pole_coefficients_[k][c] * middle[k];
      largest = std::max(largest, std::abs(tops_[k + 1][c]));
    }
    const bool grows = std::abs(residue) > no_pole * largest && std::abs(x) > at_pole;
    z[c] = grows ? times_x / x : plain;
  }
}

bool PoseBridge::is_near_pose(double t) const {
  return std::abs(t - pose_time()) < half_ * at_[nodes / 2 + 1];
}

}  // namespace daedal::solve
