// "Did you mean ...": the nearest name by Damerau-Levenshtein distance (insert, delete, replace, swap
// neighbours), in its restricted form, optimal string alignment, where no stretch is edited twice.
#include "daedal/base/diagnostic.hpp"

#include <algorithm>
#include <limits>

namespace daedal {
namespace {

constexpr std::size_t longest_compared = 64;  // longer names are not typing errors

// How many edits may separate a typing error from what was meant; short names are near to
// everything.
std::size_t allowed_edits(std::size_t length) {
  if (length < 2) return 0;
  if (length < 5) return 1;
  return length < 9 ? 2 : 3;
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool equal_but_for_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::swap(before_last, last);
    std::swap(last, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
  }
  return row[b.size()];
}

}  // namespace

std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates) {
  const std::string* nearest = nullptr;
  std::size_t least = std::numeric_limits<std::size_t>::max();
  for (const std::string& candidate : candidates) {
    if (candidate.empty() || candidate == name) continue;
    if (equal_but_for_case(name, candidate)) return candidate;
    if (name.size() > longest_compared || candidate.size() > longest_compared) continue;
    const std::size_t distance = edit_distance(name, candidate);
    // Replacing every letter of a short name is no correction of it.
    if (distance > allowed_edits(name.size()) ||
        distance >= std::max(name.size(), candidate.size()))
      continue;
    if (distance < least) {
      least = distance;
      nearest = &candidate;
    }
  }
  return nearest ? *nearest : std::string();
}

}  // namespace daedal
