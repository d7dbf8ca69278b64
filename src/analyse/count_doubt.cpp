#include "daedal/analyse/count_doubt.hpp"

#include "asked.hpp"
#include "daedal/analyse/operating_point.hpp"
#include "daedal/analyse/poles_zeros.hpp"
#include "daedal/system/noise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <utility>

namespace daedal::analysis {

namespace {

constexpr double far_away = 0.3, not_so_far = 0.03;  // of the values, where no pose is far away
constexpr double least = 0.1;                        // a value that may be small counts as this
constexpr std::size_t many = 100;                    // parameters that are changed one by one
constexpr std::size_t named = 3;                     // of them, in a sentence

/// Away from 0, so that signs stay, and by the same for equal values.
double beside(double value, double distance) {
  const double part = 0.75 + 0.25 * solve::noise(std::bit_cast<std::uint64_t>(std::abs(value)));
  return value + std::copysign(distance * part * std::max(std::abs(value), least), value);
}

/// A whole number is meant as it stands, as a weight of 1.
bool changes(const model::Symbol& symbol) {
  return symbol.kind == model::SymbolKind::parameter && symbol.value != std::floor(symbol.value);
}

template <class Which>
std::shared_ptr<const derive::Dae> changed(const derive::Dae& dae, double distance, Which which) {
  model::Model m = *dae.model;
  for (expr::SymbolId s = 0; s < m.symbols.size(); ++s)
    if (changes(m.symbols[s]) && which(s))
      m.symbols[s].value = beside(m.symbols[s].value, distance);
  auto result = std::make_shared<derive::Dae>(dae);
  result->model = std::make_shared<const model::Model>(std::move(m));
  return result;
}

/// What was taken as zero, nearest to what was not.
const RankDecision* nearest_decision(const Spectrum& spectrum) {
  const RankDecision* nearest = nullptr;
  const auto share = [](const RankDecision& d) {
    return d.noise > 0 ? d.largest_dropped / d.noise : 0;
  };
  for (const RankDecision& d : spectrum.decisions)
    if (d.rank < d.size && (nearest == nullptr || share(d) > share(*nearest))) nearest = &d;
  return nearest;
}

bool clear(const Spectrum& s) {
  return s.regular() && !s.other && s.smallest_gap() >= convincing_gap;
}

/// The one that leaves no doubt itself.
const Spectrum* spectrum_of(const Counts& counts, bool zeros) {
  if (!zeros) return clear(counts.poles) ? &counts.poles : nullptr;
  return counts.zeros && clear(*counts.zeros) ? &*counts.zeros : nullptr;
}

}  // namespace

std::shared_ptr<const derive::Dae> with_parameters_nearby(const derive::Dae& dae, double distance) {
  return changed(dae, distance, [](expr::SymbolId) { return true; });
}

std::string text_of(const CountDoubt& doubt) {
  const char* const what = doubt.zeros ? "finite zeros" : "finite poles";
  if (!doubt.other)
    return fmt::format("the number of {} rests on a rank decision with a gap of {:.2g} only", what,
                       doubt.margin);
  if (!doubt.nearby)
    return fmt::format(
        "nearly singular: the number of {} is {}, or {} if a singular value of {:.1e} of the "
        "largest is classified the other way; it is {:.1e} times its own uncertainty by rounding",
        what, doubt.finite, *doubt.other, doubt.value, doubt.margin);
  std::string others = "other parameter values";
  if (!doubt.parameters.empty())
    others = fmt::format("any other value of {}{}",
                         fmt::join(doubt.parameters.begin(),
                                   doubt.parameters.begin() + static_cast<std::ptrdiff_t>(std::min(
                                                                  named, doubt.parameters.size())),
                                   " or "),
                         doubt.parameters.size() > named ? ", say" : "");
  return fmt::format(
      "nearly singular: the number of {} is {} to rounding, but {} with {}; the singular value "
      "that decides is {:.1e} of the largest, {:.1e} times its uncertainty by rounding",
      what, doubt.finite, *doubt.other, others, doubt.value, doubt.margin);
}

std::optional<CountDoubt> doubt_of_decisions(const Spectrum& spectrum, bool zeros) {
  if (!spectrum.regular()) return std::nullopt;
  CountDoubt doubt;
  doubt.zeros = zeros;
  doubt.finite = spectrum.finite();
  if (spectrum.other) {
    doubt.other = spectrum.other->finite;
    doubt.value = spectrum.other->value;
    doubt.margin = spectrum.other->margin;
    return doubt;
  }
  doubt.margin = spectrum.smallest_gap();
  if (doubt.margin >= convincing_gap) return std::nullopt;
  return doubt;
}

Nearby::Nearby(const derive::Dae& asked, const EquilibriumOptions& options, bool at_start)
    : asked_(asked), options_(options), at_start_(at_start) {
  for (const double distance : {far_away, not_so_far}) {
    counts_ = counts_of(*with_parameters_nearby(asked, distance));
    if (counts_) return;
  }
}

std::optional<Counts> Nearby::counts_of(const derive::Dae& other) const {
  try {
    LinearModel linear;
    if (at_start_) {
      linear = linearise_at_start(std::make_shared<const derive::Dae>(other)).linear;
    } else {
      const Equilibrium at = equilibrium(other, options_);
      if (!at.found) return std::nullopt;
      linear = linearise_asked(other, point_of(at));
    }
    Counts counts;
    counts.poles = poles(linear, Wanted::count);
    if (!clear(counts.poles)) return std::nullopt;
    if (linear.inputs.empty() || linear.inputs.size() != linear.outputs.size()) return counts;
    counts.zeros = invariant_zeros(linear, Wanted::count);
    if (clear(*counts.zeros)) counts.degree = relative_degree(linear);
    return counts;
  } catch (const ModelError&) {  // a root of a negative number: no model there
    return std::nullopt;
  }
}

std::vector<std::string> Nearby::responsible(const CountDoubt& doubt) const {
  const model::Symbols& symbols = asked_.model->symbols;
  std::vector<std::string> names;
  std::size_t tried = 0;
  for (expr::SymbolId s = 0; s < symbols.size() && tried < many; ++s) {
    if (!changes(symbols[s]) || symbols[s].name.empty() ||
        std::isalpha(static_cast<unsigned char>(symbols[s].name[0])) == 0)
      continue;
    ++tried;
    const auto counts =
        counts_of(*changed(asked_, far_away, [s](expr::SymbolId other) { return other == s; }));
    if (!counts) continue;
    const Spectrum* const there = spectrum_of(*counts, doubt.zeros);
    if (there != nullptr && there->leading.degree != doubt.finite) names.push_back(symbols[s].name);
  }
  return names;
}

std::optional<CountDoubt> Nearby::doubt(const Spectrum& here, bool zeros) const {
  if (!counts_ || !here.regular()) return std::nullopt;
  const Spectrum* const there = spectrum_of(*counts_, zeros);
  if (there == nullptr || there->leading.degree == here.finite()) return std::nullopt;
  CountDoubt doubt;
  doubt.zeros = zeros;
  doubt.nearby = true;
  doubt.finite = here.finite();
  doubt.other = there->leading.degree;
  if (const RankDecision* decision = nearest_decision(here)) {
    if (decision->norm > 0) doubt.value = decision->largest_dropped / decision->norm;
    if (decision->noise > 0) doubt.margin = decision->largest_dropped / decision->noise;
  }
  return doubt;
}

std::optional<CountDoubt> Nearby::question(const Spectrum& here, bool zeros) const {
  std::optional<CountDoubt> found = doubt_of_decisions(here, zeros);
  std::optional<CountDoubt> other = doubt(here, zeros);
  if (!other || (found && found->other == other->other)) return found;
  return other;
}

std::vector<CountDoubt> doubts_about(const derive::Dae& asked, const EquilibriumOptions& options,
                                     bool at_start, const Spectrum& poles, const Spectrum* zeros) {
  std::vector<CountDoubt> doubts;
  if (!poles.regular()) return doubts;
  const Nearby nearby(asked, options, at_start);
  if (auto found = nearby.question(poles, false)) doubts.push_back(*std::move(found));
  if (zeros == nullptr || !zeros->regular()) return doubts;
  if (auto found = nearby.question(*zeros, true)) doubts.push_back(*std::move(found));
  return doubts;
}

}  // namespace daedal::analysis
