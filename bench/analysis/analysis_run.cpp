// Daedal's side of the row "analysis":
//   analysis_run portrait MODEL        the whole portrait, from the Dae on, all inputs free
//   analysis_run zeros N               invariant zeros of a system with N states, 3 inputs and 3 outputs
//   analysis_run riccati N             X of the regulator of N states and 3 inputs, weights 1
//   analysis_run map MODEL P Q N       N x N verdicts over two parameters, 20 % about their values; wall time
#include "bench/analysis/zeros_system.hpp"
#include "bench/support/timing.hpp"
#include "daedal/analyse/poles_zeros.hpp"
#include "daedal/analyse/portrait.hpp"
#include "daedal/analyse/sweep.hpp"
#include "daedal/elaborate/elaborate.hpp"
#include "daedal/model/model.hpp"
#include "daedal/pencil/riccati.hpp"

#include <chrono>
#include <cstdlib>
#include <string>

namespace {

using namespace daedal;

std::shared_ptr<const derive::Dae> derived(const char* path) {
  return std::make_shared<const derive::Dae>(
      derive::derive(std::make_shared<const model::Model>(model::elaborate(model::load(path)))));
}

int portrait(const char* path) {
  const auto dae = derived(path);
  analysis::PortraitOptions options;
  for (const model::InputDefault& input : dae->model->inputs)
    options.equilibrium.free_inputs.push_back(input.input);
  int poles = 0;
  const double seconds =
      bench::median_seconds([&] { poles = analysis::portrait(dae, options).poles.finite(); }, 20);
  bench::print_json({{"seconds", seconds}, {"poles", poles}});
  return 0;
}

/// The two sides are compared by the rightmost zero's real part.
int zeros(int states) {
  const bench::ZerosSystem system(states);
  analysis::LinearModel linear;
  linear.e = Eigen::MatrixXd::Identity(states, states);
  linear.a = system.a, linear.b = system.b, linear.c = system.c, linear.d = system.d;
  linear.inputs = linear.outputs = {"1", "2", "3"};
  analysis::Spectrum spectrum;
  const double seconds =
      bench::median_seconds([&] { spectrum = analysis::invariant_zeros(linear); }, 5);
  bench::print_json({{"seconds", seconds},
                     {"zeros", spectrum.finite()},
                     {"rightmost", spectrum.values.front().value.real()}});
  return 0;
}

/// The two sides are compared by the trace of the solution.
int riccati(int states) {
  const bench::ZerosSystem system(states);
  const Eigen::MatrixXd q = Eigen::MatrixXd::Identity(states, states),
                        r = Eigen::MatrixXd::Identity(system.b.cols(), system.b.cols());
  analysis::RiccatiSolution solution;
  const double seconds = bench::median_seconds(
      [&] {
        solution = analysis::continuous_riccati({system.a, system.b, q, r});
      },
      9);
  bench::print_json(
      {{"seconds", seconds}, {"trace", solution.x.trace()}, {"residual", solution.residual}});
  return 0;
}

int map(const char* path, const std::string& p, const std::string& q, int count) {
  const model::Library library = model::load(path);
  const analysis::DaeAt dae_at = analysis::dae_of_parameters(library, {}, {p, q});
  const auto dae = derived(path);
  const double x = dae->model->symbols[dae->model->find(p)].value,
               y = dae->model->symbols[dae->model->find(q)].value;
  std::vector<std::vector<double>> points;
  for (int i = 0; i < count; ++i)
    for (int j = 0; j < count; ++j)
      points.push_back({x * (0.8 + 0.4 * i / (count - 1)), y * (0.8 + 0.4 * j / (count - 1))});
  const auto begin = std::chrono::steady_clock::now();
  const std::vector<analysis::Sample> samples = analysis::sweep(dae_at, points, {});
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  double answered = 0;
  for (const analysis::Sample& s : samples)
    answered += s.kind != analysis::Class::no_model && s.kind != analysis::Class::no_equilibrium;
  bench::print_json({{"seconds", seconds}, {"answered", answered}});
  return 0;
}

}  // namespace

int main(int count, char** words) {
  const std::string what = count > 1 ? words[1] : "";
  if (what == "portrait" && count == 3) return portrait(words[2]);
  if (what == "zeros" && count == 3) return zeros(std::atoi(words[2]));
  if (what == "riccati" && count == 3) return riccati(std::atoi(words[2]));
  if (what == "map" && count == 6) return map(words[2], words[3], words[4], std::atoi(words[5]));
  std::fputs("analysis_run portrait MODEL | zeros N | riccati N | map MODEL P Q N\n", stderr);
  return 2;
}
