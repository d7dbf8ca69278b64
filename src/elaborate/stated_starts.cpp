// See stated_starts.hpp.
#include "elaborate/stated_starts.hpp"

#include "elaborate/elements.hpp"
#include "elaborate/mentions.hpp"

#include <algorithm>
#include <array>
#include <set>

namespace daedal::model {

namespace {

constexpr std::array<const char*, 3> start_positions = {"position", "angle", "orientation"};
constexpr std::array<const char*, 2> start_velocities = {"velocity", "angular_velocity"};

/// Whether an element's argument says where the motion begins (order 0) or how fast (1). The velocities of an element
/// depend on its orientation too, but giving that does not state them.
bool says_start(std::string_view argument, int order) {
  const auto among = [&](const auto& names) {
    return std::find(names.begin(), names.end(), argument) != names.end();
  };
  return order == 0 ? among(start_positions) : among(start_velocities);
}

/// Names in `value`, and in the let's of the instance that it is made of.
std::set<std::string> all_mentions(const Instance& instance, const syntax::ExpressionPtr& value) {
  std::set<std::string> found;
  std::vector<std::string> open = mentions(value);
  while (!open.empty()) {
    const std::string name = std::move(open.back());
    open.pop_back();
    const auto known = instance.names.find(name);
    if (known == instance.names.end() || !found.insert(name).second) continue;
    if (known->second.kind != NameKind::let) continue;
    for (std::string& inner : mentions(known->second.definition)) open.push_back(std::move(inner));
  }
  return found;
}

/// Of `part`, by a user: an argument passed from one element to another is stated when the outer one was given such
/// an argument.
bool is_given(const Instance& part, const std::string& argument, int order,
              const IsOverridden& is_overridden) {
  if (is_overridden(part.prefix + argument)) return true;
  const auto given = part.given.find(argument);
  if (given == part.given.end()) return false;
  if (!Elements::all().holds(given->second.place)) return true;
  return std::any_of(part.parent->names.begin(), part.parent->names.end(), [&](const auto& entry) {
    return says_start(entry.first, order) &&
           is_given(*part.parent, entry.first, order, is_overridden);
  });
}

}  // namespace

bool is_stated(const Instance& instance, const syntax::ExpressionPtr& value, int order,
               const IsOverridden& is_overridden) {
  if (!Elements::all().holds(value->place)) return true;
  const std::set<std::string> names = all_mentions(instance, value);
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    return says_start(name, order) && is_given(instance, name, order, is_overridden);
  });
}

}  // namespace daedal::model
