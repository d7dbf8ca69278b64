#include "c_text.hpp"

#include <cctype>

namespace daedal::emit {

std::string filled(std::string text, const std::map<std::string, std::string>& words) {
  const auto part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
  for (const auto& [word, value] : words) {
    std::size_t at = 0;
    while ((at = text.find(word, at)) != std::string::npos) {
      const bool begins = at == 0 || (!part(text[at - 1]) && text[at - 1] != '_');
      const std::size_t end = at + word.size();
      const bool prefix = word == "NAME" || word == "GUARD";  // of longer words
      const bool ends = end == text.size() || prefix || (!part(text[end]) && text[end] != '_');
      if (begins && ends) {
        text.replace(at, word.size(), value);
        at += value.size();
      } else {
        at = end;
      }
    }
  }
  return text;
}

std::string in_capitals(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

std::string in_comment(std::string text) {
  for (std::size_t at = 1; at < text.size(); ++at)
    if ((text[at - 1] == '*' && text[at] == '/') || (text[at - 1] == '/' && text[at] == '*'))
      text.insert(at++, " ");
  return text;
}

}  // namespace daedal::emit
