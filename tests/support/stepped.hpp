// Inverse models stepped along the motion that their servo lines ask for.
#pragma once

#include "daedal/derive/dae.hpp"
#include "daedal/elaborate/elaborate.hpp"
#include "daedal/invert/inverse_model.hpp"
#include "daedal/model/model.hpp"
#include "daedal/start/prepare.hpp"
#include "daedal/stepper/step_program.hpp"
#include "daedal/stepper/stepper.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace daedal::test {

inline std::shared_ptr<const derive::Dae> forward_of(const model::Library& library,
                                                     const model::Overrides& overrides = {}) {
  const auto model = std::make_shared<const model::Model>(model::elaborate(library, overrides));
  return std::make_shared<const derive::Dae>(derive::derive(model));
}

inline std::shared_ptr<const derive::Dae> forward_of_file(const std::string& folder,
                                                          const model::Overrides& overrides = {}) {
  return forward_of(
      model::load(std::string(DAEDAL_SOURCE_DIR "/models/") + folder + "/" + folder + ".daedal"),
      overrides);
}

/// models/manipulator_2link with another motion: so many radians in so many seconds.
inline std::string two_link_text(const std::string& amplitude, const std::string& seconds) {
  return R"(model two_link
parameter L = 0.5, m = 0.05, I = m*L^2/12
coordinate alpha, beta
let direction(angle) = [sin(angle), cos(angle)]
let C1 = L/2*direction(alpha)
let C2 = L*direction(alpha) + L/2*direction(alpha + beta)
kinetic     m/2*(dot(C1', C1') + dot(C2', C2')) + I/2*(alpha'^2 + (alpha' + beta')^2)
potential   0.25*beta^2
dissipation 1.25e-5*beta'^2
input  u
force  u on alpha
servo  alpha + beta/2 = )" +
         amplitude + "*rest_to_rest(t/(" + seconds + "), smoothness = 4)\n";
}

/// Everything at rest, at the start values of the model.
inline structure::Point rest(const model::Model& m) {
  return [&m](expr::Leaf leaf) {
    if (leaf.symbol != expr::time_symbol &&
        m.symbols[leaf.symbol].kind == model::SymbolKind::parameter)
      return m.symbols[leaf.symbol].value;
    for (const model::StartValue& start : m.starts)
      if (start.leaf == leaf) return start.value;
    return 0.0;
  };
}

/// The inputs of one run: times and values by name.
struct SteppedRun {
  std::vector<double> t;
  std::vector<std::vector<double>> values;  // in the order of the names
  solve::StepStatus status = solve::StepStatus::ok;
};

/// `dae` has no signals, or its own defaults are functions of time that `signal` gives: (k, t) -> value.
inline SteppedRun stepped(const derive::Dae& dae, const solve::StepFormula& formula, double step,
                          double until, const std::vector<std::string>& names,
                          const structure::Point& start,
                          const std::function<double(std::size_t, double)>& signal = {},
                          solve::StepperOptions options = {}) {
  options.compile.backend = compile::Backend::tape;
  const auto program = std::make_shared<const solve::StepProgram>(
      solve::make_step_program(dae, formula, step, start));
  solve::Stepper stepper(program, options);
  std::vector<std::size_t> positions;
  for (const std::string& name : names)
    positions.push_back(stepper.find({dae.model->find(name), 0}));
  SteppedRun run;
  run.values.resize(names.size());
  const auto record = [&] {
    run.t.push_back(stepper.time());
    for (std::size_t k = 0; k < names.size(); ++k)
      run.values[k].push_back(stepper.value(positions[k]));
  };
  record();
  const std::size_t signals = program->signals.size();
  std::vector<double> values(signals * program->stages());
  const auto steps = static_cast<long>(until / step + 0.5);
  for (long n = 0; n < steps; ++n) {
    for (std::uint32_t stage = 0; stage < program->stages(); ++stage)
      for (std::size_t k = 0; k < signals; ++k)
        values[stage * signals + k] = signal(k, stepper.time() + formula.nodes[stage] * step);
    const solve::StepReport report = stepper.step(values);
    run.status = report.status;
    if (!report.ok()) break;
    record();
  }
  return run;
}

}  // namespace daedal::test
