#include "state_names.hpp"

#include <fmt/format.h>

namespace daedal::analysis {

expr::Leaf state_named(const model::Model& m, const std::string& name) {
  const std::size_t end = name.find_last_not_of('\'') + 1;
  const std::string symbol = name.substr(0, end);
  std::vector<std::string> known;
  for (expr::SymbolId s = 1; s < m.symbols.size(); ++s) {
    const model::SymbolKind kind = m.symbols[s].kind;
    if (kind != model::SymbolKind::coordinate && kind != model::SymbolKind::variable) continue;
    if (m.symbols[s].name == symbol) return {s, static_cast<std::uint16_t>(name.size() - end)};
    known.push_back(m.symbols[s].name);
  }
  const std::string near = nearest_name(symbol, known);
  throw ModelError({Severity::error,
                    m.place,
                    fmt::format("model '{}' has no coordinate or variable '{}'", m.name, symbol),
                    {},
                    near.empty() ? fmt::format("there are: {}", fmt::join(known, ", "))
                                 : fmt::format("did you mean '{}'?", near)});
}

}  // namespace daedal::analysis
