// Steps through an inverse model with BDF of order 2 and equal steps, as a real-time system does, and compares the input with the
// exact one, which the model's flatness gives.
#include <daedal/daedal.hpp>

#include <algorithm>
#include <cmath>
#include <iostream>

int main(int count, char** arguments) {
  if (count != 2) return 2;
  const daedal::Model model = daedal::load(arguments[1]);
  const auto inputs = [&](const daedal::InvertOptions& options) {
    return daedal::invert(model, options).trajectory.table.column("u");
  };
  const std::vector<double> exact = inputs({.until = 5, .every = 0.1});
  std::vector<double> errors;
  for (const double step : {0.02, 0.01}) {
    const auto u = inputs({.until = 5, .every = 0.1, .method = "bdf(order = 2)", .step = step});
    errors.push_back(0);
    for (std::size_t r = 0; r < u.size(); ++r)
      errors.back() = std::max(errors.back(), std::abs(u[r] - exact[r]));
    std::cout << "step " << step << " s: error of u " << errors.back() << " N*m\n";
  }
  return errors[1] < errors[0] / 3 ? 0 : 1;
}
