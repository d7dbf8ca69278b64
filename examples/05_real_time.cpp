// Steps through an inverse model with BDF of order 2 and equal steps, as a real-time system would, and compares the input
// with the exact one, which the model's flatness gives.
#include <daedal/derive/dae.hpp>
#include <daedal/invert/classical.hpp>
#include <daedal/model/parse.hpp>
#include <daedal/solve/simulate.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>

int main(int count, char** arguments) {
  using namespace daedal;
  if (count != 2) return 2;
  const auto model =
      std::make_shared<const model::Model>(model::elaborate(model::load(arguments[1])));
  const invert::InverseModel inverse = invert::inverse_model(derive::derive(model));
  const solve::ConsistentPoint start = solve::consistent_point(inverse.problem);

  solve::SimulateOptions options{.until = 5, .every = 0.1, .global_error = false};
  options.method = solve::TaylorOptions{.tolerance = 1e-9};
  const Table exact = solve::simulate(inverse.problem, start, options).table;

  double coarse = 0;
  for (const double step : {0.02, 0.01}) {
    const invert::SteppedInversion run = invert::step_through(
        inverse, start, solve::BdfOptions{.order = 2, .step = step}, options.until, options.every);
    const Table& rows = run.trajectory.table;
    const std::size_t u = *rows.find("u"), u_exact = *exact.find("u");
    double error = 0;
    for (std::size_t r = 0; r < rows.rows(); ++r)
      error = std::max(error, std::abs(rows.at(r, u) - exact.at(r, u_exact)));
    std::printf("step %g s: error of u %.2e N*m, %.2g us a step\n", step, error,
                1e6 * run.times.median);
    if (coarse > 0) {
      std::printf("observed order %.1f\n", std::log2(coarse / error));
      return error < coarse / 3 ? 0 : 1;
    }
    coarse = error;
  }
}
