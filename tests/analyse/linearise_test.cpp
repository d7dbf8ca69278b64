// Linear models against matrices and transfer functions written by hand.
#include "daedal/analyse/linearise.hpp"

#include "daedal/base/lu.hpp"
#include "models.hpp"
#include "support/bounds.hpp"

#include <Eigen/LU>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <complex>

namespace daedal::analysis::test {
namespace {

using Complex = std::complex<double>;
using ::testing::ElementsAre;

Complex transfer(const LinearModel& m, Complex s) {
  const Eigen::MatrixXcd pencil = s * m.e.cast<Complex>() - m.a.cast<Complex>();
  return (m.c.cast<Complex>() * ComplexLu(pencil).solve(Eigen::MatrixXcd(m.b.cast<Complex>())) +
          m.d.cast<Complex>())(0, 0);
}

LinearModel at_rest(const derive::Dae& dae) { return linearise(dae, point_of(equilibrium(dae))); }

const Complex somewhere(0.3, 0.7);

TEST(Linearise, oscillator_by_hand) {
  const SharedDae dae = text_model(
      "model m\nparameter m = 2, k = 5, d = 0.3\ncoordinate x\nkinetic m/2*x'^2\npotential "
      "k/2*x^2\n"
      "dissipation d/2*x'^2\ninput u\nforce u on x\noutput y = x\n");
  const LinearModel m = at_rest(*dae);
  EXPECT_THAT(m.variables, ElementsAre("x", "x'"));
  EXPECT_THAT(m.equations, ElementsAre("motion of x", "x' = d/dt x"));
  EXPECT_THAT(m.inputs, ElementsAre("u"));
  EXPECT_THAT(m.outputs, ElementsAre("y"));
  EXPECT_EQ(m.e, (Eigen::Matrix2d() << 0, 2, 1, 0).finished());
  EXPECT_EQ(m.a, (Eigen::Matrix2d() << -5, -0.3, 0, 1).finished());
  EXPECT_EQ(m.b, Eigen::Vector2d(1, 0));
  EXPECT_EQ(m.c, Eigen::RowVector2d(1, 0));
  EXPECT_EQ(m.d(0, 0), 0);
}

TEST(Linearise, outputs_may_be_accelerations_and_inputs_may_be_differentiated) {
  const SharedDae dae = text_model(
      "model m\nvariable x, w\ninput u\nequation first: x'' + 2*x' + 3*x = u' + 4*u\n"
      "equation second: w = u''\noutput y = x'' + w\n");
  const LinearModel m = at_rest(*dae);
  const Complex s = somewhere;
  const Complex expected = s * s * (s + 4.0) / (s * s + 2.0 * s + 3.0) + s * s;
  EXPECT_LT(std::abs(transfer(m, s) - expected), 1e-13);
  EXPECT_EQ(poles(m).finite(), 2);
}

TEST(Linearise, a_constraint_and_minimal_coordinates_have_one_transfer_function) {
  const std::string head = "model m\nparameter m = 1.5, l = 0.8, g = 9.81\ninput u\n";
  const SharedDae constrained =
      text_model(head +
                 "coordinate x = 0.01, y = -0.8\nkinetic m/2*(x'^2 + y'^2)\npotential m*g*y\n"
                 "constraint rod: x^2 + y^2 = l^2\nforce u on x\noutput z = x\n");
  const SharedDae minimal = text_model(
      head +
      "coordinate phi = 0.01\nlet p = [l*sin(phi), -l*cos(phi)]\nkinetic m/2*dot(p', p')\n"
      "potential m*g*p[2]\nforce [u, 0] at p\noutput z = p[1]\n");
  const Complex a = transfer(at_rest(*constrained), somewhere),
                b = transfer(at_rest(*minimal), somewhere);
  EXPECT_LT(std::abs(a - b), 1e-13 * std::abs(b));
  EXPECT_LT(std::abs(a - 1.0 / (1.5 * (somewhere * somewhere + 9.81 / 0.8))), 1e-14);
}

TEST(Linearise, an_inverse_dae_has_no_inputs) {
  const SharedDae dae = library_model("torsional_oscillator");
  const LinearModel m = linearise(derive::inverse(*dae), point_of(equilibrium(*dae)));
  EXPECT_TRUE(m.inputs.empty());
  EXPECT_EQ(m.variables.back(), "u");
}

Spectrum delta_robot_poles(const formulate::Baumgarte& baumgarte) {
  const SharedDae dae = library_model("delta_robot");
  EquilibriumOptions options;
  for (const model::InputDefault& input : dae->model->inputs)
    options.free_inputs.push_back(input.input);
  const formulate::Problem problem =
      formulate::formulate(structure::by_signature(dae),
                           {.kind = formulate::Kind::baumgarte, .all = baumgarte, .each = {}});
  return poles(linearise(problem, layout_point(problem, equilibrium(*dae, options))));
}

// Independent recomputation (SymPy, SciPy) of parameter set A: 12 poles at the Baumgarte pole, six of the mechanism.
TEST(Linearise, delta_robot_has_twelve_poles_at_the_pole_of_baumgarte) {
  const Spectrum s = delta_robot_poles({10, 25});
  ASSERT_EQ(s.finite(), 18);
  ASSERT_EQ(s.clusters.size(), 5u);
  EXPECT_NEAR(s.clusters[0].mean.real(), 3.075841472283, daedal::test::printed(12));
  EXPECT_LT(std::abs(s.clusters[1].mean - Complex(-0.432217343578, 3.26783820142)), 1e-9);
  EXPECT_EQ(s.clusters[1].multiplicity, 2);
  EXPECT_EQ(s.clusters[2].multiplicity, 2);
  EXPECT_NEAR(s.clusters[3].mean.real(), -3.950477040796, daedal::test::printed(12));
  EXPECT_EQ(s.clusters[4].multiplicity, 12);
  EXPECT_NEAR(s.clusters[4].mean.real(), -5,
              daedal::test::rounding(1e4, 5));  // of twelve, each off by a root of eps
  EXPECT_LT(s.clusters[4].spread, 1e-5);
}

TEST(Linearise, delta_robot_with_two_baumgarte_poles_has_each_six_times) {
  const Spectrum s = delta_robot_poles({10, 24});
  ASSERT_EQ(s.finite(), 18);
  ASSERT_EQ(s.clusters.size(), 6u);
  EXPECT_EQ(s.clusters[4].multiplicity, 6);
  EXPECT_NEAR(s.clusters[4].mean.real(), -4, daedal::test::rounding(1e4, 4));
  EXPECT_EQ(s.clusters[5].multiplicity, 6);
  EXPECT_NEAR(s.clusters[5].mean.real(), -6, daedal::test::rounding(1e4, 6));
}

TEST(Linearise, what_has_no_finite_derivative_is_named) {
  const SharedDae dae = text_model("model m\nvariable x = 0\nequation odd: x' = sqrt(x)\n");
  try {
    linearise(*dae, point_of(equilibrium(*dae)));
    FAIL();
  } catch (const ModelError& error) {
    EXPECT_STREQ(error.what(),
                 "<text>:3:10: error: model 'm': 'odd' has no finite derivative at this point\n"
                 "    equation odd: x' = sqrt(x)\n             ^~~\n"
                 "  help: look for a square root at 0, or a division by 0");
  }
}

}  // namespace
}  // namespace daedal::analysis::test
