// Relative degree, configuration, class and the sentences about them.
#include "daedal/analyse/portrait.hpp"

#include "models.hpp"
#include "support/bounds.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace daedal::analysis::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

RelativeDegree degree_of(const derive::Dae& dae) {
  return relative_degree(linearise(dae, point_of(equilibrium(dae))));
}

TEST(RelativeDegree, of_a_chain_of_two_disks_by_hand) {
  // z'''' = k/I^2 u + ...: G = k / (I s^2 (I s^2 + 2 k))
  const RelativeDegree r = degree_of(*library_model("torsional_oscillator", "", {{"N", "2"}}));
  EXPECT_THAT(r.outputs, ElementsAre(4));
  EXPECT_NEAR(r.decoupling_matrix(0, 0), 2 / (0.12 * 0.12),
              daedal::test::rounding(1000, 2 / (0.12 * 0.12)));
  EXPECT_TRUE(r.well_defined());
}

TEST(RelativeDegree, decoupling_matrix_by_hand_with_signs) {
  const SharedDae dae = text_model(
      "model m\nvariable x, y, w\ninput u, v\nequation first: x'' + x = 2*u - v\n"
      "equation second: y' + y*x = -3*u\nequation third: w' = y + 0.5*v\n"
      "output a = x\noutput b = -w\noutput c = x + u\n");
  const RelativeDegree r = degree_of(*dae);
  EXPECT_THAT(r.outputs, ElementsAre(2, 1, 0));
  EXPECT_THAT(r.entries[1], ElementsAre(2, 1));  // -w'' = 3 u + ..., -w' = -v/2 + ...
  Eigen::MatrixXd expected(3, 2);
  expected << 2, -1, 0, -0.5, 1, 0;
  EXPECT_LT((r.decoupling_matrix - expected).norm(), 1e-13);
  EXPECT_EQ(r.rank, 2);
  EXPECT_FALSE(r.well_defined());  // three outputs, two inputs
}

TEST(RelativeDegree, an_output_that_no_input_moves) {
  const SharedDae dae = text_model(
      "model m\nvariable x, y\ninput u\nequation first: x' = -x + u\nequation second: y' = -y\n"
      "output a = y\n");
  EXPECT_THAT(degree_of(*dae).outputs, ElementsAre(never));
}

struct Known {
  std::string folder, model;
  std::vector<int> degree;
  Configuration configuration = Configuration::tangential;
  Side side = Side::none;
};
std::string name_of(const ::testing::TestParamInfo<Known>& tested) { return tested.param.model; }

class Portraits : public ::testing::TestWithParam<Known> {};

// Relative degrees, configurations and classes as derived by hand in [Druecker2022], Table 5.1 for the mass on a car.
TEST_P(Portraits, relative_degree_configuration_and_class_are_known) {
  const Portrait p = portrait(library_model(GetParam().folder, GetParam().model));
  ASSERT_TRUE(p.input_output) << p.no_zeros_because;
  EXPECT_EQ(p.input_output->degree.outputs, GetParam().degree);
  EXPECT_EQ(p.input_output->configuration, GetParam().configuration);
  EXPECT_EQ(p.input_output->margin.side, GetParam().side);
  EXPECT_THAT(p.disagreements, IsEmpty());
  EXPECT_EQ(p.input_output->structure.degrees_of_freedom, p.input_output->zeros.finite());
}

INSTANTIATE_TEST_SUITE_P(
    models, Portraits,
    ::testing::Values(
        Known{"mass_on_car", "mass_on_car_1_1", {3}, Configuration::tangential, Side::left},
        Known{"mass_on_car", "mass_on_car_1_2", {4}, Configuration::tangential, Side::axis},
        Known{"mass_on_car", "mass_on_car_2_1", {3}, Configuration::tangential, Side::left},
        Known{"mass_on_car", "mass_on_car", {4}, Configuration::tangential, Side::axis},
        Known{"mass_on_car", "mass_on_car_3_1", {4}, Configuration::tangential, Side::left},
        Known{"mass_on_car", "mass_on_car_3_2", {6}, Configuration::tangential, Side::none},
        Known{"manipulator_2link",
              "manipulator_2link",
              {2},
              Configuration::non_ideal_orthogonal,
              Side::right},
        Known{"manipulator_3d",
              "manipulator_3d",
              {2, 2, 2},
              Configuration::non_ideal_orthogonal,
              Side::left},
        Known{"manipulator_3d",
              "manipulator_3d_printed",
              {2, 2, 2},
              Configuration::non_ideal_orthogonal,
              Side::right},
        Known{"cable_robot", "cable_robot", {4, 2}, Configuration::mixed, Side::none},
        Known{"cable_robot_platform",
              "cable_robot_platform_parallel",
              {4, 2, 2},
              Configuration::mixed,
              Side::none},
        Known{
            "delta_robot", "delta_robot", {2, 2, 2}, Configuration::ideal_orthogonal, Side::none}),
    name_of);

// The sum of relative degrees is 8 although the decoupling matrix is singular [Druecker2022, Section 4.2.8].
TEST(Portraits, a_singular_decoupling_matrix_leaves_the_sum_of_relative_degrees) {
  const Portrait p = portrait(library_model("cable_robot_platform", "cable_robot_platform"));
  ASSERT_TRUE(p.input_output);
  EXPECT_EQ(p.input_output->degree.rank, 2);
  EXPECT_FALSE(p.input_output->degree.well_defined());
  EXPECT_EQ(p.poles.finite() - p.input_output->zeros.finite(), 8);
  EXPECT_THAT(p.disagreements, IsEmpty());
}

// index = r + 1 fails for the motor as a constraint; relative degree and zeros are the same for both [Druecker2022, Ex. 3.4].
TEST(Portraits, a_position_drive_has_relative_degree_one_however_it_is_written) {
  for (const auto& [name, index] : {std::pair<const char*, int>{"torsional_position_drive", 4},
                                    {"torsional_position_drive_drive", 2}}) {
    const Portrait p = portrait(library_model("torsional_position_drive", name));
    ASSERT_TRUE(p.input_output);
    EXPECT_THAT(p.input_output->degree.outputs, ElementsAre(1));
    EXPECT_EQ(p.input_output->structure.index, index);
    EXPECT_EQ(p.input_output->zeros.finite(), 3);
    EXPECT_FALSE(p.input_output->configuration);  // the output is a velocity
    EXPECT_THAT(p.disagreements, IsEmpty());
  }
}

// The zero at -k/d moves as d ln(-k/d): +k/d for d, -k/d for k.
TEST(Portraits, sensitivities_of_a_zero_in_closed_form) {
  const Portrait p =
      portrait(library_model("torsional_oscillator", "", {{"N", "3"}, {"d[1]", "0.5"}}));
  ASSERT_TRUE(p.input_output);
  const std::vector<Sensitivity>& s = p.input_output->sensitivities;
  ASSERT_EQ(s.size(), 2u);
  for (const Sensitivity& one : s)
    // difference quotients with a relative step of 1e-4: rounding and curvature stay below 1e-7 each
    EXPECT_NEAR(one.rate, one.parameter == "k" ? -4 : 4, 1e-6) << one.parameter;
}

TEST(Portraits, verdicts_in_words) {
  EXPECT_EQ(
      portrait(library_model("torsional_oscillator")).verdict,
      "differentially flat: no internal dynamics; the inputs follow from the outputs and their "
      "derivatives up to order 8");
  EXPECT_EQ(portrait(library_model("torsional_oscillator")).change,
            "d[1], d[2], d[3] are 0 now; another value may change the number of zeros");
  EXPECT_EQ(portrait(library_model("mass_on_car", "mass_on_car_1_1")).verdict,
            "minimum phase: internal dynamics of dimension 3, which decays: the rightmost zero "
            "-0.166667 +- 0.986013i lies 0.1667 1/s left of the axis");
  EXPECT_EQ(portrait(library_model("mass_on_car")).verdict,
            "marginal: internal dynamics of dimension 2, which to first order neither decays nor "
            "grows: the rightmost zero is +-3.8637i");
  EXPECT_EQ(portrait(library_model("manipulator_2link")).verdict,
            "non-minimum phase: internal dynamics of dimension 2, 1 of it unstable: the rightmost "
            "zero 21.9209 lies 21.92 1/s right of the axis, and an inverse that stays bounded must "
            "look ahead");
  EXPECT_EQ(
      portrait(library_model("looper")).verdict,
      "asymptotically stable: the rightmost pole -0.0217545 +- 4.50209i lies 0.02175 1/s left "
      "of the axis");
}

TEST(Portraits, why_there_are_no_zeros_is_told) {
  EXPECT_EQ(portrait(library_model("pendulum")).no_zeros_because, "the model has no inputs");
  EXPECT_EQ(
      portrait(library_model("looper")).no_zeros_because,
      "2 outputs (P[1], P[2]) for 1 input (u): an inverse model has as many outputs as inputs");
  EXPECT_EQ(portrait(library_model("pendulum3d")).no_zeros_because,
            "no input moves the output 'bob[3]' near this point");
  const std::string two =
      "model m\nvariable x, y\ninput u, v\nequation first: x' = -x + u\nequation second: y' = -y "
      "+ ";
  EXPECT_EQ(
      portrait(text_model(two + "0*v\noutput a = x\noutput b = 2*x + x^2\n")).no_zeros_because,
      "the input 'v' moves none of the outputs near this point");
  EXPECT_EQ(
      portrait(text_model(two + "v\noutput a = x + y\noutput b = 2*(x + y)\n")).no_zeros_because,
      "the outputs do not move independently of each other near this point");
}

TEST(Portraits, outputs_are_chosen_by_name) {
  PortraitOptions options;
  options.outputs = {"P[1]"};
  const Portrait p = portrait(library_model("looper"), options);
  EXPECT_THAT(p.linear.outputs, ElementsAre("P[1]"));
  ASSERT_TRUE(p.input_output);
  EXPECT_EQ(p.input_output->zeros.finite(), 0);  // one degree of freedom, one input
  options.outputs = {"Q"};
  try {
    portrait(library_model("looper"), options);
    FAIL();
  } catch (const ModelError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("model 'looper' has no output or servo 'Q'"));
  }
}

// At rest x_1 = x_2 and the second equation loses its derivative: structure cannot know, the pencil does.
TEST(Portraits, a_point_where_the_structure_does_not_hold_is_told) {
  const Portrait p = portrait(library_model("freak_shows", "freak_start"));
  EXPECT_THAT(
      p.disagreements,
      ElementsAre("the structure of the forward equations has 2 free initial values, but at "
                  "this point there is 1 finite pole"));
}

// [Hauser1992]: s''' = 2 s phi' phi'' + ... feels the torque but where s phi' = 0, so at rest the third derivative does not, and the
// linearisation, which feels it in the fourth, has no zero at all.
TEST(Portraits, an_input_that_loses_its_grip_at_rest_is_not_called_flat) {
  const Portrait p = portrait(text_model(
      "model ball_and_beam\nparameter m = 0.1, J = 0.02, g = 9.81\ncoordinate s, phi\ninput tau\n"
      "kinetic m/2*(s'^2 + s^2*phi'^2) + J/2*phi'^2\npotential m*g*s*sin(phi)\n"
      "force tau at phi\noutput y = s\n"));
  ASSERT_TRUE(p.input_output);
  EXPECT_THAT(p.input_output->degree.outputs, ElementsAre(4));
  EXPECT_EQ(p.input_output->structure.degrees_of_freedom, 1);
  EXPECT_FALSE(p.input_output->defined_here());
  EXPECT_THAT(p.verdict, ::testing::StartsWith("not decided at this point"));
  EXPECT_THAT(p.verdict, ::testing::HasSubstr("the inputs do not affect y at this order"));
}

TEST(Portraits, without_an_equilibrium_there_is_nothing_to_linearise) {
  const Portrait p = portrait(library_model("freak_shows", "freak_shows"));
  EXPECT_FALSE(p.equilibrium.found);
  EXPECT_EQ(p.equilibrium.worst_equation, "second");
  EXPECT_NEAR(p.equilibrium.residual, 2, daedal::test::rounding(16, 2));
}

}  // namespace
}  // namespace daedal::analysis::test
