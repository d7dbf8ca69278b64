// Analyses a model at its equilibrium, once for each of its outputs: which of them can be inverted forwards in time?
#include <daedal/daedal.hpp>

#include <iostream>

int main(int count, char** arguments) {
  if (count != 2) return 2;
  const daedal::Model model = daedal::load(arguments[1]);
  for (const char* output : {"tip", "joint"}) {
    const daedal::Analysis a = daedal::analyse(model, {.outputs = {output}});
    if (!a.holds || !a.doubts.empty()) return 1;
    std::cout << output << " against u: " << a.phase << "\n";
    for (const std::complex<double>& zero : a.zeros) std::cout << "  zero " << zero << " 1/s\n";
    std::cout << "  " << a.verdict << "\n";
  }
}
