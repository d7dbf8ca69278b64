// The crane with its sampled regulator, 10 s at 100 Hz:      loop_run MODEL TOLERANCE        time of a run, x_P and z_P at its end
#include "bench/support/timing.hpp"
#include "daedal/task/simulate.hpp"

#include <cstdlib>
#include <string>

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const daedal::Model model = daedal::load(argv[1], {.controllers = {"held"}});
  daedal::SimulateOptions options;
  options.until = 10;
  options.every = 0.01;
  options.tolerance = std::strtod(argv[2], nullptr);
  options.global_error = false;
  const auto run = [&] { return daedal::simulate(model, options); };
  const double seconds = bench::median_seconds(run);
  const daedal::Table table = run().trajectory.table;
  bench::print_json({{"seconds", seconds},
                     {"x_P", table.column("x_P").back()},
                     {"z_P", table.column("z_P").back()}});
}
