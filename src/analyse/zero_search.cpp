#include "daedal/analyse/zero_search.hpp"

#include <memory>
#include <utility>

namespace daedal::analysis {

std::vector<ZeroSearchLine> zero_search(const derive::Dae& asked,
                                        const std::vector<VariedParameter>& path,
                                        const std::vector<VariedParameter>& against, int lines,
                                        const ZeroMapOptions& options) {
  const StopScope stoppable(options.watch.stop);
  const int count = against.empty() ? 1 : lines;
  std::vector<ZeroSearchLine> found;
  for (int k = 0; k < count; ++k) {
    ZeroSearchLine line;
    line.s = count > 1 ? static_cast<double>(k) / (count - 1) : 0;
    derive::Dae dae = asked;
    model::Model changed = *asked.model;
    for (const VariedParameter& p : against) changed.symbols[p.symbol].value = p.at(line.s);
    dae.model = std::make_shared<const model::Model>(std::move(changed));
    ZeroMapOptions of_line = options;
    of_line.watch =
        options.watch.part(static_cast<double>(k) / count, static_cast<double>(k + 1) / count);
    try {
      line.map = zero_map(dae, path, of_line);
    } catch (const Interrupted&) {
      if (found.empty()) throw;
      break;
    }
    found.push_back(std::move(line));
    if (StopScope::stopped()) break;
  }
  return found;
}

}  // namespace daedal::analysis
