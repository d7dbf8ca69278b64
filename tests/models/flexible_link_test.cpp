// The flexible manipulators of [Druecker2022], sections 2.4.5, 6.4 and 6.5: relative degrees of the four cases, zeros and
// poles against reference values (independent recomputation, SciPy).
#include "daedal/analyse/portrait.hpp"
#include "daedal/elaborate/elaborate.hpp"
#include "daedal/invert/stable_inversion.hpp"
#include "daedal/invert/verify.hpp"
#include "support/bounds.hpp"
#include "support/csv.hpp"
#include "support/model_point.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace daedal::test {
namespace {

const std::map<int, std::string> cases = {
    {1, "flexible_link_1"}, {2, "flexible_link"}, {3, "flexible_link_3"}, {4, "flexible_link_4"}};

std::shared_ptr<const derive::Dae> arm(const std::string& folder, const std::string& name, int N) {
  const model::Overrides overrides{
      .parameters = {{"N", std::to_string(N)}}, .inputs = {}, .model = name};
  return std::make_shared<const derive::Dae>(derive::derive(std::make_shared<const model::Model>(
      model::elaborate(model::load(model_path(folder)), overrides))));
}
analysis::Portrait portrait(const std::string& folder, const std::string& name, int N) {
  return analysis::portrait(arm(folder, name, N), {.sensitivities = false});
}
std::vector<double> real_zeros(const analysis::Portrait& p) {
  std::vector<double> found;
  for (const analysis::Cluster& c : p.input_output->zeros.clusters)
    if (c.mean.real() > 0 && c.mean.imag() == 0) found.push_back(c.mean.real());
  std::sort(found.begin(), found.end());
  return found;
}

TEST(FlexibleLink, relative_degree_of_the_four_cases_is_4_3_2_1) {
  for (const auto& [number, name] : cases)
    for (const int N : {1, 2, 3}) {
      const analysis::Portrait p = portrait("flexible_link", name, N);
      ASSERT_TRUE(p.input_output) << p.no_zeros_because;
      EXPECT_EQ(p.input_output->degree.outputs, std::vector<int>{5 - number}) << name << " " << N;
      EXPECT_TRUE(p.disagreements.empty()) << name << " " << N << ": " << p.disagreements[0];
    }
}

TEST(FlexibleLink, real_zeros_of_the_reference) {
  // Cases 1 and 2 share their zeros, 3 and 4 theirs. All digits of the reference: half a unit in the last one.
  const std::map<int, std::vector<double>> free = {
      {1, {26.89047748}},
      {2, {29.78748277, 148.7418796}},
      {3, {31.73407917, 153.9979918, 364.9728681}},
      {4, {32.60315649, 165.1819613, 379.9155947, 671.8067964}}};
  const std::map<int, std::vector<double>> held = {
      {1, {26.85099825}},
      {2, {29.7481339, 148.1908448}},
      {4, {32.57649142, 164.5446296, 378.0117696, 667.1299557}}};
  for (const auto& [number, name] : cases)
    for (const auto& [N, reference] : number < 3 ? free : held) {
      const std::vector<double> found = real_zeros(portrait("flexible_link", name, N));
      ASSERT_GE(found.size(), reference.size()) << name << " " << N;
      for (std::size_t k = 0; k < reference.size(); ++k)
        EXPECT_NEAR(found[k], reference[k], printed(reference[k] < 100 ? 8 : 7))
            << name << " " << N;
    }
}

TEST(FlexibleLink, case_4_with_one_element_has_a_second_real_zero) {
  EXPECT_NEAR(real_zeros(portrait("flexible_link", "flexible_link_4", 1)).back(), 676.19,
              printed(2));
}

TEST(FlexibleLink, zeros_come_in_pairs_of_both_signs) {
  // Without damping the motion can run backwards: whatever is a zero has its mirror image.
  const analysis::Portrait p = portrait("flexible_link", "flexible_link", 4);
  for (const analysis::Cluster& c : p.input_output->zeros.clusters) {
    double nearest = 1e9;
    for (const analysis::Cluster& other : p.input_output->zeros.clusters)
      nearest = std::min(nearest, std::abs(c.mean + other.mean));
    EXPECT_LE(nearest, 1e-6 * std::abs(c.mean));
  }
}

TEST(FlexibleTwoLink, holds_the_zeros_of_the_flexible_link) {
  // The second link hangs on an angle that the first motor prescribes: the zeros of the link alone are zeros of both.
  for (const int N : {1, 4}) {
    const std::vector<double> alone = real_zeros(portrait("flexible_link", "flexible_link", N)),
                              both = real_zeros(portrait("flexible_two_link", "", N));
    for (const double zero : alone)
      EXPECT_TRUE(std::any_of(both.begin(), both.end(),
                              [&](double other) { return std::abs(other - zero) <= 1e-8 * zero; }))
          << N << " " << zero;
  }
}

TEST(FlexibleLinkInversion, is_that_of_the_reference) {
  // The file (independent recomputation, SciPy, cubic Hermite collocation) is good to 8e-7 rad/s.
  const inversion::InverseModel inverse = inversion::inverse_model(*arm("flexible_link", "", 4));
  inversion::StableInversionOptions options;
  options.before = options.after = 1;
  options.boundary_value.intervals = 300;
  options.every = 0.01;
  const inversion::StableInversion found = inversion::stable_inversion(inverse, options);
  ASSERT_TRUE(found.solution.ok()) << found.trajectory.reason;
  const daedal::Table& ours = found.trajectory.table;
  const Table reference = read_csv(std::string(DAEDAL_SOURCE_DIR) +
                                   "/models/flexible_link/reference_stable_inversion.csv");
  const std::vector<double> t = ours.column(0), u = ours.column(*ours.find("u"));
  const std::vector<double>&times = reference.at("t"), &expected = reference.at("u_vel");
  ASSERT_EQ(t.size(), times.size() + 100) << "ours begin and end 0.5 s earlier and later";
  double peak = 0;
  for (std::size_t k = 0; k < times.size(); ++k) {
    ASSERT_NEAR(t[k + 50], times[k], rounding(16, 2));
    // the reference is good to 8e-7, see above
    EXPECT_NEAR(u[k + 50], expected[k], 1e-6) << "t = " << times[k];
    peak = std::max(peak, u[k + 50]);
  }
  EXPECT_NEAR(peak, 0.9026163, 1e-6);  // likewise
  EXPECT_NEAR(found.slowest_growth, 32.60315649, printed(8));
}

TEST(FlexibleLinkInversion, by_central_differences_is_that_of_the_reference_within_2e_5) {
  const inversion::InverseModel inverse = inversion::inverse_model(*arm("flexible_link", "", 4));
  inversion::StableInversionOptions options;
  options.scheme = inversion::Scheme::central_differences;
  options.step = options.every = 0.02;
  const inversion::StableInversion found = inversion::stable_inversion(inverse, options);
  ASSERT_TRUE(found.solution.ok()) << found.trajectory.reason;
  EXPECT_EQ(found.trajectory.method, "central differences of order 6");
  const daedal::Table& ours = found.trajectory.table;
  const Table reference = read_csv(std::string(DAEDAL_SOURCE_DIR) +
                                   "/models/flexible_link/reference_stable_inversion.csv");
  const std::vector<double>&times = reference.at("t"), &expected = reference.at("u_vel");
  std::size_t compared = 0;
  for (std::size_t r = 0; r < ours.rows(); ++r)
    for (std::size_t k = 0; k < times.size(); ++k)
      if (std::abs(ours.at(r, 0) - times[k]) < 1e-9) {
        // the truncation of order 6 with steps of 20 ms
        EXPECT_NEAR(ours.at(r, *ours.find("u")), expected[k], 2e-5) << "t = " << times[k];
        ++compared;
      }
  EXPECT_GE(compared, 80u);
}

// The axial oscillations of ten elements lie on the imaginary axis up to rounding: none of them is the slowest mode.
TEST(SlowFlexibleLinkInversion, of_ten_elements_finds_its_window_and_moves_the_tip) {
  const inversion::InverseModel inverse = inversion::inverse_model(*arm("flexible_link", "", 10));
  const inversion::StableInversion found = inversion::stable_inversion(inverse, {});
  ASSERT_TRUE(found.solution.ok()) << found.trajectory.reason;
  // eps times the spread of the entries, 1e6 and more
  EXPECT_NEAR(found.slowest_growth, found.slowest_decay, 1e-9 * found.slowest_growth);
  EXPECT_GT(found.slowest_growth, 32.6);  // of four elements; more of them are stiffer
  EXPECT_LT(found.slowest_growth, 35);
  const inversion::ForwardRun forward = inversion::verify(inverse, found.trajectory).forward;
  ASSERT_EQ(forward.status, solve::Status::completed) << forward.reason;
  EXPECT_LE(forward.largest()->largest, 0.005 * 3.14159 / 180);
}

// A torque moves the tip after four derivatives (case 1) or two (case 3), a velocity after three or one. Fast modes grow with 1500 1/s:
// inputs are right where a forward run of the arm, to which they are all that is given, keeps to the motion.
class FourCases : public ::testing::TestWithParam<const char*> {};

TEST_P(FourCases, are_inverted_by_default_and_the_tip_follows_within_1e_5) {
  const inversion::InverseModel inverse =
      inversion::inverse_model(*arm("flexible_link", GetParam(), 4));
  const inversion::StableInversion found = inversion::stable_inversion(inverse);
  ASSERT_EQ(found.solution.status, boundary::BoundaryValueStatus::solved)
      << found.trajectory.reason;
  EXPECT_LE(found.solution.error, found.tolerance);
  const inversion::ForwardRun forward = inversion::verify(inverse, found.trajectory).forward;
  ASSERT_EQ(forward.status, solve::Status::completed) << forward.reason;
  EXPECT_LE(forward.largest()->largest, 1e-5);
}
INSTANTIATE_TEST_SUITE_P(SlowFlexibleLinkInversion, FourCases,
                         ::testing::Values("flexible_link_1", "flexible_link", "flexible_link_3",
                                           "flexible_link_4"),
                         [](const auto& tested) { return std::string(tested.param); });

// The torque of case 1 has the effect of the motor of case 2 with the computed velocity.
TEST(FlexibleLinkInversion, by_a_torque_takes_the_reaction_of_the_motor_that_gives_the_velocity) {
  const auto rows = [](const char* name) {
    return inversion::stable_inversion(inversion::inverse_model(*arm("flexible_link", name, 2)))
        .trajectory.table;
  };
  const daedal::Table torque = rows("flexible_link_1"), velocity = rows("flexible_link");
  ASSERT_EQ(torque.rows(), velocity.rows());
  for (std::size_t r = 0; r < torque.rows(); ++r)
    EXPECT_NEAR(torque.at(r, *torque.find("arm.u")),
                -velocity.at(r, *velocity.find("motor[1].force")),
                rounding(1e4, 11))  // the same equations
        << "t = " << torque.at(r, 0);
}

TEST(SlowFlexibleLinkInversion, of_a_tip_that_swings_to_and_fro_is_one_that_repeats) {
  std::ifstream file(model_path("flexible_link"));
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const std::string servo = "angle * rest_to_rest(t/tf, smoothness = 4)";
  ASSERT_NE(text.find(servo), std::string::npos);
  text.replace(text.find(servo), servo.size(), "angle*sin(2*t)");
  const inversion::InverseModel inverse =
      inversion::inverse_model(derive::derive(std::make_shared<const model::Model>(model::elaborate(
          model::load_text(text, "arm.daedal"),
          {.parameters = {{"N", "2"}}, .inputs = {}, .model = "flexible_link_4"}))));
  const inversion::StableInversion found = inversion::stable_inversion(inverse);
  ASSERT_EQ(found.solution.status, boundary::BoundaryValueStatus::solved)
      << found.trajectory.reason;
  EXPECT_EQ(found.trajectory.method, "central differences of order 6");
  const daedal::Table& rows = found.trajectory.table;
  const std::size_t u = *rows.find("arm.u");
  EXPECT_NEAR(rows.at(0, u), rows.at(rows.rows() - 1, u), 1e-5);  // the tolerance; of 1 rad/s
  EXPECT_LE(inversion::verify(inverse, found.trajectory).forward.largest()->largest, 1e-5);
}

TEST(FlexibleLinkInversion, of_a_torque_by_collocation_says_what_would_do) {
  const inversion::InverseModel inverse =
      inversion::inverse_model(*arm("flexible_link", "flexible_link_1", 1));
  inversion::StableInversionOptions options;
  options.scheme = inversion::Scheme::collocation;
  try {
    inversion::stable_inversion(inverse, options);
    FAIL() << "the torque is four derivatives away from the tip";
  } catch (const ModelError& e) {
    EXPECT_NE(std::string(e.what()).find("input 'arm.u' acts on no output within two derivatives"),
              std::string::npos)
        << e.what();
  }
}

}  // namespace
}  // namespace daedal::test
