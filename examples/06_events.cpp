// Simulates a model whose constraints come and go, and lists what happened when.
#include <daedal/derive/dae.hpp>
#include <daedal/model/parse.hpp>
#include <daedal/solve/prepare.hpp>
#include <daedal/solve/simulate.hpp>

#include <cstdio>
#include <memory>

int main(int count, char** arguments) {
  using namespace daedal;
  if (count != 2) return 2;
  const auto model =
      std::make_shared<const model::Model>(model::elaborate(model::load(arguments[1])));
  // constraints that an event attaches do not act at the start
  const auto dae = std::make_shared<const derive::Dae>(
      derive::in_mode(std::make_shared<const derive::Dae>(derive::derive(model)),
                      derive::released_at_start(*model)));
  const solve::Prepared prepared = solve::prepare(dae, formulate::Formulation{});
  const solve::Trajectory run =
      solve::simulate(prepared.problem, prepared.start, solve::SimulateOptions{.until = 2});
  for (const solve::FiredEvent& event : run.events)
    std::printf("t = %.9f s: %s, %s\n", event.t, event.name.c_str(), event.what.c_str());
  return run.status == solve::Status::completed && run.events.size() > 1 ? 0 : 1;
}
