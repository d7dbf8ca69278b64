#include "sensitivity.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <optional>
#include <set>

namespace daedal::analyse {

namespace {

constexpr double step = 1e-4;      // relative: rounding and curvature both stay below 1e-7
constexpr double notable = 1e-6;   // of the zero's magnitude
constexpr std::size_t many = 100;  // parameters beyond which nobody reads them

/// The real part of the zero that was at `rightmost`, with one parameter at another value.
std::optional<double> real_part(derive::Dae dae, expr::SymbolId parameter, double value,
                                const EquilibriumOptions& options, const Cluster& rightmost) {
  model::Model changed = *dae.model;
  changed.symbols[parameter].value = value;
  dae.model = std::make_shared<const model::Model>(std::move(changed));
  const Equilibrium at = equilibrium(dae, options);
  if (!at.found) return std::nullopt;
  const LinearModel linear = linearise(derive::inverse(dae), point_of(at));
  std::vector<Eigenvalue> zeros = finite_eigenvalues(linear.e, linear.a).values;
  const auto count = static_cast<std::size_t>(rightmost.multiplicity);
  if (zeros.size() < count) return std::nullopt;
  std::sort(zeros.begin(), zeros.end(), [&](const Eigenvalue& a, const Eigenvalue& b) {
    return std::abs(a.value - rightmost.mean) < std::abs(b.value - rightmost.mean);
  });
  double sum = 0;
  for (std::size_t k = 0; k < count; ++k) sum += zeros[k].value.real();
  return sum / static_cast<double>(count);
}

/// Parameters with a name and a value that occur in the equations.
std::vector<expr::SymbolId> parameters_of(const derive::Dae& dae) {
  std::set<expr::SymbolId> found;
  const auto add = [&](expr::SymbolId s) {
    const model::Symbol& symbol = dae.model->symbols[s];
    const bool named =
        !symbol.name.empty() && std::isalpha(static_cast<unsigned char>(symbol.name[0]));
    if (symbol.kind == model::SymbolKind::parameter && symbol.value != 0 && named) found.insert(s);
  };
  for (const expr::Occurrence& o : expr::occurrences(dae.residual)) add(o.leaf.symbol);
  for (const model::Relation& servo : dae.model->servos)
    for (const expr::Leaf& leaf : expr::leaves(*dae.model->graph, std::vector{servo.residual}))
      add(leaf.symbol);
  return {found.begin(), found.end()};
}

}  // namespace

std::vector<Sensitivity> sensitivities(const derive::Dae& asked, const EquilibriumOptions& options,
                                       const Cluster& rightmost) {
  std::vector<Sensitivity> result;
  const std::vector<expr::SymbolId> parameters = parameters_of(asked);
  if (parameters.size() > many) return result;
  for (const expr::SymbolId s : parameters) {
    const model::Symbol& symbol = asked.model->symbols[s];
    const auto above = real_part(asked, s, symbol.value * (1 + step), options, rightmost);
    const auto below = real_part(asked, s, symbol.value * (1 - step), options, rightmost);
    if (!above || !below) continue;
    const double rate = (*above - *below) / (2 * step);
    if (std::abs(rate) > notable * std::max(std::abs(rightmost.mean), 1e-3))
      result.push_back({symbol.name, rate});
  }
  std::stable_sort(result.begin(), result.end(), [](const Sensitivity& a, const Sensitivity& b) {
    return std::abs(a.rate) > std::abs(b.rate);
  });
  return result;
}

}  // namespace daedal::analyse
