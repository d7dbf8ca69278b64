#include "daedal/model/model.hpp"

#include <fmt/format.h>

namespace daedal::model {

std::string describe(const Symbol& symbol) {
  switch (symbol.kind) {
    case SymbolKind::time:
      return "time";
    case SymbolKind::parameter:
      return fmt::format("the parameter '{}'", symbol.name);
    case SymbolKind::coordinate:
      return fmt::format("the coordinate '{}'", symbol.name);
    case SymbolKind::lifted:
      return fmt::format("'{}', which is defined by a let", symbol.name);
    case SymbolKind::variable:
      return fmt::format("the variable '{}'", symbol.name);
    case SymbolKind::multiplier:
      return fmt::format("the multiplier '{}'", symbol.name);
    case SymbolKind::input:
      return fmt::format("the input '{}'", symbol.name);
  }
  return {};
}

std::string name_of(const Symbol& symbol, int order) {
  if (order > 3) return fmt::format("der({}, {})", symbol.name, order);
  return symbol.name + std::string(static_cast<std::size_t>(order), '\'');
}

}  // namespace daedal::model
