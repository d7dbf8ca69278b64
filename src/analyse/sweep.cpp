#include "daedal/analyse/sweep.hpp"

#include "asked.hpp"
#include "daedal/analyse/operating_point.hpp"
#include "daedal/analyse/poles_zeros.hpp"
#include "sample.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <thread>

namespace daedal::analysis {

const char* word(Class c) {
  switch (c) {
    case Class::not_asked:
      return "not asked";
    case Class::no_model:
      return "refused";
    case Class::no_equilibrium:
      return "no equilibrium";
    case Class::no_inverse:
      return "no inverse";
    case Class::flat:
      return "flat";
    case Class::minimum_phase:
      return "minimum phase";
    case Class::marginal:
      return "marginal";
    case Class::non_minimum_phase:
      return "non-minimum phase";
  }
  return "";
}

EquilibriumOptions equilibrium_options(const model::Model& m, const SweepOptions& options) {
  EquilibriumOptions result;
  result.t = options.t;
  for (const std::string& name : options.free_inputs)
    if (const expr::SymbolId s = m.find(name); s != expr::time_symbol)
      result.free_inputs.push_back(s);
  return result;
}

namespace {

Class class_of(Side side) {
  switch (side) {
    case Side::none:
      return Class::flat;
    case Side::left:
      return Class::minimum_phase;
    case Side::axis:
      return Class::marginal;
    case Side::right:
      return Class::non_minimum_phase;
  }
  return Class::no_inverse;
}

/// At the start values, which must satisfy the constraints: frozen poles and zeros.
void look_at_start(Sample& s, const std::shared_ptr<const derive::Dae>& dae,
                   const SweepOptions& options) {
  const OperatingPoint p = linearise_at_start(dae, options.outputs);
  s.poles = p.poles;
  s.stability = margin(s.poles);
  s.kind = Class::no_inverse;
  const bool square = p.linear.inputs.size() == p.linear.outputs.size();
  if (!p.linear.inputs.empty() && square) {
    s.zeros = invariant_zeros(p.linear);
    if (s.zeros.regular()) s.phase = margin(s.zeros), s.kind = class_of(s.phase.side);
  }
  if (options.doubts)
    s.doubts = doubts_about(with_outputs(*dae, options.outputs), {}, true, s.poles,
                            square ? &s.zeros : nullptr);
}

/// At rest there.
void look_at_rest(Sample& s, const derive::Dae& dae, const Equilibrium& at,
                  const SweepOptions& options) {
  const derive::Dae asked = with_outputs(dae, options.outputs);
  const LinearModel linear = linearise_asked(asked, point_of(at));
  s.poles = poles(linear);
  s.stability = margin(s.poles);
  s.kind = Class::no_inverse;
  const bool square = linear.inputs.size() == linear.outputs.size();
  if (!linear.inputs.empty() && square) {
    s.zeros = poles(linearise(derive::inverse(asked), point_of(at)));
    if (s.zeros.regular()) s.phase = margin(s.zeros), s.kind = class_of(s.phase.side);
  }
  if (options.doubts)
    s.doubts = doubts_about(asked, equilibrium_options(*dae.model, options), false, s.poles,
                            square ? &s.zeros : nullptr);
}

}  // namespace

Sample sample(const DaeAt& dae_at, const std::vector<double>& parameters,
              const SweepOptions& options, Equilibrium* rest) {
  Sample s;
  s.parameters = parameters;
  s.kind = Class::no_model;
  try {
    const std::shared_ptr<const derive::Dae> dae = dae_at(parameters);
    if (options.at_start) {
      look_at_start(s, dae, options);
      return s;
    }
    const Equilibrium at = equilibrium(*dae, equilibrium_options(*dae->model, options));
    s.kind = Class::no_equilibrium;
    if (!at.found) return s;
    if (rest != nullptr) *rest = at;
    look_at_rest(s, *dae, at, options);
  } catch (const ModelError&) {
    // a length of 0, a division by it: this choice has no answer, others have
  }
  return s;
}

namespace {

Sample sample_unless_stopped(const DaeAt& dae_at, const std::vector<double>& parameters,
                             const SweepOptions& options) {
  try {
    stop_point();
    return sample(dae_at, parameters, options, nullptr);
  } catch (const Interrupted&) {
    Sample not_asked;
    not_asked.parameters = parameters;
    return not_asked;
  }
}

}  // namespace

std::vector<Sample> sweep(const DaeAt& dae_at, const std::vector<std::vector<double>>& points,
                          const SweepOptions& options) {
  std::vector<Sample> samples(points.size());
  std::atomic<std::size_t> next{0}, done{0};
  std::mutex telling;
  const StopScope stoppable(options.watch.stop);
  const auto work = [&, starter = StopScope::current()] {
    const StopScope stoppable_too(starter);
    for (std::size_t k; (k = next++) < points.size();) {
      samples[k] = sample_unless_stopped(dae_at, points[k], options);
      const std::size_t count = ++done;
      if (!options.watch.progress || StopScope::stopped()) continue;
      const std::lock_guard lock(telling);
      options.watch.progress(
          {static_cast<double>(count) / static_cast<double>(points.size()), "points of the sweep"});
    }
  };
  const unsigned machine = std::max(1u, std::thread::hardware_concurrency());
  const auto threads = std::min<std::size_t>(
      options.threads > 0 ? static_cast<std::size_t>(options.threads) : machine, points.size());
  std::vector<std::jthread> helpers;
  for (std::size_t k = 1; k < threads; ++k) helpers.emplace_back(work);
  work();
  helpers.clear();
  return samples;
}

}  // namespace daedal::analysis
