#include "daedal/model/instance.hpp"

namespace daedal::model {

std::string_view text(NameKind kind) {
  switch (kind) {
    case NameKind::size:
      return "size";
    case NameKind::parameter:
      return "parameter";
    case NameKind::coordinate:
      return "coordinate";
    case NameKind::variable:
      return "variable";
    case NameKind::input:
      return "input";
    case NameKind::signal:
      return "signal";
    case NameKind::let:
      return "let";
    case NameKind::function:
      return "function";
    case NameKind::constraint:
      return "constraint";
    case NameKind::equation:
      return "equation";
    case NameKind::servo:
      return "servo";
    case NameKind::output:
      return "output";
    case NameKind::part:
      return "part";
  }
  return {};
}

std::string with_article(NameKind kind) {
  const std::string_view word = text(kind);
  const bool vowel = std::string_view("aeiou").find(word.front()) != std::string_view::npos;
  return (vowel ? "an " : "a ") + std::string(word);
}

const syntax::Let* Entry::function() const {
  if (kind != NameKind::function) return nullptr;
  return std::get<std::vector<const syntax::Let*>>(definition).front();
}

const Thing* Scope::local(std::string_view name) const {
  for (const Local* local = locals; local != nullptr; local = local->outer)
    if (local->name == name) return &local->thing;
  return nullptr;
}

}  // namespace daedal::model
