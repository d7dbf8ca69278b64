// steps_run MODEL stepper|simulation METHOD STEP UNTIL: implicit steps of fixed length on index 3. `stepper` is the real-time
// stepper of the forward model, `simulation` the integrator of `daedal simulate`. Prints the time of a step and x at the
// end.
#include "bench/support/pipeline.hpp"
#include "bench/support/timing.hpp"
#include "daedal/integrate/combination.hpp"
#include "daedal/integrate/integrator.hpp"
#include "daedal/stepper/step_program.hpp"
#include "daedal/stepper/stepper.hpp"

#include <cstdlib>
#include <string>
#include <vector>

namespace {

using namespace daedal;

solve::Method method_of(const std::string& name, double step) {
  if (name.starts_with("bdf"))
    return solve::make_method("bdf", {{"order", std::stoi(name.substr(3))}, {"step", step}});
  if (name == "generalized_alpha")
    return solve::make_method(name, {{"spectral_radius", 0.9}, {"step", step}});
  return solve::make_method(name, {{"step", step}});
}

int measure_stepper(const bench::Prepared& run, const solve::Method& method, double step,
                    long steps) {
  const auto program = std::make_shared<const solve::StepProgram>(
      solve::make_step_program(*run.problem->dae, solve::step_formula(method), step,
                               solve::point_of(*run.problem, run.start)));
  solve::Stepper stepper(program, {});
  bool ok = true;
  const double seconds = bench::median_seconds([&] {
    stepper.start(0, program->start_states, program->start_tops);
    for (long n = 0; n < steps; ++n) ok = stepper.step({}).ok() && ok;
  });
  // the states of the problem and of the stepper are the same leaves
  std::vector<double> states;
  for (std::uint32_t i = 0; i < run.problem->states; ++i)
    states.push_back(
        stepper.value(stepper.find(run.problem->layout.leaf(run.problem->state_position(i)))));
  bench::print_json({{"seconds", seconds / static_cast<double>(steps)},
                     {"x", bench::state_by_name(*run.problem, states, "x")}});
  return ok ? 0 : 1;
}

int measure_simulation(const bench::Prepared& run, const solve::Method& method, double until,
                       long steps) {
  run.system->wait_native();
  bench::LastRow last(run.system->states());
  const auto integrator = solve::make_integrator(method, *run.system);
  bool ok = true;
  const double seconds = bench::median_seconds([&] {
    const double times[] = {until};
    ok = solve::integrate(*run.system, *integrator, 0, run.start.states.data(),
                          run.start.tops.data(), times, last)
             .ok &&
         ok;
  });
  bench::print_json({{"seconds", seconds / static_cast<double>(steps)},
                     {"x", bench::state_by_name(*run.problem, last.states(), "x")}});
  return ok ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) return 2;
  const std::string how = argv[2];
  const double step = std::atof(argv[4]), until = std::atof(argv[5]);
  const auto steps = static_cast<long>(until / step + 0.5);
  const solve::Method method = method_of(argv[3], step);
  const bench::Prepared run = bench::prepare(argv[1], {}, {.kind = formulate::Kind::index3},
                                             {.implicit = true, .series = false});
  return how == "stepper" ? measure_stepper(run, method, step, steps)
                          : measure_simulation(run, method, until, steps);
}
