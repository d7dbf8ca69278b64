// What the errors of a work-precision table are measured by: states at the end of a run in quadruple precision.
//     reference_run MODEL UNTIL NAME...
#include "bench/support/pipeline.hpp"
#include "bench/support/timing.hpp"
#include "daedal/run/reference.hpp"

#include <cstdlib>
#include <iostream>
#include <string>

int main(int count, char** arguments) {
  using namespace daedal;
  if (count < 4) {
    std::cerr << "reference_run MODEL UNTIL NAME...\n";
    return 2;
  }
  const bench::Prepared run =
      bench::prepare(arguments[1], {}, {.kind = formulate::Kind::projection}, {.implicit = false});
  const double times[] = {std::atof(arguments[2])};
  const solve::ReferenceTrajectory exact =
      solve::reference_trajectory(*run.problem, run.start, times);
  if (exact.failure != solve::Failure::none) {
    std::cerr << "stopped: " << solve::describe(exact.failure) << '\n';
    return 1;
  }
  const auto& states = exact.rows.back().states;
  const std::vector<double> rounded(states.begin(), states.end());
  std::vector<std::pair<std::string, double>> numbers;
  for (int i = 3; i < count; ++i)
    numbers.emplace_back(arguments[i], bench::state_by_name(*run.problem, rounded, arguments[i]));
  bench::print_json(numbers);
}
