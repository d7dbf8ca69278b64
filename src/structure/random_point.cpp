#include "daedal/structure/regularity.hpp"

#include <cmath>
#include <memory>

namespace daedal::structure {

namespace {

/// SplitMix64 [Steele2014]: every leaf has its value from its own number, whatever the others.
std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

/// In [-1, -1/4] or [1/4, 1]: away from 0, where many a coefficient vanishes.
double signed_fraction(std::uint64_t seed, expr::Leaf leaf) {
  const std::uint64_t bits = mixed(mixed(seed ^ mixed(leaf.symbol)) + leaf.order);
  const double fraction = 0.25 + 0.75 * static_cast<double>(bits >> 11) * 0x1p-53;
  return bits & 1 ? fraction : -fraction;
}

}  // namespace

Point random_point(const derive::Dae& dae, std::uint64_t seed, double scale) {
  struct Data {
    std::shared_ptr<const model::Model> model;
    std::vector<double> start;  // by symbol
  };
  auto data = std::make_shared<Data>();
  data->model = dae.model;
  data->start.assign(dae.model->symbols.size(), 0);
  for (const model::StartValue& start : dae.model->starts)
    if (start.leaf.order == 0) data->start[start.leaf.symbol] = start.value;
  return [data = std::shared_ptr<const Data>(data), seed, scale](expr::Leaf leaf) {
    const model::Symbol& symbol = data->model->symbols[leaf.symbol];
    if (symbol.kind == model::SymbolKind::parameter) return leaf.order == 0 ? symbol.value : 0;
    const double around = leaf.order == 0 ? data->start[leaf.symbol] : 0;
    const double step = scale * symbol.nominal * signed_fraction(seed, leaf);
    return leaf.symbol == expr::time_symbol ? std::abs(step) : around + step;  // signals start at 0
  };
}

}  // namespace daedal::structure
