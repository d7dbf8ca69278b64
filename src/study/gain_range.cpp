#include "gain_range.hpp"

#include "daedal/analyse/classify.hpp"
#include "daedal/analyse/equilibrium.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

namespace daedal {
inline namespace task {

namespace {

std::string stability_of(const analysis::Sample& s) {
  switch (s.kind) {
    case analysis::Class::not_asked:
    case analysis::Class::no_model:
    case analysis::Class::no_equilibrium:
      return "no equilibrium";
    default:
      break;
  }
  const bool still = s.stability.side == analysis::Side::none;
  return analysis::stability_word(still ? analysis::Side::left : s.stability.side);
}

/// Where the line between the two meets the boundary; their middle where it does not.
double between(const LoopAt& a, const LoopAt& b) {
  const double middle = 0.5 * (a.value + b.value);
  if (!(a.beyond * b.beyond < 0)) return middle;
  return (a.value * b.beyond - b.value * a.beyond) / (b.beyond - a.beyond);
}

/// Between a and b, where the stability is no longer that of a: by regula falsi that halves what stays [DowellJarratt1971].
double end_of(const std::function<LoopAt(double)>& at, LoopAt a, LoopAt b) {
  constexpr double rounding = 1e-13;
  constexpr int most = 100;
  const double size = std::max(std::abs(a.value), std::abs(b.value));
  const std::string stability = a.stability;
  int stays = 0;  // so often on the same side: < 0 that of a
  for (int k = 0; k < most && std::abs(b.value - a.value) > rounding * size; ++k) {
    stop_point();
    const bool stuck = std::abs(stays) > 3;
    LoopAt found = at(stuck ? 0.5 * (a.value + b.value) : between(a, b));
    if (found.stability == stability) {
      if (stays < 0) b.beyond *= 0.5;
      stays = stuck ? 0 : std::min(stays, 0) - 1;
      a = std::move(found);
    } else {
      if (stays > 0) a.beyond *= 0.5;
      stays = stuck ? 0 : std::max(stays, 0) + 1;
      b = std::move(found);
    }
  }
  return 0.5 * (a.value + b.value);
}

/// A value at which the poles happen to be on the axis is the end of the parts beside it.
void join_across_points(std::vector<StabilityRange>& parts) {
  constexpr double rounding = 1e-9;
  const double size = std::abs(parts.back().to - parts.front().from);
  for (std::size_t k = 1; k + 1 < parts.size(); ++k) {
    if (std::abs(parts[k].to - parts[k].from) > rounding * size) continue;
    const double middle = 0.5 * (parts[k].from + parts[k].to);
    parts[k - 1].to = parts[k + 1].from = middle;
    if (parts[k - 1].stability == parts[k + 1].stability) continue;
    parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(k));
  }
}

}  // namespace

analysis::DaeAt near_rest(analysis::DaeAt family, const Asked& asked,
                          const std::vector<std::string>& free) {
  analysis::EquilibriumOptions at;
  at.free_inputs = inputs_named(*asked.dae->model, free);
  const analysis::Equilibrium rest = analysis::equilibrium(*asked.dae, at);
  if (!rest.found) return family;
  std::vector<std::pair<std::string, double>> positions;
  for (const expr::SymbolId s : asked.dae->unknowns)
    positions.emplace_back(asked.dae->model->symbols[s].name, rest.values[s]);
  return [family = std::move(family), positions = std::move(positions)](
             std::span<const double> values) -> std::shared_ptr<const derive::Dae> {
    const std::shared_ptr<const derive::Dae> found = family(values);
    auto model = std::make_shared<model::Model>(*found->model);
    std::erase_if(model->starts, [](const model::StartValue& s) { return s.leaf.order == 0; });
    for (const auto& [name, value] : positions)
      if (const expr::SymbolId s = model->find(name); s != expr::time_symbol)
        model->starts.push_back({.leaf = {s, 0}, .value = value, .stated = false});
    auto dae = std::make_shared<derive::Dae>(*found);
    dae->model = std::move(model);
    return dae;
  };
}

LoopAt loop_at(const analysis::Sample& s) {
  const bool known = !s.poles.values.empty();
  return {s.parameters[0], known ? s.poles.values.front().value.real() : 0, stability_of(s)};
}

std::vector<StabilityRange> stability_ranges(const std::vector<LoopAt>& samples,
                                             const std::function<LoopAt(double)>& at) {
  std::vector<StabilityRange> parts;
  for (std::size_t k = 0; k < samples.size(); ++k) {
    const LoopAt& s = samples[k];
    if (!parts.empty() && parts.back().stability == s.stability) {
      parts.back().to = s.value;
      continue;
    }
    double begin = s.value;
    if (!parts.empty()) begin = parts.back().to = end_of(at, samples[k - 1], s);
    parts.push_back({begin, s.value, s.stability});
  }
  if (!parts.empty()) join_across_points(parts);
  return parts;
}

std::string text_of(const StabilityRange& part, const std::string& parameter) {
  return fmt::format("{} for {} from {:.11g} to {:.11g}", part.stability, parameter, part.from,
                     part.to);
}

std::string verdict_of(const std::vector<StabilityRange>& parts, const std::string& parameter) {
  std::string where;
  for (const StabilityRange& part : parts)
    if (part.stability == analysis::stability_word(analysis::Side::left))
      where += fmt::format("{} {:.11g} to {:.11g}", where.empty() ? "from" : " and from", part.from,
                           part.to);
  if (where.empty()) return fmt::format("The loop is stable for no {} of the range.", parameter);
  return fmt::format("The loop is asymptotically stable for {} {}.", parameter, where);
}

}  // namespace task
}  // namespace daedal
