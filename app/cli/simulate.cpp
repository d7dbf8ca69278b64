// daedal simulate: the equations of motion integrated.
#include "daedal/task/simulate.hpp"

#include "commands.hpp"
#include "pipeline.hpp"
#include "request.hpp"
#include "sparkline.hpp"
#include "watched.hpp"

#include <string>

namespace daedal::cli {

namespace {

task::SimulateOptions simulate_options(const Arguments& a) {
  task::SimulateOptions options;
  options.until = a.until;
  options.every = a.every;
  options.method = option_word(a.method, "--method");
  options.tolerance = a.tolerance;
  options.step = a.step;
  options.formulation = option_word(a.formulation, "--formulation");
  set_word(options, "redundant_constraints", a.redundant, "--redundant");
  set_word(options, "start", a.start, "--start");
  set_word(options, "reference", a.reference, "--reference");
  options.seed = a.seed.value_or(0);
  options.global_error = a.global_error != "off";
  options.history = !a.report.empty();
  options.backend = read_backend(a);
  return options;
}

/// Monte Carlo: values that are distributions differ from run to run.
int simulate_often(const Arguments& a, const task::Model& model, const Files& files) {
  task::MonteCarloOptions options;
  options.simulate = simulate_options(a);
  options.runs = *a.runs;
  options.seed = a.seed.value_or(0);
  options.plant = only(a.plant, true);
  options.starts = only(a.starts, true);
  return answered(a, model, options, task::monte_carlo, files);
}

}  // namespace

int simulate(const Arguments& a) {
  const task::SimulateOptions options = simulate_options(a);
  const task::Model model = load(a);
  const Files files = writable_files(a);
  if (a.runs) return simulate_often(a, model, files);
  check_plots(a.plots, *model.lifted().model);
  return answered(a, model, options, task::simulate, files);
}

}  // namespace daedal::cli
