// stepper_run MODEL METHOD STEP UNTIL [FORMULATION]: the real-time stepper of an inverse model along the motion of its servo lines. Prints the
// median time of a step (whole motions, repeated), and median, 99.9 % and worst of single ones over 10^6 steps; the desired
// outputs are computed before.
#include "bench/support/timing.hpp"
#include "daedal/derive/dae.hpp"
#include "daedal/elaborate/elaborate.hpp"
#include "daedal/formulate/signals.hpp"
#include "daedal/invert/classical.hpp"
#include "daedal/model/model.hpp"
#include "daedal/start/prepare.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

namespace {

using namespace daedal;

/// Signals of every step, stage by stage.
std::vector<double> desired_motion(const solve::StepProgram& program, long steps) {
  const expr::Function f = formulate::input_signals(*program.model, program.signals);
  std::vector<double> values;
  for (long n = 0; n < steps; ++n)
    for (const double node : program.formula.nodes) {
      const double t = (static_cast<double>(n) + node) * program.step;
      for (const expr::Family& family : f.families) {
        const std::vector<double> rows =
            expr::evaluate(*family.graph, family.outputs, [&](expr::Leaf leaf) {
              return leaf.symbol == expr::time_symbol ? t
                                                      : program.model->symbols[leaf.symbol].value;
            });
        values.insert(values.end(), rows.begin(), rows.end());
      }
    }
  return values;
}

inversion::Reduction reduction_named(const std::string& name) {
  const std::vector<std::string>& names = inversion::reduction_names();
  return static_cast<inversion::Reduction>(std::find(names.begin(), names.end(), name) -
                                           names.begin());
}

int measure(const std::string& file, const std::string& method_name, double step, double until,
            const std::string& formulation) {
  const std::size_t digit = method_name.find_first_of("0123456789");
  const bool bdf = method_name.starts_with("bdf");
  const solve::Method method =
      bdf ? solve::make_method("bdf",
                               {{"order", std::stoi(method_name.substr(digit))}, {"step", step}})
          : solve::make_method(method_name, {{"step", step}});
  const auto model = std::make_shared<const model::Model>(model::elaborate(model::load(file)));
  const inversion::InverseModel inverse = inversion::inverse_model(derive::derive(model));
  const auto program =
      inversion::step_program(inverse, solve::consistent_point(inverse.problem), method,
                              {.reduction = {.reduction = reduction_named(formulation)}})
          .program;
  solve::Stepper stepper(program, inversion::stepper_options(method));
  const auto steps = static_cast<long>(until / step + 0.5);
  const std::vector<double> desired = desired_motion(*program, steps);
  const std::size_t width = program->signals.size() * program->stages();
  const auto signals = [&](long n) {
    return std::span<const double>(desired.data() + static_cast<std::size_t>(n) * width, width);
  };
  bool ok = true;
  const double seconds = bench::median_seconds([&] {
    stepper.start(0, program->start_states, program->start_tops);
    for (long n = 0; n < steps; ++n) ok = stepper.step(signals(n)).ok() && ok;
  });
  std::vector<double> single;
  single.reserve(1'000'000);
  while (single.size() < single.capacity()) {
    stepper.start(0, program->start_states, program->start_tops);
    for (long n = 0; n < steps && single.size() < single.capacity(); ++n) {
      const auto before = std::chrono::steady_clock::now();
      stepper.step(signals(n));
      single.push_back(
          std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count());
    }
  }
  std::sort(single.begin(), single.end());
  bench::print_json({{"seconds", seconds / static_cast<double>(steps)},
                     {"single", single[single.size() / 2]},
                     {"most", single[single.size() / 1000 * 999]},
                     {"worst", single.back()}});
  return ok ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5 && argc != 6) return 2;
  return measure(argv[1], argv[2], std::atof(argv[3]), std::atof(argv[4]),
                 argc == 6 ? argv[5] : "original");
}
