// Simulates a model whose constraints come and go, and lists what happened when.
#include <daedal/daedal.hpp>

#include <iostream>

int main(int count, char** arguments) {
  if (count != 2) return 2;
  const daedal::Simulation run = daedal::simulate(daedal::load(arguments[1]), {.until = 2});
  for (const auto& event : run.trajectory.events)
    std::cout << "t = " << event.t << " s: " << event.name << ", " << event.what << "\n";
  return run.holds && run.trajectory.events.size() > 1 ? 0 : 1;
}
