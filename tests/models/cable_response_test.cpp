// Elevator cable [Bortoff2018, section 6]: from the motion of the car to that of the cable, in two ways. The frequency response
// comes from the linearised descriptor form of 100 rods; the simulations are of the nonlinear cable, one for each frequency of
// a sweep, and start on the periodic motion that the response predicts: were it wrong, they would leave it.
#include "daedal/analyse/equilibrium.hpp"
#include "daedal/analyse/frequency_response.hpp"
#include "daedal/analyse/poles_zeros.hpp"
#include "daedal/elaborate/elaborate.hpp"
#include "daedal/run/simulate.hpp"
#include "daedal/start/prepare.hpp"
#include "support/bounds.hpp"

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <fstream>
#include <map>
#include <memory>
#include <numbers>
#include <sstream>
#include <string>
#include <utility>

namespace daedal::test {
namespace {

using Complex = std::complex<double>;

/// The cable of the library with the car's position as an input.
model::Library cable_with_input() {
  std::ifstream file(DAEDAL_SOURCE_DIR "/models/elevator_cable/elevator_cable.daedal");
  std::stringstream text;
  for (std::string line; std::getline(file, line);)
    text << (line.starts_with("signal car") ? "input car_x\nlet car = [car_x, 0]" : line) << "\n";
  return model::load_text(text.str());
}
std::shared_ptr<const derive::Dae> derived(const model::Library& library,
                                           model::Overrides overrides) {
  overrides.parameters["N"] = "100";
  return std::make_shared<const derive::Dae>(
      derive::derive(std::make_shared<const model::Model>(model::elaborate(library, overrides))));
}

/// amplitude and phase of a column, by least squares with 1, sin wt, cos wt
Complex fitted(const Table& table, const std::string& name, double w) {
  const auto rows = static_cast<Eigen::Index>(table.rows());
  Eigen::MatrixXd shape(rows, 3);
  Eigen::VectorXd value(rows);
  for (Eigen::Index r = 0; r < rows; ++r) {
    const double t = table.at(static_cast<std::size_t>(r), 0);
    shape.row(r) << 1, std::sin(w * t), std::cos(w * t);
    value[r] = table.at(static_cast<std::size_t>(r), *table.find(name));
  }
  const Eigen::VectorXd c = shape.colPivHouseholderQr().solve(value);
  return {c[1], c[2]};  // Im(g e^{iwt}) = Re g sin wt + Im g cos wt
}

TEST(ElevatorCable, frequency_response_of_100_rods_agrees_with_a_swept_simulation) {
  const model::Library library = cable_with_input();
  const auto dae = derived(library, {});
  const analysis::Equilibrium rest = analysis::equilibrium(*dae);
  ASSERT_TRUE(rest.found);
  const analysis::LinearModel linear = analysis::linearise(*dae, analysis::point_of(rest));
  const double amplitude = 1e-4;  // [m]; what linearisation leaves out is smaller by as much
  for (const double w : {0.8, 2.2, 5.0}) {
    const analysis::FrequencyResponse response = analysis::frequency_response(linear, {w});
    const Eigen::VectorXcd x = (Complex(0, w) * linear.e.cast<Complex>() - linear.a.cast<Complex>())
                                   .partialPivLu()
                                   .solve(linear.b.col(0).cast<Complex>());
    std::map<std::string, double> start;
    for (std::size_t k = 0; k < linear.variables.size(); ++k) {
      const double zero = analysis::point_of(rest)(linear.leaves[k]);
      start[linear.variables[k]] = zero + amplitude * x[static_cast<Eigen::Index>(k)].imag();
    }
    model::Overrides moving;
    moving.inputs["car_x"] = std::to_string(amplitude) + "*sin(" + std::to_string(w) + "*t)";
    moving.lifting = model::Lifting::automatic;
    const auto motion = derived(library, moving);
    const formulate::Problem problem = formulate::formulate(structure::by_signature(motion), {});
    solve::PrepareOptions options;
    for (std::uint32_t i = 0; i < problem.states; ++i) {
      const expr::Leaf leaf = problem.layout.leaf(problem.state_position(i));
      const bool named = leaf.symbol < motion->model->symbols.size();  // else the work done
      options.start.states.push_back(
          named ? start.at(model::name_of(motion->model->symbols[leaf.symbol], leaf.order)) : 0);
    }
    const solve::Prepared prepared = solve::prepare(motion, {}, options);
    solve::SimulateOptions run;
    run.until = 2 * std::numbers::pi / w;
    run.every = run.until / 64;
    run.global_error = false;
    solve::Radau5Options radau5;
    radau5.tolerance = 1e-11;  // of angles that move by 1e-4
    run.method = radau5;
    const solve::Trajectory trajectory = solve::simulate(prepared.problem, prepared.start, run);
    ASSERT_EQ(trajectory.status, solve::Status::completed) << trajectory.reason;
    for (Eigen::Index y = 0; y < 2; ++y) {
      const std::string name = linear.outputs[static_cast<std::size_t>(y)];
      const Complex predicted = response.value[0](y, 0);
      const Complex seen = fitted(trajectory.table, name, w) / amplitude;
      // of the displacement, not of one component: what is of second order goes in any direction
      EXPECT_LT(std::abs(seen - predicted), 5e-4 * response.value[0].norm()) << name << " at " << w;
    }
  }
}

// The car moved up and down by a servo of 0.8 rad/s: poles and the response from its height to the sway of the middle, by an
// independent computation (NumPy, from the matrices of the cable at rest).
TEST(ElevatorCable, a_car_that_moves_up_and_down_reaches_the_modes_of_the_cable) {
  model::Overrides overrides;
  overrides.model = "elevator_cable_servo";
  const auto model = std::make_shared<const model::Model>(model::elaborate(
      model::load(std::string(DAEDAL_SOURCE_DIR) + "/models/elevator_cable/elevator_cable.daedal"),
      overrides));
  const derive::Dae dae = derive::derive(model);
  const analysis::Equilibrium rest = analysis::equilibrium(dae);
  ASSERT_TRUE(rest.found);
  const analysis::LinearModel linear = analysis::linearise(dae, analysis::point_of(rest));
  const analysis::Spectrum poles = analysis::poles(linear);
  for (const Complex expected :
       {Complex(-0.0005022963, 1.014904882), Complex(-0.0028780078, 1.715141814),
        Complex(-0.0106701228, 2.506432031), Complex(-0.56, 0.5713142743)}) {
    double nearest = 1;
    for (const auto& pole : poles.values)
      nearest = std::min(nearest, std::abs(pole.value - expected));
    EXPECT_LE(nearest, 2 * printed(9)) << expected;  // nine decimals of the frequencies
  }
  const auto height_to_sway = [&](double w) {
    const Eigen::MatrixXcd value = analysis::frequency_response(linear, {w}).value[0];
    return value(0, 0) / value(1, 0);
  };
  EXPECT_LE(std::abs(height_to_sway(0) - 0.2079125095), 1e-9);  // ten digits
  for (const auto& [w, expected] : {std::pair{0.8, Complex(0.3470115071, 0.0051541406)},
                                    std::pair{1.0, Complex(2.9494155385, -0.0385098095)},
                                    std::pair{1.2, Complex(-0.0695108964, -0.0013450122)}})
    EXPECT_LE(std::abs(height_to_sway(w) - expected), 1e-9) << w;  // ten decimals
}

}  // namespace
}  // namespace daedal::test
