// Simulates a model on its constraint manifold. The result carries its own judgement: drift on every level, the balance of energy,
// and an estimate of the error.
#include <daedal/daedal.hpp>

#include <iostream>

int main(int count, char** arguments) {
  if (count != 2) return 2;
  const daedal::Model model = daedal::load(arguments[1]);
  const daedal::Simulation run =
      daedal::simulate(model, {.until = 2, .method = "dop853(tolerance = 1e-10)"});
  std::cout << daedal::summary(run);
  const auto& energy = run.trajectory.energy;
  return run.holds && energy.largest_error < 1e-6 * energy.scale ? 0 : 1;
}
