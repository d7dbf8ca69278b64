// Finds the inputs that make the outputs move as the servo lines ask, and proves them: fed to the forward model, they must
// reproduce the desired motion.
#include <daedal/derive/dae.hpp>
#include <daedal/invert/inverse_model.hpp>
#include <daedal/invert/verify.hpp>
#include <daedal/model/parse.hpp>
#include <daedal/solve/simulate.hpp>

#include <cstdio>
#include <memory>

int main(int count, char** arguments) {
  using namespace daedal;
  if (count != 2) return 2;
  const auto model =
      std::make_shared<const model::Model>(model::elaborate(model::load(arguments[1])));
  const invert::InverseModel inverse = invert::inverse_model(derive::derive(model));
  std::printf("%s: inverse model of index %d, %d free initial values\n", model->name.c_str(),
              inverse.structure.index, inverse.structure.degrees_of_freedom);
  if (!inverse.algebraic()) return 1;

  solve::SimulateOptions options;
  options.until = 10;
  options.method = solve::TaylorOptions{.tolerance = 1e-9};  // between anchors, not of the rows
  options.global_error = false;                              // the verification is the judge
  const solve::Trajectory motion =
      solve::simulate(inverse.problem, solve::consistent_point(inverse.problem), options);
  for (const invert::SignalRange& input : invert::input_ranges(inverse, motion.table))
    std::printf("  %s between %.6f and %.6f %s\n", input.name.c_str(), input.smallest,
                input.largest, input.unit.c_str());
  const invert::Verification proof = invert::verify(inverse, motion);
  const invert::TrackingError* worst = proof.forward.largest();
  if (worst == nullptr) return 1;
  std::printf("  driven by them, the forward model misses its path by %.1e m at most\n",
              worst->largest);
  return worst->largest < 1e-9 ? 0 : 1;
}
