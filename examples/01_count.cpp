// Reads a model and reports what kind of problem its equations are: index, free initial values, and the derivatives of constraints
// that the motion has to satisfy although nobody wrote them down.
#include <daedal/daedal.hpp>

#include <iostream>

int main(int count, char** arguments) {
  if (count != 2) return 2;
  const daedal::Explanation e = daedal::explain(daedal::load(arguments[1]));
  std::cout << e.title << ": " << e.equations.size() << " equations, index " << e.structure.index
            << ", " << e.structure.degrees_of_freedom << " free initial values\n";
  for (const auto& hidden : e.hidden)
    std::cout << "  " << hidden.name << ": " << hidden.text << "\n";
  return e.structure.solvable() ? 0 : 1;
}
