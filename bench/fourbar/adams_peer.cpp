// Peer: the four-bar, accelerations by hand, CVODE's Adams methods, 5 s.    adams_peer TOLERANCE
#include "bench/fourbar/fourbar_by_hand.hpp"
#include "bench/support/adams_run.hpp"
#include "bench/support/timing.hpp"

#include <array>
#include <cstdlib>

namespace {

struct Fourbar {
  static constexpr int states = fourbar::states;
  static std::array<double, states> start() { return fourbar::start(); }
  static void derivative(const double* y, double* rate) { fourbar::derivative(y, rate); }
};

}  // namespace

int main(int count, char** arguments) {
  bench::AdamsRun<Fourbar> adams(count > 1 ? std::atof(arguments[1]) : 1e-9);
  const double* y = nullptr;
  const double seconds = bench::median_seconds([&] { y = adams.run(5); });
  const bench::AdamsCount run = adams.count();
  bench::print_json({{"seconds", seconds},
                     {"evaluations", double(run.evaluations)},
                     {"steps", double(run.steps)},
                     {"th1", y[2]},
                     {"th2", y[5]},
                     {"th3", y[8]}});
}
