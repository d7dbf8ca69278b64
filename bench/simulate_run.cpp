// Daedal's side of the integration benchmarks: native kernels ready, then the median time of one integration.
//     simulate_run MODEL UNTIL METHOD TOLERANCE FORMULATION NAME... PARAMETER=VALUE... [kernels=interpreted]
// NAME: states to print at the end
#include "bench/support/pipeline.hpp"
#include "bench/support/timing.hpp"
#include "daedal/integrate/combination.hpp"
#include "daedal/integrate/integrator.hpp"

#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

namespace {

/// Of those that need no more than a name, and Baumgarte's with both poles at -5/s.
daedal::formulate::Formulation formulation_named(const std::string& wanted) {
  using namespace daedal::formulate;
  for (const Kind kind : {Kind::index1, Kind::projection, Kind::null_space, Kind::minimal})
    if (name(kind) == wanted) return {.kind = kind};
  if (wanted == "baumgarte") return {.kind = Kind::baumgarte, .all = {.a1 = 10, .a0 = 25}};
  std::cerr << "simulate_run: no formulation '" << wanted << "' here\n";
  std::exit(2);
}

}  // namespace

int main(int count, char** arguments) {
  using namespace daedal;
  if (count < 6) {
    std::cerr << "simulate_run MODEL UNTIL METHOD TOLERANCE FORMULATION NAME... "
                 "PARAMETER=VALUE...\n";
    return 2;
  }
  model::Overrides overrides;
  std::vector<std::string> names;
  compile::Options kernels;
  for (int i = 6; i < count; ++i) {
    const std::string text = arguments[i];
    if (text == "kernels=interpreted")
      kernels.backend = compile::Backend::tape;
    else if (text.find('=') == std::string::npos)
      names.push_back(text);
    else
      bench::add_override(overrides, text);
  }
  const double until = std::atof(arguments[2]), tolerance = std::atof(arguments[4]);
  const solve::Method method = solve::make_method(arguments[3], {{"tolerance", tolerance}});
  const bench::Prepared run =
      bench::prepare(arguments[1], overrides, formulation_named(arguments[5]),
                     {.implicit = solve::is_implicit(method),
                      .series = std::holds_alternative<solve::TaylorOptions>(method),
                      .compile = kernels});
  run.system->wait_native();

  bench::LastRow last(run.system->states());
  const auto integrate_with = [&](solve::Integrator& integrator) {
    const double times[] = {until};
    const solve::StepOutcome outcome = solve::integrate(
        *run.system, integrator, 0, run.start.states.data(), run.start.tops.data(), times, last);
    if (!outcome.ok) {
      std::cerr << "stopped: " << outcome.reason << '\n';
      std::exit(1);
    }
  };
  // As the peers do: made once, run often. Counts come from a run of its own.
  const auto timed = solve::make_integrator(method, *run.system),
             counted = solve::make_integrator(method, *run.system);
  integrate_with(*counted);
  run.system->wait_native();  // pivots of other poses have kernels of their own
  const double seconds = bench::median_seconds([&] { integrate_with(*timed); });
  const solve::StepStatistics& statistics = counted->statistics();
  std::vector<std::pair<std::string, double>> numbers = {
      {"seconds", seconds},
      {"evaluations", double(statistics.evaluations)},
      {"steps", double(statistics.accepted)},
      {"rejected", double(statistics.rejected)}};
  for (const std::string& name : names)
    numbers.emplace_back(name, bench::state_by_name(*run.problem, last.states(), name));
  bench::print_json(numbers);
}
