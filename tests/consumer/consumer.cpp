// Simulates the model given as argument with the installed library and prints where it ends.
#include <daedal/daedal.hpp>

#include <iostream>
#include <memory>

int main(int count, char** arguments) {
  using namespace daedal;
  if (count != 2) return 2;
  const auto model =
      std::make_shared<const model::Model>(model::elaborate(model::load(arguments[1])));
  const auto dae = std::make_shared<const derive::Dae>(derive::derive(model));
  const formulate::Problem problem = formulate::formulate(dae, {});
  solve::SimulateOptions options;
  options.until = 1;
  const solve::Trajectory trajectory =
      solve::simulate(problem, solve::consistent_point(problem), options);
  std::cout << model->name << ": " << trajectory.statistics.accepted
            << " steps to t = " << options.until << " s\n";
  return trajectory.status == solve::Status::completed ? 0 : 1;
}
