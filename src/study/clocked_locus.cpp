// A root locus of a loop with a clock. Each value makes a model of its own: laws are designed again, parameters follow from others.
#include "clocked_loop.hpp"
#include "daedal/analyse/classify.hpp"
#include "daedal/pencil/pencil.hpp"
#include "daedal/study/control.hpp"
#include "daedal/task/asked.hpp"
#include "daedal/task/options.hpp"
#include "gain_range.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

namespace daedal {
inline namespace task {

namespace {

using Rates = std::vector<std::complex<double>>;

struct ClockedAt {
  LoopAt loop;
  Rates rates;  // [1/s], slowest first; without those of the factor 0
};

class ClockedFamily {
 public:
  ClockedFamily(const Model& model, const LocusOptions& options)
      : model_(model), options_(options) {}

  /// What is wrong with the name or the loop is thrown at the first value; others may have no answer.
  ClockedAt first() const { return ask(options_.over.first); }
  ClockedAt operator()(double value) const {
    try {
      return ask(value);
    } catch (const ModelError&) {
      return {{value, 0, "no equilibrium"}, {}};
    }
  }

 private:
  ClockedAt ask(double value) const {
    const Model own =
        model_.with_parameters({{options_.over.name, fmt::format("{}", value)}}, "`locus`");
    const ClockedLoop loop =
        clocked_loop(asked_of_loop(own, options_.redundant_constraints), options_.free);
    if (!loop.rest.found) return {{value, 0, "no equilibrium"}, {}};
    const analysis::Spectrum factors = feedback::factors_of(loop.linear);
    ClockedAt found{{value, -1, feedback::stability_of(factors)}, {}};
    for (const analysis::Cluster& c : factors.clusters) {
      found.loop.beyond = std::max(found.loop.beyond, std::abs(c.mean) - 1);
      if (const auto z = feedback::shown_factor(c); z != 0.0)
        found.rates.insert(found.rates.end(), static_cast<std::size_t>(c.multiplicity),
                           std::log(z) / loop.period);
    }
    std::ranges::stable_sort(found.rates, std::greater<>(), [](auto rate) { return rate.real(); });
    return found;
  }

  const Model& model_;
  const LocusOptions& options_;
};

/// Each continues with the rate nearest to it.
void extend(std::vector<Track>& tracks, Rates rates, std::size_t k) {
  constexpr double nowhere = std::numeric_limits<double>::quiet_NaN();
  for (Track& track : tracks) {
    const auto nearest = std::ranges::min_element(rates, {}, [&](const auto& rate) {
      return std::isnan(track[k - 1].real()) ? 0.0 : std::abs(rate - track[k - 1]);
    });
    if (nearest == rates.end()) {
      track.emplace_back(nowhere, nowhere);
      continue;
    }
    track.push_back(*nearest);
    rates.erase(nearest);
  }
  for (const auto& rate : rates) {
    tracks.emplace_back(k, std::complex<double>(nowhere, nowhere));
    tracks.back().push_back(rate);
  }
}

}  // namespace

RootLocus clocked_locus(const Model& model, const LocusOptions& options) {
  const StopScope stoppable(options.watch.stop);
  const Range& range = options.over;
  if (options.at_start || !options.outputs.empty())
    fault({}, "a locus of controllers with a clock is that of the poles at rest",
          "leave out `at` and `output`");
  if (model.overrides().parameters.contains(range.name))
    fault({}, fmt::format("'{}' has both a value and a range", range.name), "leave the value out");
  RootLocus answer(model);
  answer.over = range;
  answer.warnings = model.warnings();
  const ClockedFamily family(model, options);
  std::vector<LoopAt> samples;
  const std::vector<double> values = range.values();
  for (std::size_t k = 0; k < values.size(); ++k) {
    options.watch.check();
    ClockedAt found = k == 0 ? family.first() : family(values[k]);
    answer.classes.push_back(found.loop.stability);
    samples.push_back(std::move(found.loop));
    extend(answer.poles, std::move(found.rates), k);
  }
  answer.stability = stability_ranges(samples, [&](double value) { return family(value).loop; });
  answer.verdict = verdict_of(answer.stability, range.name);
  return answer;
}

}  // namespace task
}  // namespace daedal
