// D(h) = (f(p + h) - f(p - h)) / 2h, and (4 D(h/2) - D(h)) / 3, whose error falls like h^4.
#include "sample.hpp"

#include <algorithm>
#include <cmath>

namespace daedal::analysis {

namespace {

using Complex = std::complex<double>;
constexpr double step = 4e-3;  // of the parameter: truncation and rounding are both near 1e-10

struct Probe {
  Sample sample;
  Equilibrium rest;
};

/// The mean of as many values as the cluster has members, those nearest to it.
Complex follow(const Spectrum& spectrum, const Cluster& cluster) {
  std::vector<Complex> values;
  for (const Eigenvalue& v : spectrum.values) values.push_back(v.value);
  std::sort(values.begin(), values.end(), [&](const Complex& a, const Complex& b) {
    return std::abs(a - cluster.mean) < std::abs(b - cluster.mean);
  });
  Complex sum = 0;
  for (int k = 0; k < cluster.multiplicity; ++k) sum += values[static_cast<std::size_t>(k)];
  return sum / static_cast<double>(cluster.multiplicity);
}

template <class Value>
struct Extrapolated {
  Value rate;
  double error;
};
/// From probes at +h, -h, +h/2, -h/2.
template <class Of>
auto extrapolated(const std::vector<Probe>& probes, double h, Of of) {
  const auto coarse = (of(probes[0]) - of(probes[1])) / (2 * h);
  const auto fine = (of(probes[2]) - of(probes[3])) / h;
  const auto best = fine + (fine - coarse) / 3.0;
  return Extrapolated<std::decay_t<decltype(best)>>{best, std::abs(fine - coarse) / 3};
}

std::vector<ParameterSensitivity::ComplexRate> rates(const std::vector<Probe>& probes, double h,
                                                     const Spectrum& base,
                                                     const Spectrum Sample::*which) {
  std::vector<ParameterSensitivity::ComplexRate> result;
  for (const Probe& p : probes)
    if ((p.sample.*which).values.size() != base.values.size()) return result;
  for (const Cluster& cluster : base.clusters) {
    const auto e =
        extrapolated(probes, h, [&](const Probe& p) { return follow(p.sample.*which, cluster); });
    result.push_back({cluster.mean, e.rate, e.error});
  }
  return result;
}

}  // namespace

ParameterSensitivity sensitivity(const DaeAt& dae_at, const std::string& parameter, double value,
                                 const SweepOptions& options) {
  ParameterSensitivity result;
  result.parameter = parameter;
  result.value = value;
  const double h = step * std::abs(value);
  if (h == 0) {
    result.missing = "it is 0: terms that it multiplies are not there";
    return result;
  }
  SweepOptions undoubted = options;
  undoubted.doubts = false;
  const auto probe = [&](double p) {
    Probe one;
    one.sample = sample(dae_at, {p}, undoubted, &one.rest);
    return one;
  };
  const Probe base = probe(value);
  std::vector<Probe> probes;
  for (const double shift : {h, -h, h / 2, -h / 2}) probes.push_back(probe(value + shift));
  if (!base.rest.found ||
      !std::all_of(probes.begin(), probes.end(), [](const Probe& p) { return p.rest.found; })) {
    result.missing = "there is no equilibrium at its value, or beside it";
    return result;
  }
  const std::shared_ptr<const derive::Dae> dae = dae_at(std::vector{value});
  std::vector<expr::SymbolId> told = dae->unknowns;
  for (const model::InputDefault& input : dae->model->inputs) told.push_back(input.input);
  for (const expr::SymbolId s : told) {
    const auto e = extrapolated(probes, h, [&](const Probe& p) { return p.rest.values[s]; });
    result.equilibrium.push_back({dae->model->symbols[s].name, {e.rate, e.error}});
  }
  result.poles = rates(probes, h, base.sample.poles, &Sample::poles);
  result.zeros = rates(probes, h, base.sample.zeros, &Sample::zeros);
  return result;
}

}  // namespace daedal::analysis
