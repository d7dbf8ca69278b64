// Poles and zeros of the library's mechanisms. Reference values: independent recomputation (SymPy, mpmath, SciPy) of
// [Druecker2022], as in each model's README; closed forms where the comment says so.
#include "daedal/structure/examine.hpp"
#include "models.hpp"
#include "support/bounds.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <string>
#include <vector>

namespace daedal::analysis::test {
namespace {

using Complex = std::complex<double>;
using Values = std::vector<Complex>;

/// All finite eigenvalues, clusters by their means, in any order.
void expect_values(const Spectrum& s, Values expected, double tolerance) {
  ASSERT_TRUE(s.regular());
  ASSERT_EQ(s.values.size(), expected.size());
  EXPECT_GT(s.smallest_gap(), convincing_gap);
  for (const Cluster& cluster : s.clusters)
    for (int k = 0; k < cluster.multiplicity; ++k) {
      const auto nearest = std::min_element(
          expected.begin(), expected.end(), [&](const Complex& a, const Complex& b) {
            return std::abs(a - cluster.mean) < std::abs(b - cluster.mean);
          });
      EXPECT_LT(std::abs(*nearest - cluster.mean), tolerance) << cluster.mean;
      expected.erase(nearest);
    }
}

/// Zeros by both methods, their number against the structure of the inverse model.
void expect_zeros(const SharedDae& dae, const Values& expected, double tolerance) {
  const Equilibrium at = equilibrium(*dae);
  ASSERT_TRUE(at.found) << at.worst_equation;
  expect_values(zeros_of_inverse(*dae, at), expected, tolerance);
  expect_values(zeros_of_system(*dae, at), expected, tolerance);
  const auto inverse = std::make_shared<const derive::Dae>(derive::inverse(*dae));
  EXPECT_EQ(structure::examine(inverse).degrees_of_freedom, static_cast<int>(expected.size()));
}

Values pair(double real, double imaginary) { return {{real, imaginary}, {real, -imaginary}}; }

struct CarCase {
  std::string model;
  int index = 0;
  Values zeros;
};
std::string name_of(const ::testing::TestParamInfo<CarCase>& tested) { return tested.param.model; }

class MassOnCar : public ::testing::TestWithParam<CarCase> {};

// Closed forms: a damped spring between the cars leaves -k1/d1; mass 3 on its incline moves on with
// m3 sin^2(alpha) s^2 + d2 s + k2 = 0, which loses its degree at alpha = 0.
TEST_P(MassOnCar, zeros_and_index_are_those_of_table_5_1) {
  const SharedDae dae = library_model("mass_on_car", GetParam().model);
  expect_zeros(dae, GetParam().zeros, 1e-9);
  const auto inverse = std::make_shared<const derive::Dae>(derive::inverse(*dae));
  EXPECT_EQ(structure::examine(inverse).index, GetParam().index);
  EXPECT_EQ(poles(linearise(*dae, point_of(equilibrium(*dae)))).finite(), 6);
}

Values incline(double alpha, double d) {
  const double inertia = 3 * std::pow(std::sin(alpha), 2);
  const double real = -d / (2 * inertia);
  return pair(real, std::sqrt(3 / inertia - real * real));
}
Values with(double value, Values others) {
  others.push_back(value);
  return others;
}
const double pi = std::acos(-1.0);

INSTANTIATE_TEST_SUITE_P(
    cases, MassOnCar,
    ::testing::Values(CarCase{"mass_on_car_1_1", 4, with(-3, incline(pi / 2, 1))},
                      CarCase{"mass_on_car_1_2", 5, incline(pi / 2, 0)},
                      CarCase{"mass_on_car_2_1", 4, with(-3, incline(pi / 12, 1))},
                      CarCase{"mass_on_car", 5, incline(pi / 12, 0)},
                      CarCase{"mass_on_car_3_1", 5, {-3, -3}}, CarCase{"mass_on_car_3_2", 7, {}}),
    name_of);

TEST(MassOnCar, the_double_zero_of_case_3_1_is_one_cluster) {
  const SharedDae dae = library_model("mass_on_car", "mass_on_car_3_1");
  for (const Spectrum& s :
       {zeros_of_inverse(*dae, equilibrium(*dae)), zeros_of_system(*dae, equilibrium(*dae))}) {
    ASSERT_EQ(s.clusters.size(), 1u);
    EXPECT_EQ(s.clusters[0].multiplicity, 2);
    EXPECT_NEAR(s.clusters[0].mean.real(), -3, daedal::test::rounding(1e4, 3));
    EXPECT_GT(s.clusters[0].spread, 1e-9);  // defective: QZ cannot do better than sqrt(eps)
    EXPECT_LT(s.clusters[0].spread, 1e-5);
  }
}

// Every damper takes one from the relative degree: its spring and it alone move on at s = -k/d [Druecker2022, Section 4.1].
TEST(TorsionalOscillator, relative_degree_is_2N_minus_the_number_of_dampers) {
  for (int disks = 2; disks <= 12; ++disks)
    for (int dampers = 0; dampers < disks; ++dampers) {
      Parameters parameters{{"N", std::to_string(disks)}};
      Values zeros;
      for (int k = 1; k <= dampers; ++k) {
        parameters["d[" + std::to_string(k) + "]"] = std::to_string(0.1 * k);
        zeros.push_back(-2 / (0.1 * k));
      }
      SCOPED_TRACE(std::to_string(disks) + " disks, " + std::to_string(dampers) + " dampers");
      const SharedDae dae = library_model("torsional_oscillator", "", parameters);
      const Equilibrium at = equilibrium(*dae);
      const Spectrum s = zeros_of_inverse(*dae, at);
      expect_values(s, zeros, 1e-9 * 20);
      EXPECT_EQ(poles(linearise(*dae, point_of(at))).finite() - s.finite(), 2 * disks - dampers);
    }
}

TEST(Manipulators, two_links) {
  expect_zeros(library_model("manipulator_2link"), {21.920905586542, -21.896905586542}, 1e-9);
  expect_zeros(library_model("manipulator_2link", "", {{"d", "0.05"}}),
               {56.496153618544, -8.496153618544}, 1e-9);
}

// J s^2 + (1 + L4/L3) d s + (1 + L4/L3) c = 0 with J = I4 - m4 s4 (L4 - s4), whatever the pose of the first links.
Values manipulator_zeros(double m4, double inertia, double s4, double c) {
  const double j = inertia - m4 * s4 * (0.5 - s4), b = 2 * 0.05, k = 2 * c;
  const Complex root = std::sqrt(Complex(b * b - 4 * j * k));
  return {(-b + root) / (2 * j), (-b - root) / (2 * j)};
}

TEST(Manipulators, in_space_for_every_mass_distribution_and_stiffness) {
  for (const double c : {5.0, 10.0, 20.0, 50.0, 100.0}) {
    const std::string text = std::to_string(c);
    const double shifted = 0.16840213799650494;
    // 1e-9 relative to zeros of some hundreds
    expect_zeros(library_model("manipulator_3d", "", {{"c", text}}),
                 manipulator_zeros(3.969, 0.2449, shifted, c), 1e-7);
    expect_zeros(library_model("manipulator_3d", "manipulator_3d_printed", {{"robot.c", text}}),
                 manipulator_zeros(3.969, 0.2449, 0.25, c), 1e-7);
    expect_zeros(library_model("manipulator_3d", "manipulator_3d_homogeneous", {{"robot.c", text}}),
                 manipulator_zeros(3.438, 0.0738, 0.25, c), 1e-7);
  }
}

// Here QZ with a threshold on beta lets a pair near 1e8 through; the closed form has two zeros.
TEST(Manipulators, no_infinite_zero_is_taken_for_a_finite_one) {
  expect_zeros(library_model("manipulator_3d", "", {{"s4", "0.24"}}),
               manipulator_zeros(3.969, 0.2449, 0.24, 50), 1e-7);
}

TEST(CableRobots, six_and_eight_finite_poles_and_no_zeros) {
  const auto forward = [](const SharedDae& dae) {
    return poles(linearise(*dae, point_of(equilibrium(*dae))));
  };
  const double sway = std::sqrt(9.81 / 4);
  for (const char* name : {"cable_robot", "cable_robot_generalised"}) {
    const SharedDae dae = library_model("cable_robot", name);
    expect_values(forward(dae), {0, 0, {0, sway}, {0, -sway}, -1 / 0.03, -50}, 1e-9);
    expect_zeros(dae, {}, 0);
  }
  const SharedDae platform = library_model("cable_robot_platform", "cable_robot_platform");
  expect_values(forward(platform), {0, 0, 0, {0, 1.44279}, {0, -1.44279}, -1 / 0.03, -50, -50},
                1e-5);
  expect_zeros(platform, {}, 0);
  const SharedDae parallel = library_model("cable_robot_platform", "cable_robot_platform_parallel");
  expect_values(forward(parallel), {0, 0, 0, {0, 1.33553}, {0, -1.33553}, -1 / 0.03, -50, -50},
                1e-5);
  expect_zeros(parallel, {}, 0);
}

/// Chain of n masses on springs, driven at one end and watched at mass `watched`: zeros are the poles of what is
/// attached beyond it times those of what lies before, held at the watched mass. With equal springs both halves have
/// nearly the same ones.
SharedDae chain(int n, int watched) {
  return text_model("model chain\nsize N = " + std::to_string(n) +
                    "\nparameter k = 100, d = 0.02\ncoordinate x[1..N]\n"
                    "kinetic sum(i in 1..N: x[i]'^2/2)\n"
                    "potential k/2*x[1]^2 + sum(i in 2..N: k/2*(x[i] - x[i-1])^2)\n"
                    "dissipation d/2*x[1]'^2 + sum(i in 2..N: d/2*(x[i]' - x[i-1]')^2)\n"
                    "input u\nforce u on x[N]\nservo y: x[" +
                    std::to_string(watched) + "] = 0\n");
}

// Closed form: x[w] = 0 clamps a chain of w - 1 masses between two walls, w_j^2 = 4 k sin^2(j pi/(2 w)), and a force at the
// end of the others meets no zero of theirs. Each spring with its damper beyond w moves on at s = -k/d.
TEST(Zeros, of_a_hundred_states_by_two_roads) {
  const int n = 50, watched = 40;
  const SharedDae dae = chain(n, watched);
  const Equilibrium at = equilibrium(*dae);
  const Spectrum one = zeros_of_inverse(*dae, at), two = zeros_of_system(*dae, at);
  EXPECT_EQ(poles(linearise(*dae, point_of(at))).finite(), 100);
  Values expected;
  for (int j = 1; j < watched; ++j) {
    const double stiffness = 400 * std::pow(std::sin(j * pi / (2 * watched)), 2),
                 b = stiffness * 2e-4;
    const Complex root = std::sqrt(Complex(b * b - 4 * stiffness));
    expected.push_back((-b + root) / 2.0);
    expected.push_back((-b - root) / 2.0);
  }
  for (const Spectrum* s : {&one, &two}) {
    ASSERT_TRUE(s->regular());
    EXPECT_EQ(s->finite(), static_cast<int>(expected.size()) + n - watched);
    for (const Complex& z : expected) {
      double nearest = 1e9;
      for (const Eigenvalue& v : s->values) nearest = std::min(nearest, std::abs(v.value - z));
      EXPECT_LT(nearest, 1e-9 * 20) << z;
    }
    // -k/d = -5000 is defective, n - watched times: one cluster, whose mean keeps the digits its members lose
    const Cluster& fast = s->clusters.back();
    EXPECT_EQ(fast.multiplicity, n - watched);
    EXPECT_NEAR(fast.mean.real(), -5000, daedal::test::rounding(1000, 5000));
  }
}

// Two chains that differ by 1e-6 in one stiffness, side by side: pairs of zeros at a relative distance near 1e-8.
TEST(Zeros, of_a_hundred_states_with_close_pairs_agree_within_their_errors) {
  const SharedDae dae = text_model(
      "model pairs\nsize N = 25\nparameter k = 100, split = 1e-6\ncoordinate x[1..N], w[1..N]\n"
      "kinetic sum(i in 1..N: (x[i]'^2 + w[i]'^2)/2)\n"
      "potential k/2*x[1]^2 + sum(i in 2..N: k/2*(x[i] - x[i-1])^2)\n"
      "potential k*(1 + split)/2*w[1]^2 + sum(i in 2..N: k/2*(w[i] - w[i-1])^2)\n"
      "input u, v\nforce u on x[N]\nforce v on w[N]\nservo first: x[20] = 0\nservo second: w[20] = "
      "0\n");
  const Equilibrium at = equilibrium(*dae);
  const Spectrum one = zeros_of_inverse(*dae, at), two = zeros_of_system(*dae, at);
  ASSERT_EQ(one.finite(), two.finite());
  EXPECT_EQ(one.finite(), 2 * 2 * 19);
  EXPECT_EQ(poles(linearise(*dae, point_of(at))).finite(), 100);
  double closest = 1e9;
  for (const Eigenvalue& a : one.values) {
    double nearest = 1e9;
    for (const Eigenvalue& b : two.values) nearest = std::min(nearest, std::abs(a.value - b.value));
    EXPECT_LE(nearest, 10 * a.error + 1e-11) << a.value;
    for (const Eigenvalue& c : one.values)
      if (&a != &c) closest = std::min(closest, std::abs(a.value - c.value));
  }
  EXPECT_LT(closest, 1e-6);  // close pairs there are
  EXPECT_GT(closest, 0);
}

// Independent recomputation (SciPy) of the zero dynamics of its constraints, which is the constrained motion.
TEST(Looper, the_constrained_motion_has_two_poles) {
  const SharedDae dae = library_model("looper");
  const Spectrum s = poles(linearise(*dae, point_of(equilibrium(*dae))));
  expect_values(s, pair(-0.0217545, 4.5020907), 1e-6);
}

/// The delta robot held by its motors with the arms near `angle`: where the arms are then, and how far right its
/// rightmost pole is.
struct Held {
  double angle = 0, pole = 0;
};
Held held_delta_robot(const derive::Dae& robot, double angle) {
  model::Model m = *robot.model;
  EquilibriumOptions options;
  for (const model::InputDefault& input : m.inputs) options.free_inputs.push_back(input.input);
  for (const char* arm : {"arm[1].q[1]", "arm[2].q[1]", "arm[3].q[1]"}) {
    const expr::Leaf leaf{m.find(arm), 0};
    const auto start = std::find_if(m.starts.begin(), m.starts.end(),
                                    [&](const model::StartValue& s) { return s.leaf == leaf; });
    if (start == m.starts.end())
      m.starts.push_back({leaf, angle});
    else
      start->value = angle;
  }
  derive::Dae dae = robot;
  dae.model = std::make_shared<const model::Model>(std::move(m));
  const Equilibrium at = equilibrium(dae, options);
  EXPECT_TRUE(at.found);
  const Held held{at.values[dae.model->find("arm[1].q[1]")],
                  poles(linearise(dae, point_of(at))).clusters[0].mean.real()};
  return held;
}

// Independent recomputation (SciPy) of parameter set A: unstable below 17.128021464 degrees, stable above.
TEST(DeltaRobot, its_unstable_pole_crosses_the_axis_where_the_arms_are_raised) {
  const SharedDae robot = library_model("delta_robot");
  double left = 10 * pi / 180, right = 25 * pi / 180;
  ASSERT_GT(held_delta_robot(*robot, left).pole, 0);
  ASSERT_LT(held_delta_robot(*robot, right).pole, 0);
  while (right - left > 1e-12) {
    const double middle = 0.5 * (left + right);
    (held_delta_robot(*robot, middle).pole > 0 ? left : right) = middle;
  }
  EXPECT_NEAR(held_delta_robot(*robot, left).angle * 180 / pi, 17.128021464,
              daedal::test::printed(9));
}

}  // namespace
}  // namespace daedal::analysis::test
