#include "daedal/task/choice.hpp"
#include "daedal/task/invert.hpp"
#include "daedal/task/options.hpp"
#include "daedal/task/simulate.hpp"

#include <fmt/format.h>

#include <cmath>

namespace daedal {
inline namespace task {

namespace {

using model::Option;

solve::RedundantConstraints redundant_constraints_of(const Option& option) {
  return static_cast<solve::RedundantConstraints>(
      which_word(option, solve::redundant_constraints_names(),
                 "error names them and stops, least_norm leaves them out and shares reactions"));
}

solve::StartValues start_values_of(const Option& option) {
  return static_cast<solve::StartValues>(
      which_word(option, solve::start_values_names(),
                 "consistent moves the start values onto the constraints, as_given keeps them; at "
                 "rest velocities are 0, at the nearest equilibrium accelerations too"));
}

Reference reference_of(const Option& option) {
  return static_cast<Reference>(
      which_word(option, reference_names(),
                 "servo compares outputs with what the servo lines prescribe, end with their last "
                 "values"));
}

/// A whole number.
std::uint64_t seed_of(const Option& option) {
  const double number = number_of(option);
  constexpr double largest = 9007199254740992;  // 2^53
  if (!(number >= 0 && number <= largest && number == std::floor(number)))
    fault(option.place, fmt::format("`{}` is a whole number, 0 to 2^53", option.name));
  return static_cast<std::uint64_t>(number);
}

}  // namespace

template <>
std::span<const Word<SimulateOptions>> words() {
  using O = SimulateOptions;
  static constexpr Word<O> all[] = {
      {"until", "end time [s], > 0", [](O& o, const Option& v) { o.until = number_of(v); }},
      {"every", "time between rows [s], > 0; default until/1000",
       [](O& o, const Option& v) { o.every = number_of(v); }},
      {"method", "integrator, default rk45; with options radau5(tolerance = 1e-8)",
       [](O& o, const Option& v) { o.method = v; }},
      {"formulation", "how constraints are held, default projection",
       [](O& o, const Option& v) { o.formulation = v; }},
      {"tolerance", "relative and absolute tolerance of a step",
       [](O& o, const Option& v) { o.tolerance = number_of(v); }},
      {"step", "first and longest step [s]", [](O& o, const Option& v) { o.step = number_of(v); }},
      {"redundant_constraints", "error (default) or least_norm",
       [](O& o, const Option& v) { o.redundant_constraints = redundant_constraints_of(v); }},
      {"start", "consistent (default), as_given, rest or equilibrium",
       [](O& o, const Option& v) { o.start = start_values_of(v); }},
      {"global_error", "estimate it by a second run: on (default) or off",
       [](O& o, const Option& v) { o.global_error = is_on(v); }},
      {"reference", "of the figures of merit of a closed loop: servo (default) or end",
       [](O& o, const Option& v) { o.reference = reference_of(v); }},
      {"seed", "of the random numbers that controllers draw; default 0",
       [](O& o, const Option& v) { o.seed = seed_of(v); }},
  };
  return all;
}

template <>
std::span<const Word<InvertOptions>> words() {
  using O = InvertOptions;
  static constexpr Word<O> all[] = {
      {"until", "end time [s]", [](O& o, const Option& v) { o.until = number_of(v); }},
      {"every", "time between rows [s], > 0; default until/1000",
       [](O& o, const Option& v) { o.every = number_of(v); }},
      {"method", "by the class of the model (default), collocation(order = 6), bdf(order = 4), ...",
       [](O& o, const Option& v) { o.method = v; }},
      {"formulation", "of a method with fixed step: original (default), baumgarte(pole = 10), ...",
       [](O& o, const Option& v) { o.formulation = v; }},
      {"tolerance", "relative tolerance",
       [](O& o, const Option& v) { o.tolerance = number_of(v); }},
      {"step", "of a method with fixed step [s]",
       [](O& o, const Option& v) { o.step = number_of(v); }},
      {"verify", "prove the answer by the forward model: on (default) or off",
       [](O& o, const Option& v) { o.verify = is_on(v); }},
      {"ends", "conditions at the ends of a stable inversion: automatic, eigenspace, positions",
       [](O& o, const Option& v) { o.ends = v; }},
      {"before", "how long the inputs act before the motion [s]",
       [](O& o, const Option& v) { o.before = number_of(v); }},
      {"after", "how long the inputs act after the motion [s]",
       [](O& o, const Option& v) { o.after = number_of(v); }},
      {"receding", "sample by sample from a window of preview: on or off (default)",
       [](O& o, const Option& v) { o.receding = is_on(v); }},
      {"period", "time between samples of a receding horizon [s]; default 0.001",
       [](O& o, const Option& v) { o.period = number_of(v); }},
      {"preview", "length of the window of a receding horizon [s]",
       [](O& o, const Option& v) { o.preview = number_of(v); }},
  };
  return all;
}

}  // namespace task
}  // namespace daedal
