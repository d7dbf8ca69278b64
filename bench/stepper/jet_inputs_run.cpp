// jet_inputs_run MODEL UNTIL: the inputs of a flat inverse model at one time, by jets written out as code; desired motion
// included. Prints the median time of an evaluation at 1000 times, and the first input in the middle.
#include "bench/support/timing.hpp"
#include "daedal/derive/dae.hpp"
#include "daedal/elaborate/elaborate.hpp"
#include "daedal/invert/inverse_model.hpp"
#include "daedal/model/model.hpp"
#include "daedal/stepper/algebraic.hpp"

#include <cstdlib>
#include <memory>
#include <vector>

using namespace daedal;

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const auto model = std::make_shared<const model::Model>(model::elaborate(model::load(argv[1])));
  const inversion::InverseModel inverse = inversion::inverse_model(derive::derive(model));
  std::vector<expr::Leaf> inputs;
  for (expr::SymbolId s = 0; s < model->symbols.size(); ++s)
    if (model->symbols[s].kind == model::SymbolKind::input) inputs.push_back({s, 0});
  const double until = std::atof(argv[2]);
  solve::AlgebraicSolution solution(
      inverse.problem, solve::consistent_point(inverse.problem),
      {.until = until, .compile = {.backend = compile::Backend::native}});
  if (!solution.watch(inputs)) return 1;
  constexpr int times = 1000;
  std::vector<double> u(inputs.size());
  bool ok = true;
  double sum = 0;
  const double seconds = bench::median_seconds([&] {
    for (int n = 0; n < times; ++n) {
      ok = solution.watched(until * (n + 0.5) / times, u.data()) && ok;
      sum += u[0];
    }
  });
  ok = solution.watched(until / 2, u.data()) && ok && sum == sum;
  bench::print_json({{"seconds", seconds / times}, {"u", u[0]}});
  return ok ? 0 : 1;
}
