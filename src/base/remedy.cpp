#include "daedal/base/diagnostic.hpp"

#include <optional>

namespace daedal {

namespace {

constexpr char quote = '`';
constexpr std::string_view equals = " = ", call = "()";

/// Of the text between two quotes; other texts in quotes are the user's own.
std::optional<Remedy> read(std::string_view marked) {
  const std::size_t end = marked.find(equals);
  const std::string_view option = marked.substr(0, end);
  const std::string_view name =
      option.ends_with(call) ? option.substr(0, option.size() - call.size()) : option;
  if (name.empty() || name.find_first_not_of("abcdefghijklmnopqrstuvwxyz_") != name.npos)
    return std::nullopt;
  const std::string_view value =
      end == marked.npos ? std::string_view() : marked.substr(end + equals.size());
  return Remedy{std::string(option), std::string(value)};
}

/// Passes on the text in pieces: plain ones, and what it proposes.
template <class Plain, class Option>
void walk(std::string_view text, const Plain& plain, const Option& option) {
  while (!text.empty()) {
    const std::size_t open = text.find(quote);
    const std::size_t close = open == text.npos ? open : text.find(quote, open + 1);
    if (close == text.npos) return plain(text);
    const auto remedy = read(text.substr(open + 1, close - open - 1));
    if (remedy) {
      plain(text.substr(0, open));
      option(*remedy);
    } else {
      plain(text.substr(0, close + 1));
    }
    text.remove_prefix(close + 1);
  }
}

}  // namespace

std::vector<Remedy> remedies(std::string_view text) {
  std::vector<Remedy> found;
  walk(
      text, [](std::string_view) {}, [&](const Remedy& remedy) { found.push_back(remedy); });
  return found;
}

std::string in_words(const Remedy& remedy) {
  return remedy.value.empty() ? remedy.option : remedy.option + std::string(equals) + remedy.value;
}

std::string phrased(std::string_view text, const PhraseRemedy& phrase) {
  std::string result;
  walk(
      text, [&](std::string_view plain) { result += plain; },
      [&](const Remedy& remedy) { result += phrase(remedy); });
  return result;
}

}  // namespace daedal
