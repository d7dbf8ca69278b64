#include "deficiency.hpp"

#include "no_row.hpp"

#include <algorithm>

namespace daedal::structure {

namespace {

/// Breadth-first search over alternating paths: from a start to all its neighbours, from a neighbour to its match.
Part reach(std::vector<std::uint32_t> starts,
           const std::vector<std::vector<std::uint32_t>>& neighbours,
           const std::vector<std::uint32_t>& match) {
  std::vector<bool> seen(neighbours.size(), false), touched(match.size(), false);
  for (const std::uint32_t s : starts) seen[s] = true;
  std::vector<std::uint32_t> found;
  for (std::size_t next = 0; next < starts.size(); ++next)
    for (const std::uint32_t n : neighbours[starts[next]]) {
      if (touched[n]) continue;
      touched[n] = true;
      found.push_back(n);
      if (match[n] != no_row && !seen[match[n]]) {
        seen[match[n]] = true;
        starts.push_back(match[n]);
      }
    }
  std::sort(starts.begin(), starts.end());
  std::sort(found.begin(), found.end());
  return {std::move(starts), std::move(found)};
}

std::vector<std::uint32_t> below(const std::vector<std::uint32_t>& numbers, std::uint32_t limit) {
  std::vector<std::uint32_t> result;
  std::copy_if(numbers.begin(), numbers.end(), std::back_inserter(result),
               [&](std::uint32_t n) { return n < limit; });
  return result;
}

}  // namespace

Deficiency deficiency(const Offsets& offsets, std::span<const SignatureEntry> signature,
                      std::uint32_t equations, std::uint32_t unknowns) {
  const std::size_t size = offsets.assignment.size();
  std::vector<std::vector<std::uint32_t>> unknowns_in(size), equations_with(size);
  for (const SignatureEntry& e : signature) {
    unknowns_in[e.equation].push_back(e.unknown);
    equations_with[e.unknown].push_back(e.equation);
  }
  std::vector<std::uint32_t> equation_of(size, no_row);
  for (std::uint32_t i = 0; i < size; ++i)
    if (offsets.assignment[i] != no_row) equation_of[offsets.assignment[i]] = i;
  Deficiency result;
  result.over_determined =
      reach(below(offsets.unmatched_equations, equations), unknowns_in, equation_of);
  Part under =
      reach(below(offsets.unmatched_unknowns, unknowns), equations_with, offsets.assignment);
  result.under_determined = {std::move(under.unknowns), std::move(under.equations)};
  return result;
}

}  // namespace daedal::structure
