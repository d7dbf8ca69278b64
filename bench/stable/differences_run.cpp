// Stable inversion by central differences, everything prepared: off-line, on a receding horizon, and with a target that
// changes on the way. N: elements of the flexible arm, - for other models.
//
//     differences_run MODEL N offline STEP BEFORE ORDER [REFERENCE.csv]
//     differences_run MODEL N receding STEP PERIOD PREVIEW         along the motion; error against the whole motion on the same mesh
//     differences_run MODEL N endless STEP PERIOD PREVIEW UPDATES  to and fro; 99 % of the times, updates above 0.5 ms
//     differences_run MODEL N retarget STEP PERIOD PREVIEW NOTICE  15 degrees more, known from 0.4 s on; tracking by the forward model
#include "bench/support/timing.hpp"
#include "daedal/boundary/difference_solution.hpp"
#include "daedal/boundary/rest.hpp"
#include "daedal/derive/dae.hpp"
#include "daedal/elaborate/elaborate.hpp"
#include "daedal/expr/graph.hpp"
#include "daedal/invert/receding_horizon.hpp"
#include "daedal/invert/stable_inversion.hpp"
#include "daedal/invert/verify.hpp"
#include "daedal/model/model.hpp"
#include "daedal/run/row_writer.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <numbers>
#include <sstream>
#include <string>
#include <vector>

using namespace daedal;
using namespace daedal::boundary;
using namespace daedal::inversion;

namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::string text_of(const std::string& file, const std::string& more) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  std::string model = text.str();
  const std::string servo = "rest_to_rest(t/tf, smoothness = 4)";
  const std::size_t at = model.find(servo);
  if (at != std::string::npos) model.insert(at + servo.size(), more);
  return model;
}

std::map<std::string, std::string> sizes(const std::string& elements) {
  if (elements == "-") return {};
  return {{"N", elements}};
}

/// The arm, its equations and kernels; `more` is added to its desired motion.
struct Arm {
  Arm(const std::string& file, const std::string& elements, const std::string& more = "")
      : model(std::make_shared<const model::Model>(
            model::elaborate(model::load_text(text_of(file, more), file),
                             {.parameters = sizes(elements), .inputs = {}, .model = {}}))),
        inverse(inverse_model(derive::derive(model))),
        problem(tracking_problem(inverse)),
        system(*problem, compile),
        start(start_guess(*problem)),
        desired([this](double t, double* w) { system.desired(t, w); }) {
    system.wait_native();
  }
  std::size_t input() const {
    const std::vector<expr::SymbolId>& unknowns = problem->dae->unknowns;
    return static_cast<std::size_t>(
        std::find(unknowns.begin(), unknowns.end(), problem->dae->model->find("u")) -
        unknowns.begin());
  }
  double input_of(const RecedingHorizon& plan) const {
    const std::uint32_t at = problem->layout.find({problem->dae->model->find("u"), 0}) - 1;
    return at < problem->states ? plan.states()[at] : plan.tops()[at - problem->states];
  }
  RecedingHorizon plan(double begin, double step, double period, double preview) {
    return RecedingHorizon::by_differences(
        system, {begin, desired, start.states, start.tops},
        {.period = period, .preview = preview, .step = step, .reliable_below = 1}, compile);
  }

  compile::Options compile{.backend = compile::Backend::native};
  std::shared_ptr<const model::Model> model;
  InverseModel inverse;
  std::shared_ptr<const formulate::Problem> problem;
  InverseSystem system;
  StartGuess start;
  Desired desired;
};

/// The whole motion at once, prepared.
struct Whole {
  Whole(Arm& arm, double step, double before)
      : form(SecondOrderForm::make(*arm.problem, arm.compile)),
        solution(*form, -before, static_cast<std::size_t>(std::lround((1 + 2 * before) / step)),
                 step),
        rest(form->unknowns()) {
    form->wait_native();
    form->from_point(arm.start.states.data(), arm.start.tops.data(), rest.data());
    std::vector<double> w(form->signals());
    arm.desired(-before, w.data());
    Pose(*form).rest(w.data(), rest.data(), 20);
  }
  std::unique_ptr<SecondOrderForm> form;
  DifferenceSolution solution;
  std::vector<double> rest;
};

/// Largest difference from a file with t and u at the nodes.
double error_against(const char* file, const Whole& whole, std::size_t u) {
  std::ifstream in(file);
  std::string line, cell;
  std::getline(in, line);
  std::size_t column = 0, found = 0;
  for (std::istringstream names(line); std::getline(names, cell, ','); ++column)
    if (cell == "u_vel" || cell == "u") found = column;
  double largest = 0;
  while (std::getline(in, line)) {
    std::vector<double> row;
    for (std::istringstream cells(line); std::getline(cells, cell, ',');)
      row.push_back(std::atof(cell.c_str()));
    for (std::size_t k = 0; k <= whole.solution.intervals(); ++k)
      if (std::abs(whole.solution.time(k) - row[0]) < 1e-9)
        largest = std::max(largest, std::abs(whole.solution.y(k)[u] - row[found]));
  }
  return largest;
}

void offline(Arm& arm, double step, double before, int order, const char* reference) {
  Whole whole(arm, step, before);
  DifferenceOutcome outcome;
  const double seconds = bench::median_seconds(
      [&] { outcome = whole.solution.solve(arm.desired, whole.rest.data(), order, 1e-6); }, 20);
  const double error = reference ? error_against(reference, whole, arm.input()) : outcome.error;
  std::printf(
      "{\"seconds\": %.9g, \"iterations\": %d, \"factored\": %d, \"order\": %d, "
      "\"ok\": %d, \"error\": %.3e}\n",
      seconds, outcome.iterations, outcome.factored, outcome.order, outcome.ok, error);
}

/// Of updates: time on the processor, and how many took longer than their bound by the clock on the wall, other work of the
/// machine included.
struct Times {
  std::vector<double> seconds;
  std::size_t bad = 0, missed = 0;
  double at(double share) {
    std::sort(seconds.begin(), seconds.end());
    return seconds[static_cast<std::size_t>(share * static_cast<double>(seconds.size() - 1))];
  }
  void update(RecedingHorizon& plan, const Desired& desired, bool changed = false) {
    const double begin = bench::thread_seconds(), on_the_wall = now();
    const RecedingReport report = plan.update(desired, changed);
    seconds.push_back(bench::thread_seconds() - begin);
    missed += now() - on_the_wall > bound;
    bad += !report.ok();
  }
  static constexpr double bound = 0.5e-3;
};

void receding(Arm& arm, double step, double period, double preview) {
  Whole whole(arm, step, 1);
  whole.solution.solve(arm.desired, whole.rest.data(), 4, 1e-9);
  const double begin = -std::ceil(0.3 / step) * step;
  RecedingHorizon plan = arm.plan(begin, step, period, preview);
  Times times;
  double error = 0;
  for (std::size_t k = 0; plan.time() < 1.3; ++k) {
    times.update(plan, arm.desired);
    const double node = (plan.time() + 1) / step;
    if (std::abs(node - std::round(node)) < 1e-6)
      error =
          std::max(error, std::abs(arm.input_of(plan) - whole.solution.y(static_cast<std::size_t>(
                                                            std::lround(node)))[arm.input()]));
    plan.advance(arm.desired);
  }
  std::printf("{\"seconds\": %.9g, \"p99\": %.9g, \"error\": %.3e, \"not_ok\": %zu}\n",
              times.at(0.5), times.at(0.99), error, times.bad);
}

/// To and fro for ever: 1 s there, 1 s rest, 1 s back, 1 s rest.
void endless(Arm& arm, double step, double period, double preview, std::size_t updates) {
  const formulate::Problem& problem = *arm.problem;
  const Desired motion = [&](double t, double* w) {
    const double phase = t < 0 ? 0 : std::fmod(t, 4.0);
    const bool back = phase >= 2;
    w[0] = t;
    for (std::uint32_t i = 1; i < arm.system.signals(); ++i) {
      const int order = problem.layout.leaf(problem.first_input + i - 1).order;
      const double value =
          std::numbers::pi / 6 * expr::rest_to_rest_value(back ? phase - 2 : phase, 4, order);
      w[i] = back ? (order == 0 ? std::numbers::pi / 6 : 0) - value : value;
    }
  };
  RecedingHorizon plan = arm.plan(-0.5, step, period, preview);
  Times times;
  for (std::size_t k = 0; k < updates; ++k) {
    times.update(plan, motion);
    plan.advance(motion);
  }
  std::printf(
      "{\"seconds\": %.9g, \"p99\": %.9g, \"worst\": %.9g, \"missed\": %zu, "
      "\"not_ok\": %zu}\n",
      times.at(0.5), times.at(0.99), times.at(1), times.missed, times.bad);
}

void retarget(const char* file, const char* elements, double step, double period, double preview,
              double notice) {
  char more[100];
  std::snprintf(more, sizeof more, " + pi/12 * rest_to_rest((t - %.6f)/tf, smoothness = 4)",
                0.4 + notice);
  Arm first(file, elements), both(file, elements, more);
  RecedingHorizon plan = both.plan(-0.4, step, period, preview);
  std::vector<double> w(both.system.signals());
  both.desired(plan.time(), w.data());
  solve::RowWriter rows(*both.problem,
                        both.system.point_at(w.data(), plan.states().data(), plan.tops().data()),
                        both.compile);
  solve::Trajectory trajectory;
  trajectory.table = rows.empty_table(4000);
  Times times;
  bool told = false;
  while (plan.time() < 1.9) {
    const bool knows = plan.time() > 0.4 - 1e-9;
    const Desired& motion = knows ? both.desired : first.desired;
    times.update(plan, motion, knows && !told);
    told = knows;
    both.desired(plan.time(), w.data());
    rows.write(both.system.point_at(w.data(), plan.states().data(), plan.tops().data()),
               trajectory.table);
    plan.advance(motion);
  }
  const Verification proof = verify(both.inverse, trajectory, {.tolerance = 1e-9});
  const TrackingError* const largest = proof.forward.largest();
  std::printf("{\"seconds\": %.9g, \"degrees\": %.4g, \"at\": %.4g, \"not_ok\": %zu}\n",
              times.at(0.5), largest ? largest->largest * 180 / std::numbers::pi : -1,
              largest ? largest->at : -1, times.bad);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 7) return 2;
  const std::string what = argv[3];
  const double a = std::atof(argv[4]), b = std::atof(argv[5]), c = std::atof(argv[6]);
  try {
    if (what == "retarget" && argc > 7) {
      retarget(argv[1], argv[2], a, b, c, std::atof(argv[7]));
      return 0;
    }
    Arm arm(argv[1], argv[2]);
    if (what == "offline") offline(arm, a, b, static_cast<int>(c), argc > 7 ? argv[7] : nullptr);
    if (what == "receding") receding(arm, a, b, c);
    if (what == "endless" && argc > 7) endless(arm, a, b, c, std::strtoul(argv[7], nullptr, 10));
  } catch (const std::exception& fault) {
    std::cerr << fault.what() << "\n";
    return 1;
  }
}
