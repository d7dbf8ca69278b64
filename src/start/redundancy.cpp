// See redundancy.hpp.

#include "redundancy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace daedal::solve {

namespace {

/// "arm[2].pin.point[3]": the part "arm[2].pin", the member "point", its entry 3.
struct SplitName {
  std::string part, member;
  std::optional<int> entry;
};

SplitName split_name(const std::string& name) {
  SplitName s;
  const std::size_t dot = name.rfind('.');
  if (dot != std::string::npos) s.part = name.substr(0, dot);
  s.member = dot == std::string::npos ? name : name.substr(dot + 1);
  const std::size_t bracket = s.member.find('[');
  if (bracket == std::string::npos) return s;
  int entry = 0;
  const char *first = s.member.data() + bracket + 1, *last = s.member.data() + s.member.size();
  const auto [end, fault] = std::from_chars(first, last, entry);
  if (fault != std::errc() || end + 1 != last) return s;  // of a matrix: stays as it is
  s.entry = entry;
  s.member.resize(bracket);
  return s;
}

/// Consecutive entries of one member.
struct EntryRun {
  std::string member;
  std::optional<int> first, last;
  std::string text() const {
    if (!first) return member;
    return first == last ? fmt::format("{}[{}]", member, *first)
                         : fmt::format("{}[{}..{}]", member, *first, *last);
  }
};

/// Neighbours in a list that belong to one part, or to one vector.
struct PartGroup {
  std::string part;
  Place place;
  std::vector<EntryRun> runs;
};

std::vector<PartGroup> grouped_by_part(const std::vector<Named>& names) {
  std::vector<PartGroup> groups;
  for (const Named& n : names) {
    const SplitName s = split_name(n.name);
    const bool together =
        !groups.empty() && groups.back().part == s.part &&
        (!s.part.empty() || (s.entry && groups.back().runs.back().member == s.member));
    if (!together) groups.push_back({s.part, n.place, {}});
    std::vector<EntryRun>& runs = groups.back().runs;
    if (!runs.empty() && s.entry && runs.back().member == s.member &&
        runs.back().last == *s.entry - 1)
      runs.back().last = s.entry;
    else
      runs.push_back({s.member, s.entry, s.entry});
  }
  return groups;
}

std::string line_text(const Place& place) {
  return place.known() ? fmt::format(" (line {})", place.line) : "";
}

std::string members_of(const std::vector<EntryRun>& runs) {
  std::string text;
  for (const EntryRun& run : runs) text += (text.empty() ? "" : ", ") + run.text();
  return text;
}

/// What a constraint follows from: in the sentence, or below it with a line for each part where there are many.
void add_origins(Diagnostic& d, const std::string& subject, const std::vector<Named>& names) {
  constexpr std::size_t in_a_sentence = 3;
  const std::vector<PartGroup> groups = grouped_by_part(names);
  if (groups.size() <= in_a_sentence) {
    d.details.push_back(fmt::format("{} from {}", subject, list_names(names)));
    return;
  }
  d.details.push_back(fmt::format("{} from {} others:", subject, names.size()));
  for (const PartGroup& g : groups)
    d.details.push_back(
        g.part.empty() ? fmt::format("  {}{}", members_of(g.runs), line_text(g.place))
                       : fmt::format("  {}{}: {}", g.part, line_text(g.place), members_of(g.runs)));
}

Diagnostic of_own_line(const std::string& model, const RankFacts& facts, const Redundant& r) {
  const std::string& name = r.constraint.name;
  Diagnostic d{Severity::error,
               r.constraint.place,
               fmt::format("model '{}': constraint '{}' is redundant", model, name),
               {describe(facts) + ";"},
               fmt::format("remove '{}'", name)};
  if (r.follows_from.empty())
    d.details.push_back(fmt::format("no coordinate can move to satisfy '{}'", name));
  else
    add_origins(d, fmt::format("'{}' follows", name), r.follows_from);
  return d;
}

/// All of one part together, with what they follow from in the order of the model.
Diagnostic of_part(const std::string& model, const RankFacts& facts, const std::string& part,
                   const std::vector<Redundant>& list) {
  std::vector<Named> names, origins;
  for (const Redundant& r : list) {
    names.push_back(r.constraint);
    for (const Named& n : r.follows_from)
      if (std::none_of(origins.begin(), origins.end(),
                       [&](const Named& other) { return other.name == n.name; }))
        origins.push_back(n);
  }
  std::stable_sort(origins.begin(), origins.end(),
                   [](const Named& a, const Named& b) { return a.number < b.number; });
  const bool one = list.size() == 1;
  Diagnostic d{
      Severity::error,
      list.front().constraint.place,
      fmt::format("model '{}': {} '{}' {} redundant: {}", model,
                  one ? "a constraint of" : fmt::format("{} constraints of", list.size()), part,
                  one ? "is" : "are", members_of(grouped_by_part(names).front().runs)),
      {describe(facts) + ";"},
      fmt::format("replace '{}' by a joint with fewer equations", part)};
  if (origins.empty())
    d.details.emplace_back("no coordinate can move to satisfy them");
  else
    add_origins(d, one ? "it follows" : "they follow", origins);
  return d;
}

void handle_redundancy(Diagnostic& d, bool one, Handling handling) {
  if (handling == Handling::can_be_left_out)
    d.help +=
        fmt::format(", or keep {} with  redundant_constraints = least_norm", one ? "it" : "them");
  if (handling != Handling::left_out) return;
  d.severity = Severity::warning;
  d.details.push_back(
      fmt::format("{} left out of the equations, and the multipliers are those of least norm",
                  one ? "it is" : "they are"));
  d.help.clear();
}

}  // namespace

std::string part_of(const std::string& constraint) { return split_name(constraint).part; }

std::string list_names(const std::vector<Named>& names) {
  struct Item {
    std::string name;
    Place place;  // known: the last of its group
  };
  std::vector<Item> items;
  for (const PartGroup& g : grouped_by_part(names)) {
    for (const EntryRun& run : g.runs)
      items.push_back({g.part.empty() ? run.text() : g.part + "." + run.text(), {}});
    items.back().place = g.place;
  }
  std::string text;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0) text += i + 1 == items.size() ? " and " : ", ";
    text += fmt::format("'{}'{}", items[i].name, line_text(items[i].place));
  }
  return text;
}

std::string describe(const RankFacts& facts) {
  return fmt::format(
      "constraint_jacobian has rank {} for {} constraints at t = {:g} s (smallest singular value "
      "{:.1e}, tolerance {:.0e})",
      facts.rank, facts.constraints, facts.t, facts.smallest_singular_value, facts.tolerance);
}

std::vector<Diagnostic> redundant_constraints(const std::string& model, const RankFacts& facts,
                                              const std::vector<Redundant>& list,
                                              Handling handling) {
  std::vector<Diagnostic> result;
  for (std::size_t first = 0; first < list.size();) {
    const std::string part = part_of(list[first].constraint.name);
    std::size_t last = first + 1;
    while (!part.empty() && last < list.size() && part_of(list[last].constraint.name) == part)
      ++last;
    result.push_back(part.empty() ? of_own_line(model, facts, list[first])
                                  : of_part(model, facts, part,
                                            {list.begin() + static_cast<std::ptrdiff_t>(first),
                                             list.begin() + static_cast<std::ptrdiff_t>(last)}));
    handle_redundancy(result.back(), last == first + 1, handling);
    first = last;
  }
  return result;
}

}  // namespace daedal::solve
