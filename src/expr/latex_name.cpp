// Names as LaTeX: Greek letters, subscripts after '_', trailing digits and indices, dots for
// derivatives.
#include "daedal/expr/graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

namespace daedal::expr {
namespace {

constexpr std::array<std::string_view, 34> greek = {
    "alpha",   "beta",   "gamma", "delta",   "epsilon", "zeta",  "eta",   "theta", "iota",
    "kappa",   "lambda", "mu",    "nu",      "xi",      "pi",    "rho",   "sigma", "tau",
    "upsilon", "phi",    "chi",   "psi",     "omega",   "Gamma", "Delta", "Theta", "Lambda",
    "Xi",      "Pi",     "Sigma", "Upsilon", "Phi",     "Psi",   "Omega"};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_one_letter(std::string_view word) {
  // The bytes after the first of a UTF-8 letter are 10xxxxxx.
  const auto letters =
      std::count_if(word.begin(), word.end(), [](char c) { return (c & 0xC0) != 0x80; });
  return letters == 1;
}

// phi -> \varphi, x -> x, length -> \mathrm{length}
std::string word(std::string_view name) {
  if (name == "phi") return "\\varphi";
  if (name == "epsilon") return "\\varepsilon";
  if (std::find(greek.begin(), greek.end(), name) != greek.end()) return fmt::format("\\{}", name);
  const bool plain = is_one_letter(name) || std::all_of(name.begin(), name.end(), is_digit);
  return plain ? std::string(name) : fmt::format("\\mathrm{{{}}}", name);
}

std::vector<std::string_view> split(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(separators), text.size());
    if (end > 0) parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

// Letters followed by digits: m1 -> m, 1.
std::vector<std::string> detach_number(std::string_view part) {
  std::size_t letters = part.size();
  while (letters > 0 && is_digit(part[letters - 1])) --letters;
  if (letters == 0 || letters == part.size()) return {word(part)};
  return {word(part.substr(0, letters)), std::string(part.substr(letters))};
}

std::string dotted(const std::string& letter, int order) {
  switch (order) {
    case 1:
      return "\\dot{" + letter + "}";
    case 2:
      return "\\ddot{" + letter + "}";
    case 3:
      return "\\dddot{" + letter + "}";
    default:
      return letter;
  }
}

// One step of a dotted path: letter, subscripts, derivative.
std::string step(std::string_view text, int order) {
  std::vector<std::string> parts;
  for (const std::string_view piece : split(text, "_[], ")) {
    for (std::string& part : detach_number(piece)) parts.push_back(std::move(part));
  }
  if (parts.empty()) return std::string(text);
  std::string result = dotted(parts[0], order);
  if (parts.size() > 1) {
    const std::vector<std::string> subscripts(parts.begin() + 1, parts.end());
    result += fmt::format("_{{{}}}", fmt::join(subscripts, ","));
  }
  if (order > 3) result += fmt::format("^{{({})}}", order);
  return result;
}

}  // namespace

std::string latex_name(const std::string& name, int order) {
  const std::vector<std::string_view> path = split(name, ".");
  std::string result;
  for (std::size_t i = 0; i < path.size(); ++i) {
    const bool last = i + 1 == path.size();
    result += step(path[i], last ? order : 0);
    if (!last) result += ".";
  }
  return result;
}

}  // namespace daedal::expr
