// Proofs of inversions: exact on what is exact, and as wrong as the inputs are.
#include "daedal/invert/verify.hpp"

#include "daedal/derive/dae.hpp"
#include "daedal/elaborate/elaborate.hpp"
#include "daedal/model/model.hpp"
#include "daedal/run/simulate.hpp"
#include "daedal/start/prepare.hpp"
#include "invert/sampled.hpp"
#include "support/bounds.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

namespace daedal::inversion {
namespace {

struct Inverted {
  InverseModel inverse;
  solve::Trajectory trajectory;
};

Inverted inverted(const std::string& text, double until, double every) {
  const auto model =
      std::make_shared<const model::Model>(model::elaborate(model::load_text(text, "m.daedal")));
  Inverted result{inverse_model(derive::derive(model)), {}};
  solve::SimulateOptions options;
  options.until = until;
  options.every = every;
  options.method = solve::TaylorOptions{.tolerance = 1e-12};
  result.trajectory = solve::simulate(result.inverse.problem,
                                      solve::consistent_point(result.inverse.problem), options);
  EXPECT_EQ(result.trajectory.status, solve::Status::completed) << result.trajectory.reason;
  return result;
}

/// The same rows with one column changed.
Table changed(const Table& table, const std::string& column, double by) {
  Table copy(table.columns());
  const std::size_t c = *table.find(column);
  for (std::size_t r = 0; r < table.rows(); ++r) {
    const std::span<double> row = copy.append();
    for (std::size_t k = 0; k < row.size(); ++k) row[k] = table.at(r, k) + (k == c ? by : 0);
  }
  return copy;
}

const std::string crane = R"(model crane
parameter m = 18.9, g = 9.81
coordinate x_T = 15, L = 4, x_P = 15, z_P = 4
kinetic   m/2 * (x_P'^2 + z_P'^2)
potential -m*g*z_P
input     u_T, u_L
drive     x_T by u_T velocity(lag = 0.03)
drive     L   by u_L velocity(lag = 0.02)
constraint cable: z_P^2 + (x_P - x_T)^2 = L^2
servo  [x_P, z_P] = line([15, 4], [11, 7], rest_to_rest(t/10, smoothness = 4))
)";

TEST(DifferenceWeights, are_exact_for_polynomials_of_their_degree) {
  const std::vector<double> times{-0.7, -0.2, 0.1, 0.5, 0.6, 1.3};
  const double t = 0.27;
  const std::vector<double> weights = difference_weights(t, times, 4);
  for (int degree = 0; degree <= 5; ++degree) {
    double expected = std::pow(t, degree);  // the k-th derivative of t^degree
    for (int k = 0; k <= 4; ++k) {
      double value = 0;
      for (std::size_t i = 0; i < times.size(); ++i)
        value +=
            weights[static_cast<std::size_t>(k) * times.size() + i] * std::pow(times[i], degree);
      EXPECT_NEAR(value, expected, daedal::test::rounding(100, 1000))
          << "degree " << degree << ", derivative " << k;
      expected *= (degree - k) / t;
    }
  }
}

TEST(Verify, defect_falls_with_the_sixth_power_of_the_row_interval) {
  const double coarse =
      verify(inverted(crane, 10, 0.4).inverse, inverted(crane, 10, 0.4).trajectory).defect.largest;
  const Inverted fine = inverted(crane, 10, 0.2);
  EXPECT_GE(std::log2(coarse / verify(fine.inverse, fine.trajectory).defect.largest), 5.5);
}

TEST(Verify, the_inputs_of_the_crane_move_its_load_as_asked) {
  const Inverted run = inverted(crane, 12, 0.01);
  const Verification proof = verify(run.inverse, run.trajectory);
  EXPECT_EQ(proof.forward.status, solve::Status::completed) << proof.forward.reason;
  EXPECT_LE(proof.defect.largest, 1e-8);
  ASSERT_EQ(proof.forward.errors.size(), 2u);
  EXPECT_LE(proof.forward.largest()->largest, 1e-11);  // of 15 m
  EXPECT_EQ(proof.forward.segments, 1u);
}

TEST(Verify, an_input_that_is_wrong_by_a_constant_is_found) {
  // The trolley lags: x_T = delta (t - tau (1 - exp(-t/tau))) too far, and the load swings around that.
  Inverted run = inverted(crane, 10, 0.01);
  const double delta = 1e-4;
  run.trajectory.table = changed(run.trajectory.table, "u_T", delta);
  const Verification proof = verify(run.inverse, run.trajectory);
  EXPECT_EQ(proof.defect.equation, "drive of x_T");
  const TrackingError& x = proof.forward.errors[0];
  EXPECT_NEAR(x.largest, delta * 10,
              0.1 * delta * 10);  // the load swings around it by some per cent
  EXPECT_GE(x.at, 9);
}

TEST(Verify, an_unstable_plant_is_run_in_parts_with_its_growth_told) {
  // an inverted pendulum: poles +- sqrt(g)
  const Inverted run = inverted(R"(model balance
parameter g = 9.81
coordinate a
kinetic a'^2/2
potential g*cos(a)
input u
force u on a
servo a = 0.01*rest_to_rest(t/9, smoothness = 4)
)",
                                10, 0.01);
  const ForwardRun forward = verify(run.inverse, run.trajectory).forward;
  EXPECT_NEAR(forward.growth_rate, std::sqrt(9.81), 1e-3);  // less where cos(a) < 1
  EXPECT_NEAR(std::log(forward.growth), 10 * forward.growth_rate,
              daedal::test::rounding(1000, 10 * forward.growth_rate));
  EXPECT_EQ(forward.segments, 5u);  // 31.3/ln(1000) = 4.5
  EXPECT_LE(forward.largest()->largest, 1e-12);
}

TEST(Verify, inputs_of_position_controlled_drives_are_smooth_enough) {
  const Inverted run = inverted(R"(model winch
coordinate x, y
kinetic x'^2/2 + y'^2/2
potential 20/2*(y - x)^2
dissipation (y' - x')^2/2
input u
drive x by u position
servo y = rest_to_rest(t, smoothness = 6)
)",
                                1, 0.005);
  const ForwardRun forward = verify(run.inverse, run.trajectory).forward;
  EXPECT_EQ(forward.status, solve::Status::completed) << forward.reason;
  EXPECT_LE(forward.largest()->largest, 1e-9);
}

TEST(Ranges, are_peaks_rates_and_signs_in_closed_form) {
  // a mass on a rod that pushes and pulls: u = x'', rod force = m (g - z'')
  const Inverted run = inverted(R"(model lift
coordinate x, z
kinetic x'^2/2 + z'^2/2
potential 2*z
input u
force u on x
constraint rope: z = sin(3*t)
servo x = sin(2*t)
)",
                                6, 0.01);
  const SignalRange u = input_ranges(run.inverse, run.trajectory.table).front();
  EXPECT_NEAR(std::abs(u.peak()), 4, 1e-4);  // -4 sin(2t)
  // quotients over rows 0.01 s apart: h^2/6 times the third derivative, 32
  EXPECT_NEAR(std::abs(u.rate), 8, 1e-3);
  const SignalRange rope = force_ranges(run.inverse, run.trajectory.table).front();
  EXPECT_EQ(rope.name, "rope.force");
  EXPECT_NEAR(rope.largest - rope.smallest, 18,
              2.1e-3);  // extremes between rows are missed by (3 h/2)^2/2 of 9 N each
  EXPECT_LT(rope.smallest * rope.largest, 0);
}

}  // namespace
}  // namespace daedal::inversion
