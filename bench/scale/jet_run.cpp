// The cost of one series: all stages up to an order at the start of a model, point, factorisation and jet.
//     jet_run MODEL ORDER [NAME=VALUE...]
#include "bench/support/pipeline.hpp"
#include "bench/support/timing.hpp"

#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

int main(int count, char** arguments) {
  using namespace daedal;
  if (count < 3) {
    std::cerr << "jet_run MODEL ORDER [NAME=VALUE...]\n";
    return 2;
  }
  model::Overrides overrides;
  for (int i = 3; i < count; ++i) {
    const std::string text = arguments[i];
    overrides.parameters[text.substr(0, text.find('='))] = text.substr(text.find('=') + 1);
  }
  const bench::Prepared run = bench::prepare(
      arguments[1], overrides, {.kind = formulate::Kind::projection}, {.implicit = false});
  run.system->wait_native();
  const int order = std::atoi(arguments[2]);
  std::vector<double> tops = run.start.tops;
  std::vector<double> series((static_cast<std::size_t>(order) + 1) *
                             (run.system->states() + run.system->tops()));
  const auto expand = [&] {
    return run.system->expand(0, run.start.states.data(), tops.data(), order, series.data());
  };
  if (const solve::Failure failure = expand(); failure != solve::Failure::none) {
    std::cerr << "no series: " << solve::describe(failure) << '\n';
    return 1;
  }
  bench::print_json({{"seconds", bench::median_seconds([&] { expand(); }, 5, 0.2)},
                     {"states", double(run.system->states())}});
}
