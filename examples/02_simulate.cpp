// Simulates a model on its constraint manifold and judges the result by what it carries along: drift on every level, the
// balance of energy, and an estimate of the error.
#include <daedal/derive/dae.hpp>
#include <daedal/model/parse.hpp>
#include <daedal/solve/prepare.hpp>
#include <daedal/solve/simulate.hpp>

#include <algorithm>
#include <cstdio>
#include <memory>

int main(int count, char** arguments) {
  using namespace daedal;
  if (count != 2) return 2;
  const auto model =
      std::make_shared<const model::Model>(model::elaborate(model::load(arguments[1])));
  const auto dae = std::make_shared<const derive::Dae>(derive::derive(model));
  const solve::Prepared prepared = solve::prepare(dae, formulate::Formulation{});

  solve::SimulateOptions options;
  options.until = 2;
  options.method = solve::Dop853Options{.tolerance = 1e-10};
  const solve::Trajectory run = solve::simulate(prepared.problem, prepared.start, options);
  if (run.status != solve::Status::completed) {
    std::fprintf(stderr, "%s\n", run.reason.c_str());
    return 1;
  }
  std::printf("%s: %zu rows of %zu columns by %s\n", model->name.c_str(), run.table.rows(),
              run.table.width(), run.method.c_str());
  for (const solve::LevelDrift& drift : run.drift)
    std::printf("  drift on %s level %.1e\n", drift.level.c_str(), drift.largest);
  std::printf("  energy balanced to %.1e of %.3g J\n", run.energy.largest_error, run.energy.scale);
  double error = 0;
  for (const auto& column : run.global_error.columns) error = std::max(error, column.largest);
  std::printf("  estimated error of any column %.1e\n", error);
  return run.energy.largest_error < 1e-6 * run.energy.scale ? 0 : 1;
}
