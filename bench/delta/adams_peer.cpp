// Peer: the delta robot of release.daedal, accelerations by hand, CVODE's Adams methods, 10 s.    adams_peer TOLERANCE
#include "bench/delta/release_by_hand.hpp"
#include "bench/support/adams_run.hpp"
#include "bench/support/timing.hpp"

#include <array>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

namespace {

struct Delta {
  static constexpr int states = 18;
  static std::array<double, states> start() { return delta::start(); }
  static void derivative(const double* y, double* rate) { delta::derivative(y, rate); }
};

}  // namespace

int main(int count, char** arguments) {
  bench::AdamsRun<Delta> adams(count > 1 ? std::atof(arguments[1]) : 1e-9);
  const double* y = nullptr;
  const double seconds = bench::median_seconds([&] { y = adams.run(10); });
  const bench::AdamsCount run = adams.count();
  std::vector<std::pair<std::string, double>> numbers = {
      {"seconds", seconds}, {"evaluations", double(run.evaluations)}, {"steps", double(run.steps)}};
  for (int i = 0; i < 9; ++i)
    numbers.emplace_back(
        "r.arm[" + std::to_string(i / 3 + 1) + "].q[" + std::to_string(i % 3 + 1) + "]", y[i]);
  bench::print_json(numbers);
}
