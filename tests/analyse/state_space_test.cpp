#include "daedal/analyse/state_space.hpp"

#include "daedal/analyse/reachability.hpp"
#include "linear_systems.hpp"
#include "models.hpp"
#include "support/bounds.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace daedal::analysis::test {
namespace {

using Complex = std::complex<double>;
using Eigen::MatrixXd;

LinearModel at_rest(const SharedDae& dae, bool inputs_free = false) {
  EquilibriumOptions options;
  if (inputs_free)
    for (const model::InputDefault& input : dae->model->inputs)
      options.free_inputs.push_back(input.input);
  return linearise(*dae, point_of(equilibrium(*dae, options)));
}

TEST(StateSpace, without_constraints_the_states_are_the_variables) {
  const LinearModel m = explicit_model(random_matrix(5, 5, 1), random_matrix(5, 2, 2),
                                       random_matrix(3, 5, 3), random_matrix(3, 2, 4));
  const StateSpace s = state_space(m);
  EXPECT_EQ(s.states, m.variables);
  EXPECT_LT((s.basis - MatrixXd::Identity(5, 5)).norm(), 1e-13);
  EXPECT_LT((s.f - m.a).norm(), 1e-12);
  EXPECT_LT((s.g - m.b).norm(), 1e-12);
  EXPECT_LT((s.h - m.c).norm(), 1e-12);
  ASSERT_TRUE(s.proper());
  EXPECT_LT((s.feedthrough[0] - m.d).norm(), 1e-12);
}

struct Case {
  const char* folder;
  int states;
  bool inputs_free;
};

class OfModels : public testing::TestWithParam<Case> {};

TEST_P(OfModels, has_the_transfer_function_of_the_descriptor_form) {
  const LinearModel m = at_rest(library_model(GetParam().folder), GetParam().inputs_free);
  const StateSpace s = state_space(m);
  EXPECT_EQ(s.size(), GetParam().states);
  for (const Complex at : {Complex(0.3, 1.1), Complex(2, -7), Complex(0, 25)}) {
    const Eigen::MatrixXcd exact = transfer_of(m, at);
    EXPECT_LT((transfer(s, at) - exact).norm(), 1e-9 * exact.norm()) << at;
  }
}

TEST_P(OfModels, moves_on_the_constraint_manifold) {
  const LinearModel m = at_rest(library_model(GetParam().folder), GetParam().inputs_free);
  const StateSpace s = state_space(m);
  const MatrixXd left = m.e * s.basis * s.f, right = m.a * s.basis;
  EXPECT_LT((left - right).norm(), 1e-10 * (m.a.norm() * s.basis.norm()));
  MatrixXd differentiated(0, s.size());
  for (Eigen::Index j = 0; j < m.e.cols(); ++j)
    if (m.e.col(j).any()) {
      differentiated.conservativeResize(differentiated.rows() + 1, Eigen::NoChange);
      differentiated.bottomRows(1) = s.basis.row(j);
    }
  EXPECT_LT(
      (differentiated.transpose() * differentiated - MatrixXd::Identity(s.size(), s.size())).norm(),
      1e-11);
}

INSTANTIATE_TEST_SUITE_P(StateSpace, OfModels,
                         testing::Values(Case{"cart_pendulum", 4, false},
                                         Case{"cable_robot", 6, true},
                                         Case{"delta_robot", 6, true}),
                         [](const auto& tested) { return std::string(tested.param.folder); });

TEST(StateSpace, tells_derivatives_of_inputs_that_outputs_feel) {
  // y = u'' + 2 u by two integrators turned around: x1 = u, x2 = x1', y = x2' + 2 x1
  MatrixXd e = MatrixXd::Zero(3, 3), a = MatrixXd::Zero(3, 3), b = MatrixXd::Zero(3, 1), c(1, 3);
  a(0, 0) = 1, b(0) = -1;    // 0 = x1 - u
  e(1, 0) = 1, a(1, 1) = 1;  // x1' = x2
  e(2, 1) = 1, a(2, 2) = 1;  // x2' = x3
  c << 2, 0, 1;
  const StateSpace s = state_space(linear_model(e, a, b, c, MatrixXd::Zero(1, 1)));
  EXPECT_EQ(s.size(), 0);
  ASSERT_EQ(s.feedthrough.size(), 3u);
  EXPECT_NEAR(s.feedthrough[0](0, 0), 2, daedal::test::rounding(32, 2));
  EXPECT_NEAR(s.feedthrough[1](0, 0), 0, daedal::test::rounding(32, 2));
  EXPECT_NEAR(s.feedthrough[2](0, 0), 1, daedal::test::rounding(32, 2));
  EXPECT_LT(std::abs(transfer(s, {1, 2})(0, 0) - (Complex(1, 2) * Complex(1, 2) + 2.0)), 1e-13);
}

TEST(Reachability, of_two_equal_modes_one_input_reaches_one) {
  MatrixXd a(3, 3), b(3, 1), c(1, 3);
  a << -1, 0, 0, 0, -1, 0, 0, 0, -2;
  b << 1, 1, 1;
  c << 1, 1, 0;
  const StateSpace s = state_space(explicit_model(a, b, c, MatrixXd::Zero(1, 1)));
  const Reachability in = controllability(s), out = observability(s);
  EXPECT_EQ(in.rank, 2);
  ASSERT_EQ(in.hidden.finite(), 1);
  EXPECT_NEAR(in.hidden.values[0].value.real(), -1, daedal::test::rounding(200, 2));
  EXPECT_EQ(out.rank, 1);
  ASSERT_EQ(out.hidden.finite(), 2);  // -2, and one of the equal ones
  EXPECT_NEAR(out.hidden.values[0].value.real(), -1, daedal::test::rounding(200, 2));
  EXPECT_NEAR(out.hidden.values[1].value.real(), -2, daedal::test::rounding(200, 2));
}

TEST(Reachability, does_not_depend_on_units) {
  const MatrixXd a = random_matrix(6, 6, 11), b = random_matrix(6, 1, 12);
  MatrixXd block = MatrixXd::Zero(8, 8), into = MatrixXd::Zero(8, 1);
  block.topLeftCorner(6, 6) = a;
  block.topRightCorner(6, 2) = random_matrix(6, 2, 13);
  block.bottomRightCorner(2, 2) << 0, 1, -4, -1;  // nothing reaches these two
  into.topRows(6) = b;
  Eigen::VectorXd units(8);
  units << 1e6, 1, 1e-5, 1e3, 1, 1e-2, 1e4, 1e-3;
  const MatrixXd scaled = units.asDiagonal() * block * units.asDiagonal().inverse();
  const StateSpace s = state_space(explicit_model(scaled, units.asDiagonal() * into,
                                                  MatrixXd::Ones(1, 8), MatrixXd::Zero(1, 1)));
  const Reachability in = controllability(s);
  EXPECT_EQ(in.rank, 6);
  ASSERT_EQ(in.hidden.finite(), 2);
  EXPECT_NEAR(in.hidden.values[0].value.real(), -0.5, daedal::test::rounding(1e4));
  EXPECT_NEAR(std::abs(in.hidden.values[0].value.imag()), std::sqrt(3.75),
              daedal::test::rounding(1e4));
}

// The platform on two cables [Druecker2022, section 4.2.3] at rest: smallest singular values of [A - s I; H] over the poles,
// computed apart, are 0 for encoders alone, for them and the sum of the forces, and, with parallel cables, for them and a gyro;
// 0.02 or more for the rest. A bug: between 0.35 and 0.351 m balancing magnified entries of F that were rounding, and every
// mode was observable.
TEST(Reachability, of_a_platform_what_measurements_show) {
  std::ifstream file(DAEDAL_SOURCE_DIR "/models/cable_robot_platform/cable_robot_platform.daedal");
  std::stringstream all;
  all << file.rdbuf();
  const std::string text = all.str();
  const std::size_t begin = text.find("model cable_robot_platform \"");
  const std::string plant = text.substr(begin, text.find("output z = ") - begin);
  const auto observable = [&](const std::string& measured, const std::string& distance) {
    const SharedDae dae =
        derived(model::load_text(plant + "output y = [x_T, L1, L2" + measured + "]\n"),
                {.parameters = {{"L_0", "5.35"}, {"L_Tx", distance}}, .inputs = {}, .model = {}});
    EquilibriumOptions options;
    for (const model::InputDefault& input : dae->model->inputs)
      options.free_inputs.push_back(input.input);
    std::vector<NamedOutput> outputs;
    for (const model::NamedValue& output : dae->model->outputs)
      outputs.push_back({output.name, output.value});
    const StateSpace s =
        state_space(linearise(*dae, point_of(equilibrium(*dae, options)), outputs));
    EXPECT_EQ(s.size(), 8);
    EXPECT_EQ(controllability(s).rank, 8);
    return observability(s).rank;
  };
  const std::string sum = ", cable1.force + cable2.force", both = ", cable1.force, cable2.force",
                    gyro = ", delta'",
                    imu =
                        ", cos(delta)*x_P'' - sin(delta)*(z_P'' - g), "
                        "sin(delta)*x_P'' + cos(delta)*(z_P'' - g)";
  for (const char* distance : {"0.818935", "0.36", "0.352", "0.351", "0.3501", "0.35"}) {
    SCOPED_TRACE(distance);
    EXPECT_EQ(observable("", distance), 6);
    EXPECT_EQ(observable(sum, distance), 6);
    EXPECT_EQ(observable(both, distance), 8);
    EXPECT_EQ(observable(imu, distance), 8);
    EXPECT_EQ(observable(gyro, distance), distance == std::string("0.35") ? 6 : 8);
  }
}

}  // namespace
}  // namespace daedal::analysis::test
