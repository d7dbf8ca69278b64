// Peer: the four-bar by hand, Dormand-Prince 5(4), 5 s.    hand_rk45_peer TOLERANCE [project]
#include "bench/fourbar/fourbar_by_hand.hpp"
#include "bench/support/dormand_prince.hpp"
#include "bench/support/timing.hpp"

#include <array>
#include <cstdlib>
#include <string>

int main(int count, char** arguments) {
  const double tolerance = count > 1 ? std::atof(arguments[1]) : 1e-9;
  const bool projecting = count > 2 && std::string(arguments[2]) == "project";
  const std::array<double, fourbar::states> start = fourbar::start();
  std::array<double, fourbar::states> state{};
  bench::RungeKuttaCount run;
  const double seconds = bench::median_seconds([&] {
    state = start;
    run = bench::dormand_prince(state, 5.0, tolerance, projecting, fourbar::derivative,
                                fourbar::project);
  });
  bench::print_json({{"seconds", seconds},
                     {"evaluations", double(run.evaluations)},
                     {"steps", double(run.accepted)},
                     {"rejected", double(run.rejected)},
                     {"th1", state[2]},
                     {"th2", state[5]},
                     {"th3", state[8]}});
}
