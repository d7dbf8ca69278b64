// How cost grows with size: one model with N given, from text to kernels, one evaluation of accelerations and multipliers, one
// Runge-Kutta step with projection, and the memory of the process.
//     scale_run MODEL N [NAME=VALUE...] [lifting=never|always]          N: - for a model without a size
#include "bench/support/pipeline.hpp"
#include "bench/support/timing.hpp"
#include "daedal/integrate/integrator.hpp"

#include <sys/resource.h>

#include <chrono>
#include <iostream>
#include <string>
#include <vector>

int main(int count, char** arguments) {
  using namespace daedal;
  using clock = std::chrono::steady_clock;
  if (count < 3) {
    std::cerr << "scale_run MODEL N [NAME=VALUE...]\n";
    return 2;
  }
  model::Overrides overrides;
  if (std::string(arguments[2]) != "-") overrides.parameters["N"] = arguments[2];
  for (int i = 3; i < count; ++i) bench::add_override(overrides, arguments[i]);
  const auto begin = clock::now();
  const bench::Prepared run =
      bench::prepare(arguments[1], overrides, {.kind = formulate::Kind::projection},
                     {.implicit = false, .series = false});
  const double set_up = std::chrono::duration<double>(clock::now() - begin).count();
  run.system->wait_native();
  const double set_up_native = std::chrono::duration<double>(clock::now() - begin).count();

  std::vector<double> tops = run.start.tops, rate(run.system->states());
  constexpr int evaluations = 100;  // a look at the clock takes 0.4 us
  const double evaluation =
      bench::median_seconds(
          [&] {
            for (int k = 0; k < evaluations; ++k)
              run.system->derivative(0, run.start.states.data(), tops.data(), rate.data());
          },
          20, 0.1) /
      evaluations;

  const solve::Method fixed = solve::make_method("rk45", {{"step", 1e-4}, {"adaptive", 0}});
  constexpr int steps = 10;
  bench::LastRow last(run.system->states());
  const double stepping =
      bench::median_seconds(
          [&] {
            const auto integrator = solve::make_integrator(fixed, *run.system);
            const double times[] = {steps * 1e-4};
            solve::integrate(*run.system, *integrator, 0, run.start.states.data(),
                             run.start.tops.data(), times, last);
          },
          3, 0.1) /
      steps;

  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  bench::print_json({{"set_up", set_up},
                     {"set_up_native", set_up_native},
                     {"evaluation", evaluation},
                     {"step", stepping},
                     {"states", double(run.system->states())},
                     {"memory_bytes", double(usage.ru_maxrss) * 1024}});
}
