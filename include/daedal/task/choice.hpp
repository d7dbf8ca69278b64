// A choice in the words of the language, "radau5(tolerance = 1e-8)", or as the corresponding struct.
#pragma once

#include "daedal/model/model.hpp"

#include <concepts>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace daedal {
inline namespace task {

/// Of choices that have no struct of their own.
struct WordsOnly {};

template <class T>
class Choice {
 public:
  Choice() = default;  // not made: the default applies
  template <std::convertible_to<std::string_view> Text>
  Choice(const Text& text) : value_(std::string(std::string_view(text))) {}
  Choice(const model::Option& option) {
    if (!option.text.empty()) value_ = option;
  }
  Choice(T made) : value_(std::move(made)) {}

  bool made() const { return !std::holds_alternative<std::monostate>(value_); }
  /// nullptr unless it was made as a struct.
  const T* plain() const { return std::get_if<T>(&value_); }
  /// Where it was made in words: read, messages call it `name`. Throws ModelError for words that cannot be read.
  std::optional<model::Option> words(const std::string& name) const {
    if (const auto* text = std::get_if<std::string>(&value_))
      return model::parse_option(*text, name);
    if (const auto* option = std::get_if<model::Option>(&value_)) return *option;
    return std::nullopt;
  }

 private:
  std::variant<std::monostate, std::string, model::Option, T> value_;
};

// Options in words: what an experiment, a command line or a notebook calls them, and how each is set.

struct SimulateOptions;
struct InvertOptions;

template <class Options>
struct Word {
  std::string_view name;
  std::string_view meaning;                     // with unit, range and default
  void (*set)(Options&, const model::Option&);  // throws ModelError for values it cannot take
};

/// All options of a task that have a word.
template <class Options>
std::span<const Word<Options>> words();
template <>
std::span<const Word<SimulateOptions>> words();
template <>
std::span<const Word<InvertOptions>> words();

/// Sets the option of that name; false when there is none.
template <class Options>
bool set(Options& options, const model::Option& value) {
  for (const Word<Options>& word : words<Options>())
    if (word.name == value.name) {
      word.set(options, value);
      return true;
    }
  return false;
}

}  // namespace task
}  // namespace daedal
