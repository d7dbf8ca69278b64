// Beams and cables in absolute nodal coordinates: forces and stiffness against a continuum integrated point by point, closed
// forms of beam theory, and reference values (independent recomputation, SciPy) of the arm of [Druecker2022], Table 6.3.
#include "daedal/analyse/equilibrium.hpp"
#include "daedal/analyse/poles_zeros.hpp"
#include "daedal/elaborate/elaborate.hpp"
#include "daedal/run/simulate.hpp"
#include "daedal/start/prepare.hpp"
#include "support/bounds.hpp"
#include "support/model_point.hpp"
#include "support/observed_order.hpp"

#include <Eigen/Geometry>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

namespace daedal::test {
namespace {

constexpr double E = 1.2e7, density = 910, height = 0.09, area = height * height;
constexpr double second_moment = area * height * height / 12;

/// The arm of the reference; `more` are further arguments.
std::string arm(int elements, const std::string& more = "") {
  return fmt::format(
      "model m\npart beam = ancf_beam(elements = {}, length = 1, area = 0.0081, density = 910, "
      "E = 1.2e7{})\n",
      elements, more);
}

std::shared_ptr<const model::Model> elaborated(const std::string& text) {
  return std::make_shared<const model::Model>(model::elaborate(model::load_text(text)));
}
derive::Dae derived(const std::string& text) { return derive::derive(elaborated(text)); }

// ---- one element against the continuum

using Nodes = Eigen::Matrix<long double, 12, 1>;  // r, rx, ry of both nodes

Nodes straight() {
  Nodes e;
  e << 0, 0, 1, 0, 0, 1, 1, 0, 1, 0, 0, 1;
  return e;
}
Nodes of_the_reference() {
  Nodes change;
  change << 1, -2, 3, -1, 2, 1, -3, 2, 1, -2, 1, 3;
  return straight() + 0.01L * change;
}

/// Stress power of a square section at points of the continuum: 5 x 3 Gauss points, shape functions (2.41)-(2.43) of
/// [Druecker2022], strains and stresses as matrices.
struct Continuum {
  long double nu = 0;

  struct Response {
    long double energy = 0;
    Nodes force = Nodes::Zero();
  };
  Response at(const Nodes& e) const {
    static const long double a = std::sqrt(5 + 2 * std::sqrt(10.0L / 7)) / 3,
                             b = std::sqrt(5 - 2 * std::sqrt(10.0L / 7)) / 3;
    static const long double wa = (322 - 13 * std::sqrt(70.0L)) / 900,
                             wb = (322 + 13 * std::sqrt(70.0L)) / 900;
    const std::array<std::array<long double, 2>, 5> along = {
        {{-a, wa}, {-b, wb}, {0, 128.0L / 225}, {b, wb}, {a, wa}}};
    const long double c = std::sqrt(0.6L);
    const std::array<std::array<long double, 2>, 3> across = {
        {{-c, 5.0L / 9}, {0, 8.0L / 9}, {c, 5.0L / 9}}};
    Response sum;
    for (const auto& [p, wp] : along)
      for (const auto& [s, ws] : across)
        add(sum, e, (1 + p) / 2, s * 0.045L, 0.09L * wp / 2 * 0.09L * ws / 2);
    return sum;
  }

 private:
  void add(Response& sum, const Nodes& e, long double x, long double y, long double volume) const {
    using Gradient = Eigen::Matrix<long double, 2, 2>;
    Eigen::Matrix<long double, 6, 2> shape;  // derivatives by x and y
    shape << -6 * x + 6 * x * x, 0, 1 - 4 * x + 3 * x * x, 0, -y, 1 - x, 6 * x - 6 * x * x, 0,
        3 * x * x - 2 * x, 0, y, x;
    const Eigen::Matrix<long double, 2, 6> nodes =
        Eigen::Map<const Eigen::Matrix<long double, 2, 6>>(e.data());
    const Gradient F = nodes * shape;
    const Gradient strain = (F.transpose() * F - Gradient::Identity()) / 2;
    const long double G = 1.2e7L / (2 * (1 + nu)), lambda = 1.2e7L * nu / ((1 + nu) * (1 - 2 * nu));
    const Gradient stress = lambda * strain.trace() * Gradient::Identity() + 2 * G * strain;
    sum.energy += volume / 2 * (stress.cwiseProduct(strain)).sum();
    const Eigen::Matrix<long double, 2, 6> force = volume * F * stress * shape.transpose();
    sum.force += Eigen::Map<const Nodes>(force.data());
  }
};

const std::vector<std::string>& node_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const int node : {1, 2})
      for (const char* vector : {"r", "rx", "ry"})
        for (const int i : {1, 2})
          list.push_back(fmt::format("beam.node[{}].{}[{}]", node, vector, i));
    return list;
  }();
  return names;
}

/// Elastic force: what is left of the equations of motion at rest.
Eigen::VectorXd force(ModelPoint& point, const Nodes& e) {
  ModelPoint::Values values;
  for (std::size_t k = 0; k < 12; ++k)
    values[node_names()[k]] = static_cast<double>(e(static_cast<Eigen::Index>(k)));
  const ModelPoint::Values rows = point.set(values).residuals();
  Eigen::VectorXd f(12);
  for (std::size_t k = 0; k < 12; ++k)
    f(static_cast<Eigen::Index>(k)) = rows.at("motion of " + node_names()[k]);
  return f;
}

TEST(AncfBeam, energy_and_force_of_the_reference_to_all_its_digits) {
  ModelPoint point(*elaborated(arm(1)));
  const Eigen::VectorXd f = force(point, of_the_reference());
  const std::vector<double> expected = {4430.651359824,  -3010.2858853155, 669.0867358609,
                                        -158.9548153333, 1368.4976787594,  909.9558431441,
                                        -4430.651359824, 3010.2858853155,  352.2069283288,
                                        -321.9098326708, 1204.3383682281,  1246.8938528809};
  for (std::size_t k = 0; k < 12; ++k)
    EXPECT_NEAR(f(static_cast<Eigen::Index>(k)), expected[k], printed(9)) << node_names()[k];
  EXPECT_NEAR(point.energy(), 213.0788037843733, rounding(100, 213));
}

TEST(AncfBeam, section_integrated_analytically_is_the_continuum_with_lateral_strain) {
  const Continuum continuum{0.3L};
  ModelPoint point(*elaborated(arm(1, ", nu = 0.3")));
  const Eigen::VectorXd f = force(point, of_the_reference());
  const Continuum::Response expected = continuum.at(of_the_reference());
  const double size = static_cast<double>(expected.force.cwiseAbs().maxCoeff());
  EXPECT_LE((f - expected.force.cast<double>()).cwiseAbs().maxCoeff(), 1e-14 * 16 * size);
  EXPECT_NEAR(point.energy(), static_cast<double>(expected.energy), rounding(32, 300));
}

TEST(AncfBeam, stiffness_is_the_derivative_of_the_force_of_the_continuum) {
  const derive::Dae dae = derived(arm(1, ", nu = 0.3"));
  const Nodes e = of_the_reference();
  const auto at = [&](expr::Leaf leaf) {
    const model::Symbol& symbol = dae.model->symbols[leaf.symbol];
    if (leaf.order > 0) return 0.0;
    const auto name = std::find(node_names().begin(), node_names().end(), symbol.name);
    return name == node_names().end() ? symbol.value
                                      : static_cast<double>(e(name - node_names().begin()));
  };
  const analysis::LinearModel linear = analysis::linearise(dae, at);
  const auto column = [&](const std::string& name) {
    return std::find(linear.variables.begin(), linear.variables.end(), name) -
           linear.variables.begin();
  };
  const Continuum continuum{0.3L};
  for (int j = 0; j < 12; ++j) {
    const long double h =
        1e-6L;  // error h^2 f'''/6 and 1e-19/h of the largest force, both near 1e-12
    const Nodes step = h * Nodes::Unit(j);
    const Nodes slope = (continuum.at(e + step).force - continuum.at(e - step).force) / (2 * h);
    for (int i = 0; i < 12; ++i)
      // both errors of the quotient, near 1e-12 of the largest entries, 1e5 N/m
      EXPECT_NEAR(-linear.a(i, column(node_names()[static_cast<std::size_t>(j)])),
                  static_cast<double>(slope(i)), 1e-11 * 1e5)
          << i << " " << j;
  }
}

TEST(AncfBeam, rigid_rotation_needs_no_force) {
  ModelPoint point(*elaborated(arm(1)));
  for (const double angle : {0.1, 1.0, 2.5, -3.0}) {
    Nodes e = straight();
    const Eigen::Matrix<long double, 2, 2> turn =
        Eigen::Rotation2D<long double>(angle).toRotationMatrix();
    for (int k = 0; k < 12; k += 2) e.segment<2>(k) = (turn * e.segment<2>(k)).eval();
    e.segment<2>(0) += Eigen::Matrix<long double, 2, 1>(3, -2);
    e.segment<2>(6) += Eigen::Matrix<long double, 2, 1>(3, -2);
    EXPECT_LE(force(point, e).cwiseAbs().maxCoeff(), 1e-10);
  }
}

TEST(AncfBeam, consistent_mass_matrix_of_the_reference) {
  ModelPoint point(*elaborated(arm(1)));
  const Eigen::MatrixXd M = point.mass_matrix();
  for (const int i : {0, 1}) {  // both directions alike
    EXPECT_NEAR(M(i, i), 2.7378, rounding(16, 2.7378));
    EXPECT_NEAR(M(i, i + 2), 0.3861, rounding(16, 0.3861));
    EXPECT_NEAR(M(i, i + 6), 0.9477, rounding(16, 0.9477));
    EXPECT_NEAR(M(i, i + 8), -0.22815, rounding(16, 0.22815));
    EXPECT_NEAR(M(i + 2, i + 2), 0.0702, rounding(16, 0.0702));
    EXPECT_NEAR(M(i + 2, i + 8), -0.05265, rounding(16, 0.05265));
    EXPECT_NEAR(M(i + 4, i + 4), 1.658475e-3, rounding(16, 1.658475e-3));
    EXPECT_NEAR(M(i + 4, i + 10), 8.2923750e-4, rounding(16, 8.2923750e-4));
  }
  Eigen::VectorXd translation = Eigen::VectorXd::Zero(12);
  translation(0) = translation(6) = 1;
  EXPECT_NEAR(translation.dot(M * translation), 7.371, rounding(32, 7.371));
}

// ---- beam theory

analysis::Equilibrium at_rest(const derive::Dae& dae) {
  const analysis::Equilibrium found = analysis::equilibrium(dae);
  EXPECT_TRUE(found.found) << found.worst_equation;
  return found;
}
double value(const derive::Dae& dae, const analysis::Equilibrium& at, const std::string& name) {
  for (const expr::SymbolId s : dae.unknowns)
    if (dae.model->symbols[s].name == name) return at.values[s];
  ADD_FAILURE() << name;
  return 0;
}
/// Circular frequencies of the undamped modes about the pose, increasing.
std::vector<double> frequencies(const derive::Dae& dae) {
  std::vector<double> list;
  for (const analysis::Cluster& c :
       analysis::poles(analysis::linearise(dae, point_of(at_rest(dae)))).clusters)
    if (c.mean.imag() > 0) list.push_back(c.mean.imag());
  std::sort(list.begin(), list.end());
  return list;
}
/// The joint of the reference: position, and the first component of the section.
const std::string clamp =
    "constraint pin: beam.node[1].r = [0, 0]\nconstraint turn: beam.node[1].ry[1] = 0\n";

double deflection_of_cantilever(int N, double load) {
  const derive::Dae dae = derived(
      arm(N) + clamp + fmt::format("force [0, {:.17g}] at beam.node[{}].r\n", -load, N + 1));
  return value(dae, at_rest(dae), fmt::format("beam.node[{}].r[2]", N + 1));
}

TEST(AncfBeam, cantilever_deflects_by_the_closed_form_of_its_discretisation) {
  const double F = 1e-3, G = E / 2;  // the deflection is linear in F up to (F/0.1 N)^2 3e-6
  const std::vector<std::pair<int, double>> reference = {
      {1, -.00038310}, {2, -.00047836}, {4, -.00050217}, {8, -.00050813}};
  for (const auto& [N, deflection] : reference) {
    EXPECT_NEAR(deflection_of_cantilever(N, 0.1), deflection, 5e-9) << N;  // all digits given
    const double bending = F / (3 * E * second_moment) * (1 - 1.0 / (4 * N * N));
    // the part of second order in F, (F/0.1 N)^2 3e-6, and Newton's stop
    EXPECT_NEAR(deflection_of_cantilever(N, F), -(bending + F / (G * area)), 1e-9 * bending) << N;
  }
}

TEST(AncfBeam, lateral_strain_stiffens_bending_by_the_plane_strain_modulus) {
  // A section that stays straight cannot narrow on one side only: E I becomes (lambda + 2 G) I, as the documentation says.
  const double F = 1e-3, nu = 0.3, G = E / (2 * (1 + nu));
  const double modulus = E * (1 - nu) / ((1 + nu) * (1 - 2 * nu));
  const int N = 8;
  const derive::Dae dae =
      derived(arm(N, ", nu = 0.3") + clamp + "force [0, -0.001] at beam.node[9].r\n");
  const double bending = F / (3 * modulus * second_moment) * (1 - 1.0 / (4 * N * N));
  // the part of second order in F grows with the modulus
  EXPECT_NEAR(value(dae, at_rest(dae), "beam.node[9].r[2]"), -(bending + F / (G * area)),
              1e-8 * bending);
}

TEST(AncfBeam, eigenfrequencies_of_the_reference) {
  const auto expect = [](const std::string& text, const std::vector<double>& reference) {
    const std::vector<double> found = frequencies(derived(text));
    for (std::size_t k = 0; k < reference.size(); ++k)
      // printed with ten digits
      EXPECT_NEAR(found[k], reference[k], 1e-9 * reference[k]) << text;
  };
  expect(arm(4) + clamp, {10.56775656, 69.32153994, 180.3805983, 209.9596533});
  expect(arm(16) + clamp, {10.44883620, 64.01180996, 173.3328921});
  expect(arm(4) + "constraint pin: beam.node[1].r = [0, 0]\n", {46.58132408, 157.7510825});
}

TEST(AncfBeam, damping_acts_as_stiffness_times_its_time) {
  // s^2 + beta w^2 s + w^2 = 0 for each mode of the undamped beam
  const double beta = 1e-3;
  const std::vector<double> undamped = frequencies(derived(arm(2) + clamp));
  const derive::Dae dae = derived(arm(2, ", damping = 1e-3") + clamp);
  const analysis::Spectrum spectrum =
      analysis::poles(analysis::linearise(dae, point_of(at_rest(dae))));
  for (const double w : undamped) {
    const std::complex<double> s =
        -beta * w * w / 2 + std::sqrt(std::complex<double>(beta * beta * w * w / 4 - 1)) * w;
    double nearest = 1e9;
    for (const analysis::Cluster& c : spectrum.clusters)
      nearest = std::min(nearest, std::abs(c.mean - s));
    EXPECT_LE(nearest, 1e-8 * w) << w;
  }
}

solve::Trajectory simulated(const std::string& text, double until) {
  const formulate::Problem problem = formulate::formulate(
      structure::by_signature(std::make_shared<const derive::Dae>(derived(text))), {});
  solve::SimulateOptions options;
  options.until = until;
  options.every = until / 20;
  options.method = solve::make_method("taylor", {{"tolerance", 1e-12}});
  return solve::simulate(problem, solve::consistent_point(problem), options);
}

TEST(AncfBeam, a_turning_beam_keeps_its_energy_and_momenta_while_it_deforms) {
  // Free in space without gravity: energy, momentum and angular momentum about the origin are constants of motion.
  const std::string text = arm(3, ", angular_velocity = 20, velocity = [1, 0]");
  ModelPoint point(*elaborated(text));
  const solve::Trajectory run = simulated(text, 0.2);
  ASSERT_EQ(run.status, solve::Status::completed) << run.reason;
  const Eigen::MatrixXd M = point.mass_matrix();
  const Eigen::Index n = M.rows();
  std::vector<double> energy, momentum, spin;
  for (std::size_t row = 0; row < run.table.rows(); ++row) {
    ModelPoint::Values values;
    for (std::size_t c = 1; c < run.table.width(); ++c)
      if (const std::string& name = run.table.columns()[c].name; name.starts_with("beam"))
        values[name] = run.table.column(c)[row];
    point.set(values);
    Eigen::VectorXd q(n), v(n);
    Eigen::Index k = 0;
    for (const expr::SymbolId s : point.dae().unknowns) {
      const std::string& name = point.model().symbols[s].name;
      q(k) = values.at(name), v(k) = values.at(name + "'"), ++k;
    }
    const Eigen::VectorXd p = M * v;
    double turn = 0, along = 0;
    for (Eigen::Index i = 0; i < n; i += 2) turn += q(i) * p(i + 1) - q(i + 1) * p(i);
    for (Eigen::Index i = 0; i < n; i += 6) along += p(i);
    energy.push_back(point.energy()), momentum.push_back(along), spin.push_back(turn);
  }
  for (const auto* list : {&energy, &momentum, &spin}) {
    const auto [low, high] = std::minmax_element(list->begin(), list->end());
    EXPECT_LE(*high - *low, 1e-9 * std::abs(list->front()));
  }
}

// ---- nodes and sections as bodies

TEST(AncfBeam, a_section_at_the_end_of_an_element_is_the_node_there) {
  ModelPoint point(*elaborated(arm(2) +
                               "part end = beam_section(beam = beam, element = 1, at = 1)\n"
                               "part start = beam_section(beam = beam, element = 2, at = 0)\n"
                               "output d = end.point([0.1, 0.2]) - beam.node[2].point([0.1, 0.2]), "
                               "a = end.phi - beam.node[2].phi\n"
                               "output e = start.point([0.1, 0.2]) - end.point([0.1, 0.2])\n"));
  point.set({{"beam.node[2].r[1]", 0.4},
             {"beam.node[2].rx[2]", 0.2},
             {"beam.node[2].ry[1]", -0.3},
             {"beam.node[2].ry[2]", 1.1}});
  for (const char* name : {"d[1]", "d[2]", "a", "e[1]", "e[2]"})
    EXPECT_NEAR(point.output(name), 0, rounding(4)) << name;
}

TEST(AncfBeam, loads_at_a_section_bend_the_beam_as_statics_says) {
  // A moment at 3/4 of the length turns all sections beyond alike: angle M s/(E I), and the axis as the parabola of
  // Euler and Bernoulli but for the lost curvature of cubic elements, (1 - 1/(4 N^2)) of which is its largest.
  const int N = 16;
  const derive::Dae dae = derived(
      arm(N) + clamp +
      "part tool = beam_section(beam = beam, element = 12, at = 1)\ntorque 0.01 about tool.phi\n"
      "coordinate angle\nconstraint copy: angle = beam.node[17].phi\n");
  const analysis::Equilibrium at = at_rest(dae);
  const double angle = 0.01 * 0.75 / (E * second_moment);
  // nodes turn by the exact angle: what is left is the stop of the equilibrium
  EXPECT_NEAR(value(dae, at, "angle"), angle, 1e-9 * angle);
}

TEST(AncfBeam, joints_hold_nodes_as_they_hold_bodies) {
  // Clamped by `fixed`, with a rigid block welded to the far end: statics of a tip mass at 0.1 m beyond it.
  const double g = 9.81, m = 0.01, G = E / 2;
  const derive::Dae dae =
      derived(arm(8) +
              "part wall = fixed(b = beam.node[1])\n"
              "part block = planar_body(mass = 0.01, inertia = 1e-4, position = [1.1, 0])\n"
              "part weld = fixed(a = beam.node[9], b = block, point_a = [0.1, 0])\n");
  const analysis::Equilibrium at = at_rest(dae);
  const double bending =
      m * g * (1.0 / 3 + 0.1 / 2) / (E * second_moment);  // force and moment m g 0.1
  const double expected = -(bending + m * g / (G * area));
  EXPECT_NEAR(value(dae, at, "beam.node[9].r[2]"), expected, 5e-3 * bending);  // 1/(4 N^2)
  EXPECT_NEAR(value(dae, at, "wall.point[2]"), m * g,
              1e-9);  // equilibrium to rounding of the axial force of the stiff beam, E A
  EXPECT_NEAR(value(dae, at, "wall.turn"), m * g * 1.1,
              1e-6 * m * g);  // the arm is shortened by the square of a slope of 1e-3
}

// ---- cables

std::string cable(int elements, const std::string& more = "") {
  return fmt::format(
      "model m\npart beam = ancf_cable(elements = {}, length = 1, area = 0.0081, density = 910, "
      "E = 1.2e7{})\nconstraint pin: beam.node[1].r = [0, 0]\nconstraint turn: beam.node[1].rx[2] "
      "= 0\n",
      elements, more);
}

TEST(AncfCable, eigenfrequencies_are_those_of_euler_and_bernoulli) {
  // cos(k) cosh(k) = -1 for the clamped beam; cubic elements miss them by O(N^-4)
  const double unit = std::sqrt(E * second_moment / (density * area));
  const std::vector<double> found = frequencies(derived(cable(8)));
  const auto expect_bending = [&](double frequency, double k) {  // missed by k^4/(1440 N^4)
    EXPECT_NEAR(frequency, k * k * unit, 1.1 * std::pow(k / 8, 4) / 1440 * frequency);
  };
  expect_bending(found[0], 1.8751040687119611);
  expect_bending(found[1], 4.694091132974174);
  const double axial = std::numbers::pi / 2 * std::sqrt(E / density);
  EXPECT_NEAR(found[2], axial, 1e-7 * axial);  // missed by O(N^-6)
}

TEST(AncfCable, a_moment_bends_it_into_an_arc_of_a_circle) {
  // M L = pi/2 E I: a quarter of a circle of radius 2/pi, unstretched.
  const double M = std::numbers::pi / 2 * E * second_moment, radius = 2 / std::numbers::pi;
  std::vector<double> sizes, errors;
  for (const int N : {2, 4, 8, 16}) {
    const derive::Dae dae =
        derived(cable(N) + fmt::format("torque {:.17g} about beam.node[{}].phi\n", M, N + 1));
    const analysis::Equilibrium at = at_rest(dae);
    const double x = value(dae, at, fmt::format("beam.node[{}].r[1]", N + 1)) - radius,
                 y = value(dae, at, fmt::format("beam.node[{}].r[2]", N + 1)) - radius;
    sizes.push_back(1.0 / N);
    errors.push_back(std::hypot(x, y));
  }
  EXPECT_LE(errors.back(), 1e-4);
  EXPECT_GT(support::fitted_order(sizes, errors).slope, 2);
}

}  // namespace
}  // namespace daedal::test
