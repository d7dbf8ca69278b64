// Stable inversion of the two-link manipulator off-line: Newton's method on a prepared mesh, and all of it from the equations.
//
//     stable_run MODEL INTERVALS ORDER        prints seconds, whole_seconds, error of u against a solution to 1e-12
#include "bench/support/timing.hpp"
#include "daedal/boundary/collocation.hpp"
#include "daedal/boundary/mesh.hpp"
#include "daedal/derive/dae.hpp"
#include "daedal/elaborate/elaborate.hpp"
#include "daedal/invert/stable_inversion.hpp"
#include "daedal/model/model.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

using namespace daedal;
using namespace daedal::boundary;
using namespace daedal::inversion;

namespace {

/// The conditions of a solution on a mesh of its own.
void prepare(Collocation& equations, const BoundaryValueSolution& solution) {
  const auto copy = [](const Eigen::MatrixXd& rows, std::span<double> to) {
    for (Eigen::Index i = 0; i < rows.rows(); ++i)
      for (Eigen::Index j = 0; j < rows.cols(); ++j)
        to[static_cast<std::size_t>(i * rows.cols() + j)] = rows(i, j);
  };
  copy(solution.left.decaying, equations.left_rows());
  copy(solution.right.growing, equations.right_rows());
  std::copy(solution.left_rest.begin(), solution.left_rest.end(), equations.left_target().begin());
  std::copy(solution.right_rest.begin(), solution.right_rest.end(),
            equations.right_target().begin());
  std::copy(solution.times.begin(), solution.times.end(), equations.times().begin());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const std::size_t intervals = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 60;
  const int order = argc > 3 ? std::atoi(argv[3]) : 4;
  const auto model = std::make_shared<const model::Model>(model::elaborate(model::load(argv[1])));
  const auto problem = tracking_problem(inverse_model(derive::derive(model)));
  InverseSystem system(*problem, {.backend = compile::Backend::native});
  system.wait_native();
  const Desired desired = [&](double t, double* w) { system.desired(t, w); };
  const std::vector<double> states(system.states()), tops(system.tops());
  const auto exact = solve_boundary_value(system, {-0.9, 0, 1, 1.9}, desired, states, tops,
                                          {.tolerance = 1e-12, .order = 6});
  const std::vector<double> joints{-0.1, 0, 1, 1.1};
  const BoundaryValueOptions options{
      .order = order, .intervals = intervals, .newton_tolerance = 1e-6};
  BoundaryValueSolution solution;
  const double whole = bench::median_seconds(
      [&] { solution = solve_boundary_value(system, joints, desired, states, tops, options); }, 20);
  Collocation equations(system, CollocationFormula::gauss(order / 2, depth_of(system)),
                        solution.times.size() - 1,
                        static_cast<std::size_t>(solution.left.stable + solution.left.centre));
  prepare(equations, solution);
  int iterations = 0;
  const double seconds = bench::median_seconds(
      [&] {
        std::fill_n(equations.state(0), (equations.intervals() + 1) * states.size(), 0.0);
        std::fill_n(equations.tops(0),
                    equations.intervals() * tops.size() * static_cast<std::size_t>(order / 2), 0.0);
        equations.sample(desired);
        iterations = 2;
        equations.newton();  // relative to states of 0: its step says nothing
        double before = equations.chord().step, next = before;
        while (next > 1e-6 && iterations < 20) {
          ++iterations;
          const double step = equations.chord().step;
          next = step * std::min(1.0, step / before);  // steps shrink like this
          before = step;
        }
      },
      20);
  std::copy_n(equations.state(0), solution.states.size(), solution.states.begin());
  std::copy_n(equations.tops(0), solution.tops.size(), solution.tops.begin());
  const std::uint32_t u =
      problem->layout.find({problem->dae->model->find("u"), 0}) - 1 - problem->states;
  SolutionAt ours(system, solution, desired), theirs(system, exact, desired);
  std::vector<double> w(system.signals()), s(states), a(tops), b(tops);
  double error = 0;
  for (double t = -0.1; t <= 1.1; t += 0.01) {
    ours(t, w.data(), s.data(), a.data());
    theirs(t, w.data(), s.data(), b.data());
    error = std::max(error, std::abs(a[u] - b[u]));
  }
  std::printf("{\"seconds\": %.9g, \"whole_seconds\": %.9g, \"iterations\": %d, \"error\": %.3e}\n",
              seconds, whole, iterations, error);
}
