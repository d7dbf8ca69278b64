#include "daedal/model/model.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace daedal::model {

/// Where the name is, or would be.
std::size_t Symbols::slot_of(const std::string& name) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = std::hash<std::string>{}(name)&mask;
  while (slots_[slot] != 0 && list_[slots_[slot]].name != name) slot = (slot + 1) & mask;
  return slot;
}

void Symbols::push_back(Symbol symbol) {
  list_.push_back(std::move(symbol));
  const auto enter = [&](std::size_t s) {
    if (expr::SymbolId& free = slots_[slot_of(list_[s].name)]; free == 0)
      free = static_cast<expr::SymbolId>(s);
  };
  if (2 * list_.size() <= slots_.size()) return enter(list_.size() - 1);
  slots_.assign(std::max<std::size_t>(8, 2 * slots_.size()), 0);
  for (std::size_t s = 1; s < list_.size(); ++s) enter(s);
}

expr::SymbolId Symbols::find(const std::string& name) const {
  return slots_.empty() ? 0 : slots_[slot_of(name)];
}

}  // namespace daedal::model
