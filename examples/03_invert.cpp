// Finds the inputs that make the outputs move as the servo lines ask. The method follows from the class of the model, and a run of
// the forward model with these inputs proves them.
#include <daedal/daedal.hpp>

#include <iostream>

int main(int count, char** arguments) {
  if (count != 2) return 2;
  const daedal::Inversion i = daedal::invert(daedal::load(arguments[1]));
  for (const daedal::Signal& input : i.inputs)
    std::cout << input.name << " between " << input.smallest << " and " << input.largest << " "
              << input.unit << "\n";
  std::cout << i.verdict << "\n";
  return i.holds && i.tracking < 1e-9 ? 0 : 1;
}
